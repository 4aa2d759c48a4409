/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Series of files and of stored experiments: their metrics, their names, and what is refused. */
#include "source/gather.h"
#include "../store/fresh_store.h"
#include "base/base.h"
#include "base/parse.h"
#include "source/operand.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct et_cli cli;
static struct et_series_set set;

static void forget(void)
{
	et_series_set_free(&set);
	set = (struct et_series_set){ 0 };
	err = (struct et_error){ 0 };
}

static void write_file(const char *name, const char *text)
{
	FILE *f = fopen(name, "we");

	if (!f || fputs(text, f) < 0 || fclose(f))
		tap_bail("%s cannot be written", name);
}

/* Keeps an experiment of one command: elapsed times of 1, 2, 3 s and CPU times of half of them. */
static void keep(const char *id, const char *label, enum et_metric metric)
{
	struct et_experiment *e = et_calloc(1, sizeof(*e));
	struct et_store *s = open_store();

	snprintf(e->id, sizeof(e->id), "%s", id);
	e->label = et_strdup(label);
	e->metric = metric;
	e->plan = (struct et_plan){ .order = ET_ORDER_SEQUENTIAL, .level = 0.95 };
	e->n_commands = 1;
	e->commands = et_calloc(1, sizeof(*e->commands));
	e->commands[0].name = et_strdup("sort");
	e->commands[0].text = et_strdup("sort");
	e->commands[0].argv = et_strv_of("sort", NULL);
	for (uint32_t i = 1; i <= 3; i++) {
		struct et_sample sample = { .place = { .order = i, .round = i, .partner = -1 } };
		sample.measured.elapsed_ns = i * UINT64_C(1000000000);
		sample.measured.cpu_ns = i * UINT64_C(500000000);
		et_experiment_add(e, &sample);
	}
	if (et_store_keep(s, e, &err))
		tap_bail("%s", err.what);
	et_store_close(s);
	et_experiment_free(e);
}

static int add(const struct et_gather *g, const char *operand)
{
	return et_gather_add(&cli, g, operand, &set, &err);
}

static void is_series(size_t i, const char *name, double first, const char *label)
{
	ok(i < set.n && set.list[i].n == 3, "%s: three values", label);
	is_str(i < set.n ? set.list[i].name : NULL, name, "%s: the name", label);
	near(i < set.n && set.list[i].n ? set.list[i].values[0] : NAN, first, 1e-12, 0,
		"%s: the first value", label);
}

static void operands(void)
{
	ok(et_operand_is_file("-") && et_operand_is_file("numbers"),
		"operand: standard input and an existing file are files");
	ok(!et_operand_is_file("folder") && !et_operand_is_file("absent"),
		"operand: a folder and an absent name may be labels");
	ok(et_operand_is_file("./absent") && et_operand_is_file("/absent") &&
			et_operand_is_file("../absent"),
		"operand: a path is a file, whether it exists or not");
	ok(add(&(struct et_gather){ 0 }, "folder") < 0 && strstr(err.what, "folder"),
		"operand: a folder that is no label is refused by its name");
	forget();
	ok(add(&(struct et_gather){ 0 }, "absent") == -ENOENT && err.exit == ET_EXIT_USAGE,
		"operand: a name that means nothing is refused");
	forget();
	ok(add(&(struct et_gather){ 0 }, "both") == 0 && set.n == 1 && !set.n_experiments,
		"operand: a file has precedence over a label of that name");
	forget();
}

static void metrics(void)
{
	const struct et_gather any = { 0 }, cpu = { .metric = ET_METRIC_CPU, .metric_given = true };

	ok(add(&any, "slow") == 0, "metric: an experiment is found by its label");
	is_series(0, "sort", 1e9, "metric: that of the experiment");
	forget();
	ok(add(&cpu, "slow") == 0, "metric: another one can be named");
	is_series(0, "sort", 5e8, "metric: the named one");
	forget();
	ok(add(&any, "slow") == 0 && add(&any, "quick") == 0, "metric: two experiments are added");
	is_series(1, "sort", 5e8, "metric: each has its own at first");
	et_gather_agree(&any, &set);
	is_series(1, "sort", 1e9, "metric: all have elapsed time if one has it");
	forget();
	ok(add(&cpu, "slow") == 0 && add(&any, "quick") == 0, "metric: one is named");
	et_gather_agree(&cpu, &set);
	is_series(0, "sort", 5e8, "metric: a metric that the user named is not changed");
	forget();
}

static void names(void)
{
	const struct et_gather any = { 0 };

	ok(add(&any, "slow") == 0 && add(&any, "quick") == 0 && et_gather_names(&set, &err) == 0,
		"names: equal names of two operands are made unique");
	is_str(set.list[0].name, "sort (slow)", "names: by the first operand");
	is_str(set.list[1].name, "sort (quick)", "names: and by the second");
	forget();
	ok(add(&any, "slow") == 0 && add(&any, "20251115-085506-aaaaaa") < 0 &&
			strstr(err.what, "'slow' and '20251115-085506-aaaaaa' are the same"),
		"names: an experiment under its label and its id is refused");
	forget();
	ok(add(&any, "numbers") == 0 && add(&any, "numbers") == 0 &&
			et_gather_names(&set, &err) < 0 && err.exit == ET_EXIT_USAGE,
		"names: a file given twice is refused");
	forget();
	ok(add(&(struct et_gather){ .column = "a" }, "slow") < 0 && strstr(err.what, "--column"),
		"names: a stored experiment has no columns");
	forget();
}

static void enough(void)
{
	const struct et_gather any = { 0 };

	ok(add(&any, "numbers") == 0 && et_gather_enough(&set, 3, "a mean needs", &err) == 0,
		"enough: three values are three");
	ok(et_gather_enough(&set, 4, "a spread needs", &err) < 0, "enough: three are not four");
	is_str(err.what, "'numbers' has only 3 values: a spread needs at least 4",
		"enough: the error gives the reason");
	set.list[0].n = 1;
	ok(et_gather_enough(&set, 2, "a spread needs", &err) < 0 && strstr(err.what, "1 value:"),
		"enough: one value is singular");
	set.list[0].n = 0;
	ok(et_gather_enough(&set, 0, "x", &err) < 0 && strstr(err.hint, "--metric"),
		"enough: a series without values may have some of another metric");
	forget();
}

int main(void)
{
	make_folder();
	setenv("ETALON_STORE", path, 1);
	if (chdir(folder) || mkdir("folder", 0700))
		tap_bail("no folder");
	write_file("numbers", "1\n2\n3\n");
	write_file("both", "1\n2\n3\n");
	keep("20251115-085506-aaaaaa", "slow", ET_METRIC_ELAPSED);
	keep("20251115-085507-bbbbbb", "quick", ET_METRIC_CPU);
	keep("20251115-085508-cccccc", "both", ET_METRIC_CPU);
	operands();
	metrics();
	names();
	enough();
	ET_AUTO_FREE char *text = et_asprintf("rm -rf '%s'", folder);
	return system(text) ? 1 : tap_done();
}
