# Atomics of many lanes on few words: what they take, what is said of them, and
# that without conflicts nothing is slower.
. tests/cli/lib.sh

global=tests/kernels/micro/atomic_words.sketch
shared=tests/kernels/micro/shared_atomic.sketch

# cycles SKETCH ARGUMENT...: of a run of it
cycles() {
    "$teg" run "$@" -f json | sed -n 's/^ *"cycles": \([0-9]*\),.*/\1/p' | head -1
}

# near NAME A B C: A is B times C, give or take a tenth
near() {
    check "$1: $2 cycles, $3 times $4" \
        [ "$(($2 * 10 >= $3 * $4 * 9 && $2 * 10 <= $3 * $4 * 11))" = 1 ]
}

# 64 blocks of 8 warps, 32 lanes each, 32 times one word at one a cycle.
one="-g a100 -p WORDS=1 -p BLOCKS=64"
expect 0 "$teg" run "$global" $one
out '^  bound by   atomic conflicts: a block updates each word 8192 times$'
out '^    atomics  524,288 lanes, 507,904 wait for another of their warp$'
out '^             1 word, 524,288 of the lanes at one$'
near 'one word' "$(cycles "$global" $one)" 524288 1
expect 0 "$teg" run "$global" -g a100 -p WORDS=16 -p BLOCKS=64
out '^  bound by   atomic conflicts: a block updates each word 512 times$'
expect 0 "$teg" bound "$global" $one
out '^  at least         524,288  by atomics in l2$'
expect 0 "$teg" run "$global" $one --jobs 1 -f json
cp "$work/out" "$work/alone"
expect 0 "$teg" run "$global" $one --jobs 3 -f json
check 'as many host threads as one likes' cmp -s "$work/alone" "$work/out"

# Beyond latency and issue 2 cycles for each further lane, 31 times 32 of them.
alone=$(cycles "$shared" -g t4)
near 'shared word' $(($(cycles "$shared" -g t4 -p SAME=32) - alone)) 1984 1
near 'counted lanes' "$(cycles "$shared" -g t4 -p SAME=32 -p COUNT=1)" "$alone" 1
expect 0 "$teg" run "$shared" -g t4 -p SAME=32
out '^             32 atomics, 32.00 passes each, 992 lanes wait for another$'

# none_slower ARGUMENT...: without conflicts no more cycles
none_slower() {
    [ "$(cycles "$@" --what-if no-atomic-conflicts)" -le "$(cycles "$@")" ]
}
for words in 1 4 32; do
    check "$words words, global" none_slower "$global" -g v100 \
        -p WORDS=$words -p BLOCKS=8
    check "$words words, shared" none_slower "$shared" -g v100 \
        -p SAME=$((32 / words)) -p WARPS=8
done
check 'gone with the conflicts' [ "$(cycles "$shared" -g t4 -p SAME=32 \
    --what-if no-atomic-conflicts)" = "$alone" ]

# What warps and blocks compete for: the emulator's come one after the other but
# where they share work, and that is said.
competes() { # KERNEL ARGUMENT...
    kernel=$1
    shift
    expect 0 "$teg" trace tests/fixtures/compete.sm_80.cubin -k "$kernel" \
        --grid 8 --block 64 -a buf:i32:1:zeros "$@" -o "$work/$kernel.tegt"
    expect 0 "$teg" run "$work/$kernel.tegt" -g a100 -f json
}
competes lock -a buf:i32:1:zeros -a i32:4
out '"kind": "retries"'
out '1 atomic in a loop that asks again until it has succeeded (pc 0x[0-9a-f]*): a lock: the emulator'
check 'who waits for a lock is not in turn' sh -c "! grep -q 'blocks-in-turns' '$work/out'"
check 'a lock is no work' sh -c "! grep -q work-counter '$work/out'"
competes work -a buf:i32:4096:zeros -a i32:32 --interleave blocks
out '"kind": "work-counter"'
out '1 atomic in a loop that ends by what it returns (pc 0x[0-9a-f]*)'
check 'work is no lock' sh -c "! grep -q '\"retries\"' '$work/out'"
out 'the first takes it all'
check 'not in turns' sh -c "! grep -q 'blocks-in-turns' '$work/out'"
value() {
    sed -n "s/^ *\"$1\": \([0-9]*\),.*/\1/p" "$work/out" | head -1
}
first=$(value cycles) insts=$(value warp_instructions)
# Blocks share it, and the trace says how; who has which piece changes no number of
# instructions.
shared() { # WORDS OPTION...
    words=$1
    shift
    competes work -a buf:i32:4096:zeros -a i32:32 "$@"
    out '"kind": "work-counter"'
    out 'as much here as it took by its instructions'
    out '"kind": "blocks-in-turns"'
    out "$words"
    check 'as many instructions' [ "$(value warp_instructions)" = "$insts" ]
    check 'less time' [ "$(($(value cycles) * 2))" -lt "$first" ]
}
shared 'its 8 blocks, 8 at once, shared the work of a counter'
cp "$work/work.tegt" "$work/alone.tegt"
shared 'its 8 blocks, 8 at once, shared the work of a counter' --jobs 4
check 'as many host threads as one likes, for work' \
    cmp -s "$work/alone.tegt" "$work/work.tegt"
shared 'its 8 blocks were emulated side by side' --interleave grid
# More than 32,768 warps are too many to be side by side; a trace alone knows no
# GPU, and takes one of 8,192.
expect 0 "$teg" trace tests/fixtures/compete.sm_80.cubin -k work --grid 32769 \
    --block 32 --blocks 0:1 --interleave grid -a buf:i32:1:zeros \
    -a buf:i32:4096:zeros -a i32:32 -o "$work/many.tegt"
expect 0 "$teg" info "$work/many.tegt"
out 'its 32769 blocks, 8192 at once, shared the work of a counter'
# Sixteen warps add one 20 times each; of those that try at once one succeeds.
swapped() { # OPTION...
    competes swap -a buf:i32:16:zeros -a i32:20 --dump "0=$work/sum" \
        --dump "1=$work/tries" "$@"
    sum=$(od -An -td4 "$work/sum" | tr -d ' ')
    tries=$(od -v -An -td4 "$work/tries" |
        awk '{ for (i = 1; i <= NF; i++) all += $i } END { print all }')
    check 'all were added' [ "$sum" = 320 ]
}
swapped --interleave blocks
out 'come one after the other and succeed at once'
check 'nobody fails alone' [ "$tries" = 320 ]
swapped
out 'those that fail are as many as in the emulator'
out 'its 8 blocks, 8 at once, tried to swap words of global memory in turn'
check 'warps fail each other' [ "$tries" -gt 2560 ]
check 'and one succeeds in each round' [ "$tries" -le 5120 ]
competes places -a buf:i32:65536:zeros -a i32:32
check 'places are neither' \
    sh -c "! grep -Eq 'work-counter|\"retries\"' '$work/out'"
expect 0 "$teg" convert --to traceg "$work/lock.tegt" "$work/lock.traceg"
expect 0 "$teg" run "$work/lock.traceg" -g a100 -f json

finish
