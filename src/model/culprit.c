/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/culprit.h"
#include "base/alloc.h"

#include <string.h>

struct sighting {
	const struct et_culprit *who;
	size_t sample;
	bool counts; /* in a solo sample that was kept */
};

static int by_name_and_sample(const void *a, const void *b)
{
	const struct sighting *x = a, *y = b;
	int order = strncmp(x->who->name, y->who->name, sizeof(x->who->name));

	return order ? order : (x->sample > y->sample) - (x->sample < y->sample);
}

static int by_time(const void *a, const void *b)
{
	const struct et_culprit_total *x = a, *y = b;

	if (x->cpu_ns != y->cpu_ns)
		return x->cpu_ns < y->cpu_ns ? 1 : -1;
	return strncmp(x->name, y->name, sizeof(x->name));
}

static bool counts(const struct et_sample *s)
{
	return !s->place.warmup && s->place.arrangement == ET_SOLO &&
	       s->ruling.removal.by == ET_KEPT;
}

static struct sighting *all_sightings(const struct et_command *c, size_t *n)
{
	struct sighting *all = NULL;
	size_t cap = 0;

	*n = 0;
	for (size_t i = 0; i < c->n_samples; i++) {
		const struct et_sample *s = &c->samples[i];
		for (size_t k = 0; !s->place.warmup && k < s->measured.n_culprits; k++) {
			const struct et_culprit *who = &s->measured.culprits[k];
			bool taken = who->on_our_cpu_ns && who->on_our_cpu_ns != ET_UNKNOWN;
			if (who->cpu_ns == ET_UNKNOWN || (!who->cpu_ns && !taken))
				continue;
			ET_GROW(all, *n, cap);
			all[(*n)++] = (struct sighting){ who, i, counts(s) };
		}
	}
	return all;
}

/* Does every sample that counts have a ledger? Sums over some of them would mislead. */
static bool all_tell(const struct et_command *c)
{
	for (size_t i = 0; i < c->n_samples; i++) {
		const struct et_sample *s = &c->samples[i];
		if (counts(s) && s->measured.others_ns == ET_UNKNOWN)
			return false;
	}
	return true;
}

struct et_culprit_total *et_command_culprits(const struct et_command *c, size_t *n)
{
	size_t n_all;
	ET_AUTO_FREE struct sighting *all = all_sightings(c, &n_all);
	struct et_culprit_total *out = et_calloc(n_all + 1, sizeof(*out)), *last = NULL;
	bool told = all_tell(c);

	*n = 0;
	if (n_all)
		qsort(all, n_all, sizeof(*all), by_name_and_sample);
	for (size_t i = 0; i < n_all; i++) {
		const struct et_culprit *who = all[i].who;
		bool same = last && !strncmp(last->name, who->name, sizeof(who->name));

		if (!same) {
			last = &out[(*n)++];
			memcpy(last->name, who->name, sizeof(last->name));
			last->name[sizeof(last->name) - 1] = '\0';
		}
		last->cpu_ns += who->cpu_ns;
		if (told && all[i].counts && who->on_our_cpu_ns != ET_UNKNOWN)
			last->taken_ns += who->on_our_cpu_ns;
		last->samples += !same || all[i].sample != all[i - 1].sample;
	}
	qsort(out, *n, sizeof(*out), by_time);
	return out;
}
