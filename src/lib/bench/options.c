/* SPDX-License-Identifier: MIT */
#include "base/clock.h"
#include "base/option.h"
#include "base/parse.h"
#include "lib/bench/output.h"

#include <sys/random.h>

enum { COLUMNS = 80, MOST_THREADS = 1024, MOST_PROCESSES = 10000, SEED = 1, SAMPLES = 2 };

static const double LEVEL = 0.95;
static const uint64_t CASE_LIMIT_NS = 10000000000, TIMEOUT_NS = 60000000000;

/* The options as the table fills them. */
struct request {
	struct et_bench_options o;
	bool help, version, no_compensation;
	unsigned given; /* SEED, SAMPLES */
	unsigned *threads;
};

static const char *const colds[] = { "data", "all", NULL };
static const char *const priorities[] = { "auto", "keep", NULL };
static const char *const statistics[] = { "auto", "best", "median", "mean", NULL };
static const char *const whens[] = { "auto", "always", "never", NULL };

static int set_processes(
	const struct et_option *o, void *ctx, char *const *args, struct et_error *err)
{
	uint64_t n = 0;
	int rc = 0;

	if (strcmp(args[0], "auto"))
		rc = et_parse_u64("--processes", args[0], 0, MOST_PROCESSES, &n, err);
	*(unsigned *)et_option_target(o, ctx) = (unsigned)n;
	return rc;
}

/* Without a word: all. */
static int set_cold(const struct et_option *o, void *ctx, char *const *args, struct et_error *err)
{
	int i = args[0] ? et_option_find(o, args[0], err) : 1;

	*(int *)et_option_target(o, ctx) = i ? ETALON_CACHE_COLD : ETALON_CACHE_COLD_DATA;
	return i < 0 ? i : 0;
}

static int set_threads(
	const struct et_option *o, void *ctx, char *const *args, struct et_error *err)
{
	struct request *r = ctx;
	ET_AUTO_FREE char *text = et_strdup(args[0]);
	size_t cap = 0;

	(void)o;
	free(r->threads);
	r->threads = NULL;
	r->o.n_threads = 0;
	for (char *rest = text, *word; (word = strsep(&rest, ",")) != NULL;) {
		uint64_t n;
		int rc = et_parse_u64("--threads", word, 1, MOST_THREADS, &n, err);

		if (rc)
			return rc;
		ET_GROW(r->threads, r->o.n_threads, cap);
		r->threads[r->o.n_threads++] = (unsigned)n;
	}
	return 0;
}

/* To add a row: man/etalon.3.scd (A file of benchmarks), and the set-up message in worker.c. */
static const struct et_option options[] = {
	{ 0, "list", NULL, "print the names of the functions and exit", et_set_true,
		ET_FILLS(request, o.list), .group = "what is timed" },
	{ 0, "filter", "REGEX", "time only functions whose names match REGEX; -REGEX: do not match",
		et_set_text, ET_FILLS(request, o.filter) },
	{ 0, "exclude", "REGEX", "omit functions whose names match REGEX", et_set_text,
		ET_FILLS(request, o.exclude) },
	{ 0, "threads", "LIST", "time each function with these numbers of threads (1,2,4)",
		set_threads, ET_FILLS(request, threads) },
	{ 0, "cold", "[data|all]",
		"clear the caches before each sample: of data, or of data and code (all)", set_cold,
		ET_FILLS(request, o.kbest.cache), .names = colds },

	{ 0, "processes", "N", "run in N processes, in turn (auto: about 10)", set_processes,
		ET_FILLS(request, o.processes), .group = "how long" },
	{ 0, "repetitions", "N", "take N times as many processes (1)", et_set_u32,
		ET_FILLS(request, o.repetitions), .lo = 1, .hi = 1000 },
	{ 0, "case-time", "DUR",
		"time each function for about DUR (700ms; 1.4s to 4s with --against)",
		et_set_duration, ET_FILLS(request, o.case_ns) },
	{ 0, "case-limit", "DUR", "take fewer samples of a function rather than exceed DUR (10s)",
		et_set_duration, ET_FILLS(request, o.case_limit_ns) },
	{ 0, "time-limit", "DUR", "end the whole program after about DUR (none)", et_set_duration,
		ET_FILLS(request, o.limit_ns) },
	{ 0, "timeout", "DUR",
		"end a function that does not return within DUR (1m); not with --processes 1",
		et_set_duration, ET_FILLS(request, o.timeout_ns) },
	{ 'M', "max-samples", "N", "take at most N samples of a function per process (1000)",
		et_set_u32, ET_FILLS(request, o.kbest.max_samples), .lo = 1, .bit = SAMPLES },
	{ 0, "calls", "N", "make a sample of N calls (chosen: about 20 us)", et_set_u32,
		ET_FILLS(request, o.kbest.calls), .lo = 1 },

	{ 0, "clock", "CLOCK", "use auto, counter, raw or cpu (auto)", et_set_choice,
		ET_FILLS(request, o.kbest.clock), .names = et_bench_clock_names, .group = "how" },
	{ 0, "statistic", "NAME", "report auto, best, median or mean (auto)", et_set_choice,
		ET_FILLS(request, o.statistic), .names = statistics },
	{ 0, "no-compensation", NULL, "do not subtract the time of interrupts", et_set_true,
		ET_FILLS(request, no_compensation) },
	{ 0, "priority", "HOW", "auto: real-time if allowed and needed; keep: never (auto)",
		et_set_choice, ET_FILLS(request, o.kbest.priority), .names = priorities },
	{ 0, "seed", "N", "order of functions, layout of memory (random)", et_set_u64,
		ET_FILLS(request, o.seed), .hi = INT64_MAX, .bit = SEED },

	{ 0, "baseline", "FILE", "compare with results that --json wrote", et_set_text,
		ET_FILLS(request, o.baseline), .group = "comparison" },
	{ 0, "against", "PROGRAM", "compare with PROGRAM, run alternately with this one",
		et_set_text, ET_FILLS(request, o.against) },
	{ 0, "fail-on-regression", "[PCT]",
		"exit 5 if a function is certainly slower by more than PCT (0)", et_set_percent,
		ET_FILLS(request, o.fail_ratio) },

	{ 0, "json", "FILE", "write the results as JSON (- means standard output)", et_set_text,
		ET_FILLS(request, o.json), .group = "output" },
	{ 0, "csv", "FILE", "write the results as CSV", et_set_text, ET_FILLS(request, o.csv) },
	{ 0, "markdown", "FILE", "write a table in Markdown", et_set_text,
		ET_FILLS(request, o.markdown) },
	{ 0, "google-json", "FILE", "write the JSON of Google Benchmark", et_set_text,
		ET_FILLS(request, o.google) },
	{ 0, "google-csv", "FILE", "write the CSV of Google Benchmark", et_set_text,
		ET_FILLS(request, o.google_csv) },
	{ 0, "quiet", NULL, "print nothing but errors", et_set_true, ET_FILLS(request, o.quiet) },
	{ 0, "verbose", NULL, "print more figures of each function", et_set_true,
		ET_FILLS(request, o.verbose) },
	{ 0, "progress", "WHEN", "show what is being timed: auto, always or never (auto)",
		et_set_choice, ET_FILLS(request, o.progress), .names = whens },
	{ 0, "color", "WHEN", "use colours: auto, always or never (auto)", et_set_choice,
		ET_FILLS(request, o.color), .names = whens },
	{ 'h', "help", NULL, "show this help", et_set_true, ET_FILLS(request, help) },
	{ 0, "version", NULL, "show the library's version", et_set_true,
		ET_FILLS(request, version) },
	{ 0 },
};

void et_bench_options_help(const char *program, FILE *out)
{
	const char *slash = strrchr(program, '/'), *base = slash ? slash + 1 : program;

	fprintf(out,
		"usage: %s [options]\n\n"
		"Time the functions of this program, each in several fresh processes.\n",
		program);
	et_options_help(options, out, COLUMNS);
	fprintf(out,
		"\nexamples:\n"
		"  ./%s --filter 'sort/.*' --json now.json\n"
		"  ./%s --baseline now.json --fail-on-regression=2\n"
		"  ./%s --against ./old\n",
		base, base, base);
}

static int check(const struct request *r, const struct et_operands *ops, struct et_error *err)
{
	const struct et_bench_options *o = &r->o;
	const char *const files[] = { o->json, o->csv, o->markdown, o->google, o->google_csv };
	int n = 0;

	if (ops->n_before + ops->n_after)
		return et_refuse(err, NULL, "'%s': the program takes no operands",
			ops->n_before ? ops->before[0] : ops->after[0]);
	if (isfinite(o->fail_ratio) && !o->baseline && !o->against)
		return et_refuse(err, "add --baseline FILE or --against PROGRAM",
			"--fail-on-regression needs something to compare with");
	if (o->baseline && o->against)
		return et_refuse(
			err, "omit one of them", "--baseline and --against exclude each other");
	for (size_t i = 0; i < ET_LENGTH(files); i++)
		n += files[i] && !strcmp(files[i], "-");
	return n > 1 ? et_refuse(err, NULL, "only one file can be standard output (-)") : 0;
}

int et_bench_options_parse(int argc, char **argv, struct et_bench_options *out,
	enum et_bench_action *action, struct et_error *err)
{
	struct request r = {
		.o = { .case_limit_ns = CASE_LIMIT_NS,
			.timeout_ns = TIMEOUT_NS,
			.level = LEVEL,
			.fail_ratio = INFINITY },
	};
	const struct et_option_table tables[] = { { .rows = options, .ctx = &r, .given = &r.given },
		{ 0 } };
	struct et_operands ops = { 0 };
	uint32_t seed;

	etalon_kbest_opts_init(&r.o.kbest, sizeof(r.o.kbest)); /* it fails for a wrong size only */
	int rc = et_options_parse(tables, argc, argv, &ops, err);
	*action = r.help ? ET_BENCH_HELP : r.version ? ET_BENCH_VERSION : ET_BENCH_TIME;
	if (rc == 0 && *action == ET_BENCH_TIME)
		rc = check(&r, &ops, err);
	et_operands_free(&ops);
	if (rc) {
		free(r.threads);
		return rc;
	}
	*out = r.o;
	out->threads = r.threads;
	out->kbest.compensate = !r.no_compensation;
	if (out->kbest.k > out->kbest.max_samples)
		out->kbest.k = out->kbest.max_samples;
	out->max_samples_given = r.given & SAMPLES;
	if (!(r.given & SEED) && getrandom(&seed, sizeof(seed), 0) != sizeof(seed))
		out->seed = et_clock_read_ns(CLOCK_REALTIME) ^ (uint64_t)getpid();
	else if (!(r.given & SEED))
		out->seed = seed;
	return 0;
}

void et_bench_options_free(struct et_bench_options *o)
{
	free((unsigned *)o->threads);
	o->threads = NULL;
}
