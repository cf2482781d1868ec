# By examples/try.
git init --quiet
printf 'def old():\n    pass\n' >old.py
git add old.py
git -c user.name=a -c user.email=a@localhost commit --quiet --message start
printf '\n\ndef new():\n    return "\\d \\N{BULLET}"\n' >>old.py
printf 'class C:\n    """C."""\n\n    def method(self):\n        pass\n' >more.py

judge() { snodo-host validate --phase post_execute --validator "$COMPONENT" "$@" "add things" | tee "$OUT"; }

fails judge
grep -F 'Without a docstring: more.py:4 method `C.method`; old.py:5 function `new`.' "$OUT"
fails judge --set docstrings.strict=false
grep -F "! docstrings  warn" "$OUT"
judge --set 'docstrings.exclude=*.py'

printf '# -*- coding: latin-1 -*-\nx = "\xe4"\n' >latin.py
fails judge
grep -F 'incomplete view' "$OUT"
