# By examples/try.
git init --quiet
git -c user.name=a -c user.email=a@localhost commit --quiet --allow-empty --message start
seq 500 >numbers.txt

judge() { snodo-host validate --validator "$COMPONENT" "$@" | tee "$OUT"; }

judge --phase pre_execute "feat: numbers"
fails judge --phase pre_execute "numbers"
grep -F 'is no heading' "$OUT"

fails judge --phase post_execute "feat: numbers"
grep -F '1 file and 500 lines changed, over 400 lines. The largest: numbers.txt (500).' "$OUT"
judge --phase post_execute --set change-size.max-lines=500 "feat: numbers"
judge --phase post_execute --set 'change-size.ignore=*.txt' "feat: numbers"
fails judge --phase post_execute --set change-size.max-files=0 "feat: numbers"
grep -F '`max-files` is 0, and has to be 1 or more' "$OUT"
