# Colors: on a terminal only, NO_COLOR, --color. Progress: on a terminal only.
. tests/cli/lib.sh

kernel='tests/kernels/sm70/matmul.sketch -p BLOCKS=4 -g v100'
colored() {
    grep -q "$(printf '\033')\[" "$work/out"
}
plain() {
    ! colored
}

expect 0 "$teg" run $kernel
check 'no colors where no terminal is' plain
cp "$work/out" "$work/plain"
expect 0 "$teg" run $kernel --color=always
check 'colors when asked for' colored
sed 's/\x1b\[[0-9;]*m//g' "$work/out" >"$work/stripped"
check 'and the same words' cmp -s "$work/stripped" "$work/plain"
for view in "whatif $kernel" "diff $kernel --against t4" "timeline $kernel" \
    "timeline $kernel --critical"; do
    expect 0 "$teg" $view --color=always
    check "colors of $view" colored
    expect 0 "$teg" $view --color=always -f csv
    check "no colors in CSV of $view" plain
done
expect 2 "$teg" run $kernel --color=sometimes
err "color: expected one of auto, always, never, found 'sometimes'"

script -qec true /dev/null </dev/null >"$work/out" 2>&1 || {
    echo 'skipped: colors and progress on a terminal (needs script, of bsdutils,' \
        'and a pseudo-terminal)'
    finish
}
# Runs $1 as in a terminal; both streams come back together.
on_terminal() {
    script -qec "$1" /dev/null </dev/null >"$work/out" 2>"$work/err"
}
unset NO_COLOR
TERM=xterm
export TERM
expect 0 on_terminal "$teg run $kernel"
check 'colors on a terminal' colored
expect 0 on_terminal "$teg run $kernel --color=never"
check 'unless refused' plain
expect 0 on_terminal "NO_COLOR=1 $teg run $kernel"
check 'or NO_COLOR is set' plain
expect 0 on_terminal "NO_COLOR= $teg run $kernel"
check 'an empty NO_COLOR does not count (no-color.org)' colored
expect 0 on_terminal "NO_COLOR=1 $teg run $kernel --color=always"
check '--color=always is stronger' colored
expect 0 on_terminal "TERM=dumb $teg run $kernel"
check 'a dumb terminal has none' plain

# A run of more than a second shows how far it is, how fast, and how long it
# will take; the trace is long enough for any machine, Ctrl-C ends it.
progress() {
    script -qefc "echo \$\$ >'$work/pid'; exec $teg run -g v100 \
        tests/kernels/sm70/stream.sketch -p BLOCKS=2000000" /dev/null \
        </dev/null >"$work/progress" 2>&1 &
    within 60 grep -q ' left' "$work/progress"
    kill -INT "$(cat "$work/pid")"
    wait $!
    status=$?
    cat "$work/progress"
    return $status
}
expect 130 progress
out 'kernel 1 \[[#.]*\] cycle [0-9]*, [0-9.e+]* blocks/s, [0-9]*:[0-9][0-9] left'
out 'INCOMPLETE.*: interrupted; what follows is the part that was simulated'

# So does a launch of a program.
launched() {
    script -qefc "echo \$\$ >'$work/pid'; exec $teg exec -g a100 --no-trace -- \
        ${BUILD:-build/release}/tests/cli/program endless" /dev/null \
        </dev/null >"$work/launched" 2>&1 &
    within 60 grep -q ' left' "$work/launched"
    kill -INT "-$(cat "$work/pid")" # as the terminal does: all of them
    wait $!
    status=$?
    cat "$work/launched"
    return $status
}
expect 130 launched
out 'teg: scale: [0-9]* of 2147483647 blocks, [0-9]*:[0-9][0-9] left'
"$teg" run $kernel >"$work/out" 2>"$work/err"
check 'no progress where no terminal is' [ ! -s "$work/err" ]

finish
