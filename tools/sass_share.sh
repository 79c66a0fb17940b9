#!/bin/sh
# How much of the code in cubins teg prints as NVIDIA's disassembler does,
# blanks aside, by generation; of each cubin the first line that differs goes to
# stderr.
#
#   tools/sass_share.sh CUBIN...
#
# An instruction counts if both print the same text at the same address; which
# of a cubin's kernels it stands in is not looked at, so that a cubin takes one
# run of each.  Needs cuobjdump and nvdisasm on the PATH (those of PyPI's triton
# wheel do), and a build.  Status 1 if any line differs.
LC_ALL=C
export LC_ALL
teg=${TEG:-build/release/teg}
command -v cuobjdump >/dev/null || {
    echo "sass_share.sh: cuobjdump is not on the PATH" >&2
    exit 2
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

squeeze() { sed -E 's/[ \t]+//g' | sort; }

for file; do
    cuobjdump -sass "$file" >"$work/all"
    sm=$(sed -nE 's/.*code for (sm_[0-9]+).*/\1/p' "$work/all" | head -n 1)
    sed -nE 's#^[ \t]*/\*([0-9a-f]{4,})\*/[ \t]+(.*;).*$#\1\2#p' "$work/all" |
        squeeze >"$work/theirs"
    "$teg" disasm "$file" | sed -nE '/^[ \t]+[0-9a-f]{4,} /p' | squeeze \
        >"$work/ours"
    comm -12 "$work/theirs" "$work/ours" >"$work/same"
    comm -23 "$work/theirs" "$work/ours" | head -n 1 |
        sed "s#^#$file: not printed: #" >&2
    echo "$sm" "$(wc -l <"$work/theirs")" "$(wc -l <"$work/same")"
done | awk '{ all[$1] += $2; same[$1] += $3 }
    END {
        for (sm in all) {
            printf "%s %d of %d\n", sm, same[sm], all[sm]
            differs += all[sm] - same[sm]
        }
        exit differs > 0
    }' >"$work/table"
status=$?
sort -V "$work/table"
exit $status
