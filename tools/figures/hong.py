"""S. Hong, PhD thesis, Georgia Institute of Technology, 2012."""

import functools
import re

from kit import GT200, description, result, side_by_side

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


FIGURES = (fig_48, fig_48_dependent, fig_49, fig_50, fig_53, table_11, fig_147,
           limits)
