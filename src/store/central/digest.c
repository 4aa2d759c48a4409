/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The digest of an experiment: SHA-256 over all values that a store keeps of it, in the order in
 * which they are written. The origin is not among them, because every store decides it by itself.
 */
#include "base/alloc.h"
#include "base/sha256.h"
#include "model/design/json.h"
#include "model/experiment/figure.h"
#include "model/sample/profile.h"
#include "store/central/deliver.h"
#include "store/core/sql.h"

#include <string.h>

/* Every value has its kind before it, and texts their length: values cannot run together. */
static void add_number(struct et_sha256 *h, char kind, uint64_t value)
{
	unsigned char bytes[9] = { (unsigned char)kind };

	for (int i = 0; i < 8; i++)
		bytes[1 + i] = (unsigned char)(value >> (8 * i));
	et_sha256_add(h, bytes, sizeof(bytes));
}

static void add_int(struct et_sha256 *h, uint64_t value)
{
	add_number(h, 'i', value);
}

static void add_real(struct et_sha256 *h, double value)
{
	uint64_t bits;

	value += 0.0; /* no negative zero */
	memcpy(&bits, &value, sizeof(bits));
	add_number(h, 'r', bits);
}

static void add_null(struct et_sha256 *h)
{
	et_sha256_add(h, "n", 1);
}

static void add_text(struct et_sha256 *h, const char *text)
{
	if (!text) {
		add_null(h);
		return;
	}
	size_t n = strlen(text);
	add_number(h, 't', n);
	et_sha256_add(h, text, n);
}

static void add_field(struct et_sha256 *h, const struct et_field *f, const void *base)
{
	if (et_field_is_missing(f, base)) {
		add_null(h);
		return;
	}
	switch (f->kind) {
	case ET_FIELD_DOUBLE:
		add_real(h, et_field_double(f, base));
		break;
	case ET_FIELD_ENUM:
	case ET_FIELD_STRING:
	case ET_FIELD_CHARS:
		add_text(h, et_field_text(f, base));
		break;
	default:
		add_int(h, (uint64_t)et_field_int(f, base));
	}
}

static void add_columns(struct et_sha256 *h, const struct et_columns *columns, const void *base)
{
	for (const struct et_field *f = et_columns_next(columns, columns->fields); f;
		f = et_columns_next(columns, f + 1))
		add_field(h, f, base);
}

static void add_head(struct et_sha256 *h, const struct et_experiment *e)
{
	ET_AUTO_FREE char *design = e->design ? et_design_text(e->design, true) : NULL;

	add_text(h, e->id);
	add_text(h, e->label);
	add_int(h, e->started_wall_ns);
	add_int(h, e->finished_wall_ns);
	add_text(h, et_state_names[e->state]);
	add_text(h, et_protocol_names[e->protocol]);
	add_text(h, et_metric_options[e->metric_auto ? ET_METRIC_AUTO : e->metric]);
	add_text(h, et_order_names[e->plan.order]);
	add_int(h, e->plan.seed);
	add_text(h, e->snapshot_source);
	add_text(h, e->machine);
	add_text(h, design);
	add_columns(h, &et_columns_plan, &e->plan);
	add_columns(h, &et_columns_child, &e->child);
	add_columns(h, &et_columns_host, &e->host);
	add_columns(h, &et_columns_first_check, &e->first_check);
	add_columns(h, &et_columns_member, &e->member);
	if (et_member_kind(&e->member) == ET_MEMBER_STUDY)
		add_columns(h, &et_columns_study, &e->member);
	add_int(h, e->n_environment);
	for (size_t i = 0; i < e->n_environment; i++)
		add_columns(h, &et_columns_factor, &e->environment[i]);
}

static void add_sample(struct et_sha256 *h, const struct et_sample *s)
{
	add_columns(h, &et_columns_sample, s);
	add_columns(h, &et_columns_removal, &s->ruling.removal);
	add_int(h, s->measured.n_culprits);
	for (size_t i = 0; i < s->measured.n_culprits; i++) {
		add_text(h, s->measured.culprits[i].name);
		add_columns(h, &et_columns_culprit, &s->measured.culprits[i]);
	}
}

static void add_command(struct et_sha256 *h, const struct et_command *c)
{
	const char *const texts[] = { c->name ? c->name : "", c->text ? c->text : "", c->prepare,
		c->conclude, c->setup, c->cleanup };

	for (size_t i = 0; i < ET_LENGTH(texts); i++)
		add_text(h, texts[i]);
	for (size_t i = 0; c->argv && c->argv[i]; i++)
		add_text(h, c->argv[i]);
	add_int(h, c->n_parameters);
	for (size_t i = 0; i < c->n_parameters; i++) {
		add_text(h, c->parameters[i].name);
		add_text(h, c->parameters[i].value);
	}
	add_int(h, c->samples.n);
	ET_AUTO_READER struct et_sample_reader r = et_samples_read(&c->samples);
	for (const struct et_sample *s; (s = et_sample_reader_next(&r));)
		add_sample(h, s);
}

static void add_run(struct et_sha256 *h, const struct et_profile_run *run)
{
	add_int(h, run->order);
	add_int(h, run->command);
	add_columns(h, &et_columns_profile_run, run);
	add_int(h, run->n_counts);
	for (size_t i = 0; i < run->n_counts; i++) {
		add_int(h, run->counts[i].node);
		add_int(h, run->counts[i].samples);
		add_int(h, run->counts[i].at_entry);
	}
}

static int by_place(const void *a, const void *b)
{
	const struct et_profile_calls *x = a, *y = b;

	if (x->command != y->command)
		return x->command < y->command ? -1 : 1;
	return x->function < y->function ? -1 : x->function > y->function;
}

/* A store returns them sorted; in memory they are in the sequence in which they were counted. */
static void add_calls(struct et_sha256 *h, const struct et_profile *p)
{
	ET_AUTO_FREE struct et_profile_calls *sorted = et_calloc(p->n_calls + 1, sizeof(*sorted));

	if (p->n_calls)
		memcpy(sorted, p->calls, p->n_calls * sizeof(*sorted));
	qsort(sorted, p->n_calls, sizeof(*sorted), by_place);
	add_int(h, p->n_calls);
	for (size_t i = 0; i < p->n_calls; i++) {
		add_int(h, sorted[i].command);
		add_int(h, sorted[i].function);
		add_real(h, sorted[i].calls);
	}
}

static void add_profile(struct et_sha256 *h, const struct et_profile *p)
{
	add_columns(h, &et_columns_profile_plan, &p->plan);
	add_columns(h, &et_columns_profile, p);
	add_int(h, p->n_functions);
	for (size_t i = 0; i < p->n_functions; i++)
		add_columns(h, &et_columns_profile_function, &p->functions[i]);
	add_int(h, p->n_nodes);
	for (size_t i = 0; i < p->n_nodes; i++) {
		add_int(h, p->nodes[i].parent);
		add_int(h, p->nodes[i].function);
	}
	add_int(h, p->n_runs);
	for (size_t i = 0; i < p->n_runs; i++)
		add_run(h, &p->runs[i]);
	add_calls(h, p);
}

void et_experiment_digest(const struct et_experiment *e, char out[ET_DIGEST_SIZE])
{
	struct et_sha256 h;

	et_sha256_begin(&h);
	add_head(&h, e);
	add_int(&h, e->n_commands);
	for (size_t i = 0; i < e->n_commands; i++)
		add_command(&h, &e->commands[i]);
	if (e->profile)
		add_profile(&h, e->profile);
	for (size_t i = 0; i < e->n_figures; i++)
		add_columns(&h, &et_columns_figure, &e->figures[i]);
	et_sha256_end(&h, out);
}
