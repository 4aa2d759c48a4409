/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Real builds by a shell: what is run, what is kept, and what is run again. */
#include "designs.h"

static struct et_error err;

/* The product is a script; a line of `log` counts the builds. */
#define SCRIPT "echo {opt} >>log && printf '#!/bin/sh\\nexit %s\\n' {opt} >loop && chmod +x loop"

static size_t count(const char *file)
{
	ET_AUTO_FREE char *path = et_asprintf("%s/%s", work, file);
	FILE *f = fopen(path, "re");
	size_t n = 0;

	for (int c; f && (c = getc(f)) != EOF;)
		n += c == '\n';
	if (f)
		fclose(f);
	return n;
}

static int build(const struct et_experiment *e, bool keep)
{
	struct et_cli cli = { 0 };

	memset(&err, 0, sizeof(err));
	return et_doe_build(&cli, e, keep, &err);
}

static void remove_copy(const struct et_experiment *e, uint32_t command, const char *name)
{
	ET_AUTO_FREE char *folder = et_doe_build_folder(e, command);
	ET_AUTO_FREE char *path = et_asprintf("%s/%s", folder, name);

	ok(unlink(path) == 0, "builds: %s is in the folder of command %u", name, command);
}

static void caches(void)
{
	struct et_experiment e;

	begin(&e, SCRIPT, "./loop {n}");
	ok(!et_doe_build_kept(&e, 0), "builds: the cache is empty at first");
	if (!ok(build(&e, true) == 0, "builds: they succeed"))
		printf("# %s %s\n", err.what, err.quoted);
	ok(count("log") == 2, "builds: each combination of the levels that they name runs once");
	ok(et_doe_build_kept(&e, 0) && et_doe_build_kept(&e, 3), "builds: all are in the cache");
	ok(build(&e, true) == 0 && count("log") == 2,
		"builds: an experiment that continues runs none");
	remove_copy(&e, 1, "loop");
	ok(et_doe_build_kept(&e, 0) && !et_doe_build_kept(&e, 1) && !et_doe_build_kept(&e, 3),
		"builds: a build without its copy is not kept");
	ok(build(&e, true) == 0 && count("log") == 3, "builds: only this one runs again");
	remove_copy(&e, 0, ET_DOE_BUILT);
	ok(!et_doe_build_kept(&e, 0), "builds: a build without its mark was interrupted");
	ok(build(&e, false) == 0 && count("log") == 5,
		"builds: a new experiment runs them all again");
	end(&e);
}

static void failures(void)
{
	struct et_experiment e;

	begin(&e, "echo one >>failed; echo 'a.c: error: {opt}'; [ {opt} = -O0 ]", "./loop");
	ok(build(&e, true) < 0 && err.exit == ET_EXIT_PROGRAM, "failure: the status says program");
	ok(strstr(err.what, "the build of loop (opt=-O2)"), "failure: the error names the build");
	is_str(err.quoted, "a.c: error: -O2\n", "failure: the error quotes its output");
	ok(count("failed") == 2, "failure: no further build runs");
	ok(et_doe_build_kept(&e, 0) && !et_doe_build_kept(&e, 1),
		"failure: builds before it are kept, and it is not");
	end(&e);
	begin(&e, "true {opt}", "./absent");
	ok(build(&e, true) == -ENOENT && strstr(err.what, "made no program ./absent"),
		"failure: a build that makes no program is refused");
	ok(!et_doe_build_kept(&e, 0), "failure: it is not kept");
	end(&e);
	begin(&e, "cp {opt} x", "./loop");
	free(e.design->factors[0].levels[0]);
	e.design->factors[0].levels[0] = et_strdup("-O0 -g");
	ok(build(&e, true) < 0 && strstr(err.hint, "CFLAGS='{opt}'"),
		"failure: the hint is about a level with spaces");
	end(&e);
}

/* The codes of what the comparison of all builds finds. */
static size_t same(struct et_experiment *e)
{
	struct et_warnings found = { 0 };
	size_t n;

	e->n_commands = 4;
	e->commands = et_calloc(4, sizeof(*e->commands));
	for (uint32_t c = 0; c < 4; c++) {
		e->commands[c].argv = words("./loop", NULL, NULL);
		if (et_doe_build_use(e, c, e->commands[c].argv, &err))
			tap_bail("%s", err.what);
	}
	et_doe_build_compare(e, &found);
	n = found.n;
	ok(!n || found.list[0].code == ET_WARN_BUILDS_SAME, "same: the warning is that of builds");
	et_warnings_free(&found);
	for (uint32_t c = 0; c < 4; c++)
		et_strv_free(e->commands[c].argv);
	free(e->commands);
	e->n_commands = 0;
	return n;
}

static void comparisons(void)
{
	struct et_experiment e;

	begin(&e, SCRIPT, "./loop {n}");
	ok(build(&e, true) == 0 && same(&e) == 0, "same: programs that differ raise no warning");
	end(&e);
	begin(&e, "cp /bin/true loop; : {opt}", "./loop {n}");
	ok(build(&e, true) == 0 && same(&e) == 1, "same: two builds of the same bytes raise one "
						  "warning, however many commands run them");
	end(&e);
	begin(&e, "cp /bin/true loop; : {opt}{n}", "./loop");
	ok(build(&e, true) == 0 && same(&e) == 1, "same: one per program");
	end(&e);
}

int main(void)
{
	struct et_experiment e;

	use_folders();
	begin(&e, NULL, "./loop");
	ok(build(&e, true) == 0, "builds: a plan without builds runs none");
	end(&e);
	caches();
	failures();
	comparisons();
	remove_folders();
	return tap_done();
}
