# What the command-line tests share. A script sources this, expects things and
# ends with `finish`.
#
#   expect STATUS COMMAND...   runs it; its exit status must be STATUS
#   out PATTERN, err PATTERN   the last command printed a line like this
#   no_out, no_err             ... printed nothing there
#   check WHAT TEST...         TEST must succeed
#   within SECONDS TEST...     waits until TEST succeeds, at most that long
#   ended PID...               none of the processes runs any more
#   small_trace FILE           writes an NVBit trace of two blocks
#   compile NAME               makes an object of tests/cli/NAME.c, a program
#                              that calls a vendor's library
#   library NAME NUMBER STATUS PATTERN   makes libNAME.so.NUMBER, whose functions
#                              return STATUS: those that objects want and whose
#                              names match, beside what libNAME.c has
#   link OUTPUT FILE...        makes a program of objects and such libraries
#
# $build is the build that is tested, $cc $flags what programs for it are
# compiled with.
# shellcheck disable=SC2034
build=${BUILD:-build/release} cc=${CC:-cc} flags= patience=120
case $build in *asan*) flags=-fsanitize=address,undefined patience=600 ;; esac
teg=$build/teg
checks=0 failures=0 last=
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT

fail() {
    failures=$((failures + 1))
    echo "$0: $1"
    sed 's/^/    stderr: /' "$work/err" | head -5
}

expect() {
    want=$1
    shift
    last=$*
    checks=$((checks + 1))
    case $1 in
    "$teg" | sh) timeout "$patience" "$@" >"$work/out" 2>"$work/err" ;;
    *) "$@" >"$work/out" 2>"$work/err" ;; # a function
    esac
    got=$?
    [ "$got" = "$want" ] || fail "expected exit status $want, found $got: $last"
}

out() {
    checks=$((checks + 1))
    grep -q -e "$1" "$work/out" || fail "no '$1' on stdout of: $last"
}

err() {
    checks=$((checks + 1))
    grep -q -e "$1" "$work/err" || fail "no '$1' on stderr of: $last"
}

no_out() {
    checks=$((checks + 1))
    [ ! -s "$work/out" ] || fail "something on stdout of: $last"
}

no_err() {
    checks=$((checks + 1))
    [ ! -s "$work/err" ] || fail "something on stderr of: $last"
}

check() {
    checks=$((checks + 1))
    last=$1
    shift
    "$@" || fail "$last"
}

within() {
    turns=$((50 * $1))
    shift
    while [ $turns -gt 0 ] && ! "$@" >"$work/within" 2>&1; do
        turns=$((turns - 1))
        sleep 0.02
    done
}

# Whether the processes are gone, or nobody has asked how they ended.
ended() {
    [ -z "$(ps -o stat= -p "$(echo "$@" | tr ' ' ,)" | grep -v '^Z')" ]
}

finish() {
    [ "$checks" -gt 0 ] || checks=1
    echo "$((100 * (checks - failures) / checks))%: Checks: $checks," \
        "Failures: $failures, Errors: 0"
    [ "$failures" = 0 ]
    exit
}

compile() {
    # shellcheck disable=SC2086
    $cc $flags -std=gnu17 -O1 -w -I. -c -o "$work/$1.o" "tests/cli/$1.c"
}

# With versions, as the vendor's have.
library() {
    nm -u "$work"/*.o |
        sed -n "s/.* U \($4\)\$/int \1(void); int \1(void) { return $3; }/p" |
        sort -u >"$work/failing.c"
    [ ! -e "$work/lib$1.c" ] || cat "$work/lib$1.c" >>"$work/failing.c"
    [ -s "$work/failing.c" ] || echo "int $1_other(void) { return 0; }" >"$work/failing.c"
    echo "lib$1.so.$2 { *; };" >"$work/failing.map"
    $cc -w -O1 -shared -fPIC "-Wl,-soname,lib$1.so.$2" \
        "-Wl,--version-script=$work/failing.map" -o "$work/lib$1.so.$2" "$work/failing.c"
}

link() {
    to=$1 && shift
    # shellcheck disable=SC2086
    $cc $flags -o "$to" "$@" "$build/cudart/libcudart.so.13" -lm -Wl,-rpath,"$work"
}

# y[i] = a * x[i] + y[i] by 2 blocks of 64 threads, as a tracer writes it.
small_trace() {
    {
        cat <<'END'
-kernel name = saxpy
-kernel id = 1
-grid dim = (2,1,1)
-block dim = (64,1,1)
-shmem = 0
-nregs = 16
-binary version = 70
-cuda stream id = 0
-shmem base_addr = 0x00007f0000000000
-local mem base_addr = 0x00007f1000000000
-nvbit version = 1.5.5
-accelsim tracer version = 5
-enable lineinfo = 0

#traces format = PC mask dest_num [reg_dests] opcode src_num [reg_srcs] mem_width [adrrescompress?] [mem_addresses] immediate

END
        for block in 0 1; do
            printf '#BEGIN_TB\n\nthread block = %s,0,0\n\n' $block
            for warp in 0 1; do
                at=$((0x10000000 + 256 * block + 128 * warp))
                printf 'warp = %s\ninsts = 6\n' $warp
                printf '0000 ffffffff 1 R0 S2R 0 0 0\n'
                printf '0010 ffffffff 1 R4 LDG.E.SYS 1 R2 4 1 0x%x 4 0\n' $at
                printf '0020 ffffffff 1 R5 LDG.E.SYS 1 R8 4 1 0x%x 4 0\n' \
                    $((at + 0x1000000))
                printf '0030 ffffffff 1 R5 FFMA 3 R4 R6 R5 0 0\n'
                printf '0040 ffffffff 0 STG.E.SYS 2 R8 R5 4 1 0x%x 4 0\n' \
                    $((at + 0x1000000))
                printf '0050 ffffffff 0 EXIT 0 0 0\n\n'
            done
            printf '#END_TB\n\n'
        done
    } >"$1"
}
