# Two builds in turns, of scripts that set old and new: sourced by them.

# Processor seconds of a command.
seconds() {
    sh -c '"$@" >/dev/null 2>&1; times' - "$@" |
        awk -F '[ms ]+' 'NR == 2 {print 60 * $1 + $2 + 60 * $3 + $4}'
}

least() { printf '%s\n%s\n' "$1" "$2" | sort -g | head -1; }

# Sets was and now to the least processor seconds of either build.
in_turns() {
    was=1e9 now=1e9
    for _ in 1 2 3 4 5; do
        was=$(least "$was" "$(seconds "$old" "$@")")
        now=$(least "$now" "$(seconds "$new" "$@")")
    done
}

# Host instructions of a command and all that it starts, nothing without valgrind.
instructions() {
    command -v valgrind >/dev/null 2>&1 || return 0
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$@" 2>&1 >/dev/null |
        sed -n 's/.*Collected : \([0-9]*\)$/\1/p' |
        awk '{sum += $1} END {if (NR > 0) printf "%.0f\n", sum}'
}
