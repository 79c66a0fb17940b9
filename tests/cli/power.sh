# teg power: the report, its sources of cycles, faults, CPU and GPU.
. tests/cli/lib.sh

small_trace "$work/k.traceg"
expect 0 "$teg" power "$work/k.traceg" -g gtx280 --sweep off
err 'code for sm_70 on a chip of sm_13'

# P03 and P04 of tests/golden/power-vectors.csv, typed in
counts=dac_fp=40,dac_reg=77,dac_alu=16,dac_int=15,dac_fds=77,dac_gmem=6
counts=$counts,mem_insts=6,nonmem_insts=71
launch=threads_per_block=256,blocks=960,active_sms=30,exec_cycles=124984
expect 0 "$teg" power -g gtx280 --set $launch,$counts --after 60 --time-to 70
out '^  power  *171.8 W  = 83.0 idle + 58.2 SMs + 30.7 memory$'
out '71.7 C  after 60 s from 57.0 C, then 178.5 W'
out '75.0 C  steady, then 180.0 W'
# 35 ln(17.9789 / (74.9789 - 70))
out '^  70.0 C  *44.94 s '
out '^  gmem  *6 .* 30.69 '
no_err
expect 0 "$teg" power -g gtx280 --set $launch,$counts -f json
out '"gpu_watts": 171.84637'
out '"kernel": null'
out '"max_sm": 58.1590836'
out '"why": "needs a trace"'
expect 0 "$teg" power -g gtx280 --set $launch,$counts --time-to 80
out '^  80.0 C  *never '

# P12: one SM of a GTX 580
expect 0 "$teg" power -g gtx580 --set threads_per_block=256,blocks=960 \
    --set active_sms=1,exec_cycles=800000,dac_fp=40,dac_reg=60,dac_int=15 \
    --set dac_fds=77,dac_gmem=6,dac_l1=6,dac_l2=6
out '^  power  *92.7 W  = 27.0 idle + 64.0 activation'
out 'uncalibrated'
out '^  temperature  *n/a'

# with a trace
sketch=tests/kernels/gt200/matmul_abt.sketch
expect 0 "$teg" power $sketch -g gtx280
out '^  cycles .*, simulated, on 1 of 30 SMs$'
out '^  best  *1 SMs: least energy'
no_err
expect 0 "$teg" power $sketch -g gtx280 --cycles mwp-cwp -f json
out '"cycles_from": "mwp-cwp"'
out '"from": "mwp-cwp"'
expect 0 "$teg" power $sketch -g gtx280 --set exec_cycles=1000
out 'fds is accessed .* times as often as its issue rate'
out '^  best SMs  *n/a  *cycles or SMs were given by hand'
expect 0 "$teg" power $sketch -g gtx280 --sweep off
out '^  best SMs  *n/a  *--sweep off'

# back-to-back multiply-adds drive FP, REG and FDS close to 1 (Hong 2012, 3.5.1)
expect 0 "$teg" power tests/kernels/gt200/fmad_stream.sketch -g gtx280 -p WARPS=16
out '^  fds  *512  *\(1\|0.99[0-9]*\) '
out '^  reg  *512  *\(1\|0.99[0-9]*\) '
out '^  fp  *512  *\(1\|0.99[0-9]*\) '

# 24 blocks on up to 24 SMs; the best is the least of all points
cat >"$work/copies.sketch" <<'END'
sketch 1
kernel "copies"
isa gt200
grid 24
block 64
registers 16
let data = 0x100000
repeat k 8
    GLD.U32 R8, global14[R2 : data + 4*(tid + ntid*ctaid) + 65536*k]
    FADD32 R9, R8, R9
end
END
expect 0 "$teg" power "$work/copies.sketch" -g gtx280 -f json
cat >"$work/best.py" <<'END'
import json, sys
c = json.load(open(sys.argv[1]))
curve, power = c["curve"], c["power"]
points = curve["points"]
assert [p["active_sms"] for p in points] == list(range(1, 25))
keys = {"energy": "energy_j", "runtime_energy": "runtime_energy_j",
        "gated_energy": "gated_energy_j", "edp": "edp_js", "time": "seconds"}
for goal, key in keys.items():
    least = min(p[key] for p in points)
    assert points[curve["best"][goal] - 1][key] <= least * (1 + 2e-9), goal
for p in points:
    assert abs(p["energy_j"] - p["gpu_watts"] * p["seconds"]) < 1e-8 * p["energy_j"]
    assert p["gated_watts"] <= p["gpu_watts"] * 1.000001, p
total = power["idle_watts"] + power["activation_watts"] + power["sms_watts"] \
    + power["memory_watts"] + power["l2_watts"] + power["instructions_watts"] \
    + power["dram_watts"]
assert abs(total - power["gpu_watts"]) < 1e-6
assert points[-1]["cycles"] == c["cycles"]
assert len(curve["placement"]["sms"]) == curve["best"]["energy"]
END
if command -v python3 >/dev/null; then
    check "the curve is consistent" python3 "$work/best.py" "$work/out"
fi
expect 0 "$teg" power "$work/copies.sketch" -g gtx280 --cores 7 --sweep off
out ', on 7 of 30 SMs$'

# Volta has energies of events: 32.3 + 26.2 + 80 x 0.756 W and what the events
# take, which is said with its error.
expect 0 "$teg" power tests/kernels/sm70/stream.sketch -g v100 --sweep off
out '32.3 idle + 26.2 activation + 60.5 SMs + .* instructions + .* DRAM$'
out '9.9 % off in the mean on$'
check 'no component is missed' sh -c "! grep -q 'not counted' '$work/out'"
expect 0 "$teg" power -g v100 --set dac_fds=1000,threads_per_block=32,blocks=1 \
    --set active_sms=1,exec_cycles=1380,dram_bytes=1e6 -f json
out '"instructions_watts": 0.836,*$' # 1000 x 836 pJ in a microsecond
out '"dram_watts": 38.0,*$'          # 1e6 x 38 pJ in it

# kernels of a list warm the chip one after the other
expect 0 "$teg" convert $sketch "$work/a.tegt"
cp "$work/k.traceg" "$work/b.traceg"
printf 'b.traceg\nb.traceg\n' >"$work/kernelslist.g"
expect 0 "$teg" power "$work/kernelslist.g" -g gtx280 --after 100
out '^total of 2 kernels'
out ' in 200 s: '
out '^  temperature .* at the end'
expect 0 "$teg" power "$work/kernelslist.g" -g gtx280 -f json
out '"mean_gpu_watts"'

# and each as often as it was launched
joules() {
    sed -n 's/^    "energy_j": \([0-9.e+-]*\),*$/\1/p' "$work/out" | tail -1
}
one=$(joules)
printf '{"kernels": [{"trace": "b.traceg"}, {"trace": "b.traceg",
    "launches": 9}]}' >"$work/kernels.json"
expect 0 "$teg" power "$work/kernels.json" -g gtx280 -f json
check 'ten launches take five times the energy of two' \
    awk -v a="$one" -v b="$(joules)" 'BEGIN {
        exit !(a > 0 && b > 4.999 * a && b < 5.001 * a)}'

# what is missing or wrong
expect 1 "$teg" power "$work/k.traceg" -g p100
err 'p100: .*power.idle_watts power.issue_norm power_unit'
no_out
expect 1 "$teg" power "$work/missing.traceg" -g gtx280
expect 1 "$teg" power "$work/k.traceg" -g gtx580 --time-to 60
err 'no thermal section'
expect 2 "$teg" power
expect 2 "$teg" power -g gtx280 --set $launch,dac_fp=-1
err 'dac_fp: expected a number of at least 0, found -1'
expect 2 "$teg" power "$work/k.traceg" -g gtx280 --set dac_fpx=1
err "did you mean 'dac_fp'"
expect 2 "$teg" power "$work/k.traceg" -g gtx280 --set power.idle_wats=1
err 'power.idle_watts'
expect 2 "$teg" power "$work/k.traceg" -g gtx280 --set power_unit.fp.watts=-1
expect 2 "$teg" power "$work/k.traceg" -g gtx280 --cycles mwp_cwp
err "did you mean 'mwp-cwp'"
expect 2 "$teg" power "$work/k.traceg" -g gtx280 --after -1
expect 2 "$teg" power "$work/k.traceg" -g gtx280 --time-to hot
expect 2 "$teg" power -g gtx280 --set $launch,active_sms=31
err 'active_sms: expected at most the 30 SMs'

# a section given by hand
expect 0 "$teg" power "$work/k.traceg" -g p100 --sweep off \
    --set power.idle_watts=40,power.issue_norm=0.25 \
    --set power_unit.fds.watts=0.5,power_unit.gmem.watts=60
out '^  power .*= 40.0 idle'
out 'fp has no watts in the description'

# H04 and A1 of the golden vectors
expect 0 "$teg" power --split perf_cpu_gflops=50,perf_gpu_gflops=500 \
    --split work_gflop=1000,bytes_gb=4,link_gbs=5
out '^  CPU  *12.28 %'
out '8.143 times as fast'
expect 0 "$teg" power --split perf_cpu_gflops=500,perf_gpu_gflops=500 \
    --split work_gflop=100,bytes_gb=100,link_gbs=5,fixed_s=10
out 'do not use the GPU at all'
mix=c_o=4,f_o=2,phi_o=2,b_o=100,c_c=4,f_c=2,phi_c=2,c_g=16,lambda_g=4
expect 0 "$teg" power --efficiency $mix
out '^  best  *80 % to the GPU: 3.367'
expect 0 "$teg" power --efficiency $mix,gpu_share=0.5 -f json
out '"energy_efficiency_e": 1.34693877'
expect 2 "$teg" power --split perf_cpu_gflops=0,perf_gpu_gflops=1
err '--split: perf_cpu_gflops: expected a number above 0, found 0'
expect 2 "$teg" power --efficiency gpu_share=2
expect 2 "$teg" power --split perf_cpu=1
err "did you mean 'perf_cpu_gflops'"
expect 2 "$teg" power "$work/k.traceg" --split perf_cpu_gflops=1

# SMs i and i + 7 of an 8800 GT share a TPC, neighbors do not (Hong 2012, 4.5.2).
expect 0 "$teg" power -g 8800gt --placement 0-1-2-3,0-7-1-8 --placement 4-11-0-1
out '^  SMs  *TPCs  fewest$'
check 'fewest first' test "$(sed -n '2,4s/ *[0-9]*$//p' "$work/out" | tr -s ' \n' ' ')" = \
    ' 0-7-1-8 2 4-11-0-1 3 0-1-2-3 4 '
for set in '' - 0- 14 0-0 0,; do
    expect 2 "$teg" power -g 8800gt --placement "$set"
    err '--placement: expected SMs from 0 to 13, each once, like 0-7-1-8, found'
done
expect 2 "$teg" power --placement 0-1
err '--placement: expected a GPU, -g'
expect 2 "$teg" power "$work/k.traceg" -g 8800gt --placement 0-1
err '--placement takes no TRACE'

expect 0 "$teg" explain runtime_power_0
out 'core_scale'
expect 0 "$teg" explain gmem
# Over five time constants the temperature rises by all but e^-5 of the way,
# and the leakage by 10/22 W a degree ([T] 49, 56; 3.2.7).
expect 0 "$teg" power tests/kernels/gt200/matmul_abt.sketch -g gtx280 --sweep off -f json
check 'temperature and power over time' awk -F: '
    function number(text) { sub(/,.*/, "", text); return text + 0 }
    /"gpu_watts"/ && over { watts[n] = number($2) }
    /"over_time"/ { over = 1 }
    /"celsius"/ && over { celsius[++n] = number($2) }
    /"steady_celsius"/ { steady = number($2) }
    END {
        rise = (celsius[n] - celsius[1]) / (steady - celsius[1])
        leak = (watts[n] - watts[1]) / (celsius[n] - celsius[1])
        exit !(n == 21 && celsius[1] == 57 && rise > 0.9932 && rise < 0.9934 &&
               leak > 0.4545 && leak < 0.4546)
    }' "$work/out"

finish
