/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/observe/observer.h"

#include <assert.h>

/*
 * All observers, from the outermost to the innermost: before() and fill() are called in this order,
 * after() in reverse. The order matters:
 *
 *  - The probe's loop keeps a CPU busy for a fifth of a millisecond: outside of all others.
 *  - Exit records are emptied before the first snapshot and read after the second, so that every
 *    process that ended between the two snapshots has its record.
 *  - The ledger is armed last and stopped first, so that it counts little but the program. It fills
 *    last: it completes the culprits that the snapshots found.
 *
 * To add a row: copy skeleton.c to NAME_observer.c, and declare its struct et_observer in
 * observer.h; set holds_child to attach before execve.
 */
static const struct et_observer *const table[] = {
	&et_observe_probe,
	&et_observe_steal,
	&et_observe_exits,
	&et_observe_snapshots,
	&et_observe_ledger,
};

int et_observers_open(
	struct et_observers *o, const struct et_observer_setup *setup, struct et_error *err)
{
	int rc = 0;

	*o = (struct et_observers){ .setup = *setup };
	for (size_t i = 0; rc == 0 && i < ET_LENGTH(table); i++) {
		struct et_observing *x = &o->list[o->n++];
		x->ops = table[i];
		if (!x->ops->on_request)
			rc = x->ops->open(&o->setup, &x->self, err);
	}
	if (rc)
		et_observers_close(o);
	return rc;
}

int et_observers_request(
	struct et_observers *o, const struct et_observer *ops, struct et_error *err)
{
	struct et_observing *x = o->list;

	while (x < o->list + o->n && x->ops != ops)
		x++;
	assert(x < o->list + ET_LENGTH(o->list));
	if (x == o->list + o->n)
		*x = (struct et_observing){ .ops = ops };
	int rc = x->self ? 0 : ops->open(&o->setup, &x->self, err);
	o->n += rc == 0 && x == o->list + o->n;
	return rc;
}

void et_observers_close(struct et_observers *o)
{
	for (size_t i = o->n; i-- > 0;) {
		if (o->list[i].self)
			o->list[i].ops->close(o->list[i].self);
	}
	o->n = 0;
}

bool et_observers_hold(const struct et_observers *o)
{
	bool hold = false;

	for (size_t i = 0; i < o->n; i++)
		hold = hold || (o->list[i].self && o->list[i].ops->holds_child);
	return hold;
}

char *et_observers_sources(const struct et_observers *o)
{
	char *all = NULL;

	for (size_t i = 0; i < o->n; i++) {
		const struct et_observing *x = &o->list[i];
		if (x->self && x->ops->source)
			et_append(&all, "+", "%s", x->ops->source(x->self));
	}
	return all ? all : et_strdup("");
}

void et_observers_before(const struct et_observers *o, struct et_run *run)
{
	for (size_t i = 0; i < o->n; i++) {
		if (o->list[i].self && o->list[i].ops->before)
			o->list[i].ops->before(o->list[i].self, run);
	}
}

int et_observers_attach(const struct et_observers *o, struct et_run *run, struct et_error *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < o->n; i++) {
		if (o->list[i].self && o->list[i].ops->attach)
			rc = o->list[i].ops->attach(o->list[i].self, run, err);
	}
	return rc;
}

void et_observers_after(const struct et_observers *o, struct et_run *run)
{
	for (size_t i = o->n; i-- > 0;) {
		if (o->list[i].self && o->list[i].ops->after)
			o->list[i].ops->after(o->list[i].self, run);
	}
}

void et_observers_fill(const struct et_observers *o, struct et_run *run, struct et_sample *samples)
{
	for (size_t i = 0; i < o->n; i++) {
		if (o->list[i].self && o->list[i].ops->fill)
			o->list[i].ops->fill(o->list[i].self, run, samples);
	}
}
