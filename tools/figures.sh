#!/bin/sh
# Figures of a kernel for papers: tools/figures.sh [-t TEG] OUTDIR TRACE [OPTION]...
#
# Writes warps.svg (warps of SM 0 by state over time), units.svg (busy units of
# the chip over time), stalls.svg (the warps' time by reason), and beside them
# the data as CSV and the gnuplot scripts, to be changed by hand.  Options go
# to teg: -g GPU, --kernel, -p.  TERM_GNUPLOT=pdfcairo makes PDFs.
set -eu
teg=$(dirname "$0")/../build/release/teg
if [ "${1:-}" = -t ]; then
    teg=$2
    shift 2
fi
if [ $# -lt 2 ]; then
    echo "usage: tools/figures.sh [-t TEG] OUTDIR TRACE [-g GPU]..." >&2
    exit 2
fi
command -v gnuplot >/dev/null 2>&1 || {
    echo "figures: needs gnuplot: sudo apt-get install -y gnuplot-nox" >&2
    exit 1
}
out=$1
shift
term=${TERM_GNUPLOT:-svg}
suffix=${term%cairo}
mkdir -p "$out"
"$teg" timeline "$@" -f csv -o "$out/timeline.csv"
"$teg" run "$@" -f csv -o "$out/run.csv"

# Columns of the timeline by a pattern: "number:name number:name ...".
columns() {
    head -1 "$out/timeline.csv" | tr -d '\r' | tr , '\n' | grep -n "^$1" |
        grep "$2" | sed "s/:$1/:/"
}
head='set datafile separator ","
set key outside right top
set xlabel "cycle"
set autoscale xfix
set grid y'
n=0
for color in 0072b2 56b4e9 e69f00 7f7f7f d55e00 cc79a7 f0e442 009e73 8c6100 \
    004c78 b5a800 333333; do
    n=$((n + 1))
    head="$head
set linetype $n lc rgb \"#$color\""
done

{
    echo "$head"
    echo 'set ylabel "warps of SM 0"'
    echo 'set style fill solid 1 noborder'
    # Each state stands on those before it; the last is drawn first.
    columns sm_ '' | grep -v '_busy$' | awk -F: '
        {sum = sum (NR > 1 ? "+" : "") "$" $1; expr[NR] = sum; name[NR] = $2}
        END {
            printf "plot "
            for (i = NR; i > 0; i--)
                printf "\"timeline.csv\" skip 1 using 1:(%s) with filledcurves x1 title \"%s\" noenhanced%s",
                    expr[i], name[i], (i > 1 ? ", \\\n  " : "\n")
        }'
} >"$out/warps.gp"
{
    echo "$head"
    echo 'set ylabel "busy share, whole chip"'
    echo 'set yrange [0:1]'
    columns chip_ '_busy$' | sed 's/_busy$//' | awk -F: '
        {rows[NR] = sprintf("\"timeline.csv\" skip 1 using 1:%d with steps title \"%s\" noenhanced", $1, $2)}
        END {printf "plot "; for (i = 1; i <= NR; i++) printf "%s%s", rows[i], i < NR ? ", \\\n  " : "\n"}'
} >"$out/units.gp"
{
    echo 'set style fill solid 0.85'
    echo 'set boxwidth 0.7'
    echo 'set ylabel "% of the warps'"'"' time"'
    echo 'set xtics rotate by -35 noenhanced'
    echo 'set grid y'
    echo 'unset key'
    echo '$stalls << END'
    tr -d '\r' <"$out/run.csv" | awk -F, '
        NR == 1 {for (i = 1; i <= NF; i++) if ($i ~ /^stalls\..*\.percent$/) {split($i, p, "."); column[i] = p[2]}; n = NF}
        NR == 2 {for (i = 1; i <= n; i++) if (i in column && $i > 0) print column[i], $i}' |
        sort -k2,2gr
    echo END
    echo 'plot $stalls using 0:2:xtic(1) with boxes'
} >"$out/stalls.gp"
for figure in warps units stalls; do
    (cd "$out" && gnuplot -e "set terminal $term size $([ "$term" = svg ] &&
        echo 800,360 || echo 16cm,7cm); set output '$figure.$suffix'" $figure.gp)
    echo "$out/$figure.$suffix"
done
