/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/experiment/environment.h"

const char *const et_change_kind_names[] = { "file", "unit", "process", NULL };

void et_findings_free(struct et_findings *f)
{
	for (size_t i = 0; i < f->n; i++) {
		free(f->list[i].state);
		free(f->list[i].wanted);
	}
	free(f->list);
	memset(f, 0, sizeof(*f));
}

void et_change_free(struct et_change *c)
{
	free(c->factor);
	free(c->target);
	free(c->before);
	free(c->after);
	memset(c, 0, sizeof(*c));
}

struct et_change et_change_copy(const struct et_change *c)
{
	struct et_change copy = *c;

	copy.factor = et_strdup(c->factor);
	copy.target = et_strdup(c->target);
	copy.before = et_strdup(c->before);
	copy.after = et_strdup(c->after);
	return copy;
}

void et_changes_free(struct et_changes *c)
{
	for (size_t i = 0; i < c->n; i++)
		et_change_free(&c->list[i]);
	free(c->list);
	memset(c, 0, sizeof(*c));
}

void et_changes_add(struct et_changes *c, enum et_change_kind kind, const char *factor,
	const char *target, const char *before, const char *after)
{
	ET_GROW(c->list, c->n, c->cap);
	c->list[c->n++] = (struct et_change){ .kind = kind,
		.factor = et_strdup(factor),
		.target = et_strdup(target),
		.before = et_strdup(before),
		.after = et_strdup(after) };
}

void et_results_add(
	struct et_results *r, const struct et_change *c, enum et_outcome outcome, const char *note)
{
	ET_GROW(r->list, r->n, r->cap);
	r->list[r->n++] = (struct et_result){ .change = et_change_copy(c),
		.outcome = outcome,
		.note = note && *note ? et_strdup(note) : NULL };
}

void et_results_free(struct et_results *r)
{
	for (size_t i = 0; i < r->n; i++) {
		et_change_free(&r->list[i].change);
		free(r->list[i].note);
	}
	free(r->list);
	memset(r, 0, sizeof(*r));
}

size_t et_results_count(const struct et_results *r, enum et_outcome outcome)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n; i++)
		n += r->list[i].outcome == outcome;
	return n;
}
