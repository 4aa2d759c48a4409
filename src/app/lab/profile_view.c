/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Judges the parts of a study of profilers that are loaded, and prints what all of them print. */
#include "app/lab/profile.h"

/* --- the treatments of all parts --- */

static void judge_all(const struct et_profiling *p, struct et_profile_study *out,
	const struct et_experiment *experiments[ET_LAB_MOST_PARTS])
{
	const struct et_profile_lab *lab = p->lab;
	size_t n = 0;

	for (size_t i = 0; i < p->study.n; i++)
		n += p->study.parts[i].e ? p->study.parts[i].e->n_commands : 0;
	size_t means = n * lab->n_categories;
	/* Means that are compared: every one with every other, as in the note. */
	struct et_treatment_options o = { .statements = lab->together && means ? means * means : 1,
		.under_test = lab->under_test,
		.replicates = (uint32_t)p->study.r->simulation.replicates,
		.seed = p->study.r->simulation.seed };

	*out = (struct et_profile_study){ .lab = lab,
		.list = et_calloc(n + 1, sizeof(*out->list)),
		.experiments = experiments,
		.missing = p->missing };
	for (size_t i = 0; i < p->study.n; i++) {
		const struct et_lab_part *part = &p->study.parts[i];
		for (uint32_t c = 0; part->e && c < part->e->n_commands; c++) {
			struct et_category categories[ET_MOST_CATEGORIES];
			double x = lab->categorise(part, &part->e->commands[c], categories);
			struct et_profile_treatment *t = &out->list[out->n++];
			et_treatment_judge(part->e, c, categories, lab->n_categories, &o, t);
			t->instrument = part->instrument;
			t->x = x;
		}
		if (part->e)
			experiments[out->n_experiments++] = part->e;
	}
}

uint64_t et_lab_calls(double level)
{
	return (uint64_t)llround(pow(10, level) / 10) * 10;
}

void et_lab_fragment_categories(uint64_t calls, struct et_category *out)
{
	out[0] = (struct et_category){ "fn1", { "fn1" }, (double)calls / 5 };
	out[1] = (struct et_category){ "fn2", { "fn2" }, (double)calls / 5 * 4 };
	out[2] = (struct et_category){ "other", { NULL }, NAN };
}

/* The name of the command begins with its level: "10^1.5", "10^6, load". */
double et_lab_by_calls(
	const struct et_lab_part *part, const struct et_command *c, struct et_category *out)
{
	double level = strncmp(c->name, "10^", 3) ? NAN : strtod(c->name + 3, NULL);
	uint64_t calls = level >= 1 && level <= 12 ? et_lab_calls(level) : 10;

	(void)part;
	et_lab_fragment_categories(calls, out);
	return (double)calls;
}

/* --- figures --- */

size_t et_lab_same_instrument(const struct et_profile_study *s, size_t i)
{
	size_t end = i;

	while (end < s->n && !strcmp(s->list[end].instrument, s->list[i].instrument))
		end++;
	return end;
}

const char *et_format_short(double x, char buf[ET_FIGURE])
{
	if (isnan(x))
		return ET_DASH;
	double size = fabs(x) < 1e-9 ? 0 : fabs(x); /* of equal values, rounding leaves a rest */
	int decimals = size >= 100 || size == 0 ? 0 : size >= 10 ? 1 : size >= 0.1 ? 2 : 4;
	snprintf(buf, ET_FIGURE, "%.*f", decimals, size > 0 ? x : 0);
	return buf;
}

const char *et_format_r1(double r, char buf[ET_FIGURE])
{
	if (isnan(r))
		return ET_DASH;
	snprintf(buf, ET_FIGURE, "%.2f", r);
	return buf;
}

const char *et_format_count(double mean, double uncertainty, char buf[ET_FIGURE])
{
	/* Two significant digits of the uncertainty, as everywhere. */
	double digits = uncertainty > 0 ? 1 - floor(log10(uncertainty)) : 1;
	int decimals = digits < 0 ? 0 : digits > 4 ? 4 : (int)digits;

	if (isnan(mean))
		return ET_DASH;
	if (isnan(uncertainty))
		snprintf(buf, ET_FIGURE, "%.1f ± %s", mean, ET_DASH);
	else
		snprintf(buf, ET_FIGURE, "%.*f ± %.*f", decimals, mean, decimals, uncertainty);
	return buf;
}

void et_lab_cell(
	struct et_table *t, int width, const char *treatment, const struct et_treatment_cell *c)
{
	char mean[ET_FIGURE], sd[ET_FIGURE], lo[ET_FIGURE], hi[ET_FIGURE];

	et_table_add(t, "%-*s %s\t%s", width, treatment, c->name,
		et_format_count(c->mean, c->interval, mean));
	if (isnan(c->sd_interval.lo) || isnan(c->sd_interval.hi))
		et_table_add(t, "%s", et_format_short(c->sd, sd));
	else
		et_table_add(t, "%s (%s … %s)", et_format_short(c->sd, sd),
			et_format_short(c->sd_interval.lo, lo),
			et_format_short(c->sd_interval.hi, hi));
}

void et_lab_cell_lines(struct et_chart *p, const struct et_profile_study *s, size_t first,
	size_t end, const struct et_cell_line *lines, size_t n, size_t further)
{
	for (const struct et_cell_line *l = lines; l < lines + n; l++) {
		struct et_curve *line = et_chart_curve(p, l->shape, l->color, l->name);

		line->mark = l->mark;
		for (size_t i = first; i < end; i++) {
			const struct et_treatment_cell *c =
				&s->list[i].cells[l->category + further];
			double x = s->list[i].x, y;
			memcpy(&y, (const char *)c + l->at, sizeof(y));
			et_curve_add(line, l->period ? 1e9 / x : x, y);
		}
	}
}

/* --- notes --- */

static void print_few(const struct et_profile_study *s, const struct et_page *page)
{
	size_t fewest = SIZE_MAX;

	for (size_t i = 0; i < s->n; i++)
		fewest = s->list[i].runs < fewest ? s->list[i].runs : fewest;
	if (fewest < ET_TREATMENT_ENOUGH)
		et_lab_item(page, 0, "(!)",
			"%zu %s too few for standard deviations and autocorrelations: use --runs "
			"%d or more",
			fewest, fewest == 1 ? "run is" : "runs are", ET_TREATMENT_ENOUGH);
}

static void print_text(const void *study, const struct et_page *page)
{
	const struct et_profile_study *s = study;
	const struct et_profile_lab *lab = s->lab;

	for (size_t i = 0, end; i < s->n; i = end) {
		end = et_lab_same_instrument(s, i);
		lab->text(s, i, end, page);
	}
	for (size_t i = 0; i < s->n; i++) {
		const struct et_profile_treatment *t = &s->list[i];
		if (t->invalid)
			et_lab_item(page, 2, "",
				"%s, %s: %zu runs do not count: throttled %" PRIu64
				" times, %" PRIu64 " samples lost",
				t->instrument, t->name, t->invalid, t->throttled, t->lost);
	}
	for (size_t i = 0; lab->has_shares && i < s->n; i++) {
		const struct et_profile_treatment *t = &s->list[i];
		if (t->without_share)
			et_lab_item(page, 2, "",
				"%s, %s: %zu of %zu runs have no sample in the functions under "
				"test and do not count for shares",
				t->instrument, t->name, t->without_share, t->runs);
	}
	for (const char *const *m = s->missing; m && *m; m++)
		et_lab_item(page, 2, "not measured: ", "%s", *m);
	if (lab->notes)
		lab->notes(s, page);
	if (lab->explanation)
		et_lab_text(page, "%s", lab->explanation);
	if (lab->has_spreads)
		print_few(s, page);
}

/* --- JSON --- */

ET_FIELDS(cell_fields, ET_KEYS(et_treatment_cell, name, mean),
	ET_KEY(et_treatment_cell, "expanded_uncertainty", expanded),
	ET_KEY(et_treatment_cell, "uncertainty_95", interval), ET_KEYS(et_treatment_cell, sd),
	ET_KEY_SPAN(et_treatment_cell, "sd_interval", sd_interval.lo, sd_interval.hi),
	ET_KEYS(et_treatment_cell, robust_sd, share),
	ET_KEY_SPAN(et_treatment_cell, "share_interval", share_interval.lo, share_interval.hi),
	ET_KEY_FLAT(et_treatment_cell, "predicted_sd", predicted,
		ET_TABLE(ET_KEYS(et_profile_models, gprof, multinomial),
			ET_KEY(et_profile_models, "quantization", quantisation),
			ET_KEY(et_profile_models, "multinomial_with_total", with_total))),
	ET_KEY(et_treatment_cell, "autocorrelation", r1));

ET_FIELDS(treatment_fields, ET_KEYS(et_profile_treatment, instrument, name),
	ET_KEY(et_profile_treatment, "level_of_factor", x),
	ET_KEYS(et_profile_treatment, runs, invalid, without_share, lost, overruns, throttled),
	ET_KEYS(et_profile_treatment, statements, level),
	ET_KEY(et_profile_treatment, "coverage_factor", k),
	ET_KEY(et_profile_treatment, "samples_mean", total_mean),
	ET_KEY(et_profile_treatment, "samples_sd", total_sd));

void et_lab_write_treatment(struct et_json *w, const struct et_profile_study *s, size_t i)
{
	const struct et_profile_treatment *t = &s->list[i];

	et_fields_write(w, treatment_fields, t);
	et_json_array(w, "functions");
	for (size_t c = 0; c < t->n_cells; c++) {
		et_json_object(w, NULL);
		et_fields_write(w, cell_fields, &t->cells[c]);
		et_json_flat_array(w, "counts");
		for (size_t r = 0; r < t->runs; r++)
			et_json_double(w, NULL, t->counts[c * t->runs + r]);
		et_json_end(w);
		et_json_end(w);
	}
	et_json_end(w);
}

static void write_study(struct et_json *w, const char *key, const void *study)
{
	const struct et_profile_study *s = study;
	const struct et_profile_lab *lab = s->lab;

	(void)key; /* each part has one of its own */
	et_lab_json_experiments(w, s->experiments, s->n_experiments);
	et_json_array(w, "missing");
	for (const char *const *m = s->missing; m && *m; m++)
		et_json_string(w, NULL, *m);
	et_json_end(w);
	et_json_array(w, "treatments");
	for (size_t i = 0; i < s->n; i++) {
		et_json_object(w, NULL);
		(lab->write_treatment ? lab->write_treatment : et_lab_write_treatment)(w, s, i);
		et_json_end(w);
	}
	et_json_end(w);
}

static void draw(const void *study, const struct et_chart_to *to)
{
	const struct et_profile_study *s = study;

	s->lab->draw(s, to);
}

int et_profiling_show(struct et_lab_study *study, struct et_error *err)
{
	const struct et_profiling *p = study->owner;
	static const struct et_field fields[] = { ET_KEY_MADE("study", write_study), { 0 } };
	const struct et_lab view = { .fields = fields,
		.text = print_text,
		.draw = draw,
		.sheet = p->lab->sheet,
		.sheet_width = p->lab->sheet_width };
	const struct et_experiment *experiments[ET_LAB_MOST_PARTS];
	struct et_profile_study s;
	bool has_runs = false;

	for (size_t i = 0; i < study->n_found; i++)
		has_runs = has_runs || study->found[i]->profile->n_runs;
	if (!has_runs)
		return 0;
	judge_all(p, &s, experiments);
	int rc = et_lab_show(study->r, &view, NULL, &s, err);
	for (size_t i = 0; i < s.n; i++)
		et_treatment_free(&s.list[i]);
	free(s.list);
	return rc;
}
