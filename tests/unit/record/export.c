/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Export formats: golden files, quoting, and unknown values. */
#include "base/memstream.h"
#include "model/experiment/field.h"
#include "record/format.h"
#include "unit/report/fixture.h"
#include "unit/report/golden.h"

#include <jansson.h>
#include <locale.h>

static char *exported(
	const char *format, const struct et_experiment *e, const struct et_judgement *j)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	et_format_find(format)->write(e, j, f);
	fclose(f);
	return text;
}

/*
 * CSV without the columns of fields that the golden file does not have: they follow all others of a
 * sample, and columns() checks that they are there.
 */
static char *without_newer(const char *text)
{
	ET_AUTO_FREE char *path = golden_path("export-csv.txt");
	ET_AUTO_FREE char *golden = golden_read(path);
	const char *end = strstr(golden, ",removed,");
	size_t first = 1, newer = 2, column = 0;
	struct et_memstream stream;
	FILE *out = et_memstream_open(&stream);
	bool quoted = false;

	for (const struct et_field *f = et_sample_fields; f->name; f++)
		newer++;
	for (const char *c = golden; c < end; c++)
		first += *c == ',';
	newer = end && newer > first ? newer - first : 0;
	for (; *text; text++) {
		quoted ^= *text == '"';
		column += !quoted && *text == ',';
		if (!quoted && *text == '\n')
			column = 0;
		if (column < first || column >= first + newer)
			putc(*text, out);
	}
	return et_memstream_close(&stream);
}

static void goldens(void)
{
	static const char *const names[] = { "gzip -9 data | wc -c", "=cmd, \"`x`\"\n\033[1m",
		"a*b_c+d" };
	struct et_experiment *e = fixture_experiment(names, 3);
	struct et_judgement j = fixture_judgement(e);

	j.commands[1].estimate[ET_METRIC_ELAPSED] = j.commands[1].estimate[ET_METRIC_CPU] =
		(struct et_estimate){ 0 };
	j.contrasts[0].ratio = j.contrasts[0].lo = j.contrasts[0].hi = NAN;
	sample_of(&e->commands[2], 2)->measured.cpu_ns = ET_UNKNOWN;
	sample_of(&e->commands[2], 3)->measured.exit_code = -1;
	sample_of(&e->commands[2], 3)->measured.signal = 11;
	for (const struct et_format *f = et_formats; f->name; f++) {
		ET_AUTO_FREE char *text = exported(f->name, e, &j);
		ET_AUTO_FREE char *file = et_asprintf("export-%s.txt", f->name);
		if (!strcmp(f->name, "csv")) {
			char *known = without_newer(text);
			free(text);
			text = known;
		}
		/* Other tests check these two. */
		if (strcmp(f->name, "json") != 0 && strcmp(f->name, "html") != 0)
			golden_check(file, text);
		ok(!strstr(text, "nan") && !strstr(text, "18446744073709551615") &&
				!strchr(text, '\033'),
			"%s: there is no NaN, no ET_UNKNOWN as a number and no escape sequence",
			f->name);
	}
	et_judgement_free(&j);
	et_experiment_free(e);
}

/* CSV has a column for each field of a sample, and a cell for each column. */
static void columns(void)
{
	static const char *const names[] = { "a" };
	struct et_experiment *e = fixture_experiment(names, 1);
	struct et_judgement j = fixture_judgement(e);
	size_t fields = 0, cells = 0, rows = 0;
	bool all = true;

	sample_of(&e->commands[0], 1)->ruling.marks = ET_MARK_STOPPED | ET_MARK_LEFTOVERS;
	ET_AUTO_FREE char *text = exported("csv", e, &j);
	ET_AUTO_FREE char *header = et_strndup(text, strcspn(text, "\n"));
	for (const struct et_field *f = et_sample_fields; f->name; f++, fields++) {
		ET_AUTO_FREE char *column = et_asprintf(",%s,", f->name);
		const char *at = strstr(header, column);
		all = all && at && !strstr(at + 1, column);
	}
	for (const char *p = text; *p; p++) {
		cells += *p == ',' || *p == '\n';
		rows += *p == '\n';
	}
	ok(all, "csv: each field of a sample has one column");
	ok(cells == rows * (fields + 6), "csv: every row has a cell for each column");
	ok(strstr(text, ",stopped leftovers,") != NULL, "csv: marks are names");
	et_judgement_free(&j);
	et_experiment_free(e);
}

static void formats(void)
{
	for (const struct et_format *f = et_formats; f->name; f++) {
		ok(et_format_find(f->name) == f && f->write && f->option && *f->option_help,
			"formats: %s has a writer, an option and its help", f->name);
	}
	ok(!et_format_find("pdf"), "formats: an unknown name is not found");
}

static void units(void)
{
	static const char *const names[] = { "fast", "slow" };
	struct et_experiment *e = fixture_experiment(names, 2);
	struct et_judgement j = fixture_judgement(e);

	j.commands[0].estimate[ET_METRIC_CPU] = fixture_estimate(12.3e3, 0.45e3);
	j.commands[1].estimate[ET_METRIC_CPU] = fixture_estimate(4.56e6, 0.12e6);
	ET_AUTO_FREE char *text = exported("markdown", e, &j);
	ok(strstr(text, "| `fast` | 12.30 ± 0.45 | 11.85 | 12.75 | 1 |") &&
			strstr(text,
				"| `slow` | 4560 ± 120 | 4440 | 4680 | 1.021 (1.018 … 1.024) |") &&
			strstr(text, "CPU time [µs]"),
		"table: all rows have the same unit, each has its own digits");
	ok(strstr(text, "|\n\n- `slow` is slower than `fast` by 2.1 % (1.8 … 2.4) (CPU time,"),
		"table: Markdown has the verdict below the table");
	j.contrasts[0].ratio = 1.063;
	j.contrasts[0].lo = 0.95;
	j.contrasts[0].hi = 1.14;
	j.contrasts[0].significant = false;
	j.contrasts[0].conclusion = ET_CONCLUDED_SAME;
	j.second = et_calloc(1, sizeof(*j.second));
	j.second[0] = j.contrasts[0];
	j.second[0].metric = ET_METRIC_ELAPSED;
	j.second[0].lo = 1.2;
	j.second[0].ratio = 1.3;
	j.second[0].hi = 1.4;
	j.second[0].significant = true;
	j.second[0].conclusion = ET_CONCLUDED_SLOWER;
	ET_AUTO_FREE char *open = exported("markdown", e, &j);
	ok(strstr(open, "| 1.06 (0.95 … 1.14) ? |\n") != NULL,
		"table: an asymmetric interval has both ends, and the mark of no difference");
	ok(strstr(open, "\n- but by elapsed time: `slow` is slower than `fast`") != NULL,
		"table: a verdict by the other time that contradicts the first is introduced");
	et_judgement_free(&j);
	et_experiment_free(e);
}

static void kbest(void)
{
	static const char *const names[] = { "fast", "slow" };
	struct et_experiment *e = fixture_experiment(names, 2);
	struct et_judgement j = fixture_judgement(e);

	for (size_t i = 0; i < 2; i++) {
		j.commands[i].estimate[ET_METRIC_CPU] = fixture_estimate(12.3e6, 0.45e6);
		j.commands[i].kbest = (struct et_kbest_result){ .k = 3, .n = 9, .best = 11e6 };
	}
	ET_AUTO_FREE char *text = exported("markdown", e, &j);
	ok(strstr(text, "| CPU time by K-best [ms] |") &&
			strstr(text, "| `fast` | 11.00 | 11.85 | 12.75 | 1 |"),
		"table: the result of K-best replaces the mean");
	j.commands[0].estimate[ET_METRIC_CPU].n = 0;
	ET_AUTO_FREE char *other = exported("markdown", e, &j);
	ok(!strstr(other, "K-best") && strstr(other, "Elapsed time [ms]"),
		"table: the result of K-best does not replace the mean of another metric");
	et_judgement_free(&j);
	et_experiment_free(e);
}

/* Names with live syntax of each format, and how it is written. */
static void live_syntax(void)
{
	static const struct {
		const char *format, *name, *want;
	} cases[] = {
		{ "orgmode", "[[elisp:(shell-command \"id\")][x=y]]",
			"| ~[[elisp:(shell-command \"id\")][x=y]]~ |" },
		{ "orgmode", "[[shell:id][a|b]]", "| =[[shell:id][a¦b]]= |" },
		{ "orgmode", "a=b ~ c | shell:id", "| ~a=b ∼ c ¦ shell:id~ |" },
		{ "orgmode", " <elisp:(id)> ", "| =␣<elisp:(id)>␣= |" },
		{ "orgmode", "a | b", "| a \\vert{} b |" },
		{ "orgmode", "src_sh{id}", "| =src_sh{id}= |" },
		{ "markdown", "![](http://e/x.png)", "| `![](http://e/x.png)` |" },
		{ "markdown", "a`b|[x](y)", "| `` a`b\\|[x](y) `` |" },
		{ "markdown", "a\\|![](u)", "| a&#92;&#124;&#33;&#91;&#93;&#40;u&#41; |" },
		{ "markdown", "<script>", "| `<script>` |" },
		{ "asciidoc", "image::x[] | link:a[b]", "| `+image::x[] \\| link:a[b]+` |" },
		{ "asciidoc", "a+`b {x}", "| a&#43;&#96;b &#123;x&#125; |" },
		{ "asciidoc", " pass:[<b>]", "|  pass&#58;&#91;&#60;b&#62;&#93; |" },
		{ "csv", "=cmd|' /C calc'!A0", "\n\"'=cmd|' /C calc'!A0\"," },
		{ "csv", "\t=1+1", "\n\"'\t=1+1\"," },
		{ "csv", "＝1+1", "\n\"'＝1+1\"," },
		{ "csv", "a;=1+1", "\n\"a;=1+1\"," },
		{ "csv", "a\"b\nc", "\n\"a\"\"b\nc\"," },
		{ "html", "<script>alert(1)</script>",
			"&#60;script&#62;alert(1)&#60;/script&#62;" },
		{ "html", "\" onload='x'", "&#34; onload=&#39;x&#39;" },
		{ "json", "\"},\\\033", "\"\\\"},\\\\\\u001b\"" },
		{ "hyperfine", "\"},\\\033", "\"\\\"},\\\\\\u001b\"" },
	};

	for (size_t i = 0; i < ET_LENGTH(cases); i++) {
		struct et_experiment *e = fixture_experiment(&cases[i].name, 1);
		struct et_judgement j = fixture_judgement(e);
		ET_AUTO_FREE char *text = exported(cases[i].format, e, &j);

		ok(strstr(text, cases[i].want) != NULL, "syntax: %s writes the name %zu as text",
			cases[i].format, i);
		if (!strcmp(cases[i].format, "html"))
			ok(!strstr(text, cases[i].name), "syntax: name %zu is nowhere live", i);
		et_judgement_free(&j);
		et_experiment_free(e);
	}
}

static void hyperfine(void)
{
	static const char *const names[] = { "a" };
	struct et_experiment *e = fixture_experiment(names, 1);
	struct et_judgement j = fixture_judgement(e);
	ET_AUTO_FREE char *text = exported("hyperfine", e, &j);
	json_t *root = json_loads(text, 0, NULL);
	json_t *result = json_array_get(json_object_get(root, "results"), 0);
	json_t *times = json_object_get(result, "times");

	is_str(json_string_value(json_object_get(result, "command")), "a", "hyperfine: command");
	near(json_real_value(json_object_get(result, "mean")), 0.431, 1e-12, 0,
		"hyperfine: the mean is elapsed time in s");
	ok(json_array_size(times) == 4, "hyperfine: the times omit warm-up and removed samples");
	near(json_real_value(json_array_get(times, 0)), 0.431, 1e-12, 0,
		"hyperfine: the times are in s");
	ok(json_array_size(json_object_get(result, "exit_codes")) == 4,
		"hyperfine: there is an exit code per time");
	near(json_real_value(json_object_get(result, "user")), 0.372195, 1e-9, 0,
		"hyperfine: mean user time");
	json_decref(root);
	et_judgement_free(&j);
	et_experiment_free(e);
}

int main(void)
{
	setlocale(LC_CTYPE, "C.UTF-8");
	formats();
	columns();
	live_syntax();
	goldens();
	units();
	kbest();
	hyperfine();
	return tap_done();
}
