"""What the comparisons of kernels that stand for a library's share: a host program
that calls it once, what its launches take.
"""
import argparse
import csv
import io
import os
import subprocess


def arguments(text):
    p = argparse.ArgumentParser(
        description=text, formatter_class=argparse.RawTextHelpFormatter)
    p.add_argument("--teg", default="build/release/teg")
    p.add_argument("--library", default="/usr/local/cuda/lib64")
    p.add_argument("rows", nargs="*", type=int)
    return p.parse_args()


def build(a, work, text, library):
    """A program of C that is linked with the library."""
    source, program = (os.path.join(work, x) for x in ("host.c", "host"))
    with open(source, "w") as f:
        f.write(text)
    subprocess.run(["cc", "-o", program, source, "-L" + a.library,
                    "-l" + library, "-lcudart", "-Wl,-rpath," + a.library],
                   check=True)
    return program


def launches(a, gpu, program, args, *options):
    """What `teg run` with these options says of what the program launches with
    these arguments, a row each."""
    traces = os.path.join(os.path.dirname(program), "traces")
    subprocess.run([a.teg, "exec", "-g", gpu, "-o", traces, "--", program,
                    *map(str, args)], stderr=subprocess.PIPE, check=True)
    said = subprocess.run([a.teg, "run", "-g", gpu, *options, "-f", "csv",
                           os.path.join(traces, "kernels.json")],
                          stdout=subprocess.PIPE, check=True, text=True).stdout
    return list(csv.DictReader(io.StringIO(said)))
