/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source/studies.h"
#include "base/clock.h"

#include <time.h>

char *et_study_name(const char *label)
{
	time_t now = (time_t)(et_clock_real.wall_ns(NULL) / 1000000000);
	struct tm tm;
	char stamp[32];

	gmtime_r(&now, &tm);
	strftime(stamp, sizeof(stamp), "%Y%m%d-%H%M%S", &tm);
	return et_asprintf("%s/%s", label, stamp);
}

void et_study_join(struct et_experiment *e, const char *study, const char *lab, const char *part)
{
	e->label = et_asprintf("%s/%s", study, part);
	e->member.study = et_strdup(study);
	e->member.study_lab = et_strdup(lab);
	e->member.study_part = et_strdup(part);
}

struct search {
	struct et_study_parts *p;
	const char *name;
};

static void add(
	struct et_study_parts *p, struct et_study_entry entry, const struct et_summary *summary)
{
	ET_GROW(p->list, p->n, p->cap);
	memcpy(entry.id, summary->id, sizeof(entry.id));
	p->list[p->n++] = entry;
}

static int note(void *ctx, const struct et_summary *s)
{
	const struct search *search = ctx;
	struct et_study_parts *p = search->p;
	size_t n = strlen(search->name);

	if (s->study && s->study_part) {
		struct et_study_entry entry = { .study = et_strdup(s->study),
			.part = et_strdup(s->study_part),
			.other = (s->study_lab && strcmp(s->study_lab, p->lab) != 0) ||
				 !p->is_part(p->ctx, s->study_part) };
		add(p, entry, s);
	} else if (s->label && !strncmp(s->label, search->name, n) && s->label[n] == '/' &&
		   p->is_part(p->ctx, s->label + n + 1)) {
		struct et_study_entry entry = { .study = et_strdup(search->name),
			.part = et_strdup(s->label + n + 1),
			.by_label = true };
		add(p, entry, s);
	}
	return 0;
}

/* Whether the study has that name, or its label: the time has 15 characters and a slash. */
static bool is_named(const struct et_study_entry *entry, const char *name)
{
	size_t n = strlen(name), all = strlen(entry->study);

	return !entry->by_label && (n == all || n + 16 == all) && !strncmp(entry->study, name, n);
}

static const struct et_study_entry *find(
	const struct et_study_parts *p, const char *text, bool is_id)
{
	for (size_t i = 0; i < p->n; i++) {
		const struct et_study_entry *entry = &p->list[i];
		if (!entry->other && (is_id ? !strcmp(entry->id, text) : is_named(entry, text)))
			return entry;
	}
	return NULL;
}

static void free_entry(struct et_study_entry *entry)
{
	free(entry->study);
	free(entry->part);
}

/* Keeps the parts of the study that was found. */
static void choose(struct et_study_parts *p, const char *study, char id[40])
{
	size_t n = 0;

	p->study = et_strdup(study);
	snprintf(id, 40, "%s", study);
	for (size_t i = 0; i < p->n; i++) {
		if (!p->list[i].other && !strcmp(p->list[i].study, p->study))
			p->list[n++] = p->list[i];
		else
			free_entry(&p->list[i]);
	}
	p->n = n;
}

/* Nothing of the store has the name but old records, or studies of other experiments. */
static int find_rest(const struct et_study_parts *p, const char *name,
	const struct et_study_entry **found, struct et_error *err)
{
	for (size_t i = 0; i < p->n; i++) {
		if (p->list[i].by_label) {
			*found = &p->list[i];
			return 0;
		}
		if (is_named(&p->list[i], name))
			return et_fail(err, ENOENT, ET_EXIT_USAGE,
				"'%s' is no experiment of lab %s", name, p->lab);
	}
	return -ENOENT;
}

int et_studies_find(struct et_study_parts *p, struct et_store *store, const char *name, char id[40],
	struct et_error *err)
{
	struct search search = { p, name };
	int rc = et_store_list(store, 0, note, &search, err);
	const struct et_study_entry *found = rc ? NULL : find(p, name, false);

	if (!rc && !found) {
		rc = et_store_find(store, name, id, err);
		found = rc ? NULL : find(p, id, true);
	}
	if (rc == -ENOENT)
		rc = find_rest(p, name, &found, err);
	if (found)
		choose(p, found->study, id);
	return rc;
}

void et_study_parts_free(struct et_study_parts *p)
{
	for (size_t i = 0; i < p->n; i++)
		free_entry(&p->list[i]);
	free(p->list);
	free(p->study);
	memset(p, 0, sizeof(*p));
}
