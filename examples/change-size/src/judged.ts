import type { Fault } from "snodo:plugin/judging";
import type { Severity } from "snodo:plugin/types";

/** What was found. */
export interface Judged {
  severity: Severity;
  justification: string;
  examined: string[];
  skipped: string | null;
}

/** A fault of the contract on its way out. */
export class Failure {
  constructor(readonly fault: Fault) {}
}
