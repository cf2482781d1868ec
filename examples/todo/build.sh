#!/usr/bin/env bash
# Installs what is missing, builds, tests, and leaves build/todo.wasm.
set -euo pipefail
cd "$(dirname "$0")"

packages=(make clang-19 lld-19 libclang-rt-19-dev-wasm32 wasi-libc)
if ! dpkg --status "${packages[@]}" >/dev/null 2>&1; then
    admin=(); [[ $(id -u) -eq 0 ]] || admin=(sudo)
    "${admin[@]}" apt-get update --quiet
    "${admin[@]}" apt-get install --quiet --yes "${packages[@]}"
fi
# Each says that it is installed already, if it is.
cargo install --locked wit-bindgen-cli@0.63.0 --no-default-features --features c
cargo install --locked wasm-tools@1.262.0 --no-default-features --features component

make
make test
