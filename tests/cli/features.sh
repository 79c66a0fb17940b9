# teg features: a row for each launch, whatever generation it was traced for.
. tests/cli/lib.sh

small_trace "$work/k.traceg"
expect 0 "$teg" features "$work/k.traceg"
out '^trace,number,kernel,isa,instructions,arithmetic,special,logic,control,global_bytes,shared_bytes,parameter_bytes,local_bytes,intensity,blocks,threads_per_block,shared_allocation$'
# 128 threads: an FFMA, two loads and a store of 4 bytes, an exit; S2R is none
out 'k.traceg,1,saxpy,70,640,128,0,0,128,1536,0,,0,0.083333333333333329,2,64,0$'
no_err
expect 0 "$teg" features "$work/k.traceg" -f json --all
out '"parameter_bytes": null'
out '"global_read": 1024'
out '"block_width": 64'
out '"instructions_per_thread": 5'
expect 0 "$teg" features "$work/k.traceg" -o "$work/out.csv"
no_out
check 'the rows are in the file' grep -q saxpy "$work/out.csv"

# a directory: by name; what is no trace is said and does not stop the others
mkdir "$work/dir"
cp "$work/k.traceg" "$work/dir/b.traceg"
cp tests/kernels/sm70/ffma_chain.sketch "$work/dir/a.sketch"
expect 0 "$teg" features "$work/dir"
check 'two rows, by name' [ "$(sed -n '2,$s/.*dir\/\([ab]\).*/\1/p' "$work/out" | tr -d '\n')" = ab ]
echo 'no trace' >"$work/dir/notes.txt"
head -c 700 "$work/k.traceg" >"$work/dir/c.traceg"
expect 1 "$teg" features "$work/dir"
err 'notes.txt'
out 'b.traceg,1,saxpy'
# a list stands for the directory: no trace counts twice
mkdir "$work/listed"
cp "$work/k.traceg" "$work/listed/b.traceg"
echo b.traceg >"$work/listed/kernelslist.g"
expect 0 "$teg" features "$work/listed"
check 'one row' [ "$(wc -l <"$work/out")" = 2 ]
expect 1 "$teg" features "$work/none.tegt"
no_out
expect 2 "$teg" features
expect 2 "$teg" features "$work/k.traceg" -f text

# The same kernels compiled for four generations: what a program moves is the
# same, what it computes nearly (sm_90 adds address arithmetic).
expect 0 sh tools/learn/near.sh "$teg"
out '^12 kernels'
check 'bytes and launch are identical' sh -c "
    awk '/^(global|shared|parameter|local)_bytes|^blocks|^threads|^shared_a/ {
        for (i = 2; i <= NF; i++) if (\$i != 1) bad = 1
        n++
    } END {exit bad || n != 7}' '$work/out'"
check 'sm_80 and sm_86 are identical' sh -c "
    awk 'NR > 1 && !/kernels/ {if (\$5 != 1 || \$7 != 1) bad = 1; n++}
        END {exit bad || n != 13}' '$work/out'"
check 'instructions differ by less than a fifth' sh -c "
    awk '/^instructions/ {
        for (i = 2; i <= NF; i++) if (\$i < 0.8 || \$i > 1.2) bad = 1
        n++
    } END {exit bad || n != 1}' '$work/out'"
finish
