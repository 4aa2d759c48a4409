/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon put NAME`: runs a built-in program under test in this process. */
#include "put/put.h"
#include "base/alloc.h"
#include "base/parse.h"
#include "cmd/cli.h"

#include <errno.h>
#include <string.h>

enum { OPT_LIST = ET_PUT_CALIBRATE << 1 };

static const uint64_t longest_ns = 86400ull * 1000000000, most_iterations = 1000000000000000;

static const struct et_option options[] = {
	{ 0, "seconds", "DUR",
		"inc: as many increments as take that long on an undisturbed machine; spin: until "
		"the process has used so much CPU time (100ms)",
		NULL, ET_PUT_SECONDS },
	{ 0, "iterations", "N", "inc: exactly N increments, whatever the machine", NULL,
		ET_PUT_ITERATIONS },
	{ 0, "calibrate", NULL, "inc: find this machine's increments a second anew and keep it",
		NULL, ET_PUT_CALIBRATE },
	{ 0, "wall", NULL, "spin: until --seconds of wall time have passed", NULL, ET_PUT_WALL },
	{ 0, "size", "N", "sort: N integers (20000); matc, matr: N rows and columns (400)", NULL,
		ET_PUT_SIZE },
	{ 0, "seed", "N", "sort, matc, matr: decides the random input (1)", NULL, ET_PUT_SEED },
	{ 'l', "list", NULL, "show the programs and what each takes", NULL, OPT_LIST },
	{ 0 },
};

static int run(struct et_cli *cli, int argc, char **argv);

const struct et_verb et_verb_put = {
	.name = "put",
	.operands = "inc|spin|sort|matc|matr",
	.summary = "run a built-in program under test",
	.usage = "inc|spin|sort|matc|matr [options]\n--list",
	.about = "Programs of exactly known size to try a machine or a method on. They print "
		 "nothing\n"
		 "and do no input or output while they work; -v tells what was done.",
	.examples = "  etalon put inc --seconds 50ms\n"
		    "  etalon put sort --size 5000 -v\n"
		    "  etalon run 'etalon put matc --size 100' 'etalon put matr --size 100'\n",
	.options = options,
	.run = run,
};

struct config {
	struct et_put_params params;
	bool list;
};

static int option(void *ctx, int id, char *const *args, struct et_error *err)
{
	struct config *c = ctx;
	struct et_put_params *p = &c->params;
	int rc = 0;

	if (id == OPT_LIST) {
		c->list = true;
		return 0;
	}
	p->given |= (unsigned)id;
	switch ((enum et_put_param)id) {
	case ET_PUT_SECONDS:
		rc = et_parse_duration("--seconds", args[0], &p->seconds_ns, err);
		if (rc == 0 && p->seconds_ns > longest_ns)
			rc = et_fail(err, ERANGE, ET_EXIT_USAGE, "--seconds: %s is above one day",
				args[0]);
		return rc;
	case ET_PUT_ITERATIONS:
		return et_parse_u64(
			"--iterations", args[0], 1, most_iterations, &p->iterations, err);
	case ET_PUT_SIZE:
		return et_parse_u64("--size", args[0], 1, UINT32_MAX, &p->size, err);
	case ET_PUT_SEED:
		return et_parse_u64("--seed", args[0], 0, UINT64_MAX, &p->seed, err);
	case ET_PUT_WALL:
	case ET_PUT_CALIBRATE:
		return 0;
	}
	return rc;
}

static void list(void)
{
	for (const struct et_workload *w = et_workloads; w->name; w++) {
		printf("%-6s %s;", w->name, w->summary);
		for (unsigned bit = 1; bit <= ET_PUT_CALIBRATE; bit <<= 1) {
			if (w->takes & bit)
				printf(" --%s", et_put_param_name(bit));
		}
		putchar('\n');
	}
}

/* Where the calibration of inc is kept; NULL when the environment names no place. Caller frees. */
static char *state_dir(void)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");

	if (state && state[0] == '/')
		return et_asprintf("%s/etalon", state);
	if (home && home[0] == '/')
		return et_asprintf("%s/.local/state/etalon", home);
	return NULL;
}

static int run_named(const struct et_cli *cli, struct config *c, const struct et_operands *ops)
{
	const struct et_workload *w =
		ops->n_before == 1 && !ops->after ? et_workload_find(ops->before[0]) : NULL;
	struct et_put_result result;
	struct et_error err;

	if (!w) {
		if (ops->n_before == 1 && !ops->after)
			et_fail(&err, EINVAL, ET_EXIT_USAGE, "put: unknown program '%s'",
				ops->before[0]);
		else
			et_fail(&err, EINVAL, ET_EXIT_USAGE, "put: name one program");
		et_hint(&err, 0, "etalon put --list shows them");
		return et_cli_fail(&err);
	}
	ET_AUTO_FREE char *dir = state_dir();
	c->params.state_dir = dir;
	if (et_workload_run(w, &c->params, &result, &err))
		return et_cli_fail(&err);
	if (result.warning[0] && cli->verbosity >= 0)
		fprintf(stderr, "etalon: put %s: %s\n", w->name, result.warning);
	if (cli->verbosity > 0 || (c->params.given & ET_PUT_CALIBRATE && cli->verbosity == 0))
		printf("%s: %s\n", w->name, result.detail);
	return ET_EXIT_DONE;
}

static int run(struct et_cli *cli, int argc, char **argv)
{
	struct config c = { 0 };
	struct et_operands ops;
	int status = et_cli_parse(cli, &et_verb_put, argc, argv, option, &c, &ops);

	if (status >= 0)
		return status;
	if (c.list) {
		list();
		status = ET_EXIT_DONE;
	} else {
		status = run_named(cli, &c, &ops);
	}
	et_operands_free(&ops);
	return status;
}
