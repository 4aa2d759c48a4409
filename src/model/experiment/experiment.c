/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/experiment/experiment.h"
#include "base/parse.h"
#include "model/experiment/field.h"
#include "model/experiment/figure.h"

#include <time.h>

const char *const et_order_names[] = { "auto", "random", "round-robin", "sequential", "duet",
	NULL };
const char *const et_protocol_names[] = { "emp", "kbest", "raw", "auto", "cause", NULL };
const char *const et_state_names[] = { "running", "interrupted", "done", "failed", NULL };
const char *const et_origin_names[] = { "unknown", "measured", "imported", NULL };
const char *const et_first_check_names[] = { "none", "not-learned", "no-processes", "too-long",
	"withdrawn", "done", "does-not-fit", NULL };

static void command_free(struct et_command *c)
{
	free(c->name);
	free(c->text);
	et_strv_free(c->argv);
	free(c->prepare);
	free(c->conclude);
	free(c->setup);
	free(c->cleanup);
	for (size_t i = 0; i < c->n_parameters; i++) {
		free(c->parameters[i].name);
		free(c->parameters[i].value);
	}
	free(c->parameters);
	et_files_free(&c->files);
	et_samples_free(&c->samples);
}

void et_child_spec_free(struct et_child_spec *s)
{
	et_fields_set_missing(et_child_fields, s);
}

enum et_member_kind et_member_kind(const struct et_member *m)
{
	return m->campaign[0] ? ET_MEMBER_CAMPAIGN : m->study ? ET_MEMBER_STUDY : ET_MEMBER_NONE;
}

const char **et_experiment_names(const struct et_experiment *e)
{
	const char **names = et_calloc(e->n_commands + 1, sizeof(*names));

	for (size_t i = 0; i < e->n_commands; i++)
		names[i] = e->commands[i].name ? e->commands[i].name : "";
	return names;
}

void et_experiment_free(struct et_experiment *e)
{
	if (!e)
		return;
	free(e->label);
	et_design_free(e->design);
	free(e->snapshot_source);
	et_child_spec_free(&e->child);
	et_fields_set_missing(et_study_fields, &e->member);
	for (size_t i = 0; i < e->n_environment; i++)
		et_fields_set_missing(et_factor_fields, &e->environment[i]);
	free(e->environment);
	for (size_t i = 0; i < e->n_commands; i++)
		command_free(&e->commands[i]);
	free(e->commands);
	et_profile_free(e->profile);
	et_figures_free(e);
	free(e);
}

const struct et_plan et_default_plan = { .order = ET_ORDER_AUTO,
	.warmup = 1,
	.min_time_ns = 3000000000,
	.min_runs = 10,
	.max_runs = 1000,
	.probe = true,
	.level = 0.95 };

struct et_experiment *et_experiment_new(void)
{
	struct et_experiment *e = et_calloc(1, sizeof(*e));

	e->plan = et_default_plan;
	e->protocol = ET_PROTOCOL_CAUSE;
	return e;
}

struct et_command *et_experiment_add_command(struct et_experiment *e, char *name, char **argv)
{
	e->commands = et_realloc(e->commands, e->n_commands + 1, sizeof(*e->commands));
	struct et_command *c = &e->commands[e->n_commands++];

	*c = (struct et_command){ .name = name, .argv = argv, .text = et_join_words(argv) };
	return c;
}

void et_experiment_take_profile(struct et_experiment *e, struct et_experiment *other)
{
	et_profile_append(e->profile, other->profile, (uint32_t)e->n_commands);
	e->commands = et_realloc(e->commands, e->n_commands + 1, sizeof(*e->commands));
	e->commands[e->n_commands++] = other->commands[0];
	other->n_commands--;
	memmove(other->commands, other->commands + 1, other->n_commands * sizeof(*other->commands));
}

struct et_sample *et_experiment_add(struct et_experiment *e, const struct et_sample *s)
{
	struct et_sample bare = *s;

	bare.measured.profile = NULL;
	if (e->profile && s->measured.profile) {
		struct et_profile_run *run = et_profile_run_copy(s->measured.profile);
		run->command = s->place.command;
		run->order = s->place.order;
		run->warmup = s->place.warmup;
		et_profile_add_run(e->profile, run);
		et_profile_run_free(run);
	}
	return et_samples_add(&e->commands[s->place.command].samples, &bare);
}

/* The shell that runs it, as words; NULL: none does. */
static char *shell_of(const struct et_command *c)
{
	size_t n = et_strv_length(c->argv);

	if (!c->text || n < 3 || strcmp(c->argv[n - 1], c->text) || strcmp(c->argv[n - 2], "-c"))
		return NULL;
	ET_AUTO_FREE char **words = et_calloc(n, sizeof(*words));
	memcpy(words, c->argv, (n - 2) * sizeof(*words));
	return et_join_words(words);
}

const char *et_command_parameter(const struct et_command *c, const char *name)
{
	for (size_t i = 0; i < c->n_parameters; i++) {
		if (!strcmp(c->parameters[i].name, name))
			return c->parameters[i].value;
	}
	return NULL;
}

char *et_command_words(const struct et_command *const *list, size_t n)
{
	ET_AUTO_FREE char **words = et_calloc(n + 3, sizeof(*words));
	ET_AUTO_FREE char *shell = NULL;
	size_t at = 0;

	for (size_t i = 0; i < n && !shell; i++)
		shell = shell_of(list[i]);
	if (shell) {
		words[at++] = (char *)"--shell";
		words[at++] = shell;
	}
	for (size_t i = 0; i < n; i++)
		words[at++] = list[i]->text ? list[i]->text : (char *)"COMMAND";
	return et_join_words(words);
}

const struct et_factor *et_experiment_add_change(
	struct et_experiment *e, const char *factor, const char *what, uint64_t wall_ns)
{
	char when[32];

	e->environment = et_realloc(e->environment, e->n_environment + 1, sizeof(*e->environment));
	struct et_factor *added = &e->environment[e->n_environment++];
	*added = (struct et_factor){ et_strdup(factor),
		et_asprintf("%s (%s)", what, et_format_rfc3339(wall_ns, when)),
		et_strdup(ET_FACTOR_UNCHANGED), false };
	return added;
}

const char *et_format_rfc3339(uint64_t wall_ns, char buf[32])
{
	time_t seconds = (time_t)(wall_ns / 1000000000u);
	struct tm tm;

	gmtime_r(&seconds, &tm);
	strftime(buf, 32, "%Y-%m-%dT%H:%M:%SZ", &tm);
	return buf;
}

void et_experiment_name(struct et_experiment *e, uint64_t wall_ns, uint64_t random)
{
	time_t seconds = (time_t)(wall_ns / 1000000000u);
	struct tm tm;
	char stamp[24];

	gmtime_r(&seconds, &tm);
	strftime(stamp, sizeof(stamp), "%Y%m%d-%H%M%S", &tm);
	snprintf(e->id, sizeof(e->id), "%s-%06x", stamp, (unsigned)(random & 0xffffff));
	e->started_wall_ns = wall_ns;
}

bool et_experiment_is_id(const char *text)
{
	/* Not isalnum(), which accepts more in some locales. */
	static const char letters[] = "0123456789"
				      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-._";
	size_t n = strspn(text, letters);

	return n >= 1 && n < sizeof(((struct et_experiment *)0)->id) && !text[n] &&
	       !strchr("-._", text[0]);
}

double *et_command_values(
	const struct et_command *c, enum et_metric m, enum et_arrangement a, size_t *n)
{
	double *out = et_calloc(c->samples.n, sizeof(*out));
	size_t k = 0;

	et_for_each_sample(s, &c->samples) {
		double value = et_sample_value(s, m);
		if (!s->place.warmup && s->ruling.removal.by == ET_KEPT &&
			s->place.arrangement == a && !isnan(value))
			out[k++] = value;
	}
	*n = k;
	return out;
}

/* The interrupts that a metric of a run contains, in ns; NaN: not known. */
static double interrupts_in(const struct et_sample *s, enum et_metric m)
{
	const struct et_measured *x = &s->measured;

	if (m == ET_METRIC_CPU && x->irq_in_cpu_ns != ET_UNKNOWN)
		return (double)x->irq_in_cpu_ns;
	/* An interrupt on one CPU need not delay a program that uses several. */
	if (m == ET_METRIC_ELAPSED && x->irq_ns != ET_UNKNOWN && x->softirq_ns != ET_UNKNOWN &&
		x->cpu_ns != ET_UNKNOWN && x->cpu_ns <= x->elapsed_ns)
		return (double)(x->irq_ns + x->softirq_ns);
	return NAN;
}

double *et_command_values_less_interrupts(
	const struct et_command *c, enum et_metric m, double **less, size_t *n)
{
	double *out = et_calloc(c->samples.n + 1, sizeof(*out));
	size_t k = 0;

	*less = et_calloc(c->samples.n + 1, sizeof(**less));
	et_for_each_sample(s, &c->samples) {
		uint64_t value = et_sample_metric(s, m);
		if (s->place.warmup || s->ruling.removal.by != ET_KEPT ||
			s->place.arrangement != ET_SOLO || value == ET_UNKNOWN)
			continue;
		double met = interrupts_in(s, m);
		(*less)[k] = met <= (double)value ? met : NAN;
		out[k] = (double)value - (isnan((*less)[k]) ? 0 : met);
		k++;
	}
	*n = k;
	return out;
}

double *et_command_values_uncut(const struct et_command *c, enum et_metric m, size_t *n)
{
	double *x = et_calloc(c->samples.n + 1, sizeof(*x));
	bool any = false;

	*n = 0;
	et_for_each_sample(s, &c->samples) {
		double value = et_sample_value(s, m);
		bool cut = s->ruling.removal.by == ET_REMOVED_TWO_SIGMA;
		if (s->place.warmup || s->place.arrangement != ET_SOLO || isnan(value) ||
			(s->ruling.removal.by != ET_KEPT && !cut))
			continue;
		any = any || cut;
		x[(*n)++] = value;
	}
	if (any)
		return x;
	free(x);
	return NULL;
}

enum et_arrangement et_command_arrangement(const struct et_command *c)
{
	bool paced = false;

	et_for_each_sample(s, &c->samples) {
		if (s->place.warmup)
			continue;
		if (s->place.arrangement == ET_SOLO)
			return ET_SOLO;
		paced = paced || s->place.arrangement == ET_PACED;
	}
	return paced ? ET_PACED : ET_DUET;
}

bool et_experiment_of_functions(const struct et_experiment *e)
{
	for (size_t i = 0; i < e->n_commands; i++) {
		et_for_each_sample(s, &e->commands[i].samples)
			return et_sample_is_function(s);
	}
	return false;
}

struct et_check_counts et_command_check_counts(const struct et_command *c)
{
	struct et_check_counts o = { 0 };

	et_for_each_sample(s, &c->samples) {
		o.first += s->ruling.removal.by == ET_REMOVED_DAEMON_CUTOFF;
		o.second += s->ruling.removal.by == ET_REMOVED_TWO_SIGMA;
	}
	return o;
}
