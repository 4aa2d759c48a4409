/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/result/fleet.h"
#include "base/parse.h"
#include "model/experiment/field.h"

struct et_fleet_machine *et_fleet_add(struct et_fleet *f, const char *id)
{
	ET_GROW(f->list, f->n, f->cap);
	struct et_fleet_machine *m = &f->list[f->n++];

	*m = (struct et_fleet_machine){
		.ratio = NAN, .lo = NAN, .hi = NAN, .p_holm = NAN, .noise = NAN, .time_ns = NAN
	};
	snprintf(m->id, sizeof(m->id), "%s", id);
	return m;
}

static void free_environment(struct et_fleet_machine *m)
{
	for (size_t i = 0; i < m->n_deviations; i++)
		et_fields_set_missing(et_factor_fields, &m->deviations[i]);
	free(m->deviations);
	m->deviations = NULL;
	m->n_deviations = 0;
}

static char *copy(const char *text)
{
	return et_strdup(text ? text : "");
}

void et_fleet_set_environment(struct et_fleet_machine *m, const struct et_factor *list, size_t n)
{
	free_environment(m);
	m->deviations = et_calloc(n + 1, sizeof(*m->deviations));
	m->environment_known = true;
	for (size_t i = 0; i < n; i++) {
		if (list[i].ok)
			continue;
		m->deviations[m->n_deviations++] =
			(struct et_factor){ .factor = copy(list[i].factor),
				.state = copy(list[i].state),
				.wanted = copy(list[i].wanted) };
	}
}

static bool is_shared(const struct et_fleet *f, size_t at, const char *label)
{
	char other[ET_MACHINE_SIZE];

	for (size_t i = 0; i < f->n; i++) {
		et_machine_label(f->list[i].id, f->list[i].host.name, other, sizeof(other));
		if (i != at && !strcmp(other, label))
			return true;
	}
	return false;
}

void et_fleet_name(struct et_fleet *f)
{
	enum { SHOWN = 6 };

	for (size_t i = 0; i < f->n; i++) {
		struct et_fleet_machine *m = &f->list[i];
		char label[ET_MACHINE_SIZE];
		et_machine_label(m->id, m->host.name, label, sizeof(label));
		const char *old = et_machine_old_digest(m->id), *digest = old ? old : m->id;
		free(m->name);
		if (!*label)
			m->name = et_strdup("?");
		else if (is_shared(f, i, label) && et_machine_is_digest(digest))
			m->name = et_asprintf("%s (%.*s)", label, SHOWN, digest);
		else
			m->name = et_strdup(label);
	}
}

static int by_name(const void *va, const void *vb)
{
	const struct et_fleet_machine *a = va, *b = vb;

	return strverscmp(a->name, b->name);
}

void et_fleet_sort(struct et_fleet *f)
{
	if (f->n)
		qsort(f->list, f->n, sizeof(*f->list), by_name);
}

size_t et_fleet_find(const struct et_fleet *f, const char *name)
{
	for (size_t i = 0; i < f->n; i++) {
		if (!strcmp(f->list[i].name, name) || !strcmp(f->list[i].id, name))
			return i;
	}
	return f->n;
}

void et_fleet_free(struct et_fleet *f)
{
	for (size_t i = 0; i < f->n; i++) {
		free(f->list[i].name);
		free(f->list[i].recent);
		free_environment(&f->list[i]);
	}
	free(f->list);
	free(f->reference);
	et_warnings_free(&f->warnings);
	et_strv_free(f->notes);
	*f = (struct et_fleet){ 0 };
}
