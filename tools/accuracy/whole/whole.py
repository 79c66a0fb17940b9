#!/usr/bin/env python3
"""Whole programs, compiled, emulated and simulated, beside measured times.

    whole.py --sources DIR [--quick] [-j N] [OPTION ...]     (--help)

DIR holds checkouts of the programs' repositories (docs/accuracy.md); the
measured times are in ../shared/measured.  Says `skipped:` where nvcc, sources
or times are missing.  Prints tables and writes them to
build/accuracy/whole.md, every point to build/accuracy/whole.csv; what is
finished is kept in build/accuracy/whole.journal and not done again, traces in
build/whole ($KEPT).

Of each program and GPU, and of each problem that costs at most --cost seconds
of a core, the --shapes launch shapes are taken whose names hash lowest.
Caches are as the method leaves them: flushed by ncu, else as copies and
launches before have left them (suites.CACHES), unless --teg-args say.
"""
import argparse
import concurrent.futures
import csv
import os
import shlex
import shutil
import signal
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(
    __file__))))
import additions  # noqa: E402
import common  # noqa: E402
import compare  # noqa: E402
import h100  # noqa: E402
import hub  # noqa: E402
import klaraptor  # noqa: E402
import ktt  # noqa: E402
import ktt_stored  # noqa: E402
import published  # noqa: E402
import samples  # noqa: E402
import stored  # noqa: E402
import suites  # noqa: E402
import v100  # noqa: E402
from journal import Journal  # noqa: E402
from replay import Teg, timed  # noqa: E402

SUITES = (klaraptor, ktt, ktt_stored, hub, h100, samples, v100, additions,
          *published.SUITES, *stored.SUITES)
HERE = "teg"
OUT = os.path.join(common.ROOT, "build", "accuracy")
NOT_TIMES = ("ryoo",)  # models that say no time


# ---- what is run ------------------------------------------------------------

def available(suite, options):
    """Why the suite cannot run, or None."""
    if shutil.which("nvcc") is None:
        return "nvcc is not on the PATH"
    for name in suite.FILES:
        if not os.path.exists(os.path.join(options.measured, name)):
            return f"no {os.path.join(options.measured, name)}"
    for folder, url in suite.SOURCES.items():
        if options.sources is None:
            return f"no --sources DIR with {folder} ({url})"
        path = os.path.join(options.sources, folder)
        if not os.path.isdir(path):
            return f"no {path} (git clone {url})"
    return None


def chosen(jobs, options):
    """The shapes whose names hash lowest, of each problem."""
    problems = {}
    for job in jobs:
        if (job.cost <= options.cost and
                (options.half in (None, job.half)) and
                (not options.only or any(
                    w in f"{job.gpu} {job.program} {job.group}".split() or
                    w == f"{job.gpu}/{job.program}" for w in options.only))):
            problems.setdefault((job.gpu, job.program, job.group),
                                []).append(job)
    return [job for part in problems.values() for job in
            sorted(part, key=lambda j: common.sha(j.case))[:options.shapes]]


def before(commit):
    """The program as it was at a commit, built from the repository."""
    name = common.command("git", "-C", common.ROOT, "rev-parse", "--short",
                          f"{commit}^{{commit}}").strip()

    def make(folder):
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        archive = subprocess.run(
            ["git", "-C", common.ROOT, "archive", name], check=True,
            capture_output=True).stdout
        subprocess.run(["tar", "-x", "-C", folder], input=archive, check=True)
        common.command("make", "-C", folder, "all")
    folder = common.keep(os.path.join(common.ROOT, "build"),
                         f"before-{name}", make)
    return name, Teg(os.path.join(folder, "build", "release", "teg"),
                     os.path.join(folder, "config"))


def words(job, teg):
    """For `teg run`; what --teg-args say of caches holds for all methods."""
    how = suites.CACHES.get(job.method)
    if (how is None or not teg.has_caches or
            any(w.startswith("--caches") for w in teg.words)):
        return job.words
    return (*job.words, "--caches", how)


def points_of(job, tegs, journal, limit):
    """The points of a job, and what a program refused."""
    kernels, refused = {}, []
    for name, teg in tegs.items():
        try:
            kernels[name] = timed(job.how, job.gpu, words(job, teg), teg,
                                  journal, limit)
        except common.Refused as e:
            refused.append((name, str(e)))
    if HERE not in kernels:
        return [], refused
    return [point(job, t, kernels) for t in job.times], refused


def point(job, time, kernels):
    found = {name: suites.kernels_of(time, ks) for name, ks in
             kernels.items()}
    here = found[HERE]
    if not here:
        raise common.Refused(f"{job.case}: no kernel '{time.kernel}'")
    start = suites.STARTS[job.method](job.gpu, time, here)
    ours = {name: suites.summed(time, ks, lambda k: k["us"])
            for name, ks in found.items()}
    for model in here[0]["models"]:
        if model not in NOT_TIMES:
            ours[model] = suites.summed(time, here,
                                        lambda k, m=model: k["models"][m])
    return {"gpu": job.gpu, "program": job.program, "row": time.row,
            "half": job.half, "case": job.case, "method": job.method,
            "group": f"{job.gpu} {time.row} {job.group}",
            "measured_us": time.us, "repeats": len(time.repeats),
            "start_us": start, "sampled": any(k["sampled"] for k in here),
            "incomplete": any(k["incomplete"] for k in here),
            "bound": max(here, key=lambda k: k["us"] * k["launches"])["bound"],
            "ours": {n: None if us is None else us + start
                     for n, us in ours.items()}}


def run_all(jobs, tegs, journal, options):
    """All points in the order of the jobs, and [(job, what was refused)]."""
    def one(job):
        try:
            return points_of(job, tegs, journal, options.limit)
        except common.Refused as e:
            return [], [(HERE, str(e))]
    points, refused, done = [], [], 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        try:
            for job, (some, why) in zip(jobs, pool.map(one, jobs)):
                points += some
                refused += [(job, name, text) for name, text in why]
                done += 1
                if options.progress:
                    print(f"\r{done} of {len(jobs)}", end="",
                          file=sys.stderr, flush=True)
        except KeyboardInterrupt:
            pool.shutdown(wait=False, cancel_futures=True)
            common.end_all()
            raise
    if options.progress:
        print(file=sys.stderr)
    return points, refused


# ---- what is said -----------------------------------------------------------

def predictors(points):
    """In a fixed order: the simulator, as it was, the models."""
    names = {n for p in points for n in p["ours"]}
    return sorted(names, key=lambda n: (n != HERE,
                                        not n.startswith("before"), n))


def report(points, refused):
    """Markdown of all tables."""
    names = predictors(points)
    parts = ["## Each program\n", compare.by_program(points, HERE),
             "## Each GPU, and what else predicts\n",
             compare.by_gpu(points, names),
             "## To fit by (A), to check with (B)\n",
             compare.by_half(points, HERE)]
    for name in names[1:]:
        parts += [f"## Each program: {name}\n",
                  compare.by_program(points, name)]
    if refused:
        parts.append("## What did not run\n")
        parts.append("\n".join(
            f"- {job.gpu} {job.program} {job.case}, {name}: {text}"
            for job, name, text in refused) + "\n")
    return "\n".join(parts)


COLUMNS = ("gpu", "program", "row", "half", "case", "method", "measured_us",
           "repeats", "start_us", "sampled", "incomplete", "bound")


def write_points(points, path):
    names = predictors(points)
    with open(path, "w", encoding="utf-8", newline="") as f:
        out = csv.writer(f, lineterminator="\n")
        out.writerow([*COLUMNS, *(f"{n}_us" for n in names)])
        for p in points:
            values = [p["ours"].get(n) for n in names]
            out.writerow([*(p[c] for c in COLUMNS),
                          *("" if v is None else f"{v:.4f}" for v in values)])


def write(points, refused, out):
    os.makedirs(out, exist_ok=True)
    text = report(points, refused)
    with open(os.path.join(out, "whole.md"), "w", encoding="utf-8") as f:
        f.write(text)
    write_points(points, os.path.join(out, "whole.csv"))
    print(text.split("\n## Each program: ")[0])
    sampled = sum(p["sampled"] for p in points)
    torn = sum(p["incomplete"] for p in points)
    if torn:
        print(f"{torn} points are incomplete: their traces or reports lack "
              "something, see `teg run`")
    print(f"{len(points)} points, {sampled} of them from a part of their "
          f"blocks or launches; {len(refused)} replays did not run; all "
          f"tables: {os.path.join(out, 'whole.md')}")


# ---- the command ------------------------------------------------------------

def parse(argv):
    parser = argparse.ArgumentParser(
        description="Compare whole programs with measured times.")
    add = parser.add_argument
    add("only", nargs="*", metavar="WHAT", help="only of this GPU, program, "
        "GPU/program or problem (n=256)")
    add("--sources", metavar="DIR", help="checkouts of the programs")
    add("--measured", metavar="DIR", default=common.MEASURED)
    add("-j", "--jobs", type=int, default=os.cpu_count(), metavar="N",
        help="points at once (default: one per core)")
    add("--quick", action="store_true", help="some ten minutes on two cores")
    add("--shapes", type=int, metavar="N", help="launch shapes of a problem "
        "(default 12; --quick: 5)")
    add("--cost", type=float, metavar="S", help="leave out what takes a core "
        "about more than S seconds (default 60; --quick: 3)")
    add("--limit", type=float, default=600, metavar="S", help="give up what "
        "takes longer (default 600)")
    add("--half", choices=("A", "B"), help="only programs of this half")
    add("--teg-args", default="", metavar="WORDS", help="further options of "
        "`teg run`, as --teg-args='--set l2.ways=8'")
    add("--out", metavar="DIR", default=OUT, help="tables and points go "
        "there (default: build/accuracy)")
    add("--before", metavar="COMMIT", help="also the simulator as it was")
    add("--retry", action="store_true", help="what was refused before, too")
    add("--list", action="store_true", help="say what would run")
    options = parser.parse_args(argv)
    options.shapes = options.shapes or (5 if options.quick else 12)
    options.cost = options.cost or (3 if options.quick else 60)
    options.progress = sys.stderr.isatty()
    return options


def main(argv):
    options = parse(argv)
    jobs = []
    for suite in SUITES:
        why = available(suite, options)
        if why is not None:
            print(f"skipped: {', '.join(suite.GPUS)}: {why}")
            continue
        jobs += chosen(suite.jobs(options.sources, options.measured,
                                  suite.GPUS), options)
    if options.list:
        for job in jobs:
            print(f"{job.half} {job.gpu} {job.program} {job.case} "
                  f"{job.cost:.1f} s")
        print(f"{len(jobs)} replays, {sum(j.cost for j in jobs):.0f} s of a "
              "core")
        return 0
    if not jobs:
        return 0
    tegs = {HERE: Teg(common.TEG, common.CONFIG,
                      tuple(shlex.split(options.teg_args)))}
    if options.before:
        name, teg = before(options.before)
        tegs[f"before ({name})"] = teg
    journal = Journal(os.path.join(OUT, "whole.journal"))
    if options.retry:
        journal.forget(lambda result: isinstance(result, str))
    try:
        points, refused = run_all(jobs, tegs, journal, options)
    except KeyboardInterrupt:
        print("stopped; what is finished is kept", file=sys.stderr)
        return 130
    if points:
        write(points, refused, options.out)
    else:
        for job, name, text in refused:
            print(f"{job.gpu} {job.program} {job.case}, {name}: {text}")
    return 0


def stop(*_):
    raise KeyboardInterrupt


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, stop)
    sys.exit(main(sys.argv[1:]))
