# By examples/try.
mkdir src
printf 'export function sum(list) {\n  return list.reduce((a, b) => a + b, 0);\n}\n' >src/list.js
printf 'import { sum } from "./list.js";\nconst summary = sum([1, 2]);\n' >src/main.ts
printf 'Use sum.\n' >README.md

snodo-host run --coder "$COMPONENT" "refactor: rename sum to total" | tee "$OUT"
grep -F '`sum` became `total` in 3 places of 2 files.' "$OUT"
grep -F 'README.md:1' "$OUT"
grep -Fx 'const summary = total([1, 2]);' src/main.ts
grep -Fx 'Use sum.' README.md

# What it cannot do, it refuses: the name is gone by now.
fails snodo-host run --coder "$COMPONENT" "rename sum to total" >"$OUT"
grep -F 'nothing in the workspace defines `sum`' "$OUT"
