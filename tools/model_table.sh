#!/bin/sh
# Prints, as a Markdown table, the cycles that the simulator gives for the
# bundled sketches and what every analytical model makes of each, as a ratio to
# the simulated: what docs/models.md shows.
#
#   tools/model_table.sh [TEG [GPU:FOLDER ...]]
teg=${1:-build/release/teg}
[ $# -gt 0 ] && shift
cd "$(dirname "$0")/.." || exit 2
[ $# -gt 0 ] || set -- gtx280:tests/kernels/gt200 v100:tests/kernels/sm70

# The text report on standard input as rows of a table; HEAD=1: with a header.
rows() {
    awk -v label="$1" -v head="$2" '
        /^  cycles / { gsub(",", "", $2); cycles = $2 }
        /^  model / { models = 1; next }
        /^$/ { models = 0 }
        models && /^  [a-z]/ {
            name[++n] = $1
            ratio[n] = $2 == "n/a" ? "n/a" : $3
        }
        END {
            if (head) {
                names = "| kernel | simulated |"
                rule = "| --- | ---: |"
                for (i = 1; i <= n; i++) {
                    names = names " " name[i] " |"
                    rule = rule " ---: |"
                }
                print names
                print rule
            }
            line = "| " label " | " cycles " |"
            for (i = 1; i <= n; i++)
                line = line " " ratio[i] " |"
            print line
        }'
}

status=0
head=1
for pair in "$@"; do
    gpu=${pair%%:*}
    for sketch in "${pair#*:}"/*.sketch; do
        if ! report=$("$teg" run "$sketch" -g "$gpu"); then
            echo "$0: $sketch: cannot be replayed" >&2
            status=1
            continue
        fi
        echo "$report" | rows "$(basename "$sketch" .sketch), $gpu" $head
        head=0
    done
done
exit $status
