# A cubin run without a GPU: trace it, replay it, look at its results.
. tests/cli/lib.sh
cubin=tests/fixtures/run.sm_80.cubin

expect 0 "$teg" trace $cubin --kernel saxpy --grid 2 --block 64 \
    -a i32:100 -a f32:2 -a buf:f32:100:iota -a buf:f32:100:zeros \
    --dump 3="$work/y.raw" -o "$work/saxpy.tegt"
no_out
# y[3] = 2 x 3 = 6 = 0x40c00000
check 'the result is 2 x' \
    [ "$(od -An -tx4 -j12 -N4 "$work/y.raw" | tr -d ' ')" = 40c00000 ]
expect 0 "$teg" run "$work/saxpy.tegt" -g a100
out '^saxpy on a100'
out 'sm_80'
expect 0 "$teg" run "$work/saxpy.tegt" -g a100 --dependences scoreboard
expect 0 "$teg" check "$work/saxpy.tegt" -g a100
expect 0 "$teg" convert "$work/saxpy.tegt" --to traceg "$work/saxpy.traceg"
check 'guards are no part of a mnemonic' \
    sh -c "! grep -q '@' '$work/saxpy.traceg'"

# The same on several threads, byte by byte.
for jobs in 1 3; do
    expect 0 "$teg" trace $cubin --kernel histogram --grid 12 --block 256 \
        -a buf:u8:9000:random -a buf:u32:256:zeros -a i32:9000 -j $jobs \
        --dump 1="$work/bins.$jobs" -o "$work/histogram.$jobs.tegt" --timing
    err '^timing: .* M thread instructions/s$'
    counted=$(sed -n 's/^timing: .* time, \([0-9]*\) warp.*/\1/p' "$work/err")
    expect 0 "$teg" info "$work/histogram.$jobs.tegt" -f csv
    check 'as many as the trace has' grep -q ",$counted," "$work/out"
done
check 'threads change no result' cmp -s "$work/bins.1" "$work/bins.3"
check 'threads change no trace' \
    cmp -s "$work/histogram.1.tegt" "$work/histogram.3.tegt"
# Blocks go into the file as they were recorded; encoding them anew is the same.
for kernel in saxpy histogram.1; do
    expect 0 "$teg" convert "$work/$kernel.tegt" "$work/again.tegt"
    check "$kernel is encoded as a reader would" \
        cmp -s "$work/$kernel.tegt" "$work/again.tegt"
done

# A part of the blocks, and one cubin of several.
expect 0 "$teg" trace tests/fixtures/kernels/k01_vecadd.fatbin --arch sm_86 \
    --grid 8 --block 64 -a buf:f32:512:iota -a buf:f32:512:iota \
    -a buf:f32:512:zeros -a i32:512 --blocks 2:5 --dump 2="$work/c.raw" \
    -o "$work/part.tegt"
check 'all blocks ran' \
    [ "$(od -An -tx4 -j2044 -N4 "$work/c.raw" | tr -d ' ')" = 447f8000 ]
expect 0 "$teg" convert "$work/part.tegt" --to traceg "$work/part.traceg"
check 'three blocks were recorded' \
    [ "$(grep -c '^thread block' "$work/part.traceg")" = 3 ]
check 'the grid is whole' grep -q '^-grid dim = (8,1,1)' "$work/part.traceg"
expect 1 "$teg" trace tests/fixtures/kernels/k01_vecadd.fatbin --grid 1 --block 1
err 'there are several cubins: expected --arch sm_XX'
expect 1 "$teg" trace tests/fixtures/kernels/k01_vecadd.fatbin --arch sm_70 \
    --grid 1 --block 1
err 'there is no cubin for sm_70'
# of several for one architecture that which has the kernel
cat tests/kernels/flaws/flaws.fatbin tests/kernels/flaws/held.fatbin >"$work/both"
expect 1 "$teg" trace "$work/both" --arch sm_80 --grid 1 --block 32
err 'several cubins for sm_80: expected --kernel, a name that one of them has'
expect 0 "$teg" trace "$work/both" --kernel tiny_flaw --grid 1 --block 32 \
    -a buf:f32:1024:zeros -a buf:f32:1024:zeros
# no dynamic shared memory is none, said or not
expect 0 "$teg" trace $cubin --kernel saxpy --grid 1 --block 32 --shared 0 \
    -a i32:0 -a f32:2 -a buf:f32:32:iota -a buf:f32:32:iota
no_err
expect 2 "$teg" trace $cubin --kernel saxpy --grid 1 --block 32 --blocks 5:2
err '[-][-]blocks: expected N or A:B'
expect 2 "$teg" trace $cubin --grid 1 --block 32 --arch volta
err '[-][-]arch: expected sm_XX'

# A fault names the source line of code that tells it.
expect 1 "$teg" trace tests/fixtures/lines.sm_80.cubin --kernel lengths \
    --grid 1 --block 32 -a u64:8 -a u64:8 -a u64:8 -a i32:3
err '^teg: kernel shape::lengths<float> block 0,0,0 warp 0 lane 0 pc 0xa0 (lines.cu:12): LDG'

# Clusters of blocks, and blocks that wait for each other.
kernels=tests/fixtures/kernels
expect 0 "$teg" trace $kernels/k32_cluster.fatbin --arch sm_90 --kernel ring \
    --cluster 4 --grid 8 --block 64 -a buf:i32:512:iota \
    -a buf:i32:1536:zeros -a i32:3 --dump 1="$work/ring.raw" \
    -o "$work/ring.tegt"
# Element 0 has come from block 1: 64 + 3 rounds.
check 'blocks of a cluster pass on' \
    [ "$(od -An -td4 -N4 "$work/ring.raw" | tr -d ' ')" = 67 ]
expect 0 "$teg" run "$work/ring.tegt" -g h100
out '^ring on h100'
expect 1 "$teg" trace $kernels/k32_cluster.fatbin --arch sm_90 --kernel ring \
    --cluster 3 --grid 8 --block 64 -a buf:i32:512:iota \
    -a buf:i32:1536:zeros -a i32:3
err 'ring: expected a grid that clusters of 3x1x1 blocks fill, found 8x1x1'
expect 2 "$teg" trace $kernels/k32_cluster.fatbin --arch sm_90 --kernel ring \
    --cluster 0 --grid 8 --block 64
err 'cluster: expected X'
expect 0 "$teg" trace $kernels/k33_grid.fatbin --arch sm_80 --kernel backwards \
    --cooperative --grid 5 --block 32 -a buf:i32:5:zeros \
    -a buf:i32:165:zeros -a i32:0 --dump 1="$work/back.raw"
# 1, 2 + 3, 10 + 2, 24 + 1, 50
check 'blocks wait for later ones' \
    [ "$(od -An -td4 -N4 "$work/back.raw" | tr -d ' ')" = 50 ]
# Four blocks that wait for each other, or two of them for the others.
for blocks in 0:4 0:2; do
    expect 0 "$teg" trace $kernels/k33_grid.fatbin --arch sm_80 --kernel jacobi \
        --cooperative --grid 4 --block 32 -a buf:f32:128:iota \
        -a buf:f32:128:zeros -a i32:128 -a i32:2 --blocks $blocks \
        -o "$work/sync.tegt"
    expect 0 "$teg" run "$work/sync.tegt" -g a100
    check "blocks $blocks: who waits in vain is told" \
        [ "$(grep -c 'loads waited for what is not written' "$work/out")" = \
        $([ $blocks = 0:4 ] && echo 0 || echo 1) ]
done

# Functions of one name, each of its own file: rare divisions.
for kernel in first second; do
    expect 0 "$teg" trace tests/fixtures/twins.sm_80.cubin --kernel $kernel \
        --grid 1 --block 32 -a buf:f32:32:zeros -a f32:1e38 \
        --dump 0="$work/$kernel.raw"
done
check 'functions of one name' [ "$(cat "$work/first.raw" "$work/second.raw" |
    od -An -v -tx4 | tr -s ' \n' '\n' | sed -n '3p;35p' | tr '\n' ' ')" = \
    '006ce3ef 7e967699 ' ]

expect 1 "$teg" trace $cubin --kernel beyond --grid 1 --block 32 \
    -a buf:i32:100:zeros -o "$work/none.tegt"
err 'kernel beyond block 0,0,0 warp 0 lane 10 pc 0x[0-9a-f]*: ST.*out of bounds'
check 'a fault leaves no trace' [ ! -e "$work/none.tegt" ]
# what never ends is ended, by instructions or by seconds
for limit in 1 1s; do
    expect 1 "$teg" trace $cubin --kernel endless --grid 1 --block 32 \
        -a buf:i32:1:zeros --limit=$limit
    err "kernel endless block 0,0,0 warp 0 .*: more than $(
        [ $limit = 1 ] && echo '1000000 instructions in one warp' ||
            echo '1 seconds in one launch'): an endless loop"
done
expect 2 "$teg" trace $cubin --kernel endless --grid 1 --block 32 \
    -a buf:i32:1:zeros --limit=10,20
err 'limit: expected millions'
# what PTX leaves undefined is done, and said
expect 0 "$teg" trace tests/fixtures/kernels/k50_parts.fatbin --arch sm_80 --kernel stores_meet \
        --grid 1 --block 64 -a buf:i32:64:zeros -a i32:2 -a i32:1
err '^teg: stores_meet: lanes of a warp store different values to one place.*(2 times)$'
# A buffer of 20 floats: the rest of its 256 bytes reads as 0, unless asked for.
over() { # N OPTIONS...: saxpy of N of them
    n=$1
    shift
    expect "$want_over" "$teg" trace $cubin --kernel saxpy --grid 1 --block 96 \
        -a i32:$n -a f32:2 -a buf:f32:20:iota -a buf:f32:96:zeros \
        --dump 3="$work/over.raw" "$@"
}
for jobs in 1 3; do
    want_over=0 over 64 -j $jobs
    check 'zeros behind the buffer' [ "$(od -An -v -tf4 "$work/over.raw" |
        tr -s ' \n' ' ')" = "$(awk 'BEGIN {for (i = 0; i < 96; i++)
            printf " %d", i < 20 ? 2 * i : 0; printf " "}')" ]
    want_over=1 over 65 -j $jobs
    err 'warp 2 lane 0 pc 0x[0-9a-f]*: LDG.* 4 bytes at 0x7f0000000100 of global'
    want_over=1 over 64 -j $jobs --strict-memory
    err 'warp 0 lane 20 pc 0x[0-9a-f]*: LDG.* 4 bytes at 0x7f0000000050 of global'
    want_over=0 over 20 -j $jobs --strict-memory
done
# what is written ends with the buffer
expect 1 "$teg" trace $cubin --kernel saxpy --grid 1 --block 32 -a i32:32 \
    -a f32:2 -a buf:f32:32:iota -a buf:f32:20:zeros
err 'warp 0 lane 20 pc 0x[0-9a-f]*: STG.* of global memory are out of bounds'

# The order of a block's warps: eight of them add to the same elements.
columns() {
    expect 0 "$teg" trace $kernels/k52_order.fatbin --arch sm_80 \
        --kernel columns --grid 1 --block 32,8 -a buf:f32:32:zeros \
        -a buf:f32:1024:random -a buf:f32:32:random,seed=2 -a i32:32 \
        --dump 0="$work/columns.raw" "$@"
    od -An -v -tf4 "$work/columns.raw" | awk '{for (i = 1; i <= NF; i++) n += $i}
        END {printf "%.3f\n", n}'
}
check 'one after the other add eight times' awk -v a="$(columns)" \
    -v b="$(columns --interleave steps)" \
    'BEGIN {exit !(b > 100 && a / b > 7.999 && a / b < 8.001)}'
check 'the same seed, the same order' \
    [ "$(columns --interleave 5)" = "$(columns --interleave 5 -j 2)" ]
expect 0 "$teg" trace $kernels/k52_order.fatbin --arch sm_80 --kernel turns \
    --grid 2 --block 128 -a buf:i32:160:zeros -a buf:i32:2:zeros -a i32:20 \
    --interleave 3 -o "$work/turns.tegt"
expect 0 "$teg" check "$work/turns.tegt" -g a100
expect 2 "$teg" trace $cubin --kernel saxpy --grid 1 --block 32 --interleave x
err "[-][-]interleave: expected steps, grid, blocks or a number of at most 19 digits, found 'x'"

# What the system takes of a block's shared memory counts once: two blocks of
# 113 KB fit an H100's 228 KB.
expect 0 "$teg" trace tests/fixtures/run.sm_90.cubin --kernel scan --grid 264 \
    --block 128 --shared 115712 -a buf:i32:33792:iota -a buf:i32:33792:zeros \
    -o "$work/two.tegt"
expect 0 "$teg" run "$work/two.tegt" -g h100 --sms 1
out '115,712 bytes shared'
out ', 2 blocks, limited by shared memory'

expect 1 "$teg" trace $cubin --grid 1 --block 32
err 'expected --kernel'
err 'for there are 14: .*, saxpy$'
expect 1 "$teg" trace $cubin --kernel nosuch --grid 1 --block 32
err "there is no kernel 'nosuch'"
expect 2 "$teg" trace $cubin --kernel saxpy --block 32
err 'grid: expected X, X,Y or X,Y,Z'
expect 2 "$teg" trace $cubin --kernel saxpy --grid 1,0 --block 32
err 'grid: expected'
expect 1 "$teg" trace $cubin --kernel saxpy --grid 1 --block 32 -a i32:1
err 'saxpy: expected 4 arguments, found 1'
expect 1 "$teg" trace "$work/y.raw" --grid 1 --block 32
err 'y.raw'
finish
