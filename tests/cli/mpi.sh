# teg-mpi sweep over several ranks (make mpi; Open MPI).
. tests/cli/lib.sh

mpi=${teg}-mpi
if [ ! -x "$mpi" ] || [ "$mpi" -ot "${teg%/*}/libteg.a" ] ||
    ! command -v mpirun >/dev/null 2>&1; then
    echo 'skipped: no teg-mpi of this build (make mpi) or no mpirun'
    finish
fi
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
ranks() {
    timeout 60 mpirun --oversubscribe -q -n "$@"
}
reduction=tests/kernels/sm70/reduction.sketch
points="$reduction -g v100 --vary dram.latency=300:900:10 -f json"

expect 0 "$teg" sweep $points
cp "$work/out" "$work/all.json"
for n in 1 2 4; do
    expect 0 ranks $n "$mpi" sweep $points -o "$work/rows.json"
    check "$n ranks write the same bytes" cmp -s "$work/rows.json" \
        "$work/all.json"
done
expect 1 ranks 3 "$mpi" sweep $reduction -g v100 --vary sm.schedulers=1,77 \
    -f json -o "$work/failed.json"
err '1 of 2 points failed'
expect 2 ranks 3 "$mpi" sweep $reduction -g v100 --vary sm.scheduler=1
check 'a misuse is said once' [ "$(grep -c 'nearest is' "$work/err")" = 1 ]

# A list of which kernels are represented: the same rows.
mkdir "$work/list"
for n in 24 25; do
    "$teg" convert tests/kernels/sm70/compute.sketch -p BLOCKS=160 \
        -p ITER=$n "$work/list/$n.tegt" || exit 2
done
echo '{"kernels": [{"trace": "24.tegt"}, {"trace": "24.tegt"},
    {"trace": "25.tegt"}]}' >"$work/list/kernels.json"
like="$work/list/kernels.json -g v100,t4 --similar 10 -f json"
expect 0 "$teg" sweep $like
cp "$work/out" "$work/like.json"
expect 0 ranks 3 "$mpi" sweep $like -o "$work/rows.json"
check 'represented rows are the same' cmp -s "$work/rows.json" "$work/like.json"

# What is in the traces rank 0 says: others that see other ones take its word.
for n in 1 2 3; do
    mkdir "$work/host$n"
    printf '# of host %s\n' $n | cat - $reduction >"$work/host$n/kernel.sketch"
done
on_host() { # COMMAND... : as rank N in the directory of host N
    timeout 60 mpirun --oversubscribe -q -n 1 -wdir "$work/host1" "$@" : \
        -n 1 -wdir "$work/host2" "$@" : -n 1 -wdir "$work/host3" "$@"
}
digests() {
    sed 's/^{"sweep":"\([0-9a-f]*\)".*/\1/' "$1" | sort -u
}
here="kernel.sketch -g v100 --vary dram.latency=300:900:100 -f json"
expect 0 sh -c "cd '$work/host1' && exec '$PWD/$teg' sweep $here"
cp "$work/out" "$work/host1.json"
expect 0 sh -c "cd '$work/host2' && exec '$PWD/$teg' sweep $here"
check 'hosts see other traces' \
    [ "$(digests "$work/out")" != "$(digests "$work/host1.json")" ]
expect 0 on_host "$PWD/$mpi" sweep $here -o "$work/rows.json"
check "rows are those of rank 0's" cmp -s "$work/rows.json" "$work/host1.json"

# Processes of this sweep: the ranks, whose parent is mpirun's, and the workers,
# whose parent is a rank.
processes() { # OUTPUT
    ps -eo pid=,ppid=,args= | awk -v w="$1" '
        index($0, w) && $3 ~ /teg-mpi$/ {pid[$1] = $2}
        END {for (p in pid) print p, ((pid[p] in pid) ? "worker" : "rank")}'
}
until_rows() { # OUTPUT PID: until there are finished points
    while kill -0 $2 2>/dev/null && ! grep -qs '"status":' "$1.partial"; do
        sleep 0.05
    done
}
many="$reduction -g v100 --vary dram.latency=300:1500:2 -f json"
expect 0 "$teg" sweep $many
cp "$work/out" "$work/many.json"

# A worker that dies costs its point: the rank says so and goes on.
rm -f "$work/rows.json"
ranks 3 "$mpi" sweep $many -o "$work/rows.json" >"$work/out" 2>"$work/err" &
pid=$!
until_rows "$work/rows.json" $pid
victim=$(processes "$work/rows.json" | sed -n 's/ worker//p' | head -1)
[ -n "$victim" ] && kill -KILL "$victim"
wait $pid
status=$?
if [ -e "$work/rows.json.partial" ]; then
    last='a sweep whose worker was killed'
    check 'the exit status says so' [ $status = 1 ]
    err 'point [0-9]* is not done: its worker was killed by signal 9'
    err '1 of 601 points are not done; the same command does them'
    check 'all other points are done' \
        [ "$(grep -c '"status":"ok"' "$work/rows.json")" = 600 ]
    expect 0 ranks 3 "$mpi" sweep $many -o "$work/rows.json"
    err 'going on after 600 of 601 points'
    check 'and the same command does the lost one' \
        cmp -s "$work/rows.json" "$work/many.json"
else
    echo 'skipped: the sweep was over before a worker could be killed'
fi

# A rank that dies takes along its worker, which would simulate for nobody.
ranks 2 "$mpi" sweep tests/kernels/sm70/uncoalesced.sketch -g v100 \
    -p BLOCKS=20000,20001 --exact -o "$work/long.json" >"$work/out" \
    2>"$work/err" &
pid=$!
has_worker() {
    processes "$work/long.json" | grep -q worker
}
within 20 has_worker
worker=$(processes "$work/long.json" | sed -n 's/ worker//p')
kill -KILL $(ps -o ppid= -p "$worker")
within 20 ended $worker
check 'there is a worker' [ -n "$worker" ]
check 'which ends with its rank' ended $worker
wait $pid

# A rank that dies costs its point where mpirun lets the others go on.
rm -f "$work/rows.json" "$work/rows.json.partial"
TEG_RANK_SILENCE=5 ranks 3 --enable-recovery "$mpi" sweep $many \
    -o "$work/rows.json" >"$work/out" 2>"$work/err" &
pid=$!
until_rows "$work/rows.json" $pid
# not rank 0, which has no worker
victim=$(ps -eo pid=,ppid=,args= | awk -v w="$work/rows.json" '
    index($0, w) && $3 ~ /teg-mpi$/ {parent[$1] = $2}
    END {for (p in parent) if (parent[p] in parent) print parent[p]}' | head -1)
[ -n "$victim" ] && kill -KILL "$victim"
wait $pid
if [ -e "$work/rows.json.partial" ]; then
    last='a sweep whose rank was killed'
    err 'point [0-9]* is not done: rank [12] was not heard of for 5 s'
    check 'all other points are done' \
        [ "$(grep -c '"status":"ok"' "$work/rows.json")" = 600 ]
    expect 0 ranks 3 "$mpi" sweep $many -o "$work/rows.json"
    check 'and the same command does the lost one' \
        cmp -s "$work/rows.json" "$work/many.json"
else
    echo 'skipped: the sweep was over before a rank could be killed'
fi

# Without that the job ends; what is done is not done again.
rm -f "$work/rows.json" "$work/rows.json.partial"
ranks 3 "$mpi" sweep $many -o "$work/rows.json" >"$work/out" 2>"$work/err" &
pid=$!
until_rows "$work/rows.json" $pid
victim=$(processes "$work/rows.json" | sed -n 's/ rank//p' | sort -n | tail -1)
[ -n "$victim" ] && kill -KILL "$victim"
wait $pid
if [ -e "$work/rows.json.partial" ]; then
    before=$(grep -c '"status":' "$work/rows.json.partial")
    check 'finished points are kept' [ "$before" -gt 0 ]
    expect 0 ranks 3 "$mpi" sweep $many -o "$work/rows.json"
    err "going on after $before of 601 points"
    check 'and end as the same bytes' cmp -s "$work/many.json" "$work/rows.json"
else
    echo 'skipped: the sweep was over before a rank could be killed'
fi

# Hosts that are network namespaces of this machine, joined by a bridge; what
# ssh is to real hosts `ip netns exec` is to them.
bridge=tegbr$$
hosts='1 2'
clean_up() {
    for h in $hosts; do
        ip netns pids teg$$-$h 2>/dev/null | xargs -r kill -KILL
        ip netns delete teg$$-$h
    done
    ip link delete $bridge
} 2>/dev/null
make_hosts() {
    ip link add $bridge type bridge && ip link set $bridge up &&
        ip addr add 10.211.77.100/24 dev $bridge || return 1
    for h in $hosts; do
        ip netns add teg$$-$h &&
            ip link add tegv$$-$h type veth peer name eth0 netns teg$$-$h &&
            ip link set tegv$$-$h master $bridge up &&
            ip -n teg$$-$h addr add 10.211.77.$h/24 dev eth0 &&
            ip -n teg$$-$h link set eth0 up &&
            ip -n teg$$-$h link set lo up || return 1
    done
} 2>/dev/null
if ! command -v ip >/dev/null 2>&1 || ! make_hosts; then
    clean_up
    echo 'skipped: no network namespaces for hosts (ip netns)'
    finish
fi
trap 'clean_up; rm -rf "$work"' EXIT
# The agent is called as ssh: [options] HOST COMMAND...
cat >"$work/agent" <<END
#!/bin/sh
while [ "\${1#-}" != "\$1" ]; do shift; done
host=\${1##*.}
shift
# hosts have their own temporary files
mkdir -p "$work/tmp\$host"
export TMPDIR="$work/tmp\$host"
exec ip netns exec teg$$-\$host sh -c "\$*"
END
chmod +x "$work/agent"
spread() { # without shared topologies, on which Open MPI 4.1.4 fails at times
    timeout 120 mpirun -q --mca rtc_hwloc_vmhole none \
        --mca plm_rsh_agent "$work/agent" \
        --mca oob_tcp_if_include 10.211.77.0/24 \
        --mca btl_tcp_if_include 10.211.77.0/24 --mca btl tcp,self \
        --host 10.211.77.1:1,10.211.77.2:1,10.211.77.100:1 \
        --map-by seq "$@"
}
expect 0 spread sh -c 'ip -o -4 addr show scope global | sed "s/.*inet //; s/ .*//"'
for h in 1 2 100; do
    out "^10.211.77.$h/24"
done
expect 0 spread "$mpi" sweep $points -o "$work/rows.json"
check 'hosts write the same bytes' cmp -s "$work/rows.json" "$work/all.json"
# A host that is gone costs its point.
rm -f "$work/rows.json"
TEG_RANK_SILENCE=5 spread --enable-recovery "$mpi" sweep $many \
    -o "$work/rows.json" >"$work/out" 2>"$work/err" &
pid=$!
until_rows "$work/rows.json" $pid
for p in $(ip netns pids teg$$-2); do
    tr '\0' ' ' <"/proc/$p/cmdline" | grep -q '^[^ ]*teg-mpi ' && kill -KILL "$p"
done
wait $pid
if [ -e "$work/rows.json.partial" ]; then
    last='a sweep whose host was killed'
    err 'point [0-9]* is not done: rank [12] was not heard of for 5 s'
    check 'all other points are done' \
        [ "$(grep -c '"status":"ok"' "$work/rows.json")" = 600 ]
else
    echo 'skipped: the sweep was over before a host could be killed'
fi

finish
