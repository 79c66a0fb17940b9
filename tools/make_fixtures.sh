#!/bin/sh
# Compiles the kernels of tests/fixtures/ for the generations the decoder is
# tested on. Needs nvcc (CUDA 13); where cuobjdump is there too, its listing
# becomes the text that the decoder's output is compared with.
cd "$(dirname "$0")/../tests/fixtures" || exit 2
command -v nvcc >/dev/null || {
    echo "make_fixtures.sh: nvcc is not on the PATH" >&2
    exit 1
}
for source in *.cu; do
    [ "$source" != bench.cu ] || continue
    for sm in 75 80 86 90; do
        name=${source%.cu}.sm_$sm
        nvcc -std=c++17 -cubin -arch=sm_$sm -o "$name.cubin" "$source" || exit 1
        command -v cuobjdump >/dev/null || continue
        # "0x0010 TEXT ;" a line, a line with the name before each function.
        cuobjdump -sass "$name.cubin" |
            sed -nE -e 's/^\t*[ ]*Function : (.*)$/\1:/p' \
                -e 's#^[ \t]*/\*([0-9a-f]{4,})\*/[ \t]+(.*;).*$#\1 \2#p' \
                >"$name.sass"
        echo "$name: $(grep -c ';' "$name.sass") instructions"
    done
done
# What make bench runs.
nvcc -std=c++17 -cubin -arch=sm_80 -o bench.sm_80.cubin bench.cu || exit 1
# Two generations and PTX in one piece, compressed.
nvcc -std=c++17 -fatbin -compress-mode=size -o block.fatbin block.cu \
    -gencode arch=compute_75,code=sm_75 -gencode arch=compute_90,code=sm_90 \
    -gencode arch=compute_75,code=compute_75
# What a program carries that is run under teg exec.
nvcc -std=c++17 -fatbin -o exec.fatbin exec.cu \
    -gencode arch=compute_75,code=sm_75 -gencode arch=compute_80,code=sm_80 \
    -gencode arch=compute_75,code=compute_75
