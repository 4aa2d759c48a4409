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

/* The members of a sample that are averaged. */
static const struct part {
	size_t from, to; /* offsets in struct et_sample and struct et_parts */
} parts[] = {
#define PART(member, part)                                                                         \
	{                                                                                          \
		offsetof(struct et_sample, measured.member), offsetof(struct et_parts, part)       \
	}
	PART(elapsed_ns, elapsed),
	PART(cpu_ns, cpu),
	PART(user_ns, user),
	PART(system_ns, system),
	PART(wait_ns, wait),
	PART(blocked_ns, blocked),
	PART(steal_ns, steal),
	PART(others_ns, others),
	PART(idle_ns, idle),
};

/* Means over the kept solo samples; NaN if one of them lacks the member. */
static void average(const struct et_command *c, struct et_parts *p)
{
	ET_AUTO_READER struct et_sample_reader r = et_samples_read_figures(&c->samples);
	double sums[ET_LENGTH(parts)] = { 0 };
	size_t n = 0;

	for (const struct et_sample *s; (s = et_sample_reader_next(&r));) {
		if (!et_sample_counts(s))
			continue;
		n++;
		for (size_t i = 0; i < ET_LENGTH(parts); i++) {
			uint64_t ns = *(const uint64_t *)((const char *)s + parts[i].from);
			sums[i] += ns == ET_UNKNOWN ? NAN : (double)ns;
		}
	}
	for (size_t i = 0; i < ET_LENGTH(parts); i++) {
		double mean = n ? sums[i] / (double)n : NAN;
		memcpy((char *)p + parts[i].to, &mean, sizeof(mean));
	}
}

static double or_zero(double x)
{
	return isnan(x) ? 0 : x;
}

static void average_parts(const struct et_command *c, struct et_parts *p)
{
	average(c, p);
	p->rest = p->elapsed - p->cpu - or_zero(p->wait) - or_zero(p->blocked) - or_zero(p->steal);
	p->overlap = p->rest < -0.01 * p->elapsed;
	if (p->rest < 0)
		p->rest = 0;
	p->unexplained = fmax(0, p->elapsed - p->cpu - p->others - p->idle - or_zero(p->steal));
}

void et_tally_samples(const struct et_command *c, struct et_tally *out)
{
	ET_AUTO_READER struct et_sample_reader r = et_samples_read_figures(&c->samples);

	memset(out, 0, sizeof(*out));
	out->max_rss_bytes = ET_UNKNOWN;
	for (const struct et_sample *s; (s = et_sample_reader_next(&r));) {
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
