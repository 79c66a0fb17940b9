#!/bin/sh
# Runs every test program and script; ends with one line that counts them.
# Check prints "100%: Checks: 12, Failures: 0, Errors: 0" for each suite.
passed=0 failed=0 skipped=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT
for t in "$@" tests/cli/*.sh; do
    [ -e "$t" ] || continue
    case $t in
    tests/cli/lib.sh) continue ;;
    *.sh) sh "$t" >"$log" 2>&1 ;;
    *) "$t" >"$log" 2>&1 ;;
    esac
    status=$?
    cat "$log"
    counts=$(sed -n 's/.*Checks: \([0-9]*\), Failures: \([0-9]*\), Errors: \([0-9]*\).*/\1 \2 \3/p' "$log" |
        awk '{c += $1; f += $2 + $3} END {print c + 0, f + 0}')
    checks=${counts% *} bad=${counts#* }
    [ "$status" = 0 ] || [ "$bad" != 0 ] || bad=1
    [ "$checks" != 0 ] || checks=1
    passed=$((passed + checks - bad)) failed=$((failed + bad))
    skipped=$((skipped + $(grep -c '^skipped:' "$log")))
    [ "$bad" = 0 ] || echo "FAILED: $t (exit status $status)"
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
