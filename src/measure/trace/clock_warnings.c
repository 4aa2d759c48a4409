/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/trace/clock_warnings.h"

static void warn_counter(const struct et_survey *s, struct et_warnings *out)
{
	struct et_survey_offsets o = et_survey_offsets(s);

	if (s->counter_error)
		et_warn(out, ET_WARN_COUNTER_FORBIDDEN, et_arg_text(strerror(s->counter_error)));
	else if (!s->counter.name)
		et_warn(out, ET_WARN_NO_COUNTER);
	else if (!s->counter.invariant)
		et_warn(out, ET_WARN_COUNTER_RATE_VARIES);
	if (s->drift_error == -ERANGE)
		et_warn(out, ET_WARN_COUNTER_BACKWARDS);
	if (o.backwards)
		et_warn(out, ET_WARN_COUNTER_BACKWARDS_ACROSS_CPUS);
	if (o.moves)
		et_warn(out, ET_WARN_COUNTERS_DRIFT_APART);
	if (s->cpus < 2)
		et_warn(out, ET_WARN_ONE_CPU);
	if (o.silent)
		et_warn(out, ET_WARN_CPUS_BUSY, et_arg_count(o.silent));
	if (s->pairs_error && s->pairs_error != -EOPNOTSUPP)
		et_warn(out, ET_WARN_CPUS_NOT_COMPARED, et_arg_text(strerror(-s->pairs_error)));
}

static void warn_timer(const struct et_survey *s, struct et_warnings *out)
{
	if (s->timer_error == -EAGAIN)
		et_warn(out, ET_WARN_FEW_TIMER_INTERRUPTS, et_arg_count(s->timer.interrupts),
			et_arg_count(ET_TIMER_INTERRUPTS));
	else if (s->timer_error == -ENOENT)
		et_warn(out, ET_WARN_NO_TIMER_INTERRUPT);
	else if (s->timer_error && s->counter.name)
		et_warn(out, ET_WARN_TIMER_NOT_MEASURED, et_arg_text(strerror(-s->timer_error)));
}

static void warn_clock(const struct et_survey_clock *c, struct et_warnings *out)
{
	const struct et_timepiece_figures *f = &c->figures;

	if (f->error)
		return;
	if (!f->steps)
		et_warn(out, ET_WARN_CLOCK_NO_STEP, et_arg_text(c->is->name));
	else if (f->confirmed < ET_STEP_CONFIRMED)
		et_warn(out, ET_WARN_CLOCK_STEP_UNCONFIRMED, et_arg_text(c->is->name),
			et_arg_count(f->confirmed));
	if (f->backwards)
		et_warn(out, ET_WARN_CLOCK_BACKWARDS, et_arg_text(c->is->name),
			et_arg_count(f->backwards));
}

void et_survey_warn(const struct et_survey *s, const char *clocksource, struct et_warnings *out)
{
	if (s->cut_short) {
		et_warn(out, ET_WARN_SURVEY_CUT_SHORT);
		return;
	}
	warn_counter(s, out);
	warn_timer(s, out);
	for (size_t i = 0; i < s->n_clocks; i++)
		warn_clock(&s->clocks[i], out);
	if (s->ntp.error)
		et_warn(out, ET_WARN_NTP_UNREADABLE, et_arg_text(strerror(s->ntp.error)));
	if (s->counter.name && strcmp(clocksource, "tsc") &&
		strcmp(clocksource, "arch_sys_counter"))
		et_warn(out, ET_WARN_CLOCK_SOURCE, et_arg_text(clocksource));
}
