"""S. Hong and H. Kim, ISCA 2009: MWP and CWP"""

import functools
import math

from kit import GT200, cycles, description, result, side_by_side

MERGE, MICRO = GT200 + "merge.sketch", GT200 + "mb.sketch"
GPUS = ("8800gtx", "fx5600", "8800gt", "gtx280")
BENCHES = ("Sepia", "Linear", "SVM", "Mat. (naive)", "Mat. (tiled)", "Blackscholes")
# Threads of the whole input: a thread a pixel, an element, an option.
WORK = (7000**2, 10000**2, 736 * 992, 2000**2, 2000**2, 9000000)
PART = (1, 1, 9, 40, 10, 1)  # of the long ones, where CPI is all that matters
THREADS = (4, 16, 32, 64, 100, 128, 192, 256, 320, 384, 448, 512)


def model(kernel, gpu, **parameters):
    """The terms of mwp-cwp with the paper's equations."""
    given = [part for name, value in parameters.items()
             for part in ("-p", f"{name}={value}")]
    r = result("model", kernel, "-g", gpu, "-m", "mwp-cwp", "--eqset", "isca",
               *given)
    return {**r["models"][0]["terms"], "block": math.prod(r["kernel"]["block"])}


def simulated_cpi(kernel, gpu, **parameters):
    """Cycles an instruction of one SM, as Eq. (25) counts them."""
    given = [part for name, value in parameters.items()
             for part in ("-p", f"{name}={value}")]
    r = result("run", kernel, "-g", gpu, *given)
    return r["cycles"] * r["gpu"]["sms"] / r["kernel"]["warp_instructions"]


def geometric(errors):
    """The geometric mean of absolute errors in percent.  One below 0.01 counts
    as that: a single 0 would make all 0."""
    return math.exp(sum(math.log(max(e, 0.01)) for e in errors) / len(errors))


def off(models, simulated):
    return [100 * abs(m / s - 1) for m, s in zip(models, simulated)]


def compare_errors(kit, published, pairs):
    """The text's measured CPI is a picture: the simulated one stands in."""
    errors = off(*zip(*pairs))
    kit.compare("model's error of CPI beside hardware (text), beside the "
                "simulator (here), geometric mean (arithmetic), %", published,
                f"{geometric(errors):.1f} ({sum(errors) / len(errors):.1f})")


def table_2(kit):
    """Table 2: the worked example"""
    r = result("model", "--set",
               "clock_ghz=1,mem_bw_gbs=80,active_sms=16,mem_ld=420",
               "--set", "dep_del_uncoal=10,dep_del_coal=4",
               "--set", "threads_per_block=128,blocks=80",
               "--set", "active_blocks_per_sm=5,comp_insts=27",
               "--set", "uncoal_mem_insts=6,synch_insts=6",
               "--eqset", "isca")
    t = r["models"][0]["terms"]
    rows = [("Mem_L", 730, t["Mem_L"]),
            ("Departure_delay", 320, t["Departure_delay"]),
            ("MWP_Without_BW_full", 2.28, t["MWP_Without_BW_full"]),
            ("MWP_peak_BW", 28.57, t["MWP_peak_BW"]), ("MWP", 2.28, t["MWP"]),
            ("Comp_cycles", 132, t["Comp_cycles"]),
            ("Mem_cycles", 4380, t["Mem_cycles"]),
            ("CWP_full", 34.18, t["CWP_full"]), ("CWP", 20, t["CWP"]),
            ("Exec_cycles_app", 38450, t["Exec_cycles_app"]),
            ("Synch_cost", 12288, t["Synch_cost"]),
            ("final time", 50738, t["Exec_cycles_with_synch"])]
    kit.table(("term", "published", "here"), rows)
    for row in rows:
        kit.compare(*row, form="{:.5g}")


def table_3(kit):
    """Table 3: the four GPUs"""
    keys = (("SMs", "chip.sms", 1), ("clock, GHz", "chip.sm_clock_mhz", 1e-3),
            ("bandwidth, GB/s", "dram.bandwidth_gbs", 1))
    published = {"8800gtx": (16, 1.35, 86.4), "fx5600": (16, 1.35, 76.8),
                 "8800gt": (14, 1.5, 57.6), "gtx280": (30, 1.3, 141.7)}
    rows = []
    for gpu, values in published.items():
        for (what, key, unit), value in zip(keys, values):
            rows.append((f"{gpu}: {what}", value, description(gpu)[key] * unit))
            kit.compare(*rows[-1])
    kit.table(("what", "published", "here"), rows)


def table_6(kit):
    """Table 6: parameters of the memory"""
    keys = ("mem_ld", "departure_del_uncoal", "departure_del_coal")
    rows = []
    for gpu, values in (("fx5600", (420, 10, 4)), ("gtx280", (450, 40, 4))):
        for key, value in zip(keys, values):
            rows.append((f"{gpu}: {key}", value,
                         description(gpu)[f"mwp_cwp.{key}"]))
            kit.compare(*rows[-1])
    kit.table(("what", "published", "here"), rows)


def table_4(kit):
    """Table 4: instructions of the micro-benchmarks"""
    rows = []
    for mb, memory, comp in ((1, 0, 23), (2, 1, 17), (3, 1, 29), (4, 2, 27),
                             (5, 2, 35), (6, 4, 47), (7, 6, 59)):
        t = model(MICRO, "fx5600", MB=mb, N=1)
        rows += [(f"Mb{mb}: computation", comp, t["comp_insts"]),
                 (f"Mb{mb}: memory", memory, t["coal_mem_insts"])]
    kit.table(("what", "published", "here"), rows)
    for row in rows:
        kit.compare(*row)


def table_5(kit):
    """Table 5: instructions of the Merge benchmarks"""
    rows = []
    for b, (comp, memory) in enumerate(((71, 6), (111, 30), (10871, 819),
                                        (12043, 4001), (None, None), (137, 7))):
        if comp is None:
            continue
        t = model(MERGE, "fx5600", BENCH=b, BLOCKS=16)
        rows += [(f"{BENCHES[b]}: computation", comp, t["comp_insts"]),
                 (f"{BENCHES[b]}: memory", memory,
                  t["coal_mem_insts"] + t["uncoal_mem_insts"])]
    for side, threads, comp, memory in (("4 x 4", 16, 24580, 1001),
                                        ("20 x 20", 400, 9780, 201)):
        t = model(MERGE, "fx5600", BENCH=4, BLOCKS=16, THREADS=threads)
        rows += [(f"Mat. (tiled), {side}: computation", comp, t["comp_insts"]),
                 (f"Mat. (tiled), {side}: memory", memory,
                  t["uncoal_mem_insts"])]
    kit.table(("what", "published", "here"), rows)
    for row in rows:
        kit.compare(*row, form="{:.5g}")


def fig_3(kit):
    """Figs. 3 and 4: SVM, Constant+Optimized beside its uncoalesced self, FX5600"""
    threads = (16, 32, 64, 128, 256)
    points = [(t, n) for t in threads for n in (0, 1)]

    def of(t, naive):
        # Three blocks an SM twice, as fixed as the text's number of blocks.
        r = result("run", MERGE, "-g", "fx5600", "-p", "BENCH=2", "-p", "PART=9",
                   "-p", "BLOCKS=96", "-p", f"THREADS={t}", "-p",
                   f"UNCOALESCED={naive}")
        return r["cycles"], r["occupancy"]["warps_per_sm"]

    values = dict(zip(points, side_by_side(of, points)))
    path = kit.table(("threads", "coalesced", "uncoalesced", "warps_per_sm"),
                     [(t, values[t, 0][0], values[t, 1][0], values[t, 0][1])
                      for t in threads])
    kit.plot(path, "SVM by the counts of Table 5, FX5600", "threads a block",
             "cycles", [(2, "coalesced"), (3, "uncoalesced")],
             extra="set logscale x 2\nset logscale y\nset yrange [*:*]\n")
    above = [t for t in threads if t > 64]  # where it hardly varies
    kit.compare("coalescing alone (text: 24.36 over 1.79 of Constant, whose counts "
                "are not printed), times", 24.36 / 1.79,
                sum(values[t, 1][0] / values[t, 0][0] for t in above) /
                len(above))
    late = [values[t, 1][0] / values[t, 0][0] for t in threads if t >= 64]
    kit.compare("gain above 64 threads, most over least",
                "does not vary significantly", f"{max(late) / min(late):.2f}")
    kit.compare("occupancy of the two", "the same below 64 threads",
                "the same" if all(values[t, 0][1] == values[t, 1][1]
                                  for t in threads) else "not")


def fig_14(kit):
    """Fig. 14: CPI of the micro-benchmarks"""
    kinds = [(mb, u) for u in (0, 1) for mb in range(1, 8) if mb > 1 or not u]
    points = [(mb, u, g) for mb, u in kinds for g in ("fx5600", "gtx280")]

    def both(mb, u, gpu):
        # As many blocks as SMs for each of the three that stay on one.
        p = {"MB": mb, "UNCOAL": u, "BLOCKS": 3 * int(description(gpu)["chip.sms"])}
        return model(MICRO, gpu, **p)["CPI"], simulated_cpi(MICRO, gpu, **p)

    values = dict(zip(points, side_by_side(both, points)))
    path = kit.table(("benchmark", *(f"{g} {what}" for g in ("fx5600", "gtx280")
                                     for what in ("model", "simulated"))),
                     [(f"Mb{mb}_{'UC' if u else 'C'}",
                       *values[mb, u, "fx5600"], *values[mb, u, "gtx280"])
                      for mb, u in kinds])
    kit.plot(path, "CPI of the micro-benchmarks", "", "cycles an instruction",
             [(2, "FX5600, model"), (3, "FX5600, simulated"),
              (4, "GTX280, model"), (5, "GTX280, simulated")],
             style="histograms",
             extra="set style fill solid\nset xtics rotate by -60\n")
    compare_errors(kit, "5.4", values.values())
    for gpu in ("fx5600", "gtx280"):
        coalesced = [values[mb, 0, gpu][0] for mb in range(1, 8)]
        rows = [values[mb, 1, gpu] for mb in (2, 4, 6, 7)]  # 1, 2, 4, 6 loads
        kit.compare(f"{gpu}: model's coalesced CPI, least to most", "hardly differs",
                    f"{min(coalesced):.2f} to {max(coalesced):.2f}")
        kit.compare(f"{gpu}: uncoalesced CPI of Mb2, 4, 6, 7, model (simulated)",
                    "rises with the loads", ", ".join(
                        f"{m:.0f} ({s:.0f})" for m, s in rows))


def over_threads(kit, gpu):
    """A table and picture of one GPU's times; both figures are pictures."""
    clock = description(gpu)["chip.sm_clock_mhz"] * 1e3  # cycles a ms
    points = [(b, t) for t in THREADS for b in range(len(BENCHES))]

    def milliseconds(b, threads):
        m = model(MERGE, gpu, BENCH=b, THREADS=threads, PART=1,
                  BLOCKS=8 * int(description(gpu)["chip.sms"]))
        rounds = WORK[b] / m["block"] / m["blocks"]
        return m["Exec_cycles_with_synch"] * rounds / clock

    times = dict(zip(points, side_by_side(milliseconds, points)))
    path = kit.table(("threads", *BENCHES), [
        (t, *(times[b, t] for b in range(len(BENCHES)))) for t in THREADS])
    kit.plot(path, f"Modelled time of the Merge benchmarks, {gpu}",
             "threads a block", "ms",
             [(i + 2, name) for i, name in enumerate(BENCHES)],
             extra="set logscale y\nset yrange [*:*]\n")
    flat = max(max(row) / min(row) for row in (
        [times[b, t] for t in THREADS if 128 <= t] for b in (0, 1, 2, 3, 5)))
    kit.compare("most over least time from 128 threads on, all but Mat. (tiled)",
                "mostly the same", f"{flat:.2f} times")
    tiled = [times[4, t] for t in (16, 64, 256)]
    kit.compare("Mat. (tiled), ms with 16, 64, 256 threads",
                "falls with the block", ", ".join(f"{t:.0f}" for t in tiled))


def fig_15(kit):
    """Fig. 15: time of the Merge benchmarks over the block, FX5600"""
    over_threads(kit, "fx5600")


def fig_16(kit):
    """Fig. 16: time of the Merge benchmarks over the block, GTX280"""
    over_threads(kit, "gtx280")


@functools.cache
def merge():
    """{(bench, gpu): (terms, simulated CPI)} with 256 threads a block."""
    points = [(b, g) for b in range(len(BENCHES)) for g in GPUS]

    def both(b, gpu):
        p = {"BENCH": b, "PART": PART[b],
             "BLOCKS": 6 * int(description(gpu)["chip.sms"])}
        return model(MERGE, gpu, **p), simulated_cpi(MERGE, gpu, **p)

    return dict(zip(points, side_by_side(both, points)))


def over_gpus(kit, term, what):
    """{gpu: [value of each benchmark]} of a term, with picture."""
    values = {g: [merge()[b, g][0][term] for b in range(len(BENCHES))]
              for g in GPUS}
    path = kit.table(("benchmark", *GPUS), [
        (name, *(values[g][i] for g in GPUS)) for i, name in enumerate(BENCHES)])
    kit.plot(path, f"{what} of the Merge benchmarks, 256 threads a block", "",
             what, [(i + 2, g) for i, g in enumerate(GPUS)],
             style="histograms", extra="set style fill solid\n")
    return values


def mean_of(values, bench):
    return sum(values[g][bench] for g in GPUS) / len(GPUS)


def extreme(values, which):
    """The name of the benchmark with the most or least, mean of the GPUs."""
    return BENCHES[which(range(len(BENCHES)), key=lambda b: mean_of(values, b))]


def fig_17(kit):
    """Fig. 17: CPI of the Merge benchmarks"""
    values = over_gpus(kit, "CPI", "CPI")
    means = {g: sum(v) / len(v) for g, v in values.items()}
    kit.compare("benchmark of the lowest CPI", "SVM", extreme(values, min))
    kit.compare("GPU of the highest CPI", "8800gt", max(means, key=means.get))
    kit.compare("GPU of the lowest CPI", "gtx280", min(means, key=means.get))
    pairs = [(terms["CPI"], cpi) for terms, cpi in merge().values()]
    kit.table(("benchmark", "gpu", "model", "simulated"),
              [(BENCHES[b], g, terms["CPI"], cpi)
               for (b, g), (terms, cpi) in merge().items()],
              name="fig_17_simulated")
    compare_errors(kit, "13.3", pairs)


def fig_18(kit):
    """Fig. 18: CWP of the Merge benchmarks"""
    values = over_gpus(kit, "CWP", "CWP")
    kit.compare("SVM's CWP over that of Mat. (tiled)", "higher",
                f"{mean_of(values, 2) / mean_of(values, 4):.2f} times")


def fig_19(kit):
    """Fig. 19: MWP of the Merge benchmarks"""
    values = over_gpus(kit, "MWP", "MWP")
    means = {g: sum(v) / len(v) for g, v in values.items()}
    kit.compare("benchmark of the highest MWP", "SVM", extreme(values, max))
    kit.compare("GPU of the highest MWP", "gtx280", max(means, key=means.get))


def fig_20(kit):
    """Figs. 4 and 20: occupancy of the Merge benchmarks"""
    def occupancy(b, gpu):
        r = result("run", MERGE, "-g", gpu, "-p", f"BENCH={b}", "-p",
                   f"PART={4000 if b == 3 else 200 if b in (2, 4) else 1}", "-p",
                   f"BLOCKS={8 * int(description(gpu)['chip.sms'])}")
        return (100 * r["occupancy"]["warps_per_sm"] /
                description(gpu)["sm.warps_max"])

    points = [(b, g) for b in range(len(BENCHES)) for g in GPUS]
    values = dict(zip(points, side_by_side(occupancy, points)))
    path = kit.table(("benchmark", *GPUS), [
        (name, *(values[b, g] for g in GPUS)) for b, name in enumerate(BENCHES)])
    kit.plot(path, "Occupancy of the Merge benchmarks, 256 threads a block", "",
             "percent", [(i + 2, g) for i, g in enumerate(GPUS)],
             style="histograms", extra="set style fill solid\n")
    below = [name for b, name in enumerate(BENCHES)
             if sum(values[b, g] for g in GPUS) / len(GPUS) <= 70]
    kit.compare("70 % or less, mean of the GPUs", "Linear, Mat. (tiled)",
                ", ".join(below))


FIGURES = (fig_3, table_2, table_3, table_4, table_5, table_6, fig_14, fig_15, fig_16,
           fig_17, fig_18, fig_19, fig_20)
