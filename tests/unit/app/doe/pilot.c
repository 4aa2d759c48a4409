/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The pilot runs of a plan: how many there are, what they say, and programs that fail. */
#include "app/doe/doe.h"
#include "base/base.h"
#include "tap.h"

static struct et_error err;
static struct et_doe_pilot *pilots;
static char *why, *failed;

static struct et_experiment *make(const char *programs)
{
	ET_AUTO_FREE char *text = et_asprintf(
		"name: n\nprograms: [%s]\nfactors:\n"
		"- { name: a, kind: parameter, levels: [0, 1, 2, 3] }\nrun: { shell: sh }\n",
		programs);
	ET_AUTO_FCLOSE FILE *in = fmemopen(text, strlen(text), "r");
	struct et_plan_file p;
	struct et_experiment *e;

	if (et_plan_read(in, "p", &p, &err) || et_doe_make(&p, NULL, &e, &err))
		tap_bail("%s", err.what);
	et_plan_file_free(&p);
	return e;
}

/* Makes the pilot runs of a plan; forget() frees what they said. */
static int run(const char *programs)
{
	struct et_cli cli = { .verbosity = -1, .columns = 80 };
	struct et_experiment *e = make(programs);
	int rc = et_doe_make_pilots(&cli, e, &pilots, &why, &failed, &err);

	et_experiment_free(e);
	return rc;
}

static void forget(void)
{
	free(pilots);
	free(why);
	free(failed);
}

/* The levels of a that ran, in a file of one digit per run. */
static size_t count(const char *path, const char *levels)
{
	ET_AUTO_FCLOSE FILE *f = fopen(path, "re");
	size_t n = 0;

	for (int c; f && (c = getc(f)) != EOF;)
		n += c != '\n' && strchr(levels, c);
	return n;
}

int main(void)
{
	char folder[] = "/tmp/etalon-pilot-XXXXXX";

	/* The commands that would run are printed, which is nothing for the log of this test. */
	if (!mkdtemp(folder) || chdir(folder) || !freopen("/dev/null", "we", stderr))
		tap_bail("no folder in /tmp");
	setenv("XDG_CACHE_HOME", folder, 1);
	setenv("XDG_STATE_HOME", folder, 1);

	ok(run("{ name: p, command: 'echo {a} >>p' }, { name: q, command: 'echo {a} >>q' }") == 0 &&
			pilots && !why && !failed,
		"pilot: two programs that succeed have pilot runs");
	ok(pilots && pilots[0].n == 15 && pilots[1].n == 15,
		"pilot: quick programs have five passes over three treatments");
	ok(count("p", "0123") == 15 && count("q", "0123") == 15,
		"pilot: each run is one execution");
	ok(count("p", "0") == 5 && count("p", "3") == 5 && count("p", "2") == 5,
		"pilot: the treatments are the first, the last and one between them");
	ok(pilots && pilots[0].run_ns > 0 && pilots[0].mean > 0 && pilots[0].sd >= 0 &&
			pilots[0].sd < INFINITY && !pilots[0].cut,
		"pilot: they have a duration, a mean and a scatter");
	forget();

	ok(run("{ name: p, command: 'echo {a} >>r; exit {a}' }") == 0 && !pilots,
		"pilot: a program that fails has no result");
	is_str(failed, "a pilot run of 'p a=3' failed with exit status 3",
		"pilot: the failure names the run");
	is_str(why,
		"A pilot run of 'p a=3' failed with exit status 3, so the duration is not known.",
		"pilot: and is a sentence");
	ok(count("r", "0123") == 2, "pilot: nothing runs after a failure");
	forget();

	ok(run("{ name: p, command: ': {a}; kill -9 $$' }") == 0 && failed &&
			strstr(failed, "signal 9"),
		"pilot: a signal is reported as one");
	forget();

	ok(run("{ name: p, build: 'echo {a} >>s', command: '{build}/p' }") == 0 && !pilots &&
			!failed && why && strstr(why, "not built yet"),
		"pilot: programs that are not built are not run");
	ok(count("s", "0123") == 0, "pilot: nor are they built");
	forget();
	ET_AUTO_FREE char *text = et_asprintf("rm -rf '%s'", folder);
	return system(text) ? 1 : tap_done();
}
