# A launch in clusters of blocks: what is said of it.
. tests/cli/lib.sh

cluster() {
    cat >"$work/c.sketch" <<END
sketch 1
isa sm_90
grid 12
block 64
cluster $1
UCGABAR_ARV
UCGABAR_WAIT
$2
EXIT
END
}

cluster 3 'LD.E R4, [R2 : 0x7f0000000000 + 4*tid]'
expect 0 "$teg" info "$work/c.sketch"
out 'clusters of 3x1x1'
expect 0 "$teg" run "$work/c.sketch" -g h100
out "note: clusters of 3x1x1 blocks: an access to another block's shared memory"
expect 0 "$teg" run "$work/c.sketch" -g h100 -f json
out '"cluster-shared"'
expect 0 "$teg" convert "$work/c.sketch" "$work/c.tegt"
expect 0 "$teg" info "$work/c.tegt"
out 'clusters of 3x1x1'

no_note() {
    ! grep -q "another block's" "$work/out"
}
cluster 3 'LDG.E R4, [R2 : 0x7f0000000000 + 4*tid]'
expect 0 "$teg" run "$work/c.sketch" -g h100
check 'no remark where nobody can' no_note
cluster 1 'LD.E R4, [R2 : 0x7f0000000000 + 4*tid]'
expect 0 "$teg" run "$work/c.sketch" -g h100
check 'no remark of blocks by themselves' no_note

# Shared memory of the next block.
remote='LD.E R4, [R2 : 0x7e0001000000 + 4*tid]'
cluster 3 "$remote"
sed -i '/^cluster/a shared_base 0x7e0000000000' "$work/c.sketch"
expect 0 "$teg" run "$work/c.sketch" -g h100
check 'no remark where it is timed' no_note
out '24 requests to other blocks of the cluster, 3.07 kB between SMs'
expect 0 "$teg" run "$work/c.sketch" -g h100 -f json
out '"remote_requests": 24'
expect 0 "$teg" run "$work/c.sketch" -g a100
out 'the description has no'

# From the cubin on: each block adds up what all four have, then all add 1 to a
# word of the first.
expect 0 "$teg" trace tests/fixtures/cluster.sm_90.cubin -k around --grid 8 \
    --block 256 -a buf:i32:2048:zeros --dump 0="$work/sums" -o "$work/a.tegt"
# Words 0 of blocks 0 to 3 are 0 + 256 + 512 + 768 = 1536, and 1024 that came.
check 'the sum of all, and 4 x 256 that came' \
    [ "$(od -An -td4 -N4 "$work/sums" | tr -d ' ')" = 2560 ]
expect 0 "$teg" run "$work/a.tegt" -g h100 -f json --jobs 1
# Of 64 warps: 3 of 4 loads reach another block, and the store; the atomic those
# of 3 in 4 blocks.
out '"remote_requests": 304'
cp "$work/out" "$work/one"
expect 0 "$teg" run "$work/a.tegt" -g h100 -f json --jobs 3
check 'the same on three threads' cmp -s "$work/one" "$work/out"
cycles() { sed -n 's/^.*"cycles": \([0-9]*\).*/\1/p' "$work/$1" | head -1; }
expect 0 "$teg" run "$work/a.tegt" -g h100 -f json --pc-trace "$work/pcs"
check 'the same where no SM runs ahead' [ "$(cycles out)" = "$(cycles one)" ]
expect 0 "$teg" run "$work/a.tegt" -g h100 -f json \
    --set shared.remote_latency=1193
check 'a load and what its block waits for, a thousand cycles later each' \
    [ "$(cycles out)" -ge $(($(cycles one) + 2000)) ]

# Bytes by st.async and an arrival back, 8 rounds: each round is two ways of the
# network at least. Words i of 8 rows of 32: sums 0 + 32 + .. + 224 = 896 for
# the first.
expect 0 "$teg" trace tests/fixtures/cluster.sm_90.cubin -k pass --grid 4 \
    --block 32 -a buf:i32:256:iota -a buf:i32:128:zeros -a i32:8 \
    --dump 1="$work/sums" -o "$work/p.tegt"
check 'what was sent' \
    [ "$(od -An -td4 -j128 -N4 "$work/sums" | tr -d ' ')" = 896 ]
expect 0 "$teg" run "$work/p.tegt" -g h100 -f json --jobs 1
check 'eight rounds there and back' [ "$(cycles out)" -gt $((8 * 2 * 193)) ]
cp "$work/out" "$work/one"
expect 0 "$teg" run "$work/p.tegt" -g h100 -f json --jobs 3
check 'the same on three threads' cmp -s "$work/one" "$work/out"
expect 0 "$teg" run "$work/p.tegt" -g h100 -f json --pc-trace "$work/pcs"
check 'the same where no SM runs ahead' [ "$(cycles out)" = "$(cycles one)" ]

# A tile to all four blocks at once, or to each by itself: the same sums, a
# quarter of the bytes from L2. 2 clusters, 4 tiles of 8192 bytes, 1024 sums.
for how in to_all to_each; do
    expect 0 "$teg" trace tests/fixtures/cluster.sm_90.cubin -k $how --grid 8 \
        --block 128 -a buf:f32:8192:iota -a buf:f32:1024:zeros -a i32:4 \
        --dump 1="$work/$how" -o "$work/m.tegt"
    expect 0 "$teg" run "$work/m.tegt" -g h100 -f json
    [ $how = to_all ] && read=1 || read=4
    out '"useful_bytes": '$((2 * 4 * 8192 * read + 4 * 1024))
    # And half a tile from each block to the next.
    out '"remote_bytes": '$((8 * 4 * 4096))
done
check 'the same sums' cmp -s "$work/to_all" "$work/to_each"

cluster 6 FMUL
expect 1 "$teg" run "$work/c.sketch" -g h100 --sms 1 --set sm.blocks_max=4
err 'expected room for a cluster of 6 blocks in one of 8 groups of SMs'
finish
