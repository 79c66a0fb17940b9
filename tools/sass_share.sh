#!/bin/sh
# How much of the code in cubins teg prints as NVIDIA's disassembler does,
# blanks aside, by generation; the first lines that differ go to stderr.
#
#   tools/sass_share.sh CUBIN...
#
# Needs cuobjdump and nvdisasm on the PATH (those of PyPI's triton wheel do),
# and a build. Status 1 if any line differs.
teg=${TEG:-build/release/teg}
command -v cuobjdump >/dev/null || {
    echo "sass_share.sh: cuobjdump is not on the PATH" >&2
    exit 2
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

squeeze() { sed -E 's/[ \t]+//g'; }

for file; do
    sm=$(cuobjdump -sass "$file" | sed -nE 's/.*code for (sm_[0-9]+).*/\1/p' |
        head -n 1)
    cuobjdump -sass "$file" >"$work/all"
    sed -nE 's/^[ \t]*Function : (.*)$/\1/p' "$work/all" |
        while read -r kernel; do
            awk -v k="$kernel" '/Function :/ { on = $3 == k } on' "$work/all" |
                sed -nE 's#^[ \t]*/\*([0-9a-f]{4,})\*/[ \t]+(.*;).*$#\1\2#p' |
                squeeze >"$work/theirs"
            "$teg" disasm "$file" --kernel "$kernel" |
                sed -nE '/^[ \t]+[0-9a-f]{4,} /p' | squeeze >"$work/ours"
            paste "$work/theirs" "$work/ours" |
                awk -F '\t' -v sm="$sm" -v f="$file" '
                    $1 == $2 { same++ }
                    $1 != $2 && !said++ {
                        print f ": " $1 " | " $2 >"/dev/stderr" }
                    END { print sm, NR, same + 0 }'
        done
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
