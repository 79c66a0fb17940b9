# What `make install` puts where, and that the installed program finds it; the
# version is the same wherever it is said.
. tests/cli/lib.sh

version=$(sed -n 's/.*TEG_VERSION  *"\(.*\)"/\1/p' include/teg/version.h)
root=$work/root

# Installs what is built; a make around this one keeps its jobs and variables.
install_below() {
    env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS -u DESTDIR make -s BUILD="$build" \
        DESTDIR="$root" PREFIX=/usr install
}

expect 0 install_below
no_err
for file in bin/teg lib/libteg.a lib/teg/libcudart.so.13 lib/teg/libcuda.so.1 \
    include/teg/teg.h lib/pkgconfig/teg.pc \
    share/teg/config/v100.cfg share/teg/config/family/volta.cfg \
    share/teg/examples/matmul.flow share/teg/examples/matmul.sketch \
    share/man/man1/teg.1 share/man/man7/teg-terms.7 \
    share/doc/teg/usage.md share/doc/teg/schema.json \
    share/bash-completion/completions/teg share/zsh/site-functions/_teg; do
    check "installed: $file" [ -s "$root/usr/$file" ]
done
check 'all descriptions are installed' [ "$(ls config/*.cfg | wc -l)" = \
    "$(ls "$root"/usr/share/teg/config/*.cfg | wc -l)" ]

# From another directory, with nothing else told: the descriptions beside it.
teg=$root/usr/bin/teg
away() {
    (cd "$work" && env -u TEG_CONFIG_PATH "$teg" "$@")
}
expect 0 away run root/usr/share/teg/examples/matmul.sketch -g v100 -f json
out "\"version\": *\"$version\""
expect 0 away gpus v100
out '^sm.warps_max '

expect 0 away --version
out "^teg $version\$"
out '^teg [0-9]*\.[0-9]*\.[0-9]*$'
check 'the manual page has it' grep -q "\"teg $version\"" \
    "$root/usr/share/man/man1/teg.1"
check 'CHANGELOG.md has it' grep -q "^## \[$version\]" CHANGELOG.md

finish
