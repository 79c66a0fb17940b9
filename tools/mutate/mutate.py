#!/usr/bin/env python3
"""Applies small semantic changes one by one to a copy of the tree and sees
whether a test notices.

    tools/mutate/mutate.py [--list FILE] [--only NAME]... [--aim PERCENT]

The list (tools/mutate/mutations.txt) has blocks of lines "key: value", apart
from each other by an empty line; lines that begin with # are comments.

    name:   what the change is called
    in:     a file, or a folder whose files hold the text once
    old:    the text to replace, part of one line, without blanks around it
    new:    what to put there
    tests:  what should notice: programs (tests/sim/memory/test_cache) and
            scripts (tests/cli/run.sh), quickest first

A mutation is killed by the first test that fails, or does not end in time.
One that does not compile, or whose text is not there exactly once, is a fault
of the list.  Exit status 0 if as many are killed as aimed at.
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import time

TREE = pathlib.Path(__file__).resolve().parent.parent.parent
COPY = TREE / "build" / "mutate" / "tree"
KEYS = {"name", "in", "old", "new", "tests"}
TEST_SECONDS = 300


def fault(text):
    sys.exit(f"mutate: {text}")


def read_list(path):
    mutations, block = [], {}
    for number, line in enumerate(path.read_text().split("\n") + [""], 1):
        if line.startswith("#"):
            continue
        if not line.strip():
            if block:
                missing = KEYS - block.keys()
                if missing:
                    fault(f"{path}:{number}: no {', '.join(sorted(missing))}")
                mutations.append(block)
            block = {}
            continue
        key, colon, value = line.partition(":")
        if not colon or key not in KEYS or key in block:
            fault(f"{path}:{number}: expected one of {sorted(KEYS)}, once")
        block[key] = value.strip()
    names = [m["name"] for m in mutations]
    for name in names:
        if names.count(name) > 1:
            fault(f"{path}: two mutations are called {name}")
    return mutations


def make(*targets):
    """Returns what went wrong, or None."""
    done = subprocess.run(
        ["make", "-s", f"-j{os.cpu_count()}", *targets], cwd=COPY,
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    return None if done.returncode == 0 else done.stderr.strip()


def copy_tree():
    """What git knows or would take, as it is now, and what is built of it."""
    files = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=TREE, stdout=subprocess.PIPE, check=True).stdout.decode()
    shutil.rmtree(COPY, ignore_errors=True)
    for name in filter(None, files.split("\0")):
        if (TREE / name).is_file():
            (COPY / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(TREE / name, COPY / name)
    built = TREE / "build" / "release"
    if built.is_dir():
        (COPY / "build").mkdir()
        subprocess.run(["cp", "-a", built, COPY / "build"], check=True)
    shared = TREE.parent / "shared"
    link = COPY.parent / "shared"
    if shared.is_dir() and not link.exists():
        link.symlink_to(shared)


def find(mutation):
    """The one file that holds the text once."""
    place = COPY / mutation["in"]
    files = [place] if place.is_file() else sorted(
        p for p in place.glob("*") if p.suffix in (".c", ".h", ".def", ".js"))
    holds = [(p, p.read_text().count(mutation["old"])) for p in files]
    if sum(n for _, n in holds) != 1:
        where = ", ".join(f"{p.name} {n} times" for p, n in holds if n)
        fault(f"{mutation['name']}: expected '{mutation['old']}' once in "
              f"{mutation['in']}, found {where or 'it nowhere'}")
    return next(p for p, n in holds if n)


def targets_of(mutations):
    programs = {t for m in mutations for t in m["tests"].split()
                if not t.endswith(".sh")}
    return ["all"] + [f"build/release/{t}" for t in sorted(programs)]


def passes(test):
    command = ["sh", test] if test.endswith(".sh") else [f"build/release/{test}"]
    try:
        return subprocess.run(
            command, cwd=COPY, stdout=subprocess.DEVNULL, timeout=TEST_SECONDS,
            stderr=subprocess.DEVNULL).returncode == 0
    except subprocess.TimeoutExpired:
        return False


def judge(mutation):
    """Who killed it, None if nobody did."""
    path = find(mutation)
    text = path.read_text()
    path.write_text(text.replace(mutation["old"], mutation["new"]))
    try:
        for test in mutation["tests"].split():
            wrong = make(*targets_of([{"tests": test}]))
            if wrong:
                fault(f"{mutation['name']} does not compile:\n{wrong}")
            if not passes(test):
                return test
        return None
    finally:
        path.write_text(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--list", type=pathlib.Path,
                        default=TREE / "tools" / "mutate" / "mutations.txt")
    parser.add_argument("--only", action="append", default=[], metavar="NAME")
    parser.add_argument("--aim", type=float, default=95, metavar="PERCENT")
    given = parser.parse_args()
    mutations = [m for m in read_list(given.list)
                 if not given.only or m["name"] in given.only]
    if not mutations:
        fault("no such mutation")
    copy_tree()
    for mutation in mutations:
        find(mutation)
    wrong = make(*targets_of(mutations))
    if wrong:
        fault(f"the tree does not build:\n{wrong}")
    for test in sorted({t for m in mutations for t in m["tests"].split()}):
        if not passes(test):
            fault(f"{test} fails before anything is changed")
    killed = 0
    for mutation in mutations:
        began = time.monotonic()
        by = judge(mutation)
        killed += by is not None
        print(f"{'killed  ' if by else 'SURVIVED'} {mutation['name']:40} "
              f"{by or ''} ({time.monotonic() - began:.0f} s)", flush=True)
    percent = 100 * killed / len(mutations)
    print(f"{killed} of {len(mutations)} mutations killed, {percent:.0f} %")
    return 0 if percent >= given.aim else 1


if __name__ == "__main__":
    sys.exit(main())
