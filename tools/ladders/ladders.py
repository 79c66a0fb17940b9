#!/usr/bin/env python3
"""Climbs ladders: slow kernels made fast in named steps, each published with its number.

    ladders.py [--only LADDER]... [--small] [--write FILE] [OUT]  (OUT: build/ladders)
    ladders.py --gpu NAME [--only LADDER]... [OUT]

For each step: what was published, what is simulated, what teg says limits it,
and whether a finding of the step names what the next one changes and how much
that gains.  A CSV and, where gnuplot is installed, a picture a ladder.  --small
takes small problems, whose numbers are not those published; --write puts the
tables into FILE as Markdown, between its marks.  --gpu climbs the steps as
compiled today on another chip, where nothing is published.  TEG=PROGRAM chooses
the simulator.
"""

import argparse
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "figures"))
from kit import ROOT, Failed, Kit, result, side_by_side  # noqa: E402
from steps import LADDERS  # noqa: E402

MARKS = ("<!-- ladders -->", "<!-- /ladders -->")
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
        """The finding that names what the next step changes, and its place."""
        for place, finding in enumerate(self.findings, 1):
            if finding["name"] == self.next and finding["speedup"]:
                return place, finding
        return None


def climb(ladder, gpu, small):
    """The steps of a ladder as simulated, in order."""
    def take(plan):
        size = ladder.SMALL if small else ladder.FULL
        with tempfile.TemporaryDirectory() as folder:
            runs = [result("run", *launch)
                    for launch in plan.launches(gpu, size, folder)]
            us = sum(run["time_us"] for run in runs)
            findings = runs[0]["findings"]
            if ladder.climbs:
                # What-ifs of a part of the problem say the same in less time.
                part = next(plan.launches(gpu, min(size, ladder.PART), folder))
                findings = result("run", *part, "--why")["findings"]
        return Step(plan, None if small or gpu else plan.published,
                    ladder.value(us, size, plan.name), findings)
    return side_by_side(take, [(plan,) for plan in ladder.steps(gpu)])


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
        return f"{step.next}: not found", False
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


def summary(ladder, steps):
    """How near the ladder is, in a line."""
    text = []
    errors = [abs(s.error()) for s in steps if s.error() is not None]
    if errors:
        text.append(f"mean error {sum(errors) / len(errors):.1f} %, "
                    f"worst {max(errors):.1f} %")
    if errors and ladder.climbs:
        order = sum((there > 1) == (here > 1)
                    for there, here in gains(ladder, steps) if there)
        text.append(f"{order} of {len(steps) - 1} neighbours in order")
    told = [said(s, *g)[1] for s, g in zip(steps, gains(ladder, steps))]
    told = [t for t in told if t is not None]
    if ladder.climbs:
        text.append(f"next step among the first three findings and its gain within "
                f"{NEAR} %: {sum(told)} of {len(told)}")
    return "; ".join(text)


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
    if summary(ladder, steps):
        print(f"  {summary(ladder, steps)}")
    sys.stdout.flush()


def markdown(climbed):
    text = []
    for ladder, steps in climbed:
        text += [f"### {ladder.title}", "", f"{ladder.source}. In {ladder.unit}.",
                 "", f"| {' | '.join(HEAD)} |",
                 "| --- | ---: | ---: | ---: | ---: | ---: | --- | --- |"]
        text += [f"| {' | '.join(row)} |" for row in table(ladder, steps)]
        text += ["", f"{summary(ladder, steps)}.", ""]
    return "\n".join(text)


def write(path, climbed):
    """Replaces what stands between the marks of a file."""
    with open(path, encoding="utf-8") as f:
        head, rest = f.read().split(MARKS[0])
    tail = rest.split(MARKS[1])[1]
    with open(path, "w", encoding="utf-8") as f:
        f.write(f"{head}{MARKS[0]}\n{markdown(climbed)}{MARKS[1]}{tail}")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("out", nargs="?",
                        default=os.path.join(ROOT, "build/ladders"))
    parser.add_argument("--only", action="append")
    parser.add_argument("--gpu")
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--write")
    args = parser.parse_args()
    if args.write and (args.only or args.gpu or args.small):
        parser.error("--write takes all ladders, as published")
    chosen = [ladder for ladder in LADDERS
              if not args.only or ladder.name in args.only]
    if not chosen:
        parser.error(f"no such ladder: {', '.join(args.only)} (there are "
                     f"{', '.join(ladder.name for ladder in LADDERS)})")
    climbed = []
    try:
        for ladder in chosen:
            print(f"{ladder.name}  {ladder.title}"
                  f"{f', on {args.gpu}' if args.gpu else ''}: {ladder.unit}")
            steps = climb(ladder, args.gpu, args.small)
            draw(Kit(args.out, ladder.name), ladder, steps)
            show(ladder, steps)
            climbed.append((ladder, steps))
        if args.write:
            write(args.write, climbed)
    except Failed as why:
        print(f"ladders.py: {why}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
