# A description drafted from measurements. The sample is invented; each
# expected value is worked out here from its numbers.
. tests/cli/lib.sh

sample=tests/golden/measurements-sample.json
draft="$work/invented.cfg"

# value KEY VALUE EVIDENCE: the loaded draft says so, with that class of
# evidence
value() {
    out "^$1  *$2  .* $3 "
}

expect 0 "$teg" gpus --from-measurements $sample -o "$draft"
err 'synthetic: the draft describes no GPU'
err 'fmul: not used, its kernel holds other instructions'
expect 0 "$teg" gpus "$draft"
out '^invented: Synthetic GPU (synthetic)'

# as the driver reports them
value chip.sms 10 V
value sm.warps_max 32 V # 1024 threads of 32
value sm.registers 32768 V
value l2.bytes 4194304 V
value dram.channels 8 D # 1024 bits by 128

# measured: the name of the kit, the device and the driver stand beside
out '^chip.sm_clock_mhz  *1234.4 .*M tools/measure on Synthetic GPU (synthetic), driver 0.1: '
value chip.dispatch_interval 3.1 M
value sm.barrier_interval 2 M # (75.6 - 13.6) / 31
value sm.barrier_latency 12 M # 13.6 - 2
value sm.policy gto M         # old first, 0.9 of the pieces whole
value shared.conflict_latency 2 M # (87.4 - 25.4) / 31
value shared.pass_interval 1.5 M  # (47.5 - 1) / 31
value memory.transaction_interval 1.024 M # 128 / 125
value l1.latency 31 M
value l1.bytes 98304 M # 33 cycles there, 150 at 131072
value l2.latency 201 M
value l2.bytes_per_cycle 512.5 M
value dram.latency 501 M # the least from 4 times L2 on: 500.6
value dram.bandwidth_gbs 256 D # 2 * 1 GHz * 1024 bits / 8
value dram.reached_gbs 197.5 M # 160 B/cycle at 1.2344 GHz: 197.50

# units, latency, initiation interval, same-warp interval
value timing.iadd 'int 5 2 1' M    # 4 schedulers / 1.98; 2.01 is the unit's
value timing.fmad 'fp32 7 1 2' M   # 4 / 3.99; one warp every 2.02
value timing.sfu 'sfu 21 8 9' M    # 4 / 0.499; one warp every 9.04
value timing.lds 'lsu 25 1 3' M    # one unit for the SM
value timing.hmma 'tensor 33 8 1' M # the larger shape, not the first row
value tensor.latency_128 17 M
value tensor.latency_256 33 M
value tensor.f16_f32 256 M # 2048 in the 8 cycles of 4 schedulers / 0.495
value tensor.f16 256 V # not measured
value timing.s2r 'lsu 23 1 1' M

# not measured: from the chip of that compute capability, and its family
value dram.hash 1 I
out '^dram.hash .* I as a100: '
out '^l2.slices  *128 .* I the 160 of a100 do not divide L2'
out '^sm.register_unit .* V .*  ampere.cfg:'
check 'the family is listed as not measured' \
    grep -q '^#   sm.register_unit = 256: V ' "$draft"
check 'a kernel with other instructions is not used' \
    sh -c "! grep -q '^ *fmul ' '$draft'"

# Beside the descriptions a draft names the family as they do; without -o it
# is printed.
expect 0 "$teg" gpus --from-measurements $sample
out '^family = "family/ampere.cfg";'
out '^name   = "synthetic-gpu";'

# An older or unknown chip inherits from the nearest older one.
sed 's/"compute_capability": 80/"compute_capability": 999/' $sample \
    >"$work/new.json"
expect 0 "$teg" gpus --from-measurements "$work/new.json" -o "$work/new.cfg"
err 'no description of compute capability 999: inheriting from '

# Names of devices are not ours.
sed 's/"name": "Synthetic GPU"/"name": "A \\"quoted\\" \\\\ *\/ \\n name"/' \
    $sample >"$work/odd.json"
expect 0 "$teg" gpus --from-measurements "$work/odd.json" -o "$work/odd.cfg"

# Measurements of one section make a draft too.
cat >"$work/little.json" <<'END'
{"schema": "teg-measurements", "version": 1, "driver_version": "1",
 "device": {"name": "x", "compute_capability": 70}, "results": []}
END
expect 0 "$teg" gpus --from-measurements "$work/little.json" \
    -o "$work/little.cfg"

# What is wrong is said with file and line.
bad() {
    sed "$2" $sample >"$work/bad.json"
    expect 1 "$teg" gpus --from-measurements "$work/bad.json" -o "$work/no.cfg"
    err "^teg: .*bad.json:$1: "
    err "$3"
    check "no draft from bad measurements: $3" [ ! -e "$work/no.cfg" ]
}
line() {
    grep -n -m1 -e "$1" $sample | cut -d: -f1
}
bad "$(line '"schema"')" 's/teg-measurements/other/' \
    'schema: expected "teg-measurements", found "other"'
bad "$(line '"version"')" 's/"version": 1,/"version": 2,/' \
    'version: expected 1, found 2'
bad "$(line '"compute_capability"')" \
    's/"compute_capability": 80/"compute_capability": "8.0"/' \
    'compute_capability: expected .*, found "8.0"'
bad "$(line '"name": "lds"')" 's/"median": 25.4, "min": 25.4/"median": -1/' \
    'results\[[0-9]*\].median: expected a number above 0, found -1'
bad "$(line '"name": "s2r"')" 's/"name": "s2r"/"name": 7/' \
    'results\[[0-9]*\].name: expected a string, found 7'
# jansson sees it at the first member
bad "$(line '"name": "Synthetic')" 's/"device": {/"device": [/' 'expected JSON'
bad 1 's/"driver_version"/"other_version"/' \
    'driver_version: expected a string, found nothing'
bad 1 '1s/{/{}/;1!d' 'schema: expected .*, found nothing'

expect 1 "$teg" gpus --from-measurements "$work/missing.json"
err 'missing.json: cannot open'
: >"$work/empty.json"
expect 1 "$teg" gpus --from-measurements "$work/empty.json"
err 'empty.json:1: expected JSON'
expect 1 "$teg" gpus --from-measurements "$work"
size=$(wc -c <$sample)
for cut in 1 2 $((size / 3)) $((size / 2)) $((size - 3)); do
    head -c $cut $sample >"$work/cut.json"
    expect 1 "$teg" gpus --from-measurements "$work/cut.json"
    err 'cut.json:[0-9]*: expected JSON'
done
expect 2 "$teg" gpus v100 --from-measurements $sample
expect 2 "$teg" gpus -o "$work/no.cfg"

finish
