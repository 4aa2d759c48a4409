/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "clock/timepiece.h"
#include "num/dist.h"
#include "num/quantile.h"

#include <errno.h>
#include <math.h>

const char *const et_clock_kind_names[] = { "cycles", "time", "ticks", "cpu", NULL };

/* --- steps --- */

/* Ticks are waited for; a clock that is finer than its reading needs only a few hundred. */
static void find_step(const struct et_timepiece *t, const struct et_clock *reference,
	struct et_timepiece_figures *out)
{
	enum { BETWEEN_LOOKS = 64, ENOUGH = 5 };
	const uint64_t shortest_ns = 2000000, longest_ns = 100000000;
	uint64_t began = reference->now_ns(reference->ctx), spent = 0;
	uint64_t last = t->read(t), smallest = UINT64_MAX;

	while (spent < longest_ns && (out->steps < ENOUGH || spent < shortest_ns)) {
		for (int i = 0; i < BETWEEN_LOOKS; i++) {
			uint64_t now = t->read(t);
			if (now > last) {
				smallest = now - last < smallest ? now - last : smallest;
				out->steps++;
			}
			out->backwards += now < last;
			last = now;
		}
		spent = reference->now_ns(reference->ctx) - began;
	}
	if (out->steps)
		out->step = (double)smallest;
}

/* --- latency --- */

enum { BATCHES = 51 };

static double batch_ns(const struct et_timepiece *t, const struct et_clock *reference, uint32_t n)
{
	uint64_t began = reference->now_ns(reference->ctx);

	for (uint32_t i = 0; i < n; i++)
		t->read(t);
	return (double)(reference->now_ns(reference->ctx) - began);
}

/* The median of batches: an interrupted one moves it as little as any other slow one. */
static void find_latency(const struct et_timepiece *t, const struct et_clock *reference,
	struct et_timepiece_figures *out)
{
	const double batch_least_ns = 20000, longest_ns = 40e6;
	const uint32_t most = 1u << 20;
	double x[BATCHES], spent = 0;
	uint32_t n = 16;
	size_t batches = 0;

	while (n < most && batch_ns(t, reference, n) < batch_least_ns)
		n *= 2;
	while (batches < BATCHES && (batches < 7 || spent < longest_ns)) {
		double took = batch_ns(t, reference, n);
		spent += took;
		x[batches++] = took / n;
	}
	et_sort(x, batches);
	/* (x_(r), x_(n+1-r)) holds the median but for twice the binomial's lower tail. */
	size_t r = (size_t)et_qbinom(0.025, (double)batches, 0.5);
	out->latency_ns = et_median_sorted(x, batches);
	out->latency_lo_ns = x[r - 1];
	out->latency_hi_ns = x[batches - r];
}

static uint64_t read_nothing(const struct et_timepiece *self)
{
	__asm__ volatile("" ::: "memory");
	return (uint64_t)self->kind;
}

double et_timepiece_overhead(const struct et_clock *reference)
{
	const struct et_timepiece nothing = { .name = "nothing", .read = read_nothing };
	struct et_timepiece_figures f;

	find_latency(&nothing, reference, &f);
	return f.latency_ns;
}

void et_timepiece_measure(const struct et_timepiece *t, const struct et_clock *reference,
	double overhead_ns, struct et_timepiece_figures *out)
{
	struct timespec claim;

	*out = (struct et_timepiece_figures){ .claimed_ns = NAN,
		.step = NAN,
		.latency_ns = NAN,
		.latency_lo_ns = NAN,
		.latency_hi_ns = NAN };
	out->error = t->check ? t->check() : 0;
	errno = ENOTSUP; /* in case a reader has nothing to say about its failure */
	if (out->error == 0 && t->read(t) == ET_UNKNOWN)
		out->error = errno;
	if (out->error)
		return;
	if (t->id != ET_NO_CLOCKID && clock_getres(t->id, &claim) == 0)
		out->claimed_ns = (double)et_timespec_ns(claim);
	find_step(t, reference, out);
	find_latency(t, reference, out);
	out->latency_ns = fmax(out->latency_ns - overhead_ns, 0);
	out->latency_lo_ns = fmax(out->latency_lo_ns - overhead_ns, 0);
	out->latency_hi_ns = fmax(out->latency_hi_ns - overhead_ns, 0);
}
