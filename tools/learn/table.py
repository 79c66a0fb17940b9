"""Tables as CSV, read with every fault named: file, line, column."""
import argparse
import csv
import math
import os
import sys


class Fault(Exception):
    """What is wrong with the input, in one sentence."""


def run(main):
    """Calls main(); a Fault becomes one line and exit status 1."""
    try:
        main()
    except Fault as fault:
        name = sys.argv[0].rsplit("/", 1)[-1]
        print("%s: %s" % (name, fault), file=sys.stderr)
        sys.exit(1)
    except ImportError as error:
        print("%s: %s: install python3-sklearn" % (
            sys.argv[0].rsplit("/", 1)[-1], error), file=sys.stderr)
        sys.exit(1)
    except BrokenPipeError:
        sys.exit(1)
    except OSError as error:
        print("%s: %s: %s" % (sys.argv[0].rsplit("/", 1)[-1], error.filename,
                              error.strerror), file=sys.stderr)
        sys.exit(1)


def whole(least):
    """An option's type: an integer of at least `least`."""
    def convert(text):
        try:
            v = int(text)
        except ValueError:
            v = least - 1
        if v < least or v >= 2 ** 31:
            raise argparse.ArgumentTypeError(
                "expected an integer of at least %d, found '%s'" % (least,
                                                                    text))
        return v
    return convert


def share(text):
    """An option's type: a number above 0 and up to 1."""
    try:
        v = float(text)
    except ValueError:
        v = math.nan
    if not 0 < v <= 1:
        raise argparse.ArgumentTypeError(
            "expected a number above 0 and up to 1, found '%s'" % text)
    return v


def check_output(path):
    """Whether `path`, which may be None, can be written: before hours go by."""
    folder = os.path.dirname(path or "") or "."
    if not os.path.isdir(folder) or not os.access(folder, os.W_OK):
        raise Fault("%s: cannot write: no such directory, or it is protected" %
                    path)


def sklearn_version():
    import sklearn
    return sklearn.__version__


class Table:
    """Columns of text, all of one length.

    path      for messages
    columns   names in the file's order
    rows      dictionaries, with the line they stand in under None
    """

    def __init__(self, path, columns, rows):
        self.path, self.columns, self.rows = path, columns, rows

    def need(self, names):
        for name in names:
            if name not in self.columns:
                raise Fault("%s: no column '%s'; there are: %s" %
                            (self.path, name, ", ".join(self.columns)))

    def numbers(self, name):
        """A column as floats; what is none is a Fault."""
        self.need([name])
        return [self.number(row, name) for row in self.rows]

    def number(self, row, name):
        try:
            v = float(row[name])
        except ValueError:
            v = math.nan
        if not math.isfinite(v):
            raise Fault("%s:%d: column '%s': expected a number, found '%s'" %
                        (self.path, row[None], name, row[name]))
        return v

    def is_number(self, name):
        """True if no cell of the column is anything else."""
        try:
            self.numbers(name)
        except Fault:
            return False
        return True

    def where(self, keep):
        return Table(self.path, self.columns, [r for r in self.rows if keep(r)])


def read(path):
    """A CSV file with a head; gzip if it ends in .gz."""
    import gzip
    try:
        opener = gzip.open if path.endswith(".gz") else open
        with opener(path, "rt", newline="") as f:
            return parse(path, f)
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise Fault("%s: cannot read: %s" % (path, getattr(
            error, "strerror", None) or error))


def parse(path, f):
    reader = csv.reader(f)
    try:
        columns = next(reader, None)
        if not columns or columns == [""]:
            raise Fault("%s: expected a head with column names, found nothing"
                        % path)
        for name in columns:
            if columns.count(name) > 1:
                raise Fault("%s:1: column '%s' is there twice" % (path, name))
        rows = []
        for cells in reader:
            if not cells:
                continue
            if len(cells) != len(columns):
                raise Fault("%s:%d: expected %d cells, found %d" % (
                    path, reader.line_num, len(columns), len(cells)))
            row = dict(zip(columns, cells))
            row[None] = reader.line_num
            rows.append(row)
    except csv.Error as error:
        raise Fault("%s:%d: %s" % (path, reader.line_num, error))
    return Table(path, columns, rows)


def write(f, columns, rows):
    out = csv.writer(f, lineterminator="\n")
    out.writerow(columns)
    for row in rows:
        out.writerow([row[c] for c in columns])
