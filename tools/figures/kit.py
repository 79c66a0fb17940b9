"""What every figure needs: results of teg, CSV files, pictures, and how near.

A figure is a function that is given a Kit.  It asks the Kit for results, hands
it tables (kit.table), pictures of them (kit.plot) and lines that set a
published value beside the one obtained (kit.compare).
"""

import collections
import csv
import functools
import json
import os
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TEG = os.environ.get("TEG", os.path.join(ROOT, "build/release/teg"))
GT200 = "tests/kernels/gt200/"
COLORS = ("0072b2", "d55e00", "009e73", "cc79a7", "e69f00", "56b4e9", "7f7f7f",
          "8c6100")


# One value of a report; off is the difference in percent as it is shown, None of
# text.
Line = collections.namedtuple("Line", "what published obtained difference off")


class Failed(Exception):
    """teg did not do what a figure needs; the text says what."""


def teg(*args):
    """Standard output of a command of teg."""
    try:
        done = subprocess.run([TEG, *map(str, args)], cwd=ROOT, text=True,
                              capture_output=True)
    except OSError as why:
        raise Failed(f"{TEG}: {why.strerror} (make)") from why
    if done.returncode != 0:
        raise Failed(f"teg {' '.join(map(str, args))}: {done.stderr.strip()}")
    return done.stdout


def result(*args):
    """The JSON of a command of teg."""
    return json.loads(teg(*args, "-f", "json"))


def cycles(kernel, gpu, *args, **parameters):
    """Simulated cycles of a kernel with these parameters."""
    given = [part for name, value in parameters.items()
             for part in ("-p", f"{name}={value}")]
    r = result("run", kernel, "-g", gpu, *given, *args)
    return r["cycles"]


def side_by_side(function, points):
    """[function(*point) for point in points], on all cores."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(lambda point: function(*point), points))


def quoted(text):
    """As gnuplot wants it."""
    return "'" + text.replace("'", "''") + "'"


@functools.cache
def description(gpu):
    """{key: value} of a description, numbers where they are."""
    def number(text):
        try:
            return float(text)
        except ValueError:
            return text

    return {v["key"]: number(v["value"])
            for v in result("gpus", gpu)["values"]}


class Kit:
    """Writes one figure's files and remembers how near they came."""

    def __init__(self, folder, name):
        self.folder, self.name = folder, name
        self.lines = []  # each a Line
        os.makedirs(folder, exist_ok=True)

    def table(self, columns, rows, name=None):
        """Writes NAME.csv; returns its path."""
        path = os.path.join(self.folder, f"{name or self.name}.csv")
        with open(path, "w", newline="", encoding="utf-8") as f:
            writer = csv.writer(f, lineterminator="\n")
            writer.writerow(columns)
            writer.writerows(["" if v is None else
                              f"{v:.6g}" if isinstance(v, float) else v
                              for v in row] for row in rows)
        return path

    def plot(self, path, title, x, y, lines, style="linespoints", name=None,
             extra=""):
        """Draws columns of a CSV: lines are (column from 1, label), or
        (column, label, style).  The script stays beside the picture."""
        base = os.path.join(self.folder, name or self.name)
        data = os.path.basename(path)
        parts = [f"'{data}' skip 1 using {self.columns(style, line)} with "
                 f"{line[2] if len(line) > 2 else style} "
                 f"lc rgb '#{COLORS[i % len(COLORS)]}' title {quoted(line[1])}"
                 for i, line in enumerate(lines)]
        script = (f"set terminal svg size 720,420 dynamic background '#ffffff'\n"
                  f"set output '{os.path.basename(base)}.svg'\n"
                  "set datafile separator ','\nset key outside bottom center "
                  "horizontal\nset grid y\nset yrange [0:*]\n"
                  f"set title {quoted(title)} noenhanced\n"
                  f"set xlabel {quoted(x)} noenhanced\n"
                  f"set ylabel {quoted(y)} noenhanced\n{extra}"
                  f"plot {', '.join(parts)}\n")
        with open(base + ".gp", "w", encoding="utf-8") as f:
            f.write(script)
        self.draw(os.path.basename(base))

    def draw(self, name):
        """Makes a picture of NAME.gp where gnuplot is."""
        if shutil.which("gnuplot"):
            subprocess.run(["gnuplot", name + ".gp"], cwd=self.folder, check=True)

    @staticmethod
    def columns(style, line):
        style = line[2] if len(line) > 2 else style
        return f"{line[0]}:xtic(1)" if style == "histograms" else f"1:{line[0]}"

    def compare(self, what, published, obtained, form="{:.4g}"):
        """One line of the report.  Numbers print as `form` says and get their
        difference; text stands as it is."""
        off = None
        if all(isinstance(v, (int, float)) for v in (published, obtained)):
            off = (round(100 * (obtained / published - 1), 1) if published else
                   0.0 if obtained == 0 else None)
        self.lines.append(Line(what, self.text(published, form),
                               self.text(obtained, form),
                               "" if off is None else f"{off:+.1f} %", off))

    @staticmethod
    def text(value, form):
        return form.format(value) if isinstance(value, (int, float)) else value
