/* SPDX-License-Identifier: MIT */
/* Writes the outcome of a benchmark as text and as JSON. */
#include "base/json.h"
#include "lib/bench.h"

#include <inttypes.h>
#include <math.h>

enum { TEXT = 48 };

static const char *const verdicts[] = {
	[ET_BENCH_SAME] = "no detectable difference",
	[ET_BENCH_FASTER] = "faster",
	[ET_BENCH_SLOWER] = "slower",
	[ET_BENCH_UNSURE] = "the predicted error is too large to compare",
};

static const char *const clocks[] = {
	[ETALON_CLOCK_COUNTER] = "counter",
	[ETALON_CLOCK_RAW] = "raw",
	[ETALON_CLOCK_CPU] = "cpu",
};

/* Five significant digits and a unit. */
static const char *time_text(double ns, char buf[TEXT])
{
	static const char *const units[] = { "ns", "µs", "ms", "s" };
	size_t i = 0;

	while (i < 3 && ns >= 999.995) {
		ns /= 1000;
		i++;
	}
	snprintf(buf, TEXT, "%.5g %s", ns, units[i]);
	return buf;
}

static const char *percent_text(double share, char buf[TEXT])
{
	if (share < 0.995)
		snprintf(buf, TEXT, "%.2g %%", share * 100);
	else if (isfinite(share))
		snprintf(buf, TEXT, "%.0f %%", share * 100);
	else
		snprintf(buf, TEXT, "–");
	return buf;
}

static void text_warnings(unsigned warnings, FILE *out)
{
	for (unsigned bit = 1; bit; bit <<= 1)
		if (warnings & bit)
			fprintf(out, "  warning: %s\n", etalon_warning_text(bit));
}

static void text_comparison(const struct et_bench_outcome *b, FILE *out)
{
	const struct et_bench_comparison *c = &b->comparison;

	if (!b->compared)
		return;
	fputs("  baseline      ", out);
	if (!b->baseline)
		fputs("has no such function\n", out);
	else if (c->verdict == ET_BENCH_UNSURE)
		fprintf(out, "%s\n", verdicts[c->verdict]);
	else
		fprintf(out, "%.4f × (%.4f … %.4f): %s\n", c->ratio, c->lo, c->hi,
			verdicts[c->verdict]);
}

void et_bench_outcome_text(
	const struct et_bench_outcome *b, const struct etalon_kbest_opts *o, FILE *out)
{
	const struct etalon_kbest_result *r = &b->r;
	char t[TEXT], e[TEXT];

	fprintf(out, "%s\n", b->name);
	fprintf(out, "  time          %s ± %s (95 %%)%s\n", time_text(r->ns, t),
		percent_text(r->error, e), r->clock == ETALON_CLOCK_CPU ? ", CPU time" : "");
	if (r->clock == ETALON_CLOCK_COUNTER)
		fprintf(out, "  counter       %.5g %s at %.5g GHz, not core cycles\n", r->ticks,
			r->unit, r->hz / 1e9);
	fprintf(out, "  agreement     %" PRIu32 " shortest within %s%s\n", o->k,
		percent_text(r->spread, e), r->converged ? "" : ": not converged");
	fprintf(out, "  samples       %" PRIu64 " of %" PRIu64 " call%s, %" PRIu64 " preempted\n",
		r->samples, r->calls, r->calls == 1 ? "" : "s", r->preempted);
	if (r->compensated_ns > 0)
		fprintf(out, "  interrupts    %s subtracted\n", time_text(r->compensated_ns, t));
	text_comparison(b, out);
	text_warnings(r->warnings, out);
	fflush(out);
}

static void json_warnings(struct et_json *j, unsigned warnings)
{
	et_json_array(j, "warnings");
	for (unsigned bit = 1; bit; bit <<= 1)
		if (warnings & bit)
			et_json_string(j, NULL, etalon_warning_text(bit));
	et_json_end(j);
}

static void json_comparison(struct et_json *j, const struct et_bench_outcome *b)
{
	if (!b->baseline) {
		et_json_null(j, "baseline");
		return;
	}
	et_json_object(j, "baseline");
	et_json_double(j, "time_ns", b->baseline->ns);
	et_json_double(j, "relative_error", b->baseline->error);
	et_json_double(j, "ratio", b->comparison.ratio);
	et_json_double(j, "lo", b->comparison.lo);
	et_json_double(j, "hi", b->comparison.hi);
	et_json_string(j, "verdict", verdicts[b->comparison.verdict]);
	et_json_end(j);
}

static void json_function(struct et_json *j, const struct et_bench_outcome *b)
{
	const struct etalon_kbest_result *r = &b->r;

	et_json_object(j, NULL);
	et_json_string(j, "name", b->name);
	et_json_double(j, "time_ns", r->ns);
	et_json_double(j, "relative_error", r->error);
	et_json_bool(j, "converged", r->converged);
	et_json_double(j, "spread", r->spread);
	et_json_string(j, "clock", clocks[r->clock]);
	et_json_double(j, "ticks", r->ticks);
	et_json_string(j, "ticks_unit", r->unit);
	et_json_double(j, "ticks_hz", r->hz);
	et_json_double(j, "ticks_hz_uncertainty", r->hz_uncertainty);
	et_json_u64(j, "samples", r->samples);
	et_json_u64(j, "interrupted", r->preempted);
	et_json_u64(j, "calls", r->calls);
	et_json_double(j, "overhead_ns", r->overhead_ns);
	et_json_double(j, "overhead_uncertainty_ns", r->overhead_uncertainty_ns);
	et_json_double(j, "compensated_ns", r->compensated_ns);
	et_json_double(j, "slowdown", r->slowdown);
	et_json_u64(j, "elapsed_ns", r->elapsed_ns);
	et_json_bool(j, "urgent", r->realtime);
	json_comparison(j, b);
	json_warnings(j, r->warnings);
	et_json_end(j);
}

void et_bench_outcome_json(
	const struct et_bench_outcome *list, size_t n, const struct etalon_kbest_opts *o, FILE *out)
{
	struct et_json j;

	et_json_init(&j, out, 2);
	et_json_object(&j, NULL);
	et_json_int(&j, "etalon", 1);
	et_json_string(&j, "protocol", "kbest");
	et_json_u64(&j, "k", o->k);
	et_json_double(&j, "epsilon", o->epsilon);
	et_json_u64(&j, "max_samples", o->max_samples);
	et_json_string(&j, "cache", et_bench_cache_name(o->cache));
	et_json_array(&j, "functions");
	for (size_t i = 0; i < n; i++)
		json_function(&j, &list[i]);
	et_json_end(&j);
	et_json_end(&j);
}
