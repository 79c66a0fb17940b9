# Launches that are alike are simulated once: lists, sweeps, shards, resuming.
. tests/cli/lib.sh

# K launches of one kernel: two the same, one a little longer, one much.
list=$work/list
mkdir "$list"
compute=tests/kernels/sm70/compute.sketch
for n in 24 25 48; do
    "$teg" convert $compute -p BLOCKS=80 -p ITER=$n "$list/$n.tegt" || exit 2
done
# another file of the same content
cp "$list/24.tegt" "$list/same.tegt"
cat >"$list/kernels.json" <<'END'
{"teg": {"schema": 1}, "kernels": [
 {"trace": "24.tegt", "launches": 2}, {"trace": "same.tegt", "launches": 5},
 {"trace": "25.tegt"}, {"trace": "48.tegt"}]}
END
# cycles FILE: of each kernel, not those of the models
cycles() {
    sed -n 's/^      "cycles": \([0-9]*\),$/\1/p' "$1" | tr '\n' ' '
}

# What is the same is simulated once, by default; cycles are exact.
expect 0 "$teg" run "$list/kernels.json" -g v100 --exact -f json
cp "$work/out" "$work/exact.json"
out '"represented_kernels": 0'
out '"simulated_kernels": 4'
expect 0 "$teg" run "$list/kernels.json" -g v100 -f json
out '"represented_kernels": 1'
out '"identical": true'
out '"error_bound_percent": 0'
check 'cycles are those of the full simulation' \
    [ "$(cycles "$work/out")" = "$(cycles "$work/exact.json")" ]
expect 0 "$teg" sweep "$list/kernels.json" -g v100 --exact -f json
sed -n 2p "$work/out" | sed 's/.*"occupancy"//' >"$work/simulated"
expect 0 "$teg" sweep "$list/kernels.json" -g v100 -f json
sed -n 2p "$work/out" | sed 's/.*"occupancy"//' >"$work/represented"
check 'and so is everything else' cmp -s "$work/simulated" "$work/represented"
check 'which is something' [ -s "$work/represented" ]

# What is like it, if asked for; the bound holds.
expect 0 "$teg" run "$list/kernels.json" -g v100 --similar 10 -f json
out '"represented_kernels": 2'
out '"identical": false'
out '"cluster_kernels": 3'
check 'the bound holds' awk -v a="$(cycles "$work/exact.json")" \
    -v b="$(cycles "$work/out")" -v e="$(sed -n \
        's/.*"error_bound_percent": \([0-9.]*\)$/\1/p' "$work/out" | sed -n 2p)" '
    BEGIN {
        split(a, full); split(b, part)
        off = 100 * (part[3] / full[3] - 1)
        exit !(part[3] != full[3] && e > 0 && off < e && -off < e)
    }'
expect 0 "$teg" run "$list/kernels.json" -g v100 --similar 10
out 'REPRESENTED by kernel 1, which is the same'
out 'REPRESENTED by kernel 1, which is like it to 9[0-9.]* %'
out '^2 simulated (.* % of the instructions), 2 represented'
expect 0 "$teg" run "$list/kernels.json" -g v100 --similar 10 -f csv
check 'every row has as many cells' [ "$(sed 's/"[^"]*"//g' "$work/out" |
    awk -F, '{print NF}' | sort -u | wc -l)" = 1 ]
out 'represented.error_bound_percent'

# What looks at instructions needs all of them.
expect 0 "$teg" run "$list/kernels.json" -g v100 --by-pc -f json
check 'nothing is represented' [ "$(grep -c '"represented": null' "$work/out")" = 4 ]
expect 2 "$teg" run "$list/kernels.json" -g v100 --by-pc --similar 3
err 'similar excludes'
expect 2 "$teg" run "$list/kernels.json" -g v100 --similar many
err 'expected a percentage from 0 to 100, found .many'
expect 2 "$teg" sweep "$list/kernels.json" -g v100 --similar -1
expect 2 "$teg" sweep "$list/kernels.json" -g v100 --similar 1 --exact

# A list with a launch that cannot be read fails as it did, at that launch.
head -c 1500 "$list/24.tegt" >"$list/broken.tegt"
sed 's/same.tegt/broken.tegt/' "$list/kernels.json" >"$list/broken.json"
expect 1 "$teg" run "$list/broken.json" -g v100
err 'broken.tegt'
expect 1 "$teg" sweep "$list/broken.json" -g v100 --similar 10 -f json
err '1 of 4 points failed'
check 'the others have rows' [ "$(grep -c '"status":"ok"' "$work/out")" = 3 ]

# Sweeps: the same bytes for any number of workers, in shards, and resumed.
points="$list/kernels.json $list/24.tegt -g v100,t4 --similar 10 -f json"
expect 0 "$teg" sweep $points --vary dram.latency=300,500 -j 1
cp "$work/out" "$work/one.json"
check 'a row for every point' [ "$(wc -l <"$work/one.json")" = 20 ]
check 'twelve are represented' [ "$(grep -c '"represented":{' "$work/one.json")" = 12 ]
check 'by launches of another trace too' \
    [ "$(grep -c "\"trace\":\"$list/24.tegt\".*\"represented\":{\"trace\":\"$list/kernels.json\",\"kernel\":1,\"identical\":true" \
        "$work/one.json")" = 4 ]
expect 0 "$teg" sweep $points --vary dram.latency=300,500 -j 3
check 'any number of workers writes the same bytes' \
    cmp -s "$work/out" "$work/one.json"
for i in 1 2 3; do
    expect 0 "$teg" sweep $points --vary dram.latency=300,500 --shard $i/3 \
        -o "$work/part$i.json"
done
expect 0 "$teg" merge "$work"/part*.json -f json
check 'and so do shards' cmp -s "$work/out" "$work/one.json"
# a journal that ends within a cluster
head -2 "$work/one.json" >"$work/rows.json.partial"
sed -n 6p "$work/one.json" >>"$work/rows.json.partial"
expect 0 "$teg" sweep $points --vary dram.latency=300,500 -o "$work/rows.json"
err 'going on after 3 of 20 points'
check 'a journal is gone on from' cmp -s "$work/rows.json" "$work/one.json"
expect 0 "$teg" sweep $points --vary dram.latency=300,500
expect 0 "$teg" sweep "$list/kernels.json" -g v100 --exact -f json
check 'nothing is represented' [ "$(grep -c '"represented":null' "$work/out")" = 4 ]

# Processes that look at the kernels of one container do not disturb each other.
for n in $(seq 400 423); do
    "$teg" convert tests/kernels/sm70/reduction.sketch -p BLOCKS=$n \
        "$list/blocks$n.tegt" || exit 2
    echo "blocks$n.tegt"
done >"$list/kernelslist.g"
"$teg" convert "$list/kernelslist.g" "$work/container.tegt" || exit 2
container="$work/container.tegt -g v100 --similar 30 -f json"
expect 0 "$teg" run $container -j 1
cp "$work/out" "$work/one.json"
out '"represented_kernels": 23'
for i in 1 2 3 4 5; do
    expect 0 "$teg" run $container -j 8
    check 'any number of processes finds the same clusters' \
        cmp -s "$work/out" "$work/one.json"
done

# A point that cannot be: so cannot those it is simulated for.
expect 1 "$teg" sweep "$list/kernels.json" -g v100 --vary sm.schedulers=4,77 \
    -f json
err '4 of 8 points failed'
check 'each has its row' [ "$(wc -l <"$work/out")" = 8 ]

finish
