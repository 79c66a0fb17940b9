# tools/examples/scaling.sh: what Lai 2013, 3.5 describes comes out, with and
# without gnuplot.
. tests/cli/lib.sh

# Only what the script needs, so that there is no gnuplot.
mkdir "$work/bin"
for command in awk cat dirname mkdir rm sed sh tail; do
    ln -s "$(command -v $command)" "$work/bin/$command"
done
scaling() {
    case $teg in
    /*) full=$teg ;;
    *) full=$PWD/$teg ;;
    esac
    PATH="$1" tools/examples/scaling.sh "$full" "$work/scaling"
}

expect 0 scaling "$work/bin"
out 'gnuplot is not installed'
for file in pc-1 pc-8 load-1 load-2 load-6 load-8 load-16 summary; do
    check "$file.csv is there" test -s "$work/scaling/$file.csv"
done
# the text's percentages times TEG's cycles are 464 SP instructions a warp
check "469 SP instructions" grep -q '^1,[0-9]*,469,' "$work/scaling/summary.csv"
# 9 to 12 with 6 warps, about 13 with 8 and 16, +-1.5
check "SP load in the loop" awk -F, '
    $1 == 6 && ($5 < 9 || $5 > 12) {bad = 1}
    ($1 == 8 || $1 == 16) && ($5 < 11.5 || $5 > 14.5) {bad = 1}
    END {exit bad}' "$work/scaling/summary.csv"
# the LD/ST load of 16 warps is almost 16 times that of one: same instructions
# a warp, so its integral over the run is
check "LD/ST load" awk -F, '
    FNR == 1 {for (i = 1; i <= NF; i++) if ($i == "ldst_load") c = i; next}
    FNR == 2 {first = $1}
    FNR == 3 {width[FILENAME] = $1 - first}
    {sum[FILENAME] += $c}
    END {
        one = sum[ARGV[1]] * width[ARGV[1]]
        many = sum[ARGV[2]] * width[ARGV[2]]
        exit !(many > 0.85 * 16 * one && many < 1.15 * 16 * one)
    }' "$work/scaling/load-1.csv" "$work/scaling/load-16.csv"
finish
