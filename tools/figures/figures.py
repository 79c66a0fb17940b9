#!/usr/bin/env python3
"""The figures and tables of the texts that teg is made from, beside what it obtains.

    figures.py [--only PART]... [--write FILE] [OUT]     (OUT: build/figures)

One folder a text; for each figure a CSV, a gnuplot script and, where gnuplot is
installed, a picture; a line for each value that is published.  --only takes
parts of names (`hong/`, `fig_48`); --write puts all lines, and the state of every
item of the texts (items.txt), into FILE as Markdown tables, between its marks; with
--only, lines of other figures stay as FILE has them.  TEG=PROGRAM chooses the
simulator.
"""

import argparse
import os
import re
import sys

import braun
import hong
import isca
import items
import lai
import zhang
from kit import ROOT, Failed, Kit, Line

TEXTS = {"lai": lai, "hong": hong, "isca": isca, "zhang": zhang,
         "braun": braun}
MARKS = ("<!-- figures -->", "<!-- /figures -->")


def heading(text):
    """The first line of a docstring."""
    return text.__doc__.strip().splitlines()[0].rstrip(".")


def make(name, text, only, out):
    """The kits of a text's figures that were asked for, with their titles."""
    made = []
    for figure in text.FIGURES:
        label = f"{name}/{figure.__name__}"
        if only and not any(part in label for part in only):
            continue
        kit = Kit(os.path.join(out, name), figure.__name__)
        figure(kit)
        made.append((label, heading(figure), kit.lines))
        print(f"{label}  {heading(figure)}")
        for line in kit.lines:
            print(f"  {line.what}: {line.obtained}; published {line.published}"
                  f"{'  ' + line.difference if line.difference else ''}")
        sys.stdout.flush()
    return made


def kept_lines(path):
    """{label: its lines} of a file that was written before."""
    kept, label = {}, None
    with open(path, encoding="utf-8") as f:
        for text in f:
            head = re.match(r"\*\*.*\*\* \(`(\S+)`\)$", text)
            if head:
                label = head[1]
                kept[label] = []
            elif text.startswith("| ") and label and "---:" not in text:
                cells = [c.strip() for c in text.strip()[1:-1].split("|")]
                off = cells[3].rstrip("% ")
                kept[label].append(
                    Line(*cells[:4], float(off) if off else None))
            elif text.startswith("#"):
                label = None
    return {name: [line for line in lines if line.what] for name, lines in
            kept.items()}


def complete(made, path):
    """Adds the figures that were not made, as the file has them."""
    kept = kept_lines(path)
    for name, text in TEXTS.items():
        now = {label: (title, lines) for label, title, lines in made[name]}
        made[name] = []
        for figure in text.FIGURES:
            label = f"{name}/{figure.__name__}"
            if label not in now and label not in kept:
                sys.exit(f"figures: {path} has no {label}: make all")
            made[name].append((label, *now.get(label, (heading(figure),
                                                       kept.get(label)))))


def markdown(made):
    """The tables of docs/seeds.md."""
    every = items.load()
    lines = {label: kept for text in made.values() for label, _, kept in text}
    text = ["## Every item", "", *items.count(
        every, [(name, heading(module)) for name, module in TEXTS.items()]), ""]
    for name, module in TEXTS.items():
        text += [f"### {heading(module)}: items", "",
                 *items.table(name, every, lines), ""]
    for name, module in TEXTS.items():
        text += [f"## {heading(module)}", ""]
        for label, title, kept in made[name]:
            text += [f"**{title}** (`{label}`)", "",
                     "| | published | here | |", "| --- | ---: | ---: | ---: |"]
            text += [f"| {line.what} | {line.published} | {line.obtained} | "
                     f"{line.difference} |" for line in kept] + [""]
    return "\n".join(text)


def write(path, made):
    """Replaces what stands between the marks of a file."""
    with open(path, encoding="utf-8") as f:
        old = f.read()
    head, rest = old.split(MARKS[0])
    tail = rest.split(MARKS[1])[1]
    with open(path, "w", encoding="utf-8") as f:
        f.write(f"{head}{MARKS[0]}\n{markdown(made)}{MARKS[1]}{tail}")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("out", nargs="?",
                        default=os.path.join(ROOT, "build/figures"))
    parser.add_argument("--only", action="append")
    parser.add_argument("--write")
    args = parser.parse_args()
    try:
        made = {name: make(name, text, args.only, args.out)
                for name, text in TEXTS.items()}
    except Failed as why:
        sys.exit(f"figures: {why}")
    if args.only and not any(made.values()):
        sys.exit(f"figures: no figure has {' or '.join(args.only)} in its name")
    if args.write and args.only:
        complete(made, args.write)
    if args.write:
        write(args.write, made)
    print(f"\nCSV files and pictures are in {args.out}.")


if __name__ == "__main__":
    main()
