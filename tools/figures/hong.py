"""S. Hong, PhD thesis, Georgia Institute of Technology, 2012."""

import csv
import functools
import math
import os
import re

from kit import GT200, description, result, side_by_side, teg

KINDS = ("Madd", "Mmul", "Dmadd", "Dotp", "Cmem")
BANDWIDTH_LIMITED = KINDS[:4]
SMS = (1, 2, 4, 6, 8, 10, 12, 14, 16, 18, 19, 20, 21, 22, 24, 26, 28, 30)
STEPS, THREADS = 1440, 512  # of hong_bandwidth.sketch
LOADS = {"Dmadd": 2, "Dotp": 2}


def power(kind, sms, dependent):
    """What `teg power` makes of a kernel on so many SMs."""
    r = result("power", GT200 + "hong_bandwidth.sketch", "-g", "gtx280",
               "--sweep", "off", "-p", f"KIND={KINDS.index(kind)}", "-p",
               f"BLOCKS={sms}", "-p", f"DEPENDENT={dependent}", "-p",
               f"STEPS={STEPS}")
    seconds = r["time_us"] / 1e6
    loads = STEPS // 2 // sms * 2 * sms * THREADS * LOADS.get(kind, 1)
    return {"seconds": seconds, "gbs": 4 * loads / seconds / 1e9,
            "gips": r["power"]["warp_gips"],
            "gips_per_watt": r["power"]["gips_per_watt"],
            "watts": r["power"]["gpu_watts"],
            "runtime_watts": r["power"]["runtime_watts"]}


@functools.cache
def sweep(dependent):
    """{kind: [power() on 1, 2, ... SMs]}"""
    points = [(k, n, dependent) for k in KINDS for n in SMS]
    rows = side_by_side(power, points)
    return {k: rows[i * len(SMS):(i + 1) * len(SMS)]
            for i, k in enumerate(KINDS)}


def saturates_at(row, key):
    """The fewest SMs from which the most is less than 5 % away."""
    most = max(p[key] for p in row)
    return next(n for n, p in zip(SMS, row) if p[key] > 0.95 * most)


def over_sms(kit, key, unit, what, published, dependent):
    rows = sweep(dependent)
    path = kit.table(("sms", *KINDS), [
        (n, *(rows[k][i][key] for k in KINDS)) for i, n in enumerate(SMS)])
    kit.plot(path, f"{what} over active SMs, GTX 280", "active SMs", unit,
             [(i + 2, k) for i, k in enumerate(KINDS)])
    for k in KINDS:
        kit.compare(f"{k}: {what.lower()} within 5 % of its most from",
                    published[k], f"{saturates_at(rows[k], key)} SMs")


def saturation(cmem):
    return {k: cmem if k == "Cmem" else "about 19 SMs" for k in KINDS}


def fig_48(kit):
    """Fig. 48: bandwidth over active SMs"""
    over_sms(kit, "gbs", "GB/s", "Bandwidth", saturation("30 SMs"), 0)


def fig_48_dependent(kit):
    """Fig. 48, each address from the load before it"""
    over_sms(kit, "gbs", "GB/s", "Bandwidth", saturation("30 SMs"), 1)


def fig_49(kit):
    """Fig. 49: instructions a second over active SMs"""
    over_sms(kit, "gips", "GIPS", "Instructions", saturation("30 SMs"), 0)


def fig_50(kit):
    """Figs. 50 and 51: instructions a joule over active SMs"""
    rows = sweep(0)
    path = kit.table(("sms", *KINDS), [
        (n, *(1e3 * rows[k][i]["gips_per_watt"] for k in KINDS))
        for i, n in enumerate(SMS)])
    kit.plot(path, "Instructions a joule over active SMs, GTX 280",
             "active SMs", "million warp instructions a joule",
             [(i + 2, k) for i, k in enumerate(KINDS)])
    for k in KINDS:
        best = max(zip(rows[k], SMS), key=lambda p: p[0]["gips_per_watt"])[1]
        kit.compare(f"{k}: most instructions a joule on",
                    "30 SMs" if k == "Cmem" else "20 SMs", f"{best} SMs")


def fig_53(kit):
    """Fig. 53: energy saved on 20 SMs instead of 30"""
    rows, saved = sweep(0), []
    for k in BANDWIDTH_LIMITED:
        few, all_ = rows[k][SMS.index(20)], rows[k][SMS.index(30)]
        saved.append((k, *(100 * (1 - few["seconds"] * few[w] /
                                  (all_["seconds"] * all_[w]))
                           for w in ("watts", "runtime_watts")),
                      100 * (1 - few["seconds"] * 20 / 30 / all_["seconds"])))
    path = kit.table(("kernel", "runtime_and_idle_percent", "runtime_percent",
                      "gated_percent"), saved)
    kit.plot(path, "Energy saved on 20 SMs instead of 30, GTX 280", "",
             "percent", [(2, "run-time and idle"), (3, "run-time"),
                         (4, "power-gated")], style="histograms",
             extra="set style fill solid\n")
    mean = [sum(row[i] for row in saved) / len(saved) for i in (2, 3)]
    kit.compare("run-time energy, mean of the kernels (text: Nmat, too), %",
                10.99, mean[0])
    kit.compare("largest, %", 22.09, max(row[2] for row in saved))
    kit.compare("power-gated, mean, %", 25.85, mean[1])


TABLE_11 = (  # unit, GTX 280, GTX 580
    ("fp", 0.2, 1.1), ("int", 0.25, 1.1), ("reg", 0.3, 0.8), ("fds", 0.5, 0.6),
    ("shm", 1, 1.4), ("const", 0.4, 1.0), ("gmem", 52, 28), ("l1", None, 1.6),
    ("l2", None, 12), ("sfu", 0.5, 0.6), ("tex", 0.9, 0.9))


def table_11(kit):
    """Tables 8 and 11: watts of the units"""
    rows = []
    for unit, *published in TABLE_11:
        for gpu, value in zip(("gtx280", "gtx580"), published):
            if value is None:
                continue
            # "1.1 W, identity": watts at a rate of 1, access function
            here = float(re.match(r"[0-9.]+", str(
                description(gpu)[f"power_unit.{unit}"]))[0])
            rows.append((f"{gpu}: {unit}", value, here))
            kit.compare(*rows[-1])
    for key, value in (("idle_watts", 27), ("activation_watts", 64)):
        rows.append((f"gtx580: {key}", value,
                     description("gtx580")[f"power.{key}"]))
        kit.compare(*rows[-1])
    kit.table(("what", "published", "here"), rows)


SPLITS = (  # Fig. 147: the GPU's share, manual and by the text's model, percent
    (95.56, 96.42), (96.72, 91.89), (47.28, 84.22), (43.70, 83.76),
    (60.71, 84.34), (83.24, 87.36), (88.96, 88.56), (89.97, 91.05),
    (82.50, 77.49), (87.57, 85.76), (88.53, 89.76), (95.15, 91.74),
    (95.98, 93.57), (95.96, 94.30))


def fig_147(kit):
    """Fig. 147: shares of a GPU beside a CPU, from throughputs"""
    rows = []
    for manual, model in SPLITS:
        # The text prints shares; a CPU of 100 - model and a GPU of model
        # Gflop/s and nothing to transfer must give the model's share back.
        r = result("power", "--split", f"perf_cpu_gflops={100 - model}",
                   "--split", f"perf_gpu_gflops={model}", "--split",
                   "work_gflop=100")
        rows.append((manual, model, 100 * (1 - r["split"]["cpu_share"])))
    kit.table(("manual", "model_published", "here"), rows)
    errors = [abs(here / manual - 1) for manual, _, here in rows]
    kit.compare("mean error of the GPU's share beside manual ones, %", 17,
                100 * sum(errors) / len(errors))


def limits(kit):
    """Figs. 23 and 24: what limits MWP of SVM, FX5600"""
    for what, uncoal, term, published in (
            ("optimized: MWP_peak_BW", 0, "MWP_peak_BW", 12),
            ("naive: MWP_Without_BW", 1, "MWP_Without_BW_full", 2)):
        r = result("model", GT200 + "mb.sketch", "-g", "fx5600", "-m", "mwp-cwp",
                   "-p", "MB=2", "-p", f"UNCOAL={uncoal}")
        kit.compare(what, published, r["models"][0]["terms"][term])


FERMI, MATMUL = ("tests/kernels/micro/hong_fermi.sketch",
                 "tests/kernels/micro/matmul_fermi.sketch")
NS, CORES = (8, 16, 24, 32, 48), (1, 2, 4, 6, 8, 10, 12, 13, 14, 16)


def chapter_5(kernel, **parameters):
    """The terms of the throughput model on a GTX 580."""
    given = [part for name, value in parameters.items()
             for part in ("-p", f"{name}={value}")]
    return result("model", kernel, "-g", "gtx580", "-m", "throughput",
                  *given)["models"][0]["terms"]


@functools.cache
def fermi():
    """{(kind, N, SMs): (instructions a second in G, the same a watt)}"""
    def of(kind, n, sms):
        r = result("power", FERMI, "-g", "gtx580", "--sweep", "off", "-p",
                   f"KIND={KINDS.index(kind)}", "-p", f"N={n}", "-p",
                   f"SMS={sms}")
        return r["power"]["warp_gips"], r["power"]["gips_per_watt"]

    points = [(k, n, c) for k in KINDS for n in NS for c in CORES]
    return dict(zip(points, side_by_side(of, points)))


def fig_119(kit):
    """Figs. 119 and 121: instructions over active SMs, GTX 580"""
    values, linear = fermi(), {}
    for n in NS[:4]:
        rows = [(c, *(values[k, n, c][0] for k in KINDS)) for c in CORES]
        path = kit.table(("sms", *KINDS), rows, name=f"fig_119_{n}")
        kit.plot(path, f"Instructions over active SMs, GTX 580, N = {n}",
                 "active SMs", "GIPS", [(i + 2, k) for i, k in enumerate(KINDS)],
                 name=f"fig_119_{n}")
        linear[n] = {k: 100 * values[k, n, 16][0] / (16 * values[k, n, 1][0])
                     for k in KINDS}
    kit.table(("n", *KINDS), [(n, *row.values()) for n, row in linear.items()])
    for n, k, published in (
            (8, "Dmadd", "linear"), (24, "Dmadd", "clearly degraded"),
            (32, "Dmadd", "more than 30 % degraded"),
            (32, "Dotp", "more than 30 % degraded"), (32, "Madd", "between"),
            (32, "Mmul", "between"), (32, "Cmem", "linear")):
        kit.compare(f"{k}, N = {n}: of 16 times one SM, on 16", published,
                    f"{linear[n][k]:.0f} %")


def fig_120(kit):
    """Figs. 120 and 122 to 124: MWP of the application and of the bandwidth"""
    rows = []
    for k in KINDS:
        for n in NS:
            for c in CORES:
                t = chapter_5(FERMI, KIND=KINDS.index(k), N=n, SMS=c, ROUNDS=2)
                rows.append((k, n, c, t["MWP_App"], t["MWP_BW"], t["Category"],
                             t["Cores_suggested"]))
    kit.table(("kernel", "n", "sms", "mwp_app", "mwp_bw", "category",
               "cores_suggested"), rows)
    of = {row[:3]: row[3:] for row in rows}
    for k in ("Cmem", "Dmadd"):
        path = kit.table(("sms", "MWP_BW", *(f"MWP_App, N = {n}" for n in NS[:4])),
                         [(c, of[k, 8, c][1], *(of[k, n, c][0] for n in NS[:4]))
                          for c in CORES], name=f"fig_122_{k}")
        kit.plot(path, f"{k}: MWP over active SMs, GTX 580", "active SMs", "warps",
                 [(2, "MWP_BW")] + [(i + 3, f"MWP_App, N = {n}")
                                    for i, n in enumerate(NS[:4])],
                 name=f"fig_122_{k}", extra="set yrange [0:120]\n")
    for k, published in (("Dmadd", "well above 1"), ("Dotp", "well above 1"),
                         ("Madd", "about 1"), ("Mmul", "about 1"),
                         ("Cmem", "below 1")):
        app, bandwidth = of[k, 32, 16][:2]
        kit.compare(f"{k}, N = 32, 16 SMs: MWP_App over MWP_BW", published,
                    f"{app / bandwidth:.2f}")
    return of


def fig_125(kit):
    """Figs. 125 and 126: categories over N and active SMs"""
    of = {}
    for k in KINDS:
        for n in NS:
            of[k, n] = int(chapter_5(FERMI, KIND=KINDS.index(k), N=n,
                                     ROUNDS=2)["Category"])
    path = kit.table(("n", *KINDS), [(n, *(of[k, n] for k in KINDS)) for n in NS])
    kit.plot(path, "Categories over N, GTX 580, 16 SMs", "N", "category",
             [(i + 2, k) for i, k in enumerate(KINDS)])
    for k in ("Dmadd", "Cmem"):
        kit.compare(f"{k}: categories for N = {', '.join(map(str, NS))}",
                    "5, falling with N" if k == "Dmadd" else "higher than Dmadd",
                    ", ".join(str(of[k, n]) for n in NS))


def fig_127(kit):
    """Figs. 127 and 128: instructions a joule over active SMs, GTX 580"""
    values, new, old = fermi(), [], []
    rows = []
    for n in NS[:4]:
        path = kit.table(("sms", *KINDS), [
            (c, *(1e3 * values[k, n, c][1] for k in KINDS)) for c in CORES],
            name=f"fig_127_{n}")
        kit.plot(path, f"Instructions a joule over active SMs, N = {n}",
                 "active SMs", "million warp instructions a joule",
                 [(i + 2, k) for i, k in enumerate(KINDS)], name=f"fig_127_{n}")
        for k in KINDS:
            best = max(values[k, n, c][1] for c in CORES)
            t = chapter_5(FERMI, KIND=KINDS.index(k), N=n, ROUNDS=2)
            wanted = min(16.0, t["Cores_suggested"])
            # The nearest number of SMs that was run.
            near = min(CORES, key=lambda c: abs(c - wanted))
            rows.append((k, n, next(c for c in CORES
                                    if values[k, n, c][1] == best), wanted,
                         100 * values[k, n, near][1] / best,
                         100 * values[k, n, 16][1] / best))
            new.append(rows[-1][4])
            old.append(rows[-1][5])
    kit.table(("kernel", "n", "best_sms", "suggested", "efficiency_percent",
               "efficiency_of_all_percent"), rows)
    for n, published in ((24, 13), (32, 10)):
        for k in ("Dmadd", "Dotp"):
            row = next(r for r in rows if r[:2] == (k, n))
            kit.compare(f"{k}, N = {n}: SMs that the model suggests (best here: "
                        f"{row[2]})", published, row[3])
    kit.compare("efficiency with the model's SMs, mean, %", 94.76,
                sum(new) / len(new))
    kit.compare("with all SMs, as the previous model suggests, mean, %", 90.09,
                sum(old) / len(old))
    kit.compare("worst with the model's SMs, N = 32, %", 89.91,
                min(r[4] for r in rows if r[1] == 32))
    kit.compare("worst with all SMs, N = 32, %", 79.5,
                min(r[5] for r in rows if r[1] == 32))


def suggestions(kit):
    """5.5: Eqs. (83) to (92) with the MWP_BW of 37 that 13, 10 and 18 need"""
    rows = []
    # Table 14 and 128 bytes a warp give 21.35; the text prints no other inputs.
    bandwidth = 37 * 1.544 * 128 * 16 / 450
    for n, cores in ((24, 13), (32, 10)):
        t = result("model", "-m", "throughput", "--set",
                   f"clock_ghz=1.544,active_cores=16,fp_units=32,fma=1,n={n}",
                   "--set", "fp=1,int_insts=1,mem=2,mstr=2,dep=1,inst_latency=1",
                   "--set", f"dram_lat=450,mem_bw_gbs={bandwidth},"
                   "bytes_per_warp=128,departure_delay=1,warps_per_core=32"
                   )["models"][0]["terms"]
        rows += [(f"N = {n}: SMs, rounded up", cores,
                  math.ceil(t["Cores_suggested"]))]
    rows += [("all 16 SMs: N", 18, t["N_suggested_exact"])]
    kit.table(("what", "published", "here"), rows)
    for row in rows:
        kit.compare(*row)


SIDES = (1, 2, 4, 8, 16, 32)


@functools.cache
def matmul():
    """{(tiled, side): (terms, Gflop/s simulated)}"""
    def of(tiled, side):
        p = {"TILED": tiled, "SIDE": side, "BLOCKS": 32 if side == 32 else 256,
             "K": 64}
        r = result("run", MATMUL, "-g", "gtx580", *(
            part for name, value in p.items() for part in ("-p", f"{name}={value}")))
        flops = 2 * side * side * p["BLOCKS"] * p["K"]
        return chapter_5(MATMUL, **p), flops / r["time_us"] / 1e3

    points = [(t, s) for t in (0, 1) for s in SIDES]
    return dict(zip(points, side_by_side(of, points)))


def fig_131(kit):
    """Figs. 131 to 139: naive and tiled matrix products over the block, GTX 580"""
    of, gaps = matmul(), {}
    for tiled, name in ((0, "naive"), (1, "tiled")):
        rows = [(s * s, of[tiled, s][1],
                 *(of[tiled, s][0][t] for t in (
                     "Perf_L1", "Perf_High_DRAM", "Perf_DRAM", "MWP_App", "MWP_BW",
                     "Category"))) for s in SIDES]
        path = kit.table(("threads", "simulated_gflops", "l1", "high_dram", "dram",
                          "mwp_app", "mwp_bw", "category"), rows,
                         name=f"fig_131_{name}")
        kit.plot(path, f"Matrix product, {name}, GTX 580", "threads of a block",
                 "Gflop/s", [(2, "simulated"), (3, "all hit L1"),
                             (4, "most miss"), (5, "all miss")],
                 name=f"fig_131_{name}",
                 extra="set logscale x 2\nset logscale y\nset yrange [*:*]\n")
        gaps[name] = [row[2] / row[4] for row in rows]
        inside = sum(row[4] <= row[1] <= row[2] for row in rows)
        kit.compare(f"{name}: simulated between all hit and all miss, of "
                    f"{len(rows)}", "measured: within", f"{inside}")
        kit.compare(f"{name}: all hit over all miss, 16 to 1024 threads",
                    "preserved" if tiled == 0 else "thinning",
                    ", ".join(f"{g:.2f}" for g in gaps[name][2:]))
        kit.compare(f"{name}: categories with DRAM accesses, 1 to 1024 threads",
                    "5, then fewer" if tiled == 0 else "improve with the block",
                    ", ".join(f"{row[7]:.0f}" for row in rows))


def table_13(kit):
    """Table 13: SMs suggested for matrix products where all accesses miss"""
    of, rows = matmul(), []
    # The first row but one is printed as NMat_32, the others twice as NMat_4,
    # NMat_32: read here as naive 4, 32 and tiled 4, 16, 32.
    for what, tiled, side, published in (
            ("naive, 4 x 4", 0, 4, 16), ("naive, 32 x 32", 0, 32, 4),
            ("tiled, 4 x 4", 1, 4, 16), ("tiled, 16 x 16", 1, 16, 10),
            ("tiled, 32 x 32", 1, 32, 12)):
        here = min(16.0, of[tiled, side][0]["Cores_suggested"])
        rows.append((what, published, here))
        kit.compare(what, published, here)
    kit.table(("product", "published", "here"), rows)


def fig_77(kit):
    """Figs. 77 and 78: instructions a second and power, GTX 580"""
    rows = []
    kernels = [("ffma_loop", ()), ("throughput", ("-p", "OP=6")),
               ("throughput", ("-p", "OP=12")), ("stream", ()), ("mix", ()),
               ("matmul_fermi", ("-p", "TILED=1")), ("matmul_fermi", ()),
               ("vectoradd", ())]
    for k in KINDS:
        kernels.append(("hong_fermi", ("-p", f"KIND={KINDS.index(k)}")))

    def of(name, given):
        r = result("power", f"tests/kernels/micro/{name}.sketch", "-g", "gtx580",
                   "--sweep", "off", *given)
        return (" ".join((name, *given[1::2])), r["power"]["warp_gips"],
                r["power"]["runtime_watts"])

    rows = side_by_side(of, kernels)
    most = [max(row[i] for row in rows) for i in (1, 2)]
    rows = [(n, g, w, g / most[0], w / most[1]) for n, g, w in rows]
    path = kit.table(("kernel", "gips", "runtime_watts", "gips_of_most",
                      "watts_of_most"), rows)
    kit.plot(path, "Instructions a second and power, of the most, GTX 580", "",
             "share of the most", [(4, "GIPS"), (5, "run-time watts")],
             style="histograms",
             extra="set style fill solid\nset xtics rotate by -60\n")
    x, y = ([row[i] for row in rows] for i in (1, 2))
    means = sum(x) / len(x), sum(y) / len(y)
    shared = sum((a - means[0]) * (b - means[1]) for a, b in zip(x, y))
    spread = (sum((a - means[0])**2 for a in x) *
              sum((b - means[1])**2 for b in y))**0.5
    kit.compare(f"correlation of {len(rows)} kernels (small ones of this project)",
                "very high", f"{shared / spread:.2f}")


def by_hand(device, **inputs):
    """The terms of the throughput model for a device of Table 14."""
    return result("model", "--device", device, "--set", ",".join(
        f"{key}={value}" for key, value in inputs.items()))["models"][0]["terms"]


def fig_141(kit):
    """Figs. 141 to 143: computation and memory on a CPU, 12 Nehalem cores"""
    rows = []
    for i, name in enumerate("ABCDEFGH"):
        kind = "fp" if i < 4 else "fp_fused"  # no fused multiply-add: two of them
        t = by_hand("e5645x2", **{kind: 40}, mem=1, dep=i % 4 + 1,
                    warps_per_core=1)
        rows.append((f"MB_{name}", i % 4 + 1, t["Perf_comp"], t["MWP"],
                     t["EffRatio_comp"], t["EffRatio"]))
    path = kit.table(("benchmark", "distance", "gflops", "mwp",
                      "ratio_computation", "ratio_with_memory"), rows)
    kit.plot(path, "Computation over the distance of dependences, 12 cores", "",
             "Gflop/s", [(3, "model")], style="histograms",
             extra="set style fill solid\n")
    kit.plot(path, "Useful share of the peak, 12 cores", "", "share",
             [(5, "computation only"), (6, "with memory")], style="histograms",
             name="fig_143", extra="set style fill solid\n")
    for what, first in (("A to D", 0), ("E to H", 4)):
        kit.compare(f"MB_{what}: distance 2, 3, 4 over distance 1", "2, 3, 4 times",
                    ", ".join(f"{row[2] / rows[first][2]:.2f}"
                              for row in rows[first + 1:first + 4]) + " times")
    kit.compare("MB_E to MB_H over MB_A to MB_D", "does not double", ", ".join(
        f"{rows[i + 4][2] / rows[i][2]:.2f}" for i in range(4)) + " times")
    kit.compare("MWP", "1", f"{max(row[3] for row in rows):.0f}")
    kit.compare("ratio with memory over that of computation, MB_D", "significant",
                f"{rows[3][5] / rows[3][4]:.2f}")


def mixture(kit):
    """Figs. 104 to 113: mixtures of computation, GTX 580, N = 48"""
    rows = []
    for other in (0, 2):
        for i, name in enumerate("ABCDEFGH"):
            # Counts are not printed: so many that MWP_App is slightly above
            # MWP_BW, as the text has it; other instructions a tenth of them.
            kind = "fp" if i < 4 else "fp_fused"
            t = by_hand("gtx580", **{kind: 18}, mem=1, int_insts=other,
                        dep=i % 4 + 1, dep_hidden=1, n=48, warps_per_core=48)
            rows.append((f"MB_{name}{other}", t["Perf_comp"], t["Perf"],
                         t["EffRatio_comp"], t["EffRatio"], t["MWP_App"],
                         t["MWP_BW"], t["MWP"], t["IdleRatio"], t["PeakAchi"]))
    path = kit.table(("benchmark", "gflops_computation", "gflops", "ratio_computation",
                      "ratio", "mwp_app", "mwp_bw", "mwp", "idle_of_serial",
                      "gflops_peak_achievable"), rows)
    for name, title, unit, columns in (
            ("fig_109", "Figs. 105, 109: computation only", "Gflop/s",
             ((2, "computation only"),)),
            ("fig_110", "Figs. 104, 110: what limits MWP", "warps",
             ((6, "MWP_App"), (7, "MWP_BW"), (8, "MWP"))),
            ("fig_111", "Figs. 107, 111: share of the peak", "share",
             ((4, "computation only"), (5, "with memory"))),
            ("fig_112", "Figs. 106, 108, 112: levels of performance", "Gflop/s",
             ((3, "with memory"), (2, "computation only"), (10, "achievable"))),
            ("fig_113", "Fig. 113: idle over serialized memory cycles", "",
             ((9, "idle over serial"),))):
        kit.plot(path, f"{title}, GTX 580", "", unit, columns, style="histograms",
                 name=name, extra="set style fill solid\n"
                 "set xtics rotate by -60\n")
    of = {row[0]: row[1:] for row in rows}
    kit.compare("MB_E0 to MB_H0 over MB_A0 to MB_D0: computation only", "doubled",
                f"{of['MB_E0'][0] / of['MB_A0'][0]:.2f} times")
    kit.compare("what limits MWP", "MWP_BW, by not that much",
                f"MWP_BW {of['MB_A0'][5]:.1f}, MWP_App {of['MB_A0'][4]:.1f}")
    kit.compare("other instructions: computation only", "lower",
                f"{of['MB_A2'][0] / of['MB_A0'][0]:.2f} times")
    kit.compare("other instructions: MWP", "not changed",
                "not changed" if of["MB_A2"][6] == of["MB_A0"][6] else
                f"{of['MB_A2'][6]:.1f} instead of {of['MB_A0'][6]:.1f}")
    kit.compare("shares of the peak, 0 over 2: computation only, with memory",
                "higher, similar",
                f"{of['MB_A0'][2] / of['MB_A2'][2]:.2f}, "
                f"{of['MB_A0'][3] / of['MB_A2'][3]:.2f} times")
    kit.compare("idle over serialized memory cycles", "very small",
                f"{of['MB_A0'][7]:.3f}")


def chain(kit):
    """5.9: throughput of CPU and GPU from one count, then the split"""
    rows = []
    for k in KINDS:
        gpu = chapter_5(FERMI, KIND=KINDS.index(k), ROUNDS=8)
        # Table 14's two E5645, a thread a core: the counts of a warp's lane.
        cpu = by_hand("e5645x2", bytes_per_warp=4, warps_per_core=1, **{
            key: gpu[key] for key in ("fp", "fp_fused", "int_insts", "br_misc",
                                      "mem", "mstr", "dep")})
        split = result("power", "--split", f"perf_cpu_gflops={cpu['Perf']}",
                       "--split", f"perf_gpu_gflops={gpu['Perf']}", "--split",
                       "work_gflop=100")["split"]
        rows.append((k, cpu["Perf"], gpu["Perf"], 100 * (1 - split["cpu_share"])))
    path = kit.table(("kernel", "cpu_gflops", "gpu_gflops", "gpu_percent"), rows)
    kit.plot(path, "Share of the GPU, predicted, all accesses to DRAM", "",
             "percent", [(4, "GTX 580 beside two E5645")], style="histograms",
             extra="set style fill solid\n")
    kit.compare("share of the GPU, least to most of five kernels (text: of its "
                "own, by its model)", "77.49 to 96.42 %",
                f"{min(r[3] for r in rows):.1f} to {max(r[3] for r in rows):.1f} %")


def table_16(kit):
    """Table 16, Fig. 152: speed-up and energy efficiency of sixteen series"""
    # Slow and fast, low and high: the text gives no numbers; these are assumed.
    slow, fast, low, high = 4, 1, 1, 4
    rows, series = [], []
    for number in range(16):
        # Series 9 to 16 are printed as 1 to 8 are; their CPU is read as fast.
        cpu = slow if number < 8 else fast
        gpu = slow if number % 8 < 4 else fast
        power = [high if number >> bit & 1 else low for bit in (1, 0)]
        points = list(csv.DictReader(teg(
            "power", "--efficiency", "c_o=12,zeta_o=1,f_o=1,b_o=10,"
            f"phi_o={cpu},lambda_o={power[0]}", "--efficiency",
            f"c_c=12,zeta_c=1,f_c=1,phi_c={cpu},lambda_c={power[0]}",
            "--efficiency",
            f"c_g=16,zeta_g=2,f_g=1,phi_g={gpu},lambda_g={power[1]}",
            "-f", "csv").splitlines()))
        series.append(points)
        rows += [(number + 1, p["gpu_share"], p["speedup_s"],
                  p["energy_efficiency_e"]) for p in points]
    kit.table(("series", "gpu_share", "speedup", "efficiency"), rows)
    kit.table(("share", *(f"{w} {i + 1}" for i in range(16)
                                 for w in ("S", "E"))), [
        (series[0][j]["gpu_share"], *(float(s[j][key]) for s in series
                                      for key in ("speedup_s",
                                                  "energy_efficiency_e")))
        for j in range(11)], name="table_16_series")
    with open(os.path.join(kit.folder, "table_16.gp"), "w", encoding="utf-8") as f:
        f.write("set terminal svg size 720,520 dynamic background '#ffffff'\n"
                "set output 'table_16.svg'\nset datafile separator ','\n"
                "set logscale xy 2\nset grid\nset key outside\n"
                "set xlabel 'speed-up over the CPU alone'\n"
                "set ylabel 'energy efficiency'\nplot " + ", ".join(
                    f"'table_16_series.csv' skip 1 using {2 * i + 2}:{2 * i + 3} "
                    f"with linespoints title 'series {i + 1}'"
                    for i in range(16)) + "\n")
    kit.draw("table_16")
    best = [max(float(p["speedup_s"]) for p in s) for s in series]
    kit.compare("GPU fast, CPU slow: speed-up with the best share, least of four",
                "as much as possible to the GPU", f"{min(best[4:8]):.1f} times")


def table_6(kit):
    """Table 6: how many instructions long operations are worth"""
    rows = []
    for what, key, published in (
            ("division of floats", "fdiv", 4.2), ("multiplication of integers",
                                                  "imul", 4.3),
            ("division of integers", "idiv", 30), ("remainder", "imod", 35)):
        t = result("model", "-g", "gtx280", "-m", "mwp-cwp", "--set",
                   f"comp_insts=100,coal_mem_insts=0,{key}_insts=100,"
                   "threads_per_block=256,blocks=60,active_blocks_per_sm=4,"
                   "active_sms=30")["models"][0]["terms"]
        rows.append((what, published, t["Comp_cycles"] / 400))
        kit.compare(*rows[-1])
    kit.table(("operation", "published", "here"), rows)


STRESS = "tests/kernels/micro/hong_stress.sketch"


def fig_59(kit):
    """Figs. 59 to 64: stress of caches and DRAM, GTX 580"""
    kinds = [(name, cached, far) for cached, name in ((1, "EL1"), (0, "DL1"))
             for far in (0, 1)]
    ratios = (2, 4, 16)  # FP instructions to a load

    def of(cached, far, fp):
        r = result("power", STRESS, "-g", "gtx580", "--sweep", "off", "-p",
                   f"CACHED={cached}", "-p", f"FAR={far}", "-p", f"FP={fp}")
        rates = {c["name"]: c["rate"] or 0.0 for c in r["components"]}
        return {"watts": r["power"]["gpu_watts"],
                **{u: rates.get(u, 0.0) for u in ("fp", "l1", "l2", "gmem")}}

    points = [(c, f, fp) for _, c, f in kinds for fp in ratios]
    values = dict(zip(points, side_by_side(of, points)))
    columns = ("watts", "fp", "l1", "l2", "gmem")
    path = kit.table(("benchmark", *columns), [
        (f"FP{fp}_{name}_{'D' if far else 'S'}",
         *(values[cached, far, fp][c] for c in columns))
        for name, cached, far in kinds for fp in ratios])
    kit.plot(path, "Power of stress benchmarks, GTX 580", "", "W",
             [(2, "with idle")], style="histograms",
             extra="set style fill solid\nset xtics rotate by -60\n")
    kit.plot(path, "Access rates of stress benchmarks, GTX 580", "",
             "accesses a warp instruction's time", [(i + 3, c) for i, c in
                                                    enumerate(columns[1:])],
             style="histograms", name="fig_59_rates",
             extra="set style fill solid\nset xtics rotate by -60\n")
    kit.compare("DL1: rate of L1", "zero", "zero" if not any(
        values[0, f, fp]["l1"] for f in (0, 1) for fp in ratios) else "above")
    kit.compare("EL1, the same location: L1 over L2 and DRAM together, least",
                "L1 mostly stressed", "{:.0f} times".format(min(
                    v["l1"] / (v["l2"] + v["gmem"]) for v in (
                        values[1, 0, fp] for fp in ratios))))
    kit.compare("EL1, different locations: rates of L1, L2, DRAM, 4 FP",
                "all stressed", ", ".join(
                    f"{values[1, 1, 4][u]:.3f}" for u in ("l1", "l2", "gmem")))


def fig_45(kit):
    """Fig. 45: temperature of INT and SVM over time, GTX 280"""
    kernels = {"INT": (GT200 + "throughput.sketch", "ROW=0", "WARPS=16",
                       "BLOCKS=30"),
               "SVM": (MERGE, "BENCH=2", "PART=9", "BLOCKS=240")}
    seconds = (0, 30, 60, 120, 180, 240, 300, 420, 600)

    def of(name, after):
        kernel, *given = kernels[name]
        return result("power", kernel, "-g", "gtx280", "--sweep", "off",
                      "--after", after, *(part for p in given
                                          for part in ("-p", p)))

    points = [(k, s) for s in seconds for k in kernels]
    values = dict(zip(points, side_by_side(of, points)))
    path = kit.table(("seconds", *kernels), [
        (s, *(values[k, s]["temperature"]["celsius"] for k in kernels))
        for s in seconds])
    kit.plot(path, "Temperature over time, GTX 280", "s", "degrees Celsius",
             [(i + 2, k) for i, k in enumerate(kernels)],
             extra="set yrange [50:*]\n")
    for k, celsius, watts in (("INT", 68, 5), ("SVM", 78, 10)):
        r = values[k, 600]
        kit.compare(f"{k}: degrees after 600 s", celsius,
                    r["temperature"]["celsius"])
        kit.compare(f"{k}: watts more by then", watts,
                    r["temperature"]["gpu_watts"] - r["power"]["gpu_watts"])


TABLE_12 = (  # SMs, average W, TPCs (estimated)
    ("0-7-1-8", 253.68, 2), ("4-11-6-13", 253.77, 2), ("2-9-5-12", 254.44, 2),
    ("4-11-0-1", 256.36, 3), ("3-10-5-6", 257.23, 3), ("6-7-8-9", 261.04, 4),
    ("10-11-12-13", 261.66, 4), ("2-3-4-5", 261.77, 4), ("0-1-2-3", 262.53, 4))


def table_12(kit):
    """Table 12: four SMs of an 8800 GT by the TPCs they open"""
    here = {p["sms"]: p["tpcs"] for p in result(
        "power", "-g", "8800gt", "--placement",
        ",".join(row[0] for row in reversed(TABLE_12)))["placements"]}
    kit.table(("sms", "watts_measured", "tpcs_published", "tpcs"),
              [(*row, here[row[0]]) for row in TABLE_12])
    for sms, _, tpcs in TABLE_12:
        kit.compare(f"{sms}: TPCs", tpcs, here[sms])
    watts = {sms: w for sms, w, _ in TABLE_12}
    order = list(here)
    good = sum(watts[a] < watts[b] for i, a in enumerate(order)
               for b in order[i + 1:] if here[a] != here[b])
    pairs = sum(here[a] != here[b] for i, a in enumerate(order)
                for b in order[i + 1:])
    kit.compare("pairs of sets that differ in TPCs: fewer drew less", "all",
                "all" if good == pairs else f"{good} of {pairs}")


MERGE = GT200 + "merge.sketch"
BENCHES = ("Sepia", "Linear", "SVM", "Mat. (naive)", "Mat. (tiled)", "Blackscholes")
PARTS = (1, 1, 9, 40, 10, 1)  # of the long ones, as isca.py


@functools.cache
def merge_power():
    """Power of the Merge benchmarks by their counts, 256 threads, GTX 280."""
    def of(b):
        return result("power", MERGE, "-g", "gtx280", "--sweep", "off", "-p",
                      f"BENCH={b}", "-p", f"PART={PARTS[b]}", "-p", "BLOCKS=240")

    return side_by_side(of, [(b,) for b in range(len(BENCHES))])


def fig_36(kit):
    """Figs. 36, 63 and 70: power by component, Merge benchmarks, GTX 280"""
    rows = merge_power()
    units = [c["name"] for c in rows[0]["components"]]
    parts = {u: [next(c["watts"] or 0.0 for c in r["components"]
                      if c["name"] == u) for r in rows] for u in units}
    shown = [u for u in units if max(parts[u]) > 0]
    constant = [r["power"]["runtime_watts"] - sum(parts[u][i] for u in units)
                for i, r in enumerate(rows)]
    path = kit.table(("benchmark", "idle", "constant", *shown), [
        (name, rows[i]["power"]["idle_watts"], constant[i],
         *(parts[u][i] for u in shown)) for i, name in enumerate(BENCHES)])
    kit.plot(path, "Power by component, Merge benchmarks, GTX 280", "", "W",
             [(j + 2, what) for j, what in enumerate(("idle", "constant",
                                                      *shown))],
             style="histograms", extra="set style fill solid\n"
             "set style histogram rowstacked\nset boxwidth 0.7\n")
    largest = {max(shown, key=lambda u: parts[u][i]) for i in range(len(BENCHES))}
    kit.compare("component that consumes most, of six benchmarks",
                "global memory", ", ".join(sorted(largest)))


def fig_52(kit):
    """Fig. 52: instructions a joule of the Merge benchmarks, 30 SMs"""
    rows = [(name, 1e3 * r["power"]["gips_per_watt"])
            for name, r in zip(BENCHES, merge_power())]
    path = kit.table(("benchmark", "mips_per_watt"), rows)
    kit.plot(path, "Instructions a joule, GTX 280", "",
             "million warp instructions a joule", [(2, "30 SMs")],
             style="histograms", extra="set style fill solid\n")
    limited = [1e3 * sweep(0)[k][SMS.index(30)]["gips_per_watt"]
               for k in BANDWIDTH_LIMITED]
    kit.compare("SVM over the mean of the bandwidth-limited kernels of Fig. 48",
                "much higher", f"{dict(rows)['SVM'] * len(limited) / sum(limited):.1f} times")


def fig_41(kit):
    """Fig. 41: power of micro-benchmarks by their loads, GTX 280"""
    def watts(mb, uncoal):
        r = result("power", GT200 + "mb.sketch", "-g", "gtx280", "--sweep", "off",
                   "-p", f"MB={mb}", "-p", f"UNCOAL={uncoal}", "-p", "BLOCKS=120")
        return r["power"]["gpu_watts"], r["power"]["runtime_watts"]

    kinds = [(mb, u) for u in (0, 1) for mb in range(1, 8) if mb > 1 or not u]
    values = dict(zip(kinds, side_by_side(watts, kinds)))
    path = kit.table(("benchmark", "watts", "runtime_watts"), [
        (f"Mb{mb}_{'UC' if u else 'C'}", *values[mb, u]) for mb, u in kinds])
    kit.plot(path, "Power of Mb1 to Mb7, GTX 280", "", "W",
             [(2, "with idle"), (3, "run-time")], style="histograms",
             extra="set style fill solid\n")
    for mb in (4, 7):
        kit.compare(f"Mb{mb}_C over Mb1, arithmetic only: run-time power (text: of "
                    "MB4, MB8 and MEM over FP, whose code is not printed)",
                    "much greater",
                    f"{values[mb, 0][1] / values[1, 0][1]:.2f} times")


def fig_21(kit):
    """Figs. 21 and 22: MWP over warps, whose GPU is not named: 8800 GT"""
    terms = ("MWP_Without_BW", "MWP_peak_BW", "MWP", "CWP")
    for what, uncoal, published in (("coalesced", 0, 9), ("uncoalesced", 1, 5)):
        rows = []
        for n in range(1, 25):
            t = result("model", GT200 + "mb.sketch", "-g", "8800gt", "-m",
                       "mwp-cwp", "-p", "MB=2", "-p", f"UNCOAL={uncoal}", "-p",
                       "N=2", "--set", f"active_blocks_per_sm={n}", "-p",
                       "THREADS=32", "-p", f"BLOCKS={14 * n}"
                       )["models"][0]["terms"]
            rows.append((n, *(t[x] for x in terms)))
        path = kit.table(("n", *terms), rows, name=f"fig_21_{what}")
        kit.plot(path, f"MWP over warps of an SM, {what}, 8800 GT", "N", "warps",
                 [(i + 2, x) for i, x in enumerate(terms)], name=f"fig_21_{what}",
                 extra="set yrange [0:26]\n")
        kit.compare(f"{what}: most of MWP", published,
                    max(row[3] for row in rows))


FIGURES = (table_6, fig_21, fig_36, fig_41, fig_52, fig_48, fig_48_dependent, fig_49, fig_50, fig_53, table_11, fig_147,
           limits, fig_119, fig_120, fig_125, fig_127, fig_131, suggestions, table_13,
           fig_77, mixture, fig_141, chain, table_16, fig_45, fig_59, table_12)
