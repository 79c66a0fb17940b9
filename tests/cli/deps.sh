# What tools/install_deps.sh says and does on a Debian that lacks packages, told
# by programs in place of dpkg-query, id, sudo and apt-get.
. tests/cli/lib.sh

mkdir "$work/bin"
stub() { # NAME: a script on standard input
    { echo '#!/bin/sh'; cat; } >"$work/bin/$1"
    chmod +x "$work/bin/$1"
}
# Installed is all but what $MISSING names.
stub dpkg-query <<'END'
for package; do :; done
case " $MISSING " in
*" $package "*) exit 1 ;;
esac
echo 'install ok installed'
END
stub id <<'END'
echo "$UID_STUB"
END
stub sudo <<'END'
[ "$SUDO_STUB" = yes ] || exit 1
shift
exec "$@"
END
stub apt-get <<'END'
echo "$*" >>"$APT_LOG"
[ -z "$APT_FAILS" ] || { echo 'no such package'; exit 100; }
END
export PATH="$work/bin:$PATH" APT_LOG="$work/apt" MISSING='' UID_STUB=0 \
    SUDO_STUB=no APT_FAILS=

# Nothing is missing: nothing is said or done.
expect 0 sh tools/install_deps.sh
no_out
no_err
expect 0 sh tools/install_deps.sh ci deb
no_err
check 'and nothing installed' [ ! -e "$work/apt" ]

# As root.
MISSING='zlib1g-dev check'
expect 0 sh tools/install_deps.sh
no_out
err '^Debian packages that teg needs are missing. Installing them as root:$'
err '^    apt-get install -y --no-install-recommends zlib1g-dev check$'
check 'it did what it said' \
    [ "$(cat "$work/apt")" = 'install -y --no-install-recommends zlib1g-dev check' ]
rm "$work/apt"

# With sudo that asks for nothing.
UID_STUB=1000 SUDO_STUB=yes
expect 0 sh tools/install_deps.sh
err 'Installing them with sudo:$'
err '^    sudo apt-get install .* zlib1g-dev check$'
check 'sudo did it' grep -q 'zlib1g-dev check$' "$work/apt"
rm "$work/apt"

# With neither: the one line to run.
SUDO_STUB=no
expect 1 sh tools/install_deps.sh
err '^    sudo apt-get install -y zlib1g-dev check$'
check 'nothing was tried' [ ! -e "$work/apt" ]

# What is only wanted by some is asked for by them.
UID_STUB=0 MISSING='dpkg-dev'
expect 0 sh tools/install_deps.sh
no_err
expect 0 sh tools/install_deps.sh deb
err ' dpkg-dev$'

APT_FAILS=yes MISSING='check'
expect 1 sh tools/install_deps.sh
err '^no such package$'
err '^could not install them. Run:  apt-get install -y check$'
expect 2 sh tools/install_deps.sh nonsense
err "unknown set 'nonsense'"

finish
