#!/usr/bin/env python3
"""Climbs ladders: slow kernels made fast in named steps, each published with its number.

    ladders.py [--only LADDER]... [--sources DIR] [--small] [--write FILE] [OUT]
    ladders.py --on GPU [--only LADDER]... [--sources DIR] [OUT]

For each step: what was published, what is simulated, what teg says limits it,
and whether a finding of the step names what the next one changes and how much
that gains.  A CSV and, where gnuplot is installed, a picture a ladder in OUT
(build/ladders).  --small takes small problems, whose numbers are not those
published; --write puts the tables into FILE as Markdown, each between its own
marks, and their sums into its first table; the pictures go into
pictures/ladders beside it.
--on climbs the steps on another chip, where nothing is published.  What others
wrote is compiled from copies in DIR: SGEMM_CUDA, fast.cu.  Ladders whose
sources or compilers are not there say `skipped:`.  TEG=PROGRAM chooses the
simulator.
"""

import argparse
import os
import shutil
import sys

from climb import Failed, Skipped, launch
from kit import ROOT, Kit, side_by_side
from steps import LADDERS

NEAR = 15  # percent by which the gain that was said may be off


class Step:
    """A step as it was simulated."""

    def __init__(self, plan, published, value, findings):
        self.name, self.next, self.published = plan.name, plan.next, published
        self.value, self.findings = value, findings

    def error(self):
        return 100 * (self.value / self.published - 1) if self.published else None

    def limit(self):
        return self.findings[0]["name"] if self.findings else "none"

    def names_next(self):
        """The first finding that names what the next step changes, and its
        place."""
        names = (self.next,) if isinstance(self.next, str) else self.next
        for place, finding in enumerate(self.findings, 1):
            if finding["name"] in names and finding["speedup"]:
                return place, finding
        return None


def climb(ladder, on, small):
    """The steps of a ladder as simulated, in order."""
    def take(plan):
        return Step(plan, None if small or on else plan.published,
                    *ladder.measure(plan, on, small))
    return side_by_side(take, [(plan,) for plan in ladder.steps(on)])


def gains(ladder, steps):
    """For each step but the last how often faster the next one is."""
    for a, b in zip(steps, steps[1:]):
        here = b.value / a.value if ladder.more else a.value / b.value
        there = None
        if a.published:
            there = (b.published / a.published if ladder.more
                     else a.published / b.published)
        yield there, here
    yield None, None


def said(step, there, here):
    """What the tool says of the next step, and whether that is so."""
    if step.next is None or here is None:
        return "", None
    found = step.names_next()
    if found is None:
        names = [step.next] if isinstance(step.next, str) else step.next
        return f"{' or '.join(names)}: not found", False
    place, finding = found
    truth = there or here
    right = place <= 3 and abs(finding["speedup"] / truth - 1) <= NEAR / 100
    most = "<" if finding["at_most"] else ""
    return f"{finding['name']} {most}{finding['speedup']:.2f}x ({place}.)", right


def table(ladder, steps):
    """Rows of text: step, published, here, error, factor to the next, limit, next."""
    rows = []
    for step, (there, here) in zip(steps, gains(ladder, steps)):
        error = step.error()
        rows.append((
            step.name,
            f"{step.published:.4g}" if step.published else "",
            f"{step.value:.4g}",
            f"{error:+.1f} %" if error is not None else "",
            f"{there:.2f}" if there and ladder.climbs else "",
            f"{here:.2f}" if here and ladder.climbs else "",
            step.limit(),
            said(step, there, here)[0]))
    return rows


HEAD = ("step", "published", "here", "error", "next is", "here", "limited by",
        "said of the next")


class Score:
    """How near a ladder is, as counts that can be added up.

    `within`: factors between neighbours within NEAR percent of the published
    ones; `nameable`: steps whose next one changes what a finding can name."""

    def __init__(self, ladder, steps):
        pairs = list(zip(steps, gains(ladder, steps)))
        errors = [abs(s.error()) for s in steps if s.error() is not None]
        both = [(a, b) for _, (a, b) in pairs if a and ladder.climbs]
        told = [said(s, *g) for s, g in pairs] if ladder.climbs else []
        told = [t for t in told if t[1] is not None]
        self.points, self.error = len(errors), sum(errors)
        self.worst = max(errors, default=0)
        self.pairs = len(both)
        self.order = sum((a > 1) == (b > 1) for a, b in both)
        self.within = sum(abs(b / a - 1) <= NEAR / 100 for a, b in both)
        self.nameable = len(told)
        self.named = sum("not found" not in text for text, _ in told)
        self.right = sum(right for _, right in told)

    def text(self):
        parts = []
        if self.points:
            parts.append(f"mean error {self.error / self.points:.1f} %, "
                         f"worst {self.worst:.1f} %")
        if self.pairs:
            parts.append(f"of {self.pairs} neighbours {self.order} in order, "
                         f"{self.within} by a factor within {NEAR} %")
        if self.nameable:
            parts.append(f"of {self.nameable} next steps that a finding can "
                         f"name {self.named} named, {self.right} among the "
                         f"first three with a gain within {NEAR} %")
        return "; ".join(parts)

    def cells(self):
        return [self.points, f"{self.error / max(self.points, 1):.1f} %",
                f"{self.worst:.1f} %", self.pairs, self.order, self.within,
                self.nameable, self.named, self.right]


def draw(kit, ladder, steps):
    rows = [(i, s.name, s.published, s.value) for i, s in enumerate(steps, 1)]
    path = kit.table(("number", "step", "published", "here"), rows)
    lines = [(4, "here")]
    if any(s.published for s in steps):
        lines.insert(0, (3, "published"))
    kit.plot(path, ladder.title, "step", ladder.unit, lines,
             extra="set logscale y\nset yrange [*:*]\nset xtics 1\n")


def show(ladder, steps):
    rows = [HEAD, *table(ladder, steps)]
    widths = [max(len(row[i]) for row in rows) for i in range(len(HEAD))]
    for row in rows:
        print("  " + "  ".join(
            cell.rjust(w) if 0 < i < 6 else cell.ljust(w)
            for i, (cell, w) in enumerate(zip(row, widths))).rstrip())
    if Score(ladder, steps).text():
        print(f"  {Score(ladder, steps).text()}")
    sys.stdout.flush()


def markdown(ladder, steps):
    """A ladder's section, without what people write about it."""
    text = [f"{ladder.source}. In {ladder.unit}.", "",
            f"| {' | '.join(HEAD)} |",
            "| --- | ---: | ---: | ---: | ---: | ---: | --- | --- |"]
    text += [f"| {' | '.join(row)} |" for row in table(ladder, steps)]
    text += ["", f"{Score(ladder, steps).text()}.", "",
             f"![{ladder.title}](pictures/ladders/{ladder.name}.svg)"]
    return "\n".join(text)


SUMS = ("ladder", "numbers", "mean error", "worst", "neighbours", "in order",
        f"factor within {NEAR} %", "next nameable", "named", "and its gain")


def sums(before, climbed):
    """The table of all ladders: rows of `before`, those of `climbed` anew."""
    rows = {cells[0]: cells for cells in
            ([c.strip() for c in line.strip("|").split("|")]
             for line in before.splitlines() if line.startswith("| ["))}
    for ladder, steps in climbed:
        name = f"[{ladder.name}](#{ladder.anchor()})"
        rows[name] = [name, *map(str, Score(ladder, steps).cells())]
    order = [f"[{ladder.name}](#{ladder.anchor()})" for ladder in LADDERS]
    rows = [rows[name] for name in order if name in rows]

    def column(i):
        return [float(row[i].split()[0]) for row in rows]
    points = sum(column(1))
    mean = sum(a * b for a, b in zip(column(1), column(2))) / points
    total = ["all", f"{points:g}", f"{mean:.1f} %", f"{max(column(3)):.1f} %",
             *(f"{sum(column(i)):g}" for i in range(4, len(SUMS)))]
    return "\n".join([f"| {' | '.join(SUMS)} |",
                      "| --- |" + " ---: |" * (len(SUMS) - 1),
                      *(f"| {' | '.join(row)} |" for row in (*rows, total))])


def between(text, name, make):
    """`text` with what make(what stands there) gives between a name's marks."""
    marks = f"<!-- {name} -->\n", f"\n<!-- /{name} -->"
    if not all(mark in text for mark in marks):
        raise Failed(f"no marks of {name} in the file to write to")
    head, rest = text.split(marks[0])
    inner, tail = rest.split(marks[1])
    return head + marks[0] + make(inner) + marks[1] + tail


def write(path, out, climbed):
    """Replaces what stands between the marks of the ladders that were climbed,
    and the table of all."""
    with open(path, encoding="utf-8") as f:
        text = f.read()
    for ladder, steps in climbed:
        section = markdown(ladder, steps)
        text = between(text, ladder.name, lambda _, s=section: s)
        picture = os.path.join(out, f"{ladder.name}.svg")
        if os.path.exists(picture):
            folder = os.path.join(os.path.dirname(path), "pictures", "ladders")
            os.makedirs(folder, exist_ok=True)
            shutil.copy(picture, folder)
    text = between(text, "all", lambda inner: sums(inner, climbed))
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("out", nargs="?",
                        default=os.path.join(ROOT, "build/ladders"))
    parser.add_argument("--only", action="append")
    parser.add_argument("--on", "--gpu", metavar="GPU")
    parser.add_argument("--sources", metavar="DIR", default="sources")
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--write")
    args = parser.parse_args()
    if args.write and (args.on or args.small):
        parser.error("--write takes ladders as published")
    unknown = set(args.only or ()) - {ladder.name for ladder in LADDERS}
    if unknown:
        parser.error(f"no such ladder: {', '.join(sorted(unknown))} (there are "
                     f"{', '.join(ladder.name for ladder in LADDERS)})")
    for option, folder in (("ladder", "SGEMM_CUDA"), ("fast", "fast.cu")):
        launch.options[option] = os.path.abspath(
            os.path.join(args.sources, folder))
    climbed = []
    for ladder in LADDERS:
        if args.only and ladder.name not in args.only:
            continue
        try:
            steps = climb(ladder, args.on, args.small)
        except Skipped as why:
            print(f"skipped: {ladder.name}: {why}", flush=True)
            continue
        except Failed as why:
            print(f"ladders.py: {why}", file=sys.stderr)
            return 1
        print(f"{ladder.name}  {ladder.title}"
              f"{f', on {args.on}' if args.on else ''}: {ladder.unit}")
        draw(Kit(args.out, ladder.name), ladder, steps)
        show(ladder, steps)
        climbed.append((ladder, steps))
    if args.write:
        try:
            write(args.write, args.out, climbed)
        except (Failed, OSError) as why:
            print(f"ladders.py: {args.write}: {why}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
