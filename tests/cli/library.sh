# The library as others have it: installed, found by pkg-config alone, linked
# from C and C++, shared and static.
. tests/cli/lib.sh
kernel=tests/kernels/sm70/reduction.sketch
prefix=$work/usr
cxx=${CXX:-c++}
[ "${build##*/}" = asan ] && sanitize=-fsanitize=address,undefined
warn="-Wall -Wextra -pedantic -Werror $sanitize"

if ! command -v pkg-config >/dev/null || ! $cxx --version >/dev/null 2>&1; then
    echo 'skipped: linking the library (needs pkg-config and a C++ compiler)'
    finish
fi

install_to() {
    make VARIANT="${build##*/}" BUILD="$build" "$@"
}

# ---- what is installed -------------------------------------------------------
expect 0 install_to PREFIX="$prefix" install
export PKG_CONFIG_PATH="$prefix/lib/pkgconfig"
check 'the headers are those of include/teg and no others' \
    [ "$(cd "$prefix/include" && find . -type f | sort)" = \
    "$(cd include && find . -name '*.h' | sort)" ]
version=$("$teg" --version | sed 's/^teg //')
check 'pkg-config knows the version' [ "$(pkg-config --modversion teg)" = "$version" ]
check 'descriptions are where teg.pc says' \
    [ -f "$(pkg-config --variable=configdir teg)/v100.cfg" ]
so=$prefix/lib/libteg.so.$version
soname=libteg.so.${version%%.*}
check 'the .so has its soname' \
    sh -c "readelf -d '$so' | grep -q 'soname: \[$soname\]'"
check 'which leads to it' cmp -s "$prefix/lib/$soname" "$so"
check 'and so does the name to link' cmp -s "$prefix/lib/libteg.so" "$so"

# A staged installation holds no path of the stage.
expect 0 install_to DESTDIR="$work/stage" PREFIX=/opt/teg install-lib
check 'DESTDIR is where files go' [ -f "$work/stage/opt/teg/lib/$soname" ]
check 'and in no file' grep -qx 'libdir=/opt/teg/lib' \
    "$work/stage/opt/teg/lib/pkgconfig/teg.pc"
check 'nor half' sh -c "! grep -q '$work' '$work/stage/opt/teg/lib/pkgconfig/teg.pc'"

# ---- names -------------------------------------------------------------------
# A name that goes or changes breaks programs; one that comes is a new version's.
exported() {
    nm "$@" --defined-only | awk 'NF == 3 && $2 != "A" {sub(/@.*/, "", $3); print $3}' |
        LC_ALL=C sort
}
declared() {
    cat include/teg/*.h | tr '\n' ' ' | grep -o 'TEG_API [^(;]*(' |
        sed -n 's/.*[ *]\(teg_[a-z0-9_]*\)($/\1/p' | LC_ALL=C sort
}
exported -D "$so" >"$work/so"
exported -g "$prefix/lib/libteg.a" >"$work/a"
declared >"$work/declared"
check 'tests/golden/libteg.symbols are those of the .so' \
    diff tests/golden/libteg.symbols "$work/so"
check 'and those of the archive' diff tests/golden/libteg.symbols "$work/a"
check 'and those that the headers declare' \
    diff tests/golden/libteg.symbols "$work/declared"

# ---- headers -----------------------------------------------------------------
for header in include/teg/*.h; do
    name=teg/${header##*/}
    echo "#include <$name>" >"$work/one.c"
    cp "$work/one.c" "$work/one.cc"
    check "$name stands alone in C" $cc -std=c17 $warn -Wstrict-prototypes \
        $(pkg-config --cflags teg) -c "$work/one.c" -o "$work/one.o"
    check "$name stands alone in C++" $cxx -std=c++17 $warn \
        $(pkg-config --cflags teg) -c "$work/one.cc" -o "$work/one.o"
done

# ---- programs ----------------------------------------------------------------
sed -n '/^```c$/,/^```$/p' docs/library.md | sed '/^```/d' >"$work/page.c"
expect 0 $cc -std=c17 $warn docs/examples/library.c \
    $(pkg-config --cflags --libs teg) -o "$work/c"
expect 0 $cxx -std=c++17 $warn docs/examples/library.cc \
    $(pkg-config --cflags --libs teg) -o "$work/cc"
expect 0 $cc -std=c17 $warn "$work/page.c" \
    $(pkg-config --cflags --libs teg) -o "$work/page"

"$teg" run $kernel -g v100 -f json >"$work/run.json"
cycles=$(sed -n 's/^  "cycles": \([0-9]*\),$/\1/p' "$work/run.json")
"$teg" whatif $kernel -g v100 -f csv | sed '1d; s/^\([^,]*\),\([^,]*\),.*/what-if \1 \2/' |
    head -5 >"$work/ranking"
"$teg" sweep $kernel -g v100 --vary sm.warps_max=16,32 -f csv |
    awk -F, 'NR == 1 {for (i = 1; i <= NF; i++) at[$i] = i; next}
             {print "sm.warps_max=" $at["vary.sm.warps_max"], $at["cycles"]}' >"$work/sweep"
check 'there are cycles to compare with' [ "$cycles" -gt 1000 ]
check 'and what-ifs' [ "$(wc -l <"$work/ranking")" = 5 ]
check 'and points' [ "$(wc -l <"$work/sweep")" = 2 ]

# runs WHAT PROGRAM...: it must say what teg says
runs() {
    what=$1
    shift
    expect 0 "$@" v100 $kernel sm.warps_max 16,32
    no_err
    check "$what: cycles as of teg run" \
        grep -q "^cycles $cycles, [0-9.]* us, reduction of v100$" "$work/out"
    grep '^what-if' "$work/out" >"$work/said"
    check "$what: what-ifs as of teg whatif" cmp -s "$work/said" "$work/ranking"
    grep '^sm' "$work/out" >"$work/said"
    check "$what: points as of teg sweep" cmp -s "$work/said" "$work/sweep"
}
shared() {
    LD_LIBRARY_PATH="$prefix/lib" "$@"
}
runs 'shared, C' shared "$work/c"
expect 0 shared "$work/cc" v100 $kernel
out "^cycles $cycles$"
out '^  unit lsu .* % active$'
out '^  stall barrier '
out '^  model roofline .* cycles, '
expect 0 shared "$work/page" v100 $kernel
out "^reduction: $cycles cycles, "

# Everything static; the sanitizers cannot be.
if [ -z "$sanitize" ]; then
    expect 0 $cc -std=c17 $warn docs/examples/library.c -static \
        $(pkg-config --static --cflags --libs teg) -o "$prefix/bin/c"
    expect 0 $cxx -std=c++17 $warn docs/examples/library.cc -static \
        $(pkg-config --static --cflags --libs teg) -o "$prefix/bin/cc"
    runs 'static, C' "$prefix/bin/c"
    expect 0 "$prefix/bin/cc" v100 $kernel
    out "^cycles $cycles$"
fi

# ---- faults ------------------------------------------------------------------
expect 1 shared "$work/c" v1o0 $kernel sm.warps_max 16
err "^library: unknown GPU 'v1o0'; did you mean 'v100'?$"
expect 1 shared "$work/c" v100 "$work/nothing" sm.warps_max 16
err "^library: $work/nothing: cannot open: No such file or directory$"
expect 1 shared "$work/cc" v100 "$work/so"
err "^library: $work/so: expected a .tegt, an NVBit trace"
expect 0 shared "$work/c" v100 $kernel sm.warp_max 16
err '^library: sm.warp_max: expected a key .*; nearest is sm.warps_max$'
out '^sm.warp_max=16 0$'
expect 1 shared "$work/page" v100 "$work/so"
err 'expected a .tegt'

finish
