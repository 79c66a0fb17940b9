# The fixture kernels on a "GPU": tools/measure/kernels on the emulator behind
# the driver's entry points, against `teg trace`; and what it refuses.
. tests/cli/lib.sh
kernels=${BUILD:-build/release}/kernels
fixtures=tests/fixtures
cat >"$work/table" <<'EOF_TABLE'
# file kernel grid block shared arguments
clock  nothing   1    32   0
run    saxpy     4    64   0  i32:1000 f32:0.5 buf:f32:1000:random,seed=1 buf:f32:1000:iota
run    scan      1    64   256  buf:i32:64:random,seed=3 buf:i32:64:zeros
block  transpose 2,2  16,16 0 buf:f32:1024:random,seed=5 buf:f32:1024:zeros i32:32
EOF_TABLE
run_kernels() {
    expect "$1" "$teg" exec -g t4 --no-trace -- "$kernels" --repeats 2 --spin 1000 \
        --cubins "$2" --table "$3"
}

run_kernels 0 $fixtures "$work/table"
out '"schema": "teg-kernel-times"'
out '"name": "Tesla T4.*(teg)", "compute_capability": 75, "sms": 40, "sm_clock_mhz": [1-9]'
out '"kernel": "transpose", "grid": \[2, 2, 1\], "block": \[16, 16, 1\]'
out '"us": {"median": .*"samples": 2}'
cp "$work/out" "$work/times.json"

# the same bytes as the emulator's own command leaves
expect 0 "$teg" trace $fixtures/run.sm_75.cubin -k saxpy --grid 4 --block 64 \
    -a i32:1000 -a f32:0.5 -a buf:f32:1000:random,seed=1 -a buf:f32:1000:iota \
    --dump 3="$work/y"
sum=$(cksum <"$work/y" | cut -d' ' -f1)
check "cksum $sum of saxpy's y" \
    grep -q "saxpy.*\"index\": 3, \"bytes\": 4000, \"cksum\": $sum}" "$work/times.json"

if command -v python3 >/dev/null; then
    export TEG="$teg"
    expect 0 tools/measure/compare_kernels.py "$work/times.json" -g t4
    out '^saxpy .* same$'
    out '^scan .* same$'
    out '^transpose .* same$'
    out '^t4: mean [0-9.]* % median [0-9.]* % max [0-9.]* % over 3 kernels$'
    err 'nominal'
    sed "s/$sum/1/" "$work/times.json" >"$work/altered.json"
    expect 1 tools/measure/compare_kernels.py "$work/altered.json" -g t4
    out '^saxpy .* DIFFERENT$'
    expect 0 tools/measure/compare_kernels.py --sm 80 -g a100 --only nothing
    out '^nothing '
    head -c 300 "$work/times.json" >"$work/cut.json"
    expect 1 tools/measure/compare_kernels.py "$work/cut.json" -g t4
    err 'cut.json: not what kernels prints'
fi

# what is wrong is named
printf 'run saxpy 1 32 0 i32:1 f32:1 buf:f32:zeros\n' >"$work/bad"
run_kernels 1 $fixtures "$work/bad"
err "kernels: saxpy: expected buf:TYPE:COUNT:FILL"
printf 'run saxpy 1\n' >"$work/bad"
run_kernels 1 $fixtures "$work/bad"
err 'bad:1: expected file, kernel, grid, block'
printf 'run saxqy 1 32 0\n' >"$work/bad"
run_kernels 1 $fixtures "$work/bad"
err 'kernels: module_function.*: named symbol not found'
printf 'other saxpy 1 32 0\n' >"$work/bad"
run_kernels 1 $fixtures "$work/bad"
err 'other.sm_75.cubin: no such file'
# no code at all, a cubin cut short, a launch beyond the limits, an access out of bounds
mkdir "$work/cubins"
cp $fixtures/clock.sm_75.cubin "$work/cubins"
head -c 2000 $fixtures/run.sm_75.cubin >"$work/cubins/run.sm_75.cubin"
printf 'no code of any kind' >"$work/cubins/text.sm_75.cubin"
printf 'text saxpy 1 32 0\n' >"$work/bad"
run_kernels 1 "$work/cubins" "$work/bad"
err 'neither a cubin, a fatbin nor PTX'
printf 'run scan 1 32 0\n' >"$work/bad"
run_kernels 1 "$work/cubins" "$work/bad"
err 'kernels: .*/run.sm_75.cubin: device kernel image is invalid'
printf 'clock nothing 1 2048 0\n' >"$work/bad"
run_kernels 1 $fixtures "$work/bad"
err 'kernels: launch.*: invalid argument'
printf 'run beyond 1 64 0 buf:i32:64:zeros\n' >"$work/bad"
run_kernels 1 $fixtures "$work/bad"
err 'kernel beyond block 0,0,0 warp 0 lane .*out of bounds'

expect 2 "$kernels" --repeats 0
err 'Usage: kernels'
expect 0 "$kernels" --help
out 'Usage: kernels'
finish
