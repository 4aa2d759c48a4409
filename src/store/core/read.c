/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads from a store, which may have been edited by hand or damaged: a value that etalon would not
 * have written is an error that names it, never a crash and never a strange number.
 */
#include "model/experiment/figure.h"
#include "model/sample/metric_choice.h"
#include "store/core/profile.h"
#include "store/import/importer.h"

int et_store_find_by(
	struct et_store *s, enum et_sql which, const char *name, char id[40], struct et_error *err)
{
	ET_AUTO_CURSOR struct et_cursor c = et_cursor_open(s, which, err);
	char found[2][40] = { "", "" };
	int rc = 1, n = 0;

	if (name)
		et_bind_text(&c, "name", name);
	for (; n < 2 && (rc = et_cursor_step(&c)) == 1; n++) {
		if (!et_row_chars(&c, found[n], 40) || !et_experiment_is_id(found[n]))
			return et_store_damaged(s, err, "an id");
	}
	if (n == 2)
		return et_refuse(err, "use a longer part, or the whole id",
			"'%s' is part of more than one id: %s, %s", name, found[0], found[1]);
	if (rc == 0 && n)
		memcpy(id, found[0], 40);
	return rc < 0 ? rc : n;
}

int et_store_find(struct et_store *s, const char *name, char id[40], struct et_error *err)
{
	static const enum et_sql ways[] = { ET_SQL_FIND_ID, ET_SQL_FIND_LABEL, ET_SQL_FIND_PREFIX,
		ET_SQL_FIND_END };
	bool last = !strcmp(name, "last");
	int rc = last ? et_store_find_by(s, ET_SQL_FIND_LAST, NULL, id, err) : 0;

	for (size_t i = 0; rc == 0 && !last && *name && i < ET_LENGTH(ways); i++)
		rc = et_store_find_by(s, ways[i], name, id, err);
	if (rc)
		return rc < 0 ? rc : 0;
	if (last)
		return et_fail_hint(err, ENOENT, ET_EXIT_USAGE,
			"measure a program: etalon run 'sleep 0.1'", "nothing is stored yet in %s",
			s->db->name);
	return et_hint(err,
		et_fail(err, ENOENT, ET_EXIT_USAGE, "no experiment has the id or label '%s'", name),
		"run etalon list to see the experiments in %s", s->db->name);
}

int et_store_find_unfinished(
	struct et_store *s, const char *machine, char id[40], struct et_error *err)
{
	int rc = et_store_find_by(s, ET_SQL_FIND_UNFINISHED, machine, id, err);

	if (rc)
		return rc < 0 ? rc : 0;
	return et_hint(err,
		et_fail(err, ENOENT, ET_EXIT_USAGE,
			"no experiment that was measured here is unfinished"),
		"run etalon list to see the experiments in %s; --resume ID continues one of them",
		s->db->name);
}

/* --- one experiment --- */

struct loading {
	struct et_store *s;
	struct et_experiment *e;
	struct et_error *err;
	bool head; /* nothing that runs added */
	int64_t key;
	char *design; /* its text, until the commands are read; or NULL */
	size_t room;  /* of the list that is being read */
};

int et_store_damaged_part(const struct et_store *s, const struct et_experiment *e, const char *what,
	struct et_error *err)
{
	return et_hint(err, et_store_damaged(s, err, "experiment %s: %s", e->id, what),
		"the store was damaged or changed by hand; to remove the experiment, run etalon rm "
		"%s",
		e->id);
}

static int damaged(const struct loading *l, const char *what)
{
	return et_store_damaged_part(l->s, l->e, what, l->err);
}

/* An older etalon did not record the origin. */
static bool read_origin(struct et_cursor *c, enum et_origin *out)
{
	char name[16];

	if (!et_row_chars(c, name, sizeof(name)))
		return false;
	int i = et_name_index(et_origin_names, *name ? name : "unknown");
	*out = i < 0 ? ET_ORIGIN_UNKNOWN : (enum et_origin)i;
	return i >= 0;
}

static void set_metric(struct et_experiment *e, int option)
{
	e->metric_auto = option == ET_METRIC_AUTO;
	e->metric = e->metric_auto ? ET_METRIC_CPU : (enum et_metric)option;
}

/* Reads the structs whose fields have a column each. */
static bool read_parts(struct et_experiment *e, struct et_cursor *c, const char **what)
{
	const struct et_field *f;

	if ((f = et_row_columns(c, &et_columns_plan, &e->plan)) ||
		(f = et_row_columns(c, &et_columns_child, &e->child)) ||
		(f = et_row_columns(c, &et_columns_host, &e->host)) ||
		(f = et_row_columns(c, &et_columns_first_check, &e->first_check)) ||
		(f = et_row_columns(c, &et_columns_member, &e->member)) ||
		(f = et_row_columns(c, &et_columns_study, &e->member))) {
		*what = f->name;
		return false;
	}
	return true;
}

/* Reads the experiment's own row after its key. */
static bool read_head(
	struct et_experiment *e, struct et_cursor *c, char **design, const char **what)
{
	int64_t seed;
	int state, protocol, metric, order;

	*what = "its time, state or plan";
	if (!et_row_text(c, &e->label) || !et_row_u64(c, &e->started_wall_ns) ||
		!et_row_u64(c, &e->finished_wall_ns))
		return false;
	if (!et_row_name(c, et_state_names, &state) ||
		!et_row_name(c, et_protocol_names, &protocol) ||
		!et_row_name(c, et_metric_options, &metric) ||
		!et_row_name(c, et_order_names, &order))
		return false;
	if (!et_row_int(c, INT64_MIN, INT64_MAX, &seed) || !et_row_text(c, &e->snapshot_source))
		return false;
	e->state = (enum et_state)state;
	e->protocol = (enum et_protocol)protocol;
	set_metric(e, metric);
	e->plan.order = (enum et_order)order;
	e->plan.seed = (uint64_t)seed;
	if (!read_origin(c, &e->origin) || !et_row_chars(c, e->machine, sizeof(e->machine))) {
		*what = "its origin";
		return false;
	}
	*what = "its design";
	if (!et_row_text(c, design))
		return false;
	return read_parts(e, c, what);
}

static int load_head(struct loading *l, const char *id)
{
	ET_AUTO_CURSOR struct et_cursor c = et_cursor_open(l->s, ET_SQL_GET_EXPERIMENT, l->err);
	const char *what = "its key";

	et_bind_text(&c, "id", id);
	c.budget = &l->s->texts;
	int rc = et_cursor_step(&c);
	if (rc < 0)
		return rc;
	if (rc == 0 || !et_experiment_is_id(id) ||
		snprintf(l->e->id, sizeof(l->e->id), "%s", id) >= (int)sizeof(l->e->id))
		return et_store_no_experiment(l->s, id, l->err);
	if (!et_row_int(&c, INT64_MIN, INT64_MAX, &l->key) ||
		!read_head(l->e, &c, &l->design, &what))
		return damaged(l, what);
	return 0;
}

static bool read_command(struct loading *l, struct et_cursor *c)
{
	struct et_experiment *e = l->e;
	int64_t number;

	ET_GROW(e->commands, e->n_commands, l->room);
	struct et_command *command = &e->commands[e->n_commands++];
	memset(command, 0, sizeof(*command));
	if (!et_row_int(c, 0, UINT32_MAX, &number) || (size_t)number + 1 != e->n_commands)
		return false;
	if (!et_row_text(c, &command->name) || !command->name || !et_row_text(c, &command->text) ||
		!command->text || !et_row_words(c, &command->argv))
		return false;
	ET_AUTO_FREE char *files = NULL;
	return et_row_text(c, &command->prepare) && et_row_text(c, &command->conclude) &&
	       et_row_text(c, &command->setup) && et_row_text(c, &command->cleanup) &&
	       et_row_text(c, &files) && !et_files_parse(&command->files, files);
}

static bool read_parameter(struct loading *l, struct et_cursor *c)
{
	int64_t number;

	if (!et_row_int(c, 0, (int64_t)l->e->n_commands - 1, &number))
		return false;
	struct et_command *command = &l->e->commands[number];
	command->parameters = et_realloc(
		command->parameters, command->n_parameters + 1, sizeof(*command->parameters));
	struct et_parameter *p = &command->parameters[command->n_parameters++];
	p->name = p->value = NULL;
	return et_row_text(c, &p->name) && p->name && et_row_text(c, &p->value) && p->value;
}

static bool read_factor(struct loading *l, struct et_cursor *c)
{
	struct et_experiment *e = l->e;

	ET_GROW(e->environment, e->n_environment, l->room);
	struct et_factor *factor = &e->environment[e->n_environment++];
	memset(factor, 0, sizeof(*factor));
	return e->n_environment <= ET_STORE_MOST_FACTORS &&
	       !et_row_columns(c, &et_columns_factor, factor);
}

static bool read_figure(struct loading *l, struct et_cursor *c)
{
	struct et_experiment *e = l->e;
	int64_t number;

	ET_GROW(e->figures, e->n_figures, e->figures_room);
	struct et_figure *figure = &e->figures[e->n_figures++];
	memset(figure, 0, sizeof(*figure));
	return et_row_int(c, 0, UINT32_MAX, &number) && (size_t)number + 1 == e->n_figures &&
	       !et_row_columns(c, &et_columns_figure, figure) && figure->name;
}

/* Reads the rows of the experiment that a statement returns. */
static int load_rows(struct loading *l, enum et_sql which,
	bool (*read)(struct loading *l, struct et_cursor *c), const char *what)
{
	ET_AUTO_CURSOR struct et_cursor c = et_cursor_rows(l->s, which, l->key, l->err);
	int rc;

	l->room = 0;
	while ((rc = et_cursor_step(&c)) == 1) {
		if (!read(l, &c))
			return damaged(l, what);
	}
	return rc;
}

/* The commands, and what belongs to each. */
static int load_commands(struct loading *l)
{
	const struct et_experiment *e = l->e;
	int rc = load_rows(l, ET_SQL_GET_COMMANDS, read_command, "a command");

	if (rc)
		return rc;
	if (!e->n_commands || e->plan.reference >= e->n_commands)
		return damaged(l, "its commands");
	if (l->design && et_design_parse(l->e, l->design, NULL))
		return damaged(l, "its design");
	return load_rows(l, ET_SQL_GET_PARAMETERS, read_parameter, "a parameter");
}

/* The rows of all culprits, sorted as the samples are and read along with them. */
struct interference {
	struct et_cursor c;
	bool row;                /* c has a row that no sample has taken yet */
	int64_t order, command;  /* the sample that this row belongs to */
	int64_t number;          /* of the culprit in this row */
	struct et_culprit *list; /* the culprits of the sample that is being read */
	size_t n, room;
};

static int next_row(struct loading *l, struct interference *in)
{
	int rc = et_cursor_step(&in->c);

	in->row = rc == 1;
	if (in->row && (!et_row_int(&in->c, 0, UINT32_MAX, &in->order) ||
			       !et_row_int(&in->c, 0, UINT32_MAX, &in->command) ||
			       !et_row_int(&in->c, 0, UINT32_MAX, &in->number)))
		return damaged(l, "the interference");
	return rc < 0 ? rc : 0;
}

static int take_culprits(struct loading *l, struct interference *in, struct et_sample *sample)
{
	in->n = 0;
	while (in->row && in->order == sample->place.order &&
		in->command == sample->place.command) {
		ET_GROW(in->list, in->n, in->room);
		struct et_culprit *culprit = &in->list[in->n++];
		memset(culprit, 0, sizeof(*culprit));
		if ((size_t)in->number + 1 != in->n)
			return damaged(l, "the interference");
		if (!et_row_chars(&in->c, culprit->name, sizeof(culprit->name)))
			return damaged(l, "name");
		const struct et_field *f = et_row_columns(&in->c, &et_columns_culprit, culprit);
		if (f)
			return damaged(l, f->name);
		int rc = next_row(l, in);
		if (rc)
			return rc;
	}
	sample->measured.culprits = in->list;
	sample->measured.n_culprits = in->n;
	return 0;
}

static int read_sample(struct loading *l, struct et_cursor *c, struct et_sample *sample)
{
	int64_t command;
	const struct et_field *f;

	memset(sample, 0, sizeof(*sample));
	if (!et_row_int(c, 0, (int64_t)l->e->n_commands - 1, &command))
		return damaged(l, "the command of a sample");
	sample->place.command = (uint32_t)command;
	if ((f = et_row_columns(c, &et_columns_sample, sample)) ||
		(f = et_row_columns(c, &et_columns_removal, &sample->ruling.removal)))
		return damaged(l, f->name);
	if (sample->place.partner >= (int64_t)l->e->n_commands)
		return damaged(l, "partner");
	return 0;
}

/*
 * The primary key ascends. In a damaged or forged file it may not: a tree whose branches lead to
 * the same leaf has rows without end.
 */
static bool comes_after(const struct et_sample *s, const struct et_place *last)
{
	return s->place.order > last->order ||
	       (s->place.order == last->order && s->place.command > last->command);
}

static int add_samples(struct loading *l, struct et_cursor *c, struct interference *in,
	struct et_profile_rows *profile)
{
	struct et_place last = { 0 };
	int rc = next_row(l, in);

	while (rc == 0 && (rc = et_cursor_step(c)) == 1) {
		struct et_sample sample;

		rc = read_sample(l, c, &sample);
		if (rc == 0 && !comes_after(&sample, &last))
			rc = damaged(l, "the order of the samples");
		last = sample.place;
		if (rc == 0)
			rc = take_culprits(l, in, &sample);
		if (rc == 0)
			rc = et_profile_rows_take(profile, &sample);
		if (rc == 0)
			et_experiment_add(l->e, &sample);
	}
	if (rc == 0 && profile->row)
		return damaged(l, "a run of the profile");
	return rc == 0 && in->row ? damaged(l, "the interference") : rc;
}

static int load_samples(struct loading *l)
{
	ET_AUTO_CURSOR struct et_cursor c =
		et_cursor_rows(l->s, ET_SQL_GET_SAMPLES, l->key, l->err);
	struct interference in = { .c = et_cursor_rows(
					   l->s, ET_SQL_GET_INTERFERENCE, l->key, l->err) };
	struct et_profile_rows profile = { .c = et_cursor_rows(
						   l->s, ET_SQL_GET_PROFILE_RUNS, l->key, l->err),
		.s = l->s,
		.e = l->e };
	int rc = et_profile_rows_begin(&profile);

	if (rc == 0)
		rc = add_samples(l, &c, &in, &profile);
	et_profile_rows_end(&profile);
	et_cursor_close(&in.c);
	free(in.list);
	return rc;
}

static int load_all(struct loading *l, const char *id)
{
	int rc = load_head(l, id);

	if (!rc)
		rc = load_commands(l);
	if (!rc)
		rc = load_rows(l, ET_SQL_GET_FACTORS, read_factor, "a factor of the environment");
	if (!rc)
		rc = load_rows(l, ET_SQL_GET_FIGURES, read_figure, "a figure");
	if (!rc)
		rc = et_profile_read(l->s, l->key, l->head, l->e, l->err);
	return rc || l->head ? rc : load_samples(l);
}

static int load(struct et_store *s, const char *id, bool head, struct et_experiment **out,
	struct et_error *err)
{
	const struct et_database_ops *ops = s->db->ops;
	struct loading l = { s, et_calloc(1, sizeof(*l.e)), err, .head = head };

	s->texts = ET_STORE_MOST_TEXT;
	/* One transaction, so that another process's writes in between are not seen in part. */
	bool alone = !ops->in_transaction(s->db);
	int rc = alone ? ops->begin(s->db, ET_TRANSACTION_READ, err) : 0;

	if (!rc) {
		rc = load_all(&l, id);
		if (alone)
			ops->rollback(s->db);
	}
	free(l.design);
	if (!rc && !head)
		et_metric_settle(l.e);
	if (rc)
		et_experiment_free(l.e);
	else
		*out = l.e;
	return rc;
}

int et_store_load(
	struct et_store *s, const char *id, struct et_experiment **out, struct et_error *err)
{
	return load(s, id, false, out, err);
}

int et_store_load_head(
	struct et_store *s, const char *id, struct et_experiment **out, struct et_error *err)
{
	return load(s, id, true, out, err);
}

/* --- all experiments --- */

static const char *text_or_null(struct et_cursor *c)
{
	const char *text;

	return et_row_peek(c, &text) ? text : NULL;
}

/* Lenient, so that a damaged experiment is still listed and can be removed. */
static void read_entry(struct et_cursor *c, struct et_summary *entry)
{
	int state;

	memset(entry, 0, sizeof(*entry));
	if (!et_row_chars(c, entry->id, sizeof(entry->id)) || !et_experiment_is_id(entry->id))
		snprintf(entry->id, sizeof(entry->id), "?");
	entry->label = text_or_null(c);
	entry->started_wall_ns = et_row_count_or_zero(c);
	entry->state = et_row_name(c, et_state_names, &state) ? (enum et_state)state
							      : ET_STATE_INTERRUPTED;
	if (!et_row_u32(c, &entry->n_commands))
		entry->n_commands = 0;
	entry->n_samples = et_row_count_or_zero(c);
	entry->first_command = et_row_text_or_empty(c);
	if (!read_origin(c, &entry->origin))
		entry->origin = ET_ORIGIN_UNKNOWN;
	entry->profile = et_row_count_or_zero(c);
	entry->design = et_row_count_or_zero(c);
	if (!et_row_real(c, 0, 1e18, &entry->mean_ns))
		entry->mean_ns = 0;
	entry->study = text_or_null(c);
	entry->study_lab = text_or_null(c);
	entry->study_part = text_or_null(c);
}

/* Where the list is: it descends, and the rows of a forged tree may come again (see above). */
struct descent {
	int64_t started, key;
	bool begun;
};

static bool descends(struct et_cursor *c, struct descent *d)
{
	struct descent next = { .begun = true };

	if (!et_row_int(c, INT64_MIN, INT64_MAX, &next.started) ||
		!et_row_int(c, INT64_MIN, INT64_MAX, &next.key))
		return false;
	bool good = !d->begun || next.started < d->started ||
		    (next.started == d->started && next.key < d->key);
	*d = next;
	return good;
}

int et_store_list(
	struct et_store *s, size_t limit, et_store_summary_fn fn, void *ctx, struct et_error *err)
{
	ET_AUTO_CURSOR struct et_cursor c = et_cursor_open(s, ET_SQL_LIST, err);
	struct descent at = { 0 };
	int rc;

	et_bind_int(&c, limit && limit < INT64_MAX ? (int64_t)limit : INT64_MAX);
	while ((rc = et_cursor_step(&c)) == 1) {
		struct et_summary entry;

		if (!descends(&c, &at))
			return et_store_damaged(s, err, "the list of experiments");
		read_entry(&c, &entry);
		if (fn(ctx, &entry))
			return 0;
	}
	return rc;
}
