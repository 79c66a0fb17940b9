/* Sections of what came with sm_90. */
#pragma once
#include "section_cluster.cuh"
#include "section_tma.cuh"
#include "section_wgmma.cuh"
