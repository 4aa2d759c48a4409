/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/series/tally.h"
#include "model/experiment/experiment.h"

/* Means over the kept solo samples; NaN if one of them lacks the member. */
static void average_parts(const struct et_command *c, struct et_parts *p)
{
	size_t n = 0;

	p->ledger = true;
	et_for_each_sample(s, &c->samples) {
		double shares[ET_SHARES];
		if (!et_sample_counts(s) || et_sample_is_function(s))
			continue;
		n++;
		p->elapsed += et_known(s->measured.elapsed_ns);
		p->cpu += et_known(s->measured.cpu_ns);
		p->user += et_known(s->measured.user_ns);
		p->system += et_known(s->measured.system_ns);
		p->blocked += et_known(s->measured.blocked_ns);
		p->ledger = p->ledger && s->measured.others_ns != ET_UNKNOWN;
		et_sample_shares(&s->measured, shares);
		for (int i = 0; i < ET_SHARES; i++)
			p->shares[i] += shares[i];
	}
	p->ledger = p->ledger && n;
	p->elapsed = n ? p->elapsed / (double)n : NAN;
	p->cpu /= (double)n;
	p->user /= (double)n;
	p->system /= (double)n;
	p->blocked /= (double)n;
	for (int i = 0; i < ET_SHARES; i++)
		p->shares[i] /= (double)n;
}

void et_tally_samples(const struct et_command *c, struct et_tally *out)
{
	memset(out, 0, sizeof(*out));
	out->max_rss_bytes = ET_UNKNOWN;
	et_for_each_sample(s, &c->samples) {
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
			      s->measured.cpu_ns != ET_UNKNOWN && !et_sample_is_function(s);
		if (s->measured.max_rss_bytes != ET_UNKNOWN &&
			(out->max_rss_bytes == ET_UNKNOWN ||
				s->measured.max_rss_bytes > out->max_rss_bytes))
			out->max_rss_bytes = s->measured.max_rss_bytes;
	}
	average_parts(c, &out->parts);
}

static int by_time(const void *a, const void *b)
{
	const struct et_tally_taker *x = a, *y = b;

	return ET_ORDER(y->ns, x->ns) ?: strncmp(x->name, y->name, sizeof(x->name));
}

struct et_tally_taker *et_takers(
	const struct et_command *c, const struct et_parts *p, size_t *n, double *rest_ns)
{
	size_t n_culprits, counted;
	ET_AUTO_FREE struct et_culprit_total *all = et_command_culprits(c, &n_culprits);
	ET_AUTO_FREE double *values = et_command_values(c, ET_METRIC_ELAPSED, ET_SOLO, &counted);
	struct et_tally_taker *list = et_calloc(n_culprits + 1, sizeof(*list));

	*n = 0;
	*rest_ns = p->ledger ? p->shares[ET_SHARE_RUNNABLE] : 0;
	for (size_t i = 0; p->ledger && i < n_culprits; i++) {
		struct et_tally_taker *t = &list[*n];
		if (!all[i].taken_ns)
			continue;
		memcpy(t->name, all[i].name, sizeof(t->name));
		t->ns = (double)all[i].taken_ns / (double)counted;
		*rest_ns -= t->ns;
		++*n;
	}
	*rest_ns = *rest_ns > 0 ? *rest_ns : 0;
	qsort(list, *n, sizeof(*list), by_time);
	return list;
}
