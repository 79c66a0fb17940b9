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


FIGURES = (table_3,)
