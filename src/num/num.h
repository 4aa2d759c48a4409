/* SPDX-License-Identifier: MIT */
/* What nearly every file of statistics uses of num; those do not include its parts. */
#pragma once

#include "num/mean_interval.h"
#include "num/moments.h"
#include "num/multiple.h"
#include "num/quantile.h"
#include "num/rank.h"
#include "num/rng.h"
#include "num/student.h"
