/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files of other profilers: the counts are those of the text, and bad input is refused by line. */
#include "profile/readers/read.h"
#include "base/base.h"
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

static void refuses_bytes(const char *text, size_t size, const char *what, const char *label)
{
	int rc = read_bytes(text, size, NULL);

	ok(rc < 0 && err.exit == ET_EXIT_USAGE, "%s", label);
	is_str(err.what, what, "%s: the error names the place", label);
	ok(err.hint[0], "%s: the error has a hint", label);
}

static void refuses(const char *text, const char *what, const char *label)
{
	refuses_bytes(text, strlen(text), what, label);
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

/* Folded stacks that are written are read again, whatever the names of functions are. */
static void test_folded_blank(void)
{
	ok(read_text("main;   3\nmain;work 2\n") == 0 &&
			samples_of(e->profile, 0, "[unknown]", false) == 3,
		"folded: a blank name is unknown");
}

static void test_folded_bad(void)
{
	refuses("main;work 1\nmain;work\n",
		"FILE:2: the line ends with 'main;work', not with a number of samples",
		"folded: a line without a count is refused");
	refuses("main 1\nmain;work 1.5x\n",
		"FILE:2: the line ends with '1.5x', not with a number of samples",
		"folded: a text after a fraction is refused");
	refuses("main 1\nmain;work 1.\n",
		"FILE:2: the line ends with '1.', not with a number of samples",
		"folded: a point without decimals is refused");
	refuses("main 18446744073709551616\n",
		"FILE:1: the line ends with '18446744073709551616', not with a number of "
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

/* A file of tests/data/profile, which the profiler named in the test has written. */
static bool read_data(const char *file, const char *event)
{
	const char *root = getenv("ET_TEST_DATA");
	ET_AUTO_FREE char *path = et_asprintf("%s/data/profile/%s", root ? root : "tests", file);
	struct et_profile_read_options o = { .event = event };
	int rc;

	et_experiment_free(e);
	e = NULL;
	rc = et_profile_read_files(&path, 1, &o, &e, &err);
	if (!ok(rc == 0, "%s is read", file))
		printf("# %s\n", err.what);
	return rc == 0;
}

/* The numbers of a function that another program has printed; calls: NaN if it printed none. */
struct expected {
	const char *name, *module;
	uint64_t self, total;
	double calls;
};

static void check_functions(const char *file, const struct expected *rows, size_t n)
{
	const struct et_profile *p = e->profile;
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++) {
		const struct et_profile_function *f = function_of(rows[i].name);
		uint64_t self = samples_of(p, 0, rows[i].name, false);
		uint64_t total = samples_of(p, 0, rows[i].name, true);
		sum += self;
		if (!ok(f && !strcmp(f->module, rows[i].module) && self == rows[i].self &&
				    total == rows[i].total,
			    "%s: %s has the samples that the profiler printed", file, rows[i].name))
			printf("# self %ju total %ju module %s\n", (uintmax_t)self,
				(uintmax_t)total, f ? f->module : "none");
		if (f)
			near(et_profile_calls_of(p, 0, (uint32_t)(f - p->functions)), rows[i].calls,
				0, 0, "%s: %s has the calls that the profiler printed", file,
				rows[i].name);
	}
	ok(sum == p->runs[0].samples, "%s: there are no further samples", file);
}

/*
 * The captures are those of `perf script -i perf.data`; the numbers are those of
 * `perf report --stdio --no-children -g none -F sample,sym,dso` of the same perf.data.
 */
static void test_perf_captured(void)
{
	static const char libc[] = "/usr/lib/x86_64-linux-gnu/libc.so.6";
	static const char loader[] = "/usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2";
	const struct expected flat[] = {
		{ "leaf", "/usr/bin/my prog", 24, 24, NAN },
		{ "other", "/usr/bin/my prog", 13, 13, NAN },
	};
	const struct expected clock[] = {
		{ "outer", "/usr/bin/inlined", 5, 5, NAN },
		{ "__libc_start_call_main", libc, 0, 5, NAN },
	};
	const struct expected faults[] = {
		{ "elf_load", "[kernel]", 2, 2, NAN },
		{ "_copy_to_user", "[kernel]", 1, 1, NAN },
		{ "_dl_new_object", loader, 1, 1, NAN },
		{ "_start", loader, 1, 1, NAN },
		{ "load_elf_binary", "[kernel]", 0, 3, NAN },
	};

	if (read_data("perf-flat.txt", NULL)) {
		check_functions("perf-flat.txt", flat, ET_LENGTH(flat));
		near(e->profile->runs[0].period, 666666, 0, 0, "perf: the period is in the text");
		ok(e->profile->runs[0].counted == 37u * 666666u, "perf: the periods are summed up");
		ok(e->profile->plan.chains == ET_CHAINS_NONE, "perf: there are no call chains");
		is_str(e->profile->event, "cpu-clock", "perf: the event is in the text");
	}
	if (read_data("perf-chains.txt", "cpu-clock"))
		check_functions("perf-chains.txt", clock, ET_LENGTH(clock));
	if (read_data("perf-chains.txt", "page-faults")) {
		check_functions("perf-chains.txt", faults, ET_LENGTH(faults));
		ok(function_of("elf_load")->space == ET_SPACE_KERNEL, "perf: the kernel is known");
		ok(e->profile->plan.chains != ET_CHAINS_NONE, "perf: there are call chains");
	}
}

/* The capture is that of `gprof -b -p`, and the numbers are in it. */
static void test_gprof_captured(void)
{
	const struct expected rows[] = {
		{ "A<double>::operator()(double) const", "[unknown]", 20, 20, 1 },
		{ "A<long>::operator()(long) const", "[unknown]", 2, 2, 50000 },
		{ "uncounted()", "[unknown]", 2, 2, NAN },
		{ "plain(int)", "[unknown]", 0, 0, 1 },
	};

	if (!read_data("gprof.txt", NULL))
		return;
	check_functions("gprof.txt", rows, ET_LENGTH(rows));
	near(e->profile->runs[0].period, 1e7, 1e-12, 0, "gprof: the period is in nanoseconds");
	is_str(e->profile->event, "gprof", "gprof: the event is the instrument");
}

/*
 * The captures are those of callgrind; the numbers are those of callgrind_annotate, with
 * --inclusive=yes for the totals, and of --show=Dw for the other event. Of the recursive function
 * the total is its self cost, where callgrind_annotate adds up the inclusive costs of all levels.
 */
static void test_callgrind_captured(void)
{
	static const char program[] = "/usr/bin/tiny";
	const struct expected lines[] = {
		{ "(below main)", program, 2, 1410, NAN },
		{ "work", program, 13, 1408, 1 },
		{ "leaf", program, 1300, 1300, 8 },
		{ "left", program, 8, 918, 1 },
		{ "right", program, 20, 410, 2 },
		{ "down", program, 12, 67, 1 },
		{ "down'2", program, 55, 55, 5 },
	};
	const struct expected writes[] = {
		{ "(below main)", program, 1, 238, NAN },
		{ "work", program, 5, 237, 1 },
		{ "leaf", program, 210, 210, 8 },
		{ "left", program, 3, 153, 1 },
		{ "right", program, 8, 68, 2 },
		{ "down", program, 2, 11, 1 },
		{ "down'2", program, 9, 9, 5 },
	};

	if (read_data("callgrind-lines.out", NULL)) {
		check_functions("callgrind-lines.out", lines, ET_LENGTH(lines));
		is_str(e->profile->event, "Ir", "callgrind: the first event is counted");
		is_str(e->commands[0].text, "./tiny", "callgrind: the command is in the file");
	}
	if (read_data("callgrind-instr.out", "Dw"))
		check_functions("callgrind-instr.out", writes, ET_LENGTH(writes));
}

#define SAMPLE "prog  7 [001] 1.000000:     250 cpu-clock:"

static void test_perf(void)
{
	static const char text[] =
		"# a comment\n"
		"My (odd) 1 prog  7/8 [001] 1.000001:  250 cycles:ppp: \n"
		"\t  1135 innermost<int (*)(char)> (inlined)\n"
		"\t  1135 inner (inlined)\n"
		"\t  1135 outer(int) const+0x0 (/tmp/a b (deleted))\n"
		"\t7fff00001234 [unknown] (/tmp/perf-77.map)\n"
		"\tffffffff81000130 entry+0x76 ([kernel.kallsyms])\n"
		"\tffffffffc0000130 ext4_read+0x76 ([ext4])\n"
		"\tffffffff81000131 [unknown] ([unknown])\n"
		"\r\n"
		"prog  8 1.000002:  250 cycles:ppp: \n\n"
		"prog  8 1.000003:  PERF_RECORD_LOST lost 5\n"
		"prog  8 1.000004:  350 cycles:ppp:  1135 outer(int) const+0x0 (/tmp/a b)\n"
		"prog  8 1.000005:  150 cycles:u:  1136 x+0x1 (/tmp/odd)name)\n";
	int rc = read_text(text);

	if (!ok(rc == 0, "perf: all kinds of lines are read")) {
		printf("# %s\n", err.what);
		return;
	}
	const struct et_profile *p = e->profile;
	ok(p->n_runs == 1 && p->runs[0].samples == 4 && p->runs[0].lost == 5,
		"perf: samples and lost records are counted");
	near(p->runs[0].period, 250, 0, 0, "perf: the period is the mean");
	is_str(p->event, "cycles", "perf: the modifiers of the event are cut off");
	ok(samples_of(p, 0, "innermost<int (*)(char)>", false) == 1,
		"perf: the innermost inlined function has the sample");
	is_str(function_of("inner")->module, "/tmp/a b",
		"perf: an inlined function is in the file of the next one");
	ok(samples_of(p, 0, "outer(int) const", false) == 1 &&
			samples_of(p, 0, "outer(int) const", true) == 2,
		"perf: a deleted file is the same module");
	uint64_t entries = 0;
	for (size_t i = 0; i < p->runs[0].n_counts; i++)
		entries += p->runs[0].counts[i].at_entry;
	ok(entries == 1, "perf: a sample at the first instruction is known by the offset");
	is_str(function_of("ext4_read")->module, "[ext4]", "perf: a module of the kernel");
	ok(function_of("ext4_read")->space == ET_SPACE_KERNEL, "perf: it belongs to the kernel");
	is_str(function_of("x")->module, "/tmp/odd)name", "perf: a file with a parenthesis");
	ok(samples_of(p, 0, "[unknown]", false) == 1, "perf: a sample without a chain is unknown");
	ok(read_text(SAMPLE " 1135 a+0x1 (/a)\n" SAMPLE " 1139 b (/a)") == 0 &&
			samples_of(e->profile, 0, "b", false) == 1,
		"perf: the last line needs no line feed, and no offset");
}

static void test_perf_bad(void)
{
	refuses(SAMPLE " 1135 a (/a)\nhello\n", "FILE:2: 'hello' is no line of perf script",
		"perf: another text is refused");
	ok(strstr(err.hint, "default fields"), "perf: the hint names the fields that it needs");
	refuses(SAMPLE " 1135 a (/a)\nprog 7 [001] 1.0:  1 faults:  1135 a (/a)\n",
		"FILE:2: it has samples of 'cpu-clock' and of 'faults'",
		"perf: several events are refused if none is chosen");
	refuses("prog 7 [001] 1.0:  PERF_RECORD_LOST lost 5\n", "FILE:1: it has no samples",
		"perf: a file of lost records is refused");
	ok(read_bytes(SAMPLE " 1135 a (/a)\n", strlen(SAMPLE " 1135 a (/a)\n"), "faults") < 0 &&
			!strcmp(err.what, "FILE:1: it has no samples of 'faults'"),
		"perf: an event that is not in the file is refused");
	refuses_bytes("PERFILE2\150\0", 10, "FILE: it is a file of perf record, not text",
		"perf: a stream of perf.data is refused");
}

static const char gprof_head[] = "Flat profile:\n\nEach sample counts as 0.01 seconds.\n"
				 "  %   cumulative   self              self     total           \n"
				 " time   seconds   seconds    calls  ms/call  ms/call  name    \n";

static void test_gprof(void)
{
	ET_AUTO_FREE char *two =
		et_asprintf("%s 50.00      0.10     0.10        4     2.67     2.67  work\r\n"
			    " 50.00      0.20     0.10                             main\n"
			    "%s 99.00      0.30     0.30        2     2.67     2.67  work\n",
			gprof_head, gprof_head);

	ok(read_text(two) == 0, "gprof: two outputs in one file are read");
	if (!e)
		return;
	const struct et_profile *p = e->profile;
	ok(p->n_runs == 2 && e->plan.runs == 2 && e->commands[0].samples.n == 2,
		"gprof: they are two runs");
	ok(samples_of(p, 0, "work", false) == 10 && samples_of(p, 1, "work", false) == 30 &&
			samples_of(p, 1, "main", false) == 0,
		"gprof: each run has its samples");
	near(et_profile_calls_of(p, 0, 0), 3, 0, 0, "gprof: the calls are the mean of the runs");
}

static void gprof_refuses(const char *rows, const char *what, const char *label)
{
	ET_AUTO_FREE char *text = et_asprintf("%s%s", gprof_head, rows);

	refuses(text, what, label);
}

static void test_gprof_bad(void)
{
	gprof_refuses(" 50.00      nan     0.10  work\n",
		"FILE:6: ' 50.00      nan     0.10  work' is no line of a flat profile",
		"gprof: NaN is refused");
	gprof_refuses(" 50.00      0.1     1e300  work\n",
		"FILE:6: ' 50.00      0.1     1e300  work' is no line of a flat profile",
		"gprof: a time beyond all limits is refused");
	gprof_refuses(" 50.00      0.1\n", "FILE:6: ' 50.00      0.1' is no line of a flat profile",
		"gprof: a truncated line is refused");
	gprof_refuses(" 50.00      0.1     0.10  18446744073709551615  0.0  0.0  work\n",
		"FILE:6: the calls add up to more than 2^63 - 1",
		"gprof: a number of calls beyond 63 bits is refused");
	gprof_refuses("", "FILE:5: it has no samples", "gprof: a table without rows is refused");
	refuses("Flat profile:\n\nEach sample counts as 0 seconds.\n",
		"FILE:3: the time of a sample is not a number of seconds",
		"gprof: a period of 0 is refused");
	refuses("\t\t     Call graph\n\n", "FILE:2: it has no flat profile",
		"gprof: a call graph is refused");
	refuses_bytes("gmon\1\0", 6, "FILE: it is a file gmon.out, not text",
		"gprof: a stream of gmon.out is refused");
}

static void test_callgrind(void)
{
	/* Two processes, the first in two parts; a diamond of calls; a cycle. */
	static const char text[] = "version: 1\npid: 1\npositions: line\nevents: Ticks Other\n"
				   "fn=(1) a\n1 10\ncfn=(2) b\ncalls=1 0x10\n* 30\n"
				   "cfn=(3) c\ncalls=2 +3\n-1 60 7\n"
				   "fn=(2)\n1 20 5\ncfn=(4) d\ncalls=1 1\n1 10\n"
				   "fn=(3)\n1 30\ncfn=(4)\ncalls=3 1\n1 30\n"
				   "fn=(4)\n+1 0x28\n"
				   "pid: 1\npart: 2\nfn=(4)\n1 5\njump=1 2\n+1\njcnd=1/2 +3\n*\n"
				   "pid: 2\nfn=(5) ping\n1 1\ncfn=(6) pong\ncalls=1 1\n1 9\n"
				   "fn=(6)\n1 2\ncfn=(5)\ncalls=1 1\n1 8\n";
	int rc = read_text(text);

	if (!ok(rc == 0, "callgrind: parts and processes are read")) {
		printf("# %s\n", err.what);
		return;
	}
	const struct et_profile *p = e->profile;
	ok(p->n_runs == 2, "callgrind: another process is another run");
	ok(p->runs[0].samples == 105 && p->runs[1].samples == 3,
		"callgrind: all costs are counted");
	ok(samples_of(p, 0, "d", false) == 45, "callgrind: parts of a process are added up");
	ok(samples_of(p, 0, "c", true) == 60 && samples_of(p, 0, "b", true) == 30,
		"callgrind: the cost of a shared function is divided among its callers");
	ok(samples_of(p, 0, "a", true) == 100, "callgrind: the outermost function has all of it");
	ok(samples_of(p, 1, "ping", false) == 1 && samples_of(p, 1, "pong", false) == 2,
		"callgrind: a cycle without a beginning keeps its self costs");
	near(et_profile_calls_of(p, 0, function_of("d") - p->functions), 2, 0, 0,
		"callgrind: the calls are the mean of the runs");
}

/* The format of Xdebug's profiler: times and memory, and a file instead of an object. */
static void test_xdebug(void)
{
	static const char text[] =
		"version: 1\ncreator: xdebug 3.2.0 (PHP 8.2.7)\ncmd: /srv/a.php\npart: 1\n"
		"positions: line\n\nevents: Time_(10ns) Memory_(bytes)\n\n"
		"fl=(1) php:internal\nfn=(1) php::strlen\n3 40 0\n\n"
		"fl=(2) /srv/a.php\nfn=(2) {main}\n1 160 -24\ncfl=(1)\ncfn=(1)\n"
		"calls=1 0 0\n3 40 0\n\nsummary: 200 -24\n";

	if (!ok(read_text(text) == 0, "callgrind: a file of Xdebug is read")) {
		printf("# %s\n", err.what);
		return;
	}
	ok(samples_of(e->profile, 0, "{main}", false) == 160 &&
			samples_of(e->profile, 0, "{main}", true) == 200,
		"callgrind: Xdebug's times are costs");
	is_str(e->profile->event, "Time_(10ns)", "callgrind: the event of Xdebug is a time");
	ok(read_bytes(text, strlen(text), "Memory_(bytes)") < 0 &&
			!strcmp(err.what, "FILE:15: '1 160 -24' is no line of callgrind's format"),
		"callgrind: negative costs are refused if they are counted");
}

static void test_callgrind_bad(void)
{
	refuses("events: Ir\nfn=(1)\n1 1\n",
		"FILE:2: the number of the name '(1)' was not defined before",
		"callgrind: a name without a definition is refused");
	refuses("version: 1\nfn=(1) a\n1 1\n", "FILE:3: there are costs before the line 'events:'",
		"callgrind: costs without events are refused");
	refuses("events: Ir\n1 1\n", "FILE:2: '1 1' is no line of callgrind's format",
		"callgrind: costs without a function are refused");
	refuses("events: Ir\nfn=a\ncalls=1 1\n", "FILE:3: '1 1' is no line of callgrind's format",
		"callgrind: a call without a function is refused");
	refuses("events: Ir\nfn=a\n1 18446744073709551616\n",
		"FILE:3: '1 18446744073709551616' is no line of callgrind's format",
		"callgrind: a number of 65 bits is refused");
	refuses("events: Ir\nfn=a\n1 18446744073709551615\n1 1\n",
		"FILE:4: the costs are too large", "callgrind: an overflow of the sum is refused");
	refuses("events: Ir\nsummary: 7\nfn=a\n1 1\n",
		"FILE:4: the file is truncated: the line 'totals:' is missing",
		"callgrind: a truncated file is refused");
	refuses("events:\nfn=a\n1 1\n", "FILE:1: it names no events",
		"callgrind: a file without events is refused");
	ok(read_bytes("events: Ir\nfn=a\n1 1\n", 21, "Dw") < 0 &&
			!strcmp(err.what, "FILE:1: it does not count 'Dw'"),
		"callgrind: an event that is not in the file is refused");
}

static char *write_file(const char *folder, const char *name, const char *text)
{
	char *path = et_asprintf("%s/%s", folder, name);
	FILE *f = fopen(path, "w");

	if (!f)
		tap_bail("cannot write %s", path);
	fputs(text, f);
	fclose(f);
	return path;
}

static void test_files(void)
{
	const char *root = getenv("TMPDIR");
	ET_AUTO_FREE char *folder = et_asprintf("%s/et-read-XXXXXX", root ? root : "/tmp");

	if (!mkdtemp(folder))
		tap_bail("cannot make a folder");
	char *paths[] = { write_file(folder, "1", "a;b 3\na 1\n"),
		write_file(folder, "2", "a;c 5\n"),
		write_file(folder, "3", "Flat profile:\n\nEach sample counts as 0.01 seconds.\n") };
	struct et_profile_read_options o = { 0 };

	et_experiment_free(e);
	e = NULL;
	if (ok(et_profile_read_files(paths, 2, &o, &e, &err) == 0, "files: two files are read")) {
		ok(e->profile->n_runs == 2 && e->plan.runs == 2, "files: each is a run");
		ok(e->profile->runs[0].order == 1 && e->profile->runs[1].order == 2,
			"files: the runs have an order");
		ok(samples_of(e->profile, 1, "a", true) == 5 && e->profile->n_functions == 3,
			"files: the runs share functions");
		ok(et_profile_add_files(e, paths + 1, 1, &o, &err) == 0 && e->n_commands == 2 &&
				e->profile->n_runs == 3 && e->profile->runs[2].command == 1 &&
				e->profile->runs[2].order == 3,
			"files: a second command can be added");
		ok(et_profile_add_files(e, paths + 2, 1, &o, &err) < 0 && e->n_commands == 2 &&
				strstr(err.what, "it counts 'gprof', but the samples before are of "
						 "'samples'"),
			"files: two kinds of counts do not mix");
	}
	ok(et_profile_read_files(paths, 0, &o, &e, &err) < 0 && err.hint[0],
		"files: none at all is refused");
	char *missing = et_asprintf("%s/none", folder);
	struct et_experiment *none;
	ok(et_profile_read_files(&missing, 1, &o, &none, &err) < 0 && err.exit == ET_EXIT_USAGE,
		"files: a missing file is refused");
	ok(et_profile_read_files(&folder, 1, &o, &none, &err) < 0 && err.hint[0],
		"files: a folder is refused");
	free(missing);
	for (size_t i = 0; i < ET_LENGTH(paths); i++) {
		unlink(paths[i]);
		free(paths[i]);
	}
	rmdir(folder);
}

/* Texts that are valid and large. */
static void test_large(void)
{
	enum { FUNCTIONS = 100000, DEPTH = 10000 };
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	fprintf(f, "version: 1\nevents: Ir\n");
	for (int i = 0; i < FUNCTIONS; i++)
		fprintf(f, "fn=(%d) f%d\n1 1\ncfn=(%d) f%d\ncalls=1 1\n1 %d\n", i, i, i + 1, i + 1,
			FUNCTIONS - 1 - i);
	fclose(f);
	ok(read_bytes(text, size, NULL) == 0 && e->profile->runs[0].samples == FUNCTIONS,
		"large: 100,000 functions that call each other");
	free(text);
	f = open_memstream(&text, &size);
	for (int run = 0; run < 3; run++) {
		for (int i = 0; i < DEPTH; i++)
			fprintf(f, "%sf%d", i ? ";" : "", i * (run + 1) % 65537);
		fprintf(f, " 1\n");
	}
	fclose(f);
	ok(read_bytes(text, size, NULL) == 0 && e->profile->n_nodes == 3 * DEPTH - 1,
		"large: stacks of 10,000 functions");
	free(text);
	text = et_alloc(10000000);
	memset(text, 'a', 10000000);
	memcpy(text, "main 1\n", 7);
	ok(read_bytes(text, 10000000, NULL) < 0 &&
			!strcmp(err.what, "FILE:2: the line is longer than 4 MiB"),
		"large: a line of 10 MB is refused");
	free(text);
}

int main(void)
{
	test_folded();
	test_folded_blank();
	test_folded_bad();
	test_perf_captured();
	test_perf();
	test_perf_bad();
	test_gprof_captured();
	test_gprof();
	test_gprof_bad();
	test_callgrind_captured();
	test_callgrind();
	test_xdebug();
	test_callgrind_bad();
	test_files();
	test_large();
	et_experiment_free(e);
	return tap_done();
}
