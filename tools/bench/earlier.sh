#!/bin/sh
# The teg of an earlier commit, built in build/bench/COMMIT, a work tree of its
# own: tools/bench/earlier.sh COMMIT prints where it is, status 1 if there is
# no such commit.
set -eu
cd "$(dirname "$0")/../.."
commit=$1
tree=build/bench/$commit
teg=$tree/build/release/teg
if [ ! -x "$teg" ]; then
    if ! git rev-parse -q --verify "$commit^{commit}" >/dev/null 2>&1; then
        echo "no commit $commit in this repository: nothing to compare with" >&2
        exit 1
    fi
    log=$(mktemp)
    trap 'rm -f "$log"' EXIT
    [ -d "$tree" ] || git worktree add -q --detach "$tree" "$commit"
    (cd "$tree" && make -j"$(getconf _NPROCESSORS_ONLN)" build/release/teg) >"$log" 2>&1 ||
        { tail -5 "$log" >&2; exit 1; }
fi
echo "$teg"
