"""Triton's kernels, compiled by the release that a time was measured with.

A release is a Python that has it: --triton PYTHON, as often as there are, and
the one that runs us.
"""
import functools
import json
import os
import subprocess
import sys

from launch import HERE, KEPT, Failed, Kernel, keep, named, options

WHERE = ("import importlib.metadata as m, importlib.util as u; "
         "print(m.version('triton') if u.find_spec('triton') else '')")


def version_key(version):
    return tuple(int(p) for p in version.split(".") if p.isdigit())


def is_old(release):
    """Whether it has operators of its own (triton.ops)."""
    return version_key(release) < (3,)


@functools.lru_cache(maxsize=None)
def releases():
    """Path of the Python of each release that is there, by version."""
    found = {}
    for python in (sys.executable, *options["triton"]):
        try:
            said = subprocess.run([python, "-c", WHERE], text=True,
                                  capture_output=True, check=False)
        except OSError as e:
            raise Failed(f"--triton {python}: {e.strerror}") from None
        version = said.stdout.strip()
        if version:
            found.setdefault(version, python)
        elif python != sys.executable:
            raise Failed(f"--triton {python}: has no package triton")
    return found


def newest():
    """The latest release that is there, None without any."""
    return max(releases(), key=version_key, default=None)


@functools.lru_cache(maxsize=None)
def source(name):
    with open(os.path.join(HERE, name), "rb") as f:
        return f.read()


def compiled(release, request, path):
    """Writes the cubin; returns what the launcher needs besides."""
    done = subprocess.run(
        [releases()[release], os.path.join(HERE, "compile_triton.py")],
        input=json.dumps({**request, "out": path}), text=True,
        capture_output=True, check=False,
        env={**os.environ, "TRITON_CACHE_DIR": os.path.join(KEPT, "triton")})
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines() or ["it says nothing"]
        raise Failed(f"Triton {release}: {request['program']}: {lines[-1]}")
    return done.stdout.splitlines()[-1]


def triton_kernel(release, program, capability, types, constants, warps,
                  stages):
    """The request of compile_triton.py, as a kernel that takes its arguments
    by name."""
    request = dict(program=program, capability=capability, types=types,
                   constants=constants, warps=warps, stages=stages)
    key = (release, source("triton_kernels.py"), source("compile_triton.py"),
           request)
    name = f"{program}_{capability}"
    # the launcher's, beside the code
    facts = os.path.join(KEPT, named(name, "json", key))

    def make(path):
        said = compiled(release, request, path)
        with open(facts, "w", encoding="ascii") as f:
            f.write(said)
    cubin = keep(name, "cubin", key, make)
    with open(facts, encoding="ascii") as f:
        said = json.load(f)
    return Kernel(cubin, (32 * warps,), said["shared"],
                  params=said["params"], extra=["i64:0"] * said["scratch"])
