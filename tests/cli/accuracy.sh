# accuracy: no further from the published measurements than docs/accuracy.md
# says.  A change that comes closer lowers the limit here and says so there.
. tests/cli/lib.sh

accuracy() {
    "${BUILD:-build/release}/accuracy" "$@"
}

expect 0 accuracy --limit=4.33 --worst=12.2 --json="$work/json" \
    tools/accuracy/gtx280.csv
out '^gtx280: mean [0-9.]* % max [0-9.]* % over 21 points$'
no_err
check "the JSON file has the mean" grep -q '"mean_percent"' "$work/json"

# and it can fail
expect 1 accuracy --limit=1 tools/accuracy/gtx280.csv
err 'expected a mean of at most 1.00 %, found'
expect 1 accuracy --worst=1 tools/accuracy/gtx280.csv
err 'expected a max of at most 1.00 %, found'
echo 'not,a,row' >"$work/gtx280.csv"
expect 1 accuracy "$work/gtx280.csv"
err 'gtx280.csv:1: expected 10 columns'
expect 2 accuracy
finish
