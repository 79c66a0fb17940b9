# tests/run.sh itself: tests that end in another order than they stand, one that
# fails, one that is killed, one that skips; how they are counted.
. tests/cli/lib.sh

runner=$PWD/tests/run.sh
mkdir -p "$work/tree/tests/cli"
at=$work/tree
script() { # NAME: a test on standard input
    cat >"$at/tests/cli/$1.sh"
}
script lib <<'END'
exit 9
END
# Ends only once the second has: they run beside each other.
script a_waits <<'END'
n=0
until [ -e ended ] || [ $((n += 1)) -gt 200 ]; do sleep 0.05; done
[ -e ended ] && echo 'first line' && echo '100%: Checks: 3, Failures: 0, Errors: 0'
END
script b_ends <<'END'
: >ended
echo 'skipped: something'
echo 'second line'
END
cat >"$at/program" <<'END'
#!/bin/sh
echo '50%: Checks: 4, Failures: 1, Errors: 1'
exit 1
END
cat >"$at/killed" <<'END'
#!/bin/sh
kill -KILL $$
END
chmod +x "$at/program" "$at/killed"

suite() {
    (cd "$at" && rm -f ended && env -u ONLY -u SKIP JOBS=2 "$@")
}
expect 0 suite sh "$runner"
out '^4 passed, 0 failed, 1 skipped$'
check 'lines come in the order of the list' \
    [ "$(grep line "$work/out" | tr '\n' ' ')" = 'first line second line ' ]

expect 1 suite sh "$runner" ./program ./killed
out '^FAILED: ./program (exit status 1)$'
out '^FAILED: ./killed (exit status 137)$'
check 'the last line counts' \
    [ "$(tail -1 "$work/out")" = '6 passed, 3 failed, 1 skipped' ]

expect 0 suite env ONLY=cli SKIP=a_ sh "$runner" ./program
out '^1 passed, 0 failed, 1 skipped$'

finish
