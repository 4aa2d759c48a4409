/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which figures of a command's result are reported. */
#include "model/result/result.h"
#include "tap.h"

#include <math.h>

int main(void)
{
	struct et_command_result r = { .metric = ET_METRIC_CPU };

	r.estimate[ET_METRIC_CPU] = (struct et_estimate){ .n = 5, .mean = 7 };
	r.estimate[ET_METRIC_ELAPSED] = (struct et_estimate){ .n = 6, .mean = 9 };
	ok(et_result_metric(&r) == ET_METRIC_CPU && et_result_estimate(&r)->mean == 7,
		"result: the chosen metric is reported");
	ok(!et_result_kbest(&r), "result: without K-best there is no best time");
	r.kbest = (struct et_kbest_result){ .k = 3, .n = 5, .best = 6 };
	ok(et_result_kbest(&r) == &r.kbest, "result: K-best's time is reported");
	r.estimate[ET_METRIC_CPU] = (struct et_estimate){ 0 };
	ok(et_result_metric(&r) == ET_METRIC_ELAPSED && et_result_estimate(&r)->mean == 9,
		"result: elapsed time replaces a chosen metric that no sample has");
	ok(!et_result_kbest(&r), "result: a best time of another metric is not reported");
	r.estimate[ET_METRIC_CPU] = (struct et_estimate){ .n = 5, .mean = NAN };
	ok(et_result_metric(&r) == ET_METRIC_ELAPSED,
		"result: elapsed time replaces a chosen metric without a mean");
	return tap_done();
}
