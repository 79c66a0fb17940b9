"""SGEMM bounds of Lai's thesis, and what he reached below them."""

from climb import Plan, Waved, sketched

N = 4800
TILE = 96


class Lai(Waved):
    """Shares of a peak: rows of bounds are reads and multiply-adds alone."""
    unit, more = "% of peak", True
    FULL, SHORT, WHY = N, (160, 320), 640
    peak = 0.0  # GFLOP/s of the thesis

    def launch(self, plan, on):
        parameters = plan.kernel

        def trace(k, count):
            return sketched("lai.sketch", K=k, BLOCKS=count, **parameters)
        return (N // TILE) ** 2, trace

    def steps(self, on):
        return [Plan(name, published, next_, kernel, on or self.chip)
                for name, published, next_, kernel in self.STEPS]

    def value(self, us, size, plan):
        return 100 * 2e-3 * N * N * size / us / self.peak


BOUND = {"WHOLE": 0}


class Fermi(Lai):
    name = "lai-gtx580"
    title = "SGEMM and its bounds, GeForce GTX 580"
    source = ("J. Lai, thesis, 2013, 4.3.2, 4.3.5 and 4.1; "
              "`tests/kernels/ladders/lai.sketch`")
    chip, peak = "gtx580", 1581.0
    # The published bounds with LDS and LDS.128 are of measured mixtures: 3:1 at
    # 31.3 a cycle, 12:1 at 24.5.
    STEPS = (("reads of 32 bits alone", 73.4, "issue", {**BOUND, "WIDTH": 4}),
             ("reads of 64 bits alone", 82.5, None, {**BOUND, "WIDTH": 8}),
             ("reads of 128 bits alone", 70.7, None, {**BOUND, "WIDTH": 16}),
             ("the whole kernel", 74.2, None, {"WHOLE": 1}))


class Kepler(Lai):
    name = "lai-gtx680"
    title = "SGEMM and its bounds, GeForce GTX 680 at 1058 MHz"
    source = ("J. Lai, thesis, 2013, 4.3.5, 4.4.4; "
              "`tests/kernels/ladders/lai.sketch`")
    unit, chip = "GFLOP/s", "gtx680"
    # The boost clock, which 4.2.3 takes; the bounds are shares of what 192
    # lanes do at it.
    settings = ("chip.sm_clock_mhz=1058",)
    PEAK = 8 * 192 * 2 * 1.058
    STEPS = (("reads of 64 bits alone", 0.546 * PEAK, "issue",
              {**BOUND, "WIDTH": 8}),
             ("reads of 128 bits alone", 0.576 * PEAK, None,
              {**BOUND, "WIDTH": 16}),
             ("the first kernel", 1100, "register banks", {"PLACED": 0}),
             ("registers placed on banks", 1300, None, {"PLACED": 1}))

    def value(self, us, size, plan):
        return 2e-3 * N * N * size / us
