"""Y. Zhang et al. 2011: performance and power of an ATI HD 5870"""

from kit import result

KERNEL = "tests/kernels/micro/packing.sketch"
BASE = 4.0  # ALUs' worth; the text prints no watts


def packed(pack, op=0, t_ratio=3):
    """What a five-slot core makes of the micro-benchmark."""
    r = result("model", KERNEL, "--vliw", "-p", f"PACK={pack}", "-p",
               f"OP={op}", "--set",
               f"t_ratio={t_ratio},slot_watts=1,base_watts={BASE}")
    return r["kernels"][0]


def fig_9(kit):
    """Fig. 9: packing of one to five independent additions"""
    rows = [(n, 20 * n, packed(n)["packing_percent"]) for n in range(1, 6)]
    kit.table(("additions", "published_percent", "percent"), rows)
    for n, published, here in rows:
        kit.compare(f"{n} additions, %", published, here)


def fig_10(kit):
    """Fig. 10: power over packing, t three times an ALU"""
    watts = [packed(n)["watts"] - BASE for n in range(1, 6)]
    path = kit.table(("packing_percent", "alus_worth"),
                     [(20 * (i + 1), w) for i, w in enumerate(watts)])
    kit.plot(path, "Power over packing, in ALUs, base left out",
             "packing, percent", "ALUs' worth", [(2, "t counts 3")])
    steps = [b - a for a, b in zip(watts, watts[1:])]
    kit.compare("steps from 20 to 80 %, largest over least", "linear",
                f"{max(steps[:3]) / min(steps[:3]):.2f}")
    kit.compare("step to 100 % over those before (given: t_ratio)",
                "about twice more", f"{steps[3] / steps[2]:.2f} times")


def fig_11(kit):
    """Fig. 11: power by operation; here by construction a slot's, whatever is in it"""
    rows = [(what, packed(pack, op)["watts"]) for what, pack, op in (
        ("additions on x, y, z, w", 4, 0), ("multiplications on x, y, z, w", 4, 1),
        ("an addition on t", 5, 0), ("a multiplication on t", 5, 1),
        ("a conversion on t", 5, 2))]
    path = kit.table(("operation", "alus_worth"), rows)
    kit.plot(path, "Power by operation, in ALUs", "", "ALUs' worth",
             [(2, "base and slots")], style="histograms",
             extra="set style fill solid\nset xtics rotate by -30\n")
    kit.compare("multiplications over additions on x, y, z, w", "identical",
                f"{rows[1][1] / rows[0][1]:.2f}")
    kit.compare("multiplication and conversion over addition on t", "the same",
                f"{rows[3][1] / rows[2][1]:.2f}, {rows[4][1] / rows[2][1]:.2f}")


def fig_12(kit):
    """Fig. 12: the same work with and without t"""
    rows = []
    for pack in (5, 4):
        k = packed(pack, t_ratio=2)
        rows.append((f"{20 * pack} %", k["bundles"], k["watts"],
                     k["bundles"] * k["watts"]))
    kit.table(("packing", "bundles", "alus_worth", "energy"), rows)
    relative = kit.table(("what", "with t", "without t"), [
        (what, 1.0, rows[1][i] / rows[0][i])
        for i, what in ((1, "time"), (2, "power"), (3, "energy"))],
        name="fig_12_relative")
    kit.plot(relative, "The same work with and without t", "", "relative",
             [(2, "100 %"), (3, "80 %")], style="histograms",
             extra="set style fill solid\n")
    for i, what, published in ((1, "time", "longer"), (2, "power", "less"),
                               (3, "energy", "almost identical")):
        kit.compare(f"without t: {what}", published,
                    f"{100 * (rows[1][i] / rows[0][i] - 1):+.1f} %")


def machine(kit):
    """II.A: twenty SIMD engines of sixteen five-slot processors"""
    rows = []
    for pack in range(1, 6):
        k = packed(pack)
        rate = k["operations"] * 32 / (k["bundles_us"] * 850)
        rows.append((20 * pack, k["bundles_us"], rate))
    path = kit.table(("packing_percent", "us", "operations_a_cycle"), rows)
    kit.plot(path, "Operations a cycle over packing", "packing, percent",
             "thread operations a cycle", [(3, "20 x 16 processors")])
    kit.compare("operations a cycle, all slots filled (text: 20 x 16 x 5)", 1600,
                rows[-1][2])


FIGURES = (machine, fig_9, fig_10, fig_11, fig_12)
