/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes to a store. Samples go into a group, one write transaction, which et_store_flush commits;
 * every other operation flushes the group and is a transaction of its own.
 */
#include "base/clock.h"
#include "base/hash.h"
#include "model/design/json.h"
#include "model/experiment/figure.h"
#include "store/central/spool.h"
#include "store/core/profile.h"

/* --- groups --- */

/* Call it after a rollback, which leaves nothing of the group. */
static void forget_group(struct et_store *s)
{
	s->in_group = false;
	s->key = 0;
	s->uncounted = 0;
	s->profile.known = false;
	memset(s->processes, 0, sizeof(s->processes));
}

/* After a failure the database may have rolled back by itself (disk full, I/O error). */
static void notice_rollback(struct et_store *s)
{
	if (s->in_group && !s->db->ops->in_transaction(s->db))
		forget_group(s);
}

void et_store_discard(struct et_store *s)
{
	if (s->db->ops->in_transaction(s->db))
		s->db->ops->rollback(s->db);
	forget_group(s);
}

bool et_store_in_group(const struct et_store *s)
{
	return s->in_group;
}

static int open_group(struct et_store *s, struct et_error *err)
{
	if (s->in_group)
		return 0;
	int rc = s->db->ops->begin(s->db, ET_TRANSACTION_WRITE, err);
	s->in_group = rc == 0;
	return rc;
}

/* The experiment's row has the number of its samples, so that a list need not count them. */
static int count_samples(struct et_store *s, struct et_error *err)
{
	int rc = s->uncounted ? ET_EXECUTE(s, ET_SQL_COUNT_SAMPLES, err, et_sql_int(s->uncounted),
					et_sql_int(s->key))
			      : 0;

	if (!rc)
		s->uncounted = 0;
	return rc;
}

int et_store_flush(struct et_store *s, struct et_error *err)
{
	if (!s->in_group)
		return 0;
	int rc = count_samples(s, err);
	if (!rc)
		rc = s->db->ops->commit(s->db, err);
	if (!rc)
		s->in_group = false;
	else
		notice_rollback(s); /* if still open, a flush may succeed once there is space */
	return rc;
}

int et_store_transact(struct et_store *s, struct et_error *err)
{
	int rc = et_store_flush(s, err);

	return rc ? rc : open_group(s, err);
}

int et_store_conclude(struct et_store *s, int rc, struct et_error *err)
{
	if (!rc)
		rc = et_store_flush(s, err);
	if (rc)
		et_store_discard(s);
	return rc;
}

/* Reads a number that the database assigned: 1, or -EBADMSG if the column has none. */
static int read_key(struct et_cursor *c, int64_t *key)
{
	if (et_row_int(c, INT64_MIN, INT64_MAX, key))
		return 1;
	return et_fail_hint(c->err, EBADMSG, ET_EXIT_OUTSIDE,
		"the store was damaged or changed by hand", "%s: a key is not a number",
		c->st->db->name);
}

/* --- experiments --- */

static int add_parameters(
	struct et_store *s, int64_t key, const struct et_experiment *e, struct et_error *err)
{
	size_t n = 0;
	int rc = 0;

	for (size_t i = 0; i < e->n_commands; i++)
		n += e->commands[i].n_parameters;
	if (!n)
		return 0;
	struct et_cursor c = et_cursor_bulk(s, ET_SQL_ADD_PARAMETER, err);
	c.budget = &s->texts;
	for (size_t i = 0; i < e->n_commands; i++) {
		for (size_t j = 0; !rc && j < e->commands[i].n_parameters; j++) {
			const struct et_parameter *p = &e->commands[i].parameters[j];

			ET_BIND_INTS(&c, key, (int64_t)i, (int64_t)j);
			et_bind_text(&c, "a parameter's name", p->name);
			et_bind_text(&c, "a parameter's value", p->value);
			rc = et_cursor_add(&c);
		}
	}
	return et_cursor_finish(&c, rc);
}

/* Makes a blob of the words, each with its NUL. */
static char *join_argv(char *const *argv, size_t *size)
{
	size_t n = 0;

	*size = 0;
	for (size_t i = 0; argv && argv[i]; i++)
		*size += strlen(argv[i]) + 1;
	char *blob = et_alloc(*size + 1);
	for (size_t i = 0; argv && argv[i]; i++) {
		size_t len = strlen(argv[i]) + 1;
		memcpy(blob + n, argv[i], len);
		n += len;
	}
	return blob;
}

static int add_command(
	struct et_cursor *c, int64_t key, size_t number, const struct et_command *command)
{
	size_t size;
	ET_AUTO_FREE char *argv = join_argv(command->argv, &size);

	ET_BIND_INTS(c, key, (int64_t)number);
	et_bind_text(c, "a command's name", command->name ? command->name : "");
	et_bind_text(c, "a command's text", command->text ? command->text : "");
	et_bind_words(c, argv, size);
	et_bind_text(c, "prepare", command->prepare);
	et_bind_text(c, "conclude", command->conclude);
	et_bind_text(c, "setup", command->setup);
	et_bind_text(c, "cleanup", command->cleanup);
	ET_AUTO_FREE char *files = et_files_text(&command->files);
	et_bind_text(c, "files", files);
	return et_cursor_add(c);
}

static int add_commands(
	struct et_store *s, int64_t key, const struct et_experiment *e, struct et_error *err)
{
	struct et_cursor c = et_cursor_bulk(s, ET_SQL_ADD_COMMAND, err);
	int rc = 0;

	c.budget = &s->texts;
	for (size_t i = 0; !rc && i < e->n_commands; i++)
		rc = add_command(&c, key, i, &e->commands[i]);
	rc = et_cursor_finish(&c, rc);
	return rc ? rc : add_parameters(s, key, e, err);
}

/* The rows of an array of structs, numbered from `first`. */
static int add_numbered(struct et_store *s, int64_t key, enum et_sql insert,
	const struct et_columns *columns, const void *list, size_t n, size_t size, size_t first,
	struct et_error *err)
{
	int rc = 0;

	if (!n)
		return 0;
	struct et_cursor c = et_cursor_bulk(s, insert, err);
	c.budget = &s->texts;
	for (size_t i = 0; !rc && i < n; i++) {
		ET_BIND_INTS(&c, key, (int64_t)(first + i));
		et_bind_columns(&c, columns, (const char *)list + i * size);
		rc = et_cursor_add(&c);
	}
	return et_cursor_finish(&c, rc);
}

static const char *metric_of(const struct et_experiment *e)
{
	return et_metric_options[e->metric_auto ? ET_METRIC_AUTO : e->metric];
}

static int add_head(
	struct et_store *s, const struct et_experiment *e, int64_t *key, struct et_error *err)
{
	ET_AUTO_FREE char *design = e->design ? et_design_text(e->design, true) : NULL;
	ET_AUTO_CURSOR struct et_cursor c = et_cursor_of_texts(s, ET_SQL_ADD_EXPERIMENT, err);

	et_bind_text(&c, "id", e->id);
	et_bind_text(&c, "label", e->label);
	et_bind_count(&c, "started_wall_ns", e->started_wall_ns);
	et_bind_count(&c, "finished_wall_ns", e->finished_wall_ns);
	et_bind_text(&c, "state", et_state_names[e->state]);
	et_bind_text(&c, "protocol", et_protocol_names[e->protocol]);
	et_bind_text(&c, "metric", metric_of(e));
	et_bind_text(&c, "order", et_order_names[e->plan.order]);
	et_bind_int(&c, (int64_t)e->plan.seed); /* all 64 bits, the uppermost as the sign */
	et_bind_text(&c, "snapshot_source", e->snapshot_source);
	et_bind_int(&c, (int64_t)e->n_commands);
	et_bind_text(&c, "origin", e->origin ? et_origin_names[e->origin] : NULL);
	et_bind_text(&c, "machine", e->machine);
	et_bind_text(&c, "design", design);
	et_bind_columns(&c, &et_columns_plan, &e->plan);
	et_bind_columns(&c, &et_columns_child, &e->child);
	et_bind_columns(&c, &et_columns_host, &e->host);
	et_bind_columns(&c, &et_columns_first_check, &e->first_check);
	et_bind_columns(&c, &et_columns_member, &e->member);
	et_bind_columns(&c, &et_columns_study, &e->member);
	et_bind_text(&c, "digest", s->digest);
	int rc = et_cursor_step(&c);
	if (rc < 0)
		return rc;
	if (rc == 0)
		return et_fail(err, EEXIST, ET_EXIT_USAGE, "%s: experiment %s is already stored",
			s->db->name, e->id);
	return read_key(&c, key) == 1 ? 0 : -EBADMSG;
}

/* Puts the experiment into the outbox if the store is a spool: it is to be delivered (again). */
static int enqueue(struct et_store *s, const char *id, struct et_error *err)
{
	if (!s->destination)
		return 0;
	int rc = ET_EXECUTE(s, ET_SQL_ENQUEUE, err, et_sql_text(id), et_sql_text(s->destination),
		et_sql_int((int64_t)et_clock_real.wall_ns(NULL)));
	if (!rc && s->queued)
		et_queued_add(s->queued, id);
	return rc;
}

/* Adds the experiment without its samples to the open group. */
static int add_experiment(struct et_store *s, const struct et_experiment *e, struct et_error *err)
{
	int64_t key = 0;

	if (!e->id[0] || !e->n_commands || e->plan.reference >= e->n_commands)
		return et_fail(err, EINVAL, ET_EXIT_OUTSIDE,
			"an experiment without an id, commands or a reference is not stored");
	if (e->n_environment > ET_STORE_MOST_FACTORS)
		return et_fail(err, E2BIG, ET_EXIT_USAGE,
			"an experiment with more than %d factors of the environment is not stored",
			ET_STORE_MOST_FACTORS);
	int rc = add_head(s, e, &key, err);
	if (!rc)
		rc = add_commands(s, key, e, err);
	if (!rc)
		rc = add_numbered(s, key, ET_SQL_ADD_FACTOR, &et_columns_factor, e->environment,
			e->n_environment, sizeof(*e->environment), 0, err);
	if (!rc)
		rc = add_numbered(s, key, ET_SQL_ADD_FIGURE, &et_columns_figure, e->figures,
			e->n_figures, sizeof(*e->figures), 0, err);
	if (!rc && e->profile)
		rc = et_profile_write_plan(s, key, e->profile, err);
	return rc ? rc : enqueue(s, e->id, err);
}

int et_store_begin(struct et_store *s, const struct et_experiment *e, struct et_error *err)
{
	int rc = et_store_transact(s, err);

	return rc ? rc : et_store_conclude(s, add_experiment(s, e, err), err);
}

static int select_experiment(struct et_store *s, const char *id, struct et_error *err);

/* Adds all samples to the open group, one after the other. */
static int add_samples(struct et_store *s, const struct et_experiment *e, struct et_error *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < e->n_commands; i++) {
		ET_AUTO_READER struct et_sample_reader r = et_samples_read(&e->commands[i].samples);
		for (const struct et_sample *one; !rc && (one = et_sample_reader_next(&r));)
			rc = et_store_add(s, e->id, one, err);
	}
	return rc;
}

int et_store_put(struct et_store *s, const struct et_experiment *e, struct et_error *err)
{
	int rc = add_experiment(s, e, err);

	if (!rc)
		rc = select_experiment(s, e->id, err);
	if (!rc)
		rc = s->db->ops->copy_begin ? et_bulk_samples(s, e, err) : add_samples(s, e, err);
	if (!rc && e->profile)
		rc = et_profile_write_all(s, e->profile, err);
	return rc ? rc : et_store_put_summary(s, e, err);
}

int et_store_keep(struct et_store *s, const struct et_experiment *e, struct et_error *err)
{
	int rc = et_store_transact(s, err);

	return rc ? rc : et_store_conclude(s, et_store_put(s, e, err), err);
}

int et_store_set_state(struct et_store *s, const char *id, enum et_state state, uint64_t wall_ns,
	struct et_error *err)
{
	int64_t changed = 0;
	int rc = open_group(s, err);

	if (rc)
		return rc;
	ET_AUTO_CURSOR struct et_cursor c = et_cursor_open(s, ET_SQL_SET_STATE, err);
	et_bind_text(&c, "state", et_state_names[state]);
	et_bind_count(&c, "finished_wall_ns", state == ET_STATE_RUNNING ? 0 : wall_ns);
	et_bind_text(&c, "id", id);
	rc = et_cursor_change(&c, &changed);
	if (!rc && changed)
		rc = enqueue(s, id, err);
	if (!rc && state != ET_STATE_RUNNING)
		rc = et_store_summarise(s, id, err);
	notice_rollback(s);
	if (!rc)
		rc = et_store_flush(s, err);
	if (rc)
		return rc;
	return changed ? 0 : et_store_no_experiment(s, id, err);
}

int et_store_drop(struct et_store *s, const char *id, struct et_error *err)
{
	int64_t changed = 0;
	ET_AUTO_CURSOR struct et_cursor c = et_cursor_open(s, ET_SQL_DROP_EXPERIMENT, err);

	et_bind_text(&c, "id", id);
	int rc = et_cursor_change(&c, &changed);
	s->key = 0;
	s->profile.known = false;
	if (!rc && !changed)
		rc = et_store_no_experiment(s, id, err);
	return rc;
}

int et_store_remove(struct et_store *s, const char *id, struct et_error *err)
{
	int rc = et_store_transact(s, err);

	return rc ? rc : et_store_conclude(s, et_store_drop(s, id, err), err);
}

/* --- samples --- */

/* Makes the experiment the one that samples are added to. */
static int select_experiment(struct et_store *s, const char *id, struct et_error *err)
{
	if (s->key && !strcmp(s->id, id))
		return 0;
	int rc = count_samples(s, err);
	if (rc)
		return rc;
	ET_AUTO_CURSOR struct et_cursor c = et_cursor_open(s, ET_SQL_SELECT_EXPERIMENT, err);
	et_bind_text(&c, "id", id);
	rc = et_cursor_step(&c);
	if (rc < 0)
		return rc;
	s->key = 0;
	s->profile.known = false;
	if (rc == 0 || snprintf(s->id, sizeof(s->id), "%s", id) >= (int)sizeof(s->id))
		return et_store_no_experiment(s, id, err);
	int64_t key;
	rc = read_key(&c, &key);
	if (rc == 1)
		rc = read_key(&c, &s->n_commands);
	if (rc < 0)
		return rc;
	s->key = key;
	return 0;
}

int et_store_add_factor(struct et_store *s, const char *id, size_t number,
	const struct et_factor *factor, struct et_error *err)
{
	int rc = et_store_transact(s, err);

	if (rc)
		return rc;
	s->texts = ET_STORE_MOST_TEXT;
	rc = select_experiment(s, id, err);
	if (!rc)
		rc = add_numbered(s, s->key, ET_SQL_ADD_FACTOR, &et_columns_factor, factor, 1,
			sizeof(*factor), number, err);
	return et_store_conclude(s, rc, err);
}

int et_store_set_files(struct et_store *s, const char *id, size_t command,
	const struct et_files *files, struct et_error *err)
{
	ET_AUTO_FREE char *text = et_files_text(files);
	int rc = et_store_transact(s, err);

	if (rc)
		return rc;
	s->texts = ET_STORE_MOST_TEXT;
	rc = select_experiment(s, id, err);
	if (!rc)
		rc = ET_EXECUTE(s, ET_SQL_SET_FILES, err, et_sql_text(text), et_sql_int(s->key),
			et_sql_int((int64_t)command));
	return et_store_conclude(s, rc, err);
}

/* A reader refuses a sample whose command or partner the experiment does not have. */
int et_store_check_place(
	const struct et_store *s, const struct et_sample *sample, struct et_error *err)
{
	if (sample->place.command < s->n_commands && sample->place.partner < s->n_commands)
		return 0;
	return et_fail_hint(err, EINVAL, ET_EXIT_OUTSIDE,
		"this is a defect of etalon; please report it",
		"%s: experiment %s has no command %u or no partner %d", s->db->name, s->id,
		sample->place.command + 1, sample->place.partner + 1);
}

static void bind_sample_key(
	struct et_cursor *c, const struct et_store *s, const struct et_sample *sample)
{
	ET_BIND_INTS(c, s->key, sample->place.order, sample->place.command);
}

/* Executes a statement that takes a process's name: 1 and the key if it returns one. */
static int key_of_process(struct et_store *s, enum et_sql which, const struct et_culprit *culprit,
	int64_t *key, struct et_error *err)
{
	ET_AUTO_CURSOR struct et_cursor c = et_cursor_open(s, which, err);

	et_bind_chars(&c, "name", culprit->name, sizeof(culprit->name));
	int rc = et_cursor_step(&c);
	return rc == 1 ? read_key(&c, key) : rc;
}

static int find_process(
	struct et_store *s, const struct et_culprit *culprit, int64_t *key, struct et_error *err)
{
	size_t length = strnlen(culprit->name, sizeof(culprit->name));
	struct et_process_key *recent =
		&s->processes[et_hash_bytes(culprit->name, length) % ET_LENGTH(s->processes)];
	int rc = 0;

	if (!recent->key || strncmp(recent->name, culprit->name, sizeof(recent->name))) {
		rc = key_of_process(s, ET_SQL_FIND_PROCESS, culprit, key, err);
		if (rc == 0)
			rc = key_of_process(s, ET_SQL_ADD_PROCESS, culprit, key, err);
		if (rc < 0)
			return rc;
		memcpy(recent->name, culprit->name, sizeof(recent->name));
		recent->key = *key;
	}
	*key = recent->key;
	return 0;
}

static int add_culprit(
	struct et_store *s, const struct et_sample *sample, size_t number, struct et_error *err)
{
	const struct et_culprit *culprit = &sample->measured.culprits[number];
	int64_t process = 0;
	int rc = find_process(s, culprit, &process, err);

	if (rc)
		return rc;
	ET_AUTO_CURSOR struct et_cursor c = et_cursor_open(s, ET_SQL_ADD_INTERFERENCE, err);
	bind_sample_key(&c, s, sample);
	ET_BIND_INTS(&c, (int64_t)number, process);
	et_bind_columns(&c, &et_columns_culprit, culprit);
	return et_cursor_step(&c);
}

/* Removes a sample of which only a part could be written; if it cannot, the whole group. */
static void drop_sample(struct et_store *s, const struct et_sample *sample)
{
	ET_AUTO_CURSOR struct et_cursor c = et_cursor_open(s, ET_SQL_DROP_SAMPLE, NULL);

	bind_sample_key(&c, s, sample);
	if (et_cursor_step(&c))
		et_store_discard(s);
}

static int add_row(struct et_store *s, const struct et_sample *sample, struct et_error *err)
{
	ET_AUTO_CURSOR struct et_cursor c = et_cursor_open(s, ET_SQL_ADD_SAMPLE, err);
	int64_t changed = 0;

	ET_BIND_INTS(&c, s->key, sample->place.command);
	et_bind_columns(&c, &et_columns_sample, sample);
	et_bind_columns(&c, &et_columns_removal, &sample->ruling.removal);
	int rc = et_cursor_change(&c, &changed);
	if (rc == 0 && !changed)
		return et_fail_hint(err, EEXIST, ET_EXIT_OUTSIDE,
			"make sure that no other etalon runs the same experiment",
			"%s: experiment %s already has run %u of command %u", s->db->name, s->id,
			sample->place.order, sample->place.command + 1);
	return rc;
}

int et_store_add(
	struct et_store *s, const char *id, const struct et_sample *sample, struct et_error *err)
{
	int rc = open_group(s, err);

	if (!rc)
		rc = select_experiment(s, id, err);
	if (!rc)
		rc = et_store_check_place(s, sample, err);
	if (!rc)
		rc = add_row(s, sample, err);
	if (rc) {
		notice_rollback(s);
		return rc;
	}
	for (size_t i = 0; !rc && i < sample->measured.n_culprits; i++)
		rc = add_culprit(s, sample, i, err);
	const struct et_profile_run *run = sample->measured.profile;
	if (!rc && run)
		rc = et_profile_write_run(
			s, run->of, sample->place.order, sample->place.command, run, err);
	if (!rc) {
		s->uncounted += !sample->place.warmup;
		return 0;
	}
	notice_rollback(s);
	if (s->in_group)
		drop_sample(s, sample);
	return rc;
}

int et_store_set_removal(
	struct et_store *s, const char *id, const struct et_sample *sample, struct et_error *err)
{
	int64_t changed = 0;
	int rc = open_group(s, err);

	if (!rc)
		rc = select_experiment(s, id, err);
	if (rc) {
		notice_rollback(s);
		return rc;
	}
	ET_AUTO_CURSOR struct et_cursor c = et_cursor_open(s, ET_SQL_SET_REMOVAL, err);
	et_bind_columns(&c, &et_columns_removal, &sample->ruling.removal);
	et_bind_int(&c, sample->ruling.marks);
	bind_sample_key(&c, s, sample);
	rc = et_cursor_change(&c, &changed);
	notice_rollback(s);
	if (rc == 0 && !changed)
		return et_fail(err, ENOENT, ET_EXIT_OUTSIDE,
			"%s: experiment %s has no run %u of command %u", s->db->name, id,
			sample->place.order, sample->place.command + 1);
	return rc;
}

/* Runs a change of an experiment, which must exist. */
static int change(struct et_store *s, struct et_cursor *c, const char *id, struct et_error *err)
{
	int64_t changed = 0;
	int rc = et_cursor_change(c, &changed);

	notice_rollback(s);
	return rc || changed ? rc : et_store_no_experiment(s, id, err);
}

int et_store_set_checks(struct et_store *s, const struct et_experiment *e, struct et_error *err)
{
	int rc = open_group(s, err);

	if (rc)
		return rc;
	ET_AUTO_CURSOR struct et_cursor c = et_cursor_open(s, ET_SQL_SET_CHECKS, err);
	et_bind_columns(&c, &et_columns_first_check, &e->first_check);
	et_bind_text(&c, "protocol", et_protocol_names[e->protocol]);
	et_bind_text(&c, "metric", metric_of(e));
	et_bind_int(&c, e->plan.keep_all);
	et_bind_text(&c, "id", e->id);
	return change(s, &c, e->id, err);
}

int et_store_set_plan(struct et_store *s, const struct et_experiment *e, struct et_error *err)
{
	int rc = open_group(s, err);

	if (rc)
		return rc;
	ET_AUTO_CURSOR struct et_cursor c = et_cursor_open(s, ET_SQL_SET_PLAN, err);
	et_bind_columns(&c, &et_columns_plan, &e->plan);
	et_bind_text(&c, "id", e->id);
	rc = change(s, &c, e->id, err);
	return rc ? rc : et_store_flush(s, err);
}

int et_store_set_calls(struct et_store *s, const struct et_experiment *e, struct et_error *err)
{
	int rc = et_store_transact(s, err);

	if (rc)
		return rc;
	rc = select_experiment(s, e->id, err);
	if (!rc)
		rc = et_profile_write_calls(s, e->profile, err);
	return et_store_conclude(s, rc, err);
}
