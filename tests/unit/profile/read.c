/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files of other profilers: the counts are those of the text, and bad input is refused by line. */
#include "profile/read.h"
#include "base/alloc.h"
#include "tap.h"

static struct et_error err;
static struct et_experiment *e;

static int read_bytes(const char *data, size_t size, const char *event)
{
	struct et_profile_read_options o = { .event = event };
	ET_AUTO_FCLOSE FILE *f = size ? fmemopen((void *)data, size, "r") : fopen("/dev/null", "r");

	et_experiment_free(e);
	e = NULL;
	memset(&err, 0, sizeof(err));
	return et_profile_read_stream(f, "FILE", &o, &e, &err);
}

static int read_text(const char *text)
{
	return read_bytes(text, strlen(text), NULL);
}

/* Self samples of a function in a run; total: samples with it on the stack. */
static uint64_t samples_of(const struct et_profile *p, size_t run, const char *name, bool total)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < p->runs[run].n_counts; i++) {
		uint32_t node = p->runs[run].counts[i].node;
		bool found = false;
		do {
			const struct et_profile_node *n = &p->nodes[node];
			found = found || !strcmp(p->functions[n->function].name, name);
			node = n->parent;
		} while (total && node != ET_PROFILE_ROOT);
		sum += found ? p->runs[run].counts[i].samples : 0;
	}
	return sum;
}

static const struct et_profile_function *function_of(const char *name)
{
	for (size_t i = 0; i < e->profile->n_functions; i++) {
		if (!strcmp(e->profile->functions[i].name, name))
			return &e->profile->functions[i];
	}
	return NULL;
}

static void refuses(const char *text, const char *what, const char *label)
{
	int rc = read_text(text);

	ok(rc < 0 && err.exit == ET_EXIT_USAGE, "%s", label);
	is_str(err.what, what, "%s: the error names the place", label);
	ok(err.hint[0], "%s: the error has a hint", label);
}

static void test_folded(void)
{
	static const char text[] =
		"# a comment\nmain;work;sin x 12\nmain 3\r\n\nmain;work;sin x 1\n"
		"main;sys_read_[k] 4\nmain;;[unknown] 2\n";
	int rc = read_text(text);

	if (!ok(rc == 0, "folded: stacks are read")) {
		printf("# %s\n", err.what);
		return;
	}
	const struct et_profile *p = e->profile;
	ok(p->n_runs == 1 && p->runs[0].samples == 22, "folded: all samples are counted");
	ok(samples_of(p, 0, "sin x", false) == 13, "folded: a name may contain spaces");
	ok(samples_of(p, 0, "main", false) == 3 && samples_of(p, 0, "main", true) == 22,
		"folded: self and total of the outermost function differ");
	ok(function_of("sys_read")->space == ET_SPACE_KERNEL, "folded: _[k] marks the kernel");
	is_str(function_of("sys_read")->module, "[kernel]", "folded: the kernel is a module");
	ok(function_of("[unknown]")->unnamed, "folded: [unknown] is no name");
	ok(p->way == ET_PROFILE_IMPORTED && p->plan.chains != ET_CHAINS_NONE,
		"folded: the profile is imported and has call chains");
	ok(e->n_commands == 1 && e->commands[0].samples.n == 1 && e->plan.runs == 1,
		"folded: the experiment has one sample");
}

static void test_folded_bad(void)
{
	refuses("main;work 1\nmain;work\n",
		"FILE:2: the line ends with 'main;work', not with a whole number of samples",
		"folded: a line without a count is refused");
	refuses("main 1\nmain;work 1.5\n",
		"FILE:2: the line ends with '1.5', not with a whole number of samples",
		"folded: a fraction is refused");
	refuses("main 18446744073709551616\n",
		"FILE:1: the line ends with '18446744073709551616', not with a whole number of "
		"samples",
		"folded: a number of 65 bits is refused");
	refuses("main 9223372036854775807\nmain 1\n",
		"FILE:2: the counts add up to more than 2^63 - 1",
		"folded: an overflow of the sum is refused");
	refuses("main 0\n", "FILE:1: it has no samples",
		"folded: a run without samples is refused");
	refuses("", "FILE: it has no samples", "an empty file is refused");
	refuses("\x1f\x8b\x08", "FILE: it is compressed by gzip", "a file of gzip is refused");
	refuses("hello\n", "FILE: its format is not known ('hello')", "a text is refused");
	ok(read_bytes("main 1\nma\0in 1\n", 15, NULL) < 0 &&
			!strcmp(err.what, "FILE:2: the line contains a NUL byte: this is not text"),
		"folded: a NUL byte is refused");
	ok(read_text("ma\033[31min;\xff\xfe 3\n") == 0 && function_of("ma?[31min") &&
			function_of("??"),
		"folded: control characters and broken UTF-8 do not remain in names");
}

int main(void)
{
	test_folded();
	test_folded_bad();
	et_experiment_free(e);
	return tap_done();
}
