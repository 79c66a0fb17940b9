# teg model: the paper's example typed in, and models of a trace.
. tests/cli/lib.sh

machine=clock_ghz=1,mem_bw_gbs=80,mem_ld=420,dep_del_uncoal=10,dep_del_coal=4
launch=active_sms=16,threads_per_block=128,blocks=80,active_blocks_per_sm=5
counts=comp_insts=27,uncoal_mem_insts=6,synch_insts=6

# Hong & Kim 2009, 3.6: 38,428 and 50,728 cycles unrounded
expect 0 "$teg" model --set $machine --set $launch --set $counts
out '^  mwp-cwp  *50,728 .*uncoalesced accesses (MWP 2.28 by departure delay)'
out '^    MWP  *2.28125  warps'
out '^    Exec_cycles_app  *38428.188  cycles'
no_err

expect 0 "$teg" model --set $machine,$launch,$counts --eqset isca -f json
out '"Exec_cycles_with_synch": 50728.1875'
out '"ratio_to_simulated": null'

# Rep 1 either way; 90 blocks make it 1.125 or 2
expect 0 "$teg" model --set $machine,$launch,$counts,blocks=90 --rep ceil
out '^    Rep  *2$'

expect 0 "$teg" model --set $machine,$launch,comp_insts=20000 --npw corrected
out 'issuing instructions'

expect 2 "$teg" model
expect 2 "$teg" model --set $machine
err 'active_sms: expected a number above 0, found none'
expect 2 "$teg" model --set mem_lod=3
err "did you mean 'mem_ld'"
expect 2 "$teg" model --model mwp-cpw --set mem_ld=3
err "did you mean 'mwp-cwp'"
expect 2 "$teg" model --model throughput --set mem_ld=3
err "unknown parameter 'mem_ld'"
expect 2 "$teg" model --set mem_ld
expect 2 "$teg" model --set mem_ld=many
err "mem_ld: expected a number, found 'many'"
expect 2 "$teg" model --eqset paper
no_out
expect 1 "$teg" model "$work/missing.tegt" -g gtx280
no_out

# T06 of the golden vectors: 8 of 22.5 warps, 128.6 of 790.5 Gflop/s
expect 0 "$teg" model --model throughput --set clock_ghz=1.544,fp_units=32 \
    --set active_cores=16,mem_bw_gbs=150,dram_lat=450,departure_delay=4 \
    --set fp=120,int_insts=50,br_misc=20,mem=10,n=8
out '^  throughput  *n/a  *n/a  category 5: too few warps'
out '^    Perf  *128.62828  Gflop/s'
no_err

# with a trace: no replay, so nothing to compare with
small_trace "$work/k.traceg"
expect 0 "$teg" model "$work/k.traceg" -g gtx280
out '^  mwp-cwp  *[0-9]'
out 'Issue_bound'
expect 0 "$teg" model "$work/k.traceg" -g gtx280 -f json --set comp_insts=100
out '"comp_insts": 100.0'
expect 0 "$teg" model "$work/k.traceg" -g gtx280 -o "$work/model.txt"
no_out
check "the report is in the file" grep -q mwp-cwp "$work/model.txt"

# 8 uncoalesced accesses and 8 other instructions in 4 warps of one block:
# Mem_L = 450 + 31 x 40 = 1690, Departure_delay 32 x 40 = 1280, MWP 1.3203,
# 8 x 1690 x 4 / MWP + 64 / 8 x (MWP - 1) = 40960 + 2.56
expect 0 "$teg" model tests/kernels/gt200/scatter.sketch -g gtx280
out '^  mwp-cwp  *40,963 '
out '^    Exec_cycles_app  *40962.562'
# 25 instructions of one warp, no memory: 25 x 4
expect 0 "$teg" model tests/kernels/gt200/fadd_chain.sketch -g gtx280
out '^  mwp-cwp  *100 .*issuing instructions$'
# 24 dependent additions of 24 cycles each and the exit; Lai measured 24 a piece
out '^  throughput  *[0-9]'
expect 0 "$teg" model tests/kernels/sm70/stream.sketch -g v100
out '^  mwp-cwp  *[0-9]'
# A description without the model's parameters: the model says so.
sed '/^mwp_cwp/,/^};/d' config/v100.cfg >"$work/plain.cfg"
mkdir "$work/family"
sed '/^mwp_cwp/,/^};/d' config/family/volta.cfg >"$work/family/volta.cfg"
expect 0 "$teg" model tests/kernels/sm70/stream.sketch -g "$work/plain.cfg"
out '^  mwp-cwp  *n/a .*v100: the description has no mwp_cwp group'
expect 0 "$teg" model tests/kernels/sm70/stream.sketch -g "$work/plain.cfg" \
    --set mem_ld=400,dep_del_uncoal=4,dep_del_coal=4,issue_cycles=1
out '^  mwp-cwp  *[0-9]'
out '^    clock_ghz  *1.38  GHz'
expect 0 "$teg" model tests/kernels/sm70/stream.sketch -g "$work/plain.cfg" \
    --set mem_ld=400
out 'n/a .*dep_del_uncoal: expected a number of at least 0, found none'
# a key of the description first, then one of the model
expect 0 "$teg" model "$work/k.traceg" -g gtx280 \
    --set sm.registers=8192,comp_insts=100
expect 2 "$teg" model --set mem_ld=400 -g "$work/plain.cfg"
err 'dep_del_uncoal: expected a number of at least 0, found none'
expect 0 "$teg" model --set $launch,comp_insts=10 -g gtx280
out '^    mem_ld  *450  cycles'
# Ryoo's pruning of a sweep: of equal efficiency the better utilization stays,
# and the fastest configuration is among what is left (CGO 2008; Lai 2013, 1.4.1).
expect 0 "$teg" sweep tests/kernels/sm70/matmul.sketch -g v100 -p BLOCKS=640 \
    --vary launch.registers=32,64,128 -f csv
fastest=$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    best == "" || $at["cycles"] < best { best = $at["cycles"]
        registers = $at["vary.launch.registers"] }
    END { print registers }' "$work/out")
expect 0 "$teg" sweep tests/kernels/sm70/matmul.sketch -g v100 -p BLOCKS=640 \
    --vary launch.registers=32,64,128 \
    --pareto models.ryoo.terms.Efficiency:max,models.ryoo.terms.Utilization:max
check 'one configuration is left' [ "$(wc -l <"$work/out")" = 2 ]
check 'and it is the fastest' [ "$(awk 'NR == 2 {print $3}' "$work/out")" = "$fastest" ]

# The tables of docs/models.md: a row for each bundled kernel, and the models
# beside what was measured on the GTX 280 (tools/accuracy/gtx280.csv), where the
# simulator itself is within 15 %.
expect 0 sh tools/model_table.sh --measured "$teg"
out '^| kernel | measured | simulated | mwp-cwp | throughput |'
check 'each of the sixteen cases is near' awk -F'|' '
    /gtx280/ { rows++; if ($4 < 0.85 || $4 > 1.15) far = 1 }
    END { exit rows != 16 || far }' "$work/out"
for sketch in tests/kernels/gt200/*.sketch tests/kernels/sm70/*.sketch \
    tests/kernels/micro/*.sketch; do
    check "docs/models.md has $sketch (make model-table)" \
        grep -q "^| $(basename "$sketch" .sketch), [a-z0-9]* | [0-9]" docs/models.md
done

# A device by name: half of the 57.6 Gflop/s of 12 cores with two units at 2.4 GHz,
# each second instruction waiting for the one two before; --set says otherwise.
expect 0 "$teg" model --device e5645x2 --set fp=400,dep=2
out '^    DevPeakFP  *57.6  Gflop/s$'
out '^    Perf_comp  *28.8  Gflop/s$'
expect 0 "$teg" model --device e5645x2 --set fp=400,dep=2,active_cores=6
out '^    Perf_comp  *14.4  Gflop/s$'
expect 2 "$teg" model --device e5645 --set fp=400
err "did you mean 'e5645x2'"
expect 2 "$teg" model "$work/v.traceg" --device gtx580
err '\-\-device takes no TRACE'

# five-slot bundles: 21 dependent additions and a shift behind them, another
# shift beside the first: 23 operations in 22 bundles
expect 0 "$teg" model tests/kernels/gt200/fadd_chain.sketch --vliw
out '^  packing  *20.9 %  of the slots of 22 bundles, 1 clauses'
out '^  power  *1.05 '
# 22 bundles of 32 threads on 320 processors at 850 MHz
expect 0 "$teg" model tests/kernels/gt200/fadd_chain.sketch --vliw -f json
out '"bundles_us": 0.002588235'
out '"stores_us": 0'
expect 0 "$teg" model tests/kernels/gt200/fadd_chain.sketch --vliw \
    --set simds=1,processors=1,clock_mhz=1
out '^  time  *704.00 us at least, of the bundles on 1 SIMD engines of 1 at 1 MHz$'
expect 2 "$teg" model tests/kernels/gt200/fadd_chain.sketch --vliw --set simds=0
err 'expected numbers above 0$'
small_trace "$work/v.traceg" # 4 warps store 32 times 4 bytes each
expect 0 "$teg" model "$work/v.traceg" --vliw -f csv --set slot_watts=2
out '^number,kernel,operations,bundles'
out ',512,0,[0-9.]*$'
# 512 bytes by the fast path at 0.256 GB/s
expect 0 "$teg" model "$work/v.traceg" --vliw --set fast_gbs=0.256 -f json
out '"stores_us": 2.0'
expect 0 "$teg" model "$work/v.traceg" --vliw --set complete_gbs=1 -f json
out '"stores_us": null'
expect 2 "$teg" model --vliw
err '\-\-vliw needs a TRACE'
expect 2 "$teg" model "$work/v.traceg" --vliw --set t_rato=3
err "did you mean 't_ratio'"
expect 2 "$teg" model "$work/v.traceg" --vliw --set t_ratio=-1
err 'expected a number of at least 0'
finish
