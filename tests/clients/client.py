"""What the tests of Python clients share.

A client's file defines steps and ends with run():

    @step
    def reduction():
        "sum over a row, against numpy"
        same(got, want)

Steps run in the order of the file; the first that fails is named on the last
line of output, `NAME: what failed`, and ends the program with 1: after a fault
on the device no later step could succeed.  With arguments, only the steps
named are run.
"""
import os
import re
import sys
import traceback

import numpy

steps = []


def step(function):
    steps.append(function)
    return function


def same(got, want, relative=0.0, absolute=0.0):
    """Equal in shape, type class and every element; NaN equals NaN."""
    got, want = numpy.asarray(got), numpy.asarray(want)
    if got.shape != want.shape:
        raise AssertionError(f"expected shape {want.shape}, found {got.shape}")
    numpy.testing.assert_allclose(
        got.astype(numpy.float64), want.astype(numpy.float64),
        rtol=relative, atol=absolute, equal_nan=True)


def refused(function, pattern):
    """`function` must raise what says `pattern`."""
    try:
        function()
    except Exception as error:
        text = f"{type(error).__name__}: {error}"
        if re.search(pattern, text) is None:
            raise AssertionError(
                f"expected an error that says '{pattern}', found: {text}")
        return
    raise AssertionError(f"expected an error that says '{pattern}', found none")


def run():
    wanted = sys.argv[1:]
    known = [s.__name__ for s in steps]
    for name in wanted:
        if name not in known:
            sys.exit(f"no step '{name}', there are: {' '.join(known)}")
    count = 0
    for s in steps:
        if wanted and s.__name__ not in wanted:
            continue
        print("step", s.__name__, flush=True)
        try:
            s()
        except Exception as error:
            traceback.print_exc()
            text = " ".join(str(error).split())
            print(f"{s.__name__}: {type(error).__name__}: {text}", flush=True)
            # Not sys.exit: libraries that free device memory after a fault
            # would have the last word.
            os._exit(1)
        count += 1
    print(f"{count} steps", flush=True)
