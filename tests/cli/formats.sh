# What every format keeps to, whichever command writes it: tools/teg/formats.
. tests/cli/lib.sh

mkdir "$work/list"
small_trace "$work/list/one.traceg"
sed 's/saxpy/a|b*c/' "$work/list/one.traceg" >"$work/list/two.traceg"
sed '60,$d; s/insts = 6/insts = 9/' "$work/list/one.traceg" \
    >"$work/list/bad.traceg"
printf 'one.traceg\ntwo.traceg\n' >"$work/list/kernelslist.g"
printf 'one.traceg\nbad.traceg\n' >"$work/list/broken.g"
list="$work/list/kernelslist.g"
mkdir "$work/broken"
cp "$work/list/one.traceg" "$work/list/bad.traceg" "$work/broken"
cp "$work/list/broken.g" "$work/broken/kernelslist.g"
broken="$work/broken/kernelslist.g"

# A folder stands for the list in it.
expect 0 "$teg" run "$list" -g v100 -f json
cp "$work/out" "$work/by-list"
expect 0 "$teg" run "$work/list" -g v100 -f json
check 'the same but for the name' test "$(diff "$work/by-list" "$work/out" |
    grep -c '^[<>]')" -le 4
expect 0 "$teg" info "$work/list"
out "kernelslist, $(wc -c <"$list") bytes, 2 kernels"
mkdir "$work/empty"
expect 1 "$teg" run "$work/empty" -g v100
err 'empty: expected a regular file, found a directory'

# Nobody waits for a result that cannot be written.
for command in 'run -g v100' 'model -g v100' 'bound -g v100' \
    'power -g gtx280' 'model --vliw' predict features; do
    for format in json markdown csv; do
        expect 1 "$teg" $command "$broken" -f $format -o "$work/none/there"
        err 'cannot write'
        check "only that is wrong: $command" test "$(wc -l <"$work/err")" = 1
    done
done

# Of two kernels the second cannot be read: people see the first, programs get
# all or nothing, and a file is complete or not there.
for command in run model bound; do
    expect 1 "$teg" $command "$broken" -g v100
    out 'saxpy'
    for format in json markdown csv; do
        expect 1 "$teg" $command "$broken" -g v100 -f $format
        no_out
        expect 1 "$teg" $command "$broken" -g v100 -f $format -o "$work/result"
        check "no result of $command" test ! -e "$work/result"
    done
done
check 'nothing temporary is left' \
    test -z "$(find "$work" -maxdepth 1 -name 'result*')"

# Rows that are of use one by one go out as they come.
for command in features predict 'run -g v100 --by-pc'; do
    expect 1 "$teg" $command "$broken" -f csv -k 1-2
    if [ "$command" = features ]; then
        out '.*,1,saxpy,70,'
    else
        out '^1,'
    fi
done

# A header and rows of as many cells, though only the second was represented;
# lines end as RFC 4180 has it, but for those that tools/learn reads.
cells() {
    sed 's/"[^"]*"//g' "$1" | awk -F, '{print NF}' | sort -u | wc -l
}
cp "$work/list/one.traceg" "$work/list/again.traceg"
printf 'one.traceg\nagain.traceg\n' >"$work/list/kernelslist.g"
expect 0 "$teg" run "$list" -g v100 -f csv
out '^teg.version,.*,represented,.*represented.trace,'
check 'rows are as wide as the header' test "$(cells "$work/out")" = 1
check 'three lines' test "$(grep -c "$(printf '\r')\$" "$work/out")" = 3
expect 0 "$teg" run "$list" -g v100 -f markdown
out '^| represented.kernel |  | 1 |$'
expect 0 "$teg" features "$list" -f csv
check 'no carriage return' test "$(grep -c "$(printf '\r')" "$work/out")" = 0
printf 'one.traceg\ntwo.traceg\n' >"$work/list/kernelslist.g"

# A table without rows still has a head.
expect 0 "$teg" check "$work/list/one.traceg" -g v100 -f csv
out '^severity,kind,where,what,help,count'
expect 0 "$teg" check "$work/list/one.traceg" -g v100 -f markdown
out '^| severity | kind | where | what | help | count |$'
out '^| --- | --- | --- | --- | --- | --- |$'

# One kernel is an object, several are a list with what stands around it.
for command in run model bound; do
    expect 0 "$teg" $command "$list" -g v100 -f json
    out '^  "kernels": \['
    expect 0 "$teg" $command "$list" -g v100 -f json -k 1
    out '^  "kernel": {'
done

# People get an empty line between kernels, and none before the first.
for command in run model bound; do
    expect 0 "$teg" $command "$list" -g v100
    check "kernels stand apart: $command" awk '
        NR == 1 && !/^saxpy/ { exit 1 }
        /^a.b.c on v100/ { found = before == "" }
        { before = $0 }
        END { exit !found }' "$work/out"
done

# Where there is no text, it cannot be asked for.
expect 2 "$teg" features "$list" -f text
err "expected one of csv, json, markdown, found 'text'"
expect 0 "$teg" features --help
out 'csv (default), json or markdown'
expect 0 "$teg" sweep --help
out 'json (a row per line)'

# Markdown: numbers to the right, markup is text, nothing is an empty cell.
expect 0 "$teg" whatif "$list" -g v100 -f markdown
out '^| name | cycles | speedup | changed |$'
out '^| --- | ---: | ---: | --- |$'
out '^| double:fp64 | [0-9]* | 1 | no |$'
expect 0 "$teg" model "$list" -g v100 -f markdown
out '^| a\\|b\\\*c | 2 | mwp-cwp | '
expect 0 "$teg" gpus -f markdown
out '^| v100 | .* | 70 | 1380 | 80 |$'
# Wider than long: on its side.
expect 0 "$teg" run "$list" -g v100 -f markdown
out '^| | 1 | 2 |$'
out '^| kernel.name | saxpy | a\\|b\\\*c |$'
out '^| occupancy.limiter | '
expect 0 "$teg" sweep tests/kernels/sm70/ffma_chain.sketch -g v100 \
    -p N=8:16:8 -f markdown
out '^| vary.param.N | 8 | 16 |$'

# As often as it is written, it is the same.
for format in text json markdown csv; do
    expect 0 "$teg" run "$list" -g v100 -f $format
    cp "$work/out" "$work/first"
    expect 0 "$teg" run "$list" -g v100 -f $format -o "$work/second"
    check "the file has what is printed: $format" \
        cmp -s "$work/first" "$work/second"
done

# Ten digits, so that what programs read adds up: cycles of 1380 MHz.
expect 0 "$teg" run tests/kernels/sm70/ffma_chain.sketch -g v100 -f csv
check 'time_us has ten digits' [ "$(awk -F, '
    NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
    NR == 2 { print $at["time_us"] == sprintf("%.10g", $at["cycles"] / 1380) }' \
    "$work/out")" = 1 ]

finish
