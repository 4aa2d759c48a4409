/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Culprits, summed by name over the samples of a command, with their time on the program's CPU. */
#include "base/base.h"
#include "model/experiment/experiment.h"
#include "tap.h"

#include <string.h>

static const struct et_culprit_total *find(
	const struct et_culprit_total *all, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++) {
		if (!strcmp(all[i].name, name))
			return &all[i];
	}
	return NULL;
}

int main(void)
{
	struct et_culprit first[] = { { .name = "busy", .cpu_ns = 900, .on_our_cpu_ns = 0 },
		{ .name = "near", .cpu_ns = 10, .on_our_cpu_ns = 7 } };
	struct et_culprit second[] = { { .name = "busy", .cpu_ns = 100, .on_our_cpu_ns = 30 },
		{ .name = "busy", .cpu_ns = 50, .on_our_cpu_ns = 20 } };
	struct et_sample samples[] = {
		{ .place.arrangement = ET_SOLO,
			.measured.culprits = first,
			.measured.n_culprits = 2 },
		{ .place.arrangement = ET_SOLO,
			.measured.culprits = second,
			.measured.n_culprits = 2 },
		{ .place.arrangement = ET_SOLO,
			.measured.others_ns = ET_UNKNOWN,
			.ruling.removal = { .by = ET_REMOVED_TWO_SIGMA } },
	};
	struct et_command c = { 0 };
	size_t n;

	for (size_t i = 0; i < ET_LENGTH(samples); i++)
		et_samples_add(&c.samples, &samples[i]);
	ET_AUTO_FREE struct et_culprit_total *all = et_command_culprits(&c, &n);
	const struct et_culprit_total *busy = find(all, n, "busy"), *near = find(all, n, "near");
	ok(n == 2 && busy == all && busy->cpu_ns == 1050 && busy->samples == 2,
		"culprits: equal names are summed, and the busiest is first");
	ok(busy->taken_ns == 50 && near && near->taken_ns == 7,
		"culprits: the time on the program's CPU is summed");

	/* A resumed experiment may have scheduler records for some of its samples only. */
	struct et_sample *other = et_samples_edit(&c.samples, 1);
	for (size_t i = 0; i < 2; i++)
		other->measured.culprits[i].on_our_cpu_ns = ET_UNKNOWN;
	other->measured.others_ns = ET_UNKNOWN;
	ET_AUTO_FREE struct et_culprit_total *part = et_command_culprits(&c, &n);
	busy = find(part, n, "busy");
	near = find(part, n, "near");
	ok(busy && near && busy->taken_ns == 0 && near->taken_ns == 0,
		"culprits: one sample without scheduler records makes the time on our CPU 0");
	et_samples_free(&c.samples);
	return tap_done();
}
