#!/bin/sh
# Makes Debian packages of what `make install` installs, with dpkg-deb alone:
# tools/deb.sh BUILD VERSION. They go to BUILD/deb:
#   teg-simulator  the program, descriptions, documentation, completion, the
#                  CUDA runtime that `teg exec` puts under programs
#   libteg0        the shared library, if one is installed; 0 of its name
#   libteg-dev     what programs are built with: headers, static library, and
#                  the headers of the libraries below it
# Debian has a package teg already, a game, newer by its number: apt would put
# it in the place of one of that name.
# The same tree makes the same bytes: times are those of the last commit.
set -eu
build=$1
version=$2
deb=$build/deb
root=$PWD/$deb/root
maintainer='The teg authors <teg@example.org>'

for tool in dpkg-deb dpkg-shlibdeps strip; do
    command -v $tool >/dev/null || {
        echo "make deb needs $tool: apt-get install dpkg-dev binutils" >&2
        exit 1
    }
done
epoch=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null ||
    stat -c %Y include/teg/version.h)}
export SOURCE_DATE_EPOCH="$epoch"
arch=$(dpkg --print-architecture)
umask 022
rm -rf "$deb"
mkdir -p "$root"
${MAKE:-make} --no-print-directory BUILD="$build" DESTDIR="$root" PREFIX=/usr \
    install >"$deb/install.log"

# Moves PATHS below usr from what was installed into package $1.
take() {
    package=$deb/$1
    mkdir -p "$package/DEBIAN"
    shift
    for path; do
        [ -e "$root/usr/$path" ] || [ -L "$root/usr/$path" ] || continue
        mkdir -p "$package/usr/$(dirname "$path")"
        mv "$root/usr/$path" "$package/usr/$path"
    done
}

# /usr/share/doc of package $1: copyright and changelog.
documents() {
    doc=$deb/$1/usr/share/doc/$1
    mkdir -p "$doc"
    {
        echo 'Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/'
        echo 'Upstream-Name: teg'
        printf '\nFiles: *\n'
        sed -n 's/^Copyright (c) /Copyright: /p' LICENSE
        echo 'License: Expat'
        sed -n '/^Permission/,$s/^$/./; /^Permission/,$s/^/ /p' LICENSE
    } >"$doc/copyright"
    {
        printf 'teg (%s) unstable; urgency=medium\n\n' "$version"
        printf '  * What changed is in CHANGELOG.md.\n\n'
        printf ' -- %s  %s\n' "$maintainer" "$(date -u -R -d "@$epoch")"
    } | gzip -9n >"$doc/changelog.gz"
}

# What the programs and libraries of package $1 are linked with; libcuda.so.1 is
# with its neighbor alone.
depends() {
    mkdir -p "$deb/debian"
    printf 'Source: teg\n\nPackage: %s\nArchitecture: any\n' "$1" \
        >"$deb/debian/control"
    files=$(cd "$deb" && find "$1" -type f ! -name 'libcuda.so*' \
        \( -perm -u+x -o -name '*.so*' \) | sed 's/^/-e/')
    [ -n "$files" ] || return 0
    (cd "$deb" && dpkg-shlibdeps -Tdebian/substvars $files \
        2>shlibdeps.log) || {
        cat "$deb/shlibdeps.log" >&2
        return 1
    }
    sed -n 's/^shlibs:Depends=//p' "$deb/debian/substvars"
}

# Writes the control files of package $1 and packs it; further lines of the
# control file come on standard input.
pack() {
    package=$deb/$1
    documents "$1"
    find "$package" -type d -exec chmod 755 {} +
    {
        printf 'Package: %s\nVersion: %s\nArchitecture: %s\n' \
            "$1" "$version" "$arch"
        printf 'Maintainer: %s\nInstalled-Size: %s\n' "$maintainer" \
            "$(du -sk --apparent-size "$package/usr" | cut -f1)"
        cat
    } >"$package/DEBIAN/control"
    (cd "$package" && find usr -type f | sort | xargs md5sum) \
        >"$package/DEBIAN/md5sums"
    find "$package" -newermt "@$epoch" -exec touch -h -d "@$epoch" {} +
    dpkg-deb --root-owner-group --build "$package" \
        "$deb/${1}_${version}_$arch.deb" >"$deb/pack.log"
    echo "  DEB     $deb/${1}_${version}_$arch.deb"
}

mkdir -p "$root/usr/share/zsh"
mv "$root/usr/share/zsh/site-functions" "$root/usr/share/zsh/vendor-completions"
gzip -9n "$root"/usr/share/man/man*/*
mv "$root/usr/share/doc/teg" "$root/usr/share/doc/teg-simulator"
take teg-simulator bin lib/teg share
soname=$(cd "$root/usr/lib" && find . -name 'libteg.so.[0-9]*' |
    sed -n 's/.*\.so\.\([0-9]*\)$/\1/p')
[ -z "$soname" ] || take "libteg$soname" \
    $(cd "$root/usr" && find lib -name 'libteg.so.[0-9]*')
take libteg-dev include lib
find "$root" -type f | sed 's/^/in no package: /' | grep . >&2 && exit 1
strip "$deb/teg-simulator/usr/bin/teg"
find "$deb" -name '*.so*' -type f -exec strip --strip-unneeded {} +
find "$deb" -name '*.a' -exec strip --strip-debug -D {} +

libraries=$(depends teg-simulator)
pack teg-simulator <<END
Depends: $libraries
Suggests: libjs-dygraphs
Section: devel
Priority: optional
Description: estimates how many cycles a GPU kernel takes, and why
 teg replays the warp instruction trace of a CUDA kernel through a
 cycle-approximate model of the chip, shows the load of every functional
 unit and what the warps waited for, answers what would happen if a
 bottleneck were gone, and puts the analytical models' estimates beside the
 simulated one. It needs no GPU.
END

if [ -n "$soname" ]; then
    control=$deb/libteg$soname/DEBIAN
    echo 'activate-noawait ldconfig' >"$control/triggers"
    echo "libteg $soname libteg$soname (>= $version)" >"$control/shlibs"
    libraries=$(depends "libteg$soname")
    pack "libteg$soname" <<END
Depends: $libraries
Suggests: teg-simulator
Section: libs
Priority: optional
Description: library that simulates the timing of GPU kernels, at run time
 What programs need that were linked with teg's library. Descriptions of GPUs
 come with teg-simulator.
END
fi

# Whoever links statically needs what the build needs.
headers=$(sed -n 's/^packages="\(.*\)"/\1/p' tools/install_deps.sh | tr ' ' '\n' |
    grep -e '-dev$' | sort | paste -s -d, | sed 's/,/, /g')
pack libteg-dev <<END
Depends: ${soname:+libteg$soname (= $version), }$headers
Section: libdevel
Priority: optional
Description: library that simulates the timing of GPU kernels
 The simulator behind teg as a library: readers of traces, descriptions of
 GPUs, the emulator, the timing model and the analytical models. It does not
 print, exit or keep global state.
END
