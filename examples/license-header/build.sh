#!/usr/bin/env bash
# Installs what is missing, builds, tests, and leaves build/license-header.wasm.
set -euo pipefail
cd "$(dirname "$0")"

rustup target add wasm32-wasip2
cargo build --locked --release --target wasm32-wasip2 --target-dir target
cargo test --locked --target-dir target
mkdir -p build
cp target/wasm32-wasip2/release/license_header.wasm build/license-header.wasm
