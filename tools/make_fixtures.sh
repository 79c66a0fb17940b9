#!/bin/sh
# Compiles the kernels of tests/fixtures/ for the generations that are tested.
# Needs nvcc (CUDA 13.0 made the committed files); where cuobjdump is there
# too, its listing becomes the text that the decoder's output is compared with.
#
#   tools/make_fixtures.sh                  makes the files anew
#   tools/make_fixtures.sh --check [FILE]   makes them elsewhere and compares;
#                                           status 1 and their names if any
#                                           differ; FILE: only that .cu
cd "$(dirname "$0")/../tests/fixtures" || exit 2
command -v nvcc >/dev/null || {
    echo "make_fixtures.sh: nvcc is not on the PATH" >&2
    exit 1
}
made=. only= check= differs=0
if [ "${1:-}" = --check ]; then
    check=1 only=${2:-}
    made=$(mktemp -d)
    trap 'rm -rf "$made"' EXIT
    mkdir "$made/kernels"
fi
generations="75 80 86 90"
listed="$generations 100 120"
all=
for sm in $generations; do
    all="$all -gencode arch=compute_$sm,code=sm_$sm"
done

wanted() { [ -z "$only" ] || [ "$only" = "$1" ]; }

# The function's name and a colon, then "0x0010 TEXT ;" a line.
listing() {
    command -v cuobjdump >/dev/null || return 0
    cuobjdump -sass "$made/$1.cubin" |
        sed -nE -e 's/^\t*[ ]*Function : (.*)$/\1:/p' \
            -e 's#^[ \t]*/\*([0-9a-f]{4,})\*/[ \t]+(.*;).*$#\1 \2#p' \
            >"$made/$1.sass"
}

for source in block.cu clock.cu exec.cu flow.cu run.cu vector.cu; do
    wanted $source || continue
    case $source in
    clock.cu) made_for=$generations ;;
    exec.cu | run.cu) made_for="$generations 120" ;;
    *) made_for=$listed ;;
    esac
    for sm in $made_for; do
        name=${source%.cu}.sm_$sm
        nvcc -std=c++17 -cubin -arch=sm_$sm -o "$made/$name.cubin" \
            $source || exit 1
        case $source in
        clock.cu | exec.cu | run.cu) ;; # run, not listed
        *) listing "$name" ;;
        esac
    done
done
# Products of warp groups.
wanted groups.ptx && {
    ptxas -arch=sm_90a -o "$made/groups.sm_90.cubin" groups.ptx || exit 1
    listing groups.sm_90
}
# What only one family of Blackwell has.
wanted tensor_memory.cu && {
    nvcc -std=c++17 -cubin -arch=sm_100a \
        -o "$made/tensor_memory.sm_100.cubin" tensor_memory.cu || exit 1
    listing tensor_memory.sm_100
}
wanted tcgen.cu && {
    nvcc -std=c++17 -cubin -arch=sm_100a -o "$made/tcgen.sm_100.cubin" \
        tcgen.cu || exit 1
}
wanted scaled.cu && {
    nvcc -std=c++17 -cubin -arch=sm_120a -o "$made/scaled.sm_120.cubin" \
        scaled.cu || exit 1
    listing scaled.sm_120
}
# Source lines name the file's folder and the second it was written in, so
# these are always the same. Listings of every kind, of code with and without.
wanted lines.cu && {
    at=/tmp/teg-fixtures
    mkdir -p "$at" && cp lines.cu lines.h "$at" &&
        touch -d 2026-01-01T00:00:00Z "$at"/lines.* || exit 1
    for sm in 75 80 90; do
        (cd "$at" && nvcc -std=c++17 -cubin -lineinfo -arch=sm_$sm \
            -o lines.sm_$sm.cubin lines.cu) || exit 1
    done
    # Debug code names the PTX it was made of: a kept file, not a temporary one.
    (cd "$at" && nvcc -std=c++17 -cubin -G -keep -arch=sm_86 \
        -o lines_debug.sm_86.cubin lines.cu) || exit 1
    mv "$at"/lines*.sm_*.cubin "$made"
    rm -r "$at"
    command -v cuobjdump >/dev/null && cuobjdump -sass \
        "$made/lines.sm_80.cubin" >"$made/lines.sm_80.cuobjdump.sass"
    command -v nvdisasm >/dev/null && {
        nvdisasm -c "$made/lines.sm_75.cubin" >"$made/lines.sm_75.nvdisasm.sass"
        nvdisasm -c -gi -hex "$made/lines.sm_90.cubin" \
            >"$made/lines.sm_90.nvdisasm.sass"
        nvdisasm -c -gi "$made/lines_debug.sm_86.cubin" \
            >"$made/lines_debug.sm_86.nvdisasm.sass"
    }
}
# Linked, but not with the device runtime.
wanted children.cu && {
    at=$(mktemp -d)
    nvcc -rdc=true -arch=sm_80 -odir "$at" -c children.cu runtime.cu &&
        nvcc -dlink -arch=sm_80 -cubin "$at/children.o" "$at/runtime.o" \
            -o "$made/children.sm_80.cubin" || exit 1
    rm -r "$at"
}
# What make bench runs.
wanted bench.cu && { nvcc -std=c++17 -cubin -arch=sm_80 \
    -o "$made/bench.sm_80.cubin" bench.cu || exit 1; }
# Pairs of kernels, with and without a flaw, and steps of ladders: folders of
# tests/kernels.  Their lines name where they were compiled.
kernels_of() { # FOLDER FILE GENERATION...
    folder=$1 file=$2 at=/tmp/teg-fixtures codes=
    shift 2
    for sm; do
        codes="$codes -gencode arch=compute_$sm,code=sm_$sm"
    done
    mkdir -p "$at" && cp ../kernels/"$folder/$file.cu" "$at" &&
        touch -d 2026-01-01T00:00:00Z "$at/$file.cu" || exit 1
    # shellcheck disable=SC2086
    (cd "$at" && nvcc -std=c++17 -fatbin -compress-mode=size -lineinfo $codes \
        -o "$file.fatbin" "$file.cu") || exit 1
    if [ -z "$check" ]; then
        mv "$at/$file.fatbin" ../kernels/"$folder"
    elif ! cmp -s "$at/$file.fatbin" ../kernels/"$folder/$file.fatbin"; then
        echo "differs: tests/kernels/$folder/$file.fatbin"
        differs=1
    fi
    rm -r "$at"
}
wanted flaws.cu && kernels_of flaws flaws 80
wanted held.cu && kernels_of flaws held 80
wanted later.cu && kernels_of flaws later 80
wanted fresh.cu && kernels_of flaws fresh 80
wanted ladders.cu && kernels_of ladders ladders 75 80 90
wanted bodies.cu && kernels_of ladders bodies 75 80 90
# PTX that says no lines: its code is of its own.
# plain.sm_35.cubin and plain.sm_52.cubin are of the same text, with .version 6.0
# and .target sm_30, by the ptxas of CUDA 11.8 and 12.9, which nvcc 13 cannot make.
wanted plain.ptx && { ptxas -arch=sm_80 -lineinfo -o "$made/plain.sm_80.cubin" \
    plain.ptx || exit 1; }
# What tests/cli/async.sh runs.
wanted async.cu && { nvcc -std=c++17 -cubin -arch=sm_80 \
    -o "$made/async.sm_80.cubin" async.cu || exit 1; }
# Recursion compiled for debugging, whose stack nobody knows.
wanted deep.cu && {
    at=/tmp/teg-fixtures
    mkdir -p "$at" && cp deep.cu "$at" &&
        touch -d 2026-01-01T00:00:00Z "$at/deep.cu" || exit 1
    for sm in 80 90; do
        (cd "$at" && nvcc -std=c++17 -cubin -G -keep -arch=sm_$sm \
            -o deep.sm_$sm.cubin deep.cu 2>/dev/null) || exit 1
    done
    mv "$at"/deep.sm_*.cubin "$made"
    rm -r "$at"
}
# Functions in sections of their own, linked.
wanted linked.cu && for sm in 80 90; do
    nvcc -std=c++17 -rdc=true -dlink -cubin -arch=sm_$sm \
        -o "$made/linked.sm_$sm.cubin" linked.cu || exit 1
done
# Two files, each with a function that the compiler gives one name.
wanted twins.cu && { nvcc -std=c++17 -rdc=true -dlink -cubin -arch=sm_80 \
    -o "$made/twins.sm_80.cubin" twins.cu twins_second.cu || exit 1; }
# Warps that wait for each other, as no generation before could.
wanted ring.cu && { nvcc -std=c++17 -cubin -arch=sm_90 \
    -o "$made/ring.sm_90.cubin" ring.cu || exit 1; }
wanted compete.cu && { nvcc -std=c++17 -cubin -arch=sm_80 \
    -o "$made/compete.sm_80.cubin" compete.cu || exit 1; }
wanted phases.cu && { nvcc -std=c++17 -cubin -arch=sm_90 \
    -o "$made/phases.sm_90.cubin" phases.cu || exit 1; }
# Blocks of a cluster that read, write and tell each other.
wanted cluster.cu && { nvcc -std=c++17 -cubin -arch=sm_90 \
    -o "$made/cluster.sm_90.cubin" cluster.cu || exit 1; }
# Two generations and PTX in one piece, compressed.
wanted block.cu && nvcc -std=c++17 -fatbin -compress-mode=size \
    -o "$made/block.fatbin" block.cu \
    -gencode arch=compute_75,code=sm_75 -gencode arch=compute_90,code=sm_90 \
    -gencode arch=compute_75,code=compute_75
# What a program carries that is run under teg exec.
wanted exec.cu && nvcc -std=c++17 -fatbin \
    -o "$made/exec.fatbin" exec.cu \
    -gencode arch=compute_75,code=sm_75 -gencode arch=compute_80,code=sm_80 \
    -gencode arch=compute_90,code=sm_90 -gencode arch=compute_75,code=compute_75
# What tools/sampling/iterate.c launches.
wanted iterate.cu && nvcc -std=c++17 -fatbin -compress-mode=size \
    -o "$made/iterate.fatbin" iterate.cu \
    -gencode arch=compute_75,code=sm_75 -gencode arch=compute_80,code=sm_80
# Kernels that are run and compared with C, all generations in one file.
for source in kernels/*.cu; do
    wanted "$source" || continue
    codes="$all -gencode arch=compute_120,code=sm_120"
    case $source in
    *sparse.cu) # none before sm_80; those of 8-bit floats are sm_89's own
        codes="${codes#*sm_75} -gencode arch=compute_89,code=sm_89" ;;
    *tensor_modes.cu)
        codes="-gencode arch=compute_100a,code=sm_100a" ;;
    *gmma.cu | *tensor_map.cu) codes='-gencode arch=compute_90a,code=sm_90a' ;;
    *blackwell.cu) codes='-gencode arch=compute_120a,code=sm_120a' ;;
    *pairs.cu | *tensor_memory.cu | *next_work.cu | *k60_bulk.cu)
        codes='-gencode arch=compute_100a,code=sm_100a'
        codes="$codes -gencode arch=compute_120a,code=sm_120a" ;;
    esac
    # shellcheck disable=SC2086
    nvcc -std=c++17 -fatbin -compress-mode=size $codes \
        -o "$made/${source%.cu}.fatbin" "$source" 2>/dev/null || exit 1
done

[ -n "$check" ] || exit 0
status=$differs count=0
for file in $(cd "$made" && find . -type f | sort); do
    count=$((count + 1))
    cmp -s "$made/$file" "$file" && continue
    echo "differs: tests/fixtures/${file#./}"
    status=1
done
# What no rule above makes has been compared with nothing.
for file in *.cubin *.fatbin kernels/*.fatbin; do
    [ -z "$only" ] || break
    [ -e "$made/$file" ] && continue
    case $file in *_triton.*) continue ;; esac # by the .py beside it
    echo "not made from a source: tests/fixtures/$file"
    status=1
done
echo "$count files compared"
exit $status
