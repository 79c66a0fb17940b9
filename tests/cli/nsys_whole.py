"""Writes what `nsys export --type sqlite` does of a small run, for
tests/cli/programs.sh: nsys_whole.py FILE.

Two streams: a copy and two launches of `add` in the one (a null stream), a wait
in the other, which does not wait for that otherwise, for an event between them,
behind it `spin` and a copy back; then a graph of three nodes, two of them beside
each other.  The host computes for 300 us before the graph.  The launches of a
second device are not of interest.
"""

import sqlite3
import sys

PROCESS = 77 << 24
NAMES = ["cudaMemcpyAsync_v3020", "cudaLaunchKernel_v7000",
         "cudaEventRecord_v3020", "cudaStreamWaitEvent_v3020",
         "cudaMemcpy_v3020", "cudaGraphLaunch_v10000",
         "cudaDeviceSynchronize_v3020", "cudaGetDevice_v3020",
         "add(float *, int)", "spin"]

# start and end of calls in us, their names, correlations
CALLS = [(0, 4, 0, 1), (5, 8, 1, 2), (8.5, 9, 2, 3), (9.5, 10, 3, 4),
         (10.5, 13, 1, 5), (13.5, 14, 7, 6), (14.5, 17, 1, 7),
         (20, 228.5, 4, 8), (561, 565, 5, 9), (566, 676, 6, 10)]
# start, end, stream, correlation, name, grid, graph node
KERNELS = [(111, 161, 7, 2, 8, 108, 0), (162, 212, 7, 5, 8, 108, 0),
           (163, 183, 14, 7, 9, 4, 0),
           (571, 621, 14, 9, 8, 54, 1), (572, 602, 14, 9, 9, 4, 2),
           (622, 672, 14, 9, 8, 54, 3)]
COPIES = [(10, 110, 7, 1, 1000000, 1, 1, 2), (184.5, 224.5, 14, 8, 4000, 2, 2, 0)]


def ns(us):
    return 5000000 + round(us * 1000)


def main(path):
    db = sqlite3.connect(path)
    table = db.execute
    table("CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT)")
    table("CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start, end, globalTid, "
          "correlationId, nameId, returnValue)")
    table("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, "
          "contextId, streamId, correlationId, globalPid, demangledName, "
          "registersPerThread, gridX, gridY, gridZ, blockX, blockY, blockZ, "
          "staticSharedMemory, dynamicSharedMemory, graphNodeId)")
    table("CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start, end, deviceId, "
          "contextId, streamId, correlationId, globalPid, bytes, copyKind, "
          "srcKind, dstKind)")
    table("CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start, end, "
          "deviceId, contextId, streamId, correlationId, globalPid, syncType, "
          "eventId)")
    table("CREATE TABLE CUPTI_ACTIVITY_KIND_CUDA_EVENT (deviceId, contextId, "
          "streamId, correlationId, globalPid, eventId)")
    table("CREATE TABLE TARGET_INFO_CUDA_STREAM (streamId, processId, "
          "contextId, priority, flag)")
    db.executemany("INSERT INTO StringIds VALUES (?, ?)", enumerate(NAMES))
    for start, end, name, correlation in CALLS:
        table("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?,?,?,?,?,0)",
              (ns(start), ns(end), PROCESS + 9, correlation, name))
    for start, end, stream, correlation, name, grid, node in KERNELS:
        table("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES "
              "(?,?,0,1,?,?,?,?,32,?,1,1,256,1,1,0,1024,?)",
              (ns(start), ns(end), stream, correlation, PROCESS, name, grid,
               node if node else None))
    table("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES "
          "(1,2,1,2,9,99,?,8,32,1,1,1,256,1,1,0,0,NULL)", (PROCESS,))
    for row in COPIES:
        table("INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES "
              "(?,?,0,1,?,?,?,?,?,?,?)",
              (ns(row[0]), ns(row[1]), row[2], row[3], PROCESS) + row[4:])
    # pages that moved by themselves: no call asked for them
    table("INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES "
          "(6000000,6001000,0,1,7,0,?,65536,11,4,2)", (PROCESS,))
    table("INSERT INTO CUPTI_ACTIVITY_KIND_CUDA_EVENT VALUES (0,1,7,3,?,5)",
          (PROCESS,))
    table("INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES "
          "(1,2,0,1,14,4,?,2,5)", (PROCESS,))
    table("INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES "
          "(1,2,0,1,4294967295,10,?,4,4294967295)", (PROCESS,))
    db.executemany("INSERT INTO TARGET_INFO_CUDA_STREAM VALUES (?,77,1,?,?)",
                   [(7, 0, 3), (14, -1, 2)])
    db.commit()


main(sys.argv[1])
