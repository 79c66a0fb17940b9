#!/bin/sh
# Installs the packages of `make deb` into a fresh Debian 12 and runs what is in
# them: tools/check_deb.sh DIR [CHROOT]. DIR has the .deb files; CHROOT is made
# with debootstrap and removed again, kept if it was given.  Needs root and a
# Debian mirror (MIRROR=), so it is no part of `make check`.
set -eu
deb=$1
mirror=${MIRROR:-http://deb.debian.org/debian}
chroot=${2:-}
[ "$(id -u)" = 0 ] || {
    echo 'tools/check_deb.sh: needs root for debootstrap and chroot' >&2
    exit 2
}
command -v debootstrap >/dev/null || {
    echo 'tools/check_deb.sh: apt-get install debootstrap' >&2
    exit 2
}

made=
[ -n "$chroot" ] || { made=1 chroot=$(mktemp -d); }
cleanup() {
    umount "$chroot/proc" 2>/dev/null || :
    [ -z "$made" ] || rm -rf --one-file-system "$chroot"
}
trap cleanup EXIT
trap 'exit 130' INT HUP TERM

inside() {
    chroot "$chroot" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
        LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"
}

# Runs a command inside, its output in $chroot/tmp/out; a line for each.
try() {
    if inside "$@" >"$chroot/tmp/out" 2>&1; then
        echo "ok      $*"
    else
        echo "FAILED  $*"
        tail -20 "$chroot/tmp/out"
        exit 1
    fi
}

# The last command printed a line like this.
said() {
    grep -q -e "$1" "$chroot/tmp/out" || {
        echo "FAILED  no '$1' in what it printed:"
        tail -20 "$chroot/tmp/out"
        exit 1
    }
}

[ -e "$chroot/usr/bin/dpkg" ] ||
    debootstrap --variant=minbase bookworm "$chroot" "$mirror" \
        >"$chroot.log" 2>&1 || {
    tail "$chroot.log" >&2
    exit 2
}
rm -f "$chroot.log"
mount -t proc proc "$chroot/proc" # where a program finds itself
# The network's configuration, which minbase has none of.
cp /etc/resolv.conf "$chroot/etc/"
cp /etc/apt/apt.conf.d/*proxy* "$chroot/etc/apt/apt.conf.d/" 2>/dev/null || :
for v in http_proxy https_proxy; do
    eval "[ -z \"\${$v:-}\" ] || echo \"Acquire::${v%_proxy}::Proxy \\\"\$$v\\\";\"" \
        >>"$chroot/etc/apt/apt.conf.d/95check"
done

try apt-get update -q
cp "$deb"/teg-simulator_*.deb "$deb"/libteg*.deb "$chroot/tmp/"
version=$(dpkg-deb -f "$deb"/teg-simulator_*.deb Version)

# The program alone: what it depends on comes with it.
inside sh -c 'dpkg -i /tmp/teg-simulator_*.deb' >"$chroot/tmp/out" 2>&1 || :
try apt-get install -y -q -f --no-install-recommends
try dpkg -s teg-simulator
said '^Status: install ok installed'
said "^Version: $version\$"
try teg --version
said "^teg $version\$"
try teg gpus
said '^gtx280 '
example=/usr/share/teg/examples
try teg run $example/matmul.sketch -g v100
said '^  cycles '
try teg bound $example/matmul.flow -g v100
try teg explain long_scoreboard
try sh -c 'cd / && md5sum -c --quiet /var/lib/dpkg/info/teg-simulator.md5sums'
try bash -c '. /usr/share/bash-completion/completions/teg
    COMP_LINE="teg run -g gtx28" COMP_POINT=16 COMP_WORDS=(teg run -g gtx28)
    _teg && echo "${COMPREPLY[@]}"'
said '^gtx280$'

# The library: a program of three lines is linked with what the package pulls in.
inside sh -c 'dpkg -i /tmp/libteg*.deb' >"$chroot/tmp/out" 2>&1 || :
try apt-get install -y -q -f --no-install-recommends
try apt-get install -y -q --no-install-recommends gcc libc6-dev pkg-config
cat >"$chroot/tmp/use.c" <<'END'
#include <stdio.h>
#include <teg/teg.h>

int main(void)
{
    printf("teg %s\n", teg_version());
    return 0;
}
END
try sh -c 'gcc /tmp/use.c -o /tmp/use $(pkg-config --cflags --libs teg) && /tmp/use'
said "^teg $version\$"
try sh -c 'ldd /tmp/use | grep libteg.so'
try sh -c 'gcc /tmp/use.c -o /tmp/use $(pkg-config --cflags teg) /usr/lib/libteg.a \
    $(pkg-config --static --libs-only-l teg | sed "s/-lteg//") && /tmp/use'
said "^teg $version\$"

# Gone again without a rest.
try dpkg --purge teg-simulator libteg-dev \
    $(cd "$chroot/tmp" && ls libteg[0-9]*.deb | sed 's/_.*//')
try sh -c '! find /usr -name "*teg*" | grep -v integ | grep -E "/(lib)?teg([./-]|$)"'
echo "teg $version: installed, ran, was linked with and removed on Debian 12"
