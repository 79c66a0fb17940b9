# Kernels that launch kernels, and graphs with conditions: tests/cli/children.c.
. tests/cli/lib.sh
# A program that ends in the middle frees nothing; that is not looked for here.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"
program=$build/tests/cli/children

# What the nodes of a list's first graph come behind.
edges() {
    tr -d ' \n' <"$work/$1/kernels.json" | grep -o '"graphs":.*' |
        sed 's/\]}\]}.*/]/' | grep -o '"after":\[[0-9,]*\]' |
        sed 's/"after"://' | paste -sd ' '
}

# One thread or many, traced or not, with the simulator's time or without.
for how in '-j 1 --no-trace' '-j 4 --no-trace' "-j 1 -o $work/list" \
    "-j 4 -o $work/many" "-o $work/time --time"; do
    for what in tree streams copies by-hand ask choices loop node; do
        # shellcheck disable=SC2086 # options
        expect 0 "$teg" exec -g a100 $how -- "$program" $what
        no_out
    done
done

# What a kernel launches is a node behind it, then behind what is before in its
# stream and all that has brought; the end of the grid comes behind everything.
expect 0 "$teg" exec -g a100 -o "$work/tree" -- "$program" tree
check 'a tree' [ "$(edges tree)" = \
    '[] [0] [1] [2] [3] [4] [5] [6] [7] [8] [9] [10] [11] [12] [13]' ]
expect 0 "$teg" exec -g a100 -o "$work/streams" -- "$program" streams
check 'streams' [ "$(edges streams)" = \
    '[] [0] [1] [0] [0] [3] [0] [6] [0] [0] [8] [2,4,5,7,9,10] [11]' ]
expect 0 "$teg" exec -g a100 -o "$work/node" -- "$program" node
check 'a node that launches' [ "$(edges node)" = '[] [0] [1] [2]' ]
expect 0 "$teg" program "$work/streams/kernels.json" -g a100
# Of a condition's bodies those that ran, as often as they did.
expect 0 "$teg" exec -g a100 -o "$work/loop" -- "$program" loop
check 'a loop' [ "$(edges loop)" = '[] [0] [1] [2] [3] [4] [5] [6]' ]
expect 0 "$teg" exec -g a100 -o "$work/choices" -- "$program" choices
check 'choices' [ "$(edges choices)" = '[] [0] [] [2] [1,3]' ]

# What cannot be is said.
expect 0 "$teg" exec -g a100 --no-trace -- "$program" too-large
err '^teg: child: a launch by a kernel is refused: invalid configuration'
expect 0 "$teg" exec -g a100 --no-trace -- "$program" too-few
err 'a launch with 8 bytes of parameters, of 12'
expect 0 "$teg" exec -g a100 --no-trace -- "$program" wrong
err '0x4d is no condition of a graph that is launched'
finish
