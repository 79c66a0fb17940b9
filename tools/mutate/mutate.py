#!/usr/bin/env python3
"""Applies small semantic changes one by one to copies of the tree and sees
whether a test notices.

    tools/mutate/mutate.py [--list FILE] [--only NAME]... [--aim PERCENT]
                           [--jobs N] [--check]

The list (tools/mutate/mutations.txt) has blocks of lines "key: value", apart
from each other by an empty line; lines that begin with # are comments.

    name:   what the change is called
    in:     a file, or a folder whose files hold the text once
    old:    the text to replace, part of one line, without blanks around it
    new:    what to put there
    tests:  what should notice: programs (tests/sim/memory/test_cache) and
            scripts (tests/cli/run.sh), quickest first

A mutation is killed by the first test that fails, or takes ten times as long
as it should.  One that does not compile, or whose text is not there exactly
once, is a fault of the list.  Exit status 0 if as many are killed as aimed at.

Everything happens below build/mutate, N mutations beside each other (default:
one per core), each in a copy of its own; what it built goes back to what it
was by copying, so that nothing is compiled twice.
"""
import argparse
import concurrent.futures
import os
import pathlib
import queue
import shutil
import signal
import subprocess
import sys
import time

TREE = pathlib.Path(__file__).resolve().parent.parent.parent
ROOM = TREE / "build" / "mutate"
BASE = ROOM / "base"  # as the tree is; nothing is changed here
BUILT = pathlib.Path("build") / "release"
KEYS = {"name", "in", "old", "new", "tests"}


class Fault(Exception):
    """Of the list, or of the tree."""


def read_list(path):
    mutations, block = [], {}
    for number, line in enumerate(path.read_text().split("\n") + [""], 1):
        if line.startswith("#"):
            continue
        if not line.strip():
            if block:
                missing = KEYS - block.keys()
                if missing:
                    raise Fault(f"{path}:{number}: no "
                                f"{', '.join(sorted(missing))}")
                mutations.append(block)
            block = {}
            continue
        key, colon, value = line.partition(":")
        if not colon or key not in KEYS or key in block:
            raise Fault(f"{path}:{number}: expected one of {sorted(KEYS)}, "
                        "once")
        block[key] = value.strip()
    names = [m["name"] for m in mutations]
    for name in names:
        if names.count(name) > 1:
            raise Fault(f"{path}: two mutations are called {name}")
    return mutations


def tests_of(mutations):
    return sorted({t for m in mutations for t in m["tests"].split()})


# ---- a copy of the tree ------------------------------------------------------


def copy_tree(tests):
    """What git knows or would take, as it is now, and what is built of it, but
    for the programs of other tests."""
    files = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=TREE, stdout=subprocess.PIPE, check=True).stdout.decode()
    shutil.rmtree(ROOM, ignore_errors=True)
    for name in filter(None, files.split("\0")):
        if (TREE / name).is_file():
            (BASE / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(TREE / name, BASE / name)
    if (TREE / BUILT).is_dir():
        shutil.copytree(
            TREE / BUILT, BASE / BUILT, symlinks=True,
            ignore=lambda place, names: {
                n for n in names if n.startswith("test_") and "." not in n
                and str((pathlib.Path(place) / n).relative_to(TREE / BUILT))
                not in tests})
    stamp = TREE / "build" / "deps.stamp"
    if stamp.is_file():
        shutil.copy2(stamp, BASE / "build" / "deps.stamp")
    shared = TREE.parent / "shared"
    if shared.is_dir():
        (ROOM / "shared").symlink_to(shared)


def make(place, jobs, tests):
    """Builds what the tests need; returns what went wrong, or None."""
    targets = {f"{BUILT}/{t}" for t in tests if not t.endswith(".sh")}
    if any(t.endswith(".sh") or t.startswith("tests/tools/") for t in tests):
        targets.add("all")
    done = subprocess.run(
        ["make", "-s", f"-j{jobs}", *sorted(targets)], cwd=place,
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    return None if done.returncode == 0 else done.stderr.strip()


def put_back(place, since):
    """What was built since then, as it is in the copy that stays."""
    for path in (place / BUILT).rglob("*"):
        if path.is_symlink() or not path.is_file():
            continue
        if path.stat().st_mtime < since:
            continue
        was = BASE / path.relative_to(place)
        path.unlink()
        if was.is_file():
            shutil.copy2(was, path)


# ---- mutations ---------------------------------------------------------------


def find(mutation, tree=BASE):
    """The one file that holds the text once, from the root of the tree."""
    place = tree / mutation["in"]
    files = [place] if place.is_file() else sorted(
        p for p in place.glob("*") if p.suffix in (".c", ".h", ".def", ".js"))
    holds = [(p, p.read_text().count(mutation["old"])) for p in files]
    if sum(n for _, n in holds) != 1:
        where = ", ".join(f"{p.name} {n} times" for p, n in holds if n)
        raise Fault(f"{mutation['name']}: expected '{mutation['old']}' once in "
                    f"{mutation['in']}, found {where or 'it nowhere'}")
    return next(p for p, n in holds if n).relative_to(tree)


def check(mutations):
    """Says which texts and tests are not there any more; how many."""
    wrong = 0
    for mutation in mutations:
        try:
            find(mutation, TREE)
            for test in mutation["tests"].split():
                if not (TREE / (test if test.endswith(".sh")
                                else test + ".c")).is_file():
                    raise Fault(f"{mutation['name']}: there is no {test}")
        except Fault as e:
            print(f"mutate: {e}", file=sys.stderr)
            wrong += 1
    return wrong


def seconds_of(place, test, limit):
    """How long the test took to succeed; None if it did not, or not by then."""
    command = ["sh", test] if test.endswith(".sh") else [f"{BUILT}/{test}"]
    began = time.monotonic()
    with subprocess.Popen(command, cwd=place, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL) as running:
        try:
            code = running.wait(timeout=limit)
        except subprocess.TimeoutExpired:
            end(running)
            return None
    return time.monotonic() - began if code == 0 else None


def end(running):
    """Asked to, a test ends what it has forked, too."""
    running.terminate()
    try:
        running.wait(timeout=5)
    except subprocess.TimeoutExpired:
        running.kill()


def judge(place, mutation, limits):
    """Who killed it, None if nobody did."""
    path = place / find(mutation)
    text, since = path.read_text(), path.stat()
    began = time.time()
    path.write_text(text.replace(mutation["old"], mutation["new"]))
    try:
        for test in mutation["tests"].split():
            wrong = make(place, 1, [test])
            if wrong:
                raise Fault(f"{mutation['name']} does not compile:\n{wrong}")
            if seconds_of(place, test, limits[test]) is None:
                return test
        return None
    finally:
        path.write_text(text)
        os.utime(path, ns=(since.st_atime_ns, since.st_mtime_ns))
        put_back(place, began - 1)


# ---- all of them -------------------------------------------------------------


def prepare(mutations, jobs):
    """Copies and builds the tree; returns the copies and each test's limit."""
    tests = tests_of(mutations)
    copy_tree(tests)
    for mutation in mutations:
        find(mutation)
    wrong = make(BASE, os.cpu_count(), tests)
    if wrong:
        raise Fault(f"the tree does not build:\n{wrong}")
    limits = {}
    for test in tests:
        took = seconds_of(BASE, test, None)
        if took is None:
            raise Fault(f"{test} fails before anything is changed")
        limits[test] = 20 + 10 * took
    places = [ROOM / f"copy{i}" for i in range(jobs)]
    for place in places:
        shutil.copytree(BASE, place, symlinks=True)
    return places, limits


def run(mutations, places, limits):
    """Returns how many were killed."""
    free = queue.SimpleQueue()
    for place in places:
        free.put(place)

    def work(mutation):
        place, began = free.get(), time.monotonic()
        try:
            return judge(place, mutation, limits), time.monotonic() - began
        finally:
            free.put(place)

    killed = 0
    pool = concurrent.futures.ThreadPoolExecutor(len(places))
    try:
        for mutation, (by, took) in zip(mutations, pool.map(work, mutations)):
            killed += by is not None
            print(f"{'killed  ' if by else 'SURVIVED'} {mutation['name']}: "
                  f"{by or 'nobody noticed'} ({took:.0f} s)", flush=True)
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
    return killed


def interrupted(number, frame):
    """Only once: a second interrupt, as `timeout` sends one to the process and
    one to its group, would end the cleaning up half way."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    raise KeyboardInterrupt


def main():
    signal.signal(signal.SIGINT, interrupted)
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--list", type=pathlib.Path,
                        default=TREE / "tools" / "mutate" / "mutations.txt")
    parser.add_argument("--only", action="append", default=[], metavar="NAME")
    parser.add_argument("--aim", type=float, default=95, metavar="PERCENT")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N")
    parser.add_argument("--check", action="store_true",
                        help="only see whether the list fits the tree")
    given = parser.parse_args()
    try:
        mutations = read_list(given.list)
        for name in given.only:
            if name not in [m["name"] for m in mutations]:
                raise Fault(f"{given.list}: no mutation is called '{name}'")
        if given.only:
            mutations = [m for m in mutations if m["name"] in given.only]
        if not mutations:
            raise Fault(f"{given.list}: no mutations")
        if given.check:
            return 2 if check(mutations) else 0
        jobs = max(1, min(given.jobs or 1, len(mutations)))
        places, limits = prepare(mutations, jobs)
        killed = run(mutations, places, limits)
    except Fault as e:
        print(f"mutate: {e}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    finally:
        for place in ROOM.glob("copy*"):
            shutil.rmtree(place, ignore_errors=True)
    percent = 100 * killed / len(mutations)
    print(f"{killed} of {len(mutations)} mutations killed, {percent:.0f} %")
    return 0 if percent >= given.aim else 1


if __name__ == "__main__":
    sys.exit(main())
