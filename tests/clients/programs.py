"""What the scripts of this folder share that make a table of programs: a run
under `teg exec` within so much processor time, and the table as it comes."""
import csv
import pathlib
import re
import resource
import subprocess

WAIVED = 2  # the exit status of NVIDIA's samples for "not here"
COLUMNS = ["program", "outcome", "seconds", "said"]


def add_options(parser, out, seconds):
    """What each script is told; `out` is below build/clients."""
    parser.add_argument("sources", type=pathlib.Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--teg", default="build/release/teg")
    parser.add_argument("--out", type=pathlib.Path,
                        default=pathlib.Path("build/clients") / out)
    parser.add_argument("--seconds", type=int, default=seconds)


def compile_by(commands, seconds=None):
    """"" if all commands went well, else the first line that says why not."""
    log = ""
    for command in commands:
        try:
            r = subprocess.run(command, text=True, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, errors="replace",
                               timeout=seconds)
        except subprocess.TimeoutExpired:
            return f"not compiled in {seconds} s"
        log += r.stdout
        if r.returncode:
            wrong = [line for line in log.splitlines()
                     if re.search(r"error:|fatal|not found|No rule|undefined", line)]
            return (wrong or log.splitlines()[-1:] or ["?"])[0].strip()
    return ""


def run(teg, gpu, command, cwd, seconds, options=("--no-trace",)):
    """(outcome, processor seconds, last line worth a look, what it printed)."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        r = subprocess.run(
            [teg, "exec", "-g", gpu, *options, "--", *command],
            cwd=cwd, text=True, errors="replace",
            preexec_fn=lambda: resource.setrlimit(
                resource.RLIMIT_CPU, (seconds, seconds + 5)),
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, timeout=20 * seconds)
        code, said, out = r.returncode, r.stderr, r.stdout
    except subprocess.TimeoutExpired as e:
        code, said, out = None, "", (e.stdout or b"").decode(errors="replace")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = (after.ru_utime + after.ru_stime
             - before.ru_utime - before.ru_stime)
    words = [s for s in said.splitlines() if s.strip()]
    lines = [s for s in out.splitlines() if s.strip()]
    tegs = [s for s in words if s.startswith("teg: ")]
    last = (tegs or words or lines or [""])[-1]
    if code is None or "CPU time limit" in said:
        return "not ended", spent, last, out
    if code == 0:
        return "passed", spent, last, out
    if code == WAIVED and not last.startswith("teg: "):
        return "waived", spent, (lines or [""])[-1], out
    return "failed", spent, last, out


def unheard(outcome, said):
    """A program that does not ask does not hear of a kernel's fault."""
    return "failed" if said.startswith("teg: kernel ") else outcome


class Table:
    """Rows in a file; what stands there need not be done again."""

    def __init__(self, path, anew=()):
        self.path, self.rows = path, []
        if path.exists():
            with open(path, newline="", encoding="utf-8") as f:
                self.rows = [r for r in csv.DictReader(f)
                             if r["program"] not in anew]

    def __contains__(self, program):
        return any(r["program"] == program for r in self.rows)

    def add(self, program, outcome, seconds, said):
        self.rows = [r for r in self.rows if r["program"] != program]
        self.rows.append(dict(zip(COLUMNS, (program, outcome,
                                            f"{seconds:.1f}", said[:160]))))
        with open(self.path, "w", newline="", encoding="utf-8") as f:
            w = csv.DictWriter(f, COLUMNS)
            w.writeheader()
            w.writerows(self.rows)
        print(f"{program}: {outcome}, {seconds:.1f} s: {said[:100]}",
              flush=True)

    def summary(self):
        for outcome in sorted({r["outcome"] for r in self.rows}):
            names = sorted(r["program"] for r in self.rows
                           if r["outcome"] == outcome)
            print(f"{outcome}, {len(names)}: {', '.join(names)}")
