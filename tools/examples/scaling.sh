#!/bin/sh
# How performance scales with the warps of an SM: section 3.5 of Lai 2013, on
# the conflict-free C = A * B^T.  tools/examples/scaling.sh [TEG [DIRECTORY]]
#
# Writes to DIRECTORY (build/scaling):
#   pc-W.csv        PC of each warp over time, W = 1, 8 warps     (Fig. 3.8)
#   load-W.csv      load of each unit over time, 1, 2, 6, 8, 16 (Figs. 3.9-3.15)
#   summary.csv     cycles, SP active percentage; highest SP load of four bins in
#                   the middle half of the run, which is tiles only
#   *.png, *.svg    the same as pictures, if gnuplot is installed
set -eu
cd "$(dirname "$0")/../.."
teg=${1:-build/release/teg}
to=${2:-build/scaling}
sketch=tests/kernels/gt200/matmul_abt.sketch
mkdir -p "$to"

# One SM; 16 warps are two blocks of 8.
run() {
    warps=$1 blocks=1
    shift
    [ "$warps" -le 8 ] || blocks=2
    "$teg" run "$sketch" -g gtx280 --sms=1 -p WARPS=$((warps / blocks)) \
        -p BLOCKS=$blocks "$@"
}

# The number of KEY of unit sp in JSON on stdin.
of_sp() {
    awk -v key="\"$1\":" '/"name": "sp"/ {in_sp = 1}
        in_sp && $1 == key {sub(",", "", $2); print $2; exit}'
}

# The highest sp_load of the middle half of a timeline, of four bins together:
# warps in step move, then multiply, for a bin each.
loop_load() {
    awk -F, -v cycles="$1" '
        NR == 1 {for (i = 1; i <= NF; i++) if ($i == "sp_load") column = i}
        NR > 1 {
            sum += $column - last[NR % 4]
            last[NR % 4] = $column
        }
        NR > 1 && $1 > cycles / 4 && $1 < 3 * cycles / 4 && sum / 4 > most {
            most = sum / 4
        }
        END {print most}' "$2"
}

echo "warps,cycles,sp_instructions,sp_active_percent,sp_loop_load" \
    >"$to/summary.csv"
for warps in 1 2 4 6 8 16; do
    run $warps -f json -o "$to/run-$warps.json" --timeline="$to/load-$warps.csv"
    cycles=$(awk '$1 == "\"cycles\":" {sub(",", "", $2); print $2; exit}' \
        "$to/run-$warps.json")
    issued=$(of_sp issued <"$to/run-$warps.json")
    load=$(loop_load "$cycles" "$to/load-$warps.csv")
    # an instruction keeps the SP active for 4 cycles (3.5)
    echo "$warps $cycles $issued $load" | awk '{
        printf "%d,%d,%d,%.1f,%.1f\n", $1, $2, $3, 400 * $3 / $2, $4}' \
        >>"$to/summary.csv"
done
for warps in 1 8; do
    run $warps -o "$to/pc-run-$warps.txt" --pc-trace="$to/pc-$warps.csv"
    rm "$to/pc-run-$warps.txt"
done

echo "warps     cycles  SP active %  in the text  load in the loop  in the text"
tail -n +2 "$to/summary.csv" | awk -F, '
    BEGIN {text[1] = 11; text[2] = 22; text[4] = 40; text[8] = 71.7
           text[16] = 86.2
           load[6] = "9 to 12"; load[8] = load[16] = "about 13"}
    {printf "%5d %10d %12.1f %12s %17.1f %12s\n", $1, $2, $4,
         $1 in text ? text[$1] : "-", $5, $1 in load ? load[$1] : "-"}'
echo
echo "CSV files are in $to."

if ! command -v gnuplot >/dev/null; then
    echo "No pictures: gnuplot is not installed (Debian: apt install gnuplot)."
    exit 0
fi
for form in png svg; do
    [ $form = png ] && terminal="pngcairo size 1000,500" ||
        terminal="svg size 1000,500"
    gnuplot <<EOF_GNUPLOT
set terminal $terminal
set datafile separator ","
set xlabel "cycle"
set xrange [0:*]
set yrange [0:*]
set grid
set key off
set output "$to/pc.$form"
set ylabel "PC (bytes)"
set title "PC of the warps, 1 warp (blue) and 8 warps (red)"
plot "$to/pc-8.csv" using 1:5 with points pt 7 ps 0.15 lc rgb "red", \
     "$to/pc-1.csv" using 1:5 with lines lc rgb "blue"
do for [w in "1 2 6 8 16"] {
    set output "$to/sp-load-".w.".$form"
    set ylabel "warp instructions in the SP"
    set title "SP load, ".w." warp(s)"
    plot "$to/load-".w.".csv" using "cycle":"sp_load" with steps
}
do for [w in "1 16"] {
    set output "$to/ldst-load-".w.".$form"
    set ylabel "warp instructions in LD/ST"
    set title "LD/ST load, ".w." warp(s)"
    plot "$to/load-".w.".csv" using "cycle":"ldst_load" with steps
}
set output "$to/active.$form"
set xlabel "warps"
set ylabel "SP active, %"
set title "SP active percentage"
plot "$to/summary.csv" using 1:4 every ::1 with linespoints
EOF_GNUPLOT
done
echo "Pictures, as PNG and SVG: pc, sp-load-W, ldst-load-W, active."
