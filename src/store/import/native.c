/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads etalon's own record, which `etalon export` and `etalon run --json` write. */
#include "base/parse.h"
#include "model/experiment/field_rows.h"
#include "model/experiment/figure.h"
#include "model/experiment/machine_id.h"
#include "store/import/importer.h"

#include <ctype.h>
#include <time.h>

/* The newest version of the record that this program knows. */
enum { RECORD_VERSION = 1 };

/* The number that two digits make, or -1 if it is not below limit. */
static int two_digits(const char *text, int limit)
{
	if (!isdigit((unsigned char)text[0]) || !isdigit((unsigned char)text[1]))
		return -1;
	int value = 10 * (text[0] - '0') + text[1] - '0';
	return value < limit ? value : -1;
}

/* Reads the offset after a time, "+01:30" or "Z", in seconds; false for anything else. */
static bool read_offset(const char *text, long *seconds)
{
	*seconds = 0;
	if (!strcmp(text, "Z") || !strcmp(text, "z"))
		return true;
	if (strlen(text) != 6 || !strchr("+-", text[0]) || text[3] != ':')
		return false;
	int hours = two_digits(text + 1, 24), minutes = two_digits(text + 4, 60);
	*seconds = (hours * 3600L + minutes * 60L) * (text[0] == '-' ? -1 : 1);
	return hours >= 0 && minutes >= 0;
}

bool et_import_time(const char *text, uint64_t *wall_ns)
{
	struct tm tm = { 0 };
	uint64_t fraction = 0, unit = 100000000;
	long offset;
	const char *p = strptime(text, "%Y-%m-%dT%H:%M:%S", &tm);

	if (!p)
		return false;
	if (*p == '.') {
		for (p++; isdigit((unsigned char)*p); p++, unit /= 10)
			fraction += (uint64_t)(*p - '0') * unit;
	}
	if (!read_offset(p, &offset))
		return false;
	time_t seconds = timegm(&tm) - offset;
	if (seconds < 0 || seconds > INT64_MAX / 1000000000 - 1)
		return false;
	*wall_ns = (uint64_t)seconds * 1000000000u + fraction;
	return true;
}

/* Reads a time from the exact key if there is one, else from the readable one. */
static void read_wall(struct et_importer *in, const json_t *root, const char *exact,
	const char *readable, uint64_t *out)
{
	const json_t *ns = json_object_get(root, exact);
	struct et_import_place here = { NULL, exact, 0 };

	if (json_is_integer(ns) && json_integer_value(ns) >= 0) {
		*out = (uint64_t)json_integer_value(ns);
		return;
	}
	if (ns && !json_is_null(ns))
		et_import_fail(in, &here, "is not a time in nanoseconds");
	const char *text = et_read_text(in, root, readable, NULL);
	here.key = readable;
	if (text && !et_import_time(text, out))
		et_import_fail(in, &here, "'%.40s' is not a time like 2026-11-15T08:55:06Z", text);
}

/* The experiment's own fields at the top of the record. */
static const struct et_field head_fields[] = {
	ET_KEY_NAME(et_experiment, "state", state, et_state_names, .missing = ET_STATE_DONE),
	ET_KEY_NAME(
		et_experiment, "protocol", protocol, et_protocol_names, .missing = ET_PROTOCOL_EMP),
	ET_KEY_NAME(et_experiment, "metric", metric, et_metric_names, .missing = ET_METRIC_CPU),
	ET_KEY_NAME(et_experiment, "order", plan.order, et_order_names, .missing = ET_ORDER_AUTO),
	ET_KEY(et_experiment, "seed", plan.seed, .hi = INT64_MAX),
	ET_KEY(et_experiment, "label", label),
	ET_KEY(et_experiment, "image_source", snapshot_source),
	{ 0 },
};

static const struct et_field choice_fields[] = {
	ET_KEY(et_experiment, "auto", metric_auto, .hi = 1),
	{ 0 },
};

/* Reads a text, which the function must accept; it then fits into *out. */
static void read_name(struct et_importer *in, const json_t *root, const char *key,
	bool (*accepts)(const char *text), const char *wanted, char *out)
{
	struct et_import_place here = { NULL, key, 0 };
	const char *text = et_read_text(in, root, key, NULL);

	if (text && !accepts(text))
		et_import_fail(in, &here, "'%.60s' is not %s", text, wanted);
	else if (text)
		memcpy(out, text, strlen(text) + 1);
}

static int read_version(struct et_importer *in, const json_t *root)
{
	static const struct et_import_place here = { NULL, "etalon", 0 };
	const json_t *version = json_object_get(root, "etalon");

	if (!json_is_integer(version) || json_integer_value(version) < 1)
		return et_import_fail(in, &here, "is not the version of a record");
	if (json_integer_value(version) > RECORD_VERSION)
		return et_hint(in->err,
			et_import_fail(in, &here, "the record has version %lld, known up to %d",
				(long long)json_integer_value(version), RECORD_VERSION),
			"use a newer etalon");
	return 0;
}

static void read_environment(struct et_importer *in, const json_t *root)
{
	ET_AUTO_LIST struct et_list l = et_objects_of(in, root, "environment", NULL);
	struct et_experiment *e = in->e;
	const json_t *factor;

	if (l.n > ET_IMPORT_MOST_FACTORS)
		et_import_fail(
			in, NULL, "environment: more than %d factors", ET_IMPORT_MOST_FACTORS);
	if (in->failed)
		return;
	e->environment = et_calloc(l.n + 1, sizeof(*e->environment));
	while ((factor = et_list_next(&l)))
		et_read_fields(
			in, factor, et_factor_fields, &e->environment[e->n_environment++], &l.here);
}

static void read_figure(struct et_importer *in, const json_t *figure, void *experiment,
	const struct et_import_place *at)
{
	struct et_experiment *e = experiment;

	ET_GROW(e->figures, e->n_figures, e->figures_room);
	struct et_figure *one = &e->figures[e->n_figures++];
	*one = (struct et_figure){ 0 };
	et_read_fields(in, figure, et_figure_fields, one, at);
	if (!one->name)
		et_import_fail(in, at, "has no name");
}

static void read_head(struct et_importer *in, const json_t *root)
{
	struct et_experiment *e = in->e;

	if (read_version(in, root))
		return;
	read_name(in, root, "id", et_experiment_is_id, "an id", e->id);
	read_name(
		in, root, "machine", et_machine_id_valid, "the identity of a machine", e->machine);
	et_read_fields(in, root, head_fields, e, NULL);
	read_wall(in, root, "started_wall_ns", "started", &e->started_wall_ns);
	read_wall(in, root, "finished_wall_ns", "finished", &e->finished_wall_ns);
	et_read_object(in, root, "metric_choice", choice_fields, e, NULL);
	et_read_object(in, root, "plan", et_plan_fields, &e->plan, NULL);
	et_read_object(in, root, "child", et_child_fields, &e->child, NULL);
	et_read_object(in, root, "host", et_host_fields, &e->host, NULL);
	et_read_object(in, root, "first_check", et_first_check_fields, &e->first_check, NULL);
	et_read_object(in, root, "campaign", et_member_fields, &e->member, NULL);
	et_read_object(in, root, "study", et_study_fields, &e->member, NULL);
	read_environment(in, root);
	et_read_each(in, root, "figures", NULL, read_figure, e);
}

static void read_interference(struct et_importer *in, const json_t *object, struct et_sample *s,
	const struct et_import_place *at)
{
	ET_AUTO_LIST struct et_list l = et_objects_of(in, object, "interference", at);
	const json_t *other;

	if (l.n > ET_IMPORT_MOST_CULPRITS)
		et_import_fail(in, &l.list, "has more than %d processes", ET_IMPORT_MOST_CULPRITS);
	if (in->failed || !l.n)
		return;
	s->measured.culprits = et_calloc(l.n, sizeof(*s->measured.culprits));
	while ((other = et_list_next(&l)))
		et_read_fields(in, other, et_culprit_fields,
			&s->measured.culprits[s->measured.n_culprits++], &l.here);
}

static void read_sample(struct et_importer *in, const json_t *object, void *command,
	const struct et_import_place *at)
{
	struct et_sample s;

	memset(&s, 0, sizeof(s));
	s.place.command = *(const uint32_t *)command;
	et_read_fields(in, object, et_sample_fields, &s, at);
	/* A program that could not be executed has an exit status, but no times. */
	if (!in->profiled && s.measured.exit_code <= 0 && s.measured.elapsed_ns == ET_UNKNOWN &&
		s.measured.cpu_ns == ET_UNKNOWN)
		et_import_fail(in, at, "has neither et_ns nor pt_ns");
	et_read_object(in, object, "removed", et_removal_fields, &s.ruling.removal, at);
	read_interference(in, object, &s, at);
	if (!in->failed)
		et_experiment_add(in->e, &s);
	et_sample_free(&s);
}

/* The hooks of a command. */
static const struct et_field command_fields[] = {
	ET_KEYS(et_command, setup, prepare, conclude, cleanup),
	{ 0 },
};

static void read_command(
	struct et_importer *in, const json_t *object, void *next, const struct et_import_place *at)
{
	uint32_t *number = next;
	const char *text = et_read_text(in, object, "command", at),
		   *name = et_read_text(in, object, "name", at);
	char **argv = NULL;
	size_t n;

	if (!name && !text)
		et_import_fail(in, at, "has neither name nor command");
	struct et_command *c = in->failed ? NULL : et_import_command(in, at, text ? text : name);
	if (!c)
		return;
	if (name) {
		free(c->name);
		c->name = et_strdup(name);
	}
	et_read_fields(in, object, command_fields, c, at);
	et_read_texts(in, object, "argv", SIZE_MAX, at, &argv, &n);
	if (argv) {
		et_strv_free(c->argv);
		c->argv = argv;
	}
	et_read_parameters(in, object, c, at);
	const json_t *files = et_read_branch(in, object, "files", JSON_OBJECT, at);
	if (files)
		et_import_files(in, files, &c->files, at);
	et_read_each(in, object, "samples", at, read_sample, number);
	++*number;
}

int et_import_native(struct et_importer *in, const json_t *root)
{
	uint32_t command = 0;

	read_head(in, root);
	const json_t *profile = et_read_branch(in, root, "profile", JSON_OBJECT, NULL);
	const json_t *design = et_read_branch(in, root, "design", JSON_OBJECT, NULL);
	in->profiled = profile;
	in->designed = design;
	et_read_each(in, root, "commands", NULL, read_command, &command);
	if (in->e->n_commands && in->e->plan.reference >= in->e->n_commands)
		et_import_fail(
			in, NULL, "plan.reference: there is no command %u", in->e->plan.reference);
	if (design && !in->failed)
		et_import_design(in, design);
	if (profile && !in->failed)
		et_import_profile(in, profile);
	return in->failed;
}
