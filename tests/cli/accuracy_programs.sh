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
out "skipped: ladder-a6000: no --ladder FOLDER"
out "skipped: flash-a100: no --attention FOLDER"
out "skipped: ladder-h100: no --fast FOLDER"
# a folder that is none
expect 0 programs ladder-a6000 --ladder "$work" flash-a100 --attention "$work" \
    ladder-h100 --fast "$work"
out "skipped: ladder-a6000: "
out "skipped: flash-a100: "
out "skipped: ladder-h100: "
# a Python that is none, and one without Triton
expect 2 programs --triton "$work/python"
err "programs.py: --triton $work/python: No such file or directory"
printf '#!/bin/sh\n' >"$work/python"
chmod +x "$work/python"
expect 2 programs --triton "$work/python"
err "programs.py: --triton $work/python: has no package triton"
# an option or a section that is none
expect 2 programs --poins
err "programs.py: no option '--poins'"
expect 2 programs adds
err "programs.py: no section 'adds'"
finish
