/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Machines side by side: the verdict in words, the table, JSON, the page, and where they are from.
 */
#include "app/compare/machines.h"
#include "app/compare/view.h"
#include "base/base.h"
#include "base/parse.h"
#include "tap.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>

static struct et_fleet fleet;
static char *printed;

static FILE *begin(void)
{
	static size_t size;

	free(printed);
	printed = NULL;
	return open_memstream(&printed, &size);
}

/* A machine that was judged; without an interval if lo is NaN. */
static struct et_fleet_machine *add(
	const char *name, double ratio, double lo, double hi, bool differs)
{
	struct et_fleet_machine *m = et_fleet_add(&fleet, name);

	free(m->name);
	m->name = et_strdup(name);
	m->ratio = ratio;
	m->lo = lo;
	m->hi = hi;
	m->differs = differs;
	m->noise = m->time_ns = NAN;
	fleet.n_judged += isfinite(ratio);
	return m;
}

static void forget(void)
{
	et_fleet_free(&fleet);
	fleet = (struct et_fleet){ .alpha = 0.05, .n_programs = 1, .n_cpu = 1 };
}

static void concludes(const char *want, const char *label)
{
	ET_AUTO_FREE char *got = et_machines_verdict(&fleet);

	is_str(got, want, "verdict: %s", label);
}

/* --- the verdict --- */

static void check_alike(void)
{
	concludes("no program was measured on two machines: they cannot be compared",
		"an empty fleet cannot be compared");
	add("n1", 1, 0.99, 1.01, false);
	concludes("no program was measured on two machines: they cannot be compared",
		"a single machine cannot be compared");
	add("n2", 1.02, NAN, NAN, false);
	concludes("n1 is not shown to differ from the fleet, and not by more than 1.0 %",
		"one machine with an interval is named");
	add("n3", 1, 0.97, 1.02, false);
	concludes("no machine is shown to differ from the fleet; none differs by more than 3.0 %",
		"the farthest end of all intervals bounds the difference");
	forget();
	add("n1", 1.01, NAN, NAN, false);
	add("n2", 0.99, NAN, NAN, false);
	concludes("no machine was measured twice: whether they differ is not known",
		"without intervals nothing is known");
	forget();
}

static void check_different(void)
{
	add("n1", 1.062, 1.051, 1.073, true);
	add("n2", 0.995, 0.99, 1.002, false);
	concludes("n1 is slower than the fleet by 6.2 % (5.1 … 7.3); the other machine differs by "
		  "less than 1.0 %",
		"one other machine is in the singular");
	add("n3", 1, 0.98, 1.02, false);
	concludes("n1 is slower than the fleet by 6.2 % (5.1 … 7.3); the other 2 machines differ "
		  "by less than 2.0 %",
		"several other machines are counted");
	add("n4", 0.8, 0.78, 0.82, true);
	concludes(
		"n4 is faster than the fleet by 20.0 % (18.0 … 22.0); n1 is slower by 6.2 % (5.1 … "
		"7.3); the other 2 machines differ by less than 2.0 %",
		"the farthest machine is first, and the fleet is named once");
	fleet.reference = et_strdup("n9");
	ET_AUTO_FREE char *text = et_machines_verdict(&fleet);
	ok(!strncmp(text, "n4 is faster than n9 by", 23),
		"verdict: a reference takes the place of the fleet");
	forget();
}

/* Up to four machines are named: "1 further machine" would be as long as its name. */
static void check_many(void)
{
	add("n1", 1.5, 1.4, 1.6, true);
	add("n2", 1.4, 1.3, 1.5, true);
	add("n3", 1.3, 1.2, 1.4, true);
	add("n4", 1.2, 1.1, 1.3, true);
	ET_AUTO_FREE char *four = et_machines_verdict(&fleet);
	ok(strstr(four, "; n4 is slower by ") && !strstr(four, "further") && !strstr(four, "other"),
		"verdict: four machines that differ are all named");
	add("n5", 1.1, 1.05, 1.15, true);
	ET_AUTO_FREE char *five = et_machines_verdict(&fleet);
	ok(strstr(five, "; n3 is slower by ") && !strstr(five, "n4 is") && !strstr(five, "n5 is"),
		"verdict: of five machines that differ, three are named");
	const char *end = strstr(five, "; 2 further machines differ");
	ok(end && !strcmp(end, "; 2 further machines differ"),
		"verdict: the machines that are not named are counted at the end");
	forget();
}

static void check_basis(void)
{
	static const struct {
		size_t n, n_cpu;
		double alpha;
		const char *want;
	} rows[] = { { 1, 1, 0.05, "CPU time of 1 program, 95 %" },
		{ 2, 0, 0.05, "elapsed time of 2 programs, 95 %" },
		{ 3, 1, 0.01, "CPU or elapsed time of 3 programs, 99 %" },
		{ 2, 2, 0.001, "CPU time of 2 programs, 99.9 %" } };

	for (size_t i = 0; i < ET_LENGTH(rows); i++) {
		fleet.n_programs = rows[i].n;
		fleet.n_cpu = rows[i].n_cpu;
		fleet.alpha = rows[i].alpha;
		ET_AUTO_FREE char *got = et_machines_basis(&fleet);
		is_str(got, rows[i].want, "basis: %zu of %zu programs are judged by CPU time",
			rows[i].n_cpu, rows[i].n);
	}
	forget();
}

/* --- the table, JSON and the page --- */

static const struct et_factor factors[] = {
	{ (char *)"turbo", (char *)"on", (char *)"off", false },
	{ (char *)"aslr", (char *)"on", (char *)"off", false },
	{ (char *)"swap", (char *)"<used>", (char *)"off", false },
};

static void fill(void)
{
	struct et_fleet_machine *m = add("slow", 1.062, 1.051, 1.073, true);

	m->here = true;
	m->noise = 0.02;
	m->time_ns = 5e6;
	m->samples = 77;
	m->experiments = 3;
	m->host.cpus = 4;
	snprintf(m->host.cpu, sizeof(m->host.cpu), "a <CPU>");
	snprintf(m->host.kernel, sizeof(m->host.kernel), "6.1");
	et_fleet_set_environment(m, factors, ET_LENGTH(factors));
	m->recent = et_calloc(3, sizeof(*m->recent));
	m->recent[0] = 1;
	m->recent[1] = 1.1;
	m->recent[2] = 1.05;
	m->n_recent = 3;
	m = add("fast", 0.8, 0.78, 0.82, true);
	et_fleet_set_environment(m, NULL, 0);
	m = add("new", NAN, NAN, NAN, false);
	m->recent = et_calloc(1, sizeof(*m->recent));
	m->recent[0] = 1;
	m->n_recent = 1;
	fleet.notes = et_strv_of("note: a <clone>", NULL);
}

/* The line that begins with that name, "" if there is none. The caller frees it. */
static char *line_of(const char *name)
{
	ET_AUTO_FREE char *lead = et_asprintf("\n%s ", name);
	const char *at = strstr(printed, lead);

	return at ? et_strndup(at + 1, strcspn(at + 1, "\n")) : et_strdup("");
}

static bool fits(int width)
{
	for (const char *line = printed; *line;) {
		size_t n = strcspn(line, "\n");
		ET_AUTO_FREE char *copy = et_strndup(line, n);
		if (et_columns(copy) > width)
			return false;
		line += n + (line[n] == '\n');
	}
	return true;
}

static void print_table(bool times, int width, bool full)
{
	struct et_page page = { .out = begin(), .width = width, .full_names = full };

	et_machines_table(&fleet, 0, times, &page);
	fclose(page.out);
}

static void check_table(void)
{
	static const char sound[] = "  none  ";

	fill();
	print_table(true, 200, false);
	ET_AUTO_FREE char *slow = line_of("slow *");
	ok(strstr(slow, "5.000 ms") && strstr(slow, "+6.2 %") && strstr(slow, "(+5.1 % … +7.3 %)"),
		"table: a machine has its time, its change and the interval");
	ok(strstr(slow, "3: turbo, aslr, …") && !strstr(slow, "swap"),
		"table: the first two deviations are named, and all are counted");
	ET_AUTO_FREE char *fast = line_of("fast");
	ok(strstr(fast, "-20.0 %") && strstr(fast, sound),
		"table: an environment without deviations is distinguished from an unknown one");
	ET_AUTO_FREE char *new = line_of("new");
	ok(*new && !strchr(new, '%') && !strstr(new, sound) && !strstr(new, "nan"),
		"table: a machine without a comparison has dashes");
	ok(strstr(printed, "against the fleet") && !strstr(printed, "experiments"),
		"table: with times, the number of experiments is omitted");
	ok(strstr(printed, "note: a <clone>"), "table: notes follow it");
	print_table(true, 200, true);
	ok(strstr(printed, "3: turbo, aslr, swap"), "table: full names name all deviations");
	print_table(false, 200, false);
	ok(strstr(printed, "experiments") && !strstr(printed, "5.000 ms"),
		"table: without times, it has the number of experiments");
	print_table(true, 60, false);
	ok(fits(60) && strstr(printed, "+6.2 %") && !strstr(printed, "kernel"),
		"table: a narrow page omits columns, and keeps the change");
	fleet.reference = et_strdup("fast");
	fleet.list[1].ratio = 1;
	fleet.list[1].lo = fleet.list[1].hi = NAN;
	fleet.list[1].differs = false;
	print_table(true, 200, false);
	ok(strstr(printed, "against it") && strstr(printed, " reference "),
		"table: the machine that is the reference is named so, instead of +0 %%");
	forget();
}

static void check_text(void)
{
	struct et_page page = { .out = begin(), .width = 80 };

	add("n1", 1, 0.99, 1.01, false);
	et_machines_text(&fleet, 0, &page);
	fclose(page.out);
	ok(strstr(printed, "two machines: they cannot be compared") && !strstr(printed, "95 %"),
		"text: without a comparison there is no basis");
	add("n2", 1, 0.99, 1.01, false);
	page.out = begin();
	et_machines_text(&fleet, 0, &page);
	fclose(page.out);
	ok(!strncmp(printed, "no machine is shown to differ", 29) &&
			strstr(printed, "CPU time of 1 program, 95 %"),
		"text: the verdict is first, the basis last");
	forget();
}

static void check_json(void)
{
	struct et_json w;
	FILE *out = begin();

	fill();
	fleet.list[0].p_holm = 0.001;
	fleet.list[1].lo = fleet.list[1].hi = NAN;
	et_json_init(&w, out, 2);
	et_machines_json(&fleet, NULL, &w);
	fclose(out);
	json_t *root = json_loads(printed, 0, NULL), *slow = json_array_get(root, 0);
	json_t *speed = json_object_get(slow, "speed");
	ok(json_array_size(root) == 3, "JSON: it has all machines");
	near(json_number_value(json_object_get(speed, "ratio")), 1.062, 1e-12, 0,
		"JSON: a machine has its ratio");
	near(json_number_value(json_object_get(speed, "level")), 0.95, 1e-12, 0,
		"JSON: the level is 1 - alpha");
	ok(json_is_true(json_object_get(speed, "differs")), "JSON: a machine that differs");
	ok(json_array_size(json_object_get(slow, "deviations")) == 3,
		"JSON: all deviations are listed");
	speed = json_object_get(json_array_get(root, 1), "speed");
	ok(json_is_object(speed) && json_is_null(json_object_get(speed, "differs")) &&
			json_is_null(json_object_get(speed, "lo")),
		"JSON: without an interval, whether it differs is null, not false");
	ok(json_is_null(json_object_get(json_array_get(root, 2), "speed")),
		"JSON: without a comparison, the speed is null");
	json_decref(root);
	forget();
}

static size_t count(const char *what)
{
	size_t n = 0;

	for (const char *p = printed; (p = strstr(p, what)); p += strlen(what))
		n++;
	return n;
}

static void check_page(void)
{
	FILE *out = begin();

	fill();
	/* Farther than the picture reaches: its end must be on the edge, not outside. */
	fleet.list[0].hi = 50;
	fleet.between_sessions = true;
	et_machines_page(&fleet, 0, out);
	fclose(out);
	ok(count("<g class=\"c0 ln\">") == 1, "page: one experiment alone makes no line");
	ok(count("<g class=\"c1 pt\">\n<path") == 1 && count("<g class=\"c2 pt\">\n<path") == 1 &&
			count(" pt\">\n<path") == 2,
		"page: a slow and a fast machine have a colour, one without a ratio has no point");
	ok(strstr(printed, "H164m0-4v8") && !strstr(printed, "nan") && !strstr(printed, "inf"),
		"page: an interval ends at the edge of the picture");
	ok(!strstr(printed, "<used>") && !strstr(printed, "a <CPU>") && !strstr(printed, "<clone>"),
		"page: text is escaped");
	ok(strstr(printed, "the line through it is its interval"),
		"page: intervals between sessions are explained");
	forget();
}

/* --- machines of experiments --- */

/* An experiment of a machine whose runs take about that time. */
static struct et_experiment *experiment(const char *machine, const char *host, double ms)
{
	struct et_experiment *e = et_experiment_new();
	struct et_command *c = et_experiment_add_command(e, et_strdup("p"), et_strv_of("p", NULL));

	snprintf(e->machine, sizeof(e->machine), "%s", machine);
	snprintf(e->host.name, sizeof(e->host.name), "%s", host);
	for (uint32_t i = 0; i < 12; i++) {
		/* The first one is a warm-up, which does not count. */
		struct et_sample s = { .place = { .round = i, .order = i, .warmup = i == 0 } };
		s.measured.elapsed_ns = s.measured.cpu_ns =
			(uint64_t)(1e6 * ms * (i ? 1 + 0.001 * (i % 5) : 9));
		et_samples_add(&c->samples, &s);
	}
	return e;
}

static void check_experiments(void)
{
	struct et_experiment *list[] = { experiment("aaaaaaaaaaaaaaaa", "n1", 10),
		experiment("aaaaaaaaaaaaaaaa", "n1", 10), experiment("bbbbbbbbbbbbbbbb", "n2", 20),
		experiment("bbbbbbbbbbbbbbbb", "n2", 20), experiment("", "n3", 10),
		experiment("", "n3", 10) };
	struct et_fleet f = { 0 };
	struct et_error err = { 0 };

	for (size_t i = 0; i < ET_LENGTH(list); i++)
		list[i]->started_wall_ns = 100 + i;
	if (et_fleet_of_experiments(list, ET_LENGTH(list), 0.05, ET_METRIC_CPU, "n1", &f, &err))
		tap_bail("%s", err.what);
	ok(f.n == 3 && !strcmp(f.list[0].name, "n1") && !strcmp(f.list[2].name, "n3"),
		"experiments: of one identity or, without, of one host they are one machine");
	ok(f.list[0].experiments == 2 && f.list[0].samples == 22,
		"experiments: the samples of a machine are counted without warm-up");
	ok(f.list[1].first_wall_ns == 102 && f.list[1].last_wall_ns == 103,
		"experiments: a machine was seen at the first and the last experiment");
	near(f.list[1].ratio, 2, 1e-6, 0, "experiments: twice the time of the reference is 2");
	near(f.list[2].ratio, 1, 1e-6, 0, "experiments: equal times are 1");
	is_str(f.reference, "n1", "experiments: the result has the name of the reference");
	et_fleet_free(&f);
	ok(et_fleet_of_experiments(list, ET_LENGTH(list), 0.05, ET_METRIC_CPU, "n4", &f, &err) ==
				-ENOENT &&
			err.exit == ET_EXIT_USAGE,
		"experiments: a reference that does not exist is refused");
	ok(strstr(err.what, "no machine 'n4'") && strstr(err.hint, "n1, n2, n3"),
		"experiments: the error names it, the hint the machines that exist");
	for (size_t i = 0; i < ET_LENGTH(list); i++)
		et_experiment_free(list[i]);
}

int main(void)
{
	forget();
	check_alike();
	check_different();
	check_many();
	check_basis();
	check_table();
	check_text();
	check_json();
	check_page();
	check_experiments();
	et_fleet_free(&fleet);
	free(printed);
	return tap_done();
}
