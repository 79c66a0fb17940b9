# Kernels that cannot run, and Ctrl-C: where it happened, no partial result.
. tests/cli/lib.sh

small_trace "$work/saxpy.traceg"

# Warp 1 of block 0 ends without EXIT; warp 0 waits for it.
awk '/^thread block =/ {block = $4}
     /^warp =/ {warp = $3}
     /EXIT/ && block == "0,0,0" && warp == 0 {
         print "0048 ffffffff 0 BAR.SYNC 0 0 0"}
     /EXIT/ && block == "0,0,0" && warp == 1 {next}
     {print}' "$work/saxpy.traceg" >"$work/stuck.traceg"
expect 1 "$teg" run "$work/stuck.traceg" -g v100 -f json
err 'stuck.traceg: kernel 1: block 0,0,0: deadlock: warp 0 waits at the barrier'
err 'warp 1 ends at pc 0x40 without EXIT'
no_out

sed 's/^-shmem = 0/-shmem = 200000/' "$work/saxpy.traceg" >"$work/large.traceg"
expect 1 "$teg" run "$work/large.traceg" -g v100
err 'large.traceg: kernel 1.*: .*200000'
no_out
sed 's/^-block dim.*/-block dim = (1024,1,1)/' "$work/saxpy.traceg" \
    >"$work/wide.traceg"
expect 1 "$teg" run "$work/wide.traceg" -g gtx280 --isa sm_13
err 'wide.traceg: kernel 1.*: .*1024'

# A count that lies is said, and does not stop the work.
sed 's/^insts = 6/insts = 900/' "$work/saxpy.traceg" >"$work/lie.traceg"
expect 0 "$teg" run "$work/lie.traceg" -g v100
out 'note: .*expected 900 instructions .*found 6 (4 times)'
expect 0 "$teg" check "$work/lie.traceg"
out '^warning .*insts-count'
out '0 errors, 1 warning$'

# A description that cannot be.
sed 's/^\( *latency *= *( *\)\([0-9]\)/\1-\2/' config/v100.cfg >"$work/bad.cfg"
check 'the description was changed' \
    sh -c "! cmp -s config/v100.cfg '$work/bad.cfg'"
cp -r config/family "$work/" 2>/dev/null
expect 1 "$teg" run "$work/saxpy.traceg" -g "$work/bad.cfg"
err 'bad.cfg:[0-9]*: .*latency.*expected .*found -'
no_out

# Ctrl-C: exit status 130, the result marked, no half file.
kernel=tests/kernels/sm70/uncoalesced.sketch
interrupt() {
    "$teg" "$@" >"$work/out" 2>"$work/err" &
    pid=$!
    sleep 1
    kill -INT $pid
    wait $pid
}
expect 130 interrupt run $kernel -p BLOCKS=200000 -g v100 -f json
out '"incomplete": true'
expect 130 interrupt whatif $kernel -p BLOCKS=20000 -g v100
out '^INCOMPLETE: interrupted after'
out '^(as it is)  *n/a$'
expect 130 interrupt report $kernel -p BLOCKS=200000 -g v100 -o "$work/cut.html"
check 'an interrupted page says so' grep -q 'Incomplete: the simulation was' "$work/cut.html"
expect 130 interrupt timeline $kernel -p BLOCKS=200000 -g v100 -f json
out '"incomplete": true'
expect 130 interrupt run $kernel -p BLOCKS=2000 -g v100 --ranking -f json
out '"incomplete": true'
expect 130 interrupt convert $kernel -p BLOCKS=2000000 "$work/never.tegt"
check 'an interrupted convert leaves nothing' [ -z "$(ls "$work" | grep never)" ]

finish
