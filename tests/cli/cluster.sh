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

cluster 6 FMUL
expect 1 "$teg" run "$work/c.sketch" -g h100 --sms 1 --set sm.blocks_max=4
err 'expected room for a cluster of 6 blocks in one of 8 groups of SMs'
finish
