/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/tally.h"
#include "base/alloc.h"

#include <math.h>
#include <string.h>

bool et_sample_counts(const struct et_sample *s)
{
	return !s->place.warmup && s->ruling.removal.by == ET_KEPT &&
	       s->place.arrangement == ET_SOLO;
}

/* Mean of a member over the kept solo samples; NaN if one of them lacks it. */
static double mean_of(const struct et_command *c, size_t offset)
{
	double sum = 0;
	size_t n = 0;

	for (size_t i = 0; i < c->n_samples; i++) {
		const struct et_sample *s = &c->samples[i];
		if (!et_sample_counts(s))
			continue;
		uint64_t ns = *(const uint64_t *)((const char *)s + offset);
		if (ns == ET_UNKNOWN)
			return NAN;
		sum += (double)ns;
		n++;
	}
	return n ? sum / (double)n : NAN;
}

static double or_zero(double x)
{
	return isnan(x) ? 0 : x;
}

static void average_parts(const struct et_command *c, struct et_parts *p)
{
	p->elapsed = mean_of(c, offsetof(struct et_sample, measured.elapsed_ns));
	p->cpu = mean_of(c, offsetof(struct et_sample, measured.cpu_ns));
	p->user = mean_of(c, offsetof(struct et_sample, measured.user_ns));
	p->system = mean_of(c, offsetof(struct et_sample, measured.system_ns));
	p->wait = mean_of(c, offsetof(struct et_sample, measured.wait_ns));
	p->blocked = mean_of(c, offsetof(struct et_sample, measured.blocked_ns));
	p->steal = mean_of(c, offsetof(struct et_sample, measured.steal_ns));
	p->rest = p->elapsed - p->cpu - or_zero(p->wait) - or_zero(p->blocked) - or_zero(p->steal);
	p->overlap = p->rest < -0.01 * p->elapsed;
	if (p->rest < 0)
		p->rest = 0;
	p->others = mean_of(c, offsetof(struct et_sample, measured.others_ns));
	p->idle = mean_of(c, offsetof(struct et_sample, measured.idle_ns));
	p->unexplained = fmax(0, p->elapsed - p->cpu - p->others - p->idle - or_zero(p->steal));
}

void et_tally_samples(const struct et_command *c, struct et_tally *out)
{
	memset(out, 0, sizeof(*out));
	out->max_rss_bytes = ET_UNKNOWN;
	for (size_t i = 0; i < c->n_samples; i++) {
		const struct et_sample *s = &c->samples[i];

		if (s->place.warmup) {
			out->warmup++;
			continue;
		}
		if (s->ruling.removal.by != ET_KEPT) {
			out->removed[s->ruling.removal.by]++;
			out->n_removed++;
			continue;
		}
		out->kept[s->place.arrangement]++;
		out->wait4 += s->measured.cpu_source == ET_CPU_BY_WAIT4 &&
			      s->measured.cpu_ns != ET_UNKNOWN;
		if (s->measured.max_rss_bytes != ET_UNKNOWN &&
			(out->max_rss_bytes == ET_UNKNOWN ||
				s->measured.max_rss_bytes > out->max_rss_bytes))
			out->max_rss_bytes = s->measured.max_rss_bytes;
	}
	average_parts(c, &out->parts);
}
