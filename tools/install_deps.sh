#!/bin/sh
# Makes sure that the Debian packages that are needed are there:
# tools/install_deps.sh [ci] [deb]
#   (always)  what the build needs
#   ci        what .ci/run needs besides: other compilers, groff, zsh, python3, ps
#   deb       what `make deb` needs besides
# Installs what is missing when it may (as root, or with sudo that asks for no
# password) and says so before it does; else prints the one line to run.
# Says nothing if all is there.
packages="gcc make pkg-config zlib1g-dev libconfig-dev libjansson-dev liblzma-dev libzstd-dev liblz4-dev libelf-dev libiberty-dev libsqlite3-dev check"
for set; do
    case $set in
    ci) packages="$packages g++ clang groff zsh python3 procps" ;;
    deb) packages="$packages dpkg-dev binutils" ;;
    *) echo "$0: unknown set '$set'" >&2 && exit 2 ;;
    esac
done
command -v dpkg-query >/dev/null 2>&1 || {
    echo "no Debian: the build needs what Debian calls $packages" >&2
    exit 0
}

# A tool that is on the PATH need not come from a package.
is_there() {
    case $1 in
    gcc | g++ | make | pkg-config | clang | groff | zsh | python3)
        command -v "$1" >/dev/null 2>&1 && return ;;
    esac
    dpkg-query -W -f '${Status}' "$1" 2>/dev/null | grep -q 'ok installed'
}

missing=
for p in $packages; do
    is_there "$p" || missing="$missing $p"
done
missing=${missing# }
[ -n "$missing" ] || exit 0

if [ "$(id -u)" = 0 ]; then
    run='' how='as root'
elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
    run='sudo -n' how='with sudo'
else
    echo "teg needs Debian packages that are not installed. Run:" >&2
    echo "    sudo apt-get install -y $missing" >&2
    exit 1
fi
{
    echo "Debian packages that teg needs are missing. Installing them $how:"
    echo "    ${run:+sudo }apt-get install -y --no-install-recommends $missing"
} >&2
install() {
    $run env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y --no-install-recommends $missing
}
log=$(mktemp)
trap 'rm -f "$log"' EXIT
{ install || { $run apt-get update && install; }; } >"$log" 2>&1 || {
    tail -5 "$log" >&2
    echo "could not install them. Run:  apt-get install -y $missing" >&2
    exit 1
}
