// SPDX-License-Identifier: MIT
// The kernel table: the rows of all families of kernels.
#pragma once

#include "compact/kernels.hpp"
#include "histogram/kernels.hpp"
#include "move/kernels.hpp"
#include "reduce/kernels.hpp"
#include "scan/kernels.hpp"
#include "search/kernels.hpp"
#include "sort/kernels.hpp"
#include "top_k/kernels.hpp"
