# Whole programs beside published times: what is not there is said, and that is
# no failure. (With Triton and the times it is an hour's work.)
. tests/cli/lib.sh

if ! command -v python3 >/dev/null 2>&1; then
    echo "skipped: whole programs: python3 is not installed"
    exit 0
fi
# -S: no installed packages, on any machine
programs() { TEG=$teg python3 -S tools/accuracy/modern/programs/programs.py "$@"; }

expect 0 programs
for section in results add matmul-a100-float16 attention-h100; do
    out "skipped: $section: "
done
out "skipped: SGEMM ladder: no --ladder FOLDER"
# a folder that is none
expect 0 programs ladder-a6000 --ladder "$work"
out "skipped: SGEMM ladder: "
# an option or a section that is none
expect 2 programs --poins
err "programs.py: no option '--poins'"
expect 2 programs adds
err "programs.py: no section 'adds'"
finish
