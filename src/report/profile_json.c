/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A profile as JSON and CSV, with all digits. The keys are documented in etalon-profile(1). */
#include "base/alloc.h"
#include "base/json.h"
#include "report/csv.h"
#include "report/profile_parts.h"
#include "report/warning.h"

#include <math.h>

static void span(struct et_json *w, const char *key, struct et_span s)
{
	if (isnan(s.lo) && isnan(s.hi)) {
		et_json_null(w, key);
		return;
	}
	et_json_flat_array(w, key);
	et_json_double(w, NULL, s.lo);
	et_json_double(w, NULL, s.hi);
	et_json_end(w);
}

static void predictions(struct et_json *w, const struct et_profile_row *r)
{
	et_json_flat_object(w, "predicted_sd");
	et_json_double(w, "gprof", r->predicted.gprof);
	et_json_double(w, "multinomial", r->predicted.multinomial);
	et_json_double(w, "quantization", r->predicted.quantisation);
	et_json_double(w, "multinomial_and_total", r->predicted.with_total);
	et_json_end(w);
	et_json_flat_object(w, "model_holds");
	et_json_bool(w, "tested", r->fit.tested);
	et_json_bool(w, "gprof", r->fit.gprof);
	et_json_bool(w, "multinomial", r->fit.multinomial);
	if (r->calls > 0)
		et_json_bool(w, "quantization", r->fit.quantisation);
	else
		et_json_null(w, "quantization");
	et_json_bool(w, "multinomial_and_total", r->fit.with_total);
	et_json_end(w);
}

static void halves(struct et_json *w, const struct et_profile_half h[2])
{
	et_json_array(w, "halves");
	for (size_t k = 0; k < 2; k++) {
		et_json_flat_object(w, NULL);
		et_json_double(w, "mean", h[k].mean);
		span(w, "interval", h[k].interval);
		et_json_end(w);
	}
	et_json_end(w);
}

static void bootstrap(struct et_json *w, const struct et_profile_row *r)
{
	et_json_object(w, "bootstrap");
	et_json_flat_object(w, "mean");
	span(w, "percentile", r->mean_percentile);
	span(w, "bca", r->mean_bca);
	et_json_end(w);
	et_json_flat_object(w, "sd");
	span(w, "percentile", r->sd_percentile);
	span(w, "bca", r->sd_bca);
	et_json_end(w);
	et_json_end(w);
}

static void row(struct et_json *w, const struct et_profile *p, const struct et_profile_row *r)
{
	const char *method;

	et_json_object(w, NULL);
	if (r->name)
		et_json_string(w, "name", r->name);
	et_json_string(w, "module", r->module);
	if (r->name)
		et_json_string(w, "space", et_space_kind_names[p->functions[r->function].space]);
	et_json_double(w, "mean_samples", r->mean);
	et_json_double(w, "sd", r->sd);
	et_json_double(w, "standard_uncertainty", r->standard_uncertainty);
	et_json_double(w, "coverage_factor", r->coverage_factor);
	et_json_double(w, "df", r->df);
	et_json_double(w, "expanded_uncertainty", r->expanded_uncertainty);
	span(w, "interval", r->interval);
	et_json_string(w, "interval_method", r->interval_method);
	halves(w, r->halves);
	struct et_span sd = et_profile_sd_interval(r, &method);
	span(w, "sd_interval", sd);
	et_json_string(w, "sd_interval_method", method);
	span(w, "sd_interval_chi2", r->sd_chi2);
	et_json_double(w, "robust_sd", r->robust_sd);
	et_json_double(w, "share", r->share);
	span(w, "share_interval", r->share_interval);
	et_json_string(w, "share_interval_method", r->share_method);
	et_json_double(w, "pooled_share", r->pooled_share);
	et_json_double(w, "total_samples", r->total_mean);
	span(w, "total_interval", r->total_interval);
	et_json_double(w, "total_share", r->total_share);
	span(w, "total_share_interval", r->total_share_interval);
	predictions(w, r);
	et_json_double(w, "calls", r->calls);
	et_json_double(w, "at_entry", r->at_entry);
	et_json_u64(w, "seen_in_runs", r->seen_in_runs);
	bootstrap(w, r);
	et_warnings_json(w, &r->warnings);
	et_json_end(w);
}

static void rows(struct et_json *w, const struct et_profile *p, const char *key,
	const struct et_profile_result *r)
{
	et_json_array(w, key);
	for (size_t i = 0; i < r->n_rows; i++)
		row(w, p, &r->rows[i]);
	et_json_end(w);
}

static void totals(struct et_json *w, const struct et_profile_result *r)
{
	et_json_object(w, "samples_total");
	et_json_u64(w, "n", r->total.n);
	et_json_double(w, "mean", r->total.mean);
	et_json_double(w, "sd", r->total.sd);
	et_json_double(w, "min", r->total.min);
	et_json_double(w, "max", r->total.max);
	et_json_double(w, "standard_uncertainty", r->total.standard_uncertainty);
	et_json_double(w, "expanded_uncertainty", r->total.expanded_uncertainty);
	halves(w, r->total_halves);
	et_json_u64(w, "all_runs", r->samples);
	et_json_u64(w, "lost", r->lost);
	et_json_u64(w, "overruns", r->overruns);
	et_json_u64(w, "throttled", r->throttled);
	et_json_end(w);
}

static double mean_period(const struct et_profiled *p, size_t c)
{
	const struct et_profile *profile = p->experiment->profile;
	double sum = 0;
	size_t n = 0;

	for (size_t i = 0; i < profile->n_runs; i++) {
		if (profile->runs[i].command != c || profile->runs[i].warmup)
			continue;
		sum += profile->runs[i].period;
		n++;
	}
	return n && sum > 0 ? sum / (double)n : NAN;
}

static void result(struct et_json *w, const struct et_profiled *p, size_t c)
{
	const struct et_profile_result *r = &p->results[c];
	const struct et_profile *profile = p->experiment->profile;

	et_json_string(w, "command", p->experiment->commands[c].name);
	et_json_string(w, "event", profile->event[0] ? profile->event : profile->plan.event);
	et_json_double(w, "period", mean_period(p, c));
	et_json_double(w, "period_ns", r->period_ns);
	et_json_string(w, "way", et_profile_way_names[profile->way]);
	et_json_bool(w, "kernel", profile->kernel_allowed && !profile->plan.user_only);
	et_json_string(w, "call_graph", et_chains_names[profile->plan.chains]);
	et_json_u64(w, "runs", r->runs);
	et_json_u64(w, "invalid_runs", r->invalid);
	et_json_double(w, "level", r->level);
	et_json_u64(w, "statements", r->statements);
	et_json_double(w, "row_level", r->row_level);
	et_json_double(w, "bootstrap_level", r->bootstrap_level);
	et_json_double(w, "coverage_factor", r->coverage_factor);
	totals(w, r);
	rows(w, profile, r->by == ET_BY_MODULE ? "modules" : "functions", r);
	if (p->modules)
		rows(w, profile, "modules", &p->modules[c]);
	struct et_warnings all = { 0 };
	et_warnings_append(&all, &r->warnings);
	et_warnings_append(&all, &p->warnings);
	et_warnings_json(w, &all);
	et_warnings_free(&all);
}

static void change(struct et_json *w, const char *key, const struct et_profile_change *c)
{
	et_json_object(w, key);
	if (c->name)
		et_json_string(w, "name", c->name);
	if (c->module)
		et_json_string(w, "module", c->module);
	et_json_double(w, "mean_samples_a", c->mean_a);
	et_json_double(w, "mean_samples_b", c->mean_b);
	et_json_double(w, "share_a", c->share_a);
	et_json_double(w, "share_b", c->share_b);
	et_json_double(w, "difference", c->difference);
	span(w, "interval", c->interval);
	et_json_string(w, "test", c->contrast.method);
	et_json_double(w, "statistic", c->contrast.statistic);
	et_json_double(w, "p", c->contrast.p);
	et_json_double(w, "p_holm", c->contrast.p_holm);
	et_json_bool(w, "significant_unadjusted", c->contrast.significant_unadjusted);
	et_json_bool(w, "significant", c->contrast.significant);
	et_json_end(w);
}

static void comparison(struct et_json *w, const struct et_profile_comparison *c)
{
	et_json_object(w, "comparison");
	et_json_string(w, "by", c->by == ET_BY_MODULE ? "module" : "function");
	et_json_bool(w, "with_callees", c->with_callees);
	et_json_double(w, "alpha", c->alpha);
	et_json_u64(w, "family", c->family);
	et_json_u64(w, "too_rare", c->too_rare);
	et_json_double(w, "level", c->level);
	change(w, "total", &c->total);
	et_json_array(w, "functions");
	for (size_t i = 0; i < c->n_rows; i++)
		change(w, NULL, &c->rows[i]);
	et_json_end(w);
	et_warnings_json(w, &c->warnings);
	et_json_end(w);
}

void et_profile_json(const struct et_profiled *p, FILE *out)
{
	struct et_json w;

	et_json_init(&w, out, 1);
	et_json_object(&w, NULL);
	if (p->experiment->id[0])
		et_json_string(&w, "id", p->experiment->id);
	if (p->n == 1) {
		result(&w, p, 0);
	} else {
		et_json_array(&w, "commands");
		for (size_t c = 0; c < p->n; c++) {
			et_json_object(&w, NULL);
			result(&w, p, c);
			et_json_end(&w);
		}
		et_json_end(&w);
	}
	if (p->compared)
		comparison(&w, &p->comparison);
	et_json_end(&w);
}

/* --- CSV --- */

static void number(FILE *out, double x)
{
	char buf[32];

	fprintf(out, ",%s", isfinite(x) ? et_shortest(x, buf) : "");
}

static void csv_row(
	const struct et_profiled *p, size_t c, const struct et_profile_row *r, FILE *out)
{
	const double figures[] = { r->mean, r->sd, r->standard_uncertainty, r->expanded_uncertainty,
		r->interval.lo, r->interval.hi, r->share, r->share_interval.lo,
		r->share_interval.hi, r->total_mean, r->total_share, r->predicted.gprof,
		r->predicted.multinomial, r->predicted.quantisation, r->predicted.with_total,
		r->calls };

	et_csv_text(p->experiment->commands[c].name, out);
	putc(',', out);
	et_csv_text(r->name, out);
	putc(',', out);
	et_csv_text(r->module, out);
	for (size_t i = 0; i < ET_LENGTH(figures); i++)
		number(out, figures[i]);
	fprintf(out, ",%zu\n", r->seen_in_runs);
}

void et_profile_csv(const struct et_profiled *p, FILE *out)
{
	fputs("command,function,module,mean_samples,sd,standard_uncertainty,expanded_uncertainty,"
	      "lo,hi,share,share_lo,share_hi,total_samples,total_share,sd_gprof,sd_multinomial,"
	      "sd_quantization,sd_multinomial_and_total,calls,seen_in_runs\n",
		out);
	for (size_t c = 0; c < p->n; c++) {
		for (size_t i = 0; i < p->results[c].n_rows; i++)
			csv_row(p, c, &p->results[c].rows[i], out);
	}
}
