// The contract snodo:plugin@0.1.0, for TypeScript. Made from its WIT: not edited by hand.

/** The host's own account of what a coder changed: the one value that is judged, shown and applied. */
declare module "snodo:plugin/change" {
  export {};
  import type { BadPath, BadParameter, ChangeKind, Count, Limit } from "snodo:plugin/types";
  import type { File, ReadError } from "snodo:plugin/read";

  /** One changed path. */
  export interface ChangedFile {
    path: string;
    kind: ChangeKind;
    /** Where it came from, of a rename. */
    oldPath: string | null;
    /** Lines added and deleted; both 0 for a binary file. */
    added: number;
    deleted: number;
    binary: boolean;
    /** Why the file counts as one that governs tests, if it does. */
    testGoverning: string | null;
    /** Size before and after; none where there is no file. */
    sizeBefore: number | null;
    sizeAfter: number | null;
    executableBefore: boolean;
    executableAfter: boolean;
  }

  /** The change, file by file, in the order of path bytes. */
  export interface ChangeSummary {
    files: ChangedFile[];
    added: number;
    deleted: number;
  }

  /** What of the change to show. */
  export interface DiffQuery {
    /** Exact paths; empty for all. */
    paths: string[];
    /** Lines of context around a change; at most 100. */
    contextLines: number;
    /** Stop after this many bytes of text; the host's own ceiling is the limit of a call. */
    maxBytes: number;
  }

  /** How a line of a hunk stands in the two files. */
  export type LineOrigin =
    | "context"
    | "added"
    | "removed";

  /** A line of a hunk, without its LF. */
  export interface DiffLine {
    origin: LineOrigin;
    text: string;
    /** The file ends here without LF. */
    noNewline: boolean;
  }

  /** Lines that changed together. Starts are counted from 1 (0 with a count of 0: before the first line). */
  export interface Hunk {
    oldStart: number;
    oldCount: number;
    newStart: number;
    newCount: number;
    lines: DiffLine[];
  }

  /** One file's difference. A binary file has no hunks. */
  export interface FileDiff {
    path: string;
    kind: ChangeKind;
    binary: boolean;
    hunks: Hunk[];
  }

  /** A difference, and whether all of it is there. */
  export interface DiffAnswer {
    files: FileDiff[];
    /** Paths of the change that were asked for and left out, or not shown whole, since `max-bytes` was reached. */
    omitted: string[];
  }

  /** Why there is no answer. */
  export type ChangeError =
    /** Before execution there is no change. */
    | { tag: "no-change-yet" }
    | { tag: "bad-path"; val: BadPath }
    | { tag: "bad-parameter"; val: BadParameter }
    /** The path is not in the change. */
    | { tag: "not-in-change"; val: string }
    | { tag: "limit"; val: Limit }
    | { tag: "not-granted"; val: string };

  /** Why there is no earlier file. */
  export type BeforeError =
    | { tag: "no-change-yet" }
    /** The path is not in the change, or was added by it. */
    | { tag: "not-in-change"; val: string }
    | { tag: "read"; val: ReadError };

  /**
   * The change, file by file.
   * Throws an `Error` whose `payload` is a `ChangeError`.
   */
  export function summary(): ChangeSummary;

  /**
   * The change, line by line.
   * Throws an `Error` whose `payload` is a `ChangeError`.
   */
  export function diff(query: DiffQuery): DiffAnswer;

  /**
   * A changed or deleted file as it stood in the base, by its path there.
   * Throws an `Error` whose `payload` is a `BeforeError`.
   */
  export function before(path: string): File;
}

/** What a coder exports: the role is this interface. */
declare module "snodo:plugin/coding" {
  export {};
  import type { Task, Context, Description, ChangeKind, Limit } from "snodo:plugin/types";

  /** A statement that stands beside a change, or in place of one when findings are asked for. */
  export interface Finding {
    title: string;
    detail: string;
    path: string | null;
    /** Counted from 1. */
    line: number | null;
  }

  /** A file that the coder says it changed. */
  export interface ReportedFile {
    path: string;
    kind: ChangeKind;
  }

  /** Why the coder stopped. */
  export type StopReason =
    | "completed"
    | "turn-budget"
    | "context-budget"
    | "provider-fault"
    | "abandoned";

  /** The coder's own account: evidence, shown beside the host's, and able to move nothing. */
  export interface CoderReport {
    files: ReportedFile[];
    turnsUsed: number | null;
    turnsAvailable: number | null;
    tokensUsed: number | null;
    stopReason: StopReason;
    notes: string;
  }

  /** What a coder returns. The work itself went out by `submit`. */
  export interface Implementation {
    report: CoderReport | null;
    findings: Finding[];
  }

  /** Where in a task, or in a file, something does not fit. */
  export interface Mismatch {
    /** The file of the workspace. */
    path: string;
    /** Which hunk or block of the file, from 1. */
    hunk: number;
    /** The line of the workspace's file that is nearest, from 1; 0 when there is none. */
    nearestLine: number;
    reason: string;
  }

  /** An operation that the host refused and the coder cannot do without. */
  export interface RefusedOperation {
    path: string;
    reason: string;
  }

  /** Why a coder gave up. */
  export type CoderError =
    /** The task is not one that this coder can read: what is wrong, and what it takes. */
    | { tag: "unusable-task"; val: string }
    /** The task's change does not fit the workspace. */
    | { tag: "does-not-apply"; val: Mismatch }
    /** Something could not be read: the path and the reason. */
    | { tag: "unreadable"; val: RefusedOperation }
    /** The host refused an operation: the path and the reason. */
    | { tag: "refused"; val: RefusedOperation }
    /** The model could not be used. */
    | { tag: "model"; val: string }
    /** Turns were used up: how many. */
    | { tag: "turn-budget"; val: number }
    | { tag: "limit"; val: Limit }
    /** A mistake of the plugin's own. */
    | { tag: "internal"; val: string };

  /** What the plugin's module exports, under the name `coding`. */
  export interface Coding {
    /** What this plugin is. All imports of this package are closed while it is called. */
    describe(): Description;
    /**
     * Do the task. What is submitted counts, also when an error is returned.
     * Throw a `CoderError` as it is: any other thing that is thrown, an `Error` too, is a crash.
     */
    implement(task: Task, context: Context): Implementation;
  }
}

/**
 * Ask a language model. Only with a grant and a configured model: a call leaves the machine. The host decides model,
 * key, address and headers.
 */
declare module "snodo:plugin/completion" {
  export {};
  import type { Limit } from "snodo:plugin/types";

  /** A call of a tool that the model asks for. */
  export interface ToolCall {
    id: string;
    name: string;
    /** One JSON object, as text. */
    arguments: string;
  }

  /** What a tool answered. */
  export interface ToolResult {
    id: string;
    text: string;
  }

  /** What the model said earlier in the conversation. */
  export interface AssistantTurn {
    text: string;
    toolCalls: ToolCall[];
  }

  /** One message of a conversation. */
  export type Message =
    | { tag: "system"; val: string }
    | { tag: "user"; val: string }
    | { tag: "assistant"; val: AssistantTurn }
    | { tag: "tool"; val: ToolResult };

  /** A tool that the model may call. */
  export interface Tool {
    name: string;
    description: string;
    /** A JSON Schema of the arguments, as text. */
    parameters: string;
  }

  /** Which tool the model has to call. */
  export type ToolChoice =
    | { tag: "auto" }
    | { tag: "none" }
    | { tag: "required" }
    /** This one. */
    | { tag: "named"; val: string };

  /** A request. */
  export interface Request {
    messages: Message[];
    tools: Tool[];
    toolChoice: ToolChoice;
    /** Ceiling of the answer; none for the configured one, above which it cannot go. */
    maxTokens: number | null;
    /** In thousandths; none for the configured one. */
    temperatureMilli: number | null;
  }

  /** Tokens of one call. */
  export interface Usage {
    inputTokens: number | null;
    outputTokens: number | null;
  }

  /** Why the model stopped. Truncation and filtering are errors, not answers. */
  export type Stop =
    | "end-of-turn"
    | "tool-calls";

  /** An answer. */
  export interface Answer {
    text: string;
    toolCalls: ToolCall[];
    stop: Stop;
    /** The model that answered. */
    model: string;
    usage: Usage;
  }

  /** What a provider answered instead, shortened and with keys removed. */
  export interface ProviderFailure {
    status: number | null;
    message: string;
  }

  /** A budget of the run that is spent. */
  export interface Budget {
    name: string;
    allowed: number;
  }

  /** Why there is no answer. */
  export type CompletionError =
    /** No model is configured for this role. */
    | { tag: "no-client"; val: string }
    | { tag: "refused"; val: ProviderFailure }
    | { tag: "rate-limited"; val: ProviderFailure }
    /** Milliseconds waited. */
    | { tag: "timeout"; val: number }
    /** The answer ran into the token ceiling. */
    | { tag: "truncated"; val: number }
    | { tag: "filtered"; val: string }
    | { tag: "malformed"; val: ProviderFailure }
    | { tag: "unavailable"; val: ProviderFailure }
    | { tag: "budget-spent"; val: Budget }
    | { tag: "limit"; val: Limit };

  /**
   * Ask the model that is configured for this role.
   * Throws an `Error` whose `payload` is a `CompletionError`.
   */
  export function complete(request: Request): Answer;
}

/** What a validator exports: the role is this interface. */
declare module "snodo:plugin/judging" {
  export {};
  import type { Task, Context, Description, Phase, Severity, TestGoverningChange, Limit } from "snodo:plugin/types";

  /** The mode under which the task runs. */
  export interface ModeProfile {
    id: string;
    name: string;
    description: string;
    tools: string[];
  }

  /** What an execution validator saw earlier in this gate. */
  export interface ExecutionEvidence {
    validatorId: string;
    severity: Severity;
    justification: string;
  }

  /** What to judge. */
  export interface Evaluation {
    phase: Phase;
    task: Task;
    validatorId: string;
    criteria: string[];
    mode: ModeProfile;
    evidence: ExecutionEvidence[];
    testGoverning: TestGoverningChange[];
  }

  /** A criterion that this validator has no means to check. */
  export interface Uncheckable {
    /** Index in `criteria`, from 0. */
    criterion: number;
    /** What it would need. */
    capability: string;
  }

  /** A decision. */
  export interface Verdict {
    severity: Severity;
    justification: string;
    /** Indexes in `criteria`, from 0. */
    citedCriteria: number[];
    /** What was looked at: paths, commands. */
    examined: string[];
    /** Nothing was there to be judged (no tests declared, an empty scope): the reason. Never counted as evidence. */
    skipped: string | null;
    uncheckable: Uncheckable[];
  }

  /** Why a validator could not decide. There is no third thing. */
  export type Fault =
    /** It needs a model, and there is none, or it does not answer. */
    | { tag: "model"; val: string }
    /** The declared command could not be run, or did not come to an end. */
    | { tag: "runner"; val: string }
    /** It could not see all that it has to judge. */
    | { tag: "incomplete-view"; val: string }
    /** A setting that cannot be used: which, and why. */
    | { tag: "setting"; val: string }
    | { tag: "limit"; val: Limit }
    /** A mistake of the plugin's own. */
    | { tag: "internal"; val: string };

  /** What the plugin's module exports, under the name `judging`. */
  export interface Judging {
    /** What this plugin is. All imports of this package are closed while it is called. */
    describe(): Description;
    /**
     * Judge.
     * Throw a `Fault` as it is: any other thing that is thrown, an `Error` too, is a crash.
     */
    evaluate(evaluation: Evaluation, context: Context): Verdict;
  }
}

/**
 * Read files of the workspace.
 *
 * A coder sees the base with its own pending submission on top; a validator sees what its phase judges. Links
 * are never followed. `.git`, most of `.snodo` and what the user denies are refused by rule.
 */
declare module "snodo:plugin/read" {
  export {};
  import type { Content, EntryKind, BadPath, Refusal, WrongKind, TooLarge, IoFailure, Limit, BadParameter, Count, Skipped } from "snodo:plugin/types";

  /** A whole file. */
  export interface File {
    path: string;
    content: Content;
    size: number;
    executable: boolean;
    /** The text starts with a byte-order mark, which is part of `content`. */
    bom: boolean;
  }

  /** A range of lines. */
  export interface Lines {
    path: string;
    /** The first and the last line given, both counted from 1. `last` < `first`: the range is empty. */
    first: number;
    last: number;
    /** The lines with their endings, as they stand in the file. */
    content: Content;
    /** Lines of the file. */
    total: Count;
    /** Lines of the range were left out since the call's byte limit was reached. */
    truncated: boolean;
  }

  /** One answer of a batch. */
  export interface ReadAnswer {
    path: string;
    outcome: { tag: "ok"; val: File } | { tag: "err"; val: ReadError };
  }

  /** What to list. */
  export interface ListQuery {
    /** A folder; empty for the root. */
    under: string;
    /** How deep: 1 lists the folder's own entries; none is no limit. */
    depth: number | null;
    /** Only paths that match this glob (`*` stops at `/`, `**` does not), taken from the folder `under`. */
    glob: string | null;
    /** List dot files too. */
    hidden: boolean;
    /** List what ignore files name too. */
    ignored: boolean;
    /** At most this many entries; the host's own ceiling is 10,000. */
    limit: number;
  }

  /** What stands in a folder. */
  export interface Entry {
    path: string;
    kind: EntryKind;
    /** Of a file; 0 otherwise. */
    size: number;
  }

  /** Entries in the order of their paths' bytes. */
  export interface Listing {
    entries: Entry[];
    total: Count;
    truncated: boolean;
    skipped: Skipped[];
  }

  /** Why something could not be read. */
  export type ReadError =
    | { tag: "bad-path"; val: BadPath }
    | { tag: "bad-parameter"; val: BadParameter }
    | { tag: "not-found"; val: string }
    | { tag: "wrong-kind"; val: WrongKind }
    /** A link on the way, or at the end, that is not followed. */
    | { tag: "symlink"; val: string }
    | { tag: "refused"; val: Refusal }
    | { tag: "too-large"; val: TooLarge }
    | { tag: "io"; val: IoFailure }
    /** The file is not what this run saw before. */
    | { tag: "changed-during-run"; val: string }
    /** A bound of the invocation; the call was not carried out. */
    | { tag: "limit"; val: Limit }
    /** The tool is not in this judge's tool list. */
    | { tag: "not-granted"; val: string };

  /**
   * A whole file.
   * Throws an `Error` whose `payload` is a `ReadError`.
   */
  export function readFile(path: string): File;

  /**
   * Lines `first` to `last` of a file, both included and counted from 1. A file too large to be read whole can be read so.
   * Throws an `Error` whose `payload` is a `ReadError`.
   */
  export function readLines(path: string, first: number, last: number): Lines;

  /**
   * Several whole files; each path has its own answer, in the order asked.
   * Throws an `Error` whose `payload` is a `ReadError`.
   */
  export function readFiles(paths: string[]): ReadAnswer[];

  /**
   * What stands in a folder.
   * Throws an `Error` whose `payload` is a `ReadError`.
   */
  export function listFiles(query: ListQuery): Listing;
}

/**
 * Run the project's declared tests, in a scratch copy of what the caller sees. What is run is declared by the protocol or
 * the user: the caller chooses nothing but a path. It gives an observation, never a verdict.
 */
declare module "snodo:plugin/runner" {
  export {};
  import type { BadPath, Refusal, IoFailure, Limit } from "snodo:plugin/types";

  /** How the program ended. */
  export type Exit =
    /** It exited with this code. */
    | { tag: "code"; val: number }
    /** A signal ended it. */
    | { tag: "signal"; val: number }
    /** The host ended it since a bound was reached. */
    | { tag: "bound"; val: Bound };

  /** A bound of one execution. */
  export type Bound =
    | "wall-clock"
    /** The whole invocation was ended. */
    | "interrupted";

  /** What came out of one stream: the beginning and the end are kept. */
  export interface Captured {
    head: string;
    /** Empty when everything fits in `head`. */
    tail: string;
    /** Bytes left out between the two. */
    dropped: number;
    /** Bytes that are not UTF-8, or control characters, shown as `\xNN` and `\u{…}`. */
    escaped: number;
  }

  /** What was seen. */
  export interface Observation {
    exit: Exit;
    stdout: Captured;
    stderr: Captured;
    durationMs: number;
    callsLeft: number;
  }

  /** Why nothing was run. */
  export type RunnerError =
    /** No test command is declared. */
    | { tag: "not-declared" }
    /** The declared command takes no path. */
    | { tag: "path-not-taken" }
    | { tag: "bad-path"; val: BadPath }
    /** The path starts with `-` or `@`, or is refused by another rule. */
    | { tag: "refused"; val: Refusal }
    | { tag: "not-found"; val: string }
    /** The declared program is not there. */
    | { tag: "program-not-found"; val: string }
    /** The declared program is there and may not be run. (Where its interpreter is missing, `io` names that.) */
    | { tag: "program-not-executable"; val: string }
    | { tag: "io"; val: IoFailure }
    | { tag: "limit"; val: Limit }
    | { tag: "not-granted"; val: string };

  /**
   * Run the declared tests; with a path, only what stands there.
   * Throws an `Error` whose `payload` is a `RunnerError`.
   */
  export function runTests(path: string | null): Observation;
}

/** Search the files of the workspace: the same view, and the same rules, as `read`. */
declare module "snodo:plugin/search" {
  export {};
  import type { BadPath, BadParameter, Refusal, WrongKind, IoFailure, Limit, Count, Skipped } from "snodo:plugin/types";

  /** How a pattern is read. */
  export type Syntax =
    /** The text itself. */
    | "literal"
    /** A regular expression on a linear-time engine: no look-around, no back-references. */
    | "regex";

  /** Whether letter case counts. */
  export type LetterCase =
    | "sensitive"
    | "insensitive"
    /** Insensitive unless the pattern holds an upper-case letter. */
    | "smart";

  /** What to search for, and where. */
  export interface TextQuery {
    pattern: string;
    syntax: Syntax;
    letterCase: LetterCase;
    /** Only where the match starts and ends at a word's border. */
    wholeWord: boolean;
    /** A file or folder; empty for the root. */
    under: string;
    /**
     * Globs of paths to search; empty for all. Held against the path from the folder `under` (`*` stops at `/`, `**` does
     * not) or, without a `/`, against the name in every folder. One that names a folder holds for all below it.
     */
    include: string[];
    /** Globs of paths to leave out, read in the same way. */
    exclude: string[];
    hidden: boolean;
    ignored: boolean;
    /** Lines of context before and after; at most 20. */
    contextBefore: number;
    contextAfter: number;
    /** At most this many matching lines; the host's own ceiling is 10,000. */
    limit: number;
  }

  /** A line with a match. */
  export interface TextMatch {
    path: string;
    line: number;
    /** Where the first match of the line starts: byte column, from 1. */
    column: number;
    /** The line without its ending; around the match when `clipped`. */
    text: string;
    /** The line, or one of its context lines, is longer than what is shown. */
    clipped: boolean;
    before: string[];
    after: string[];
  }

  /** Matches in the order of path bytes, then line. */
  export interface TextMatches {
    matches: TextMatch[];
    /** Matching lines. */
    total: Count;
    truncated: boolean;
    filesSearched: number;
    skipped: Skipped[];
  }

  /** What kind of thing a definition defines. */
  export type SymbolKind =
    | "function"
    /** A class, struct, record, enum or union. */
    | "type"
    /** An interface, trait or protocol. */
    | "interface"
    | "module"
    | "constant"
    | "variable"
    | "macro";

  /** Which definitions to look for. */
  export interface SymbolQuery {
    /** The name, literal and whole. */
    name: string;
    /** Only of this kind. */
    kind: SymbolKind | null;
    under: string;
    hidden: boolean;
    ignored: boolean;
    limit: number;
  }

  /** A line that defines the name, by rules over the text: an honest guess, not a compiler's answer. */
  export interface Symbol {
    path: string;
    line: number;
    column: number;
    kind: SymbolKind;
    language: string;
    text: string;
    clipped: boolean;
  }

  /** Definitions in the order of path bytes, then line. */
  export interface Symbols {
    symbols: Symbol[];
    total: Count;
    truncated: boolean;
    filesSearched: number;
    skipped: Skipped[];
  }

  /** Why a search was not carried out. */
  export type SearchError =
    | { tag: "bad-path"; val: BadPath }
    | { tag: "bad-parameter"; val: BadParameter }
    | { tag: "not-found"; val: string }
    | { tag: "wrong-kind"; val: WrongKind }
    | { tag: "symlink"; val: string }
    | { tag: "refused"; val: Refusal }
    | { tag: "io"; val: IoFailure }
    | { tag: "limit"; val: Limit }
    | { tag: "not-granted"; val: string };

  /**
   * Lines that match.
   * Throws an `Error` whose `payload` is a `SearchError`.
   */
  export function searchText(query: TextQuery): TextMatches;

  /**
   * Lines that define a name.
   * Throws an `Error` whose `payload` is a `SearchError`.
   */
  export function searchSymbol(query: SymbolQuery): Symbols;
}

/**
 * Propose a change. One-way: nothing here touches the workspace. The host lays the operations over the
 * base, judges the whole, and applies all of it or none.
 */
declare module "snodo:plugin/submit" {
  export {};
  import type { Content, BadPath, Refusal, WrongKind, TooLarge, IoFailure, Limit } from "snodo:plugin/types";

  /** Put this content at this path, whole. */
  export interface Write {
    path: string;
    content: Content;
    /** Set or clear the executable bit; none keeps what is there (not executable for a new file). */
    executable: boolean | null;
  }

  /** Move a file. */
  export interface Rename {
    from: string;
    to: string;
  }

  /** Set or clear the executable bit of a file. */
  export interface SetExecutable {
    path: string;
    executable: boolean;
  }

  /** One operation. */
  export type Operation =
    | { tag: "write"; val: Write }
    | { tag: "delete"; val: string }
    | { tag: "rename"; val: Rename }
    | { tag: "set-executable"; val: SetExecutable };

  /** What became of a submission that was taken. */
  export interface Submission {
    /** Operations taken in this call. */
    accepted: number;
    /** Paths whose earlier submitted operation was replaced by this call. */
    superseded: string[];
    /** Paths that now stand as they do in the base: no change. */
    unchanged: string[];
    /** Paths that differ from the base, over all calls. */
    pending: number;
  }

  /** Why an operation is refused. */
  export type SubmitRefusal =
    | { tag: "bad-path"; val: BadPath }
    /** Protected: the rule that says so. */
    | { tag: "refused"; val: Refusal }
    | { tag: "not-found"; val: string }
    /** What stands there is not what the operation needs. */
    | { tag: "wrong-kind"; val: WrongKind }
    /** A link on the way or at the path. */
    | { tag: "symlink"; val: string }
    /**
     * Another path of the workspace or of this submission is in the way: a file where a folder is needed, a twin
     * that differs only in letter case, an existing target of a rename.
     */
    | { tag: "conflict"; val: Conflict }
    /** Two operations of this call name one path. */
    | { tag: "duplicate"; val: Duplicate }
    | { tag: "too-large"; val: TooLarge }
    /** The file is not what this run saw before. */
    | { tag: "changed-during-run"; val: string }
    | { tag: "io"; val: IoFailure };

  /** A path and what stands in its way. */
  export interface Conflict {
    path: string;
    with: string;
    reason: string;
  }

  /** Two operations of one call on one path, by their indexes. */
  export interface Duplicate {
    path: string;
    first: number;
    second: number;
  }

  /** The refused operation; none of the call's operations was taken. */
  export interface Rejected {
    /** Index in the call's list, from 0. */
    index: number;
    reason: SubmitRefusal;
  }

  /** Why a call was not taken. */
  export type SubmitError =
    | { tag: "rejected"; val: Rejected }
    | { tag: "limit"; val: Limit };

  /** What the plugin is doing, for the person who watches. */
  export interface ProgressEvent {
    /** One line; control characters are shown escaped, what is over 200 characters is cut. */
    message: string;
    /** Steps done, and of how many, where that is known. */
    done: number | null;
    total: number | null;
  }

  /**
   * Take operations, all or none. They accumulate over calls; a later call wins over an earlier one for a path.
   * Throws an `Error` whose `payload` is a `SubmitError`.
   */
  export function submitFiles(operations: Operation[]): Submission;

  /**
   * Take back what was submitted for these paths. Answers the paths for which there was something.
   * Throws an `Error` whose `payload` is a `SubmitError`.
   */
  export function withdraw(paths: string[]): string[];

  /** Tell what is going on. Never fails, and may be dropped. */
  export function progress(event: ProgressEvent): void;
}

/**
 * The records that the other interfaces share. It holds no function, so importing it grants nothing.
 *
 * Conventions of the whole package:
 * * A *path* is UTF-8, `/`-separated, relative to the root of the workspace and literal: never a glob, never
 *   rewritten. The empty string names the root where a folder is asked for, and is refused where a file is.
 * * A *line* is what ends with LF (or with the end of the file). Lines are counted from 1; CR stays in the text.
 * * Sizes are in bytes, durations in milliseconds.
 * * Nothing is decoded lossily: what is not UTF-8 comes as bytes.
 */
declare module "snodo:plugin/types" {
  export {};

  /** The whole content of a file. `text` is chosen exactly when the bytes are valid UTF-8 and hold no NUL. */
  export type Content =
    | { tag: "text"; val: string }
    | { tag: "bytes"; val: Uint8Array };

  /** What stands at a path. */
  export type EntryKind =
    | "file"
    | "directory"
    | "symlink"
    | "fifo"
    | "socket"
    | "block-device"
    | "char-device"
    | "unknown";

  /** The rule of the path constructor that a path broke. */
  export type PathRule =
    /** The path is empty where a name is needed. */
    | "empty"
    /** It holds a NUL character. */
    | "nul"
    /** It starts with `/` (or `\`). */
    | "absolute"
    /** A component holds `:` or `\`: a stream or a folder separator on some systems. */
    | "reserved-character"
    /** A component is a device name on some systems (`nul`, `con.txt`, `COM1`). */
    | "reserved-name"
    /** `..` leads above the root. */
    | "escapes-root"
    /** Over 4,096 bytes in all or 255 in one component. */
    | "too-long"
    /** Over 128 components. */
    | "too-deep"
    /** A trailing `/` where a file is meant. */
    | "trailing-slash";

  /** A path that is none. */
  export interface BadPath {
    path: string;
    rule: PathRule;
  }

  /** A refusal by a rule that somebody set: the host, the protocol, an ignore file or the user. */
  export interface Refusal {
    path: string;
    /** The rule, with where it stands, in one line: "`.git` is never opened to plugins", ".gitignore:3 `target/`". */
    rule: string;
  }

  /** Something of another kind than the call needs stands at the path. */
  export interface WrongKind {
    path: string;
    kind: EntryKind;
  }

  /** A file over the size that the call may carry. */
  export interface TooLarge {
    path: string;
    size: number;
    limit: number;
  }

  /** The operating system would not: the reason in its words. */
  export interface IoFailure {
    path: string;
    reason: string;
  }

  /** A bound that was reached. */
  export interface Limit {
    /** Its name, as in `limits`: "calls", "bytes-read", … */
    name: string;
    allowed: number;
  }

  /** A parameter with a value that cannot be used. */
  export interface BadParameter {
    /** The field, by its name in this contract. */
    field: string;
    reason: string;
  }

  /** How many there are: counted to the end, or only as far as the search went. */
  export type Count =
    | { tag: "exact"; val: number }
    | { tag: "at-least"; val: number };

  /** What was passed over, by reason, in an answer that looks at many files. */
  export interface Skipped {
    reason: SkipReason;
    files: number;
  }

  /** Why a file was passed over. */
  export type SkipReason =
    /** An ignore file of the workspace names it, and ignored files were not asked for. */
    | "ignored"
    /** Its name, or that of a folder above it, starts with a dot, and hidden files were not asked for. */
    | "hidden"
    /** Content that is not text (a NUL byte, or not UTF-8). */
    | "binary"
    /** Over the size that is searched. */
    | "too-large"
    /** A link: links are listed, never followed. */
    | "symlink"
    /** A FIFO, socket or device. */
    | "special"
    /** The operating system would not open it, or its name is not UTF-8. */
    | "unreadable"
    /** A rule refuses it (`.git`, `.snodo`, the user's deny list). */
    | "refused"
    /** A language without rules for symbols. */
    | "not-covered";

  /** Whether, and how, a file that governs tests was touched. */
  export interface TestGoverningChange {
    path: string;
    change: ChangeKind;
    /** Why the file counts as one: "in a folder `tests`", "named `conftest.py`". */
    reason: string;
  }

  /** What happened to a path between the base and what was submitted. */
  export type ChangeKind =
    | "added"
    | "modified"
    | "deleted"
    | "renamed"
    /** Only the executable bit differs. */
    | "mode-changed";

  /** A phase of a run in which validators judge. */
  export type Phase =
    | "pre-execute"
    | "post-execute";

  /** What a run is expected to produce. */
  export type Expectation =
    /** A change of the workspace. */
    | "change"
    /** An answer in words; no change is needed. */
    | "findings";

  /** A task, as both roles see it. */
  export interface Task {
    /** `task_` and the first 12 hex digits of the SHA-256 of the task's text. */
    id: string;
    /** The task's text, whole. */
    spec: string;
    expects: Expectation;
    /** Constraints in force, each in one sentence. */
    constraints: string[];
    /** What earlier runs left to remember; empty when there is nothing. */
    memorySummary: string;
    project: ProjectContext;
    /** What earlier attempts of this run failed on; empty in the first attempt. */
    priorFailures: PriorFailure[];
  }

  /** The project at a glance, collected once for a run, before the coder starts. */
  export interface ProjectContext {
    /** "rust", "python", "javascript", "typescript", "go", "java" or "unknown". */
    language: string;
    /** A listing of the tree, a path a line, folders with a trailing `/`; bounded, the cut is said in its last line. */
    structure: string;
    configuration: ConfigurationFile[];
  }

  /** A configuration file of the project, its text cut at 2,000 characters. */
  export interface ConfigurationFile {
    path: string;
    text: string;
    truncated: boolean;
  }

  /** A finding of an earlier attempt of this run. */
  export interface PriorFailure {
    attempt: number;
    validatorId: string;
    severity: Severity;
    justification: string;
  }

  /** How a validator judged. There is no word for "could not": that is a fault. */
  export type Severity =
    | "pass"
    | "warn"
    | "blocker";

  /** The circumstances of a call. Every field is always filled. */
  export interface Context {
    jobId: string;
    taskId: string;
    mode: string;
    /** Recovery depth; 0 outside recovery. */
    depth: number;
    /** 1 for the first attempt. */
    attempt: number;
    /** The model configured for this role, or none. */
    model: string | null;
    /** The declared test runner, or none. */
    runner: RunnerInfo | null;
    /** Paths that no coder may change, and everything below them. */
    protectedPaths: string[];
    /** What the protocol tells whoever works under it; empty when there is none. */
    protocolGuidance: string;
    /** For a judge: the read-only tools it was given. For a coder: the functions of its world. */
    tools: string[];
    /** The plugin's settings, every one that it declared, with the value in force. */
    settings: Setting[];
    limits: Limits;
  }

  /** The declared test runner. */
  export interface RunnerInfo {
    argv: string[];
    /** Whether `run-tests` takes a path. */
    takesPath: boolean;
    /** Calls allowed in this invocation. */
    calls: number;
    /** Wall-clock limit of one call. */
    timeoutMs: number;
  }

  /** The limits in force for this invocation. */
  export interface Limits {
    memoryBytes: number;
    /** Wall-clock for the plugin's own computing. */
    computeMs: number;
    /** Wall-clock for the whole invocation, host calls included. */
    totalMs: number;
    hostCalls: number;
    /** Bytes that may cross in one call, each way. */
    callBytes: number;
    /** Bytes that may be read in all. */
    readBytes: number;
    /** Bytes that may be submitted in all. */
    submitBytes: number;
  }

  /** A value of a setting. */
  export type SettingValue =
    | { tag: "text"; val: string }
    | { tag: "boolean"; val: boolean }
    | { tag: "integer"; val: number }
    | { tag: "text-list"; val: string[] };

  /** The type of a setting. */
  export type SettingType =
    | "text"
    | "boolean"
    | "integer"
    | "text-list";

  /** A setting with its value in force. */
  export interface Setting {
    name: string;
    value: SettingValue;
  }

  /** A setting that a plugin honours. */
  export interface SettingDeclaration {
    /** Lower-case letters, digits and `-`, starting with a letter. */
    name: string;
    valueType: SettingType;
    /** None: the setting must be given. */
    default: SettingValue | null;
    /** One sentence. */
    meaning: string;
  }

  /** What a plugin says of itself. It grants nothing. */
  export interface Description {
    name: string;
    version: string;
    /** One line. */
    summary: string;
    settings: SettingDeclaration[];
    /** For a validator: the phases it judges in, at least one. Empty for a coder. */
    phases: Phase[];
  }
}
