# Committed cubins are what nvcc makes of their sources: one file here, all of
# them in `make fixtures-check`.
. tests/cli/lib.sh
made_with='release 13.0'

if ! command -v nvcc >/dev/null; then
    echo 'skipped: no nvcc'
elif ! nvcc --version | grep -q "$made_with"; then
    echo "skipped: nvcc is not of CUDA 13.0"
else
    expect 0 tools/make_fixtures.sh --check kernels/k01_vecadd.cu
    out '^1 files compared$'
fi
finish
