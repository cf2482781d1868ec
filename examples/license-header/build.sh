#!/usr/bin/env bash
# Installs what is missing, builds, tests, and leaves build/license-header.wasm.
set -euo pipefail
cd "$(dirname "$0")"

# The same versions of everything as in the main lock file, when it was copied last.
if ! cargo metadata --locked --format-version 1 >/dev/null; then
    echo "Cargo.lock is behind the SDK: cp ../../Cargo.lock . && cargo metadata --format-version 1 >/dev/null" >&2
    exit 1
fi
rustup target add wasm32-wasip2
cargo build --locked --release --target wasm32-wasip2
cargo test --locked
mkdir -p build
cp "${CARGO_TARGET_DIR:-target}/wasm32-wasip2/release/license_header.wasm" build/license-header.wasm
