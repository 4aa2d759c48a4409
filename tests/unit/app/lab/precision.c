/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables of precision from invented figures: columns, dashes, names. */
#include "app/lab/experiments.h"
#include "base/base.h"
#include "tap.h"
#include "unit/report/fixture.h"

#include <jansson.h>

static struct et_precision precision(size_t n, double mean, double sd)
{
	return (struct et_precision){ .n = n, .mean = mean, .sd = sd, .relative_error = sd / mean };
}

static struct et_counted counted(size_t n, size_t removed, double mean, double sd)
{
	return (struct et_counted){ .removed = removed,
		.by[ET_METRIC_ELAPSED] = precision(n, mean + 1e6, 2 * sd),
		.by[ET_METRIC_CPU] = precision(n, mean, sd) };
}

struct sheet {
	char *text;
	size_t size;
	struct et_page page;
};

static void open_sheet(struct sheet *s)
{
	*s = (struct sheet){ .page = { .width = 80 } };
	s->page.out = open_memstream(&s->text, &s->size);
}

static void close_sheet(const struct sheet *s)
{
	fclose(s->page.out);
}

static bool has_line(const char *text, const char *line)
{
	const char *at = strstr(text, line);
	size_t n = strlen(line);

	return at && (at == text || at[-1] == '\n') && at[n] == '\n';
}

static struct et_program_precision program(size_t n, size_t removed)
{
	return (struct et_program_precision){ .by = { [ET_WAY_ORG] = precision(n, 6e6, 1e5),
						      [ET_WAY_CPU] = precision(n, 5.5e6, 8e4),
						      [ET_WAY_SEDONA] = precision(n, 5e6, 5e4),
						      [ET_WAY_EMP] =
							      precision(n - removed, 4e6, 2e4) },
		.kept = counted(n - removed, removed, 4e6, 2e4) };
}

static void test_programs(void)
{
	static const char *const names[] = { "sort 5000", "a program with a long name" };
	struct et_experiment *e = fixture_experiment(names, 2);
	struct et_program_precision list[] = { program(10, 1), program(10, 0) };
	const struct et_program_table table = { .e = e,
		.list = list,
		.averages = { { 1e5, 8e4, 5e4, 2e4 }, { 0.017, 0.015, 0.01, 0.005 } },
		.measured = true,
		.missing = { { "gnugo", "gnugo" }, { "hmmer", "hmmer" } } };
	struct sheet s;

	snprintf(list[0].program, sizeof(list[0].program), "sort");
	list[0].field = "sorting";
	list[0].size = 5000;

	open_sheet(&s);
	et_lab_real_programs.text(&table, &s.page);
	close_sheet(&s);
	ok(has_line(s.text, "program                     runs  out       ORG      sd   rel."),
		"programs: the heading names ORG");
	ok(has_line(s.text, "program                          CPU       sd   rel.    SEDONA       "
			    "sd   rel.") &&
			has_line(s.text, "program                          EMP       sd    rel."),
		"programs: the next parts have CPU time, SEDONA and EMP");
	ok(has_line(s.text, "sort 5000                     10    1  6.000 ms  100 µs  1.7 %"),
		"programs: a row has runs, out and ORG");
	ok(has_line(s.text, "sort 5000                   5.500 ms  80.0 µs  1.5 %  5.000 ms  50.0 "
			    "µs  1.0 %") &&
			has_line(s.text, "sort 5000                   4.000 ms  20.0 µs  0.50 %"),
		"programs: and CPU time, SEDONA and EMP");
	ok(has_line(s.text, "a program with a long name    10    0  6.000 ms  100 µs  1.7 %"),
		"programs: a long name takes a third of the page");
	ok(has_line(s.text, "averages                                         100 µs  1.7 %") &&
			has_line(s.text,
				"averages                              80.0 µs  1.5 %       "
				"     50.0 µs  1.0 %") &&
			has_line(s.text, "averages                              20.0 µs  0.50 %"),
		"programs: the last row has the averages of sd and relative error");
	ok(has_line(s.text, "not installed: gnugo, hmmer (apt install gnugo hmmer)"),
		"programs: missing programs are named with the packages to install");
	ok(has_line(s.text, "fields: sort: sorting"), "programs: the fields are named");
	free(s.text);

	open_sheet(&s);
	et_lab_json(&et_lab_real_programs, "real-programs", e, &table, s.page.out);
	close_sheet(&s);
	json_t *j = json_loads(s.text, 0, NULL);
	json_t *row = json_array_get(json_object_get(j, "programs"), 0);
	json_t *org = json_object_get(row, "org"), *all = json_object_get(j, "averages");
	ok(json_integer_value(json_object_get(org, "n")) == 10 &&
			json_number_value(json_object_get(org, "sd_ns")) == 1e5,
		"programs: JSON has ORG over every run");
	json_t *other = json_array_get(json_object_get(j, "programs"), 1);
	ok(json_integer_value(json_object_get(row, "size")) == 5000 &&
			json_is_null(json_object_get(other, "size")) &&
			json_is_null(json_object_get(other, "program")),
		"programs: JSON has the size of the lab's own commands");
	ok(json_number_value(json_object_get(json_object_get(all, "sedona"), "sd_ns")) == 5e4,
		"programs: JSON has the averages");
	static const char *const keys[] = { "org", "cpu", "sedona", "emp" };
	static const double sds[] = { 1e5, 8e4, 5e4, 2e4 };
	for (size_t i = 0; i < ET_LENGTH(keys); i++)
		ok(json_number_value(json_object_get(json_object_get(row, keys[i]), "sd_ns")) ==
					sds[i] &&
				json_number_value(json_object_get(
					json_object_get(all, keys[i]), "sd_ns")) == sds[i],
			"programs: JSON has '%s' of a program and of all", keys[i]);
	json_decref(j);
	free(s.text);
	et_experiment_free(e);
}

int main(void)
{
	test_programs();
	return tap_done();
}
