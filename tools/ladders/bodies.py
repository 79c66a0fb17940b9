"""Forces between bodies, on chips from the first of CUDA on."""

from climb import Plan, Waved, kept, sketched

THREADS = 256


class Unrolled(Waved):
    name = "unrolled"
    title = "Forces between bodies, GeForce 8800 GTX"
    source = ("L. Nyland, M. Harris, J. Prins, GPU Gems 3, chapter 31, 2007, "
              "Figure 31-5; `tests/kernels/ladders/bodies.sketch`")
    unit, chip, more = "Gflop/s of 20 an interaction", "8800gtx", True
    SHORT, WHY, SMALL = (512, 1024), 512, 256
    # name, published, bodies, interactions a round of the loop
    STEPS = (("4,096 bodies, no unrolling", 163, 4096, 1),
             ("two interactions a round", 175, 4096, 2),
             ("four", 181, 4096, 4),
             ("16,384 bodies, no unrolling", 184, 16384, 1),
             ("two interactions a round", 196, 16384, 2),
             ("four", 204, 16384, 4))

    def steps(self, on):
        return [Plan(name, published, None, (n, unroll), on or self.chip)
                for name, published, n, unroll in self.STEPS]

    def length(self, plan):
        return plan.kernel[0]

    def launch(self, plan, on):
        n, unroll = plan.kernel

        def trace(k, count):
            return sketched("bodies.sketch", N=n, K=k, BLOCKS=count,
                            UNROLL=unroll)
        return n // THREADS, trace

    def value(self, us, size, plan):
        return 20e-3 * plan.kernel[0] * size / us


class Bodies(Waved):
    """The same program on each chip; no step follows from another."""
    name = "bodies"
    title = "Forces between N bodies, from G80 to Ada"
    source = ("L. Nyland, M. Harris, J. Prins, GPU Gems 3, chapter 31, 2007, and "
              "what users publish of CUDA's sample nbody (below); "
              "`tests/kernels/ladders/bodies.sketch`, `bodies.cu`")
    unit = "10^9 interactions/s"
    more, climbs = True, False
    SHORT, WHY = (256, 512), 256
    # chip, bits, bodies, published
    CHIPS = (("8800gtx", 32, 16384, 10.2),
             ("k20", 32, 65536, 90),
             ("gtx1080ti", 32, 256000, 339.1),
             ("p100", 64, 200192, 103.3),
             ("v100", 32, 1000192, 534.9),
             ("rtx2070super", 32, 40960, 296.2),
             ("a100", 64, 512000, 248.0),
             ("a100_80", 32, 2000128, 696.8),
             ("rtx4090", 32, 131072, 2285.1))

    def steps(self, on):
        chips = [(on, bits, 1 << 19, None) for bits in (32, 64)] if on else \
            self.CHIPS
        return [Plan(f"{chip}: {bits} bits, {n} bodies", published, None,
                     (bits, n), chip)
                for chip, bits, n, published in chips]

    def length(self, plan):
        return plan.kernel[1]

    def launch(self, plan, on):
        bits, n = plan.kernel

        def trace(k, count):
            if plan.gpu == "8800gtx":
                return sketched("bodies.sketch", K=k, BLOCKS=count)
            size = max(k, count * THREADS) * 4
            return kept(plan.gpu, "bodies", f"bodies_f{bits}", str(count),
                        str(THREADS), f"buf:f{bits}:{size}:random",
                        f"buf:f{bits}:{size}:zeros", f"i32:{k}",
                        f"f{bits}:0.01", older=True)
        return n // THREADS, trace

    def value(self, us, size, plan):
        return plan.kernel[1] * size / us / 1000
