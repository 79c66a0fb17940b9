# A CUDA program run on the emulator: tests/cli/program.c, made of gcc and a
# bundled fatbin; and what nvcc compiles, where it is.
. tests/cli/lib.sh
program=${BUILD:-build/release}/tests/cli/program
standin=${BUILD:-build/release}/cudart

# count FILE: entries of a kernels.json; value FILE KEY: its first KEY
count() { grep -c '"trace"' "$1"; }
value() { sed -n "s/.*\"$2\": *\([0-9]*\).*/\1/p" "$1" | head -1; }

for test in scale managed variables parameters carveout repeats device threads cooperative textures surfaces; do
    for gpu in t4 a100 a40; do
        expect 0 "$teg" exec -g $gpu -o "$work/$test-$gpu" -- "$program" $test
    done
done
expect 0 "$teg" exec -g a100 --no-trace -- "$program" textures
err '^teg: a texture of [0-9]* bytes begins [0-9]* before the end of its buffer'
# fetches have their texels, which are looked up in L1
set -- "$work"/textures-a100/*.tegt
expect 0 "$teg" run "$1" -g a100
out 'textures [0-9,]* of them, [0-9,]* sectors looked up, '
expect 1 grep -q 'without addresses' "$work/out"
# equal launches are one trace, counted; the counter is not in the trace
check 'three launches are one trace' [ "$(count "$work/scale-a100/kernels.json")" = 1 ]
check 'that stands for three' \
    [ "$(value "$work/scale-a100/kernels.json" launches)" = 3 ]
expect 0 "$teg" run "$work/scale-a100/0000-scale.tegt" -g a100
out '^scale on a100'
out 'sm_80'
expect 0 "$teg" run "$work/scale-t4/0000-scale.tegt"
out 'sm_75'
expect 0 "$teg" run "$work/scale-a100/kernels.json" -g a100 -f json
out '"name": "scale"'
expect 0 "$teg" check "$work/scale-a100/0000-scale.tegt" -g a100
check 'nothing else is left' [ "$(ls -A "$work/scale-a100" | wc -l)" = 2 ]

# what the program copied, in its place: before the launches, and once
check 'a copy to the device before the first launch' sh -c \
    'grep -n "host-to-device\|\"kernel\"" "$1" | head -1 | grep -q host' - \
    "$work/scale-a100/kernels.json"
check 'of the 4000 bytes' grep -q '"bytes": 4000' "$work/scale-a100/kernels.json"
expect 0 "$teg" exec -g a100 -o "$work/a/b/c" -- "$program" scale
check 'folders are made' [ -f "$work/a/b/c/kernels.json" ]
# they lie in L2: the first launch misses less than it does cold
dram() { "$teg" run "$work/scale-a100/kernels.json" -g a100 -f json "$@" |
    sed -n 's/.*"dram_bytes": \([0-9]*\),*/\1/p' | tr '\n' ' '; }
# besides the counter, a variable that no call of the program's has written
check 'cold it reads what it scales' [ "$(dram --caches cold)" = "$((4000 + 32)) " ]
check 'carried the copy is there' [ "$(dram)" = '32 0 ' ]

# what a launch prefers of L1 and shared memory is in its trace, and is set aside:
# on an A100 8 KB; without it 32 blocks of a kilobyte for the system and 256 bytes
expect 0 "$teg" info "$work"/carveout-a100/0000-reverse.tegt
out "256 bytes shared, 0 % of an SM's preferred for it"
expect 0 "$teg" run "$work"/carveout-a100/0000-reverse.tegt -g a100
out 'carve-out  *8  KB'
expect 0 "$teg" run "$work"/carveout-a100/0000-reverse.tegt -g a100 --set l1.carveout_preferred=0
out 'carve-out  *64  KB'
# the same launch that prefers something else is another
expect 0 "$teg" info "$work"/carveout-a100/0001-reverse.tegt
out "256 bytes shared, 40 % of an SM's preferred for it"
expect 0 "$teg" sweep "$work"/carveout-a100/0000-reverse.tegt -g a100 \
    --vary launch.carveout=0,100
out '^ *1  *100  *[0-9]'
# launches that would do what one before did are listed all the same: the
# value changes once, the buffer moves once
check 'all are counted' [ "$(sed -n '/"order"/q;s/.*"launches": *\([0-9]*\).*/\1/p' \
    "$work/repeats-a100/kernels.json" | awk '{n += $1} END {print n}')" = 18 ]
expect 0 "$teg" exec -g a100 --no-trace -j 7 -- "$program" repeats

# what never ends is ended, and says where all were
expect 0 "$teg" exec -g a100 --no-trace --limit 1 -- "$program" forever
err 'kernel ballots .* more than 1000000 instructions in one warp: an endless loop?'
err '^teg: a kernel that only takes long may have more with .teg exec --limit=MILLIONS.$'
for limit in 1s 1000000,1s; do
    expect 0 "$teg" exec -g a100 --no-trace --limit=$limit -- "$program" forever
    err 'kernel ballots .* pc 0x.* more than 1 seconds in one launch: an endless loop?'
    err '^teg: a kernel that only takes long may have more with .teg exec --limit=SECONDSs.$'
done
expect 0 "$teg" exec -g a100 --no-trace --limit=1,600s -- "$program" forever
err 'more than 1000000 instructions in one warp'
expect 2 "$teg" exec -g a100 --no-trace --limit=1m -- "$program" forever
err '^teg exec: --limit: expected millions of instructions (100), seconds (30s) or both (100,30s), found .1m.$'

# what took this machine's time: launches that were emulated, 1000 elements each
expect 0 "$teg" exec -g a100 --no-trace --timing -- "$program" scale
err '^timing: [0-9.]* s of processor time: [0-9.]* % emulation (3 launches, 0\.1 M thread instructions, [0-9.]* M/s), 0\.0 % replays$'

# a program that times itself: nominal times are the same for all sizes of
# blocks and say so, simulated ones are those of teg run
expect 0 "$teg" exec -g a100 --no-trace -- "$program" tune
out '^best 32$'
check 'said once' [ "$(grep -c 'elapsed times are nominal' "$work/err")" = 1 ]
expect 0 "$teg" exec -g a100 --time -o "$work/tune" -- "$program" tune
check 'not said' [ "$(grep -c 'nominal' "$work/err")" = 0 ]
out '^best 256$'
measured() { sed -n 's/^[0-9]* threads: \(.*\) us$/\1/p'; }
# tuned [OPTION]...: whether the times are those of teg run with these
# options, and launch.host_us
tuned() {
    simulated=$(measured <"$work/out" | tr '\n' ' ')
    "$teg" run "$work/tune/kernels.json" -g a100 "$@" |
        awk '$1 == "cycles" && $3 == "=" && ++n % 2 == 0 {print $4}' \
            >"$work/replayed"
    printf '%s\n' "$simulated" | tr ' ' '\n' | paste - "$work/replayed" |
        awk 'NF == 2 && ($1 - $2 - 1.6) ^ 2 < 4e-6 {n++} END {exit n != 3}'
}
check 'the times of teg run and launch.host_us' tuned
expect 0 "$teg" exec -g a100 --time --clock 705 -o "$work/tune" -- \
    "$program" tune
check 'those at another clock' tuned --clock 705
expect 2 "$teg" exec -g a100 --clock fast -- "$program" tune
err "^teg: --clock: expected 1 to 10000 MHz, found 'fast'$"
# values of the description and what-ifs hold for the program's own times
expect 0 "$teg" exec -g a100 --time --set dram.latency=2000 --set chip.sms=8 \
    --what-if no-dispatch,more-loads --what-if full-occupancy -o "$work/tune" -- \
    "$program" tune
check 'those of another chip without some bottlenecks' \
    tuned --set dram.latency=2000 --set chip.sms=8 \
    --what-if no-dispatch,more-loads,full-occupancy
expect 2 "$teg" exec -g a100 --set dram.latency -- "$program" tune
err "^teg: --set: expected KEY=VALUE, found 'dram.latency'$"
expect 2 "$teg" exec -g a100 --set dram.latencies=5 -- "$program" tune
err '^teg: --set: .*dram.latency'
expect 2 "$teg" exec -g a100 --time --what-if more-load -- "$program" tune
err '^teg: --what-if: .*more-loads'
expect 2 "$teg" exec -g a100 --time --what-if warm-caches -- "$program" tune
err '^teg: --what-if: warm-caches is for a launch by itself: use teg run$'
expect 2 "$teg" exec -g a100 --what-if more-loads -- "$program" tune
err '^teg exec: --what-if changes what --time replays: add --time'
expect 0 "$teg" exec -g a100 --time -o "$work/clocks" -- "$program" clocks
cp "$work/out" "$work/clocks.out"
out '^copy 37[0-9] us' # 371 at link.pageable_gbs
expect 0 "$teg" exec -g a100 --time -o "$work/clocks" -- "$program" clocks
check 'the device takes the same every time' \
    [ "$(grep us, "$work/out")" = "$(grep us, "$work/clocks.out")" ]
expect 0 "$teg" exec -g a100 --time --host-time -o "$work/clocks" -- "$program" tune
# streams beside each other, waits and a graph: events are when `teg program`
# then says they are
beside() { # OPTION...: as teg exec with these times it, teg program plays it
    expect 0 "$teg" exec -g a100 --time "$@" -o "$work/beside" -- "$program" beside
    err 'of launches beside each other are estimated'
    "$teg" program "$work/beside/kernels.json" -g a100 --estimate --no-ranking \
        -f json | sed -n '/"events"/,$s/^ *"\(event\|us\)": \([0-9.]*\),*$/\2/p' |
        paste - - >"$work/played"
    check "as teg program plays it $*" awk 'NR == FNR {at[$1] = $2; next}
        /^event/ {d = at[$2] - at[1] - $4; n += d * d < 1e-6}
        END {exit !(n == 6 && at[3] > at[2])}' "$work/played" "$work/out"
}
beside
beside --host-time
# launches that differ in nothing but where their buffers are: the list says so, and
# most take what an earlier one does, here and there alike
expect 0 "$teg" exec -g a100 --time -o "$work/layers" -- "$program" layers
check 'all but the first are like it' [ "$(grep -c '"alike": 0' "$work/layers/kernels.json")" = 7 ]
"$teg" program "$work/layers/kernels.json" -g a100 --estimate --no-ranking -f json >"$work/played.json"
sed -n '/"events"/,$s/^ *"us": \([0-9.]*\),*$/\1/p' "$work/played.json" |
    awk 'NR > 1 {printf "%.4f\n", $1 - last} {last = $1}' >"$work/played"
sed -n 's/^event .*: \(.*\) us$/\1/p' "$work/out" >"$work/asked"
check 'eight times' [ "$(wc -l <"$work/asked")" = 8 ]
check 'as teg program plays them' awk 'NR == FNR {at[NR] = $1; next}
    {d = at[FNR] - $1; n += d * d < 1e-6} END {exit n != 8}' "$work/played" "$work/asked"
check 'some stand for others' grep -q '"recalled": [456]' "$work/played.json"
sed 's/"alike": 0/"alike": 8/' "$work/layers/kernels.json" >"$work/layers/wrong.json"
expect 1 "$teg" program "$work/layers/wrong.json" -g a100
err 'wrong.json: kernels.1.: expected for "alike" the number of an earlier entry'
# two at once do not mix what they write
mkdir "$work/held"
expect 1 flock "$work/held" "$teg" exec -g a100 -o "$work/held" -- "$program" tune
err '^teg: .*/held: another teg exec is writing there; -o names another folder$'
# what a launch takes goes by what has run since the one before it, and what is not
# simulated again leaves its traces: behind one that fills L2 all is cold
expect 0 "$teg" exec -g gtx1650 --time -o "$work/flushed" -- "$program" flushed
check 'by itself, and behind a launch that fills L2' awk '
    {us[NR] = $2} END {exit !(NR == 11 && us[1] > us[2] && us[2] == us[3] &&
        us[5] > us[3] + 0.5 && us[7] == us[5] && us[9] == us[5] && us[8] == us[6] &&
        us[11] >= us[5])}' "$work/out"
expect 2 "$teg" exec -g a100 --time --no-trace -- "$program" tune
err 'leave out --no-trace'

# the device is the one of the description
# a block has as many threads as registers are there for
cp -r config "$work/few"
sed -i 's/ registers  *= ( 65536/ registers = ( 4096/' "$work/few/family/ampere.cfg"
expect 0 "$teg" exec -g a100 --config-dir "$work/few" --no-trace -- "$program" device
out '^threads of a block 256$'
expect 0 "$teg" exec -g a100 --no-trace -- "$program" device
out '^SMs 108$'
out '^blocks per SM 8$'
expect 0 "$teg" exec -g t4 --no-trace -- "$program" device
out '^SMs 40$'
out '^blocks per SM 4$'

# memory of the host's that a kernel uses is said, once
expect 0 "$teg" exec -g a100 -o "$work/host" -- "$program" host_memory
err "scale: uses 1024 bytes of the host's memory, for which a GPU's link"
expect 0 "$teg" exec -g a100 -o "$work/pages" -- "$program" pages
check 'not of the host' sh -c "! grep -q 'of the host' '$work/err'"

# managed memory: what moves with launches, and by prefetches
expect 0 "$teg" exec -g a100 --time -o "$work/pages" -- "$program" pages
tr -d ' \n' <"$work/pages/kernels.json" | grep -o '"what":"p[^}]*}\|"kernel":0,"launches":.' |
    sed 's/"what":"\([a-z-]*\)".*"bytes":\([0-9]*\).*/\1 \2/; s/.*launches":/launch /' >"$work/moves"
cat >"$work/moves.want" <<'END'
pages-to-device 131072
launch 2
pages-to-device 65536
launch 1
prefetch-to-device 131072
prefetch-to-host 131072
pages-to-device 196608
launch 1
prefetch-to-host 131072
pages-to-device 65536
launch 1
END
check 'pages move as they are touched' cmp "$work/moves" "$work/moves.want"

# the same program, the same traces
expect 0 "$teg" exec -g a100 -o "$work/again" -- "$program" managed
check 'twice the same bytes' \
    cmp -s "$work/again/0000-scale.tegt" "$work/managed-a100/0000-scale.tegt"

# filters
expect 0 "$teg" exec -g a100 -o "$work/some" --launches 1:3 -- "$program" variables
check 'two launches' [ "$(value "$work/some/kernels.json" launches)" = 2 ]
check 'from the second on' [ "$(value "$work/some/kernels.json" launch)" = 1 ]
expect 0 "$teg" exec -g a100 -o "$work/one" --launches 2 -k 'var*' -- "$program" variables
err '1 launch, 1 trace'
# what comes after the launches that were asked for is not run
expect 0 "$teg" exec -g a100 -o "$work/first" --first 2 -k 'var*' -- "$program" variables
err 'ended with launch 2 that --first asks for'
err '2 launches, '
check 'nothing said after that' [ ! -s "$work/out" ]
expect 0 "$teg" exec -g a100 -o "$work/first" --first 9 -k 'var*' -- "$program" variables
check 'all of them ran' [ -z "$(grep 'that --first' "$work/err")" ]
expect 2 "$teg" exec -g a100 --no-trace --first 1 -- "$program" variables
err 'first is about traces'
expect 2 "$teg" exec -g a100 --first 0 -- "$program" variables
expect 0 "$teg" exec -g a100 -o "$work/none" -k nothing -- "$program" variables
err 'no kernel launch was traced'
check 'an empty list' [ "$(count "$work/none/kernels.json")" = 0 ]
expect 0 "$teg" exec -g a100 -o "$work/part" --blocks 1:3 -- "$program" scale
expect 0 "$teg" info "$work/part/0000-scale.tegt"
out '2 blocks\|blocks *2'

# output goes where the program's does, in order
expect 0 "$teg" exec -g a100 --no-trace -- "$program" print
check 'printf in its place' [ "$(tr '\n' '|' <"$work/out")" = \
    'before|lane 0 of greet:  2.50 fe  |1234567890123%|lane 1 of greet:  2.50 ff  |1234567890123%|after|' ]
no_err

# faults
# What has met a fault frees nothing; that is not looked for from here on.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"
expect 0 "$teg" exec -g a100 -o "$work/fault" -- "$program" fault
err 'kernel beyond block 0,0,0 warp 0 lane 0 pc 0x.*out of bounds'
check 'said once' [ "$(grep -c 'out of bounds' "$work/err")" = 1 ]
err '^teg: a GPU notices only what lies outside its pages of memory; so does --loose'
check 'a fault leaves no trace' [ "$(ls "$work/fault")" = kernels.json ]
# the program hears of it from the call that waits, whichever that is
for by in 0 1 2 3 4 5 6 7 8 9 10 11 12; do
    expect 0 "$teg" exec -g a100 --no-trace -- "$program" fault-heard $by
    no_out
done
expect 0 env CUDA_LAUNCH_BLOCKING=1 "$teg" exec -g a100 -o "$work/blocking" -- \
    "$program" fault-blocking
check 'launches are waited for' [ "$(grep -c '"synchronize"' \
    "$work/blocking/kernels.json")" = 2 ]
# so is an access to the host's memory, which stays as it is, --loose or not
for memory in host-stack host-heap host-static; do
    for loose in '' --loose; do
        # shellcheck disable=SC2086 # none, or one
        expect 0 "$teg" exec -g a100 --no-trace $loose -- "$program" $memory
        err 'kernel beyond block 0,0,0 warp 0 lane 0 pc 0x.*out of bounds'
    done
done
expect 0 "$teg" exec -g a100 --no-trace -- "$program" assert
err "exec.cu:[0-9]*: assertion .* failed"
expect 0 "$teg" exec -g a100 --no-trace -- "$program" unsupported
err '^teg: cudaIpcGetMemHandle is not implemented$'

# within a GPU's pages, the same access goes well
expect 1 "$teg" exec -g a100 --no-trace --loose -- "$program" fault
no_err
expect 0 "$teg" exec -g a100 --no-trace --loose -- "$program" managed
# the driver's calls
expect 0 "$teg" exec -g a100 -o "$work/driver" -- "$program" driver
err '2 launches, 1 trace'

# clusters of blocks, where there are any
expect 0 "$teg" exec -g a100 --no-trace -- "$program" clusters
out '^no clusters$'
expect 0 "$teg" exec -g h100 -o "$work/clusters" -- "$program" clusters
out '^clusters at once 1056$' # 132 SMs of 32 blocks, 4 each
err '1 launch, 1 trace'

# the exit status is the program's
expect 7 "$teg" exec -g a100 --no-trace -- "$program" variables 7
expect 134 "$teg" exec -g a100 -o "$work/die" -- "$program" die
err 'ended by signal 6'
check 'what was launched is listed' [ "$(count "$work/die/kernels.json")" = 1 ]
# several programs in one run
expect 0 "$teg" exec -g a100 -o "$work/two" -- /bin/sh -c \
    "'$program' print >/dev/null && '$program' variables"
err '4 launches, 2 traces'
check 'the second has names of its own' [ -e "$work/two/p1-0000-variables.tegt" ]

# what cannot be
expect 2 "$teg" exec -g nosuch -- "$program" scale
err "unknown GPU 'nosuch'"
# code of generations that are not emulated: which it has, and what to compile
if command -v python3 >"$work/out"; then
    # an entry of a fatbin begins with its kind; 28 bytes on is its generation
    older() {
        python3 -c 'import struct, sys
b = bytearray(open(sys.argv[1], "rb").read())
at = b.find(b"\x50\xed\x55\xba")
while at >= 0:
    head, size = struct.unpack_from("<HQ", b, at + 6)
    entry, end = at + head, at + head + size
    while entry < end:
        struct.pack_into("<H", b, entry, 2) # a cubin, where it is PTX
        struct.pack_into("<I", b, entry + 28, int(sys.argv[3]))
        entry += sum(struct.unpack_from("<IQ", b, entry + 4))
    at = b.find(b"\x50\xed\x55\xba", end)
open(sys.argv[2], "wb").write(b)' "$program" "$work/older" "$1" &&
            chmod +x "$work/older"
    }
    expect 0 older 61
    expect 1 "$teg" exec -g a100 --no-trace -- "$work/older" scale
    err 'older: expected code for sm_70 or newer, which is emulated, found sm_61: compile with -gencode arch=compute_80,code=sm_80$'
    expect 1 "$teg" exec --no-trace -- "$work/older" scale
    err 'found sm_61: compile with'
fi
# a GPU that the program has no code for: it finds one that it has
expect 0 "$teg" exec -g v100 --no-trace -- "$program" device
err 'program: no code for sm_70 (v100): the program finds rtx2080ti (sm_75); teg run -g v100'
out '^SMs 68$'
expect 2 "$teg" exec
err 'expected -- PROGRAM'
expect 1 "$teg" exec -- "$work/nosuch"
err 'nosuch: cannot run: No such file'
expect 1 "$teg" exec -- "$work"
err 'cannot run'
expect 2 "$teg" exec -- ls
err 'choose one with -g'
expect 1 "$teg" exec -g a100 -o "$work/err/x" -- "$program" print
err 'err/x: cannot write traces there'
expect 2 "$teg" exec -g a100 --launches 3:2 -- "$program" print
err 'expected N or A:B'
expect 2 "$teg" exec -g a100 --blocks x -- "$program" print
err 'expected N or A:B'
expect 100 sh -c "LD_LIBRARY_PATH='$standin' TEG_EXEC_GPU= '$program' variables 100"
err 'no GPU chosen: run the program with'
# real compiler output, and whether any name of the real runtime is missing
nvcc=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null)
case ${BUILD:-} in *asan*) nvcc= ;; esac # its programs load no sanitizer
if [ -n "$nvcc" ]; then
    expect 0 sh -c "'$nvcc' -cudart shared -o '$work/compiled' tests/cli/program.cu \
        -gencode arch=compute_75,code=sm_75 -gencode arch=compute_80,code=sm_80 \
        -gencode arch=compute_90,code=sm_90"
    for gpu in t4 a100 a40 h100; do
        expect 0 "$teg" exec -g $gpu -o "$work/compiled-$gpu" -- "$work/compiled"
        err 'out of bounds'
        err '^teg: arrays of NV12, of normalized channels and of compressed'
        check 'one trace for three launches' \
            [ "$(value "$work/compiled-$gpu/kernels.json" launches)" = 3 ]
    done
    expect 0 "$teg" exec -g a100 -k axpy -o "$work/named" -- "$work/compiled"
    err '3 launches, 1 trace'
    expect 0 "$teg" exec -g a100 -k 'axp' -o "$work/named" -- "$work/compiled"
    err 'no kernel launch was traced'
    expect 0 "$teg" exec -g a100 -k '_Z4axpy*' -o "$work/named" -- "$work/compiled"
    err '3 launches, 1 trace'
    (cd tests/fixtures && "$nvcc" -std=c++17 -cubin -arch=sm_80 \
        -o "$work/exec.cubin" exec.cu) &&
        check 'the fixture is what nvcc makes' cmp -s \
            "$work/exec.cubin" tests/fixtures/exec.sm_80.cubin
    real=$(dirname "$nvcc")/../lib64/libcudart.so.13
    names() { nm -D --defined-only "$1" | sed -n 's/.* T \(\(__\)*cuda[A-Za-z0-9_]*\).*/\1/p' | sort; }
    if [ -e "$real" ]; then
        names "$real" >"$work/real" && names "$standin/libcudart.so.13" >"$work/ours"
        check 'every entry point is there' \
            [ -z "$(comm -23 "$work/real" "$work/ours")" ]
    fi
else
    echo 'skipped: compiled programs: no nvcc'
fi

finish
