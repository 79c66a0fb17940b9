"""L. Braun et al. 2020: portable prediction of time and power"""

from kit import GT200, description, result

# Table 3: single precision, Tflop/s; bandwidth, GB/s.
GPUS = {"k20": (3.5, 208), "gtx1650": (3, 128), "titanxp": (12, 547.7),
        "p100pcie": (9.3, 732), "v100": (14, 900)}


def teraflops(gpu):
    """The peak of the roofline."""
    r = result("model", GT200 + "fmad_stream.sketch", "-g", gpu, "-m", "roofline")
    return r["models"][0]["terms"]["P_peak"] / 1e3


def table_3(kit):
    """Table 3: the five GPUs"""
    rows = []
    for gpu, (peak, bandwidth) in GPUS.items():
        d = description(gpu)
        rows.append((gpu, peak, teraflops(gpu), bandwidth,
                     d["dram.bandwidth_gbs"]))
        kit.compare(f"{gpu}: Tflop/s", *rows[-1][1:3])
        kit.compare(f"{gpu}: GB/s", *rows[-1][3:])
    kit.table(("gpu", "published_tflops", "tflops", "published_gbs", "gbs"),
              rows)


# 6.1 and 8: median MAPE of time, percent.
MAPE = {"k20": 13.45, "gtx1650": 44.56, "titanxp": 15.59, "p100pcie": 13.27,
        "v100": 11.61}


def fig_9(kit):
    """Fig. 9, 6.1: errors of predicted times, the bundled forest

    The text's folds are of measured times of 189 kernels; the forest's samples
    are simulated, and each was left out once.
    """
    rows = []
    for gpu, published in MAPE.items():
        r = result("predict", "tests/kernels/sm70/compute.sketch", "-g", gpu)
        p = next(p for p in r["kernels"][0]["predictions"]
                 if p["target"] == "time")
        rows.append((gpu, published, p["sample_out_percent"],
                     p["kernel_out_percent"]))
        kit.compare(f"{gpu}: a sample left out, %", published,
                    p["sample_out_percent"])
        kit.compare(f"{gpu}: a whole kernel left out, %", "not reported",
                    f"{p['kernel_out_percent']:.1f}")
    path = kit.table(("gpu", "published_percent", "sample_out_percent",
                      "kernel_out_percent"), rows)
    kit.plot(path, "Mean error of predicted times", "", "percent",
             [(2, "published, folds"), (3, "a sample left out"),
              (4, "a kernel left out")], style="histograms",
             extra="set style fill solid\n")


FIGURES = (table_3, fig_9)
