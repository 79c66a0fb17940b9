# Tensor memory of sm_100, from the cubin to the report: products of one block and
# of a pair are right, rates and latencies are those measured on a B200, what is
# not allocated is a fault.
. tests/cli/lib.sh
cubin=tests/fixtures/tcgen.sm_100.cubin

# ---- products ------------------------------------------------------------------

# Rows of A and columns of B in chunks of 16 bytes, 8 rows a core matrix, and what
# A times B is: element (m, k) is (m + 3 k) mod 7 - 3, (n, k) is (2 n + k) mod 5 - 2.
python3 - "$work" <<'END' || exit 1
import struct, sys
out = sys.argv[1]
A = lambda m, k: (m + 3 * k) % 7 - 3
B = lambda n, k: (2 * n + k) % 5 - 2
def tile(element, rows, depth, first=0):
    data = b''
    for chunk in range(depth // 8):
        for row in range(rows):
            data += struct.pack('<8e', *[element(first + row, 8 * chunk + i)
                                         for i in range(8)])
    return data
def block(rows, first, columns, from_column):
    a = tile(A, rows, 64, first)
    b = tile(B, columns, 64, from_column)
    return a.ljust(16384, b'\0') + b.ljust(16384, b'\0')
def sums(rows, first, columns):
    return b''.join(struct.pack('<%df' % columns, *[
        sum(A(first + m, k) * B(n, k) for k in range(64))
        for n in range(columns)]) for m in range(rows))
open(out + '/one', 'wb').write(block(128, 0, 64, 0))
open(out + '/one.sums', 'wb').write(sums(128, 0, 64))
open(out + '/pair', 'wb').write(block(128, 0, 32, 0) + block(128, 128, 32, 32))
open(out + '/pair.sums', 'wb').write(sums(256, 0, 64))
END

# desc ROWS COLUMNS: of halves summed in 32 bits
desc() { echo $((1 << 4 | $2 >> 3 << 17 | $1 >> 4 << 24)); }
# tile ROWS: chunks so many rows apart, groups of 8 rows 128 bytes
tile() { echo $(($1 * 65536 + 8 * 4294967296 + 70368744177664)); }

# product KERNEL BLOCKS ROWS COLUMNS-OF-A-BLOCK FILE
product() {
    expect 0 "$teg" trace $cubin -k "$1" --grid "$2" --block 128 \
        --shared 32768 -a "buf:u32:$((8192 * $2)):file=$work/$5" \
        -a "buf:f32:$((8192 * $2)):zeros" -a "u64:$(tile 128)" \
        -a "u64:$(tile "$4")" -a "u32:$(desc "$3" 64)" -a u32:64 -a u32:4 \
        -a u32:256 -a "u32:$((2 * $4))" --dump 1="$work/$5.out" \
        -o "$work/$5.tegt"
    check "$1: A times B" cmp -s "$work/$5.out" "$work/$5.sums"
}
product halves 1 128 64 one
product halves_pair 2 256 32 pair

expect 0 "$teg" run "$work/one.tegt" -f json
out '"tensor_operations": 1048576' # 2 128 64 64
out '"name": "b200"'
expect 0 "$teg" run "$work/pair.tegt" -f json
out '"tensor_operations": 2097152' # both blocks'
for latency in 500 1000; do # more than the way between the blocks takes
    expect 0 "$teg" run "$work/pair.tegt" -f json \
        --set tensor.pair_latency=$latency
    sed -n 's/^.*"cycles": \([0-9]*\).*/\1/p' "$work/out" | head -1
done >"$work/cycles"
check 'a pair takes as much longer as the description says' \
    [ "$(awk '{ d = $1 - d } END { print d }' "$work/cycles")" = 500 ]
for command in info check report bound; do
    expect 0 "$teg" $command "$work/one.tegt"
done
# Shapes are not in listings of instructions, only in what was run.
expect 0 "$teg" disasm $cubin -k halves
out 'UTCHMMA gdesc'

# ---- rates ---------------------------------------------------------------------

# cycles KERNEL BLOCKS M N DEPTH ROUNDS
cycles() {
    expect 0 "$teg" trace $cubin -k "$1" --grid "$2" --block 32 \
        --shared 32768 -a "u32:$(desc "$3" "$4")" -a "u32:$5" -a "u32:$6" \
        -a "u64:$(tile $(($3 / $2)))" -a "u64:$(tile $(($4 / $2)))" \
        -o "$work/rate.tegt"
    expect 0 "$teg" run "$work/rate.tegt" -f json
    all=$(sed -n 's/^.*"cycles": \([0-9]*\).*/\1/p' "$work/out" | head -1)
}

# Cycles of a product among many, as SemiAnalysis26 measured them on a B200
# (microbench-blackwell, umma_latency/fit_results.csv), less its fraction; of the
# pair with 64 columns 43 and 25 were measured, not 40 and 24.
while read -r kernel blocks m n published; do
    cycles "$kernel" "$blocks" "$m" "$n" 16 1
    few=$all
    cycles "$kernel" "$blocks" "$m" "$n" 32 1
    check "$kernel, $m x $n: $(((all - few) / 16)) cycles a product" \
        [ $((all - few)) = $((16 * published)) ]
done <<'END'
rate 1 64 64 32
rate 1 128 64 48
rate 1 128 256 128
rate_tensor 1 128 64 32
rate_pair 2 128 256 64
rate_pair 2 256 128 64
rate_pair_tensor 2 256 64 32
END

# ---- a ring of tiles -----------------------------------------------------------

# A kernel whole: tensor copies, products and what reads their sums, each waiting
# for the one before by mbarrier.  128 x 64 x 512: with one stage a tile is copied
# when the one before is done; with more the next are on their way.
before=
for stages in 1 2 4; do
    expect 0 "$teg" trace tests/fixtures/kernels/k55_gemm_tensor_memory.fatbin \
        --arch sm_100 -k gemm --grid 1 --block 160 \
        --shared $((1024 + 24576 * stages)) \
        -a map:f16:512x128:64x128:swizzle=128:random \
        -a map:f16:512x64:64x64:swizzle=128:random -a buf:f32:8192:zeros \
        -a i32:64 -a i32:512 -a "i32:$stages" -o "$work/ring.tegt"
    expect 0 "$teg" run "$work/ring.tegt" -g b200 -f json
    out '"tensor_operations": 8388608' # 2 128 64 512
    all=$(sed -n 's/^.*"cycles": \([0-9]*\).*/\1/p' "$work/out" | head -1)
    # 32 products of 48 cycles are the least.
    check "$stages stages: $all cycles, fewer than before" \
        [ "$all" -lt "${before:-1000000}" -a "$all" -gt $((32 * 48)) ]
    before=$all
done
# Warps with work of their own that mbarriers keep apart: no what-if has one wait
# for ever, and barriers that phases rely on stay.
expect 0 "$teg" whatif "$work/ring.tegt" -g b200 -f csv
out '^no-barriers,[0-9]*,1,0'
out '^even-warps,[0-9]*,1,0'
out '^more-blocks,[0-9]*,1,0'

# ---- asking for work -----------------------------------------------------------

# Both blocks of a pair hear of the answer, in replays as well.
for arch in sm_100 sm_120; do
    expect 0 "$teg" trace tests/fixtures/kernels/k56_next_work.fatbin \
        --arch $arch -k pairs --grid 8 --block 64 -a buf:u32:512:iota \
        -a buf:u32:512:zeros -a buf:u32:1:zeros -o "$work/asks.tegt"
    expect 0 "$teg" run "$work/asks.tegt"
    expect 0 "$teg" check "$work/asks.tegt"
done

# ---- faults --------------------------------------------------------------------

fault() {
    kernel=$1
    shift
    expect 1 "$teg" trace $cubin -k "$kernel" --grid 1 --block 128 "$@"
}
fault frees_twice
err 'frees_twice block 0,0,0 warp 0 .*pc 0x.*not allocated are freed'
fault frees_a_part
err 'freed where no allocation begins'
fault allocates_after_relinquish
err 'allocated after the permit was relinquished'
fault loads_after_free -a buf:u32:128:zeros
err 'warp 0 pc 0x.*LDTM.*column 0 is not allocated'
fault loads_beyond -a buf:u32:128:zeros
err 'block 0,0,0 warp 0 pc 0x.*LDTM.*column 64 is not allocated'
fault never_frees
err 'block 0,0,0 warp 0 pc 0x.*UTCATOMSWS.*columns 0 to 511 .* not freed when'
finish
