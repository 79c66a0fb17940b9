/*
 * bodies.sketch for today's compilers, in single and in double precision: the
 * force of every body on every other, as CUDA's sample "nbody" computes it.
 * Written anew.
 */
__device__ float root(float x)
{
    float y;

    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

__device__ double root(double x)
{
    return rsqrt(x);
}

/* As CUDA 11's double4, which later ones align to 32 bytes. */
struct __align__(16) four_doubles {
    double x, y, z, w;
};

/* Forces of k bodies on a body a thread: those of a tile after one another, 32
 * copies of the loop's body (CUDA's sample: 128). */
template <typename T, typename T4>
__device__ void attract(const T4 *bodies, T4 *forces, int k, T softening)
{
    __shared__ T4 tile[256];
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    T4 me = bodies[i];
    T fx = 0, fy = 0, fz = 0;

    for (int from = 0; from < k; from += blockDim.x) {
        tile[threadIdx.x] = bodies[from + threadIdx.x];
        __syncthreads();
#pragma unroll 32
        for (unsigned j = 0; j < 256; j++) {
            T4 other = tile[j];
            T x = other.x - me.x, y = other.y - me.y, z = other.z - me.z;
            T inverse = root(x * x + y * y + z * z + softening);
            T s = other.w * (inverse * inverse * inverse);

            fx += x * s;
            fy += y * s;
            fz += z * s;
        }
        __syncthreads();
    }
    forces[i] = {fx, fy, fz, 0};
}

extern "C" __global__ void bodies_f32(const float4 *bodies, float4 *forces, int k,
                                      float softening)
{
    attract(bodies, forces, k, softening);
}

extern "C" __global__ void bodies_f64(const four_doubles *bodies,
                                      four_doubles *forces, int k, double softening)
{
    attract(bodies, forces, k, softening);
}
