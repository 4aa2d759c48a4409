/* SPDX-License-Identifier: MIT */
/* Whether the times of a baseline can be compared with new ones. */
#include "base/alloc.h"
#include "base/display.h"
#include "lib/bench/figures.h"
#include "lib/bench/output.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

enum { MOST_VALUE = 100 };

void et_bench_note(struct et_bench_results *r, const char *fmt, ...)
{
	va_list ap;

	r->notes = et_realloc(r->notes, r->n_notes + 1, sizeof(*r->notes));
	va_start(ap, fmt);
	r->notes[r->n_notes++] = et_vasprintf(fmt, ap);
	va_end(ap);
}

static bool differ(const char *a, const char *b)
{
	return a && b && strcmp(a, b) != 0;
}

static int other(
	struct et_error *err, const char *path, const char *what, const char *was, const char *hint)
{
	ET_AUTO_FREE char *clean = et_clean(was, ""), *text = et_shorten(clean, MOST_VALUE);

	return et_hint(err,
		et_fail(err, EINVAL, ET_EXIT_USAGE, "%.150s: the functions were timed with %s%s",
			path, what, text),
		"%s", hint);
}

/* Times of another cache, another kind of time or another processor differ whatever the code. */
static int check_same(const char *path, const struct et_bench_results *r,
	const struct et_bench_results *old, struct et_error *err)
{
	int clock = old->options.kbest.clock, now = r->options.kbest.clock;

	if (r->options.kbest.cache != old->options.kbest.cache)
		return other(err, path,
			"another cache: ", et_bench_cache_names[old->options.kbest.cache],
			old->options.kbest.cache == ETALON_CACHE_COLD ? "use --cold"
								      : "omit --cold");
	if ((clock == ETALON_CLOCK_CPU) != (now == ETALON_CLOCK_CPU))
		return other(err, path, "another clock: ", et_bench_clock_names[clock],
			clock == ETALON_CLOCK_CPU ? "use --clock cpu" : "omit --clock cpu");
	if (old->google && old->context.version)
		return et_hint(err,
			et_fail(err, EINVAL, ET_EXIT_USAGE,
				"%.150s: --google-json wrote it, without samples", path),
			"give --baseline a file that --json wrote");
	if (differ(r->context.cpu, old->context.cpu))
		return other(err, path, "another processor: ", old->context.cpu,
			"write a baseline on this machine; `etalon compare` compares machines");
	return 0;
}

static void note_build(
	const char *path, struct et_bench_results *r, const struct et_bench_results *old)
{
	const struct et_bench_context *a = &r->context, *b = &old->context;

	if (differ(a->version, b->version))
		et_bench_note(r, "%s is from libetalon %s: write a new baseline", path, b->version);
	if (differ(a->compiler, b->compiler) || differ(a->flags, b->flags))
		et_bench_note(r, "%s is of a program that was compiled otherwise (%s%s%s)", path,
			b->compiler ? b->compiler : "", b->flags ? " " : "",
			b->flags ? b->flags : "");
	if (!old->google && !r->options.kbest.compensate != !old->options.kbest.compensate)
		et_bench_note(r, "%s was written with%s compensation of interrupts", path,
			old->options.kbest.compensate ? "" : "out");
}

int et_bench_comparable(const char *path, struct et_bench_results *r,
	const struct et_bench_results *old, struct et_error *err)
{
	const struct et_bench_context *a = &r->context, *b = &old->context;
	int rc = check_same(path, r, old, err);

	if (rc)
		return rc;
	if (old->google && !r->options.statistic) {
		r->options.statistic = 1 + ET_BENCH_MEAN;
		et_bench_note(
			r, "%s has means, which include interruptions: so has this table", path);
	}
	if (differ(a->machine_id, b->machine_id) || (old->google && differ(a->host, b->host)))
		et_bench_note(r, "%s is from another machine (%s): write a baseline on this one",
			path, b->host ? b->host : "unknown");
	else if (differ(a->kernel, b->kernel))
		et_bench_note(
			r, "%s is from another kernel (%s): write a new baseline", path, b->kernel);
	note_build(path, r, old);
	return 0;
}
