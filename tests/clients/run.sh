#!/bin/sh
# Python clients of CUDA under `teg exec`: tests/clients/run.sh
#
# Each tests/clients/NAME.py that begins with `# packages:` is a client: these
# packages come from PyPI into a virtual environment, which files with the same
# line share; NAME.py runs on the emulator, compares what it computes, and its
# launches are replayed.  One line for each: passed, or the first thing that
# does not work.  Logs, traces and environments are in $CLIENTS (default
# build/clients), some 10 GB with PyTorch.
#
# Behind it, the share of its processor time under `teg exec` that is emulation.
# A client that passed is not run again until its file or teg changes, so an
# interrupted run goes on where it was.  ONLY='numba|torch' runs those whose name
# matches, GPU=a100 is the device, LIMIT=1800 the seconds each may take.
#
# A second line `# fails: PATTERN` is of a client that is known not to work, for
# a reason that what it says must match; the exit status counts the others.
here=tests/clients
teg=$PWD/${BUILD:-build/release}/teg
clients=${CLIENTS:-$PWD/build/clients}
gpu=${GPU:-a100}
limit=${LIMIT:-1800}
python=$(command -v python3) || { echo 'skipped: no python3'; exit 0; }
mkdir -p "$clients" || exit 2
failed=0

packages() { sed -n '1s/^# packages: *//p' "$1"; }
fails() { sed -n '2s/^# fails: *//p' "$1"; }

# Prints the environment of $1; its packages are installed once.
environment() {
    wanted=$(packages "$1")
    env=$clients/env-$(echo "$wanted" | cksum | cut -d' ' -f1)
    echo "$env"
    [ -e "$env/ready" ] && return
    "$python" -m venv "$env" >"$log" 2>&1 &&
        TMPDIR=$env "$env/bin/pip" install --no-cache-dir $wanted \
            >>"$log" 2>&1 && touch "$env/ready"
}

# The packages' versions, as the documentation names them.
versions() {
    for p in $(packages "$1"); do
        name=${p%%[=[]*}
        "$2/bin/pip" show "$name" 2>/dev/null |
            sed -n "s/^Version: */$name /p"
    done | paste -sd, - | sed 's/,/, /g'
}

# What share of the run under `teg exec` was emulation.
share() {
    sed -n 's/^timing: \([0-9.]*\) s of processor time: \([0-9.]*\) % emulation.*/\2 % of \1 s is emulation/p' "$log"
}

# The first thing that does not work: what the client said last, or else teg.
why() {
    { grep '^[a-z_]*: [A-Za-z]' "$log" || grep '^teg: ' "$log" ||
        cat "$log"; } | tail -n 1 | cut -c1-200
}

# try WHAT COMMAND...: its output goes into the log.
try() {
    what=$1
    shift
    timeout "$limit" "$@" >>"$log" 2>&1
    status=$?
    [ "$status" != 124 ] || echo "teg: not ended after $limit s" >>"$log"
    return "$status"
}

# Sets $what to what was tried last.
run() {
    what=installation
    env=$(environment "$1") || return
    : >"$log"
    rm -rf "$traces"
    export XDG_CACHE_HOME="$clients/cache" HOME="$clients/home" \
        PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=
    first=$(sed -n '/^@step/{n;s/def \([a-z_]*\).*/\1/p;q}' "$1")
    try 'teg exec' "$teg" exec -g "$gpu" --timing -o "$traces" -- \
        "$env/bin/python" "$1" &&
        try 'teg run' "$teg" run "$traces/kernels.json" -g "$gpu" &&
        try 'teg profile' "$teg" profile -g "$gpu" -o "${traces%.teg}.profile" -- \
            "$env/bin/python" "$1" "$first"
}

for file in "$here"/*.py; do
    name=$(basename "$file" .py)
    [ -n "$(packages "$file")" ] || continue
    echo "$name" | grep -qE -e "${ONLY:-.}" || continue
    log=$clients/$name.txt traces=$clients/$name.teg
    key=$(cat "$file" "$here/client.py" "$teg" "${teg%/*}"/cudart/*.so* | cksum)
    if [ "$(cat "$clients/$name.passed" 2>/dev/null)" = "$key" ]; then
        echo "$name: passed before"
    elif run "$file"; then
        echo "$key" >"$clients/$name.passed"
        echo "$name: passed ($(versions "$file" "$env")); $(share)"
    elif [ -n "$(fails "$file")" ] && grep -q -e "$(fails "$file")" "$log"; then
        echo "$name: as known, $(grep -m 1 -e "$(fails "$file")" "$log")"
    else
        failed=$((failed + 1))
        echo "$name: $what: $(why)"
    fi
done
[ "$failed" = 0 ]
