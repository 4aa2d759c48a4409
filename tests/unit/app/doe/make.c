/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The experiment of a plan: commands, numbers of runs, and the options of `run`. */
#include "app/doe/doe.h"
#include "conduct/measuring.h"
#include "tap.h"

static struct et_error err;

#define PLAN                                                                                       \
	"name: n\n"                                                                                \
	"programs:\n"                                                                              \
	"- { name: p, command: 'put {a} \"x y\"' }\n"                                              \
	"- { name: q, command: 'q ${a} { a }' }\n"                                                 \
	"factors:\n"                                                                               \
	"- { name: a, kind: parameter, levels: [1, 2] }\n"                                         \
	"- { name: t, kind: threads, levels: [1, 4] }\n"

/* The text begins with that. */
#define like(text, begin, ...)                                                                     \
	do {                                                                                       \
		if (!ok(!strncmp(text, begin, strlen(begin)), __VA_ARGS__))                        \
			printf("# got '%s'\n", text);                                              \
	} while (0)

static int make(const char *text, struct et_experiment **out)
{
	struct et_plan_file p;
	FILE *in = fmemopen((void *)text, strlen(text), "r");

	if (!in)
		tap_bail("fmemopen");
	int rc = et_plan_read(in, "p", &p, &err);
	fclose(in);
	if (rc)
		return rc;
	rc = et_doe_make(&p, NULL, out, &err);
	ok(!p.design == !rc, "the design belongs to the plan, or to the experiment");
	et_plan_file_free(&p);
	return rc;
}

static void check_commands(void)
{
	struct et_experiment *e;

	if (!ok(make(PLAN "run: { shell: none }\n", &e) < 0, "commands: shell syntax is refused"))
		et_experiment_free(e);
	like(err.what, "p:4:23: 'q ${a}", "commands: the error has the place of the command");
	if (make(PLAN "run: { shell: sh, prepare: [one, 'two {t}'] }\n", &e))
		tap_bail("%s", err.what);
	ok(e->n_commands == 8, "commands: two programs under four treatments");
	is_str(e->commands[2].name, "p a=2,t=1", "commands: a name has the program and treatment");
	is_str(e->commands[2].text, "put 2 \"x y\"", "commands: {a} is the level");
	is_str(e->commands[2].argv[0], "sh", "commands: the option shell of run is used");
	is_str(e->commands[3].text, "q ${a} { a }", "commands: other braces are left alone");
	is_str(e->commands[2].prepare, "one", "commands: the first program has the first hook");
	is_str(e->commands[7].prepare, "two 4", "commands: the second program has the second");
	ok(e->commands[7].n_parameters == 2, "commands: the factors are parameters");
	is_str(e->commands[7].parameters[1].name, "t",
		"commands: a parameter has the factor's name");
	is_str(e->commands[7].parameters[1].value, "4", "commands: its value is the level");
	et_experiment_free(e);
}

#define ONE                                                                                        \
	"name: n\n"                                                                                \
	"programs: [{ name: p, command: 'put {a} \"x y\"' }]\n"                                    \
	"factors: [{ name: a, kind: parameter, levels: [1, 2] }]\n"

static void check_plan(void)
{
	struct et_experiment *e;

	if (make(ONE, &e))
		tap_bail("%s", err.what);
	is_str(e->label, "n", "plan: the label is the name");
	ok(e->plan.warmup == 1 && e->plan.runs == 30, "plan: 1 of 31 replications is warm-up");
	ok(e->plan.order == ET_ORDER_RANDOM, "plan: the order is random");
	ok(e->protocol == ET_PROTOCOL_RAW, "plan: all samples are kept");
	ok(e->metric == ET_METRIC_CPU && !e->metric_auto, "plan: CPU time is judged");
	is_str(e->commands[1].argv[2], "x y", "plan: words are split as run splits them");
	et_experiment_free(e);
	if (make(ONE "order: yates\nseed: 7\nreplications: 5\ndiscard: 2\nresponse: et\n"
		     "run: { warmup: 3, cpu: 0, protocol: cause }\n",
		    &e))
		tap_bail("%s", err.what);
	ok(e->plan.warmup == 5 && e->plan.runs == 3, "plan: warmup of run is added to discard");
	ok(e->plan.order == ET_ORDER_SEQUENTIAL && e->plan.seed == 7,
		"plan: Yates's order, the seed");
	ok(e->metric == ET_METRIC_ELAPSED && e->protocol == ET_PROTOCOL_CAUSE,
		"plan: response and protocol as given");
	is_str(e->child.cpus, "0", "plan: the option cpu of run is used");
	et_experiment_free(e);
	if (make(ONE "order: interleaved\nresponse: max_rss\n", &e))
		tap_bail("%s", err.what);
	ok(e->plan.order == ET_ORDER_ROUND_ROBIN, "plan: interleaved is round-robin");
	is_str(e->design->response, "max_rss", "plan: a response that run does not judge");
	et_experiment_free(e);
	if (make(ONE "response: { profile: main }\n", &e))
		tap_bail("%s", err.what);
	ok(e->profile != NULL, "plan: a profile's function needs a profile");
	et_experiment_free(e);
}

static void check_options(void)
{
	static const struct {
		const char *run, *what, *hint;
	} bad[] = {
		{ "{ runs: 5 }", "p:4:8: run: a plan cannot set 'runs'", "use 'replications'" },
		{ "{ order: random }", "p:4:8: run: a plan cannot set 'order'",
			"use the plan's key" },
		{ "{ label: x }", "p:4:8: run: a plan cannot set 'label'", "the plan's name" },
		{ "{ resume: true }", "p:4:8: run: a plan cannot set 'resume'",
			"'etalon doe run'" },
		{ "{ parameter-list: x }", "p:4:8: run: a plan cannot set 'parameter-list'",
			"make it a factor" },
		{ "{ wramup: 1 }", "p:4:8: run has no option 'wramup'", "did you mean 'warmup'?" },
		{ "{ json: x }", "p:4:8: run has no option 'json'", "" },
		{ "{ warmup: -1 }", "p:4:8: --warmup", "" },
		{ "{ nice: 99 }", "p:4:8: --nice", "" },
		{ "{ no-probe: maybe }", "p:4:8: run: 'no-probe' must be true or false", "" },
		{ "{ protocol: emp }", "p:4:8: run: protocol emp chooses samples by their value",
			"use raw" },
		{ "{ protocol: kbest }", "p:4:8: run: protocol kbest chooses", "use raw" },
		{ "{ cpu: 0, prepare: [a, b] }", "run: 'prepare' has 2 values for 1 programs", "" },
	};

	for (size_t i = 0; i < ET_LENGTH(bad); i++) {
		char text[512];
		struct et_experiment *e = NULL;
		snprintf(text, sizeof(text), "%srun: %s\n", ONE, bad[i].run);
		ok(make(text, &e) < 0 && err.exit == ET_EXIT_USAGE, "options: %s is refused",
			bad[i].run);
		like(err.what, bad[i].what, "options: the error of %s", bad[i].run);
		like(err.hint, bad[i].hint, "options: the hint of %s", bad[i].run);
		et_experiment_free(e);
	}
}

static void check_factors(void)
{
	struct et_experiment *e = NULL;

	ok(make("name: n\nprograms: [{ name: p, command: c }]\n"
		"factors: [{ name: c, kind: cpu, levels: [0, 1] }]\nrun: { cpu: 1 }\n",
		   &e) < 0,
		"factors: an option that sets what a factor varies is refused");
	is_str(err.what, "p:4:8: run: 'cpu' contradicts the factor 'c' of kind cpu",
		"factors: the error names both");
}

static void check_measuring(void)
{
	static const char text[] = ONE "run: { no-ledger: true, env: yes, only: aslr }\n";
	struct et_plan_file p;
	struct et_measuring m = { 0 };
	struct et_experiment *e;
	FILE *in = fmemopen((void *)text, sizeof(text) - 1, "r");

	if (!in || et_plan_read(in, "p", &p, &err))
		tap_bail("%s", err.what);
	fclose(in);
	ok(et_doe_make(&p, &m, &e, &err) == 0 && m.no_ledger && m.env.apply,
		"measuring: options that are not part of the experiment");
	is_str(m.env.only, "aslr", "measuring: the text of an option");
	et_experiment_free(e);
	et_plan_file_free(&p);
}

int main(void)
{
	check_commands();
	check_plan();
	check_options();
	check_factors();
	check_measuring();
	return tap_done();
}
