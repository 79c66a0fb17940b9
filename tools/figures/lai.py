"""J. Lai, PhD thesis, Rennes 2013."""

import csv
import functools
import json
import math
import os
import subprocess

from kit import (GT200, ROOT, TEG, Failed, cycles, description, result,
                 side_by_side, teg)

MIX = "tests/kernels/micro/mix.sketch"


@functools.cache
def accuracy():
    """The points of `make accuracy`."""
    tool = os.path.join(os.path.dirname(TEG), "accuracy")
    path = os.path.join(ROOT, "build/accuracy/gtx280.json")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    done = subprocess.run([tool, f"--json={path}",
                           "tools/accuracy/gtx280.csv"], cwd=ROOT,
                          capture_output=True, text=True)
    if done.returncode != 0:
        raise Failed(f"{tool}: {done.stderr.strip()} (make accuracy)")
    with open(path, encoding="utf-8") as f:
        return json.load(f)


def of_table(number):
    return [p for p in accuracy()["points"] if p["table"] == number]


def rows_of(*args):
    """The rows of a command's CSV."""
    return list(csv.DictReader(teg(*args, "-f", "csv").splitlines()))


def table_1_1(kit):
    """Table 1.1: peaks that the rooflines have"""
    rows = []
    for gpu, peak in (("gtx280", 933), ("gtx580", 1581), ("gtx680", 3090)):
        r = result("model", GT200 + "fmad_stream.sketch", "-m", "roofline",
                   "-g", gpu)
        terms = r["models"][0]["terms"]
        rows.append((gpu, peak, terms["P_peak"], terms["P_issued"]))
        kit.compare(f"{gpu}: Gflop/s, single precision", peak, terms["P_peak"])
    kit.table(("gpu", "published", "stated_gflops", "issued_gflops"), rows)


def table_1_1_chips(kit):
    """Table 1.1: the chips"""
    keys = (("shader clock, MHz", "chip.sm_clock_mhz"),
            ("bandwidth, GB/s", "dram.bandwidth_gbs"),
            ("schedulers", "sm.schedulers"),
            ("shared memory, KB", "sm.shared_bytes"),
            ("registers, K", "sm.registers"))
    published = {"gtx280": (1296, 141.7, 1, 16, 16),
                 "gtx580": (1544, 192.4, 2, 48, 32),
                 "gtx680": (1006, 192.26, 4, 48, 64)}
    rows = []
    for gpu, values in published.items():
        have = description(gpu)
        for (what, key), value in zip(keys, values):
            here = have[key] / (1024 if what.endswith("K") or
                                what.endswith("KB") else 1)
            rows.append((gpu, what, value, here))
            kit.compare(f"{gpu}: {what}", value, here, "{:.5g}")
    kit.table(("gpu", "what", "published", "described"), rows)


def of_accuracy(kit, table, form="{:.4g}"):
    """The points of a table of `make accuracy`, each a line."""
    rows = []
    for p in of_table(table):
        rows.append((p["label"], p["warps"], p["measured"], p["simulated"]))
        warps = f", {p['warps']} warps" if table == "3.5a" else ""
        kit.compare(p["label"] + warps, p["measured"], p["simulated"], form)
    kit.table(("what", "warps", "measured", "simulated"), rows)


def table_3_1(kit):
    """Table 3.1: latencies, constants of the description"""
    of_accuracy(kit, "3.1")


def latencies(kit):
    """3.2: latencies measured with chains and streams"""
    of_accuracy(kit, "3.2t")


def sp_active(kit):
    """3.5: share of cycles in which the SP is active, percent"""
    of_accuracy(kit, "3.5a")


def what_ifs(kit):
    """3.4: speed-ups of what-ifs beside rewritten kernels"""
    rows = []
    for what, with_it, without in (
            ("conflicts removed", "3.2", "3.3"),
            ("accesses coalesced", "3.4", "3.4c")):
        measured = {p["warps"]: p for p in of_table(without)}
        for p in of_table(with_it):
            q = measured[p["warps"]]
            rows.append((what, p["warps"], p["measured"] / q["measured"],
                         p["simulated"] / q["simulated"]))
            kit.compare(f"{what}, {p['warps']} warps", *rows[-1][2:])
    kit.table(("what_if", "warps", "measured", "simulated"), rows)


def skew(kit):
    """3.2.3: accesses that fall on few of the eight channels"""
    kernel = GT200 + "skew.sketch"
    rows = [(s, cycles(kernel, "gtx280", SKEW=s),
             cycles(kernel, "gtx280", "--what-if", "no-channel-skew", SKEW=s))
            for s in (0, 1)]
    kit.table(("skew", "cycles", "without_skew"), rows)
    kit.compare("slower by skew, if removed", "no number",
                f"{rows[1][1] / rows[1][2]:.2f} times")


def blocks(kit):
    """3.2.1: bandwidth of few blocks, which share TPCs only from 11 on"""
    def gbs(n):
        r = result("run", GT200 + "double_gld_stream.sketch", "-g", "gtx280",
                   "-p", f"BLOCKS={n}", "-p", "N=128")
        return r["memory"]["dram_gbs"]

    counts = (1, 2, 3, 5, 10, 15, 20, 30)
    rows = list(zip(counts, side_by_side(gbs, [(n,) for n in counts])))
    path = kit.table(("blocks", "gbs"), rows)
    kit.plot(path, "Bandwidth over blocks, GTX 280", "blocks", "GB/s",
             [(2, "doubles, 512 threads a block")])
    kit.compare("10 blocks over 1: each a TPC of its own", 10.0,
                dict(rows)[10] / dict(rows)[1])


def tables_3(kit):
    """Tables 3.2 to 3.6 and Fig. 3.3: cycles of two programs on a GTX 280"""
    rows = []
    for t in ("3.2", "3.3", "3.4", "3.5", "3.6"):
        points = of_table(t)
        for p in points:
            rows.append((f"{t}: {p['warps']}", p["measured"], p["predicted"],
                         p["simulated"], p["predicted_error_percent"],
                         p["error_percent"]))
        errors = [abs(r[5]) for r in rows[-len(points):]]
        theirs = [abs(r[4]) for r in rows[-len(points):]]
        kit.compare(f"Table {t}, mean error of {len(points)} points, %",
                    f"{sum(theirs) / len(theirs):.2f} (TEG)",
                    f"{sum(errors) / len(errors):.2f}")
    path = kit.table(("table and warps", "measured", "teg_published",
                      "simulated", "teg_error_percent", "error_percent"), rows)
    kit.plot(path, "Errors of Fig. 3.3, its 21 points that are printed", "",
             "percent", [(5, "TEG, published"), (6, "simulated here")],
             style="histograms",
             extra="set style fill solid\nset yrange [*:*]\n"
                   "set xtics rotate by -60\n")
    theirs = [abs(r[4]) for r in rows]
    ours = [abs(r[5]) for r in rows]
    kit.compare("all, mean error, %", f"{sum(theirs) / len(theirs):.2f} (TEG)",
                f"{sum(ours) / len(ours):.2f}")
    kit.compare("all, largest, %", f"{max(theirs):.2f} (TEG)",
                f"{max(ours):.2f}")


def speedups(kit):
    """Figs. 3.4 to 3.7: speed-up over warps, by the work done"""
    names = {"3.2": "with conflicts", "3.6": "without", "3.4": "uncoalesced",
             "3.5": "coalesced"}
    warps, columns, errors = (1, 2, 4, 8, 16), [], []
    for t in names:
        points = {int(p["warps"]): p for p in of_table(t)}
        for what in ("measured", "simulated"):
            columns.append([w * points[1][what] / points[w][what]
                            if w in points else None for w in warps])
        errors += [abs(s / m - 1) for m, s in zip(*columns[-2:])
                   if m is not None and m != 1]
    labels = [f"{name}, {what}" for name in names.values()
              for what in ("measured", "simulated")]
    path = kit.table(("warps", *labels), list(zip(warps, *columns)))
    kit.plot(path, "Speed-up over one warp, by the work done", "warps",
             "speed-up", [(i + 2, label, "lines" if i % 2 else "points pt 7")
                          for i, label in enumerate(labels)],
             extra="set logscale x 2\n")
    kit.compare("speed-up over 1 warp, mean error of "
                f"{len(errors)} points, %", "0",
                f"{100 * sum(errors) / len(errors):.1f}")


def fig_4_2(kit):
    """Fig. 4.2: thread instructions a cycle over the share of FFMA"""
    published = {("gtx580", 4, 3): 31.3, ("gtx580", 8, 6): 30.4,
                 ("gtx580", 16, 12): 24.5, ("gtx680", 8, 6): 122.4,
                 ("gtx680", 16, 12): 119.9}
    ratios = (1, 2, 3, 4, 6, 8, 12)
    columns = [(g, w) for g in ("gtx580", "gtx680") for w in (4, 8, 16)]

    def rate(gpu, width, ratio):
        n = 128
        return n * 1024 * (ratio + 1) / cycles(MIX, gpu, WIDTH=width,
                                               RATIO=ratio, N=n)

    # 63 registers and 1024 threads leave 32 a thread on a GTX 580.
    points = [(g, w, r) for r in ratios for g, w in columns]
    rates = dict(zip(points, side_by_side(rate, points)))
    path = kit.table(("ffma_per_load", *(f"{g} LDS{'' if w == 4 else f'.{8*w}'}"
                                         for g, w in columns)),
                     [(r, *(rates[g, w, r] for g, w in columns))
                      for r in ratios])
    kit.plot(path, "FFMA and LDS mixed, 1024 threads", "FFMA to a load",
             "thread instructions a cycle and SM",
             [(i + 2, f"{g}, {8 * w} bits") for i, (g, w) in
              enumerate(columns)])
    for (g, w, r), value in published.items():
        kit.compare(f"{g}: {r} FFMA to a load of {8 * w} bits", value,
                    rates[g, w, r])
    for g, w in columns:
        row = [rates[g, w, r] for r in ratios]
        falls = sum(b < 0.99 * a for a, b in zip(row, row[1:]))
        if falls:
            kit.compare(f"{g}, {8 * w} bits: falls where the share rises",
                        "nowhere", f"{falls} times")


def sgemm(kit):
    """4.3.5: bounds of SGEMM"""
    rows = []
    for gpu, loads, published in (("gtx580", "LDS.64", 82.5),
                                  ("gtx680", "LDS.64", 54.6),
                                  ("gtx680", "LDS.128", 57.6)):
        row = next(r for r in rows_of("bound", "sgemm", "-g", gpu)
                   if r["load"] == loads)
        rows.append((gpu, loads, published, float(row["Percent"])))
        kit.compare(f"{gpu} with {loads}, % of peak", published,
                    float(row["Percent"]))
    kit.table(("gpu", "loads", "published_percent", "percent"), rows)


def lattice(kit):
    """2.4: Lattice QCD on Cell and GTX 280"""
    rows = []
    for machine, sets, patterns, published in (
            ("cell", ("--set", "beta=0.1"), "P2 P3 P4 P5", 35.2),
            ("gtx280", (), "P1", 75.6),
            ("gtx280", ("--set", "io_gbs=8"), "P1", 44.0)):
        best = next(r for r in rows_of("bound", "lattice-qcd", "-g", machine,
                                       *sets) if r["feasible"] == "1")
        rows.append((machine, best["patterns"], published,
                     float(best["gflops"])))
        where = "over PCI Express" if sets[1:] == ("io_gbs=8",) else ""
        kit.compare(f"{machine} {where}: Gflop/s with {best['patterns']} "
                    f"(text: {patterns})", published, float(best["gflops"]))
    kit.table(("machine", "patterns", "published_gflops", "gflops"), rows)


SGEMM = "tests/kernels/micro/sgemm.sketch"


VARIANTS = ("NN", "NT", "TN", "TT")  # op(A) op(B): normal, transposed


@functools.cache
def sgemm_run(gpu, alloc, what_if="", variant="NN"):
    """One wave of the SGEMM kernel: percent of the peak, and the result."""
    k, blocks, peak = 320, 32, {"gtx580": 1581, "gtx680": 3090}[gpu]
    r = result("run", SGEMM, "-g", gpu, "-p", f"K={k}", "-p", f"BLOCKS={blocks}",
               "-p", f"ALLOC={alloc}", "-p", f"TA={int(variant[0] == 'T')}",
               "-p", f"TB={int(variant[1] == 'T')}",
               # The boost clock, which 4.2.3 takes.
               *(("--set", "chip.sm_clock_mhz=1058") if gpu == "gtx680" else ()),
               *(("--what-if", what_if) if what_if else ()))
    return 2 * 96 * 96 * k * blocks / r["time_us"] / 1e3 / peak * 100, r


def fig_4_5(kit):
    """Figs. 4.5 to 4.7: SGEMM, four variants, one wave of its blocks"""
    points = [(g, 1, "", v) for g in ("gtx580", "gtx680") for v in VARIANTS]
    done = dict(zip(points, side_by_side(sgemm_run, points)))
    of = {g: {v: done[g, 1, "", v][0] for v in VARIANTS}
          for g in ("gtx580", "gtx680")}
    path = kit.table(("variant", "gtx580", "gtx680"),
                     [(v, of["gtx580"][v], of["gtx680"][v]) for v in VARIANTS])
    kit.plot(path, "SGEMM, percent of the peak", "", "percent",
             [(2, "GTX 580 (bound 82.5, text 74.2)"), (3, "GTX 680 (57.6)")],
             style="histograms", extra="set style fill solid\n")
    kit.compare("gtx580: % of peak, mean of the four (text: around)", 74.2,
                sum(of["gtx580"].values()) / len(VARIANTS))
    kit.compare("gtx680: fastest of the four", "NT",
                max(of["gtx680"], key=of["gtx680"].get))
    kit.compare("gtx680 NT, Gflop/s (text: around)", 1375,
                of["gtx680"]["NT"] * 30.9)
    kit.compare("gtx680 NN, Gflop/s (text: around)", 1300,
                of["gtx680"]["NN"] * 30.9)
    kit.compare("gtx680 NN, Gflop/s: registers in a row (text: first version, "
                "other conflicts)", 1100, sgemm_run("gtx680", 0)[0] * 30.9)


def fig_4_8(kit):
    """Fig. 4.8: multiply-adds with register-bank conflicts, GTX 680"""
    rows = []
    for what, alloc, published in (
            ("registers in a row (text: first version)", 0, (68.8, 10.6)),
            ("allocated by banks (text: modified)", 1, (1.2, 0))):
        kernel = sgemm_run("gtx680", alloc)[1]["kernel"]
        ffma = kernel["warps"] * 36 * 320  # nearly all that reads two registers
        for ways, value in zip((2, 3), published):
            here = 100 * kernel[f"register_conflicts_{ways}"] / ffma
            rows.append((what, ways, value, here))
            kit.compare(f"{what}: {ways}-way, %", f"{value}", f"{here:.1f}")
    kit.table(("kernel", "ways", "published_percent", "percent"), rows)
    slow = sgemm_run("gtx680", 0)
    without = sgemm_run("gtx680", 0, "no-register-conflicts")
    kit.compare("gain of what-if no-register-conflicts, and of the other "
                "registers", "1.18 (1300 over 1100 Gflop/s)",
                f"{slow[1]['cycles'] / without[1]['cycles']:.2f}, "
                f"{sgemm_run('gtx680', 1)[0] / slow[0]:.2f}")


def fig_4_3(kit):
    """Fig. 4.3: share of FFMA over the blocking factor of registers"""
    loads, rows = ("LDS", "LDS.64", "LDS.128"), []
    for b in range(1, 13):
        of = {r["load"]: r for r in rows_of(
            "bound", "sgemm", "-g", "gtx580", "--set",
            f"only_b_r={b},r_max=255,r_sm=131072,sh_sm=262144")}
        rows.append((b, *(100 * float(of[n]["FFMA_share"]) for n in loads)))
    path = kit.table(("b_r", *loads), rows)
    kit.plot(path, "Share of FFMA in the main loop", "B_R", "percent",
             [(i + 2, n) for i, n in enumerate(loads)])
    for n, value, here in zip(loads, (75, 85.7, 92.3), rows[5][1:]):
        kit.compare(f"B_R 6, {n}: FFMA, %", value, here)


def fig_4_4(kit):
    """Fig. 4.4: FFMA and LDS.64 as 6 to 1, over active threads"""
    threads = (128, 256, 384, 512, 640, 768, 896, 1024)
    columns = [(g, d) for g in ("gtx580", "gtx680") for d in (0, 1)]

    def rate(gpu, dependent, n):
        rounds = 128
        return n * rounds * 7 / cycles(MIX, gpu, THREADS=n, N=rounds,
                                       DEPENDENT=dependent)

    points = [(g, d, n) for n in threads for g, d in columns]
    rates = dict(zip(points, side_by_side(rate, points)))
    path = kit.table(("threads", *(f"{g} {'dependent' if d else 'independent'}"
                                   for g, d in columns)),
                     [(n, *(rates[g, d, n] for g, d in columns))
                      for n in threads])
    kit.plot(path, "FFMA and LDS.64, 6 to 1", "active threads of an SM",
             "thread instructions a cycle",
             [(i + 2, f"{g}, {'dependent' if d else 'independent'}")
              for i, (g, d) in enumerate(columns)])
    best = {g: max(rates[g, 0, n] for n in threads)
            for g in ("gtx580", "gtx680")}
    kit.compare("gtx580, dependent, 512 threads, of the best", "close to it",
                f"{100 * rates['gtx580', 1, 512] / best['gtx580']:.0f} %")
    kit.compare("gtx680, dependent, 512 and 1024 threads, of the best",
                "sensitive below 1024",
                f"{100 * rates['gtx680', 1, 512] / best['gtx680']:.0f} %, "
                f"{100 * rates['gtx680', 1, 1024] / best['gtx680']:.0f} %")
    # F_T of Eq. (4.9) as these threads have it, in the bound of 4.3.5.
    for gpu, n, lanes, published in (("gtx580", 512, 32, 82.5),
                                     ("gtx680", 1024, 192, 54.6)):
        row = next(r for r in rows_of(
            "bound", "sgemm", "-g", gpu, "--set",
            f"given_f_t={rates[gpu, 1, n] / lanes:.6f}")
            if r["load"] == "LDS.64")
        kit.compare(f"{gpu}: bound with F_T of {n} dependent threads, % of peak",
                    published, float(row["Percent"]))


def core_ratio(kit):
    """2.4: operations a byte that a core exchanges, R_A/C"""
    rows = []
    for machine, patterns, published in (
            ("cell", "P2 P3 P4 P5", 1320 / (1536 * (0.125 + 0.1))),
            ("gtx280", "P1", 0.54)):
        here = next(float(r["core_ratio"]) for r in rows_of(
            "bound", "lattice-qcd", "-g", machine, "--set",
            "alpha=0.125,beta=0.1") if r["patterns"] == patterns)
        rows.append((machine, patterns, published, here))
        kit.compare(f"{machine} with {patterns}", published, here)
    kit.table(("machine", "patterns", "published", "here"), rows)


def sgemm_rows(kit):
    """4.3.2: SGEMM's shares of FFMA and the bound of LDS.128"""
    rows = {r["load"]: r for r in rows_of("bound", "sgemm", "-g", "gtx580")}
    for loads, share in (("LDS", 75), ("LDS.64", 85.7), ("LDS.128", 92.3)):
        kit.compare(f"FFMA among instructions with {loads}, %", share,
                    100 * float(rows[loads]["FFMA_share"]))
    kit.compare("bound with LDS.128, % of peak (text: about)", 71,
                float(rows["LDS.128"]["Percent"]))
    kit.table(("load", "ffma_share", "percent"),
              [(n, r["FFMA_share"], r["Percent"]) for n, r in rows.items()])


def sgemm_registers(kit):
    """4.4.2: registers of SGEMM's main loop"""
    row = next(r for r in rows_of("bound", "sgemm", "-g", "gtx580")
               if r["load"] == "LDS.64")
    b = int(row["B_R"])
    rows = (("B_R", 6, b), ("T_B", 256, int(row["T_B"])),
            ("L", 16, int(row["L"])), ("registers of C", 36, b * b),
            ("registers for prefetched data", 12, int(row["Prefetch"])),
            ("registers in all", 63, int(row["R_T"])))
    kit.table(("what", "published", "here"), rows)
    for row in rows:
        kit.compare(*row)


def table_2_4(kit):
    """Table 2.4: operations a byte of main memory, 32 combinations"""
    with open(os.path.join(ROOT, "tests/golden/lattice-qcd.csv"),
              encoding="utf-8") as f:
        printed = list(csv.DictReader(x for x in f if x[0] != "#"))
    alpha, beta = 0.125, 0.1
    here = {r["patterns"]: float(r["ratio"])
            for r in rows_of("bound", "lattice-qcd", "-g", "gtx280",
                             "--set", f"alpha={alpha},beta={beta}")}
    rows = []
    for r in printed:
        names = " ".join(f"P{i + 1}" for i, bit in enumerate(r["combo"])
                         if bit == "1") or "none"
        want = (float(r["printed"]) if r["printed"] else 1320 / (
            float(r["printed_bytes"]) + alpha * float(r["printed_alpha"]) +
            beta * float(r["printed_beta"])))
        rows.append((r["combo"], want, here[names]))
        kit.compare(f"R_A/M of ({r['combo']}), alpha 0.125, beta 0.1", want,
                    here[names])
    kit.table(("combination", "printed", "here"), rows)


def ratio_io(kit):
    """2.4.1: operations a byte of I/O"""
    row = rows_of("bound", "lattice-qcd", "-g", "gtx280", "--set",
                  "io_gbs=8")[0]
    kit.compare("R_A/IO", 6.875, float(row["links.I/O.ratio"]))
    kit.table(("published", "here"), [(6.875, row["links.I/O.ratio"])])


TABLE_4_1 = (  # instruction, thread instructions a cycle, operands of it
    ("FADD", "R0, R1, R2", 132.0), ("FADD", "R0, R1, R3", 66.2),
    ("FMUL", "R0, R1, R2", 132.0), ("FMUL", "R0, R1, R3", 66.2),
    ("FFMA", "R0, R1, R4, R5", 132.0), ("FFMA", "R0, R1, R3, R5", 66.2),
    ("FFMA", "R0, R1, R3, R9", 44.2), ("IADD", "R0, R1, R2", 132.4),
    ("IADD", "R0, R1, R3", 66.2), ("IMUL", "R0, R1, R2", 33.2),
    ("IMUL", "R0, R1, R3", 33.2), ("IMAD", "R0, R1, R4, R5", 33.1),
    ("IMAD", "R0, R1, R3, R5", 33.2), ("IMAD", "R0, R1, R3, R9", 26.5),
    ("FADD", "R0, R1, R0", 128.7), ("FMUL", "R0, R1, R0", 129.0),
    ("FFMA", "R0, R1, R4, R0", 129.0), ("IADD", "R0, R1, R0", 128.7),
    ("IMUL", "R0, R1, R0", 33.2), ("IMAD", "R0, R1, R4, R0", 33.2),
    ("FFMA", "R0, R1, R1, R0", 178.0))


def table_4_1(kit):
    """Table 4.1: math instructions by their registers, GTX 680"""
    n = 256

    def rate(name, operands):
        # The results of four in turn differ, and never meet a source again
        # where the text's do not: the sources' banks are what counts.
        numbers = [int(x) for x in operands.replace("R", "").split(",")]
        chained = numbers[0] in numbers[1:]
        body = []
        for i in range(4):
            regs = [8 * (i + 2) + numbers[0], *numbers[1:]]
            if chained:
                regs = [regs[0], *(regs[0] if x == numbers[0] else x
                                   for x in numbers[1:])]
            body.append(f"{name} " + ", ".join(f"R{x}" for x in regs))
        path = os.path.join(kit.folder, f"{name}_{'_'.join(map(str, numbers))}"
                                        ".sketch")
        with open(path, "w", encoding="utf-8") as f:
            f.write("sketch 1\nkernel \"math\"\nisa kepler\nblock 1024\n"
                    f"repeat n {n // 4}\n" + "\n".join(body) + "\nend\n")
        return n * 1024 / cycles(path, "gtx680")

    rates = side_by_side(rate, [row[:2] for row in TABLE_4_1])
    rows = []
    for (name, operands, published), here in zip(TABLE_4_1, rates):
        rows.append((f"{name} {operands}", published, here))
        kit.compare(f"{name} {operands}", published, here)
    path = kit.table(("instruction", "published", "simulated"), rows)
    kit.plot(path, "Table 4.1, GTX 680", "", "thread instructions a cycle",
             [(2, "published"), (3, "simulated")], style="histograms",
             extra="set style fill solid\nset xtics rotate by -60\n")


def sp_load(kit):
    """Figs. 3.9 to 3.13: highest load of the SP in the main loop"""
    to = os.path.join(kit.folder, "scaling")
    done = subprocess.run(["tools/examples/scaling.sh", TEG, to], cwd=ROOT,
                          capture_output=True, text=True)
    if done.returncode != 0:
        raise Failed(f"tools/examples/scaling.sh: {done.stderr.strip()}")
    with open(os.path.join(to, "summary.csv"), encoding="utf-8") as f:
        rows = {int(r["warps"]): float(r["sp_loop_load"])
                for r in csv.DictReader(f)}
    kit.compare("8 warps (text: about)", 13, rows[8])
    kit.compare("6 warps", "9 to 12", f"{rows[6]:.1f}")
    path = kit.table(("warps", "sp_load"), sorted(rows.items()))
    kit.plot(path, "Highest load of the SP in the main loop", "warps",
             "warp instructions under way", [(2, "SP")])


def three_components(kit):
    """1.3.3: Zhang and Owens' three components, throughputs benchmarked, GTX 280"""
    warps = (1, 2, 4, 8, 16)

    def sketch(name, line):
        path = os.path.join(kit.folder, f"{name}.sketch")
        with open(path, "w", encoding="utf-8") as f:
            f.write(f'sketch 1\nkernel "{name}"\nisa gt200\nparam WARPS = 1\n'
                    f"block 32*WARPS\nshared 1024\nloop k 32\n{line}\nend\n")
        return path

    benchmarks = {  # what one SM's warps do back to back
        "shared": (sketch("three_shared", "repeat i 8\nMOV32 R{4+i}, "
                          "g[A1+0xb : 4*(lane%16)]\nend"),
                   "shared_passes"),
        "global": (sketch("three_global", "repeat i 8\nGLD.U32 R{4+i}, "
                          "global14[R2 : 65536 + 4*(tid + ntid*(8*k + i))]\n"
                          "end"), "bytes")}

    def rate(what, w):
        kernel, counter = benchmarks[what]
        r = result("run", kernel, "-g", "gtx280", "-p", f"WARPS={w}")
        return r["memory"][counter] / r["cycles"]

    points = [(what, w) for what in benchmarks for w in warps]
    rates = dict(zip(points, side_by_side(rate, points)))
    kit.table(("warps", "shared_passes_a_cycle", "global_bytes_a_cycle"),
              [(w, rates["shared", w], rates["global", w]) for w in warps],
              name="three_components_benchmarks")
    given = ",".join(f"{what}_at_{w}={rates[what, w]:.6g}" for what, w in points)
    rows = []
    for conflict, table in ((1, "3.2"), (0, "3.6")):
        measured = {int(p["warps"]): p["measured"] for p in of_table(table)}
        for w in warps:
            r = result("model", GT200 + "matmul_abt.sketch", "-g", "gtx280", "-m",
                       "three-component", "-p", f"WARPS={w}", "-p",
                       f"CONFLICT={conflict}", "--set", given)["models"][0]
            rows.append((f"{'conflicts' if conflict else 'without'}, {w}",
                         measured[w], r["cycles"], r["limiter"]))
    path = kit.table(("kernel and warps", "measured", "three components",
                      "bottleneck"), rows)
    kit.plot(path, "C = AB^T on one SM of a GTX 280", "", "cycles",
             [(2, "measured"), (3, "three components")], style="histograms",
             extra="set style fill solid\nset xtics rotate by -60\n")
    for w, row in zip((1, 16), (rows[0], rows[4])):
        kit.compare(f"with conflicts, {w} warps: time over the measured",
                    "no number", f"{row[2] / row[1]:.2f} ({row[3]})")


def skeleton(kit):
    """1.3.4: layouts of a skeleton, projected as GROPHECY does, and simulated"""
    axes = {"SIDE": (8, 16), "COARSE": (1, 2, 4), "STAGE": (0, 1),
            "UNROLL": (1, 8)}
    rows = rows_of("sweep", GT200 + "skeleton.sketch", "-g", "gtx280",
                   *(part for name, values in axes.items() for part in
                     ("-p", f"{name}={','.join(map(str, values))}")),
                   "--rank-by", "models.mwp-cwp.cycles")
    times = [(float(r["models.mwp-cwp.cycles"]), int(r["cycles"])) for r in rows]
    path = kit.table(("place", "projected", "simulated", "layout"), [
        (i + 1, *t, " ".join(f"{n}={r[f'vary.param.{n}']}" for n in axes))
        for i, (t, r) in enumerate(zip(times, rows))])
    kit.plot(path, f"{len(rows)} layouts of a matrix product, GTX 280",
             "place by projection", "cycles", [(2, "mwp-cwp"), (3, "simulated")],
             extra="set logscale y\nset yrange [*:*]\n")
    order = sorted(t[1] for t in times)
    kit.compare(f"projected to be the fastest of {len(rows)}: place by simulation",
                "no number", str(order.index(times[0][1]) + 1))
    logs = [abs(math.log(a / b)) for a, b in times]
    kit.compare("projected beside simulated, geometric mean (text: by hand beside "
                "generated code), times", "1.17",
                f"{math.exp(sum(logs) / len(logs)):.2f}")


def pareto(kit):
    """1.3: Ryoo's metrics of C = AB^T, and the configurations none beats"""
    keys = [f"models.ryoo.terms.{x}" for x in ("Efficiency", "Utilization")]
    of = ("sweep", GT200 + "matmul_abt.sketch", "-g", "gtx280", "-p",
          "WARPS=1,2,4,8", "-p", "CONFLICT=0,1", "-p", "BLOCKS=30,60")
    every = rows_of(*of)
    front = {r["point"] for r in rows_of(*of, "--pareto",
                                         ",".join(k + ":max" for k in keys))}
    rows = [(*(float(r[k]) for k in keys),
             float(r[keys[1]]) if r["point"] in front else None,
             int(r["cycles"])) for r in every]
    path = kit.table(("efficiency", "utilization", "utilization_of_front",
                      "cycles"), rows)
    kit.plot(path, "Efficiency and utilization (Ryoo)", "efficiency",
             "utilization", [(2, "a configuration", "points pt 7"),
                             (3, "none is better in both", "points pt 6 ps 2")],
             extra="set xrange [0:*]\n")
    kit.compare(f"configurations, and on the front, of {len(rows)}",
                "no number", str(len(front)))


FIGURES = (pareto, three_components, skeleton, table_1_1_chips, table_1_1, table_3_1, latencies, tables_3, what_ifs,
           speedups, sp_active, sp_load, skew, blocks, table_4_1, fig_4_2,
           fig_4_3, fig_4_4, sgemm, sgemm_rows, sgemm_registers, fig_4_5, fig_4_8,
           table_2_4, ratio_io, core_ratio, lattice)
