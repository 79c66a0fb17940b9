#!/bin/sh
# Prints every #include that points out of its room, and every call only
# tools/ may make. A row: a folder, then the path prefixes it may include.
cd "$(dirname "$0")/.." || exit 2
status=0
while read -r room allowed; do
    pattern=$(echo "$allowed" | tr ' ' '|')
    if grep -rnE '^#include "' --include='*.[ch]' "$room" |
        grep -vE "#include \"($pattern)[/.]"; then
        status=1
    fi
done <<'EOF'
isa          isa
isa/base     isa/base
config       isa config
traces       isa traces
sim/engine   isa config traces/cursor sim/events sim/stalls sim/memory sim/engine
sim/memory   isa config traces/cursor sim/events sim/stalls sim/memory
sim/collect  isa config sim/events sim/stalls sim/collect
sim/models   isa config sim/collect sim/models
sim/learn    isa sim/learn
sim/sample   isa config traces sim
sim/whatif   isa config traces/cursor traces/block sim/teg sim/whatif
EOF
if grep -rnE '\<(printf|fprintf|puts|exit|abort|getenv)\(' \
    --include='*.[ch]' isa config traces sim; then
    status=1
fi
[ $status = 0 ] && echo "rooms: every include stays in its room"
exit $status
