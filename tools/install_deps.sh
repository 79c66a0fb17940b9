#!/bin/sh
# Makes sure that the Debian packages the build needs are there: installs the
# missing ones when it may (root, or sudo without a password), else prints the
# one line to run.
packages="gcc make pkg-config zlib1g-dev libconfig-dev libjansson-dev liblzma-dev libzstd-dev libelf-dev libiberty-dev check"
missing=
for p in $packages; do
    dpkg-query -W -f '${Status}' "$p" 2>/dev/null | grep -q 'ok installed' ||
        missing="$missing $p"
done
# A tool that is on the PATH need not come from a package.
for tool in gcc make pkg-config; do
    command -v "$tool" >/dev/null 2>&1 &&
        missing=$(echo "$missing" | sed "s/ $tool\\>//")
done
missing=$(echo $missing)
[ -n "$missing" ] || exit 0
run=
if [ "$(id -u)" != 0 ]; then
    if command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
        run="sudo -n"
    else
        echo "teg needs packages that are not installed. Run:" >&2
        echo "    sudo apt-get install -y $missing" >&2
        exit 1
    fi
fi
echo "installing: $missing" >&2
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
{ $run apt-get install -y --no-install-recommends $missing ||
    { $run apt-get update && $run apt-get install -y --no-install-recommends $missing; }
} >"$log" 2>&1 || {
    tail -5 "$log" >&2
    rm -f "$log"
    echo "could not install them. Run:  apt-get install -y $missing" >&2
    exit 1
}
rm -f "$log"
