#!/usr/bin/env bash
# Tests and builds it in a copy below target/, so that nothing that pip brings stands in the repository.
set -euo pipefail
cd "$(dirname "$0")"
copy=$(cd ../.. && pwd)/target/examples/docstrings
mkdir -p "$copy" build
# What an earlier build left there goes, but for what is installed and what was built of the same files.
find "$copy" -mindepth 1 -maxdepth 1 ! -name .venv ! -name build -exec rm -rf {} +
find . -mindepth 1 -maxdepth 1 ! -name .venv ! -name build -exec cp -RLp -t "$copy" {} +
make --no-print-directory -C "$copy" test
make --no-print-directory -C "$copy"
cp "$copy/build/docstrings.wasm" build/
