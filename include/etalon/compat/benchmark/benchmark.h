// SPDX-License-Identifier: MIT
// With -I…/etalon/compat, a file that includes <benchmark/benchmark.h> gets libetalon's version.
#include <etalon/compat/benchmark.h>
