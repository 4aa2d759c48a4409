/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Warnings about things that samples do not show: the kernel, waiting, and that runs failed. */
#include "stats/profile/row.h"

static const double most_unseen = 0.05; /* system time over CPU time */
static const double most_waited = 0.5;  /* of the elapsed time */

struct sums {
	double elapsed, cpu, system, queued; /* queued: runnable, waiting for a CPU */
	uint64_t runs, failed;
	int32_t signal, exit_code; /* of the first run that failed */
};

static double known(uint64_t ns)
{
	return ns == ET_UNKNOWN ? 0 : (double)ns;
}

static void add(const struct et_measured *m, struct sums *s)
{
	s->runs++;
	s->elapsed += known(m->elapsed_ns);
	s->cpu += known(m->cpu_ns);
	s->system += known(m->system_ns);
	s->queued += known(m->wait_ns);
	if (!m->exit_code && !m->signal)
		return;
	if (!s->failed++) {
		s->signal = m->signal;
		s->exit_code = m->exit_code;
	}
}

static struct sums add_up(const struct et_command *c)
{
	ET_AUTO_READER struct et_sample_reader r = et_samples_read_figures(&c->samples);
	struct sums sums = { 0 };

	for (const struct et_sample *s; (s = et_sample_reader_next(&r));) {
		if (!s->place.warmup && s->ruling.removal.by == ET_KEPT)
			add(&s->measured, &sums);
	}
	return sums;
}

void et_profile_warn_runs(const struct et_experiment *e, uint32_t command, struct et_warnings *out)
{
	const struct et_profile *p = e->profile;
	struct sums s = add_up(&e->commands[command]);

	if (p->way == ET_PROFILE_IMPORTED)
		return;
	if (s.failed)
		et_warn(out, ET_WARN_PROFILE_RUNS_FAILED, et_arg_count(s.failed),
			et_arg_count(s.runs), et_arg_flag(s.signal != 0),
			et_arg_count((uint64_t)(s.signal ? s.signal : s.exit_code)));
	if (!p->kernel_allowed && !p->plan.user_only && s.system > most_unseen * s.cpu)
		et_warn(out, ET_WARN_PROFILE_KERNEL_UNSEEN, et_arg_share(s.system / s.cpu));
	double waited = s.elapsed - s.cpu - s.queued;
	if (waited > most_waited * s.elapsed)
		et_warn(out, ET_WARN_PROFILE_WAITED, et_arg_share(waited / s.elapsed));
}
