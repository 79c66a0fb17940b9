#!/bin/sh
# How near the feature vectors of one kernel are that was compiled for several
# generations: tools/learn/near.sh [TEG]
#
# Traces the bundled kernels for sm_75, 80, 86 and 90 with the same arguments
# and prints, for each feature, each generation's value over that of sm_80.
set -eu
cd "$(dirname "$0")/../.."
teg=${1:-build/release/teg}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Columns: fixture, kernel, the rest of `teg trace`.
while read -r fixture kernel options; do
    for sm in 75 80 86 90; do
        # shellcheck disable=SC2086
        "$teg" trace "tests/fixtures/$fixture.sm_$sm.cubin" \
            --kernel "$kernel" $options -o "$work/$kernel.$sm.tegt"
    done
done <<'END'
run saxpy --grid 8 --block 128 -a i32:4096 -a f32:2 -a buf:f32:4096:iota -a buf:f32:4096:zeros
run dot --grid 8 --block 128 -a buf:i32:4096:iota -a buf:i32:4096:iota -a buf:i32:64:zeros -a i32:4096
run matmul --grid 4,4 --block 8,8 -a buf:f32:4096:random -a buf:f32:4096:random -a buf:f32:4096:zeros -a i32:32 -a i32:32 -a i32:32
run collatz --grid 4 --block 128 -a buf:i32:512:iota -a buf:i32:512:zeros -a i32:512
run histogram --grid 4 --block 128 -a buf:u8:4096:random -a buf:u32:256:zeros -a i32:4096
run integers --grid 4 --block 128 -a buf:u32:4096:random -a buf:u32:4096:random -a buf:u32:65536:zeros -a i32:512
run doubles --grid 4 --block 128 -a buf:f64:4096:random -a buf:f64:4096:random -a buf:f64:65536:zeros -a i32:512
run scan --grid 4 --block 128 --shared 512 -a buf:i32:4096:iota -a buf:i32:4096:zeros
run local --grid 4 --block 64 -a buf:i32:4096:random -a buf:u32:4096:zeros
vector axpy --grid 8 --block 128 -a f32:2 -a buf:f32:4096:iota -a buf:f32:4096:zeros -a i32:4096
block reduce --grid 8 --block 128 -a buf:i32:4096:iota -a buf:i32:4096:zeros -a i32:4096
block transpose --grid 4,4 --block 16,16 -a buf:f32:4096:iota -a buf:f32:4096:zeros -a i32:64
END

"$teg" features "$work" | awk -F, '
NR == 1 {
    for (i = 5; i <= NF; i++)
        name[i] = $i
    next
}
{
    if (!($3 in seen)) {
        seen[$3] = 1
        kernel[++kernels] = $3
    }
    for (i = 5; i <= NF; i++)
        value[$3, $4, i] = $i
}
function ratio(k, sm, i,    a, b) {
    a = value[k, sm, i]
    b = value[k, 80, i]
    if (a == b)
        return 1
    return b == 0 ? 1e9 : a / b
}
END {
    printf "%-18s", "feature / sm_80"
    split("75 86 90", sms, " ")
    for (s = 1; s <= 3; s++)
        printf "  %24s", "sm_" sms[s] " least, median, most"
    printf "\n"
    for (i = 5; i in name; i++) {
        printf "%-18s", name[i]
        for (s = 1; s <= 3; s++) {
            n = 0
            for (k = 1; k <= kernels; k++) {
                r = ratio(kernel[k], sms[s], i)
                n++
                for (j = n; j > 1 && row[j - 1] > r; j--)
                    row[j] = row[j - 1]
                row[j] = r
            }
            half = row[int((n + 1) / 2)] + row[int((n + 2) / 2)]
            printf "  %10.3f %6.3f %6s", row[1], half / 2,
                (row[n] >= 1e9 ? "n/a" : sprintf("%.3f", row[n]))
        }
        printf "\n"
    }
    printf "%d kernels; n/a: the feature is 0 for sm_80\n", kernels
}'
