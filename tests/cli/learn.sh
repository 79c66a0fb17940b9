# tools/learn: training, explaining, and the bundled forest.  Needs
# python3-sklearn, which the build does not.
. tests/cli/lib.sh
python=/usr/bin/python3
if ! $python -c 'import sklearn' 2>/dev/null; then
    echo "skipped: python3-sklearn is not installed"
    exit 0
fi
train() { $python tools/learn/train "$@"; }
explain() { $python tools/learn/explain "$@"; }
bundle() { $python tools/learn/bundle "$@"; }
vectors() { $python tools/learn/make_vectors.py "$@"; }

properties() { $python tests/learn/test_learn.py; }
expect 0 properties

# Forests of this scikit-learn are those that are kept, byte for byte.
version=$($python -c 'import sklearn; print(sklearn.__version__)')
if [ "$version" = 1.2.1 ]; then
    expect 0 vectors "$work"
    check 'the test forests can be made again' \
        cmp "$work/sklearn.forest" tests/golden/sklearn.forest
    check 'and their predictions' cmp "$work/sklearn.csv" tests/golden/sklearn.csv
    check 'and the small one' cmp "$work/small.forest" tests/golden/small.forest
fi

# A table whose time is 2 us per block; trained, exported, asked.
awk 'BEGIN {
    print "gpu,kernel,instructions,blocks,time_us"
    for (i = 1; i <= 40; i++)
        printf "x,k%d,%d,%d,%d\n", i % 4, 100 * i * i, i, 2 * i
}' >"$work/t.csv"
# Half of them measured twice more, the median the same.
awk -F, '{print} NR > 20 {for (d = -1; d < 2; d += 2)
    printf "%s,%s,%s,%s,%g\n", $1, $2, $3, $4, $5 + d * 0.1}' "$work/t.csv" \
    >"$work/repeated.csv"
expect 0 train "$work/repeated.csv" --features instructions,blocks \
    --parameters mse,max,64 --iterations 2 --leave-out 10 \
    --trained-on 'two microseconds a block' --plots "$work/plots" --json "$work/t.json" \
    -o "$work/t.forest"
out '^x: 40 samples (of 82), 4 kernels'
out 'nested cross-validation, 2 iterations of 5 folds'
out '  a sample left out (10) '
out '  a kernel left out '
check 'the report is there as JSON' grep -q '"fold_mape"' "$work/t.json"
if $python -c 'import matplotlib' 2>/dev/null; then
    for plot in sample-out-x kernel-out-x folds fold-errors-x targets-x \
        repeats-x importance-x; do
        check "$plot is drawn" grep -q '</svg>' "$work/plots/$plot.svg"
    done
fi
# Results are there whatever becomes of the pictures.
mkdir "$work/matplotlib"
echo 'raise RuntimeError("broken")' >"$work/matplotlib/__init__.py"
broken() { PYTHONPATH=$work train "$@"; }
expect 1 broken "$work/t.csv" --features blocks --parameters mse,max,4 \
    --iterations 1 --leave-out 2 --plots "$work/broken" -o "$work/b.forest" \
    --json "$work/b.json"
check 'the forest is there' test -s "$work/b.forest"
check 'the report is there' test -s "$work/b.json"
small_trace "$work/k.traceg" # 2 blocks
expect 0 "$teg" predict "$work/k.traceg" -m "$work/t.forest" -f json
out '"trained_on": "two microseconds a block"'
out '"gpu": "x"'
check '2 blocks take 4 us' sh -c "
    awk '/\"value\"/ {v = \$2 + 0; n++} END {exit !(n >= 1 && v > 2 && v < 8)}' \
        '$work/out'"
expect 0 train "$work/t.csv" --features instructions,blocks --samples 25 \
    --trees 4,8 --iterations 1 --leave-out 3 --worded
out 'worded cross-validation, 1 iterations of 5 folds, 12 combinations'

# What a roofline misses is learned: 2 us a block, whatever it says.
awk 'BEGIN {
    print "gpu,kernel,instructions,global_bytes,blocks,threads_per_block,time_us"
    for (i = 1; i <= 40; i++)
        printf "v100,k%d,%d,%d,%d,64,%d\n", i % 4, 6400 * i * i, 256 * i, i, 2 * i
}' >"$work/r.csv"
roofline() { $python tools/learn/roofline --teg "$teg" "$@"; }
expect 0 roofline "$work/r.csv" -o "$work/r2.csv"
check 'a column more' [ "$(head -1 "$work/r2.csv")" = \
    "$(head -1 "$work/r.csv"),roofline_us" ]
sed 's/^v100/Old chip/' "$work/r.csv" >"$work/old.csv"
expect 1 roofline "$work/old.csv" -o "$work/r3.csv"
err "no description of GPU 'Old chip': say --machine"
expect 1 roofline "$work/old.csv" --machine 'Old chip=v100,chip.sns=4' \
    -o "$work/r3.csv"
err "a roofline has no 'chip.sns'; there are: chip.sms"
expect 0 roofline "$work/old.csv" --machine 'Old chip=v100,chip.sm_clock_mhz=690' \
    -o "$work/r3.csv"
check 'half the clock takes longer' sh -c "
    paste -d, '$work/r2.csv' '$work/r3.csv' | awk -F, '
        NR > 1 {more += \$16 > \$8; less += \$16 < \$8}
        END {exit !(more == 40 && less == 0)}'"
expect 0 train "$work/r2.csv" --over roofline_us --features blocks,instructions \
    --parameters mse,max,8 --iterations 1 --leave-out 5
out 'MAPE of roofline_us'
expect 1 train "$work/r2.csv" --over roofline_us -o "$work/r.forest"
err 'a forest file has no estimates but those of --estimate'

# 2 us for 1,000 instructions of warps and 3 for a launch: samples up to 64 us say
# what a launch of 20 ms takes; trees alone do not.
awk 'BEGIN {
    print "gpu,kernel,instructions,blocks,warp_instructions,time_us"
    for (i = 1; i <= 60; i++)
        printf "x,k%d,%d,%d,%d,%.9g\n", i % 4, 16000 * i, i % 7 + 1, 500 * i, 3 + i
}' >"$work/e.csv"
expect 0 train "$work/e.csv" --estimate --features instructions,blocks,warp_instructions \
    --parameters mse,max,8 --iterations 1 --leave-out 5 -o "$work/e.forest"
out '\.\.\. of the estimate alone  *0\.[0-9]*$'
expect 0 train "$work/e.csv" --features instructions,blocks,warp_instructions \
    --parameters mse,max,8 --iterations 1 --leave-out 5 -o "$work/n.forest"
cat >"$work/long.sketch" <<'EOF'
sketch 1
kernel "long"
isa sm_80
grid 100
block 320
loop k 10000
    FADD R1, R1, R2
end
EXIT
EOF
expect 0 "$teg" predict "$work/long.sketch" -m "$work/e.forest" -f json
check 'an estimate grows with the launch' sh -c "
    awk '/\"value\": [0-9.]*,/ {v = \$2 + 0; exit} END {exit !(v > 19e3 && v < 21e3)}' \
        '$work/out'"
out '"at_edge": false'
expect 0 "$teg" predict "$work/long.sketch" -m "$work/e.forest"
out 'there the time grows as a sum of features does: expect a larger error'
expect 0 "$teg" predict "$work/long.sketch" -m "$work/n.forest" -f json
check 'trees do not' sh -c "
    awk '/\"value\": [0-9.]*,/ {v = \$2 + 0; exit} END {exit !(v < 64)}' '$work/out'"
out '"over": null'
expect 1 train "$work/r2.csv" --over roofline_us --estimate --features blocks
err 'expected times, and no estimate of another column'
expect 1 train "$work/r2.csv" --estimate --power --features blocks
err 'expected times, and no estimate of another column'
expect 1 train "$work/r.csv" --over roofline_us --features blocks
err "no column 'roofline_us'; there are: gpu"

# Bad tables: one line each.
expect 1 train "$work/none.csv"
err 'cannot read: No such file'
expect 1 train "$work/t.csv"
err "no column 'arithmetic'; there are: gpu, kernel"
expect 1 train "$work/t.csv" --features instructions,kernel
err "t.csv:2: column 'kernel': expected a number, found 'k1'"
expect 1 train "$work/t.csv" --features blocks --gpu y
err "no rows of GPU 'y'; there are: x"
expect 1 train "$work/t.csv" --features blocks --parameters mse,all,3
err 'expected mse|mae,max|log2|sqrt,TREES'
head -8 "$work/t.csv" >"$work/few.csv"
expect 1 train "$work/few.csv" --features blocks
err 'expected at least 20 samples, found 7'
sed '5s/,[0-9]*$/,0/' "$work/t.csv" >"$work/zero.csv"
expect 1 train "$work/zero.csv" --features blocks
err "zero.csv:5: column 'time_us': expected more than 0"
sed '6s/$/,9/' "$work/t.csv" >"$work/long.csv"
expect 1 train "$work/long.csv" --features blocks
err 'long.csv:6: expected 5 cells, found 6'
sed '7s/^\(x,k.\),[0-9]*/\1,1e39/' "$work/t.csv" >"$work/big.csv"
expect 1 train "$work/big.csv" --features instructions
err "big.csv:7: column 'instructions': expected at most 3.4e+38, found '1e39'"
awk -F, 'BEGIN {OFS = FS} NR > 1 {$5 = 3} {print}' "$work/t.csv" >"$work/flat.csv"
expect 1 train "$work/flat.csv" --features blocks
err 'time_us is 3 in every sample: nothing to learn'
awk -F, 'BEGIN {OFS = FS} NR > 1 {$3 = 9} {print}' "$work/t.csv" >"$work/same.csv"
expect 0 train "$work/same.csv" --features instructions,blocks --parameters \
    mse,max,4 --iterations 1 --leave-out 2
out 'the same in all samples: instructions'
expect 1 train "$work/t.csv" --features blocks -o "$work/none/t.forest"
err 'none/t.forest: cannot write'
expect 2 train "$work/t.csv" --features blocks --folds 1
err 'expected an integer of at least 2'
expect 2 explain "$work/t.csv" --level blocks --without '('
err "argument --without: '('"
: >"$work/empty.csv"
expect 1 train "$work/empty.csv"
err 'expected a head with column names'
printf '\000\377\376' >"$work/bytes.csv"
expect 1 explain "$work/bytes.csv"
err 'bytes.csv: cannot read'

# Counters of a sweep explain its throughput; constant ones are named.
expect 0 "$teg" sweep tests/kernels/sm70/stream.sketch \
    tests/kernels/sm70/reduction.sketch -g v100 -p BLOCKS=80,160 \
    --vary sm.warps_max=8,16,32 --vary dram.latency=400,600 -f csv \
    -o "$work/sweep.csv"
expect 0 explain "$work/sweep.csv" --trees 30 --leave-out 8 \
    --plots "$work/plots"
if $python -c 'import matplotlib' 2>/dev/null; then
    for plot in dependence importance; do
        check "$plot is drawn" grep -q '</svg>' "$work/plots/$plot.svg"
    done
fi
out '  left out: units.fp64.issued (hardly changes)'
out '^  a row left out (8)'
out '^  a kernel left out'
out '^  relative importance'
expect 0 explain "$work/sweep.csv" --trees 10 --leave-out 3 \
    --response cycles --without '^units'
check 'no unit is a counter' sh -c "! grep -q ' units' '$work/out'"
expect 1 explain "$work/t.csv"
err 'neither a sweep nor Nsight counters'
expect 1 explain "$work/t.csv" --level blocks
err '\-\-response must be given'
expect 0 explain "$work/t.csv" --level blocks --level instructions \
    --response time_us --group kernel --trees 10 --leave-out 5
expect 1 explain "$work/t.csv" --level kernel --response time_us
err "column 'kernel': expected a number"
expect 1 explain "$work/few.csv" --level blocks --response time_us
err 'expected at least 10 rows, found 7'

# The terms of a model explain its gap to the simulator.
expect 0 "$teg" sweep tests/kernels/sm70/stream.sketch \
    tests/kernels/sm70/reduction.sketch -g v100 -p BLOCKS=80,160 \
    --vary sm.warps_max=8,16,32 -f json -o "$work/sweep.json"
expect 0 explain --terms mwp-cwp "$work/sweep.json" --trees 20 --leave-out 5
out '^  relative importance'
expect 1 explain --terms mwp-cpw "$work/sweep.json"
err "no model 'mwp-cpw'; there are: "
expect 1 explain --terms mwp-cwp "$work/t.csv"
err 't.csv:1: expected JSON'

# Launches of one's own: what the forest says beside the simulator, and where.
expect 0 bundle beside --teg "$teg" --gpu v100 --gpu k20 "$work/long.sketch" "$work/k.traceg"
out '^v100  *[0-9.e+]*  *[0-9.e+]*  *[-+][0-9]*%. .*k.traceg$'
out '^v100, [a-z]*: [12] launch'
out '^k20, '
expect 1 bundle beside --teg "$teg" "$work/none.tegt"
err 'none.tegt: cannot open'
expect 1 bundle collect --kernels programs -o "$work/programs.csv"
err 'expected --sources'

# The bundled forest is what its table gives (a minute: only a look at that it
# names the table it is made of unless asked for).
if [ "$version" = 1.2.1 ] && [ -n "$TEG_BUNDLE" ]; then
    expect 0 bundle train -o "$work/portable.forest"
    check 'the bundled forest can be made again' \
        cmp "$work/portable.forest" config/portable.forest
fi
finish
