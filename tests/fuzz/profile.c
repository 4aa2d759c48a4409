/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Targets: files of other profilers, and what is made of them. */
#include "app/profile/view.h"
#include "base/base.h"
#include "profile/readers/read.h"
#include "profile/readers/reader.h"
#include "records.h"

#include <math.h>
#include <string.h>

static int read_bytes(const char *data, size_t size, int format, struct et_experiment **out)
{
	struct et_profile_read_options o = { .format = format };
	struct et_error err;
	ET_AUTO_FCLOSE FILE *in =
		size ? fmemopen((void *)data, size, "r") : fopen("/dev/null", "r");

	if (et_profile_read_stream(in, "FILE", &o, out, &err) == 0)
		return 0;
	FUZZ_CHECK(err.exit == ET_EXIT_USAGE && err.what[0]);
	FUZZ_CHECK(!strpbrk(err.what, "\033\n\r\t\177"));
	return -1;
}

static void check_run(const struct et_profile *p, const struct et_profile_run *run)
{
	uint64_t sum = 0;

	FUZZ_CHECK(run->n_counts > 0 && run->samples > 0 && run->samples <= INT64_MAX);
	FUZZ_CHECK(isfinite(run->period) && run->period >= 0);
	for (size_t i = 0; i < run->n_counts; i++) {
		const struct et_profile_count *c = &run->counts[i];
		FUZZ_CHECK(c->node != ET_PROFILE_ROOT && c->node < p->n_nodes);
		FUZZ_CHECK(!i || c[-1].node < c->node);
		FUZZ_CHECK(c->samples > 0 && c->at_entry <= c->samples);
		sum += c->samples;
	}
	FUZZ_CHECK(sum == run->samples);
}

static void check_name(const char *name)
{
	FUZZ_CHECK(*name);
	for (; *name; name++)
		FUZZ_CHECK((unsigned char)*name >= ' ' && *name != 0x7f);
}

static void check_profile(const struct et_experiment *e)
{
	const struct et_profile *p = e->profile;

	FUZZ_CHECK(e->n_commands == 1 && p->n_runs > 0);
	FUZZ_CHECK(e->commands[0].samples.n == p->n_runs && e->plan.runs == p->n_runs);
	for (size_t i = 1; i < p->n_nodes; i++)
		FUZZ_CHECK(p->nodes[i].parent < i && p->nodes[i].function < p->n_functions);
	for (size_t i = 0; i < p->n_functions; i++) {
		check_name(p->functions[i].name);
		check_name(p->functions[i].module);
	}
	for (size_t i = 0; i < p->n_runs; i++)
		check_run(p, &p->runs[i]);
	for (size_t i = 0; i < p->n_calls; i++)
		FUZZ_CHECK(p->calls[i].calls >= 0);
}

/* Stacks that are written are read again with all samples. */
static void check_folded(const struct et_experiment *e, const char *text, size_t size)
{
	struct et_experiment *again;
	const int folded = et_name_index(et_profile_format_names, "folded");

	/* A run with lost records does not count. */
	if (e->profile->n_runs != 1 || e->profile->runs[0].samples > 1000000 ||
		e->profile->runs[0].lost)
		return;
	FUZZ_CHECK(read_bytes(text, size, folded, &again) == 0);
	FUZZ_CHECK(again->profile->runs[0].samples == e->profile->runs[0].samples);
	et_experiment_free(again);
}

static void report_all(const struct et_experiment *e)
{
	const struct et_text_options wide = { .width = 100, .verbose = true };
	struct et_profile_options view = et_default_profile_options;
	struct et_profiled p;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	view.replicates = 0;
	et_profiled_judge(e, &view, &p);
	for (const struct et_profile_format *f = et_profile_formats; f->name; f++) {
		f->write(&p, out);
		fflush(out);
		FUZZ_CHECK(!memchr(text, '\x1b', size));
		if (!strcmp(f->name, "folded"))
			check_folded(e, text, size);
		rewind(out);
	}
	et_profile_text(&p, &wide, out);
	fclose(out);
	FUZZ_CHECK(!memchr(text, '\x1b', size));
	free(text);
	et_profiled_free(&p);
}

/* A profile that is exported is imported again as the same experiment. */
static void check_native(struct et_experiment *e)
{
	struct et_experiment *again = NULL;
	size_t n, n2;

	et_experiment_name(e, UINT64_C(1763196906000000000), 0xabcdef);
	ET_AUTO_FREE char *first = fuzz_native(e, &n);
	FUZZ_CHECK(fuzz_import_bytes(first, n, ET_IMPORT_AUTO, NULL, &again) == 0);
	ET_AUTO_FREE char *second = fuzz_native(again, &n2);
	FUZZ_CHECK(n == n2 && !memcmp(first, second, n));
	et_experiment_free(again);
}

/* These rules hold for the readers of all formats. */
#define READ                                                                                       \
	"counts add up; names are printable; "                                                     \
	"exported and imported again: the same record; all reports can be written"

static int read_profile(const uint8_t *data, size_t size, const char *format)
{
	uint64_t hash = fuzz_hash(data, size);
	struct et_experiment *e = NULL;

	/* Most inputs name the format, so that the reader sees them whatever their begin is. */
	int number = hash % 8 ? et_name_index(et_profile_format_names, format) : 0;
	if (read_bytes((const char *)data, size, number, &e))
		return 0;
	check_profile(e);
	check_native(e);
	/* Statistics and pictures take a hundred times as long as the parser. */
	if (hash / 8 % 16 == 0 && e->profile->n_runs <= 4 && e->profile->n_nodes <= 100)
		report_all(e);
	et_experiment_free(e);
	return 1;
}

/* Of `perf buildid-list`; it has no errors. */
static void read_ids(const uint8_t *data, size_t size)
{
	ET_AUTO_FREE char *text = et_strndup((const char *)data, size);
	struct et_perf_maps *m = et_perf_maps_new();

	for (char *rest = NULL, *line = strtok_r(text, "\n", &rest); line;
		line = strtok_r(NULL, "\n", &rest))
		et_perf_maps_add_id(m, line);
	et_perf_maps_free(m);
}

static int fuzz_perf_script(const uint8_t *data, size_t size)
{
	if (fuzz_hash(data, size) % 8 == 1)
		read_ids(data, size);
	return read_profile(data, size, "perf");
}

static const char *const perf_tokens[] = { "\n", "\n\n", "\t", " ", ":", "#", "(", ")", "+0x0",
	"+0x1f", " (inlined)", " (deleted))", "([kernel.kallsyms])", "([unknown])", "[unknown]",
	"(/tmp/perf-1.map)", "ffffffff81000130 ", "1135 ", "prog 7 [001] 1.0: ", "250 ",
	"cpu-clock:", "cycles:u:", "PERF_RECORD_LOST lost 5", "(/proc/self/exe)",
	"PERF_RECORD_MMAP2 7/7: [0x401000(0x1000) @ 0 <ab12>]: r-xp /proc/self/exe",
	"PERF_RECORD_FORK(7:8):(7:7)", "PERF_RECORD_COMM exec: prog:7/7", "PERFILE2", "\xff", "\r",
	NULL };

FUZZ_TARGET(perf_script) = { "perf-script", fuzz_perf_script, 5000, .tokens = perf_tokens,
	.input = "what 'perf script' prints", .holds = READ };

static int fuzz_gprof(const uint8_t *data, size_t size)
{
	return read_profile(data, size, "gprof");
}

static const char *const gprof_tokens[] = { "Flat profile:\n", "\n", "\n\n",
	"Each sample counts as 0.01 seconds.\n", " no time accumulated\n",
	" time   seconds   seconds    calls  ms/call  ms/call  name    \n",
	"  0.00      0.00     0.00        1     0.00     0.00  f\n", " ", "1e308", "nan", "-1",
	"0.001", "\t\t     Call graph\n", "\f", "gmon\1", NULL };

FUZZ_TARGET(gprof) = { "gprof", fuzz_gprof, 5000, .tokens = gprof_tokens,
	.input = "what 'gprof -b -p' prints", .holds = READ };

static int fuzz_callgrind(const uint8_t *data, size_t size)
{
	return read_profile(data, size, "callgrind");
}

static const char *const callgrind_tokens[] = { "version: 1\n", "pid: 2\n", "part: 2\n",
	"cmd: ./a b\n", "events: Ir Dr\n", "positions: instr line\n", "summary: 1\n", "totals: 1\n",
	"fn=", "cfn=", "ob=", "cob=", "fl=", "fi=", "fe=", "cfi=", "calls=1 1\n", "jump=1 2\n",
	"jcnd=1/2 +3\n", "(1)", "(2) b", "(18446744073709551615)", "???", "*", "+", "-", "0x", " ",
	"\n", "1 1\n", "1 18446744073709551615\n", "'2", NULL };

FUZZ_TARGET(callgrind) = { "callgrind", fuzz_callgrind, 5000, .tokens = callgrind_tokens,
	.input = "callgrind's files", .holds = READ };

static int fuzz_folded(const uint8_t *data, size_t size)
{
	return read_profile(data, size, "folded");
}

static const char *const folded_tokens[] = { ";", ";;", " ", " 1\n", "\n", "_[k]", "_[j]", "_[i]",
	"[unknown]", "main;", "# ", "\t", "9223372036854775807", "\r\n", "\xc2\x9b", "1.5", NULL };

FUZZ_TARGET(folded) = { "folded", fuzz_folded, 5000, .tokens = folded_tokens,
	.input = "folded stacks", .holds = READ "; written and read again: as many samples" };
