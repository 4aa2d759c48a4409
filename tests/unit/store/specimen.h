/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An experiment in which every field has a value of its own, and comparisons of experiments. */
#pragma once

#include "base/base.h"
#include "base/parse.h"
#include "model/design/json.h"
#include "model/experiment/figure.h"
#include "sample_of.h"
#include "tap.h"

#include <math.h>

static inline struct et_sample specimen_sample(uint32_t command, uint32_t order)
{
	struct et_sample s;

	/* Samples are compared byte by byte, so padding must be zero as well. */
	memset(&s, 0, sizeof(s));
	s.place.command = command;
	s.place.order = order;
	s.place.round = order / 3 + 1;
	s.place.position = order % 3;
	s.place.partner = command ? 0 : -1;
	s.place.arrangement = command ? ET_DUET : ET_SOLO;
	s.place.warmup = order == 1;
	s.measured.exit_code = order % 5 ? 0 : -1;
	s.measured.signal = order % 5 ? 0 : 9;
	s.ruling.marks = ET_MARK_LEFTOVERS | ET_MARK_LOST_RECORDS;
	s.measured.cpu_source = ET_CPU_BY_CPU_STAT;
	s.measured.started_wall_ns = 1763196906000000000u + order;
	s.measured.elapsed_ns = 1000000 + order;
	s.measured.cpu_ns = order % 2 ? ET_UNKNOWN : 900000;
	s.measured.user_ns = 800000;
	s.measured.system_ns = 100000;
	s.measured.wait_ns = INT64_MAX;
	s.measured.blocked_ns = ET_UNKNOWN;
	s.measured.steal_ns = 1;
	s.measured.max_rss_bytes = 1 << 20;
	s.measured.voluntary_switches = 2;
	s.measured.involuntary_switches = 3;
	s.measured.cpu_migrations = 4;
	s.measured.major_faults = 5;
	s.measured.minor_faults = 6;
	if (order == 2) {
		s.ruling.removal.by = ET_REMOVED_DAEMON_CUTOFF;
		strcpy(s.ruling.removal.daemon, "cron");
		s.ruling.removal.cpu_ns = 12;
		s.ruling.removal.cutoff_ns = 11;
	}
	return s;
}

/* Gives s up to three culprits, in a static list that the next call overwrites. */
static inline void specimen_culprits(struct et_sample *s, size_t n)
{
	static struct et_culprit list[3];

	memset(list, 0, sizeof(list));
	for (size_t i = 0; i < n && i < 3; i++) {
		snprintf(list[i].name, sizeof(list[i].name), i ? "kworker/%zu:1-ev" : "cron", i);
		list[i].pid = 100 + (int32_t)i;
		list[i].kernel_thread = i > 0;
		list[i].exited = i == 2;
		list[i].cpu_ns = 5000 - i;
		list[i].doubt_ns = 4000000;
		list[i].on_our_cpu_ns = i ? ET_UNKNOWN : 77;
	}
	s->measured.culprits = list;
	s->measured.n_culprits = n;
}

static inline void specimen_command(struct et_command *c, const char *name)
{
	c->name = et_strdup(name);
	c->text = et_asprintf("%s 'a b' --size 7", name);
	c->argv = et_calloc(5, sizeof(*c->argv));
	c->argv[0] = et_strdup(name);
	c->argv[1] = et_strdup("a b");
	c->argv[2] = et_strdup("");
	c->argv[3] = et_strdup("\xff\xfe not UTF-8");
	c->prepare = et_strdup("sync");
	c->cleanup = et_strdup("rm -f x");
	c->n_parameters = 2;
	c->parameters = et_calloc(2, sizeof(*c->parameters));
	c->parameters[0] = (struct et_parameter){ et_strdup("size"), et_strdup("7") };
	c->parameters[1] = (struct et_parameter){ et_strdup("a"), et_strdup("x y") };
}

static inline void specimen_machine(struct et_experiment *e)
{
	e->child.cpus = et_strdup("0-1");
	e->child.output = et_strdup("null");
	e->child.directory = et_strdup("/tmp/\xc3\xa9");
	e->child.nice = -5;
	e->child.pass_env = et_strdup("A,B_1");
	e->child.no_new_privs = true;
	e->snapshot_source = et_strdup("taskstats");
	strcpy(e->host.name, "host");
	strcpy(e->host.kernel, "6.1.0-18-amd64");
	strcpy(e->host.cpu, "A CPU @ 3 GHz");
	strcpy(e->host.virtual_machine, "kvm");
	strcpy(e->host.clocksource, "tsc");
	e->host.cpus = 2;
	e->host.tick_ns = 4000000;
	e->host.memory_bytes = 1ull << 33;
	e->host.block_delays = true;
	e->n_environment = 2;
	e->environment = et_calloc(2, sizeof(*e->environment));
	e->environment[0] =
		(struct et_factor){ et_strdup("turbo"), et_strdup("on"), et_strdup("off"), false };
	e->environment[1] = (struct et_factor){ et_strdup("aslr"), et_strdup("2"), NULL, true };
}

/* Two commands, no samples. */
static inline struct et_experiment *specimen(const char *id)
{
	struct et_experiment *e = et_calloc(1, sizeof(*e));

	snprintf(e->id, sizeof(e->id), "%s", id);
	e->label = et_strdup("a label");
	e->started_wall_ns = 1763196906000000000u;
	e->origin = ET_ORIGIN_MEASURED;
	strcpy(e->machine, "host 0123456789abcdef");
	e->protocol = ET_PROTOCOL_KBEST;
	e->metric = ET_METRIC_ELAPSED;
	e->plan = (struct et_plan){ .order = ET_ORDER_DUET,
		.seed = UINT64_MAX - 4,
		.reference = 1,
		.warmup = 1,
		.runs = 10,
		.until_ratio = 0.005,
		.min_time_ns = 2500000000,
		.min_runs = 3,
		.max_runs = 1000,
		.time_limit_ns = 60000000000u,
		.metronome_ns = 1000000,
		.pace = true,
		.randomise_layout = true,
		.keep_all = true,
		.ignore_failure = true,
		.level = 0.95 };
	specimen_machine(e);
	e->first_check =
		(struct et_first_check){ ET_FIRST_CHECK_WITHDRAWN, 1763196905000000000u, 12, 7 };
	e->member.study = et_strdup("a label/20251115-085506");
	e->member.study_lab = et_strdup("triangle");
	e->member.study_part = et_strdup("random, no load");
	e->n_commands = 2;
	e->commands = et_calloc(2, sizeof(*e->commands));
	specimen_command(&e->commands[0], "sort");
	specimen_command(&e->commands[1], "uniq");
	et_figure_add(e, "timer", 0, 0, 4000000.25);
	et_figure_add(e, "slope", 0, 0, -1e-9);
	et_figure_add(e, "doubt", 11, 50000000, INFINITY);
	return e;
}

/* Gives the experiment a design of its two commands, in which each field has its own value. */
static inline void specimen_design(struct et_experiment *e)
{
	struct et_design *d = e->design = et_design_new();

	d->name = et_strdup("a label");
	d->source = et_strdup("name: a label\n# \xc3\xa9\t\n");
	for (int i = 0; i < 2; i++) {
		struct et_design_factor *f = et_design_add_factor(d, i ? "order" : "pad");
		f->kind = i ? ET_KIND_LINK_ORDER : ET_KIND_ENVIRONMENT_SIZE;
		f->levels = et_strv_of("0", "a, \"b\"", NULL);
		f->n_levels = 2;
		f->objects = i ? et_strv_of("x.o", "\xc3\xa9.o", NULL) : NULL;
		f->variable = i ? NULL : et_strdup("PAD");
		f->generator = i ? et_strdup("pad") : NULL;
	}
	struct et_design_program *p = et_design_add_program(d, "sort");
	p->command = et_strdup("sort {pad}");
	p->build = et_strdup("make");
	p->input = et_strdup("/dev/null");
	et_design_add_treatment(d, (const uint32_t[]){ 0, 1 });
	et_design_add_treatment(d, (const uint32_t[]){ 1, 0 });
	d->replications = 12;
	d->discard = 2;
	d->blocks = ET_BLOCKS_MACHINE;
	d->response = et_strdup("profile:main");
	d->setup = et_strdup("true");
	d->between = et_strdup("sync");
	d->reboot = et_strdup("reboot");
}

/* Gives the experiment a profile without runs, in which each field has a value of its own. */
static inline void specimen_profile(struct et_experiment *e)
{
	static const struct et_profile_plan plan = { .event = "cycles",
		.rate_hz = 997.5,
		.period = 123456789,
		.fixed = true,
		.user_only = true,
		.inlines = true,
		.addresses = true,
		.chains = ET_CHAINS_DWARF };

	e->profile = et_profile_new(&plan);
	strcpy(e->profile->event, "cpu-clock");
	e->profile->way = ET_PROFILE_INHERITED;
	e->profile->kernel_allowed = true;
}

/* Gives s a run, with a function and a context that no run of a smaller order has. */
static inline void specimen_profile_run(struct et_experiment *e, struct et_sample *s)
{
	struct et_profile *p = e->profile;
	struct et_profile_run *run = et_calloc(1, sizeof(*run));
	uint32_t order = s->place.order;
	char name[32];

	*run = (struct et_profile_run){ .of = p,
		.period = 999.5 + order,
		.counted = 12345 + order,
		.lost = order % 3,
		.overruns = 7,
		.throttled = order % 2,
		.tasks = 40,
		.short_tasks = 4 };
	snprintf(name, sizeof(name), "f%u\x1b[2J", order);
	uint32_t main = et_profile_function_of(p, "main", "/usr/bin/a b\xff", ET_SPACE_USER, false);
	uint32_t own = et_profile_function_of(p, name, order % 2 ? "[jit]" : "[kernel]",
		(enum et_space_kind)(order % 4), order % 2);
	uint32_t node = et_profile_node_of(p, ET_PROFILE_ROOT, main);
	et_profile_run_add(run, node, 100 + order, order);
	et_profile_run_add(run, et_profile_node_of(p, node, own), (uint64_t)1 << (3 * order), 0);
	s->measured.profile = run;
}

static inline bool same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static inline bool same_fields(const struct et_field *fields, const void *a, const void *b)
{
	for (const struct et_field *f = fields; f->name; f++) {
		bool same = f->kind >= ET_FIELD_STRING
				    ? same_text(et_field_text(f, a), et_field_text(f, b))
			    : f->kind == ET_FIELD_DOUBLE
				    ? et_field_double(f, a) == et_field_double(f, b)
				    : et_field_int(f, a) == et_field_int(f, b);
		if (!same) {
			printf("# %s differs\n", f->name);
			return false;
		}
	}
	return true;
}

static inline bool same_run(const struct et_profile_run *a, const struct et_profile_run *b)
{
	bool same = a->command == b->command && a->order == b->order && a->warmup == b->warmup &&
		    a->n_counts == b->n_counts && same_fields(et_profile_run_fields, a, b);

	for (size_t i = 0; same && i < a->n_counts; i++)
		same = a->counts[i].node == b->counts[i].node &&
		       a->counts[i].samples == b->counts[i].samples &&
		       a->counts[i].at_entry == b->counts[i].at_entry;
	return same;
}

/* Functions and nodes must have the same numbers. */
static inline bool same_profile(const struct et_profile *a, const struct et_profile *b)
{
	if (!a || !b)
		return a == b;
	bool same = same_fields(et_profile_plan_fields, &a->plan, &b->plan) &&
		    same_fields(et_profile_fields, a, b) && a->n_functions == b->n_functions &&
		    a->n_nodes == b->n_nodes && a->n_runs == b->n_runs && a->n_calls == b->n_calls;
	for (size_t i = 0; same && i < a->n_functions; i++)
		same = same_fields(et_profile_function_fields, &a->functions[i], &b->functions[i]);
	for (size_t i = 0; same && i < a->n_nodes; i++)
		same = a->nodes[i].parent == b->nodes[i].parent &&
		       a->nodes[i].function == b->nodes[i].function;
	for (size_t i = 0; same && i < a->n_runs; i++)
		same = same_run(&a->runs[i], &b->runs[i]);
	for (size_t i = 0; same && i < a->n_calls; i++)
		same = a->calls[i].command == b->calls[i].command &&
		       a->calls[i].function == b->calls[i].function &&
		       a->calls[i].calls == b->calls[i].calls;
	return same;
}

/* Compares everything but the index, which the reader assigns. */
static inline bool same_sample(const struct et_sample *a, const struct et_sample *b)
{
	struct et_sample x = *a, y = *b;

	x.place.index = y.place.index = 0;
	x.measured.culprits = y.measured.culprits = NULL;
	if (memcmp(&x, &y, sizeof(x))) {
		printf("# sample of order %u differs\n", a->place.order);
		return same_fields(et_sample_fields, a, b) && false;
	}
	return !a->measured.n_culprits ||
	       !memcmp(a->measured.culprits, b->measured.culprits,
		       a->measured.n_culprits * sizeof(*a->measured.culprits));
}

static inline bool same_command(const struct et_command *a, const struct et_command *b)
{
	if (!same_text(a->name, b->name) || !same_text(a->text, b->text) ||
		!same_text(a->prepare, b->prepare) || !same_text(a->conclude, b->conclude) ||
		!same_text(a->setup, b->setup) || !same_text(a->cleanup, b->cleanup) ||
		a->n_parameters != b->n_parameters || a->samples.n != b->samples.n)
		return false;
	for (size_t i = 0; i < a->n_parameters; i++) {
		if (!same_text(a->parameters[i].name, b->parameters[i].name) ||
			!same_text(a->parameters[i].value, b->parameters[i].value))
			return false;
	}
	for (size_t i = 0; a->argv[i] || b->argv[i]; i++) {
		if (!same_text(a->argv[i], b->argv[i]))
			return false;
	}
	for (size_t i = 0; i < a->samples.n; i++) {
		if (!same_sample(sample_of(a, i), sample_of(b, i)))
			return false;
	}
	return true;
}

static inline bool same_figures(const struct et_experiment *a, const struct et_experiment *b)
{
	bool same = a->n_figures == b->n_figures;

	for (size_t i = 0; same && i < a->n_figures; i++) {
		struct et_figure x = a->figures[i], y = b->figures[i];
		same = isnan(x.value) == isnan(y.value);
		x.value = isnan(x.value) ? 0 : x.value;
		y.value = isnan(y.value) ? 0 : y.value;
		same = same && same_fields(et_figure_fields, &x, &y);
	}
	return same;
}

static inline bool same_experiment(const struct et_experiment *a, const struct et_experiment *b)
{
	bool same = !strcmp(a->id, b->id) && same_text(a->label, b->label) &&
		    a->started_wall_ns == b->started_wall_ns &&
		    a->finished_wall_ns == b->finished_wall_ns && a->state == b->state &&
		    a->origin == b->origin && !strcmp(a->machine, b->machine) &&
		    a->protocol == b->protocol && a->metric == b->metric &&
		    a->plan.order == b->plan.order && a->plan.seed == b->plan.seed &&
		    same_text(a->snapshot_source, b->snapshot_source) &&
		    same_fields(et_plan_fields, &a->plan, &b->plan) &&
		    same_fields(et_child_fields, &a->child, &b->child) &&
		    same_fields(et_host_fields, &a->host, &b->host) &&
		    same_fields(et_first_check_fields, &a->first_check, &b->first_check) &&
		    same_fields(et_member_fields, &a->member, &b->member) &&
		    same_fields(et_study_fields, &a->member, &b->member) &&
		    a->n_environment == b->n_environment && a->n_commands == b->n_commands;

	for (size_t i = 0; same && i < a->n_environment; i++)
		same = same_fields(et_factor_fields, &a->environment[i], &b->environment[i]);
	for (size_t i = 0; same && i < a->n_commands; i++)
		same = same_command(&a->commands[i], &b->commands[i]);
	ET_AUTO_FREE char *x = a->design ? et_design_text(a->design, true) : NULL;
	ET_AUTO_FREE char *y = b->design ? et_design_text(b->design, true) : NULL;
	return same && same_figures(a, b) && same_text(x, y) &&
	       same_profile(a->profile, b->profile);
}
