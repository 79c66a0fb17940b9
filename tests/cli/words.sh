# Every word that a report labels something with is one that teg explain knows,
# in any case and spacing, and so is what it says instead of a number.
. tests/cli/lib.sh

# The labels of a report: what stands first in its rows, all of a heading.
labels() {
    sed -n 's/^ \{2,4\}\([^ ].*\)$/\1/p' | awk -F '   *' '
        function take(word) {
            sub(/ *$/, "", word)
            if (word ~ /^[A-Za-z][A-Za-z0-9_:.'"'"' -]*$/ && split(word, w, " ") < 4)
                print word
        }
        { digits = 0
          for (i = 2; i <= NF; i++)
              digits += $i ~ /[0-9]/
          if (NF > 1) take($1)
          if (NF > 2 && !digits)
              for (i = 2; i <= NF; i++) take($i) }'
}

for k in matmul reduction uncoalesced; do
    "$teg" run tests/kernels/sm70/$k.sketch -p BLOCKS=8 -g v100 --models
done >"$work/reports" 2>&1
"$teg" run tests/kernels/gt200/scatter.sketch -g gtx280 --why --by-pc \
    >>"$work/reports" 2>&1
"$teg" whatif tests/kernels/sm70/reduction.sketch -g v100 >>"$work/reports" 2>&1
"$teg" power tests/kernels/gt200/scatter.sketch -g gtx280 --sweep off \
    >>"$work/reports" 2>&1
"$teg" diff tests/kernels/sm70/reduction.sketch -g v100 --against a100 \
    >>"$work/reports" 2>&1
{
    "$teg" bound tests/kernels/sm70/matmul.sketch -g v100
    "$teg" bound sgemm -g gtx580
    "$teg" predict tests/kernels/sm70/reduction.sketch -g a100
    "$teg" timeline tests/kernels/sm70/vecadd_demo.sketch -g v100
    "$teg" check tests/kernels/sm70/reduction.sketch
    "$teg" model tests/kernels/sm70/reduction.sketch -g v100
    "$teg" run tests/kernels/sm70/vecadd_demo.sketch -g v100 --as-measured ncu
} >>"$work/reports" 2>&1
labels <"$work/reports" | grep -vE '^(for$|scatter|GeForce|Tesla|A100|stalls\.|units\.|models\.|memory\.|kernel\.|occupancy\.)' |
    sort -u >"$work/labels"
# What the page has as headings, heads of columns and cells, what a description
# has as keys and units.
"$teg" report tests/kernels/sm70/reduction.sketch -g v100 -o "$work/page.html"
tr '\n<' ' \n' <"$work/page.html" |
    sed -nE 's/^(th|h2|h3|summary|td)( [^>]*)?>([A-Za-z][A-Za-z0-9_.'"'"'()/ -]*)$/\3/p' |
    sed 's/ *$//' | awk 'NF < 5' | grep -v '^reduction$' | sort -u >"$work/page"
check 'two hundred words of the page at least' \
    [ "$(wc -l <"$work/page")" -ge 200 ]
cat "$work/page" >>"$work/labels"
"$teg" gpus a100 | sed 1,2d | awk '{ print $1 }' >>"$work/labels"
# What findings, limits and JSON call things.
"$teg" run tests/kernels/sm70/matmul.sketch -g v100 -f json |
    sed -n 's/^ *"\([a-zA-Z_0-9]*\)": .*/\1/p' >>"$work/labels"
printf '%s\n' 'warps per SM' 'shared memory (MIO)' 'Long Scoreboard' 'bound by' \
    ' warps  PER sm' longscoreboard 'LONG-SCOREBOARD' \
    'limited by' 'channel skew' 'conflict degree' 'issue slots' 'carve-out' \
    'Duration' 'Elapsed Cycles' >>"$work/labels"
sort -u -o "$work/labels" "$work/labels"

check 'three hundred labels at least' [ "$(wc -l <"$work/labels")" -ge 300 ]
tr '\n' '\0' <"$work/labels" | xargs -0 "$teg" explain >/dev/null 2>"$work/err"
check 'every one is explained' [ ! -s "$work/err" ]
for word in 'unit lsu' double:sfu LDS.128 'BRA .loop' '@!P0 BAR.SYNC 0x0' 'sub-core 2' rtx3070; do
    expect 0 "$teg" explain "$word"
done
out '^rtx3070 (GPU)$'
expect 2 "$teg" explain 'no such word'

finish
