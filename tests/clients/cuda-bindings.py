# packages: cuda-bindings==13.4.4 nvidia-cuda-nvrtc==13.5.* numpy
"""cuda.bindings: the driver's calls and NVRTC, and what the runtime's say."""
import numpy as np
from client import refused, run, same, step
from cuda.bindings import driver, nvrtc

SOURCE = rb"""
extern "C" __global__ void saxpy(float a, const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}
__constant__ float factor[4];
extern "C" __global__ void beyond(float *x) { x[threadIdx.x + 1000000000] = factor[0]; }
"""


def good(result):
    "What a call returns besides its status, which must be 0."
    if int(result[0]) != 0:
        raise RuntimeError(str(result[0]))
    return result[1] if len(result) == 2 else result[1:]


def compiled(device):
    major, minor = (
        good(driver.cuDeviceGetAttribute(getattr(
            driver.CUdevice_attribute,
            f"CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_{part}"), device))
        for part in ("MAJOR", "MINOR"))
    program = good(nvrtc.nvrtcCreateProgram(SOURCE, b"s.cu", 0, [], []))
    good(nvrtc.nvrtcCompileProgram(
        program, 1, [f"--gpu-architecture=sm_{major}{minor}".encode()]))
    code = b" " * good(nvrtc.nvrtcGetCUBINSize(program))
    good(nvrtc.nvrtcGetCUBIN(program, code))
    return code


good(driver.cuInit(0))
device = good(driver.cuDeviceGet(0))
context = good(driver.cuDevicePrimaryCtxRetain(device))
good(driver.cuCtxSetCurrent(context))
module = good(driver.cuModuleLoadData(compiled(device)))


@step
def launch():
    n = 1000
    x, y = np.arange(n, dtype=np.float32), np.ones(n, np.float32)
    on_device = [good(driver.cuMemAlloc(x.nbytes)) for _ in range(2)]
    for to, data in zip(on_device, (x, y)):
        good(driver.cuMemcpyHtoD(to, data.ctypes.data, data.nbytes))
    values = [np.array([2], np.float32), np.array([int(on_device[0])], np.uint64),
              np.array([int(on_device[1])], np.uint64), np.array([n], np.int32)]
    pointers = np.array([v.ctypes.data for v in values], np.uint64)
    function = good(driver.cuModuleGetFunction(module, b"saxpy"))
    stream = good(driver.cuStreamCreate(0))
    good(driver.cuLaunchKernel(function, 8, 1, 1, 128, 1, 1, 0, stream,
                               pointers.ctypes.data, 0))
    good(driver.cuStreamSynchronize(stream))
    got = np.empty_like(y)
    good(driver.cuMemcpyDtoH(got.ctypes.data, on_device[1], got.nbytes))
    same(got, 2 * x + 1)


@step
def queries():
    assert good(driver.cuDeviceGetCount()) == 1
    assert b"A100" in good(driver.cuDeviceGetName(64, device))
    assert good(driver.cuDriverGetVersion()) >= 13000
    free, total = good(driver.cuMemGetInfo())
    assert 0 < free <= total


@step
def variable():
    address, size = good(driver.cuModuleGetGlobal(module, b"factor"))
    assert size == 16, size


@step
def runtime_is_refused():
    # Its library is stripped and carries the vendor's runtime.
    from cuda.bindings import runtime
    refused(lambda: good(runtime.cudaMalloc(64)), "cudaError")


@step
def fault():
    function = good(driver.cuModuleGetFunction(module, b"beyond"))
    address = good(driver.cuMemAlloc(64))
    value = np.array([int(address)], np.uint64)
    pointers = np.array([value.ctypes.data], np.uint64)

    def go():
        good(driver.cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, 0,
                                   pointers.ctypes.data, 0))
        good(driver.cuCtxSynchronize())
    refused(go, "CUDA_ERROR_ILLEGAL_ADDRESS")


run()
