#!/usr/bin/env python3
"""Makes the golden vectors of the analytical models anew.

    make_vectors.py [--check] [FILE]...     (all *-vectors.csv beside it)

A row's inputs were chosen and stand in the file; everything else in it comes
from here: the equations of the texts, written down a second time, without a
look at sim/models.  Numbers in parentheses are the texts' equations: [T] S.
Hong, PhD thesis, 2012, [I] Hong and Kim, ISCA 2009.  MWP-CWP is computed in
fractions, the others in doubles.  --check writes nothing: it ends with status 1
and names what differs.
"""

import argparse
import csv
import functools
import math
import os
import sys
from fractions import Fraction

HERE = os.path.dirname(os.path.abspath(__file__))


class Inputs:
    """A row, its cells as numbers of one kind."""

    def __init__(self, row, kind):
        self.row, self.kind = row, kind

    def __getattr__(self, name):
        return self.kind(self.row[name])


# ---- MWP-CWP: [T] chapter II, [I] ------------------------------------------


def memory_latencies(x):
    """(10) to (16): weights, latencies and departure delay."""
    coalesced = x.mem_ld + (x.dep_del_coal if x.row["eqset"] == "thesis" else 0)
    out = {"mem_l_uncoal": x.mem_ld + (x.uncoal_per_mw - 1) * x.dep_del_uncoal,
           "mem_l_coal": coalesced}
    memory = x.uncoal_mem_insts + x.coal_mem_insts
    if memory == 0:
        return out
    w = x.uncoal_mem_insts / memory
    out.update(weight_uncoal=w, weight_coal=1 - w)
    out["mem_l"] = out["mem_l_uncoal"] * w + coalesced * (1 - w)
    out["departure_delay"] = (x.dep_del_uncoal * x.uncoal_per_mw * w +
                              x.dep_del_coal * (1 - w))
    return out


def parallel_warps(x, out, n):
    """(5) to (7), (16), (17), with (28) and (29) for independent requests."""
    requests = x.uncoal_mem_insts + x.coal_mem_insts
    full = out["mem_l"] / out["departure_delay"]
    each = x.clock_ghz * x.load_bytes_per_warp / out["mem_l"]
    peak = x.mem_bw_gbs / (each * x.active_sms)
    mode = x.row["npw_mode"]
    npw = n
    if mode == "corrected":
        npw = n * requests / (requests - x.ind_mem_req)
    elif mode == "printed":
        npw = n * x.ind_mem_req / (requests - x.ind_mem_req)
    without = min(full, npw)
    mwp = min(full, peak, npw)
    limiter = ("N" if mode == "off" else "npw") if mwp == npw else (
        "peak_bw" if mwp == peak else "without_bw")
    out.update(mwp_without_bw_full=full, mwp_without_bw=without,
               bw_per_warp_gbs=each, mwp_peak_bw=peak, npw=npw, mwp=mwp,
               mwp_limiter=limiter)


def case_of(x, out, n):
    """The conditions of (21) to (23)."""
    if out["mwp"] >= n and out["cwp"] >= n:
        return 1
    if x.row["cond"] == "literal":
        if out["cwp"] >= out["mwp"] or out["comp_cycles"] > out["mem_cycles"]:
            return 2
        return 3
    if out["comp_cycles"] > out["mem_cycles"] or out["mwp"] > out["cwp"]:
        return 3
    return 2


def mwp_cwp(row):
    x = Inputs(row, Fraction)
    out = memory_latencies(x)
    per_block = Fraction(math.ceil(x.threads_per_block / 32))
    n = x.active_blocks_per_sm * per_block
    rep = x.blocks / (x.active_blocks_per_sm * x.active_sms)
    memory = x.uncoal_mem_insts + x.coal_mem_insts
    total = x.comp_insts + memory
    comp = x.issue_cycles * x.m_factor * total
    out.update(warps_per_block=per_block, N=n, rep=rep, total_insts=total,
               comp_cycles=comp)
    if memory == 0:
        out.update(npw=n, mwp_limiter="none", mem_cycles=0, cwp_full=1, cwp=1,
                   case=3, exec_cycles_app=comp * n * rep, synch_cost=0)
        finish(x, out, total)
        return out
    parallel_warps(x, out, n)
    mem = (out["mem_l_uncoal"] * x.uncoal_mem_insts +
           out["mem_l_coal"] * x.coal_mem_insts)
    out["mem_cycles"] = mem
    out["comp_p"] = period = comp / memory
    out["cwp_full"] = (mem + comp) / comp
    out["cwp"] = min(out["cwp_full"], n)
    mwp, more = out["mwp"], max(out["mwp"] - 1, 0)
    out["case"] = case = case_of(x, out, n)
    cycles = {1: mem * n / mwp + comp * n / mwp + period * more,
              2: mem * n / mwp + period * more,
              3: out["mem_l"] + comp * n}[case]
    out["exec_cycles_app"] = cycles * rep
    # (25) and (26): the warps of a block; [I] (26): all
    waiting = min(mwp, per_block) if row["eqset"] == "thesis" else mwp
    out["npwb"] = waiting
    out["synch_cost"] = (out["departure_delay"] * max(waiting - 1, 0) *
                         x.synch_insts * x.active_blocks_per_sm * rep)
    finish(x, out, total)
    return out


def finish(x, out, total):
    """(24) and (27), and the time."""
    out["exec_cycles_with_synch"] = out["exec_cycles_app"] + out["synch_cost"]
    insts = total * (x.threads_per_block / 32) * (x.blocks / x.active_sms)
    out["cpi_app"] = out["exec_cycles_app"] / insts
    out["cpi_with_synch"] = out["exec_cycles_with_synch"] / insts
    out["time_us_with_synch"] = (out["exec_cycles_with_synch"] /
                                 (x.clock_ghz * 1000))


# ---- power: [T] chapter III ------------------------------------------------

UNITS = ("FP", "REG", "ALU", "SFU", "INT", "FDS", "SHM", "TEX", "CONST", "GMEM",
         "LMEM", "L1", "L2")
BOARD = ("GMEM", "LMEM", "L2")
# Tables 8 and 11: watts; Table 8: those with the logarithmic access function
WATTS = {"GTX280": {"FP": 0.2, "REG": 0.3, "ALU": 0.2, "SFU": 0.5, "INT": 0.25,
                    "FDS": 0.5, "SHM": 1, "TEX": 0.9, "CONST": 0.4, "GMEM": 52,
                    "LMEM": 52},
         "GTX580": {"FP": 1.1, "INT": 1.1, "REG": 0.8, "FDS": 0.6, "SHM": 1.4,
                    "CONST": 1, "GMEM": 28, "L1": 1.6, "L2": 12, "SFU": 0.6,
                    "TEX": 0.9}}
LOGARITHMIC = {"GTX280": ("FP", "REG", "INT", "FDS", "TEX", "CONST", "GMEM",
                          "LMEM"), "GTX580": ()}
CONST_SM = {"GTX280": 0.813, "GTX580": 0}
IDLE = {"GTX280": 83, "GTX580": 27}
SMS = {"GTX280": 30, "GTX580": 16}
ACTIVATION = {"GTX280": 0, "GTX580": 64}
BETA = 1.1  # (47)
MU, LAMBDA, RHO, RC_RISE, SIGMA = 0.120, 5.5, 21.505, 35, 10 / 22  # Table 9


def access(rate):
    """3.2.4: the logarithmic access function, 0 where it would be below."""
    return max(0.1365 * math.log(rate) + 1.001375, 0) if rate > 0 else 0


def core_scale(gpu, active):
    """(44) to (47), and the straight line of 3.11.1."""
    if gpu == "GTX580":
        return active / SMS[gpu]
    return math.log10((10 - BETA) / SMS[gpu] * active + BETA)


def of_board(gpu, units, active):
    """(37), (43), (45), (48) from the watts of the units."""
    sm = CONST_SM[gpu] + sum(w for u, w in units.items() if u not in BOARD)
    memory = units["GMEM"] + units["LMEM"]
    scale = core_scale(gpu, active)
    runtime = ACTIVATION[gpu] * (active > 0) + (
        SMS[gpu] * sm + memory + units["L2"]) * scale
    return {"sm_component_sum": sm, "max_sm": SMS[gpu] * sm,
            "rp_memory": memory, "core_scale": scale,
            "runtime_power_0": runtime, "idle_power": IDLE[gpu],
            "gpu_power_0": runtime + IDLE[gpu]}


def of_units(gpu, accesses, cycles):
    """(40), (39): {unit: (rate, watts)} of accesses of an SM in so many
    issue cycles."""
    out = {}
    for u in UNITS:
        rate = accesses.get(u, 0) / cycles
        effective = access(rate) if u in LOGARITHMIC[gpu] else rate
        out[u] = rate, WATTS[gpu].get(u, 0) * effective
    return out


def power(row):
    x, gpu = Inputs(row, float), row["gpu"]
    warps = x.threads_per_block / 32 * x.blocks / x.active_sms  # (42)
    units = of_units(gpu, {u: float(row[f"dac_{u}"]) * warps for u in UNITS},
                     x.exec_cycles / x.issue_norm)
    out = {"warps_per_sm": warps}
    for u, (rate, watts) in units.items():
        out[f"ar_{u}"], out[f"rp_{u}"] = rate, watts
    out.update(of_board(gpu, {u: w for u, (_, w) in units.items()},
                        x.active_sms))
    if gpu == "GTX280":
        heat(x, out)
    return out


def heat(x, out):
    """(49) and (53) to (57), (53) as the rise above idle."""
    intensity = x.mem_insts / x.nonmem_insts if x.nonmem_insts > 0 else 0
    rise = MU * out["runtime_power_0"] + LAMBDA + RHO * intensity
    now = rise * (1 - math.exp(-x.t_s / RC_RISE))
    out.update(mem_intensity=intensity, delta_temp_max=rise,
               max_temp=x.idle_temp + rise, temp_t=x.idle_temp + now,
               runtime_power_t=out["runtime_power_0"] + SIGMA * now)
    out["gpu_power_t"] = out["runtime_power_t"] + out["idle_power"]


# ---- active cores: [T] 3.3.2, 3.5.4 ----------------------------------------


@functools.cache
def on_cores(active):
    """One block of 16 warps an SM, 50,000 instructions a thread on 30 SMs."""
    comp, memory = Fraction(40000 * 30, active), Fraction(10000 * 30, active)
    model = mwp_cwp({
        "eqset": "thesis", "cond": "resolved", "npw_mode": "off",
        "clock_ghz": "1.3", "mem_bw_gbs": "141.7", "active_sms": active,
        "mem_ld": 450, "dep_del_uncoal": 40, "dep_del_coal": 4,
        "issue_cycles": 4, "threads_per_block": 512, "blocks": active,
        "active_blocks_per_sm": 1, "comp_insts": comp, "uncoal_mem_insts": 0,
        "coal_mem_insts": memory, "synch_insts": 0, "m_factor": 1,
        "uncoal_per_mw": 32, "load_bytes_per_warp": 128, "ind_mem_req": 0})
    comp, memory = float(comp), float(memory)
    cycles = float(model["exec_cycles_app"])
    seconds = cycles / 1.3e9
    accesses = {"FP": comp / 2, "INT": comp / 4, "ALU": comp / 4,
                "REG": comp + memory, "FDS": comp + memory, "GMEM": memory}
    units = of_units("GTX280", {u: n * 16 for u, n in accesses.items()},
                     cycles / 4)
    p = of_board("GTX280", {u: w for u, (_, w) in units.items()}, active)
    gips = (comp + memory) * 16 * active / seconds / 1e9
    out = {k: float(model[k]) for k in ("mwp", "cwp", "mwp_peak_bw")}
    out.update(case=model["case"], exec_cycles=cycles, time_s=seconds,
               warp_gips=gips, runtime_power_w=p["runtime_power_0"],
               gpu_power_w=p["gpu_power_0"],
               gips_per_w=gips / p["gpu_power_0"],
               energy_total_j=p["gpu_power_0"] * seconds,
               energy_runtime_j=p["runtime_power_0"] * seconds)
    return out


def core_sweep(row):
    active = int(row["active_sms"])
    out, every = on_cores(active), on_cores(30)
    return {**out, "energy_powergated_j":
            every["gpu_power_w"] * active / 30 * out["time_s"]}


# ---- the throughput model: [T] chapter V -----------------------------------


def throughput(row):
    x, gpu = Inputs(row, float), row["kind"] == "GPU"
    cores = x.clock_ghz * x.active_cores
    plain = cores * x.fp_units
    if gpu:
        scalar, wide = x.fp + x.fp_vec, x.fp_fused + x.fp_vec_fused
        wide_peak = 2 * plain
    else:  # no fused multiply-add: two instructions of each
        scalar = x.fp + 2 * x.fp_fused
        wide = x.fp_vec + 2 * x.fp_vec_fused
        wide_peak = cores * x.vec_units * x.vec_width
    useful = scalar + wide
    peak = (plain * scalar + wide_peak * wide) / useful  # (65) to (67)
    total = useful + x.int + x.br_misc + x.mem
    dep = max(x.inst_latency / x.dep, 1)
    perf_cycles, total_cycles = useful / x.ilp, total * dep / x.ilp
    out = {"dev_peak_fp": plain, "dev_peak_wide": wide_peak, "peak_achi": peak,
           "useful": useful, "total": total, "dep_effect": dep,
           "perf_cycles": perf_cycles, "total_cycles": total_cycles,
           "periods": x.mem / x.mstr,
           "eff_ratio_comp_only": perf_cycles / total_cycles}
    out["perf_comp_only"] = peak * out["eff_ratio_comp_only"]
    if x.mem == 0:
        return {**out, "eff_ratio": out["eff_ratio_comp_only"],
                "perf": out["perf_comp_only"]}
    with_memory(x, out)
    suggestions(x, out)
    return out


def with_memory(x, out):
    """(71) to (82), (64)."""
    eff_perf = out["perf_cycles"] / out["periods"]
    eff_comp = out["total_cycles"] / out["periods"]
    infinite = max(x.eff_mem / eff_comp, 1)
    one = min(infinite, x.N)
    app = one * x.mstr
    each = x.clock_ghz * x.bytes_per_warp / x.dram_lat
    bandwidth = x.mem_bw_gbs / (each * x.active_cores)
    process = x.dram_lat / x.departure_delay
    limits = (("app", app), ("bw", bandwidth), ("proc", process), ("N", x.N))
    mwp = min(v for _, v in limits)
    serial = x.eff_mem * x.N
    divided = serial / mwp
    mem_n = divided + eff_comp * (mwp - 1)
    comp_n = eff_comp * x.N
    idle = max(0, mem_n - comp_n)
    ratio = eff_perf * x.N / (comp_n + idle)
    out.update(eff_perf=eff_perf, eff_comp=eff_comp, mwp_app_infin=infinite,
               mwp_app_onememwarp=one, mwp_app=app, bw_per_warp=each,
               mwp_bw=bandwidth, mwp_proc=process, mwp=mwp,
               mwp_limiter=[n for n, v in limits if v == mwp],
               mem_serial_n=serial, mem_divided_n=divided, mem_n=mem_n,
               comp_cycles_n=comp_n, idle_mem_cycles=idle, eff_ratio=ratio,
               perf=out["peak_achi"] * ratio)


def suggestions(x, out):
    """Figures 114 and 115; (83) to (93)."""
    app, bandwidth = out["mwp_app"], out["mwp_bw"]
    if out["mwp_proc"] < app:
        place = 0 if bandwidth < app else 1
    else:
        place = 2 if bandwidth < 0.85 * app else 3 if bandwidth < app else 4
    out["category"] = place + (1 if x.N < out["mwp_app_infin"] else 6)
    out["alpha_bw"], out["alpha_app"] = app / bandwidth, bandwidth / app
    out["cores_suggested_real"] = x.active_cores / max(app / bandwidth, 1)
    out["n_suggested_real"] = x.N * min(bandwidth / app, 1)
    out["n_suggested_exact"] = x.N
    if bandwidth < app:
        out["n_suggested_exact"] = min(x.N,
                                       max(1, math.floor(bandwidth / x.mstr)))
    if out["mwp_app_infin"] > x.N > 1:
        out["core_reduction_factor"] = ((out["mwp_app_infin"] - 1) / (x.N - 1))


# ---- two devices: [T] 5.9 and appendix A -----------------------------------


def hetero_split(row):
    """Both end together: what the text says in words."""
    x = Inputs(row, float)
    cpu, gpu = x.work_gflop / x.perf_cpu_gflops, x.work_gflop / x.perf_gpu_gflops
    move = x.bytes_gb / x.link_gbs if x.link_gbs > 0 else 0
    share = min(max((gpu + move + x.fixed_s) / (cpu + gpu + move), 0), 1)
    t_cpu = share * cpu
    t_gpu = (1 - share) * (gpu + move) + (x.fixed_s if share < 1 else 0)
    total = max(t_cpu, t_gpu)
    return {"cpu_share": share, "t_cpu_s": t_cpu, "t_gpu_s": t_gpu,
            "t_total_s": total, "speedup_vs_cpu_only": cpu / total}


def appendix_a(row):
    """(103), (105) and (108) to (114); the baseline is the CPU alone."""
    x = Inputs(row, float)

    def seconds(share, c, zeta, f, phi):
        return share * phi / (c * zeta * f)

    def watts(share, c, f, lam):
        return c * f ** 3 * lam if share > 0 else 0

    old_time = seconds(1, x.Co, x.zeta_o, x.Fo, x.phi_o)
    old_power = watts(1, x.Co, x.Fo, x.lambda_o) + x.Bo
    t_cpu = seconds(1 - x.gpu_share, x.Cc, x.zeta_c, x.Fc, x.phi_c)
    t_gpu = seconds(x.gpu_share, x.Cg, x.zeta_g, x.Fg, x.phi_g)
    total = max(t_cpu, t_gpu)
    draws = (watts(1 - x.gpu_share, x.Cc, x.Fc, x.lambda_c) +
             watts(x.gpu_share, x.Cg, x.Fg, x.lambda_g) + x.Bo)
    speedup = old_time / total
    return {"t_cpu": t_cpu, "t_gpu": t_gpu, "t_total": total, "power": draws,
            "speedup_S": speedup, "energy_eff_E": old_power / draws * speedup}


# ---- files ------------------------------------------------------------------

MODELS = {"mwp-cwp": mwp_cwp, "power": power, "core-sweep": core_sweep,
          "throughput": throughput, "hetero-split": hetero_split,
          "appendix-a": appendix_a}


def cell(value, old):
    """As it is printed; where names tie (a limiter), the one that stands."""
    if isinstance(value, list):
        return old if old in value else value[0]
    return value if isinstance(value, str) else f"{float(value):.12g}"


def remake(path):
    """The file's lines, and which cells changed."""
    name = os.path.basename(path).removesuffix("-vectors.csv")
    if name not in MODELS:
        sys.exit(f"{path}: expected one of {', '.join(MODELS)}-vectors.csv")
    with open(path, encoding="utf-8", newline="") as f:
        lines = f.read().splitlines()
    head = [line for line in lines if line.startswith("#")]
    rows = list(csv.DictReader(lines[len(head):]))
    columns = list(rows[0])
    changed, made = [], {}
    for row in rows:
        out = MODELS[name](row)
        made.update(out)
        for key in out:
            if key not in columns:
                sys.exit(f"{path}: expected a column {key}")
        for key in [k for k in columns if k in out or k in made]:
            new = cell(out[key], row[key]) if key in out else ""
            if new != row[key]:
                changed.append(f"{row[columns[0]]} {key}: {row[key] or 'empty'}"
                               f", {new or 'empty'} by the equations")
                row[key] = new
    body = [",".join(columns)] + [",".join(row.values()) for row in rows]
    return "\n".join(head + body) + "\n", changed, len(made) * len(rows)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("file", nargs="*")
    args = parser.parse_args()
    status = 0
    for path in args.file or [os.path.join(HERE, f"{m}-vectors.csv")
                              for m in MODELS]:
        text, changed, cells = remake(path)
        for what in changed[:20]:
            print(f"{os.path.basename(path)}: {what}")
        print(f"{os.path.basename(path)}: {cells} values, {len(changed)} "
              "differ")
        status |= bool(changed)
        if changed and not args.check:
            with open(path, "w", encoding="utf-8", newline="") as f:
                f.write(text)
    sys.exit(status if args.check else 0)


if __name__ == "__main__":
    main()
