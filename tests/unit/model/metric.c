/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of metrics: every row is complete, and reads its own member of a sample. */
#include "model/sample/sample.h"
#include "tap.h"

#include <string.h>

static void test_rows(void)
{
	bool whole = true, unique = true, judged_first = true;
	size_t judged = 0;

	for (int m = 0; m < ET_METRICS; m++) {
		const struct et_metric_row *row = &et_metrics[m];
		whole = whole && row->name && row->label && row->unit != ET_UNIT_NONE &&
			row->offset + sizeof(uint64_t) <= sizeof(struct et_sample);
		for (int k = 0; whole && k < m; k++)
			unique = unique && strcmp(row->name, et_metrics[k].name) &&
				 strcmp(row->label, et_metrics[k].label) &&
				 row->offset != et_metrics[k].offset;
		judged_first = judged_first && (!row->judged || judged == (size_t)m);
		judged += row->judged;
	}
	ok(whole, "metrics: every row has a name, a label, a unit and a member");
	ok(unique, "metrics: no two rows share a name, a label or a member");
	ok(judged_first, "metrics: the judged metrics come first");
	bool same = true;
	for (size_t m = 0; m < judged; m++)
		same = same && et_metric_names[m] &&
		       !strcmp(et_metric_names[m], et_metrics[m].name);
	ok(same && !et_metric_names[judged], "metrics: --metric accepts the judged metrics alone");
	bool words = !strcmp(et_metric_words[judged], "auto") && !et_metric_words[judged + 1];
	for (size_t m = 0; m < judged; m++)
		words = words && et_metric_words[m];
	ok(words && judged == ET_METRIC_AUTO,
		"metrics: each judged one has a word, then auto follows");
}

static void test_units(void)
{
	ok(!strcmp(et_unit_names[ET_UNIT_NS], "ns") && !et_unit_names[ET_UNIT_NONE] &&
			!strcmp(et_unit_names[ET_UNIT_TICKS], "ticks") &&
			!strcmp(et_unit_names[ET_UNIT_BYTES], "bytes"),
		"units: each has its name, and ET_UNIT_NONE has none");
}

static void test_values(void)
{
	struct et_sample s = { .measured = { .cpu_ns = 1,
				       .elapsed_ns = 2,
				       .user_ns = 3,
				       .system_ns = 4,
				       .max_rss_bytes = 5,
				       .counter_ticks = ET_UNKNOWN } };

	ok(et_sample_metric(&s, ET_METRIC_CPU) == 1 && et_sample_metric(&s, ET_METRIC_ELAPSED) == 2,
		"metrics: CPU time and elapsed time are read from the sample");
	ok(et_sample_metric(&s, ET_METRIC_USER) == 3 && et_sample_metric(&s, ET_METRIC_SYSTEM) == 4,
		"metrics: user and system time are read from the sample");
	ok(et_sample_metric(&s, ET_METRIC_PEAK_MEMORY) == 5,
		"metrics: peak memory is read from the sample");
	ok(et_sample_metric(&s, ET_METRIC_COUNTER) == ET_UNKNOWN,
		"metrics: a figure that was not measured is ET_UNKNOWN");
	ok(et_metric_is_time(ET_METRIC_CPU) && !et_metric_is_time(ET_METRIC_PEAK_MEMORY) &&
			!et_metric_is_time(ET_METRIC_COUNTER),
		"metrics: memory and ticks are no times");
}

int main(void)
{
	test_rows();
	test_units();
	test_values();
	return tap_done();
}
