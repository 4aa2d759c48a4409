/* SPDX-License-Identifier: MIT */
/*
 * The main function of a benchmark program. Unlike the rest of the library it may allocate memory
 * through base/alloc.h, which ends the program when memory runs out; it does not do so while a
 * function is being timed.
 */
#include "lib/bench.h"
#include "base/option.h"
#include "base/outfile.h"
#include "base/parse.h"
#include "lib/kbest.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { COLUMNS = 80 };

struct request {
	struct etalon_kbest_opts o;
	bool list, help, version, cold;
	double fail_ratio; /* INFINITY: regressions do not matter */
	const char *filter, *json, *baseline;
};

static const struct et_option options[] = {
	{ 0, "list", NULL, "print the names of the functions and exit", et_set_true,
		ET_FILLS(request, list) },
	{ 0, "filter", "TEXT", "time only functions whose names contain TEXT", et_set_text,
		ET_FILLS(request, filter) },
	{ 0, "json", "FILE", "write the results as JSON (- means standard output)", et_set_text,
		ET_FILLS(request, json) },
	{ 0, "baseline", "FILE", "compare with results that --json wrote", et_set_text,
		ET_FILLS(request, baseline) },
	{ 0, "fail-on-regression", "[PCT]",
		"exit 1 if a function is certainly slower than its baseline by more than PCT (0)",
		et_set_percent, ET_FILLS(request, fail_ratio) },
	{ 'k', "best", "K", "require the K shortest samples to agree (3)", et_set_u32,
		ET_FILLS(request, o.k), .lo = 1, .hi = 64 },
	{ 0, "epsilon", "REL", "require them to agree within REL (0.1%)", et_set_ratio,
		ET_FILLS(request, o.epsilon) },
	{ 'M', "max-samples", "N", "take at most N samples of a function (1000)", et_set_u32,
		ET_FILLS(request, o.max_samples), .lo = 1 },
	{ 0, "cold", NULL, "clear all caches before each call, and check that", et_set_true,
		ET_FILLS(request, cold) },
	{ 0, "least-time", "DUR", "spread samples over at least DUR (300ms)", et_set_duration,
		ET_FILLS(request, o.least_ns) },
	{ 0, "time-limit", "DUR", "take no further sample of a function after DUR (10s)",
		et_set_duration, ET_FILLS(request, o.limit_ns) },
	{ 'h', "help", NULL, "show this help", et_set_true, ET_FILLS(request, help) },
	{ 0, "version", NULL, "show the library's version", et_set_true,
		ET_FILLS(request, version) },
	{ 0 },
};

/* An older or newer header may have elements of another size: the first one says which. */
static const struct etalon_bench *bench_at(const struct etalon_bench *benches, size_t i)
{
	return (const void *)((const char *)benches + i * benches->sz);
}

static bool wanted(const struct request *r, const struct etalon_bench *b)
{
	return !r->filter || strstr(b->name, r->filter);
}

static int check(const struct request *r, const struct etalon_bench *benches, size_t n,
	const struct et_operands *ops, struct et_error *err)
{
	size_t chosen = 0;

	if (ops->n_before + ops->n_after)
		return et_fail(err, EINVAL, ET_EXIT_USAGE, "'%s': the program takes no operands",
			ops->n_before ? ops->before[0] : ops->after[0]);
	if (r->o.max_samples < r->o.k)
		return et_fail(err, EINVAL, ET_EXIT_USAGE,
			"--max-samples %" PRIu32 " is less than --best %" PRIu32, r->o.max_samples,
			r->o.k);
	if (isfinite(r->fail_ratio) && !r->baseline)
		return et_hint(err,
			et_fail(err, EINVAL, ET_EXIT_USAGE,
				"--fail-on-regression needs a baseline"),
			"add --baseline FILE");
	if (!benches || !n)
		return et_fail(err, EINVAL, ET_EXIT_USAGE, "the list of functions is empty");
	if (et_kbest_size_bad(benches->sz, offsetof(struct etalon_bench, body)) ||
		benches->sz % sizeof(size_t))
		return et_fail(err, EINVAL, ET_EXIT_USAGE, "struct etalon_bench: %s",
			etalon_strerror(ETALON_BAD_SIZE));
	for (size_t i = 0; i < n; i++) {
		const struct etalon_bench *b = bench_at(benches, i);

		if (!b->name || !b->fn)
			return et_fail(err, EINVAL, ET_EXIT_USAGE,
				"function number %zu is NULL or has no name", i + 1);
		chosen += wanted(r, b);
	}
	if (!chosen)
		return et_hint(err,
			et_fail(err, ENOENT, ET_EXIT_USAGE,
				"--filter %s: no function has a name that contains it", r->filter),
			"run with --list to see their names");
	return 0;
}

static int time_one(const struct request *r, const struct etalon_bench *b,
	const struct et_bench_baseline *baseline, struct et_bench_outcome *out,
	struct et_error *err)
{
	int rc = etalon_kbest(b->fn, b->arg, &r->o, &out->r, sizeof(out->r));

	if (rc != ETALON_OK && rc != ETALON_NOT_CONVERGED)
		return et_fail(
			err, EINVAL, ET_EXIT_ENVIRONMENT, "%s: %s", b->name, etalon_strerror(rc));
	out->name = b->name;
	out->compared = r->baseline != NULL;
	out->baseline = et_bench_baseline_find(baseline, b->name);
	if (out->baseline)
		out->comparison = et_bench_compare(out->r.ns, out->r.error, out->baseline);
	return 0;
}

/* Truncates a regular file; pipes and devices cannot be truncated. */
static int empty(FILE *f)
{
	struct stat st;

	if (fstat(fileno(f), &st) != 0 || !S_ISREG(st.st_mode))
		return 0;
	return ftruncate(fileno(f), 0);
}

/* Returns the number of regressions, or -errno. */
static int time_all(const struct request *r, const struct etalon_bench *benches, size_t n,
	const struct et_bench_baseline *baseline, FILE *json, struct et_error *err)
{
	ET_AUTO_FREE struct et_bench_outcome *outcomes = calloc(n, sizeof(*outcomes));
	int rc, regressions = 0;
	size_t done = 0;

	if (!outcomes)
		return et_fail_errno(err, ENOMEM, ET_EXIT_OUTSIDE, "results");
	for (size_t i = 0; i < n; i++) {
		const struct etalon_bench *b = bench_at(benches, i);
		struct et_bench_outcome *out = &outcomes[done];

		if (!wanted(r, b))
			continue;
		rc = time_one(r, b, baseline, out, err);
		if (rc)
			return rc;
		done++;
		et_bench_outcome_text(out, &r->o, json == stdout ? stderr : stdout);
		regressions += out->baseline && out->comparison.verdict == ET_BENCH_SLOWER &&
			       out->comparison.lo > 1 + r->fail_ratio;
	}
	if (json) {
		bool failed = json != stdout && empty(json) != 0;

		if (!failed)
			et_bench_outcome_json(outcomes, done, &r->o, json);
		if (failed || fflush(json) || ferror(json))
			return et_fail_file(err, errno, ET_EXIT_OUTSIDE, r->json);
	}
	return regressions;
}

/* Opens the JSON file before anything is timed. Its contents stay until all functions are. */
static int open_json(const struct request *r, FILE **out, struct et_error *err)
{
	if (!r->json)
		return 0;
	if (!strcmp(r->json, "-")) {
		*out = stdout;
		return 0;
	}
	int fd = et_outfile_fd(r->json, O_APPEND, ET_EXIT_OUTSIDE, err);
	if (fd < 0)
		return fd;
	*out = fdopen(fd, "a");
	if (*out)
		return 0;
	close(fd);
	return et_fail(err, ENOMEM, ET_EXIT_OUTSIDE, "out of memory");
}

/* The baseline is read first: it may be the same file as that of --json. */
static int run(
	const struct request *r, const struct etalon_bench *benches, size_t n, struct et_error *err)
{
	struct et_bench_baseline baseline = { 0 };
	FILE *json = NULL;
	int rc = r->baseline ? et_bench_baseline_read(r->baseline, r->o.cache, &baseline, err) : 0;

	if (rc == 0)
		rc = open_json(r, &json, err);
	if (rc == 0)
		rc = time_all(r, benches, n, &baseline, json, err);
	if (json && json != stdout && fclose(json) != 0 && rc >= 0)
		rc = et_fail_file(err, errno, ET_EXIT_OUTSIDE, r->json);
	et_bench_baseline_free(&baseline);
	return rc;
}

static int complain(const char *program, const struct et_error *err)
{
	fprintf(stderr, "%s: %s\n", program, err->what);
	if (err->hint[0])
		fprintf(stderr, "hint: %s\n", err->hint);
	return (int)err->exit;
}

static void show_help(const char *program)
{
	fprintf(stdout,
		"usage: %s [options]\n\nTime the functions of this program by K-best.\n\n"
		"options:\n",
		program);
	et_options_help(options, stdout, COLUMNS);
	fprintf(stdout, "\nexample: %s --json now.json\n", program);
}

/* Does what the options ask for. Returns the number of regressions or -errno. */
static int serve(const struct request *r, const char *program, const struct etalon_bench *benches,
	size_t n, const struct et_operands *ops, struct et_error *err)
{
	int rc;

	if (r->help) {
		show_help(program);
		return 0;
	}
	if (r->version) {
		fprintf(stdout, "libetalon %s\n", etalon_version());
		return 0;
	}
	rc = check(r, benches, n, ops, err);
	if (rc == 0 && !r->list)
		return run(r, benches, n, err);
	for (size_t i = 0; rc == 0 && i < n; i++)
		if (wanted(r, bench_at(benches, i)))
			fprintf(stdout, "%s\n", bench_at(benches, i)->name);
	return rc;
}

int etalon_bench_main(int argc, char **argv, const struct etalon_bench *benches, size_t n)
{
	struct request r = { .fail_ratio = INFINITY };
	const struct et_option_table tables[] = { { options, &r, NULL }, { 0 } };
	struct et_error err = { 0 };
	struct et_operands ops = { 0 };
	int rc;

	if (argc < 1 || !argv || !argv[0])
		return ET_EXIT_USAGE;
	etalon_kbest_opts_init(&r.o, sizeof(r.o)); /* it fails for a wrong size only */
	rc = et_options_parse(tables, argc, argv, &ops, &err);
	if (r.cold)
		r.o.cache = ETALON_CACHE_COLD;
	if (rc == 0)
		rc = serve(&r, argv[0], benches, n, &ops, &err);
	if (rc >= 0 && (fflush(stdout) || ferror(stdout)))
		rc = et_fail(&err, EIO, ET_EXIT_OUTSIDE, "cannot write to standard output");
	et_operands_free(&ops);
	if (rc < 0)
		return complain(argv[0], &err);
	return rc > 0 ? ET_EXIT_PROGRAM : ET_EXIT_DONE;
}
