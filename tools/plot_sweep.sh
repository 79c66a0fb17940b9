#!/bin/sh
# A picture of a sweep: how a column grows with another.
#
#   tools/plot_sweep.sh ROWS.csv -o OUT.svg|OUT.png [-x COLUMN] [-y COLUMN]
#                       [-g COLUMN] [-s] [-l]
#
# ROWS.csv is what `teg sweep -f csv` writes.  -x: default the first column
# vary.*, -y: default cycles; a line for each value of -g; -s: speed-up over
# the first point of each line instead of -y; -l: logarithmic axes.  Beside the
# picture stand OUT.dat and OUT.gp, to be changed by hand.
set -eu
usage() {
    echo "usage: tools/plot_sweep.sh ROWS.csv -o OUT.svg|OUT.png [-x COLUMN]" \
        "[-y COLUMN] [-g COLUMN] [-s] [-l]" >&2
    exit 2
}
[ $# -ge 1 ] || usage
rows=$1
shift
out= x= y=cycles group= speedup=0 logs=
while getopts o:x:y:g:sl option; do
    case $option in
    o) out=$OPTARG ;;
    x) x=$OPTARG ;;
    y) y=$OPTARG ;;
    g) group=$OPTARG ;;
    s) speedup=1 ;;
    l) logs='set logscale x 2; set logscale y' ;;
    *) usage ;;
    esac
done
case $out in
*.svg) terminal='svg size 700,450' base=${out%.svg} ;;
*.png) terminal='pngcairo size 700,450' base=${out%.png} ;;
*) usage ;;
esac
[ -r "$rows" ] || {
    echo "plot_sweep: $rows: cannot read it" >&2
    exit 1
}

# A block of lines "x y" per line of the picture, in the order of the rows.
awk -v x="$x" -v y="$y" -v group="$group" -v speedup="$speedup" '
    function fail(what) {
        print "plot_sweep: " FILENAME ": " what > "/dev/stderr"
        failed = 1
        exit 1
    }
    # Cells of a CSV line into cell[1..]; quotes may hold commas.
    function cut(line,    n, i, c, quoted) {
        split("", cell)
        n = 1
        for (i = 1; i <= length(line); i++) {
            c = substr(line, i, 1)
            if (c == "\"") quoted = !quoted
            else if (c == "," && !quoted) n++
            else cell[n] = cell[n] c
        }
        return n
    }
    function column(name,    i) {
        for (i = 1; i <= columns; i++)
            if (head[i] == name) return i
        fail("expected a column \"" name "\", found none")
    }
    {sub(/\r$/, "")}
    NR == 1 {
        columns = cut($0)
        for (i = 1; i <= columns; i++) head[i] = cell[i]
        next
    }
    {row[++count] = $0}
    # The first column vary.* that changes.
    function choose_x(    i, r, before) {
        for (i = 1; i <= columns; i++) {
            if (head[i] !~ /^vary\./) continue
            for (r = 1; r <= count; r++) {
                cut(row[r])
                if (r > 1 && cell[i] != before) return head[i]
                before = cell[i]
            }
        }
        fail("expected a column vary.* that changes, found none: give -x")
    }
    END {
        if (failed) exit 1
        if (x == "") x = choose_x()
        cx = column(x); cy = column(y)
        cg = group != "" ? column(group) : 0
        for (r = 1; r <= count; r++) {
            cut(row[r])
            key = cg ? cell[cg] : y
            if (cell[cx] == "" || cell[cy] == "") continue # a point that failed
            if (!(key in first)) {first[key] = cell[cy]; order[++lines] = key}
            value = speedup ? first[key] / cell[cy] : cell[cy]
            data[key] = data[key] cell[cx] " " value "\n"
            points++
        }
        print "# " x
        if (!points) fail("expected rows with " x " and " y ", found none")
        for (i = 1; i <= lines; i++)
            printf("%s\"%s\"\n%s", (i > 1 ? "\n\n" : ""), order[i],
                data[order[i]])
    }' "$rows" >"$base.dat" || {
    rm -f "$base.dat"
    exit 1
}
x=$(sed -n '1s/^# //p' "$base.dat")
[ $speedup = 0 ] || y="speed-up ($y)"
cat >"$base.gp" <<END
set terminal $terminal
set output "$out"
set xlabel "${x#vary.}" noenhanced
set ylabel "$y" noenhanced
set yrange [0:*]
set grid
set key top left noenhanced
$logs
plot for [i=0:*] "$base.dat" index i using 1:2 with linespoints \\
    title columnheader(1)
END
[ -z "$logs" ] || sed -i 's/^set yrange.*/set yrange [*:*]/' "$base.gp"
command -v gnuplot >/dev/null 2>&1 || {
    echo "plot_sweep: $base.gp is for gnuplot, which is not installed" \
        "(Debian: apt-get install gnuplot-nox)" >&2
    exit 1
}
gnuplot "$base.gp"
