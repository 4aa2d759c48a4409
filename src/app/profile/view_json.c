/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A profile as JSON and CSV, with all digits. The keys are documented in etalon-profile(1). */
#include "app/profile/view_parts.h"
#include "base/json.h"
#include "draw/xml.h"
#include "report/warning.h"

/* An interval that is not known is null. */
#define SPAN(type, key, member) ET_KEY_SPAN(type, key, member.lo, member.hi, .nullable = true)

ET_FIELDS(half_fields, ET_KEYS(et_profile_half, mean), SPAN(et_profile_half, "interval", interval));

static void write_sd_interval(struct et_json *w, const char *key, const void *row)
{
	const char *method;
	struct et_span sd = et_profile_sd_interval(row, &method);

	et_fields_span(w, key, sd.lo, sd.hi);
	et_json_string(w, "sd_interval_method", method);
}

/* No ET_FIELDS: cppcheck 2.10 does not expand groups within groups in its arguments. */
static const struct et_field row_fields[] = { ET_KEY(et_profile_row, "mean_samples", mean),
	ET_KEYS(et_profile_row, sd, standard_uncertainty, coverage_factor, df),
	ET_KEYS(et_profile_row, expanded_uncertainty), SPAN(et_profile_row, "interval", interval),
	ET_KEYS(et_profile_row, interval_method),
	ET_KEY_ARRAY(et_profile_row, "halves", halves, half_fields, .flat = true),
	ET_KEY_MADE("sd_interval", write_sd_interval),
	SPAN(et_profile_row, "sd_interval_chi2", sd_chi2),
	ET_KEYS(et_profile_row, robust_sd, share),
	SPAN(et_profile_row, "share_interval", share_interval),
	ET_KEY(et_profile_row, "share_interval_method", share_method),
	ET_KEYS(et_profile_row, pooled_share), ET_KEY(et_profile_row, "total_samples", total_mean),
	SPAN(et_profile_row, "total_interval", total_interval),
	ET_KEYS(et_profile_row, total_share),
	SPAN(et_profile_row, "total_share_interval", total_share_interval),
	ET_KEY_FLAT(et_profile_row, "predicted_sd", predicted,
		ET_TABLE(ET_KEYS(et_profile_models, gprof, multinomial),
			ET_KEY(et_profile_models, "quantization", quantisation),
			ET_KEY(et_profile_models, "multinomial_and_total", with_total))),
	ET_KEY_GROUP("model_holds",
		ET_TABLE(ET_KEY(et_profile_row, "tested", fit.tested),
			ET_KEY(et_profile_row, "gprof", fit.gprof),
			ET_KEY(et_profile_row, "multinomial", fit.multinomial),
			ET_KEY(et_profile_row, "quantization", fit.quantisation,
				ET_GIVEN(et_profile_row, calls)),
			ET_KEY(et_profile_row, "multinomial_and_total", fit.with_total)),
		.flat = true),
	ET_KEYS(et_profile_row, calls, at_entry, seen_in_runs),
	ET_KEY_GROUP("bootstrap",
		ET_TABLE(ET_KEY_GROUP("mean",
				 ET_TABLE(SPAN(et_profile_row, "percentile", mean_percentile),
					 SPAN(et_profile_row, "bca", mean_bca)),
				 .flat = true),
			ET_KEY_GROUP("sd",
				ET_TABLE(SPAN(et_profile_row, "percentile", sd_percentile),
					SPAN(et_profile_row, "bca", sd_bca)),
				.flat = true))),
	ET_KEY_WARNINGS(et_profile_row, warnings), { 0 } };

static void row(struct et_json *w, const struct et_profile *p, const struct et_profile_row *r)
{
	et_json_object(w, NULL);
	if (r->name)
		et_json_string(w, "name", r->name);
	et_json_string(w, "module", r->module);
	if (r->name)
		et_json_string(w, "space", et_space_kind_names[p->functions[r->function].space]);
	et_fields_write(w, row_fields, r);
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

ET_FIELDS(result_fields, ET_KEYS(et_profile_result, runs),
	ET_KEY(et_profile_result, "invalid_runs", invalid),
	ET_KEYS(et_profile_result, level, statements, row_level, bootstrap_level, coverage_factor),
	ET_KEY_GROUP("samples_total",
		ET_TABLE(ET_KEYS_OF(et_profile_result, total,
				 ET_TABLE(ET_KEYS(et_estimate, n, mean, sd, min, max,
					 standard_uncertainty, expanded_uncertainty))),
			ET_KEY_ARRAY(et_profile_result, "halves", total_halves, half_fields,
				.flat = true),
			ET_KEY(et_profile_result, "all_runs", samples),
			ET_KEYS(et_profile_result, lost, overruns, throttled))));

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
	et_fields_write(w, result_fields, r);
	rows(w, profile, r->by == ET_BY_MODULE ? "modules" : "functions", r);
	if (p->modules)
		rows(w, profile, "modules", &p->modules[c]);
	struct et_warnings all = { 0 };
	et_warnings_append(&all, &r->warnings);
	et_warnings_append(&all, &p->warnings);
	et_warnings_json(w, &all);
	et_warnings_free(&all);
}

ET_FIELDS(change_fields, ET_KEY(et_profile_change, "name", name, .omitted = true),
	ET_KEY(et_profile_change, "module", module, .omitted = true),
	ET_KEY(et_profile_change, "mean_samples_a", mean_a),
	ET_KEY(et_profile_change, "mean_samples_b", mean_b),
	ET_KEYS(et_profile_change, share_a, share_b, difference),
	SPAN(et_profile_change, "interval", interval),
	ET_KEYS_OF(et_profile_change, contrast,
		ET_TABLE(ET_KEY(et_contrast, "test", method),
			ET_KEYS(et_contrast, statistic, p, p_holm, significant_unadjusted,
				significant))));

static const char *const by_names[] = { [ET_BY_FUNCTION] = "function", [ET_BY_MODULE] = "module" };

ET_FIELDS(comparison_fields, ET_KEY_NAME(et_profile_comparison, "by", by, by_names),
	ET_KEYS(et_profile_comparison, with_callees, alpha, family, too_rare, level),
	ET_KEY_OBJECT(et_profile_comparison, "total", total, change_fields),
	ET_KEY_LIST(et_profile_comparison, "functions", rows, n_rows, change_fields),
	ET_KEY_WARNINGS(et_profile_comparison, warnings));

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
		et_fields_object(&w, "comparison", comparison_fields, &p->comparison);
	et_json_end(&w);
}

/* --- CSV --- */

static void csv_row(
	const struct et_profiled *p, size_t c, const struct et_profile_row *r, FILE *out)
{
	const double figures[] = { r->mean, r->sd, r->standard_uncertainty, r->expanded_uncertainty,
		r->interval.lo, r->interval.hi, r->share, r->share_interval.lo,
		r->share_interval.hi, r->total_mean, r->total_share, r->predicted.gprof,
		r->predicted.multinomial, r->predicted.quantisation, r->predicted.with_total,
		r->calls };
	char buf[32];

	et_csv_text(p->experiment->commands[c].name, out);
	putc(',', out);
	et_csv_text(r->name, out);
	putc(',', out);
	et_csv_text(r->module, out);
	for (size_t i = 0; i < ET_LENGTH(figures); i++)
		fprintf(out, ",%s", isfinite(figures[i]) ? et_shortest(figures[i], buf) : "");
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
