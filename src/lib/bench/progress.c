/* SPDX-License-Identifier: MIT */
#include "lib/bench/progress.h"

#include <math.h>
#include <unistd.h>

enum { EVERY_NS = 100000000, NAME_COLUMNS = 40 };

void et_bench_progress_begin(struct et_bench_progress *p, enum et_bench_when when, bool quiet)
{
	*p = (struct et_bench_progress){
		.wanted = when == ET_BENCH_ALWAYS ||
			  (when == ET_BENCH_AUTO && !quiet && isatty(STDERR_FILENO)),
		.total_ns = NAN,
	};
}

void et_bench_progress_show(
	struct et_bench_progress *p, const char *name, unsigned process, unsigned n, uint64_t now)
{
	double left = (p->total_ns - (double)(now - p->begin_ns)) / 1e9;

	if (!p->wanted || (p->shown && process == p->process && now - p->last_ns < EVERY_NS))
		return;
	p->process = process;
	p->shown = true;
	p->last_ns = now;
	if (n)
		fprintf(stderr, "\r\033[Kprocess %u of %u, %.0f s left: %.*s", process + 1, n,
			fmax(ceil(left), 0), NAME_COLUMNS, name);
	else
		fprintf(stderr, "\r\033[Kfirst samples: %.*s", NAME_COLUMNS, name);
	fflush(stderr);
}

void et_bench_progress_clear(struct et_bench_progress *p)
{
	if (p->shown)
		fputs("\r\033[K", stderr);
	p->shown = false;
}
