/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/compare/machines.h"
#include "app/compare/view.h"
#include "base/clock.h"
#include "base/display.h"
#include "base/figure.h"
#include "base/hash.h"
#include "base/parse.h"
#include "cli/outputs.h"
#include "cli/server.h"
#include "host/host.h"
#include "model/sample/metric.h"
#include "num/moments.h"
#include "report/warning.h"
#include "source/chosen.h"
#include "source/stored.h"
#include "store/core/machines.h"

/* Both were seen from the first to the last of both. */
static void unite(struct et_fleet_group *a, struct et_fleet_group *b)
{
	a->first_wall_ns = b->first_wall_ns =
		a->first_wall_ns < b->first_wall_ns ? a->first_wall_ns : b->first_wall_ns;
	a->last_wall_ns = b->last_wall_ns =
		a->last_wall_ns > b->last_wall_ns ? a->last_wall_ns : b->last_wall_ns;
}

/* Earlier versions wrote the host's name before the digest. */
static void modernise(struct et_fleet_groups *l)
{
	for (size_t i = 0; i < l->n; i++) {
		const char *digest = et_machine_old_digest(l->list[i].machine);
		for (size_t k = 0; digest && k < l->n; k++) {
			const struct et_fleet_group *other = &l->list[k];
			if (strcmp(other->machine, digest) != 0 ||
				strcmp(other->host, l->list[i].host) != 0)
				continue;
			memcpy(l->list[i].machine, other->machine, ET_MACHINE_SIZE);
			unite(&l->list[i], &l->list[k]);
			break;
		}
	}
}

/* Two names of one digest at the same time are two machines; later it is a renamed one. */
static bool is_clone(const struct et_fleet_group *a, const struct et_fleet_group *b)
{
	return et_machine_is_digest(a->machine) && !strcmp(a->machine, b->machine) &&
	       strcmp(a->host, b->host) != 0 && a->first_wall_ns <= b->last_wall_ns &&
	       b->first_wall_ns <= a->last_wall_ns;
}

static bool is_same(const struct et_fleet_groups *l, const struct et_fleet_group *a,
	const struct et_fleet_group *b)
{
	if (strcmp(a->machine, b->machine) != 0)
		return false;
	if (!strcmp(a->host, b->host))
		return true;
	for (size_t i = 0; i < l->n; i++) {
		if (is_clone(a, &l->list[i]) || is_clone(b, &l->list[i]))
			return false;
	}
	return *a->machine != '\0';
}

static void add_note(struct et_fleet *f, char *text)
{
	size_t n = f->notes ? et_strv_length(f->notes) : 0;

	f->notes = et_realloc(f->notes, n + 2, sizeof(*f->notes));
	f->notes[n] = text;
	f->notes[n + 1] = NULL;
}

/* Whether an earlier group has the same identity and name: one of them was modernised. */
static bool is_repeated(const struct et_fleet_groups *l, size_t i)
{
	for (size_t k = 0; k < i; k++) {
		if (!strcmp(l->list[k].machine, l->list[i].machine) &&
			!strcmp(l->list[k].host, l->list[i].host))
			return true;
	}
	return false;
}

static void note_clones(const struct et_fleet_groups *l, struct et_fleet *fleet)
{
	for (size_t i = 0; i < l->n; i++) {
		for (size_t k = 0; k < i && !is_repeated(l, i); k++) {
			if (!is_repeated(l, k) && is_clone(&l->list[i], &l->list[k]))
				add_note(fleet,
					et_asprintf("note: %s and %s have the same machine-id, as "
						    "clones of an image have; name them by "
						    "ETALON_MACHINE or /etc/etalon/machine",
						l->list[k].host, l->list[i].host));
		}
	}
}

void et_fleet_merge(struct et_fleet_groups *l, struct et_fleet *fleet)
{
	modernise(l);
	for (size_t i = 0; i < l->n; i++) {
		struct et_fleet_group *g = &l->list[i];
		struct et_fleet_machine *m = NULL;
		for (size_t k = 0; k < i && !m; k++) {
			if (is_same(l, g, &l->list[k]))
				m = &fleet->list[l->list[k].at];
		}
		if (!m)
			m = et_fleet_add(fleet, g->machine);
		g->at = (size_t)(m - fleet->list);
		m->experiments += g->experiments;
		m->samples += g->samples;
		if (!m->first_wall_ns || g->first_wall_ns < m->first_wall_ns)
			m->first_wall_ns = g->first_wall_ns;
		if (g->last_wall_ns >= m->last_wall_ns) {
			m->last_wall_ns = g->last_wall_ns;
			snprintf(m->host.name, sizeof(m->host.name), "%.64s", g->host);
		}
	}
	note_clones(l, fleet);
}

enum { MOST_TIMINGS = 20000 };
static const double ALPHA = 0.05;

struct loading {
	struct et_fleet *fleet;
	struct et_fleet_groups groups;
	struct et_fleet_series *series;
	size_t n_series, cap_series;
	bool *described; /* of the fleet's machines: its row was found */
};

static int take_group(void *ctx, const struct et_machine_count *c)
{
	struct loading *l = ctx;

	ET_GROW(l->groups.list, l->groups.n, l->groups.cap);
	struct et_fleet_group *g = &l->groups.list[l->groups.n++];
	*g = (struct et_fleet_group){ .experiments = c->experiments,
		.samples = c->samples,
		.first_wall_ns = c->first_wall_ns,
		.last_wall_ns = c->last_wall_ns };
	snprintf(g->machine, sizeof(g->machine), "%s", c->machine);
	memcpy(g->written, g->machine, sizeof(g->written));
	snprintf(g->host, sizeof(g->host), "%s", c->host);
	return 0;
}

static void fill(struct et_fleet_machine *m, const struct et_machine_row *row)
{
	m->host = row->host;
	memcpy(m->version, row->version, sizeof(m->version));
	if (row->environment_known)
		et_fleet_set_environment(m, row->deviations, row->n_deviations);
	if (row->first_wall_ns && (!m->first_wall_ns || row->first_wall_ns < m->first_wall_ns))
		m->first_wall_ns = row->first_wall_ns;
	if (row->last_wall_ns > m->last_wall_ns)
		m->last_wall_ns = row->last_wall_ns;
}

/* A row of several clones is that of the one which measured last. */
static int take_row(void *ctx, const struct et_machine_row *row)
{
	struct loading *l = ctx;
	size_t same = l->fleet->n, found = 0;

	for (size_t i = 0; i < l->fleet->n; i++) {
		if (strcmp(l->fleet->list[i].id, row->id) != 0)
			continue;
		if (!found++ || !strcmp(l->fleet->list[i].host.name, row->host.name))
			same = i;
	}
	if (found > 1 && strcmp(l->fleet->list[same].host.name, row->host.name) != 0)
		return 0;
	if (same < l->fleet->n) {
		fill(&l->fleet->list[same], row);
		l->described[same] = true;
	}
	return 0;
}

static int take_description(void *ctx, const struct et_machine_row *row)
{
	fill(ctx, row);
	return 0;
}

static int take_timing(void *ctx, const struct et_timing *t)
{
	struct loading *l = ctx;
	size_t i = 0;

	while (i < l->groups.n && (strcmp(l->groups.list[i].written, t->machine) != 0 ||
					  strcmp(l->groups.list[i].host, t->host) != 0))
		i++;
	if (i == l->groups.n || !t->n) /* stored since they were counted, or nothing counts */
		return 0;
	ET_AUTO_FREE char *program =
		et_asprintf("%s\n%s\n%s", t->label ? t->label : "", t->name, t->text);
	ET_GROW(l->series, l->n_series, l->cap_series);
	l->series[l->n_series++] = (struct et_fleet_series){ .machine = l->groups.list[i].at,
		.program = et_hash_text(program),
		.started_wall_ns = t->started_wall_ns,
		.elapsed = et_log_moments_of(t->n, t->elapsed.mean, t->elapsed.squares),
		.cpu = et_log_moments_of(t->n, t->cpu.mean, t->cpu.squares) };
	return 0;
}

static int load(struct loading *l, struct et_store *s, struct et_error *err)
{
	int rc = et_store_count_machines(s, take_group, l, err);

	if (rc)
		return rc;
	et_fleet_merge(&l->groups, l->fleet);
	l->described = et_calloc(l->fleet->n + 1, sizeof(*l->described));
	rc = et_store_list_machines(s, NULL, take_row, l, err);
	for (size_t i = 0; rc == 0 && i < l->fleet->n; i++) {
		struct et_fleet_machine *m = &l->fleet->list[i];
		if (!l->described[i])
			rc = et_store_describe_machine(
				s, m->id, m->host.name, take_description, m, err);
	}
	if (rc == 0)
		rc = et_store_list_timings(s, MOST_TIMINGS, take_timing, l, err);
	return rc;
}

static void name_machines(struct et_fleet *f)
{
	char here[ET_MACHINE_SIZE];

	et_host_identity("", here, sizeof(here));
	for (size_t i = 0; i < f->n; i++)
		f->list[i].here = et_machine_same(f->list[i].id, here);
	et_fleet_name(f);
}

/* Judges what was loaded, if that succeeded, and frees the rest. */
static void conclude(
	struct loading *l, const struct et_fleet_options *o, int rc, struct et_fleet *out)
{
	if (rc == 0) {
		et_fleet_judge(l->fleet, l->series, l->n_series, o);
		et_fleet_sort(l->fleet);
		*out = *l->fleet;
	} else {
		et_fleet_free(l->fleet);
	}
	free(l->groups.list);
	free(l->series);
	free(l->described);
}

/* --- experiments in memory --- */

/* Imported records may not have the identity of their machine, but the name of its host. */
static size_t machine_of(struct et_fleet *f, const struct et_experiment *e)
{
	for (size_t i = 0; i < f->n; i++) {
		const struct et_fleet_machine *m = &f->list[i];
		if (*e->machine ? et_machine_same(m->id, e->machine)
				: !*m->id && !strcmp(m->host.name, e->host.name))
			return i;
	}
	et_fleet_add(f, e->machine)->host = e->host;
	return f->n - 1;
}

static void note_experiment(struct et_fleet_machine *m, const struct et_experiment *e)
{
	m->experiments++;
	for (size_t i = 0; i < e->n_commands; i++) {
		et_for_each_sample(s, &e->commands[i].samples)
			m->samples += !s->place.warmup;
	}
	if (!m->first_wall_ns || e->started_wall_ns < m->first_wall_ns)
		m->first_wall_ns = e->started_wall_ns;
	if (e->started_wall_ns < m->last_wall_ns)
		return;
	m->last_wall_ns = e->started_wall_ns;
	m->host = e->host;
	if (e->n_environment)
		et_fleet_set_environment(m, e->environment, e->n_environment);
}

/* As from the summary that a store keeps of the command (take_timing). */
static struct et_log_moments moments_of(const struct et_command *c, enum et_metric metric)
{
	size_t n = 0;
	ET_AUTO_FREE double *x = et_command_values(c, metric, et_command_arrangement(c), &n);

	return et_log_moments_of(n, et_mean(x, n), n > 1 ? ((double)n - 1) * et_variance(x, n) : 0);
}

static void add_command(struct loading *l, size_t machine, const struct et_experiment *e,
	const struct et_command *c)
{
	ET_AUTO_FREE char *text = et_asprintf("%s\n%s", c->name, c->text);
	struct et_fleet_series one = { .machine = machine,
		.program = et_hash_text(text),
		.started_wall_ns = e->started_wall_ns,
		.elapsed = moments_of(c, ET_METRIC_ELAPSED),
		.cpu = moments_of(c, ET_METRIC_CPU) };

	ET_GROW(l->series, l->n_series, l->cap_series);
	l->series[l->n_series++] = one;
}

static void gather(struct loading *l, struct et_experiment *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t machine = machine_of(l->fleet, list[i]);
		note_experiment(&l->fleet->list[machine], list[i]);
		for (size_t k = 0; k < list[i]->n_commands; k++)
			add_command(l, machine, list[i], &list[i]->commands[k]);
	}
	name_machines(l->fleet);
}

static int find_reference(
	const struct et_fleet *f, const char *name, size_t *out, struct et_error *err)
{
	ET_AUTO_FREE char *names = NULL;

	*out = et_fleet_find(f, name);
	if (*out < f->n)
		return 0;
	for (size_t i = 0; i < f->n && i < 10; i++)
		et_append(&names, ", ", "%s", f->list[i].name);
	return et_hint(err,
		et_fail(err, ENOENT, ET_EXIT_USAGE, "--reference: there is no machine '%s'", name),
		"use one of these: %s%s", names ? names : "", f->n > 10 ? ", …" : "");
}

int et_fleet_of_experiments(struct et_experiment *const *list, size_t n, double alpha, int metric,
	const char *reference, struct et_fleet *out, struct et_error *err)
{
	struct et_fleet fleet = { 0 };
	struct loading l = { .fleet = &fleet };
	struct et_fleet_options o = { .alpha = alpha, .metric = metric };
	size_t at = 0;

	gather(&l, list, n);
	int rc = reference ? find_reference(&fleet, reference, &at, err) : 0;
	o.reference = reference ? &at : NULL;
	conclude(&l, &o, rc, out);
	return rc;
}

static int fetch(const struct et_cli *cli, const struct et_operands *ops, struct et_chosen *c,
	struct et_error *err)
{
	size_t n = ops->n_before + ops->n_after;
	int rc = 0;

	if (!n)
		return et_refuse(err, "run 'etalon list' to see the labels",
			"compare --by machine needs a label, a campaign or experiments");
	for (size_t i = 0; rc == 0 && i < n; i++)
		rc = et_chosen_add(c, cli,
			i < ops->n_before ? ops->before[i] : ops->after[i - ops->n_before], err);
	return rc;
}

/* --- printing --- */

static void write_json(const struct et_by_machine *o, const struct et_fleet *f, FILE *out)
{
	ET_AUTO_FREE char *verdict = et_machines_verdict(f);
	struct et_json w;

	et_json_init(&w, out, 2);
	et_json_object(&w, NULL);
	et_json_string(&w, "by", "machine");
	et_json_double(&w, "alpha", o->alpha);
	et_json_string(&w, "reference", f->reference);
	et_json_u64(&w, "programs", f->n_programs);
	et_json_u64(&w, "programs_by_cpu_time", f->n_cpu);
	et_json_string(&w, "verdict", verdict);
	et_json_bool(&w, "between_sessions", f->between_sessions);
	et_warnings_json(&w, &f->warnings);
	et_machines_json(f, "machines", &w);
	et_json_end(&w);
}

static struct et_page page_of(const struct et_cli *cli, FILE *out)
{
	return (struct et_page){ out, cli->columns, cli->color, cli->full_names };
}

static int print(const struct et_cli *cli, const struct et_by_machine *o, const struct et_fleet *f,
	struct et_error *err)
{
	bool standard = o->json && !strcmp(o->json, "-");
	struct et_page page = page_of(cli, standard ? stderr : stdout);
	struct et_output out;

	et_machines_text(f, et_clock_read_ns(CLOCK_REALTIME), &page);
	int rc = standard ? 0 : et_cli_close_output(stdout, "-", err);
	if (rc || !o->json)
		return rc;
	FILE *file = et_output_start(&out, o->json, err);
	if (file)
		write_json(o, f, file);
	return et_output_finish(&out, 0, err);
}

/* One line per machine that is surely slower than allowed, or one that there is none. */
static bool fails(const struct et_fleet *f, double limit)
{
	const char *than = f->reference ? f->reference : "the fleet";
	char allowed[ET_FIGURE];
	bool any = false;

	et_format_percent(limit, allowed);
	for (size_t i = 0; i < f->n; i++) {
		const struct et_fleet_machine *m = &f->list[i];
		if (!m->differs || !(m->lo > 1 + limit))
			continue;
		any = true;
		et_say(stderr, "etalon: REGRESSION: %s is slower than %s by %s, limit %s\n",
			m->name, than, et_format_change_span(m->ratio, m->lo, m->hi, ET_BUF),
			allowed);
	}
	if (!any && !f->between_sessions)
		et_say(stderr, "etalon: undecided: no machine was measured twice, limit %s\n",
			allowed);
	else if (!any)
		et_say(stderr,
			"etalon: no regression: no machine is slower than %s by more than %s\n",
			than, allowed);
	return any;
}

int et_compare_machines(const struct et_cli *cli, const struct et_by_machine *o,
	const struct et_operands *ops, bool *regressed, struct et_error *err)
{
	struct et_chosen c = { 0 };
	struct et_fleet f = { 0 };
	int rc = fetch(cli, ops, &c, err);

	if (rc == 0)
		rc = et_fleet_of_experiments(
			c.list, c.n_list, o->alpha, o->metric, o->reference, &f, err);
	if (rc == 0 && f.n < 2)
		rc = et_refuse(err, "run 'etalon list --machines' to see the machines of the store",
			"compare --by machine needs experiments of at least two machines");
	if (rc == 0)
		rc = print(cli, o, &f, err);
	if (rc == 0 && isfinite(o->fail_ratio))
		*regressed = fails(&f, o->fail_ratio);
	et_fleet_free(&f);
	et_chosen_free(&c);
	return rc;
}

void et_compare_campaign(const struct et_cli *cli, struct et_store *s, const char *id, FILE *out)
{
	struct et_page page = page_of(cli, out);
	struct et_chosen c = { 0 };
	struct et_fleet f = { 0 };

	if (et_chosen_add_parts(&c, s, id, NULL) == 0 &&
		et_fleet_of_experiments(c.list, c.n_list, 0.05, ET_METRIC_AUTO, NULL, &f, NULL) ==
			0 &&
		f.n > 1)
		et_machines_text(&f, et_clock_read_ns(CLOCK_REALTIME), &page);
	et_fleet_free(&f);
	et_chosen_free(&c);
}

/* --- list --machines, report --machines --- */

/* A store that does not exist yet has no machines. On success et_fleet_free frees *out. */
static int load_all(const struct et_cli *cli, struct et_fleet *out, struct et_error *err)
{
	const struct et_fleet_options o = { .alpha = ALPHA, .metric = ET_METRIC_AUTO };
	struct et_fleet fleet = { 0 };
	struct loading l = { .fleet = &fleet };
	struct et_store *s;
	int rc = et_stored_open(cli, ET_STORE_READ, &s, err);

	if (rc)
		return rc;
	rc = load(&l, s, err);
	if (rc == 0)
		name_machines(&fleet);
	conclude(&l, &o, rc, out);
	et_store_close(s);
	return rc;
}

static void print_list(const struct et_cli *cli, const struct et_fleet *f)
{
	struct et_page page = page_of(cli, stdout);
	ET_AUTO_FREE char *cure = et_server_cure_missing(cli, "");

	if (f->n)
		et_machines_table(f, et_clock_read_ns(CLOCK_REALTIME), false, &page);
	else if (cli->verbosity >= 0)
		et_say(stderr, "no machine is in the store yet\nhint: %s\n", cure);
}

int et_fleet_list(const struct et_cli *cli, bool json, struct et_error *err)
{
	struct et_fleet fleet = { 0 };
	struct et_json w;
	int rc = load_all(cli, &fleet, err);

	if (rc == -ENOENT)
		rc = 0;
	if (rc == 0 && json) {
		et_json_init(&w, stdout, 2);
		et_machines_json(&fleet, NULL, &w);
	} else if (rc == 0) {
		print_list(cli, &fleet);
	}
	et_fleet_free(&fleet);
	return rc ? rc : et_cli_close_output(stdout, "-", err);
}

int et_fleet_report(const struct et_cli *cli, const char *path, struct et_error *err)
{
	struct et_fleet fleet = { 0 };
	struct et_output out;
	int rc = load_all(cli, &fleet, err);

	if (rc)
		return rc;
	FILE *f = et_output_start(&out, path, err);
	if (f)
		et_machines_page(&fleet, et_clock_read_ns(CLOCK_REALTIME), f);
	et_fleet_free(&fleet);
	return et_output_finish(&out, 0, err);
}
