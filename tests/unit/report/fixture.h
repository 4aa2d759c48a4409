/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An experiment and its results with invented figures, for the tests of the reports. */
#pragma once

#include "base/base.h"
#include "model/result/result.h"
#include "sample_of.h"

#include <math.h>
#include <string.h>

static inline struct et_sample fixture_sample(
	uint32_t command, uint64_t elapsed_ns, uint64_t cpu_ns)
{
	return (struct et_sample){
		.place.command = command,
		.place.order = 1,
		.place.round = 1,
		.place.partner = -1,
		.measured.elapsed_ns = elapsed_ns,
		.measured.cpu_ns = cpu_ns,
		.measured.user_ns = cpu_ns - cpu_ns / 10,
		.measured.system_ns = cpu_ns / 10,
		.measured.wait_ns = (elapsed_ns - cpu_ns) / 2,
		.measured.blocked_ns = ET_UNKNOWN,
		.measured.steal_ns = 0,
		.measured.on_cpu_ns = ET_UNKNOWN,
		.measured.runnable_ns = ET_UNKNOWN,
		.measured.asleep_ns = ET_UNKNOWN,
		.measured.others_ns = ET_UNKNOWN,
		.measured.idle_ns = ET_UNKNOWN,
		.measured.irq_ns = ET_UNKNOWN,
		.measured.softirq_ns = ET_UNKNOWN,
		.measured.irq_in_cpu_ns = ET_UNKNOWN,
		.measured.max_rss_bytes = 3355443,
		.measured.voluntary_switches = 2,
		.measured.involuntary_switches = 5,
		.measured.cpu_migrations = ET_UNKNOWN,
		.measured.major_faults = 0,
		.measured.minor_faults = 211,
		.measured.started_wall_ns = 1794732906000000000u,
	};
}

static inline struct et_experiment *fixture_experiment(const char *const *names, size_t n)
{
	struct et_experiment *e = et_calloc(1, sizeof(*e));

	et_experiment_name(e, 1794732906123456789u, 0x1f3a9c);
	e->finished_wall_ns = 1794732916123456789u;
	e->state = ET_STATE_DONE;
	e->plan = (struct et_plan){
		.seed = 42, .warmup = 1, .runs = 4, .min_runs = 10, .max_runs = 1000, .level = 0.95
	};
	e->snapshot_source = et_strdup("taskstats");
	strcpy(e->host.name, "box");
	strcpy(e->host.kernel, "6.1.0-18-amd64");
	strcpy(e->host.cpu, "Some CPU @ 2.00GHz");
	strcpy(e->host.virtual_machine, "kvm");
	strcpy(e->host.clocksource, "tsc");
	e->host.cpus = 2;
	e->n_commands = n;
	e->commands = et_calloc(n, sizeof(*e->commands));
	for (size_t i = 0; i < n; i++) {
		struct et_command *c = &e->commands[i];
		c->name = et_strdup(names[i]);
		c->text = et_strdup(names[i]);
		c->argv = et_calloc(2, sizeof(*c->argv));
		c->argv[0] = et_strdup(names[i]);
		for (uint32_t k = 0; k < 6; k++) {
			struct et_sample s = fixture_sample((uint32_t)i,
				430000000u + k * 1000000u + (uint32_t)i * 8000000u,
				412300000u + k * 500000u + (uint32_t)i * 8600000u);
			struct et_culprit who[] = {
				{ .name = "cron",
					.pid = 77,
					.cpu_ns = 1500000,
					.on_our_cpu_ns = ET_UNKNOWN },
				{ .name = "kworker/0:1",
					.pid = 9,
					.kernel_thread = true,
					.cpu_ns = 20000,
					.doubt_ns = 4000000,
					.exited = true },
			};
			s.place.order = (uint32_t)i + 1 + 2 * k;
			s.place.round = k;
			s.place.warmup = k == 0;
			if (k == 2 || k == 5) {
				s.measured.culprits = who;
				s.measured.n_culprits = 2;
			}
			if (k == 5)
				s.ruling.removal =
					(struct et_removal){ .by = ET_REMOVED_DAEMON_CUTOFF,
						.daemon = "cron",
						.cpu_ns = 1500000,
						.cutoff_ns = 1000000 };
			et_experiment_add(e, &s);
		}
	}
	return e;
}

static inline struct et_estimate fixture_estimate(double mean, double u)
{
	return (struct et_estimate){
		.n = 4,
		.mean = mean,
		.sd = u / 1.6,
		.relative_error = u / 1.6 / mean,
		.min = mean - u,
		.max = mean + u,
		.median = mean - u / 10,
		.q1 = mean - u / 2,
		.q3 = mean + u / 2,
		.standard_uncertainty = u / 3.2,
		.coverage_factor = 3.182,
		.expanded_uncertainty = u,
		.lo = mean - u,
		.hi = mean + u,
		.level = 0.95,
		.interval_method = "student-t",
	};
}

static inline struct et_judgement fixture_judgement(const struct et_experiment *e)
{
	struct et_judgement j = { .n_commands = e->n_commands };

	j.commands = et_calloc(e->n_commands, sizeof(*j.commands));
	for (size_t i = 0; i < e->n_commands; i++) {
		struct et_command_result *r = &j.commands[i];
		r->command = &e->commands[i];
		r->reference = i == e->plan.reference;
		r->metric = e->metric;
		r->estimate[ET_METRIC_CPU] = fixture_estimate(412.3e6 + 8.6e6 * (double)i, 1.2e6);
		r->estimate[ET_METRIC_ELAPSED] = fixture_estimate(431e6 + 8e6 * (double)i, 3.4e6);
		r->removed = 1;
	}
	if (e->n_commands < 2)
		return j;
	j.n_contrasts = e->n_commands - 1;
	j.contrasts = et_calloc(j.n_contrasts, sizeof(*j.contrasts));
	for (size_t i = 0; i < j.n_contrasts; i++) {
		struct et_contrast c = { .a = 0,
			.unit = ET_UNIT_NS,
			.b = (uint32_t)i + 1,
			.pairs = 30,
			.arrangement = "duet",
			.log_ratio_sd = 0.0081,
			.ratio = 1.021,
			.lo = 1.018,
			.hi = 1.024,
			.level = 0.95,
			.method = "signed-rank",
			.statistic = 12,
			.p = 0.00002,
			.p_holm = 0.00004,
			.holm_alpha = 0.05,
			.significant_unadjusted = true,
			.significant = true };
		c.family = j.n_contrasts;
		c.conclusion = ET_CONCLUDED_SLOWER;
		j.contrasts[i] = c;
		j.commands[i + 1].contrast = &j.contrasts[i];
	}
	return j;
}

/* Adds a ledger to the samples; the first culprit of each had the program's CPU for taken_ns. */
static inline void fixture_ledger(struct et_experiment *e, uint64_t taken_ns)
{
	for (size_t i = 0; i < e->commands[0].samples.n; i++) {
		struct et_sample *s = sample_of(&e->commands[0], i);
		s->measured.elapsed_ns = 400000000;
		s->measured.cpu_ns = s->measured.on_cpu_ns = 300000000;
		s->measured.runnable_ns = 60000000;
		s->measured.asleep_ns = 20000000;
		s->measured.others_ns = 70000000;
		s->measured.idle_ns = 10000000;
		s->measured.steal_ns = 12000000;
		for (size_t k = 0; k < s->measured.n_culprits; k++)
			s->measured.culprits[k].on_our_cpu_ns = k ? 0 : taken_ns;
	}
}
