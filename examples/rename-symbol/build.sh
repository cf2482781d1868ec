#!/usr/bin/env bash
exec "$(dirname "$0")/../npm-build" "$(dirname "$0")"
