/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Calls an engine without an experiment, for tests.
 *	engine-tool CAMPAIGN [KEY=VALUE…] nodes | ask NODE WORD… | submit GENERATION PART[@NODE]… |
 *		poll PART… | cancel
 * KEY is partition, constraint, nodes, etalon, extra or parts. The input of submit is standard
 *input.
 */
#include "base/base.h"
#include "base/parse.h"
#include "engine/engine.h"

#include <errno.h>
#include <string.h>

static int fail(const struct et_error *err)
{
	fprintf(stderr, "etalon: %s\n", err->what);
	if (err->quoted[0])
		fprintf(stderr, "%s\n", err->quoted);
	if (err->hint[0])
		fprintf(stderr, "hint: %s\n", err->hint);
	return err->exit;
}

static size_t parts;

static void set(struct et_engine_setup *s, char *word)
{
	static const char *extra[2];
	char *value = strchr(word, '=') + 1;

	if (!strncmp(word, "partition=", 10))
		s->partition = value;
	else if (!strncmp(word, "constraint=", 11))
		s->constraint = value;
	else if (!strncmp(word, "nodes=", 6))
		s->nodes = value;
	else if (!strncmp(word, "etalon=", 7))
		s->etalon = value;
	else if (!strncmp(word, "parts=", 6))
		parts = strtoul(value, NULL, 10);
	else if (!strncmp(word, "extra=", 6)) {
		extra[0] = value;
		s->extra = extra;
	}
}

static int submit(struct et_engine *e, char **argv, struct et_error *err)
{
	static char input[8 << 20];
	uint32_t generation = (uint32_t)strtoul(argv[0], NULL, 10);
	size_t n = et_strv_length(argv + 1);
	ET_AUTO_FREE struct et_job *jobs = et_calloc(n + 1, sizeof(*jobs));
	char *name;

	input[fread(input, 1, sizeof(input) - 1, stdin)] = '\0';
	for (size_t i = 0; i < n; i++) {
		char *node = strchr(argv[i + 1], '@');
		jobs[i].part = (uint32_t)strtoul(argv[i + 1], NULL, 10);
		jobs[i].node = node ? node + 1 : NULL;
	}
	int rc = e->ops->submit(e, jobs, n, input, generation, &name, err);
	if (rc)
		return rc;
	puts(name);
	free(name);
	return 0;
}

static int poll_parts(struct et_engine *e, char **argv, struct et_error *err)
{
	static const char *const names[] = { "unknown", "waiting", "running", "ended", "stuck" };
	size_t n = et_strv_length(argv);
	ET_AUTO_FREE struct et_job_report *r = et_calloc(n + 1, sizeof(*r));

	for (size_t i = 0; i < n; i++)
		r[i].part = (uint32_t)strtoul(argv[i], NULL, 10);
	int rc = e->ops->poll(e, r, n, err);
	for (size_t i = 0; i < n && !rc; i++)
		printf("%u %s %d %s %u%s %s\n", r[i].part, names[r[i].state], r[i].status,
			r[i].node[0] ? r[i].node : "-", r[i].restarts, r[i].final ? " final" : "",
			r[i].why);
	return rc;
}

static int run(struct et_engine *e, char **argv, struct et_error *err)
{
	char **nodes, *out;
	int rc;

	if (!strcmp(argv[0], "submit"))
		return submit(e, argv + 1, err);
	if (!strcmp(argv[0], "poll"))
		return poll_parts(e, argv + 1, err);
	if (!strcmp(argv[0], "cancel"))
		return e->ops->cancel(e, err);
	if (!strcmp(argv[0], "ask")) {
		rc = e->ops->ask(e, argv[1], argv + 2, "some input\n", &out, err);
		if (rc)
			return rc;
		fputs(out, stdout);
		free(out);
		return 0;
	}
	rc = e->ops->nodes(e, &nodes, err);
	if (rc)
		return rc;
	for (char **n = nodes; *n; n++)
		puts(*n);
	et_strv_free(nodes);
	return 0;
}

int main(int argc, char **argv)
{
	struct et_engine_setup setup = { .etalon = "etalon", .name = "test" };
	struct et_engine *e;
	struct et_error err = { 0 };
	int i = 2;

	if (argc < 3)
		return 2;
	setup.id = argv[1];
	for (; argv[i] && strchr(argv[i], '='); i++)
		set(&setup, argv[i]);
	if (et_engine_find("slurm")->open(&setup, &e, &err))
		return fail(&err);
	int rc = parts ? e->ops->check(e, parts, &err) : 0;
	if (!rc)
		rc = run(e, argv + i, &err);
	e->ops->close(e);
	if (rc == -EAGAIN)
		fprintf(stderr, "again\n");
	return rc ? fail(&err) : 0;
}
