#!/bin/sh
# Prints every #include that points out of its room, every room that is not
# in the table, and every call only tools/ may make.
#
# A row: a folder (its own files, not those of folders in it), then what they
# may include besides their own folder: path prefixes.  Arrows go one way: a
# row names nothing that names it.  docs/architecture.md draws the map.
cd "$(dirname "$0")/.." || exit 2
status=0
rooms=$(mktemp)
trap 'rm -f "$rooms"' EXIT
while read -r room allowed; do
    echo "$room" >>"$rooms"
    pattern=$(echo "$room/[^/]*\" $allowed" | sed 's/ *$//; s/ /|/g')
    if grep -nE '^#include "' /dev/null "$room"/*.[ch] |
        grep -vE "#include \"($pattern)"; then
        status=1
    fi
done <<'END'
include/teg [a-z]*\.h"
isa/base include/teg/status
isa/inst isa/base/
isa/sass isa/base/ isa/inst/
isa/binary isa/base/ isa/inst/ isa/sass/
config include/teg/ isa/base/ isa/inst/
traces/base isa/base/ isa/inst/
traces/block isa/base/ isa/inst/ traces/base/
traces/tegt isa/base/ isa/inst/ traces/base/ traces/block/
traces/nvbit isa/base/ isa/inst/ traces/base/ traces/block/
traces/sketch isa/base/ isa/inst/ traces/base/ traces/block/
traces/list isa/base/ traces/base/
traces/study isa/base/ isa/inst/ traces/base/ traces/block/
traces/emulate/core isa/ traces/base/ traces/block/ traces/study/contest
traces/emulate/ops isa/ traces/emulate/core/
traces include/teg/ isa/base/ isa/inst/ traces/
sim/memory isa/base/ isa/inst/ config/ traces/block/cursor sim/events sim/stalls
sim/engine isa/base/ isa/inst/ config/ traces/block/cursor sim/events sim/stalls sim/memory/
sim/collect isa/base/ isa/inst/ config/ sim/events sim/stalls
sim/models isa/base/ isa/inst/ config/ sim/collect/
sim/learn isa/base/
sim/program isa/base/ config/ traces/list/score traces/block/cursor sim/together
sim/whatif isa/base/ isa/inst/ config/ traces/block/ sim/teg sim/sample/whole_waves sim/memory/plan
sim/sample isa/base/ isa/inst/ config/ traces/block/ sim/
sim include/teg/version isa/base/ isa/inst/ config/ traces/trace traces/block/ sim/
libteg include/teg/ isa/ config/ traces/ sim/
tools/teg/cli isa/ config/ traces/ sim/
tools/teg/pool isa/ tools/teg/cli/
tools/teg/formats tools/teg/cli/
tools/teg/replay isa/ config/ traces/ sim/ tools/teg/cli/ tools/teg/formats/ tools/teg/pool/
tools/teg/report isa/ config/ traces/ sim/ tools/teg/cli/ tools/teg/formats/ tools/teg/pool/ tools/teg/replay/
tools/teg/report/page sim/ tools/teg/cli/ tools/teg/pool/ tools/teg/replay/ tools/teg/report/ page.
tools/teg/sweep isa/ config/ traces/ sim/ tools/teg/cli/ tools/teg/formats/ tools/teg/pool/ tools/teg/replay/ tools/teg/report/
tools/teg/profile isa/ config/ sim/ tools/teg/cli/ tools/teg/formats/ tools/teg/pool/ tools/teg/replay/ tools/teg/report/
tools/teg/program isa/ config/ sim/ traces/ tools/teg/cli/ tools/teg/compare/csv_table tools/teg/formats/ tools/teg/pool/ tools/teg/replay/ tools/teg/report/
tools/teg/power isa/ config/ sim/ tools/teg/cli/ tools/teg/formats/ tools/teg/replay/ tools/teg/report/
tools/teg/compare isa/ sim/teg tools/teg/cli/
tools/teg/gpu_draft isa/ config/ tools/teg/cli/
tools/cudart isa/ config/ traces/ sim/
tools/cudart/driver isa/ tools/cudart/
tools/cudart/twelve tools/cudart/
tools/vendor tools/cudart/abi tools/cudart/say tools/vendor/
tools/cublas traces/ tools/cudart/ tools/vendor/ tools/cublas/
tools/cublas/kernels [a-z]*\.h" ../../vendor/kernels/
tools/cufft tools/cudart/ tools/vendor/ tools/cufft/
tools/cufft/kernels [a-z]*\.h"
tools/cudnn tools/cudart/ tools/vendor/ tools/cudnn/
tools/cudnn/kernels [a-z]*\.h" ../../vendor/kernels/
tools/curand tools/cudart/ tools/vendor/ tools/curand/
tools/curand/kernels [a-z]*\.h"
tools/cusolver tools/cudart/ tools/vendor/ tools/cusolver/
tools/cusolver/kernels [a-z]*\.h" ../../vendor/kernels/
tools/cusparse tools/cudart/ tools/vendor/ tools/cusparse/
tools/cusparse/kernels [a-z]*\.h"
tools/cudart/loader [a-z]*\.h tools/cudart/program_time.h"
tools/teg/commands isa/ config/ traces/ sim/ tools/teg/
END
for room in $(find isa config traces sim libteg tools/teg tools/cu* tools/vendor -name '*.c' -exec dirname {} + | sort -u); do
    if ! grep -qx "$room" "$rooms"; then
        echo "$room: not in the table of tools/check_layers.sh"
        status=1
    fi
done
if grep -rnE '\<(printf|fprintf|puts|exit|abort|getenv)\(' \
    --include='*.[ch]' isa config traces sim libteg; then
    status=1
fi
[ $status = 0 ] && echo "rooms: every include stays in its room"
exit $status
