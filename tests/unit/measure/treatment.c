/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Treatments of a designed experiment: what differs between the programs that are started. */
#include "measure/treat/treatment.h"
#include "base/base.h"
#include "base/parse.h"
#include "host/topology.h"
#include "tree.h"

#include <errno.h>
#include <linux/mempolicy.h>
#include <unistd.h>

static struct et_error err;

/* A machine with two packages of two cores with two siblings each. */
static void write_machine(bool siblings_apart)
{
	tree_write("/sys/devices/system/cpu/online", "0-7\n");
	tree_write("/sys/devices/system/node/has_memory", "0-1\n");
	tree_write("/proc/sys/kernel/randomize_va_space", "0\n");
	for (int cpu = 0; cpu < 8; cpu++) {
		char path[96], text[16];
		int package = siblings_apart ? cpu / 2 % 2 : cpu / 4;
		int first = siblings_apart ? cpu % 4 : cpu / 2 * 2;
		int second = siblings_apart ? first + 4 : first + 1;

		snprintf(path, sizeof(path),
			"/sys/devices/system/cpu/cpu%d/topology/physical_package_id", cpu);
		snprintf(text, sizeof(text), "%d\n", package);
		tree_write(path, text);
		snprintf(path, sizeof(path),
			"/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", cpu);
		snprintf(text, sizeof(text), "%d,%d\n", first, second);
		tree_write(path, text);
	}
}

static const char *order(const char *cpus, enum et_placement placement)
{
	static char text[64];
	int list[CPU_SETSIZE];
	cpu_set_t set;
	int at = 0;

	if (et_parse_cpus("test", cpus, &set, &err))
		tap_bail("%s", err.what);
	size_t n = et_topology_order(tree, &set, placement, list);
	for (size_t i = 0; i < n; i++)
		at += snprintf(text + at, sizeof(text) - (size_t)at, "%s%d", i ? " " : "", list[i]);
	return text;
}

static void topology(void)
{
	write_machine(false);
	is_str(order("0-7", ET_PLACE_COMPACT), "0 1 2 3 4 5 6 7",
		"compact: core by core, package by package");
	/* The order of Nogueira and Matias (2015), section 3.3. */
	is_str(order("0-7", ET_PLACE_SCATTER), "0 4 2 6 1 5 3 7",
		"scatter: packages first, then cores, then siblings");
	is_str(order("1-4,6", ET_PLACE_SCATTER), "1 4 2 6 3",
		"scatter: uses the CPUs of the set only");
	write_machine(true);
	is_str(order("0-7", ET_PLACE_COMPACT), "0 4 1 5 2 6 3 7",
		"compact: siblings are next to each other if the machine numbers them apart");
	is_str(order("0-7", ET_PLACE_SCATTER), "0 2 1 3 4 6 5 7",
		"scatter: a machine that numbers siblings apart");
	is_str(order("8-9", ET_PLACE_SCATTER), "8 9", "an unknown topology keeps the numbers");
	write_machine(false);
}

/* --- levels --- */

static struct et_design_factor *add_factor(
	struct et_design *d, const char *name, const char *kind, const char *levels)
{
	struct et_design_factor *f = et_design_add_factor(d, name);

	f->kind = (enum et_kind)et_name_index(et_kind_names, kind);
	if (et_split_words(levels, &f->levels, &err))
		tap_bail("%s", err.what);
	f->n_levels = et_strv_length(f->levels);
	return f;
}

static int check_root(const char *root, const char *kind, const char *levels)
{
	struct et_design *d = et_design_new();
	const struct et_design_factor *f = add_factor(d, "f", kind, levels);
	int rc = 0;

	err = (struct et_error){ 0 };
	for (size_t i = 0; rc == 0 && i < f->n_levels; i++)
		rc = et_treatment_check(root, f, i, &err);
	et_design_free(d);
	return rc ? (int)err.exit : 0;
}

static void refused(const char *kind, const char *levels, int status, const char *what)
{
	ok(check_root(tree, kind, levels) == status && strstr(err.what, what) &&
			!strncmp(err.what, "factor f", 8),
		"%s: '%s' is refused: %s", kind, levels, err.what);
}

static void captured_levels(void)
{
	static const char *const good[][2] = { { "environment", "a ''" },
		{ "environment-size", "0 100000" }, { "environment-name", "AAA BBB" },
		{ "aslr", "off" }, { "threads", "1 2" }, { "affinity", "none compact scatter" },
		{ "cpu", "0 0-7 1,3" }, { "nice", "-20 19" },
		{ "sched", "other batch idle fifo:1 rr:99" },
		{ "memory-policy", "default local bind:0-1 interleave:0,1 preferred:1" },
		{ "directory", "/ /tmp" }, { "load", "0 4" } };

	for (size_t i = 0; i < ET_LENGTH(good); i++)
		ok(check_root(tree, good[i][0], good[i][1]) == 0, "%s: levels %s are accepted",
			good[i][0], good[i][1]);
	refused("environment-size", "64 -1", 2, "-1");
	refused("environment-size", "100001", 2, "100001");
	refused("environment-name", "AAA BBBB", 2, "differ in length");
	refused("environment-name", "A=B", 2, "not the name");
	refused("aslr", "on", 3, "randomize_va_space");
	refused("aslr", "maybe", 2, "'maybe'");
	refused("threads", "0", 2, "0");
	refused("affinity", "spread", 2, "'spread'");
	refused("cpu", "0-8", 3, "CPU 8");
	refused("cpu", "x", 2, "x");
	refused("nice", "20", 2, "20");
	refused("sched", "fifo", 2, "'fifo'");
	refused("sched", "other:1", 2, "'other:1'");
	refused("sched", "rr:100", 2, "100");
	refused("memory-policy", "bind:2", 3, "no such node");
	refused("memory-policy", "bind", 2, "'bind'");
	refused("memory-policy", "preferred:0,1", 2, "several nodes");
	refused("directory", "/nonexistent/folder", 2, "No such file");
	refused("directory", "/dev/null", 2, "not a folder");
	refused("load", "-1", 2, "-1");
}

/* On the real machine a process tries the level. */
static void real_levels(void)
{
	cpu_set_t allowed;
	char list[1024];

	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		tap_bail("sched_getaffinity");
	ok(check_root("", "cpu", et_format_cpus(&allowed, list, sizeof(list))) == 0,
		"cpu: the CPUs of this machine can be set: %s", err.what);
	ok(check_root("", "cpu", "1023") == 3, "cpu: 1023 does not exist: %s", err.what);
	ok(check_root("", "nice", "0 1 5") == 0 && check_root("", "sched", "other batch idle") == 0,
		"nice and sched: everybody may lower them: %s", err.what);
	ok(check_root("", "aslr", "off") == 0, "aslr: everybody may turn it off: %s", err.what);
	ok(check_root("", "directory", "/ .") == 0, "directory: levels that exist: %s", err.what);
	if (geteuid() == 0) {
		skip("root may use all scheduling classes");
		return;
	}
	int status = check_root("", "sched", "fifo:99");
	ok(status == 0 || (status == 3 && strstr(err.what, "fifo:99") && *err.hint),
		"sched: fifo needs a right: %s (%s)", err.what, err.hint);
}

/* --- whole designs --- */

static struct et_experiment *experiment(struct et_design *d)
{
	struct et_experiment *e = et_experiment_new();
	uint32_t levels[8] = { 0 };
	size_t n = 1;

	et_design_add_program(d, "p");
	for (size_t i = 0; i < d->n_factors; i++)
		n *= d->factors[i].n_levels;
	for (size_t t = 0; t < n; t++) {
		size_t rest = t;
		for (size_t i = 0; i < d->n_factors; i++) {
			levels[i] = (uint32_t)(rest % d->factors[i].n_levels);
			rest /= d->factors[i].n_levels;
		}
		et_design_add_treatment(d, levels);
		et_experiment_add_command(e, et_strdup("p"), et_strv_of("true", NULL));
	}
	e->design = d;
	return e;
}

static int make(const struct et_experiment *e, struct et_treatments *t)
{
	char *envp[] = { (char *)"PATH=/bin", (char *)"OMP_NUM_THREADS=9",
		(char *)"OMP_PROC_BIND=true", (char *)"BBB=old", (char *)"HOME=/", NULL };
	cpu_set_t cpus;

	err = (struct et_error){ 0 };
	if (et_parse_cpus("test", "0-7", &cpus, &err))
		tap_bail("%s", err.what);
	*t = (struct et_treatments){ 0 };
	return et_treatments_make(tree, e, envp, &cpus, t, &err);
}

static const char *joined(char *const *envp)
{
	static char *text;

	free(text);
	text = et_join_words(envp);
	return text;
}

static void threads_and_affinity(void)
{
	struct et_design *d = et_design_new();
	struct et_treatments t;
	char list[64];

	add_factor(d, "nt", "threads", "2 4");
	add_factor(d, "sa", "affinity", "none compact scatter");
	struct et_experiment *e = experiment(d);
	ok(make(e, &t) == 0 && t.n == 6, "a design of threads and affinity: %s", err.what);
	is_str(joined(t.list[0].envp), "PATH=/bin BBB=old HOME=/ OMP_NUM_THREADS=2",
		"affinity none: no variable of affinity is set, and none is inherited");
	ok(!t.list[0].sets_cpus, "affinity none: the CPUs are not restricted");
	is_str(joined(t.list[3].envp),
		"PATH=/bin BBB=old HOME=/ OMP_NUM_THREADS=4 'GOMP_CPU_AFFINITY=0 1 2 3' "
		"OMP_PLACES={0},{1},{2},{3} OMP_PROC_BIND=close",
		"compact, 4 threads: the first four CPUs in both spellings");
	is_str(et_format_cpus(&t.list[3].cpus, list, sizeof(list)), "0-3",
		"compact, 4 threads: the process may use these CPUs");
	is_str(joined(t.list[4].envp),
		"PATH=/bin BBB=old HOME=/ OMP_NUM_THREADS=2 'GOMP_CPU_AFFINITY=0 4' "
		"OMP_PLACES={0},{4} OMP_PROC_BIND=close",
		"scatter, 2 threads: one CPU of each package");
	et_treatments_free(&t);
	et_experiment_free(e);
}

static void several_factors(void)
{
	struct et_design *d = et_design_new();
	struct et_treatments t;
	char list[64];

	add_factor(d, "pad", "environment-size", "0 3")->variable = et_strdup("PAD");
	add_factor(d, "name", "environment-name", "AAA BBB");
	add_factor(d, "cpus", "cpu", "2-5");
	add_factor(d, "sa", "affinity", "scatter");
	add_factor(d, "class", "sched", "rr:7");
	add_factor(d, "mem", "memory-policy", "interleave:0-1");
	add_factor(d, "folder", "directory", "sub");
	struct et_experiment *e = experiment(d);
	e->child.directory = et_strdup("/start");
	ok(make(e, &t) == 0 && t.n == 4, "a design of seven factors: %s", err.what);
	is_str(joined(t.list[3].envp),
		"PATH=/bin OMP_NUM_THREADS=9 HOME=/ PAD=xxx BBB=x 'GOMP_CPU_AFFINITY=2 4 3 5' "
		"OMP_PLACES={2},{4},{3},{5} OMP_PROC_BIND=close",
		"variables of factors follow the others, in the order of the factors");
	is_str(joined(t.list[0].envp),
		"PATH=/bin OMP_NUM_THREADS=9 HOME=/ PAD= AAA=x 'GOMP_CPU_AFFINITY=2 4 3 5' "
		"OMP_PLACES={2},{4},{3},{5} OMP_PROC_BIND=close",
		"a variable that another treatment sets is not inherited");
	is_str(et_format_cpus(&t.list[1].cpus, list, sizeof(list)), "2-5",
		"affinity is limited to the CPUs of the factor cpu");
	ok(t.list[0].sets_policy && t.list[0].policy == SCHED_RR && t.list[0].priority == 7,
		"the scheduling class is set");
	ok(t.list[0].sets_memory && t.list[0].memory.mode == MPOL_INTERLEAVE &&
			t.list[0].memory.nodes[0] == 3,
		"the memory policy is set");
	is_str(t.list[0].directory, "/start/sub",
		"a relative folder is looked for in that of the experiment");
	et_treatments_free(&t);
	et_experiment_free(e);
}

static void conflict(const char *kind_a, const char *kind_b, const char *what)
{
	struct et_design *d = et_design_new();
	struct et_treatments t;

	add_factor(d, "A", kind_a, "1 2");
	add_factor(d, "B", kind_b, "1 2");
	if (!strncmp(kind_b, "environment", 11))
		d->factors[1].variable = et_strdup("OMP_NUM_THREADS");
	struct et_experiment *e = experiment(d);
	ok(make(e, &t) == -EINVAL && err.exit == ET_EXIT_USAGE && strstr(err.what, what),
		"two factors that set the same are refused: %s", err.what);
	et_experiment_free(e);
}

static void conflicts(void)
{
	conflict("nice", "nice", "A and B are both of kind nice");
	conflict("threads", "environment", "both set the variable OMP_NUM_THREADS");
	conflict("threads", "environment-size", "both set the variable OMP_NUM_THREADS");
}

static void limits(void)
{
	struct et_design *d = et_design_new();
	struct et_treatments t;

	for (int i = 0; i < 100; i++) {
		char name[16];
		snprintf(name, sizeof(name), "F%d", i);
		add_factor(d, name, "environment-size", "100000")->variable = et_strdup(name);
	}
	et_design_add_program(d, "p");
	uint32_t levels[100] = { 0 };
	et_design_add_treatment(d, levels);
	struct et_experiment *e = et_experiment_new();
	et_experiment_add_command(e, et_strdup("p"), et_strv_of("true", NULL));
	e->design = d;
	ok(sysconf(_SC_ARG_MAX) > 10000000 ||
			(make(e, &t) == -E2BIG && err.exit == ET_EXIT_ENVIRONMENT),
		"an environment that no program could get is refused: %s", err.what);
	et_experiment_free(e);
	e = et_experiment_new();
	ok(make(e, &t) == 0 && !t.list, "an experiment without a design has no treatments");
	et_experiment_free(e);
}

int main(void)
{
	tree_open();
	topology();
	captured_levels();
	real_levels();
	threads_and_affinity();
	several_factors();
	conflicts();
	limits();
	tree_close();
	return tap_done();
}
