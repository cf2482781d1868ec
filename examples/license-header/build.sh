#!/usr/bin/env bash
# Installs what is missing, builds, tests, and leaves build/license-header.wasm.
set -euo pipefail
cd "$(dirname "$0")"

rustup target add wasm32-wasip2
cargo build --locked --release --target wasm32-wasip2
cargo test --locked
mkdir -p build
cp "${CARGO_TARGET_DIR:-target}/wasm32-wasip2/release/license_header.wasm" build/license-header.wasm
