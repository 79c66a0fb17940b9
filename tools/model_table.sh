#!/bin/sh
# Prints, as Markdown tables, what every analytical model makes of the bundled
# kernels: what docs/models.md shows.
#
#   tools/model_table.sh [TEG]             beside the simulator
#   tools/model_table.sh --measured [TEG]  beside measured cycles, where there
#                                          are any
#   tools/model_table.sh --write [TEG]     both, into docs/models.md
#
# A number is the model's cycles over the simulated, or the measured, ones.
cd "$(dirname "$0")/.." || exit 2
what=simulated
case $1 in
--*) what=${1#--} && shift ;;
esac
teg=${1:-build/release/teg}
status=0 head=1

# row LABEL BASE ARGUMENT...: a row of `teg run ARGUMENT...`, kernels of a list
# together; BASE 0: over the simulated cycles, else over BASE.
row() {
    label=$1 base=$2
    shift 2
    if ! "$teg" run "$@" -f csv >"$work/csv" 2>"$work/err"; then
        echo "$0: $label: cannot be replayed: $(cat "$work/err")" >&2
        status=1
        return
    fi
    tr -d '\r' <"$work/csv" | awk -F, -v label="$label" -v head=$head -v base="$base" '
        { gsub(/"[^"]*"/, "text") } # what has commas in it
        NR == 1 {
            for (i = 1; i <= NF; i++) {
                at[$i] = i
                if ($i ~ /^models\..*\.cycles$/) {
                    name[++n] = substr($i, 8, length($i) - 14)
                    column[n] = i
                }
            }
            next
        }
        {
            simulated += $at["cycles"]
            for (i = 1; i <= n; i++) {
                if ($column[i] == "")
                    none[i] = 1
                sum[i] += $column[i]
            }
        }
        END {
            if (head) {
                names = base > 0 ? "| kernel | measured | simulated |" : \
                                   "| kernel | simulated |"
                rule = base > 0 ? "| --- | ---: | ---: |" : "| --- | ---: |"
                for (i = 1; i <= n; i++) {
                    names = names " " name[i] " |"
                    rule = rule " ---: |"
                }
                print names
                print rule
            }
            if (base > 0)
                line = sprintf("| %s | %d | %.2f |", label, base, simulated / base)
            else
                line = sprintf("| %s | %d |", label, simulated)
            whole = base > 0 ? base : simulated
            for (i = 1; i <= n; i++)
                line = line (none[i] ? " n/a |" : sprintf(" %.2f |", sum[i] / whole))
            print line
        }'
    head=0
}

beside_simulator() {
    for pair in gtx280:gt200 v100:sm70 a100:micro; do
        for sketch in tests/kernels/"${pair#*:}"/*.sketch; do
            row "$(basename "$sketch" .sketch), ${pair%%:*}" 0 "$sketch" \
                -g "${pair%%:*}"
        done
    done
}

# The published cycles of tools/accuracy, without those of a what-if.
beside_published() {
    grep -v '^#' tools/accuracy/gtx280.csv | tr -d '\r' >"$work/published"
    while IFS=, read -r table kernel quantity warps cycles _ _ sketch parameters what_if; do
        [ "$quantity" = cycles ] && [ "$what_if" = - ] || continue
        set -- "tests/kernels/gt200/$sketch.sketch"
        for p in $parameters; do
            set -- "$@" -p "$p"
        done
        [ "$warps" = 1 ] && warps='1 warp' || warps="$warps warps"
        row "$kernel ($table), $warps, gtx280" "$cycles" "$@" -g gtx280
    done <"$work/published"
}

# NVBit traces with a measured time (H100 PCIe at 1755 MHz), where they are.
beside_h100() {
    traces=../shared/traces/sm_90
    [ -e ../shared/measured/h100-pcie-traces.csv ] && [ -d $traces ] || {
        echo "skipped: traces with measured times (needs ../shared)" >&2
        return
    }
    row 'FFMA chain, 10 x 132, h100pcie' 9576 $traces/ffma-1x32-10.traceg -g h100pcie
    row 'FFMA chain, 40 x 132, h100pcie' 25446 $traces/ffma-1x32-40.traceg -g h100pcie
    row 'FFMA, 4096 blocks of 16, h100pcie' 6608 $traces/ffma-4096x16.traceg -g h100pcie
    row 'Rodinia b+tree, 2 launches, h100pcie' 31768 \
        $traces/btree-1000/kernelslist.g -g h100pcie
}

# write MARK: standard input between <!-- MARK --> and <!-- end -->.
write() {
    cat >"$work/table"
    awk -v mark="<!-- $1 -->" -v table="$work/table" '
        $0 == mark { print; while ((getline line <table) > 0) print line; skip = 1 }
        $0 == "<!-- end -->" { skip = 0 }
        !skip { if ($0 != mark) print }' docs/models.md >"$work/doc" &&
        cp "$work/doc" docs/models.md
}

work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
case $what in
simulated) beside_simulator ;;
measured)
    beside_published
    beside_h100
    ;;
write)
    beside_simulator >"$work/simulated"
    head=1
    {
        beside_published
        beside_h100
    } >"$work/measured"
    [ $status = 0 ] || exit $status
    write simulated <"$work/simulated"
    write measured <"$work/measured"
    ;;
*)
    echo "usage: $0 [--measured | --write] [TEG]" >&2
    exit 2
    ;;
esac
exit $status
