# Ctrl-C in the middle of every command that can take long: it ends with 130, or
# was done before, and beside its place there is nothing. Where a place is
# filled, it is with what was simulated so far, whole.
. tests/cli/lib.sh

sketch=tests/kernels/sm70/stream.sketch
large="-p BLOCKS=163840" # about a minute of work
mkdir "$work/place"

# interrupted SECONDS COMMAND...: SIGINT after so long
interrupted() {
    delay=$1
    shift
    rm -rf "$work/place"
    mkdir "$work/place"
    # A background job of a shell without job control ignores SIGINT; setsid
    # and env bring its default back.
    env --default-signal=INT "$teg" "$@" >"$work/out" 2>"$work/err" &
    pid=$!
    sleep "$delay"
    kill -INT $pid 2>"$work/kill"
    wait $pid
    got=$?
    last="SIGINT after $delay s: $*"
    checks=$((checks + 1))
    case $got in
    130) stopped=$((stopped + 1)) ;;
    0) ;;
    *) fail "expected exit status 130 or 0, found $got: $last" ;;
    esac
    check "nothing beside the place: $last" \
        [ -z "$(find "$work/place" -type f ! -name 'k.*')" ]
}

if ! env --default-signal=INT true 2>"$work/err"; then
    echo 'skipped: interrupts: env has no --default-signal'
    exit 0
fi
stopped=0
to=$work/place/k.out
delay=0.1
# shellcheck disable=SC2086 # words
{
    interrupted $delay run $sketch $large -g v100 --exact -f json -o "$to"
    [ ! -e "$to" ] ||
        check 'a whole result' python3 -m json.tool "$to" "$work/json"
    interrupted $delay whatif $sketch $large -g v100 -j 1 -o "$to"
    interrupted $delay sweep $sketch $large -g v100 -j 1 \
        --vary sm.warps_max=8,16 --journal "$work/place/k.journal" -o "$to"
    interrupted $delay convert $sketch $large "$work/place/k.tegt"
    check 'no half conversion' [ ! -e "$work/place/k.tegt" ]
    interrupted $delay report $sketch $large -g v100 -o "$to"
    interrupted $delay timeline $sketch $large -g v100 -o "$to"
    interrupted $delay bound $sketch $large -g v100 -o "$to"
    interrupted $delay model $sketch $large -g v100 -o "$to"
    interrupted $delay features $sketch $large -o "$to"
    interrupted $delay check $sketch $large
    interrupted $delay info $sketch $large
    interrupted $delay power $sketch $large -g gtx280 -o "$to"
}
check 'most were in the middle of it' [ $stopped -ge 6 ]

# terminated SIGNAL PROGRAM...: what ends a job ends the program with it
terminated() {
    signal=$1
    shift
    rm -rf "$work/place" "$work/begun" "$work/told"
    env --default-signal="$signal" "$teg" exec -g v100 -o "$work/place" -- "$@" \
        >"$work/out" 2>"$work/err" &
    pid=$!
    within 10 test -s "$work/begun"
    kill -"$signal" $pid
    within 10 ended $pid
    last="SIG$signal to: $*"
    check "the program is gone after $last" ended "$(cat "$work/begun")"
    ended "$pid" || kill -KILL "$pid" "$(cat "$work/begun")"
    wait $pid
    got=$?
}
begin="echo \$\$ >'$work/begun'; while :; do sleep 0.05; done"
terminated TERM sh -c "trap 'touch \"$work/told\"; exit 3' TERM; $begin"
check "the program's status after $last" [ $got = 3 ]
check 'it was told' [ -e "$work/told" ]
check 'its list is there' [ -s "$work/place/kernels.json" ]
terminated HUP sh -c "$begin"
check "the signal's status after $last" [ $got = 129 ]
err 'ended by signal 1 (Hangup)'

finish
