#!/usr/bin/env bash
set -euo pipefail
cd "$(dirname "$0")"
# The declarations are those of the contract as it is now.
node ../../host/scaffold/wit-to-ts.mjs ../../wit | diff -u types/snodo-plugin.d.ts - ||
    { echo "the declarations differ from the contract: node host/scaffold/wit-to-ts.mjs wit > host/scaffold/templates/ts/shared/types/snodo-plugin.d.ts" >&2; exit 1; }
exec ../npm-build .
