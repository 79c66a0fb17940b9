#!/bin/sh
# Runs every test program and script, JOBS at once (default: one per core), and
# ends with one line that counts them: tests/run.sh PROGRAM...
#
# What each printed comes in one piece and in the order of the list, which is
# also the order in which they start: scripts first, since they take longest.
# Tests may run beside each other: they read what is built and committed, and
# write below a directory of their own (tests/cli/lib.sh).
#
# Check prints "100%: Checks: 12, Failures: 0, Errors: 0" for each suite.
# ONLY='cli/run|test_sm' runs only those whose path matches the expression,
# SKIP='sweep' only those whose path does not; SLOWEST=20 lists as many of those
# that took the most processor time, in seconds.
#
# Of what is freed 16 MB stay poisoned, not 256: a test that ends looks for leaks
# in all of it, and each of its rounds is a process of its own.
export ASAN_OPTIONS="${ASAN_OPTIONS-quarantine_size_mb=16}"
jobs=${JOBS:-$(nproc 2>/dev/null || echo 1)}
work=$(mktemp -d) || exit 2
printer=
trap '[ -z "$printer" ] || kill "$printer" 2>/dev/null; rm -rf "$work"' EXIT
trap 'exit 130' INT HUP TERM

for t in tests/cli/*.sh "$@"; do
    [ "$t" = tests/cli/lib.sh ] || echo "$t"
done | grep -E -e "${ONLY:-.}" | grep -vE -e "${SKIP:-^$}" | nl -w1 -s' ' >"$work/list"

# Adds up what test $2, the ${1}th, said and how it ended.
count() {
    status=$(cat "$work/$1.status" 2>/dev/null || echo 'none')
    counts=$(sed -n 's/.*Checks: \([0-9]*\), Failures: \([0-9]*\), Errors: \([0-9]*\).*/\1 \2 \3/p' "$work/$1.log" |
        awk '{c += $1; f += $2 + $3} END {print c + 0, f + 0}')
    checks=${counts% *} bad=${counts#* }
    [ "$status" = 0 ] || [ "$bad" != 0 ] || bad=1
    [ "$checks" != 0 ] || checks=1
    passed=$((passed + checks - bad)) failed=$((failed + bad))
    skipped=$((skipped + $(grep -c '^skipped:' "$work/$1.log")))
    [ "$bad" = 0 ] || echo "FAILED: $2 (exit status $status)"
}

# The second line of what `times` prints is of the children: 0m1.230s 0m0.045s.
slowest() {
    while read -r n t; do
        awk -v t="$t" 'NR == 2 {
            split($1, u, /[ms]/); split($2, s, /[ms]/)
            printf "%8.1f s  %s\n", 60 * (u[1] + s[1]) + u[2] + s[2], t
        }' "$work/$n.times"
    done <"$work/list" | sort -rn | head -n "$SLOWEST"
}

print() {
    passed=0 failed=0 skipped=0
    while read -r n t; do
        # A test that has no status when all are over never ran to its end.
        until [ -e "$work/$n.status" ] || [ -e "$work/over" ]; do
            sleep 0.05
        done
        [ -e "$work/$n.log" ] || : >"$work/$n.log"
        cat "$work/$n.log"
        count "$n" "$t"
    done <"$work/list"
    [ -z "$SLOWEST" ] || slowest
    echo "$passed passed, $failed failed, $skipped skipped"
    [ "$failed" = 0 ]
}

# The tests are in the foreground, so that Ctrl-C ends them.
print &
printer=$!
xargs -P "$jobs" -L 1 sh -c '
    case $2 in
    *.sh) sh "$2" ;;
    *) "$2" ;;
    esac >"$0/$1.log" 2>&1
    echo $? >"$0/$1.part"
    times >"$0/$1.times"
    mv "$0/$1.part" "$0/$1.status"' "$work" <"$work/list"
: >"$work/over"
wait "$printer"
status=$?
printer=
exit $status
