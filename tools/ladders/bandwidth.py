"""Ladders of kernels that move bytes: sums, transposes, streams."""

from climb import KERNELS, Ladder, Plan, traced


class Reduction(Ladder):
    """Launches until one block is left: all of them are the step's time."""
    name = "reduction"
    title = "Sum of 4 M integers, GeForce 8800 GTX"
    source = ('M. Harris, "Optimizing Parallel Reduction in CUDA", 2007; '
              "`tests/kernels/ladders/reduction.sketch`")
    unit, chip = "ms", "8800gtx"
    FULL, PART, SMALL = 1 << 22, 1 << 18, 1 << 14
    STEPS = (("interleaved addressing and divergent", 8.054, "divergence"),
             ("interleaved with bank conflicts", 3.456, "bank conflicts"),
             ("sequential addressing", 1.722, None),
             ("first addition while loading", 0.965, "uneven warps"),
             ("last warp unrolled", 0.536, None),
             ("all unrolled", 0.381, None),
             ("several elements a thread", 0.268, None))

    def launches(self, plan, on, size, folder):
        n, step = size, plan.kernel
        while n > 1:
            each = 128 if step < 4 else 256
            blocks = (n + each - 1) // each
            if step == 7:
                blocks = min(blocks, 128)
            if on:
                yield traced(folder, on, f"reduce_{step}", str(blocks),
                             "128", f"buf:i32:{n}:zeros",
                             f"buf:i32:{blocks}:zeros", f"i32:{n}")
            else:
                yield [f"{KERNELS}/reduction.sketch", "-g", self.chip, "-p",
                       f"STEP={step}", "-p", f"N={n}"]
            n = blocks

    def value(self, us, size, plan):
        return us / 1000


class Transpose(Ladder):
    """Rates are of 2^30 bytes, as the text's program computes them."""
    name = "transpose"
    title = "Transpose of 2048 x 2048 floats, GeForce GTX 280"
    source = ('G. Ruetsch, P. Micikevicius, "Optimizing Matrix Transpose in '
              'CUDA", 2009; `tests/kernels/ladders/transpose.sketch`')
    unit, chip = "GiB/s", "gtx280"
    more = True
    FULL, PART, SMALL = 2048, 1024, 256
    STEPS = (("copy", 96.9, None),
             ("copy through shared memory", 80.9, None),
             ("naive transpose", 2.2, "uncoalesced accesses"),
             ("coalesced", 16.5, "bank conflicts"),
             ("without bank conflicts", 16.6, None),
             ("fine-grained: within tiles", 80.4, None),
             ("coarse-grained: of tiles", 16.7, "channel skew"),
             ("diagonal", 69.5, None))

    def launches(self, plan, on, size, folder):
        if on:
            yield self.compiled(plan, size, folder)
        else:
            yield [f"{KERNELS}/transpose.sketch", "-g", self.chip, "-p",
                   f"STEP={plan.kernel}", "-p", f"W={size}"]

    KERNEL, TILE, ROWS = "transpose", 32, 8

    def compiled(self, plan, w, folder, **options):
        return traced(folder, plan.gpu, f"{self.KERNEL}_{plan.kernel}",
                      f"{w // self.TILE},{w // self.TILE}",
                      f"{self.TILE},{self.ROWS}",
                      f"buf:f32:{w * w}:zeros", f"buf:f32:{w * w}:zeros",
                      f"i32:{w}", **options)

    def value(self, us, size, plan):
        return 8e6 * size ** 2 / us / (1 << 30)


class LaterTranspose(Transpose):
    """The same steps on boards of a later edition of that text, whose error
    correction takes its part of the memory, ECC, and here of what moves.
    `reached` of the rest, as another board of the chip.  Tiles are those of
    the sample of then, 16 x 16; compiled for sm_75, launched again and again,
    as there."""
    KERNEL, TILE, ROWS = "transpose16", 16, 16
    source = ("the same in its edition of the CUDA samples (MatrixTranspose.pdf), "
              "boards with error correction; `tests/kernels/ladders/ladders.cu`")
    NUMBERS = settings = ()
    NEXT = (None, None, "uncoalesced accesses", "bank conflicts") + (None,) * 4

    def steps(self, on):
        return [Plan(step[0], number, next_, place, on or self.chip)
                for place, (step, number, next_)
                in enumerate(zip(self.STEPS, self.NUMBERS, self.NEXT), 1)]

    def launches(self, plan, on, size, folder):
        yield [*self.compiled(plan, size, folder, older=True), "--caches",
               "warm", *(word for s in self.settings for word in ("--set", s))]


class FermiTranspose(LaterTranspose):
    name = "transpose-m2090"
    title = "Transpose of 2048 x 2048 floats, Tesla M2090"
    chip = "gtx580"
    ECC = 1 / 8
    settings = ("chip.sm_clock_mhz=1301",
                f"dram.bandwidth_gbs={177.6 * (1 - ECC):.1f}",
                f"dram.reached_gbs={177.6 * (1 - ECC) * 173.6 / 192.4:.1f}")
    NUMBERS = (125.2, 110.6, 61.5, 92.8, 103.2, 105.8, 107.2, 81.4)


class KeplerTranspose(LaterTranspose):
    name = "transpose-k20x"
    title = "Transpose of 2048 x 2048 floats, Tesla K20X"
    chip = "k20"
    ECC = 1 / 16
    settings = ("chip.sm_clock_mhz=732", "chip.sms=14", "dram.channels=6",
                "l2.slices=12", "l2.bytes=1572864",
                f"dram.bandwidth_gbs={249.6 * (1 - ECC):.1f}",
                f"dram.reached_gbs={249.6 * (1 - ECC) * 172.4 / 208:.1f}")
    NUMBERS = (147.6, 130.5, 92.0, 114.0, 112.6, 115.0, 123.5, 106.7)


class Stream(Ladder):
    """The same five kernels on each chip; no step follows from another."""
    name = "stream"
    title = "Streams of 2^25 doubles, from Fermi to Ampere"
    source = ("BabelStream, as its repository and users publish it (below); "
              "`tests/kernels/ladders/ladders.cu`")
    unit = "GB/s"
    more, climbs = True, False
    FULL, SMALL = 1 << 25, 1 << 18
    KERNELS = ("copy", "mul", "add", "triad", "dot")
    # chip, blocks of the sum of products (None: it had none), published
    CHIPS = (("gtx580", None, (175.0, 175.0, 172.2, 172.1)),
             ("k20", None, (171.2, 172.8, 173.6, 173.6)),
             ("titanxp", 256, (433.2, 431.7, 436.5, 436.5, 436.0)),
             ("v100", 256, (811.7, 810.0, 845.8, 846.5, 887.4)),
             ("rtx2080ti", 256, (547.8, 544.9, 556.7, 556.8, 574.5)),
             ("a100", 432, (1400.3, 1360.4, 1369.6, 1377.5, 1353.5)),
             ("a100_80", 432, (1709.4, 1676.2, 1715.8, 1724.8, 1586.9)))
    ARRAYS = {"copy": 2, "mul": 2, "add": 3, "triad": 3, "dot": 2}

    def steps(self, on):
        chips = [(on, 432, [None] * 5)] if on else self.CHIPS
        return [Plan(f"{chip}: {kernel}", published, None, (kernel, blocks),
                     chip)
                for chip, blocks, numbers in chips
                for kernel, published in zip(self.KERNELS, numbers)]

    def launches(self, plan, on, size, folder):
        kernel, blocks = plan.kernel
        arrays = [f"buf:f64:{size}:zeros"] * self.ARRAYS[kernel]
        grid = size // 1024
        if kernel == "dot":
            grid = blocks
            arrays += [f"buf:f64:{grid}:zeros", f"i32:{size}"]
        yield [*traced(folder, plan.gpu, f"stream_{kernel}", str(grid), "1024",
                       *arrays, older=True), "--caches", "warm", "--sample"]

    def value(self, us, size, plan):
        return 8 * self.ARRAYS[plan.kernel[0]] * size / us / 1000
