# Out of memory at the n-th allocation (tests/oom/failing.c), for n from 1: the
# command says so in one line and leaves no half file and no more memory than
# when all goes well, or it does without and its result is what it was.
# OOM_EVERY=1 takes every n (`make oom-check`); here half a dozen each.
# OOM_ONLY='^(run|sweep) ' takes some of the commands.
. tests/cli/lib.sh
library=${BUILD:-build/release}/tests/oom/failing.so
if [ ! -e "$library" ]; then
    echo "skipped: out of memory: no $library (glibc only)"
    exit 0
fi
if ldd "$teg" | grep -q asan; then
    echo 'skipped: out of memory: the sanitizers bring their own allocator'
    exit 0
fi
library=$PWD/$library teg_path=$PWD/$teg

# with N: runs "$@" in $work/now, its N-th allocation failing; what it prints
# and writes lies there
with() {
    fail=$1
    shift
    rm -rf "$work/now"
    mkdir "$work/now"
    (cd "$work/now" && timeout 60 env TEG_OOM_FAIL="$fail" \
        TEG_OOM_REPORT=../report LD_PRELOAD="$library" "$teg_path" "$@" \
            >out 2>err)
}

# What one run made of it: nothing, or what is wrong.
judge() { # STATUS
    # the loader's own: glibc ends a program that has no room for a thread's data
    [ "$1" != 127 ] || ! grep -q 'cannot allocate memory for thread-local data' \
        "$work/now/err" || return 0
    case $1 in
    0)
        diff -r -x err "$work/good" "$work/now" >/dev/null ||
            echo 'status 0 and another result'
        ;;
    1 | 2)
        [ "$(grep -c '^teg[:a-z ]*' "$work/now/err")" -ge 1 ] ||
            echo 'not a word'
        # what is said when all goes well may be said then, too
        [ "$(grep -vxFf "$work/good/err" "$work/now/err" |
            grep -vc "$said")" -le 1 ] || echo 'several lines'
        # a journal of a sweep is there to go on from
        (cd "$work/now" && find . -type f ! -name '*.partial' \
            ! -path ./out ! -path ./err) | while read -r name; do
            cmp -s "$work/now/$name" "$work/good/$name" ||
                # those of the launches there were
                { [ "${name##*/}" = kernels.json ] &&
                    [ "$(tail -c 2 "$work/now/$name")" = '}' ]; } ||
                # a sweep whose point failed has a row that says so
                grep -q 'points failed; their rows say why$' "$work/now/err" ||
                echo "half a $name"
        done
        ;;
    *) echo "status $1" ;;
    esac
    # what a program leaves its runtime leaves
    if [ -s "$work/report" ] && [ -z "$TEG_OOM_PROGRAM" ]; then
        read -r count left <"$work/report"
        [ "$left" -le "$kept" ] || echo "$((left - kept)) of $count kept"
    fi
}

# try N COMMAND...: the N-th of $total fails
try() {
    : >"$work/report"
    with "$@"
    wrong=$(judge $?)
    checks=$((checks + 1))
    if [ -n "$wrong" ]; then
        cp "$work/now/err" "$work/err"
        fail "$(echo $wrong): allocation $1 of $total: $last"
    fi
}

# memory COMMAND...: all n, or some of them and one near the end, where what
# nobody asks for any more is written
memory() {
    echo "$*" | grep -qE -e "${OOM_ONLY:-.}" || return 0
    with 0 "$@"
    status=$?
    last=$*
    check "without a failure: $last" [ "$status" = 0 ]
    rm -rf "$work/good"
    mv "$work/now" "$work/good"
    # what exec says of the launches there were
    said='^teg: .*no kernel launch was traced$\|^teg: [0-9]* launch.*json$'
    read -r total kept <"$work/report"
    every=${OOM_EVERY:-$((total / 6 + 1))}
    n=1
    while [ "$n" -le "$total" ]; do
        try "$n" "$@"
        n=$((n + every))
    done
    [ -n "$OOM_EVERY" ] || try $((total - 10)) "$@"
}

small_trace "$work/small.traceg"
printf 'small.traceg\nsmall.traceg\n' >"$work/kernelslist.g"
expect 0 "$teg" convert "$work/small.traceg" "$work/small.tegt"
expect 0 "$teg" run "$work/small.tegt" -g v100 -f json -o "$work/small.json"
here=$PWD
trace=../small.traceg

memory info $trace
memory info ../small.tegt -f json
memory check $trace
memory convert $trace k.tegt
memory convert ../small.tegt k.traceg
memory convert ../kernelslist.g k.tegt
for format in text json csv markdown; do
    memory run $trace -g v100 -j 1 -f $format -o k.out
done
memory run "$here/tests/kernels/sm70/stream.sketch" -g v100 -j 1 -p BLOCKS=2 \
    -o k.out
memory run $trace -g v100 -j 1 --by-pc --timeline k.series --pc-trace k.points
memory whatif $trace -g v100 -j 1 -o k.out
memory bound $trace -g v100 -o k.out
memory model $trace -g v100 -f json -o k.out
memory timeline $trace -g v100 -o k.out
memory features $trace -o k.out
memory power $trace -g gtx280 -o k.out
memory report $trace -g v100 -j 1 -o k.html --perfetto k.json --konata k.log
memory sweep $trace -g v100 -j 1 --vary sm.warps_max=8,16 -f json -o k.out
memory diff ../small.json ../small.json
printf 'kernel,time_us\n%s,3\n' "$(sed -n 's/^-kernel name = //p' \
    "$work/small.traceg")" >"$work/measured.csv"
memory compare ../small.json ../measured.csv -o k.out
cat >"$work/score.json" <<'END'
{"teg": {"schema": 3}, "kernels": [{"trace": "small.tegt"}],
 "graphs": [{"nodes": [{"kernel": 0}, {"what": "host", "after": [0]}]}],
 "order": [{"what": "set", "address": "0x10", "bytes": 64, "stream": 1},
           {"what": "record", "event": 1, "stream": 1},
           {"what": "wait", "event": 1, "stream": 2},
           {"kernel": 0, "stream": 2}, {"what": "graph", "graph": 0}]}
END
memory program ../score.json -g v100 -j 1 -o k.out --timeline k.line
printf '%s\n1,900,3,1,1,64,1,1,16,,7,k\n2000,900,,,,,,,,1,8,[CUDA memset]\n' \
    'Start (ns),Duration (ns),GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,Bytes (MB),Strm,Name' \
    >"$work/nsys.csv"
memory program ../nsys.csv -g v100 -f json -o k.out
memory gpus --from-measurements "$here/tests/golden/measurements-sample.json" \
    -o k.cfg
memory gpus v100
memory gpus
memory explain
memory disasm "$here/tests/fixtures/lines.sm_80.cubin" --lines
memory info "$here/tests/fixtures/exec.fatbin"
memory bound "$here/docs/examples/stencil.flow" -g v100
memory trace "$here/tests/fixtures/run.sm_80.cubin" --kernel saxpy --grid 1 \
    --block 32 -j 1 -a i32:32 -a f32:2 -a buf:f32:32:iota -a buf:f32:32:iota \
    -o k.tegt
memory trace "$here/tests/fixtures/linked.sm_80.cubin" --kernel by_pointer \
    --grid 1 --block 32 -a buf:f32:32:iota -o k.tegt

program=$PWD/${BUILD:-build/release}/tests/cli/program
memory exec -g a100 -o k.teg -- "$program" variables
memory profile -g a100 -j 1 -o k.teg -- "$program" variables
# the runtime that the program finds
export TEG_OOM_PROGRAM=program
memory exec -g a100 -o k.teg -- "$program" variables
memory exec -g a100 --no-trace -- "$program" print

finish
