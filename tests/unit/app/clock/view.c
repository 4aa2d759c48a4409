/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report about clocks that are sound, that are unsound, and that are not known. */
#include "app/clock/view.h"
#include "base/base.h"
#include "tap.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>

static const struct et_timepiece pieces[] = {
	{ .name = "rdtsc", .kind = ET_CLOCK_COUNTER, .counts = "counter" },
	{ .name = "CLOCK_PROCESS_CPUTIME_ID", .kind = ET_CLOCK_CPU, .counts = "CPU, process" },
	{ .name = "CLOCK_TAI", .kind = ET_CLOCK_TIME, .counts = "atomic time" },
	{ .name = "CLOCK_MONOTONIC", .kind = ET_CLOCK_TIME, .counts = "time, NTP's rate" },
};

static const struct et_timepiece_figures usual = { .claimed_ns = 1,
	.step = 100,
	.steps = 50,
	.confirmed = 50,
	.latency_ns = 123.4,
	.latency_lo_ns = 120,
	.latency_hi_ns = 125 };

static struct et_warnings warnings;

static struct et_host host = { .cpus = 4, .clocksource = "tsc", .tick_ns = 4000000 };

static struct et_survey *survey(void)
{
	struct et_survey *s = et_calloc(1, sizeof(*s));

	s->cpus = 4;
	s->counter = (struct et_counter){ "tsc", true, 2.5e9, 10 };
	for (size_t i = 0; i < 4; i++) {
		s->clocks[s->n_clocks] = (struct et_survey_clock){ &pieces[i], usual };
		if (i != 2)
			s->clocks[s->n_clocks].figures.basis = ET_BASIS_CYCLES;
		s->n_clocks++;
	}
	s->clocks[0].figures.latency_ns = 10;
	s->hz_by_sleep = 2.501e9;
	s->sleep_ns = 500000000;
	s->n_readings = 64;
	s->drift = (struct et_clock_drift){ 2.5e9, 10, 2.49999e9, 0.001, 0.002, -4, 0.01 };
	s->timer = (struct et_timer){ .tick_ns = 4e6,
		.found_ns = 4e6,
		.cost_ns = 1500,
		.interrupts = 120,
		.source = ET_TIMER_COARSE,
		.cost = { 120, 1500, 1800, 2000, 2300, 1900, 2100 },
		.candidates = 1,
		.doubt_lo_ns = 1800,
		.doubt_hi_ns = 2300 };
	s->pairs[s->n_pairs++] = (struct et_agreement){ 0, 1, 2000, -100, 100, 0 };
	/* Slices of 4 ms, of which every second one is another process's. */
	s->stretches = (struct et_stretches){ .ran_ns = 4e8,
		.lost_ns = 4e8,
		.cpu_ns = 4.01e8,
		.preempted = 100,
		.slice = { 99, 1e6, 3e6, 4e6, 4.2e6, 3.9e6, 4.1e6 },
		.n_rows = 50 };
	for (size_t i = 0; i < s->stretches.n_rows; i++) {
		bool fits = i <= 35; /* up to 3.16 ms */
		s->stretches.rows[i] = (struct et_stretch_row){ 1000 * pow(10, (double)i / 10),
			fits ? 0.6 : 0.01, fits ? 0 : 0.8, 1 };
	}
	return s;
}

/* Prints a survey as text and as JSON, which is parsed. The survey and the warnings are freed. */
static char *print(struct et_survey *s, double load, json_t **json)
{
	struct et_clock_report r = { .survey = s,
		.host = &host,
		.load = load,
		.warnings = &warnings,
		.clocksources = "tsc hpet acpi_pm",
		.rtc = isnan(load) ? NULL : "rtc_cmos" };
	char *text = NULL, *record = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct et_page page = { .out = out, .width = 80 };
	struct et_json w;

	et_clock_text(&r, &page, true);
	fclose(out);
	out = open_memstream(&record, &size);
	et_json_init(&w, out, 2);
	et_clock_json(&w, &r);
	fclose(out);
	json_decref(*json);
	*json = json_loads(record, 0, NULL);
	free(record);
	free(s);
	et_warnings_free(&warnings);
	return text;
}

static bool fits(const char *text)
{
	for (const char *line = text; *line; line++) {
		size_t n = strcspn(line, "\n");
		ET_AUTO_FREE char *copy = strndup(line, n);
		if (et_columns(copy) > 80)
			return false;
		line += n;
	}
	return true;
}

static size_t advised(const json_t *json, const char *clock)
{
	size_t n = 0, i;
	json_t *a;

	json_array_foreach(json_object_get(json, "advice"), i, a)
	{
		const char *its = json_string_value(json_object_get(a, "clock"));
		n += its && !strcmp(its, clock);
	}
	return n;
}

static void test_sound(json_t **json)
{
	ET_AUTO_FREE char *text = print(survey(), 0.1, json);

	ok(fits(text), "sound clocks: the text fits into 80 columns");
	ok(!strstr(text, "warning") && !strstr(text, "nan"), "sound clocks: there are no warnings");
	ok(strstr(text, "2500.000000 MHz ±") != NULL,
		"sound clocks: the rate has the digits that its uncertainty supports");
	const json_t *sources = json_object_get(*json, "clocksources");
	ok(strstr(text, "tsc hpet acpi_pm") && strstr(text, "rtc_cmos") &&
			json_array_size(sources) == 3 &&
			!strcmp(json_string_value(json_array_get(sources, 2)), "acpi_pm"),
		"sound clocks: the available clock sources and the RTC are listed");
	ok(strstr(text, "+400 ppm") != NULL,
		"sound clocks: the error of the rate by sleep is printed");
	ok(strstr(text, "differ by at most 40 ns") != NULL,
		"sound clocks: 100 counts at 2.5 GHz are 40 ns");
	ok(strstr(text, "0.050 % of a CPU's time") != NULL,
		"sound clocks: 2 µs every 4 ms are 0.05 %% of a CPU");
	ok(strstr(text, "gets 50 % of it, in") && strstr(text, "slices of 4.0 ms (median"),
		"sound clocks: the share of the CPU and its slices are printed");
	ok(strstr(text, "under 3.2 ms") && strstr(text, "above 3.2 ms") &&
			strstr(text, "cpu-time by CLOCK_PROCESS_CPUTIME_ID (expect ± 0.26 %)"),
		"sound clocks: the bound follows from the slices, and the error is stated");
	const json_t *advice = json_object_get(*json, "advice");
	near(json_number_value(json_object_get(json_array_get(advice, 0), "to_s")), 3.162e-3, 1e-3,
		0, "sound clocks: JSON has the bound");
	ok(json_is_true(json_object_get(json_array_get(advice, 0), "loaded")) &&
			json_array_size(json_object_get(
				json_object_get(*json, "undisturbed"), "lengths")) == 50,
		"sound clocks: JSON has the load and the chances by length");
	near(json_number_value(json_object_get(*json, "tsc_hz")), 2.5e9, 0, 0,
		"sound clocks: JSON has the rate");
	ok(strstr(text, "2.00 µs (median of 120; half of them take 1.80 µs … 2.30 µs"),
		"sound clocks: the cost of a timer interrupt has its interquartile range");
	near(json_number_value(json_object_get(*json, "timer_interrupt_min_ns")), 1500, 0, 0,
		"sound clocks: JSON has the smallest cost of a timer interrupt");
	near(json_number_value(json_object_get(*json, "timer_interrupt_median_ns")), 2000, 0, 0,
		"sound clocks: JSON has the median cost");
	is_str(json_string_value(json_object_get(*json, "timer_interrupt_source")), "coarse-clock",
		"sound clocks: JSON has the source of the cost");
	ok(strstr(text, "cycle-based") && strstr(text, "all others") && strstr(text, "undecided") &&
			strstr(text, "CLOCK_TAI: their steps"),
		"sound clocks: a clock whose basis is undecided is named");
	ok(advised(*json, "counter") == 1,
		"sound clocks: the counter is advised for short programs");
}

static void test_unsound(json_t **json)
{
	struct et_survey *s = survey();

	s->pairs[0].backwards = 3;
	s->pairs[1] = (struct et_agreement){ 0, 2, 0, INT64_MIN, INT64_MAX, 0 };
	s->n_pairs = 2;
	s->counter.invariant = false;
	s->clocks[2].figures = (struct et_timepiece_figures){ .error = EPERM,
		.claimed_ns = NAN,
		.step = NAN,
		.latency_ns = NAN,
		.latency_lo_ns = NAN,
		.latency_hi_ns = NAN };
	s->ntp.error = EPERM;
	s->timer_error = -EAGAIN;
	s->timer.interrupts = 7;
	s->timer.found_ns = 12e6;
	s->timer.source = ET_TIMER_REGULARITY;
	s->timer.candidates = 3;
	s->timer.doubt_hi_ns = 5200;
	et_warn(&warnings, ET_WARN_COUNTER_BACKWARDS_ACROSS_CPUS);
	et_warn(&warnings, ET_WARN_CPUS_BUSY, et_arg_count(1));
	ET_AUTO_FREE char *text = print(s, 3.5, json);
	ok(fits(text) && !strstr(text, "nan"),
		"unsound clocks: the text fits into 80 columns, without NaN");
	ok(strstr(text, "backwards from one CPU to another") && strstr(text, "1 CPU was too busy"),
		"unsound clocks: warnings are printed");
	ok(strstr(text, "not invariant: its rate changes") != NULL,
		"unsound clocks: a rate that changes is reported");
	ok(strstr(text, "not available: Operation not permitted") != NULL,
		"unsound clocks: the reason why a clock is not available is printed");
	ok(strstr(text, "4.00 ms, as the kernel reports") && strstr(text, "12.0 ms"),
		"unsound clocks: the tick is the kernel's, the most regular gaps are reported");
	ok(strstr(text, "1.80 µs … 5.20 µs: 3 series of gaps") &&
			json_is_null(json_object_get(*json, "timer_interrupt_median_ns")),
		"unsound clocks: several candidates have a range and no median");
	near(json_number_value(json_object_get(*json, "tick_found_ns")), 12e6, 0, 0,
		"unsound clocks: JSON has the period that was found");
	ok(advised(*json, "counter") == 0 && advised(*json, "CLOCK_MONOTONIC") == 1,
		"unsound clocks: CLOCK_MONOTONIC is advised instead of the counter");
	ok(json_is_null(json_object_get(*json, "ntp")),
		"unsound clocks: an unreadable NTP state is null in JSON");
	const json_t *list = json_object_get(*json, "warnings");
	ok(json_array_size(list) == 2, "unsound clocks: JSON has the warnings");
	is_str(json_string_value(json_object_get(json_array_get(list, 1), "code")), "cpus-busy",
		"unsound clocks: a warning in JSON has its code");
}

static void test_missing(json_t **json)
{
	struct et_survey *s = survey();

	s->counter = (struct et_counter){ 0 };
	s->counter_error = EPERM;
	s->drift_error = s->timer_error = -EPERM;
	s->n_pairs = 0;
	ET_AUTO_FREE char *text = print(s, NAN, json);
	ok(json_is_null(json_object_get(*json, "rtc")), "missing: a machine without an RTC");
	ok(fits(text) && !strstr(text, "nan"),
		"no counter: the text fits into 80 columns, without NaN");
	ok(json_is_null(json_object_get(*json, "tsc_hz")) &&
			json_is_null(json_object_get(*json, "invariant_tsc")) &&
			json_is_null(json_object_get(*json, "tick_ns")),
		"no counter: JSON has no rate and no tick");
	s = survey();
	s->timer = (struct et_timer){ .tick_ns = 4e6 };
	s->timer_error = -EAGAIN;
	ET_AUTO_FREE char *shared = print(s, 0, json);
	ok(fits(shared) && strstr(shared, "no interrupt occurred alone") && !strstr(shared, "nan"),
		"no interrupt alone: the text reports that the cost is not known");
	ok(json_is_null(json_object_get(*json, "timer_interrupt_min_ns")) &&
			json_is_null(json_object_get(*json, "tick_found_ns")),
		"no interrupt alone: the cost is null in JSON");
	s = survey();
	s->counter.invariant = false;
	s->clocks[1].figures.backwards = s->clocks[3].figures.backwards = 1;
	ET_AUTO_FREE char *bad = print(s, 0, json);
	size_t unsound = advised(*json, "CLOCK_MONOTONIC") + advised(*json, "counter") +
			 advised(*json, "CLOCK_PROCESS_CPUTIME_ID");
	ok(unsound == 0 && strstr(bad, "all lengths   none"),
		"no sound clock: none of the unsound clocks is advised");
	s = survey();
	s->cut_short = true;
	ET_AUTO_FREE char *cut = print(s, 0, json);
	ok(!strstr(cut, "how to time"), "cut short: no advice is printed");
	ok(json_array_size(json_object_get(*json, "advice")) == 0, "cut short: JSON has no advice");
}

int main(void)
{
	json_t *json = NULL;

	test_sound(&json);
	test_unsound(&json);
	test_missing(&json);
	json_decref(json);
	return tap_done();
}
