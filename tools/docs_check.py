#!/usr/bin/env python3
"""Runs the commands that the documentation shows and compares what they print.

    tools/docs_check.py [--digits any] [--quick] [--update] FILE.md...

Checked are the fenced blocks behind a line `<!-- docs-check -->`, and unless
--quick is given those behind `<!-- docs-check slow -->`: lines that
begin with "$ " are commands (on, where they end in a backslash), what follows
is what they print, "..." any lines.  The blocks of a file run in order, in one
new folder that has the repository's tests/, docs/ and tools/.  --digits any takes any
number for any number, so that a change of the model is not a change of the
text's words; --update writes what was printed into the file, for what has
"..." only new numbers in the same words.  Status 1 if something differs.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

MARKS = ("<!-- docs-check -->", "<!-- docs-check slow -->")
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def blocks(lines, quick):
    """(first, end) of the lines in each checked fence."""
    at = 0
    while at < len(lines):
        if lines[at] in MARKS[:1 if quick else 2]:
            first = at + 2
            end = first
            while not lines[end].startswith("```"):
                end += 1
            yield first, end
            at = end
        at += 1


def steps(lines):
    """A command with its lines, and the lines it is said to print."""
    found = []
    at = 0
    while at < len(lines):
        if lines[at].startswith("$ "):
            command = [lines[at]]
            while command[-1].endswith("\\"):
                at += 1
                command.append(lines[at])
            found.append((command, []))
        else:
            found[-1][1].append(lines[at])
        at += 1
    return found


def run(command, folder, build):
    text = "\n".join(command)[2:]
    path = os.path.join(ROOT, build) + os.pathsep + os.environ["PATH"]
    done = subprocess.run(
        ["sh", "-c", text], cwd=folder, text=True, timeout=300,
        env=dict(os.environ, PATH=path, NO_COLOR="1"),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if done.returncode != 0:
        print(f"status {done.returncode}: {text}\n{done.stderr}", end="")
    return done.stdout.rstrip("\n").splitlines()


def as_words(line, digits):
    """With any number as another, columns may move and verdicts of numbers
    (good, bad) do not."""
    if digits == "any":
        line = re.sub(r"[-+]?[0-9][0-9,.]*", "0", line)
        line = re.sub(r" +", " ", line)
    return line.rstrip()


def elided(said):
    return any(line.strip() == "..." for line in said)


def alike(said, printed, digits):
    """Whether `said`, with "..." for any lines, is `printed`."""
    if not said:
        return not printed
    if said[0].strip() == "...":
        return any(alike(said[1:], printed[i:], digits)
                   for i in range(len(printed) + 1))
    return bool(printed) and \
        as_words(said[0], digits) == as_words(printed[0], digits) and \
        alike(said[1:], printed[1:], digits)


def renewed(said, printed):
    """`said` with the numbers of `printed`; None if their words differ."""
    if not said:
        return None if printed else []
    dots = said[0].strip() == "..."
    for i in range(len(printed) + 1 if dots else 1):
        if not dots and not (printed and as_words(said[0], "any") ==
                             as_words(printed[0], "any")):
            return None
        rest = renewed(said[1:], printed[i if dots else 1:])
        if rest is not None:
            return [said[0] if dots else printed[0]] + rest
    return None


def check(path, arguments):
    with open(path, encoding="utf-8") as f:
        lines = f.read().split("\n")
    wrong = 0
    new = list(lines)
    shift = 0
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, "build"))
        for name in ("tests", "docs", "tools"):
            os.symlink(os.path.join(ROOT, name), os.path.join(folder, name))
        for first, end in blocks(lines, arguments.quick):
            out = []
            for command, said in steps(lines[first:end]):
                printed = run(command, folder, arguments.build)
                good = alike(said, printed, arguments.digits)
                if not good:
                    wrong += 1
                    print(f"{path}:{first + 1}: printed is not what is said: "
                          f"{command[0]}")
                    print("\n".join("    " + line for line in printed[:60]))
                if not good:
                    said = (renewed(said, printed) or said if elided(said)
                            else printed)
                out += command + said
            new[first + shift:end + shift] = out
            shift += len(out) - (end - first)
    if arguments.update and new != lines:
        with open(path, "w", encoding="utf-8") as f:
            f.write("\n".join(new))
    return wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--digits", choices=("same", "any"), default="same")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--build", default=os.environ.get("BUILD",
                                                          "build/release"))
    parser.add_argument("file", nargs="+")
    arguments = parser.parse_args()
    wrong = sum(check(path, arguments) for path in arguments.file)
    if wrong:
        print(f"{wrong} commands print something else; --update writes it")
    sys.exit(wrong != 0)


main()
