# Wrong words on the command line: exit status 2 and the nearest right one.
. tests/cli/lib.sh

expect 2 "$teg"
err '^Usage: teg COMMAND'
no_out
expect 0 "$teg" --help
out '^  run '
no_err
expect 0 "$teg" --version
out '^teg [0-9]*\.[0-9]*\.[0-9]*$'
expect 2 "$teg" rum
err "unknown command 'rum'; did you mean 'run'?"
expect 2 "$teg" --nosuch
err "unknown option '--nosuch'"

for command in run whatif info check convert gpus explain trace; do
    expect 0 "$teg" $command --help
    out "^Usage: teg $command "
    out '  -h, --help'
    no_err
    expect 0 "$teg" $command --version
    out '^teg '
    expect 0 "$teg" help $command
    out "^Usage: teg $command "
    expect 2 "$teg" $command --no-such-option
    err "teg $command: unknown option '--no-such-option'"
    err "Try 'teg $command --help'"
    no_out
done

for command in run whatif info check convert; do
    expect 2 "$teg" $command
    err "teg $command: expected .*, found nothing"
done
expect 2 "$teg" run a b
err 'expected TRACE, found 2 arguments'

small_trace "$work/saxpy.traceg"

# What comes through a pipe is a file like any other, and named so.
expect 0 sh -c "cat '$work/saxpy.traceg' | $teg run - -g v100"
out '^saxpy on v100$'
expect 1 sh -c "echo garbage | $teg run - -g v100"
err '^teg: standard input: expected a .tegt'
mkfifo "$work/pipe"
cat "$work/saxpy.traceg" >"$work/pipe" &
expect 0 "$teg" info "$work/pipe"
out 'saxpy'
expect 0 "$teg" run "$work/saxpy.traceg" -g v100 -f json -o -
out '"cycles"'
# So are results and descriptions, whatever command reads or writes them.
expect 0 sh -c "$teg convert '$work/saxpy.traceg' - | $teg info -"
out '^standard input: tegt'
expect 0 sh -c "$teg trace - --kernel transpose_flaw --grid 1 --block 256 \
    -a buf:f32:1024:iota -a buf:f32:1024:zeros -o - \
    <tests/kernels/flaws/flaws.fatbin | $teg features - | tail -1"
out '^standard input,1,transpose_flaw,80,'
expect 0 sh -c "$teg profile - -g v100 -o '$work/pages' <'$work/saxpy.traceg'"
out '^standard input on v100$'
expect 0 sh -c "$teg run '$work/saxpy.traceg' -g - <config/v100.cfg"
out '^saxpy on v100$'
mkfifo "$work/description"
cat config/v100.cfg >"$work/description" &
expect 0 "$teg" run "$work/saxpy.traceg" -g "$work/description"
out '^saxpy on v100$'
expect 0 "$teg" diff "$work/saxpy.traceg" "$work/saxpy.traceg" -g v100 --html -
check 'the page and nothing else' sh -c "head -1 '$work/out' | grep -q '^<!DOCTYPE html>'"
check 'a trace that nobody reads is no fault' sh -c \
    "'$teg' convert '$work/saxpy.traceg' - 2>'$work/err' | true; [ ! -s '$work/err' ]"
check 'it goes behind what a file has' sh -c "echo before >'$work/log'
    '$teg' explain l2 >>'$work/log'
    '$teg' convert '$work/saxpy.traceg' - --to traceg >>'$work/log'
    grep -q before '$work/log' && grep -q '^-kernel name = saxpy' '$work/log'"
check 'who reads no more hears nothing' sh -c \
    "'$teg' explain --all 2>'$work/err' | head -1 >'$work/out'; [ ! -s '$work/err' ]"
expect 0 "$teg" run --what-if help
out '^no-bank-conflicts '
expect 2 "$teg" run "$work/saxpy.traceg" --what-fi=coalesced
err "unknown option '--what-fi'; did you mean '--what-if'?"
expect 2 "$teg" run "$work/saxpy.traceg" --format=jsn
err "expected one of text, json, markdown, csv, found 'jsn'; did you mean 'json'?"
expect 2 "$teg" run "$work/saxpy.traceg" --sms=0
err "expected a number from 1, found '0'"
expect 2 "$teg" run "$work/saxpy.traceg" --sms=-3
err "expected a number from 1, found '-3'"
expect 2 "$teg" run "$work/saxpy.traceg" --sms=99999999999999999999
err 'expected a number from 1'
expect 2 "$teg" run "$work/saxpy.traceg" --gpu
err "option '--gpu' needs GPU"
expect 2 "$teg" run "$work/saxpy.traceg" --strict=yes
err "option '--strict' takes no value"
expect 2 "$teg" run "$work/saxpy.traceg" --isa sm_x
err "expected an architecture like sm_70, found 'sm_x'"
expect 2 "$teg" run "$work/saxpy.traceg" -g v1o0
err "unknown GPU 'v1o0'; did you mean 'v100'?"
err 'known: .*gtx280'
expect 1 "$teg" run "$work/saxpy.traceg" -g ./nosuch.cfg
err 'nosuch.cfg: '
expect 2 "$teg" run "$work/saxpy.traceg" -g v100 --set sm.warps_mx=3
err "found 'sm.warps_mx'; nearest is sm.warps_max"
expect 2 "$teg" run "$work/saxpy.traceg" -g v100 --set sm.warps_max=-3
err 'teg: --set: '
expect 2 "$teg" run "$work/saxpy.traceg" -g v100 --set sm.warps_max
err "expected KEY=VALUE, found 'sm.warps_max'"
expect 2 "$teg" run "$work/saxpy.traceg" -g v100 --what-if no-bank-conflict
err 'no-bank-conflicts'
expect 2 "$teg" run "$work/saxpy.traceg" -g v100 --kernel 2
err 'the trace holds kernels 1 to 1'
expect 2 "$teg" run "$work/saxpy.traceg" -g v100 --kernel '(['
err "is no regular expression"
expect 1 "$teg" run "$work/saxpy.traceg" -g v100 --kernel gemm
err "no kernel's name matches 'gemm'"
expect 2 "$teg" explain long_scorebord
err "did you mean 'long_scoreboard'?"
expect 0 "$teg" explain long_scoreboard
out 'stall reason'
# every unit a bundled description names, since reports list them
for unit in $(sed -n 's/.*{ name = "\([a-z0-9]*\)".*/\1/p' \
    config/*.cfg config/family/*.cfg | sort -u); do
    expect 0 "$teg" explain "$unit"
    out '(unit)'
done

finish
