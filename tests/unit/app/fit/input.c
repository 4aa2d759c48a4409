/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The points of `etalon fit`: sizes and series of experiments, tables, and what is refused. */
#include "../../store/fresh_store.h"
#include "app/fit/fit.h"
#include "base/base.h"
#include "base/parse.h"

#include <unistd.h>

static const struct et_cli cli;
static struct et_points_set set;
static struct et_experiment *e;
static unsigned kept;

static void begin(const char *label)
{
	e = et_calloc(1, sizeof(*e));
	snprintf(e->id, sizeof(e->id), "20251115-0000%02u-%06x", kept, kept);
	kept++;
	e->label = et_strdup(label);
	e->metric = ET_METRIC_ELAPSED;
	e->plan = (struct et_plan){ .order = ET_ORDER_SEQUENTIAL, .level = 0.95 };
}

static void add_parameter(struct et_command *c, const char *name, const char *value)
{
	if (!name)
		return;
	c->parameters = et_realloc(c->parameters, c->n_parameters + 1, sizeof(*c->parameters));
	c->parameters[c->n_parameters++] =
		(struct et_parameter){ et_strdup(name), et_strdup(value) };
}

/* A command with up to two parameters and two runs: elapsed times of ns and ns + 2, CPU time 0. */
static void add(const char *text, const char *name, const char *value, const char *name2,
	const char *value2, uint64_t ns)
{
	e->commands = et_realloc(e->commands, e->n_commands + 1, sizeof(*e->commands));
	struct et_command *c = &e->commands[e->n_commands++];
	*c = (struct et_command){
		.name = et_strdup(text), .text = et_strdup(text), .argv = et_strv_of("p", NULL)
	};
	add_parameter(c, name, value);
	add_parameter(c, name2, value2);
	for (uint32_t i = 1; i <= 2; i++) {
		struct et_sample s = { .place = { .command = (uint32_t)e->n_commands - 1,
					       .order = (uint32_t)e->n_commands * 10 + i,
					       .round = i,
					       .partner = -1 } };
		s.measured.elapsed_ns = ns + 2 * (i - 1);
		et_experiment_add(e, &s);
	}
}

static void keep(void)
{
	struct et_store *s = open_store();

	if (et_store_keep(s, e, &err))
		tap_bail("%s", err.what);
	et_store_close(s);
	et_experiment_free(e);
}

static int gather(const struct et_fit_request *r, const char *operand)
{
	et_points_set_free(&set);
	set = (struct et_points_set){ 0 };
	err = (struct et_error){ 0 };
	return et_fit_add(&cli, r, operand, &set, &err);
}

static void refuses(const struct et_fit_request *r, const char *operand, const char *what,
	const char *hint, const char *label)
{
	int rc = gather(r, operand);

	if (!ok(rc < 0 && err.exit == ET_EXIT_USAGE && strstr(err.what, what) &&
			    strstr(err.hint, hint),
		    "refused: %s", label))
		printf("# %s; %s\n", err.what, err.hint);
}

static void series(void)
{
	const struct et_fit_request r = { .level = 0.95 };

	begin("one");
	add("p 100", "n", "100", NULL, NULL, 1000);
	add("p 200", "n", "200", NULL, NULL, 2000);
	keep();
	ok(gather(&r, "one") == 0 && set.n == 1 && set.list[0].n == 4,
		"series: commands of one program are one, with all runs");
	is_str(set.list[0].name, "p {n}", "series: its name has the parameter");
	ok(set.list[0].x[0] == 100 && set.list[0].x[3] == 200 && set.list[0].y[0] == 1000 &&
			set.list[0].y[3] == 2002 && set.list[0].times,
		"series: sizes and times in nanoseconds");

	begin("two");
	add("p 100", "n", "100", NULL, NULL, 1000);
	add("p 200", "n", "200", NULL, NULL, 2000);
	add("q 100", "n", "100", NULL, NULL, 3000);
	add("q 200", "n", "200", NULL, NULL, 4000);
	keep();
	ok(gather(&r, "two") == 0 && set.n == 2, "series: two programs are two");
	is_str(set.list[1].name, "q {n}", "series: the second has its own name");
	ok(set.list[1].n == 4 && set.list[1].y[2] == 4000, "series: and its own times");
}

static void names(void)
{
	static const struct {
		const char *text, *value, *want;
	} table[] = {
		{ "p 1", "1", "p {n}" },
		{ "p1 --n=1", "1", "p1 --n={n}" },
		{ "p 11 1", "1", "p 11 {n}" },
		{ "1 p 111,1:1", "1", "{n} p 111,{n}:{n}" },
		{ "p a1", "1", "p a1" },
		{ "p 100/1000/100", "100", "p {n}/1000/{n}" },
	};
	const struct et_fit_request r = { .level = 0.95 };

	for (size_t i = 0; i < ET_LENGTH(table); i++) {
		char label[16];
		snprintf(label, sizeof(label), "name%zu", i);
		begin(label);
		add(table[i].text, "n", table[i].value, NULL, NULL, 1000);
		keep();
		if (gather(&r, label))
			tap_bail("%s", err.what);
		is_str(set.list[0].name, table[i].want, "name: of '%s' and the size %s",
			table[i].text, table[i].value);
	}
}

static void parameters(void)
{
	const struct et_fit_request r = { .level = 0.95 };

	begin("none");
	add("p", NULL, NULL, NULL, NULL, 1000);
	keep();
	refuses(&r, "none", "has no parameter", "-L n", "an experiment without a parameter");
	begin("both");
	add("p 1 2", "n", "1", "m", "2", 1000);
	add("p 1 4", "n", "1", "m", "4", 2000);
	keep();
	refuses(&r, "both", "has 2 parameters (n, m)", "--parameter n", "two parameters");
	ok(gather(&(struct et_fit_request){ .level = 0.95, .parameter = "m" }, "both") == 0 &&
			set.n == 1 && set.list[0].x[2] == 4,
		"parameter: the named one is the size");
	refuses(&(struct et_fit_request){ .parameter = "k" }, "both", "has no parameter 'k'",
		"n, m", "a parameter that does not exist");
	begin("word");
	add("p a", "n", "a", NULL, NULL, 1000);
	keep();
	refuses(&r, "word", "is not a number", "--parameter", "a size that is a word");
	begin("below");
	add("p -1", "n", "-1", NULL, NULL, 1000);
	keep();
	refuses(&r, "below", "is not between", "--line", "a size below 0");
	ok(gather(&(struct et_fit_request){ .level = 0.95, .line = true }, "below") == 0 &&
			set.list[0].x[0] == -1,
		"parameter: a line takes any number");
	refuses(&(struct et_fit_request){ .gather = { .metric = ET_METRIC_CPU,
						  .metric_given = true } },
		"one", "took a CPU time of 0", "--metric elapsed", "runs without CPU time");
	refuses(&(struct et_fit_request){ .size = "1" }, "one", "are for tables", "--parameter",
		"a column of an experiment");
}

static void tables(void)
{
	FILE *f = fopen("table", "we");

	if (!f || fputs("size time_ms\n10 1\n20 2.5\n", f) < 0 || fclose(f))
		tap_bail("no file");
	ok(gather(&(struct et_fit_request){ .level = 0.95 }, "table") == 0 && set.n == 1 &&
			set.list[0].times,
		"table: it is one series of times");
	near(set.list[0].y[1], 2.5e6, 1e-12, 0, "table: the heading has the unit");
	ok(gather(&(struct et_fit_request){ .level = 0.95, .unit = 1 }, "table") == 0,
		"table: a unit can be given");
	near(set.list[0].y[1], 2.5e9, 1e-12, 0, "table: it has precedence");
	ok(gather(&(struct et_fit_request){ .level = 0.95, .line = true }, "table") == 0 &&
			!set.list[0].times,
		"table: a line through plain numbers");
	near(set.list[0].y[1], 2.5, 1e-12, 0, "table: which are not converted");
}

int main(void)
{
	make_folder();
	setenv("ETALON_STORE", path, 1);
	if (chdir(folder))
		tap_bail("no folder");
	series();
	names();
	parameters();
	tables();
	et_points_set_free(&set);
	ET_AUTO_FREE char *text = et_asprintf("rm -rf '%s'", folder);
	return system(text) ? 1 : tap_done();
}
