# packages: cuda-core[cu13]==1.2.2 nvidia-cuda-nvrtc==13.5.*
"""cuda.core: a template compiled at run time, streams, events, a fault."""
import numpy as np
from client import refused, run, same, step
from cuda.core import Device, LaunchConfig, Program, ProgramOptions, launch

SOURCE = """
template <typename T> __global__ void add(const T *a, const T *b, T *c, size_t n)
{
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += gridDim.x * blockDim.x)
        c[i] = a[i] + b[i];
}
extern "C" __global__ void beyond(float *x) { x[threadIdx.x + 1000000000] = 1; }
"""
device = Device()
device.set_current()
stream = device.create_stream()
module = Program(
    SOURCE, code_type="c++",
    options=ProgramOptions(std="c++17", arch=f"sm_{device.arch}")).compile(
        "cubin", name_expressions=("add<float>", "add<double>", "beyond"))


def added(type_name, dtype):
    from cuda.core import LegacyPinnedMemoryResource
    pinned = LegacyPinnedMemoryResource()
    n = 3000
    buffers = [pinned.allocate(n * dtype().itemsize, stream=stream)
               for _ in range(3)]
    a, b, c = (np.from_dlpack(x).view(dtype) for x in buffers)
    a[:], b[:], c[:] = np.arange(n), 0.5, 0
    on_device = [device.allocate(x.size, stream=stream) for x in buffers]
    for to, x in zip(on_device[:2], buffers):
        to.copy_from(x, stream=stream)
    launch(stream, LaunchConfig(grid=4, block=128),
           module.get_kernel(f"add<{type_name}>"),
           *on_device, np.uint64(n))
    on_device[2].copy_to(buffers[2], stream=stream)
    stream.sync()
    same(c, a + b)


@step
def single():
    added("float", np.float32)


@step
def double():
    added("double", np.float64)


@step
def events():
    from cuda.core import EventOptions
    timed = EventOptions(timing_enabled=True)
    begin = stream.record(options=timed)
    added("float", np.float32)
    end = stream.record(options=timed)
    end.sync()
    assert end - begin > 0


@step
def fault():
    buffer = device.allocate(64, stream=stream)

    def go():
        launch(stream, LaunchConfig(grid=1, block=32),
               module.get_kernel("beyond"), buffer)
        stream.sync()
    refused(go, "ILLEGAL_ADDRESS")


run()
