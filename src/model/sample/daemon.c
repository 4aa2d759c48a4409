/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/sample/daemon.h"

/* --- names --- */

uint32_t et_daemon_record_name(struct et_daemon_record *r, const char *name)
{
	uint64_t key = et_hash_text(name) | 1, *place; /* its index + 1; 0: the name is new */

	r->by_name.width = sizeof(*place);
	while (*(place = et_hash_put(&r->by_name, key)) && strcmp(r->names[*place - 1], name))
		key += 2;
	if (!*place) {
		ET_GROW(r->names, r->n_names, r->cap_names);
		r->names[r->n_names++] = et_strdup(name);
		*place = r->n_names;
	}
	return (uint32_t)*place - 1;
}

const char *et_daemon_of(const struct et_culprit *x)
{
	return x->kernel_thread && !strncmp(x->name, "kworker/", 8) ? "kworker" : x->name;
}

bool et_daemon_nameless(const char *name)
{
	return !*name || !strcmp(name, "?");
}

/* --- samples --- */

struct et_daemon_sample *et_daemon_run_add(struct et_daemon_run *run, uint32_t number, double at_s)
{
	ET_GROW(run->listed, run->n_listed, run->cap_listed);
	run->listed[run->n_listed] = (struct et_daemon_sample){ .number = number,
		.at_s = at_s,
		.elapsed_ms = NAN,
		.cpu_ms = NAN,
		.first = run->n_executions };
	return &run->listed[run->n_listed++];
}

struct et_execution *et_daemon_run_execution(struct et_daemon_run *run, uint32_t name, double ms)
{
	ET_GROW(run->executions, run->n_executions, run->cap_executions);
	run->executions[run->n_executions] = (struct et_execution){ name, ms, ms, NAN };
	run->listed[run->n_listed - 1].n++;
	return &run->executions[run->n_executions++];
}

/* Numbers continue over the pause of a resumed run, so look at the time as well. */
bool et_daemon_successive(const struct et_daemon_run *run, size_t i)
{
	if (i + 1 >= run->n_listed)
		return false;
	const struct et_daemon_sample *a = &run->listed[i], *b = a + 1;
	double took = isnan(a->elapsed_ms) ? 0 : 1e-3 * a->elapsed_ms;

	return b->number == a->number + 1 &&
	       b->at_s - a->at_s <= fmax(took, run->sample_seconds) + 2 * run->sample_seconds;
}

bool et_daemon_pair(const struct et_daemon_run *run, size_t i)
{
	return et_daemon_successive(run, i) && run->listed[i].number % 2 == 1;
}

/* --- settling --- */

struct sorted_name {
	char *text;
	uint32_t old;
};

static int by_text(const void *a, const void *b)
{
	return strcmp(((const struct sorted_name *)a)->text, ((const struct sorted_name *)b)->text);
}

static void rename_all(struct et_daemon_run *run, const uint32_t *new_place)
{
	for (size_t i = 0; i < run->n_executions; i++)
		run->executions[i].name = new_place[run->executions[i].name];
	for (size_t i = 0; i < run->n_central; i++)
		run->central[i].name = new_place[run->central[i].name];
}

/* A few samples may lack the ledger, because the kernel dropped records. */
static bool has_ledger(const struct et_daemon_run *run)
{
	size_t samples = 0, with = 0;

	for (size_t i = 0; i < run->n_listed; i++) {
		const struct et_daemon_sample *w = &run->listed[i];
		samples += w->n > 0;
		with += w->n > 0 && !isnan(run->executions[w->first].ours_ms);
	}
	return with && (double)with >= 0.9 * (double)samples;
}

/* Nobody is blamed for a sample without a ledger. */
static void judge_by_ledger(struct et_daemon_run *run)
{
	for (size_t i = 0; i < run->n_executions; i++) {
		struct et_execution *x = &run->executions[i];
		x->ms = isnan(x->ours_ms) ? 0 : x->ours_ms;
	}
}

static bool whole_times(const struct et_daemon_run *run)
{
	for (size_t i = 0; i < run->n_executions; i++) {
		const struct et_execution *x = &run->executions[i];
		if (x->ms != floor(x->ms) || x->cpu_ms != floor(x->cpu_ms))
			return false;
	}
	return true;
}

static bool whole_samples(const struct et_daemon_run *run)
{
	for (size_t i = 0; i < run->n_listed; i++) {
		const struct et_daemon_sample *w = &run->listed[i];
		if (w->elapsed_ms != floor(w->elapsed_ms) || w->cpu_ms != floor(w->cpu_ms))
			return !run->whole;
	}
	return true;
}

void et_daemon_record_settle(struct et_daemon_record *r)
{
	ET_AUTO_FREE struct sorted_name *names = et_calloc(r->n_names + 1, sizeof(*names));
	ET_AUTO_FREE uint32_t *new_place = et_calloc(r->n_names + 1, sizeof(*new_place));

	for (uint32_t i = 0; i < r->n_names; i++)
		names[i] = (struct sorted_name){ r->names[i], i };
	qsort(names, r->n_names, sizeof(*names), by_text);
	for (uint32_t i = 0; i < r->n_names; i++) {
		r->names[i] = names[i].text;
		new_place[names[i].old] = i;
	}
	et_hash_free(&r->by_name);
	rename_all(&r->short_run, new_place);
	rename_all(&r->long_run, new_place);
	r->by_ledger =
		has_ledger(&r->short_run) && (!r->long_run.samples || has_ledger(&r->long_run));
	if (r->by_ledger) {
		judge_by_ledger(&r->short_run);
		judge_by_ledger(&r->long_run);
	}
	r->resolution_ms = whole_times(&r->short_run) && whole_times(&r->long_run) ? 1 : 0;
	r->step_ms = whole_samples(&r->short_run) && whole_samples(&r->long_run) ? 1 : 0;
}

/* Adds an execution of the sample to an earlier one, if both are small. Returns whether it did. */
static bool add_to_earlier(
	struct et_daemon_run *run, const struct et_execution *x, double floor_ms, size_t *earlier)
{
	size_t *at = &earlier[x->name];

	if (x->cpu_ms >= floor_ms)
		return false;
	if (!*at) {
		*at = run->n_executions + 1;
		return false;
	}
	struct et_execution *to = &run->executions[*at - 1];
	to->ms += x->ms;
	to->cpu_ms += x->cpu_ms;
	to->ours_ms += x->ours_ms;
	return true;
}

static void add_small(struct et_daemon_run *run, size_t n_names, double floor_ms)
{
	size_t *earlier = et_calloc(n_names + 1, sizeof(*earlier)); /* place + 1 in the sample */
	size_t read = 0;

	run->n_executions = 0;
	for (size_t i = 0; i < run->n_listed; i++) {
		struct et_daemon_sample *w = &run->listed[i];
		size_t end = read + w->n;
		w->first = run->n_executions;
		for (; read < end; read++) {
			struct et_execution x = run->executions[read];
			if (!add_to_earlier(run, &x, floor_ms, earlier))
				run->executions[run->n_executions++] = x;
		}
		w->n = run->n_executions - w->first;
		for (size_t k = w->first; k < run->n_executions; k++)
			earlier[run->executions[k].name] = 0;
	}
	free(earlier);
}

void et_daemon_add_small(struct et_daemon_record *r, double floor_ms)
{
	if (r->short_run.whole)
		add_small(&r->short_run, r->n_names, floor_ms);
	if (r->long_run.whole)
		add_small(&r->long_run, r->n_names, floor_ms);
}

static void run_free(struct et_daemon_run *run)
{
	free(run->listed);
	free(run->executions);
	free(run->central);
}

void et_daemon_record_free(struct et_daemon_record *r)
{
	for (size_t i = 0; i < r->n_names; i++)
		free(r->names[i]);
	free(r->names);
	et_hash_free(&r->by_name);
	run_free(&r->short_run);
	run_free(&r->long_run);
}

/* Rows of both kinds begin with the name. */
static int by_name(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return ET_ORDER(*x, *y);
}

const struct et_central *et_findings_central(const struct et_run_findings *f, uint32_t name)
{
	return f->n_central ? bsearch(&name, f->central, f->n_central, sizeof(*f->central), by_name)
			    : NULL;
}

const struct et_collected *et_findings_collected(const struct et_run_findings *f, uint32_t name)
{
	return f->n_collected ? bsearch(&name, f->collected, f->n_collected, sizeof(*f->collected),
					by_name)
			      : NULL;
}

static void run_findings_free(struct et_run_findings *f)
{
	free(f->far);
	free(f->explained);
	free(f->central);
	free(f->long_running);
	free(f->frequent);
	free(f->collected);
	free(f->removed);
	free(f->spoils);
}

void et_daemon_findings_free(struct et_daemon_findings *f)
{
	run_findings_free(&f->short_run);
	run_findings_free(&f->long_run);
	free(f->cutoffs);
}

void et_cutoffs_free(struct et_cutoffs *c)
{
	free(c->list);
}

double et_cutoff_for(const struct et_cutoff *c, double seconds)
{
	bool longer = c->n_final > 1 && seconds >= c->task_time_s;

	return c->final_ms[longer ? 1 : 0];
}
