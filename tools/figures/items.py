"""The items of the five texts and how each one stands (items.txt)."""

import collections
import os
import re

STATES = {"yes": "works", "part": "in part", "no": "missing",
          "lost": "cannot be"}
Item = collections.namedtuple("Item", "number text what state command by note")


def load():
    """Every Item, in order of the file."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "items.txt")
    with open(path, encoding="utf-8") as f:
        lines = [line.rstrip("\n") for line in f if not line.startswith("#")]
    return [Item(int(cells[0]), *cells[1:])
            for cells in (re.split(r" \|(?: |$)", line)[:7] for line in lines)]


def places(item):
    """(figure or test, which of its lines) of an item."""
    for place in item.by.split(","):
        if place:
            name, _, lines = place.partition(":")
            yield name, lines


def lines_of(item, made):
    """The lines of figures that hold an item; made is {label: lines}."""
    return [line for name, which in places(item) if name in made
            for line in made[name] if re.search(which, line.what)]


def cells(item, made):
    """What is published and what is obtained, each in a few words."""
    lines = lines_of(item, made)
    off = [abs(line.off) for line in lines if line.off is not None]
    if len(off) == len(lines) and len(lines) > 3:
        return (f"{len(lines)} values", f"mean {sum(off) / len(off):.1f} %, "
                f"at most {max(off):.1f} % off")
    if len(lines) > 6:
        same = sum(line.published == line.obtained for line in lines)
        return f"{len(lines)} values", f"{same} as published"
    if lines:
        return ("; ".join(line.published for line in lines),
                "; ".join(f"{line.obtained} ({line.difference})"
                          if line.difference else line.obtained
                          for line in lines))
    tests = [f"`{name}`" for name, _ in places(item) if name.startswith("tests/")]
    return "", f"held by {', '.join(tests)}" if tests else ""


def table(text, items, made):
    """The Markdown table of one text's items."""
    rows = ["| # | item | state | command | published | obtained | missing |",
            "| ---: | --- | --- | --- | --- | --- | --- |"]
    for item in items:
        if item.text == text:
            published, obtained = cells(item, made)
            command = f"`{item.command}`" if item.command != "-" else ""
            rows.append(f"| {item.number} | {item.what} | {STATES[item.state]} | "
                        f"{command} | {published} | {obtained} | {item.note} |")
    return rows


def count(items, texts):
    """How many items of each text are in each state, as Markdown."""
    rows = [f"| | {' | '.join(STATES.values())} | all |",
            f"| --- |{' ---: |' * (len(STATES) + 1)}"]
    for text, name in (*texts, (None, "all")):
        mine = [i for i in items if text in (None, i.text)]
        states = collections.Counter(i.state for i in mine)
        numbers = [states[s] for s in STATES] + [len(mine)]
        rows.append(f"| {name} | {' | '.join(map(str, numbers))} |")
    return rows
