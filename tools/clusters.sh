#!/bin/sh
# How far launches that are represented are from simulated ones:
#
#   tools/clusters.sh TEG ITERATE [FILTER]
#
# Each list is simulated in full and, with --similar, in part. For each: its
# launches, those that were simulated, those that were represented by an
# identical one and by a similar one; the share of the warp instructions that
# was simulated; the error of the total, the bound that is stated for it; the
# largest error of a launch, and the largest share of its bound that an error
# took. Exit status 1 if an error is beyond its bound. Minutes.
#
# The slack of sim/sample/cluster.h was found on the lists `path`, `spmv` and
# `bfs,100000` on an A100 and a T4; the others check it. FILTER, an extended regular
# expression, chooses lines.
set -eu
cd "$(dirname "$0")/.."
teg=${1:-build/release/teg}
iterate=${2:-build/release/tools/sampling/iterate}
filter=${3:-.}
shared=../shared/traces

# list GPU --similar; a list is a program of iterate with its size and seed, a
# sketch with the values of one parameter, or a file
cases() {
    cat <<'END'
path,5000,2 t4 5
path,60000,1 a100 5
path,200000,3 t4 5
spmv,3000,2 t4 10
spmv,20000,1 a100 10
spmv,60000,3 t4 10
path,60000,1 rtx3070 5
spmv,3000,2 v100 10
spmv,20000,1 rtx3070 10
spmv,60000,3 v100 10
gauss,48,1 a100 5
gauss,48,1 a100 20
gauss,96,2 v100 5
gauss,96,2 t4 20
bfs,20000,1 a100 50
bfs,100000,2 t4 50
jacobi,200,2 t4 5
jacobi,512,1 v100 5
decode,1000,1 a100 5
decode,4000,2 rtx3070 5
sm70/stream,BLOCKS,400:480:4 v100 5
sm70/stream,BLOCKS,1500:1600:10 a100 5
sm70/compute,BLOCKS,300:340:2 rtx2080ti 5
sm70/matmul,K,96:192:16 v100 20
sm70/reduction,BLOCKS,400:440:2 v100 5
sm70/uncoalesced,BLOCKS,240:280:2 v100 20
END
    [ ! -d $shared ] || cat <<END
$shared/sm_80/bfs/kernelslist.g a100 20
$shared/sm_90/btree-1000/kernelslist.g h100 5
END
}

# list NAME VALUES: the sketch with each value as a trace, in a list
expand() {
    sketch=$1 key=$2 from=${3%%:*} step=${3##*:}
    to=${3#*:} to=${to%:*}
    mkdir -p "$work/list"
    { echo '{"teg": {"schema": 1}, "kernels": ['
        comma=
        for v in $(seq "$from" "$step" "$to"); do
            "$teg" convert "tests/kernels/$sketch.sketch" -p "$key=$v" \
                "$work/list/$v.tegt" 2>/dev/null || exit 1
            echo "$comma{\"trace\": \"$v.tegt\"}"
            comma=,
        done
        echo ']}'; } >"$work/list/kernels.json"
}

# The path of the list.
make_list() {
    rm -rf "$work/list"
    mkdir "$work/list"
    case $1 in
    */kernelslist.g) cp "$(dirname "$1")"/* "$work/list" ;;
    */*) expand "$(echo "$1" | cut -d, -f1)" "$(echo "$1" | cut -d, -f2)" \
        "$(echo "$1" | cut -d, -f3)" ;;
    *) "$teg" exec -g a100 -o "$work/list" -- "$iterate" \
        $(echo "$1" | tr , ' ') 2>/dev/null ;;
    esac
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0
printf '%-34s %-9s %7s %8s %9s %9s %7s %9s %8s %7s %7s %7s\n' list GPU similar \
    launches simulated identical similar share error bound worst of-bound
cases | grep -E "$filter" >"$work/cases"
while read -r list gpu similar; do
    make_list "$list"
    file=$work/list/kernels.json
    [ -e "$file" ] || file=$work/list/kernelslist.g
    "$teg" sweep "$file" -g "$gpu" --exact -j 1 -f json >"$work/full" \
        2>/dev/null
    "$teg" sweep "$file" -g "$gpu" --similar "$similar" -j 1 -f json \
        >"$work/part" 2>/dev/null
    name=$(echo "$list" | sed "s#^$shared/##; s#/kernelslist.g##; s#^[a-z0-9]*/\(.*,\)#\1#")
    awk -v name="$name" -v gpu="$gpu" -v similar="$similar" '
    function abs(v) { return v < 0 ? -v : v }
    # The first number of that name, "" if there is none.
    function number(key) {
        if (!match($0, "\"" key "\":[-+0-9.e]+"))
            return ""
        return substr($0, RSTART + length(key) + 3, RLENGTH - length(key) - 3)
    }
    FNR == NR {
        full[number("point")] = number("cycles")
        next
    }
    {
        launches++
        n = number("launches")
        c = number("cycles")
        w = number("warp_instructions")
        f = full[number("point")]
        estimate += n * c
        truth += n * f
        work += n * w
        if ($0 ~ /"represented":null/) {
            simulated++
            done += w
            next
        }
        bound = number("error_bound_percent")
        off = 100 * abs(c / f - 1)
        sum += n * c * bound
        worst = off > worst ? off : worst
        share = bound > 0 ? off / bound : off > 0 ? 99 : 0
        most = share > most ? share : most
        if ($0 ~ /"identical":true/)
            identical++
        else
            like++
    }
    END {
        error = 100 * (estimate / truth - 1)
        beyond = most > 1 || abs(error) > sum / estimate + 1e-9
        printf "%-34s %-9s %6d%% %8d %9d %9d %7d %8.1f%% %+7.2f%% %6.2f%%",
            name, gpu, similar, launches, simulated, identical, like,
            100 * done / work, error, sum / estimate
        printf " %6.2f%% %7.2f%s\n", worst, most, beyond ? "  BEYOND" : ""
        exit beyond
    }' "$work/full" "$work/part" || status=1
done <"$work/cases"
exit $status
