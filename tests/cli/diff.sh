# teg diff: two results, two traces, two GPUs; conditions decide the status.
. tests/cli/lib.sh

small_trace "$work/a.traceg"
# Twice the loads' latency apart: the same kernel with a slower memory.
expect 0 "$teg" run "$work/a.traceg" -g v100 -f json -o "$work/a.json"
expect 0 "$teg" run "$work/a.traceg" -g v100 --set dram.latency=2000 -f json \
    -o "$work/b.json"

expect 0 "$teg" diff "$work/a.json" "$work/a.json"
out '^cycles  *\([0-9,]*\)  *\1  *same$'
out '^[0-9]* other numbers are the same$'
expect 0 "$teg" diff "$work/a.json" "$work/b.json"
out '^a  saxpy on v100$'
out '^cycles  *[0-9,]*  *2,[0-9]*  *+[0-9.]* %$'
out '^stalls.long_scoreboard.warp_cycles  *[0-9,]*  *[0-9,]*  *+'
check 'at most 80 columns wide' [ "$(wc -L <"$work/out")" -le 80 ]
no_err

# The same as a page, of what may be in a name.
sed 's/"name": "saxpy"/"name": "<script>alert(1)<\/script>"/' "$work/b.json" >"$work/evil.json"
expect 0 "$teg" diff "$work/a.json" "$work/evil.json" --html "$work/page.html"
out '^cycles '
check 'it names both' grep -q '<b>a</b> saxpy on v100: bound by' "$work/page.html"
check 'a name is text' grep -q '&lt;script&gt;alert(1)&lt;/script&gt;' "$work/page.html"
check 'and no element' [ "$(grep -c '<script>alert' "$work/page.html")" = 0 ]
check 'it has the stalls' sh -c "grep -A3 '<td>long_scoreboard' '$work/page.html' | grep -q 'class=.bar'"
check 'and all that differs' grep -q '<td>memory.dram_bytes\|<td>cycles' "$work/page.html"
check 'nothing is loaded from elsewhere' \
    [ "$(grep -c -E 'src=|@import|url\([^#]|href="[^d]|https?://' "$work/page.html")" = 0 ]
expect 1 "$teg" diff "$work/a.json" "$work/b.json" --html "$work/none/page.html"

# Both sides of the gate.
expect 1 "$teg" diff "$work/a.json" "$work/b.json" --fail-if 'cycles>+2%'
err '^teg: --fail-if: cycles>+2%: cycles went from [0-9]* to 2[0-9]*$'
out '^cycles '
expect 0 "$teg" diff "$work/a.json" "$work/b.json" --fail-if 'cycles>+5000%'
expect 0 "$teg" diff "$work/b.json" "$work/a.json" --fail-if 'cycles>+2%'
expect 1 "$teg" diff "$work/b.json" "$work/a.json" --fail-if 'cycles<-2%'
expect 1 "$teg" diff "$work/a.json" "$work/b.json" --fail-if 'cycles > 2000'
expect 0 "$teg" diff "$work/a.json" "$work/b.json" --fail-if 'cycles>20000'
expect 0 "$teg" diff "$work/a.json" "$work/a.json" --fail-if 'cycles>+0%' \
    --fail-if 'memory.dram_bytes<-0%'
expect 1 "$teg" diff "$work/a.json" "$work/b.json" --fail-if 'cycles>+5000%' \
    --fail-if 'stalls.long_scoreboard.percent>+1'
expect 2 "$teg" diff "$work/a.json" "$work/b.json" --fail-if 'cycels>+2%'
err "did you mean 'cycles'"
expect 2 "$teg" diff "$work/a.json" "$work/b.json" --fail-if 'cycles+2%'
err 'expected NAME>+N%'

# Traces are replayed, and give what their results give.
sed 's/ FFMA / FMUL /' "$work/a.traceg" >"$work/c.traceg"
expect 0 "$teg" diff "$work/a.traceg" "$work/a.json" -g v100
out '^cycles  *\([0-9,]*\)  *\1  *same$'
expect 0 "$teg" diff "$work/a.traceg" "$work/c.traceg" -g v100
expect 0 "$teg" diff "$work/a.traceg" -g v100 --against t4
out '^b  saxpy on t4$'
out '^cycles '
expect 0 "$teg" diff "$work/a.json" "$work/b.json" -f json
out '"name": "cycles"'
out '"failed": \[\]'

expect 2 "$teg" diff "$work/a.traceg" -g v100
expect 1 "$teg" diff "$work/a.json" "$work/none.json"
printf '{"other": 1}\n' >"$work/other.json"
expect 1 "$teg" diff "$work/a.json" "$work/other.json"
err 'other.json: expected a result of .teg run -f json'
printf '{"cycles": ' >"$work/cut.json"
expect 1 "$teg" diff "$work/cut.json" "$work/a.json"
err 'cut.json: line 1: '

finish
