/* SPDX-License-Identifier: MIT */
/* The headers that nearly every file of statistics uses. */
#pragma once

#include "num/mean_interval.h"
#include "num/moments.h"
#include "num/multiple.h"
#include "num/quantile.h"
#include "num/rank.h"
#include "num/rng.h"
#include "num/sequence.h"
#include "num/student.h"
