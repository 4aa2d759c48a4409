/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The page of an experiment: its figures and charts, and experiments with few figures. */
#include "report/experiment_page.h"
#include "fixture.h"
#include "sample_of.h"
#include "tap.h"

static char *page(const struct et_experiment *e, const struct et_judgement *j)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	et_experiment_page(e, j, out);
	fclose(out);
	return text;
}

static size_t count(const char *text, const char *what)
{
	size_t n = 0;

	for (const char *p = text; (p = strstr(p, what)); p += strlen(what))
		n++;
	return n;
}

static void check_whole(void)
{
	static const char *const names[] = { "fast", "<slow>" };
	struct et_experiment *e = fixture_experiment(names, 2);
	struct et_judgement j = fixture_judgement(e);
	static const char why[] =
		"sample 6, 414.8 ms; daemon-cutoff: cron used 1.500 ms, its cutoff "
		"is 1.000 ms";

	et_warn(&j.commands[1].warnings, ET_WARN_NO_LEDGER, et_arg_text("a & b"));
	ET_AUTO_FREE char *text = page(e, &j);
	ok(strstr(text, "412.3 ms ± 1.2 ms (95 %)") && strstr(text, "431.0 ms ± 3.4 ms (95 %)"),
		"page: CPU time and elapsed time have their uncertainty");
	ok(strstr(text, "1.021 × (1.018 … 1.024)") != NULL, "page: the ratio has its interval");
	ok(strstr(text, "from the program: a &#38; b</p>") != NULL,
		"page: the text of a warning is escaped");
	/* For each command: samples by two times, distribution; and the ratios. Runs alternate. */
	ok(count(text, "role=\"img\"") == 2 * 3 + 1 &&
			count(text, "<title>Samples in order: elapsed time<") == 2 &&
			count(text, "<title>Samples in order: CPU time<") == 2,
		"page: each command has its samples in order by both times");
	ok(count(text, "no two runs of this command followed each other directly") == 2,
		"page: runs that alternate are no pairs, and the page says so");
	ok(count(text, why) == 1 && count(text, "sample 6, 435.0 ms; daemon-cutoff: cron") == 1,
		"page: the charts show the removed sample with its reason");
	/* The form of check I is a square, once per chart and once in its legend. */
	ok(count(text, ">check I: daemon-cutoff</text>") == 4 &&
			count(text, "<g class=\"c2 pt\">") == 8 && !strstr(text, "check II"),
		"page: a sample that check I removed is a square, with a legend");
	ok(count(text, "<td>daemon-cutoff: cron used 1.500 ms") == 2,
		"page: the removed samples of both commands are in a table");
	/* Two samples have this culprit, with 1.5 ms each. */
	ok(strstr(text, "<td>cron</td>\n<td class=\"n\">3.00 ms</td>\n<td class=\"n\">2</td>") !=
			NULL,
		"page: a culprit is listed with its CPU time and number of samples");
	ok(!strstr(text, "nan") && !strstr(text, "<slow>"),
		"page: there is no NaN and no unescaped name");
	j.contrasts[0].alone = (struct et_ratio){ 1.052, 1.048, 1.056, "combined" };
	ET_AUTO_FREE char *alone = page(e, &j);
	ok(strstr(alone, "1.052 × (1.048 … 1.056)") && !strstr(alone, "1.021"),
		"page: the ratio of a duet is that of the programs alone");
	et_judgement_free(&j);
	et_experiment_free(e);
}

static void check_little(void)
{
	static const char *const names[] = { "one" };
	struct et_experiment *e = fixture_experiment(names, 1);
	struct et_judgement j = fixture_judgement(e);

	/* Equal samples have no distribution, and all pairs are the same. */
	for (size_t i = 0; i < e->commands[0].samples.n; i++)
		sample_of(&e->commands[0], i)->measured.cpu_ns = 412300000;
	ET_AUTO_FREE char *same = page(e, &j);
	ok(count(same, "role=\"img\"") == 2, "equal times: only the samples in order are drawn");
	ok(!strstr(same, "nan") && !strstr(same, "ratio"), "one command: there is no ratio");

	/* Only elapsed times are known, as in imported series. */
	for (size_t i = 0; i < e->commands[0].samples.n; i++)
		sample_of(&e->commands[0], i)->measured.cpu_ns = ET_UNKNOWN;
	j.commands[0].estimate[ET_METRIC_CPU] = (struct et_estimate){ 0 };
	e->state = ET_STATE_INTERRUPTED;
	ET_AUTO_FREE char *elapsed = page(e, &j);
	ok(strstr(elapsed, ">elapsed time (ms)</text>") && !strstr(elapsed, "18446744073709551615"),
		"unknown CPU time: elapsed time is drawn");
	ok(strstr(elapsed, "interrupted: not finished") != NULL,
		"interrupted experiment: the page reports that it is not finished");

	j.commands[0].estimate[ET_METRIC_ELAPSED] = (struct et_estimate){ 0 };
	e->commands[0].samples.n = 0;
	ET_AUTO_FREE char *none = page(e, &j);
	ok(strstr(none, "no sample was kept") && !strstr(none, "role=\"img\"") &&
			!strstr(none, "nan"),
		"no samples: the page has no charts and no NaN");
	e->commands[0].samples.n = 6;
	et_judgement_free(&j);
	et_experiment_free(e);
}

/*
 * Warm-up, then samples 2 to 6 without others between: the pairs are (2, 3) and (4, 5). If another
 * run was before sample 4, they are (2, 3), (4, 5); before sample 3, they are (3, 4), (5, 6).
 */
static void check_pairs(void)
{
	static const char *const names[] = { "one" };
	struct et_experiment *e = fixture_experiment(names, 1);
	struct et_judgement j = fixture_judgement(e);

	for (uint32_t i = 0; i < 6; i++)
		sample_of(&e->commands[0], i)->place.order = i + 1;
	ET_AUTO_FREE char *direct = page(e, &j);
	ok(strstr(direct, "Dual execution: all 2 pairs") && !strstr(direct, "cron</text>"),
		"pairs: each run is in one pair, and the last one is left over");
	ok(strstr(direct, ">elapsed time of the first of a pair (ms)</text>") != NULL,
		"pairs: their metric is elapsed time, whatever is judged");
	for (uint32_t i = 2; i < 6; i++)
		sample_of(&e->commands[0], i)->place.order = i + 2;
	ET_AUTO_FREE char *apart = page(e, &j);
	ok(strstr(apart, "Dual execution (a): all 2 pairs") &&
			strstr(apart, "Dual execution (b): central cluster, 1 pair<") &&
			count(apart, ">cron</text>") == 2,
		"pairs: they begin again after another run, and removed samples are on the arms");
	/* Nothing was removed: 431 to 434 ms and 900 ms. */
	sample_of(&e->commands[0], 5)->ruling.removal = (struct et_removal){ .by = ET_KEPT };
	sample_of(&e->commands[0], 5)->measured.elapsed_ns = 900000000;
	ET_AUTO_FREE char *kept = page(e, &j);
	ok(count(kept, ">far out, but kept</text>") == 2 &&
			strstr(kept, "<title>sample 6, 900.0 ms; kept</title>"),
		"pairs: a time that is far out is on an arm although it was kept");
	et_judgement_free(&j);
	et_experiment_free(e);
}

/* The numbers of the ticks of the y axes of a chart, as text. */
static char *y_ticks(const char *text, const char *title, int which)
{
	for (; which >= 0 && text; which--)
		text = strstr(text + 1, title);
	const char *end = text ? strstr(text, "rotate(-90)") : NULL;
	char *ticks = NULL;

	for (; end && (text = strstr(text, "text-anchor=\"end\">")) && text < end; text++)
		et_append(&ticks, " ", "%.*s", (int)strcspn(strchr(text, '>') + 1, "<"),
			strchr(text, '>') + 1);
	return ticks ? ticks : et_strdup("");
}

/* CPU times from 412.3 to 414.8 ms, and 8.6 ms more; elapsed times from 430 to 435 and 8 more. */
static void check_align(void)
{
	static const char *const names[] = { "fast", "slow" };
	struct et_experiment *e = fixture_experiment(names, 2);
	struct et_judgement j = fixture_judgement(e);
	struct et_pictures how = et_default_pictures;
	struct et_judged both[] = { { e, &j }, { e, &j } };
	char *text = NULL;
	size_t size;

	for (size_t i = 0; i < 2; i++)
		et_pictures_stretch(&how, &j.commands[i]);
	near(how.lo[ET_METRIC_CPU], 412.3e6, 0, 0, "align: the smallest CPU time of both");
	near(how.hi[ET_METRIC_CPU], 423.4e6, 0, 0, "align: the largest CPU time of both");
	near(how.lo[ET_METRIC_ELAPSED], 430e6, 0, 0, "align: the smallest elapsed time of both");
	near(how.hi[ET_METRIC_ELAPSED], 443e6, 0, 0, "align: the largest elapsed time of both");
	FILE *out = open_memstream(&text, &size);
	et_experiment_pages(both, 2, &how, out);
	fclose(out);
	ET_AUTO_FREE char *alone = page(e, &j);
	static const char *const titles[] = { "<title>Samples in order: CPU",
		"<title>Samples in order: elapsed" };
	for (size_t i = 0; i < 2; i++) {
		ET_AUTO_FREE char *a = y_ticks(text, titles[i], 0);
		ET_AUTO_FREE char *b = y_ticks(text, titles[i], 1);
		ET_AUTO_FREE char *own = y_ticks(alone, titles[i], 0);
		ok(*a && !strcmp(a, b) && strcmp(a, own) != 0,
			"align: two commands have the same axis '%s', '%s', alone it is '%s'", a, b,
			own);
	}
	ok(count(text, "<!DOCTYPE") == 1 && count(text, "<title>2 experiments</title>") == 1 &&
			count(text, "<h2>fast</h2>") == 2 && count(text, "<h1>") == 3,
		"several experiments are one page");
	free(text);
	et_judgement_free(&j);
	et_experiment_free(e);
}

/* Two of the samples of the fixture, one per command, were removed by a cutoff. */
static void check_steps(void)
{
	static const struct {
		struct et_first_check c;
		const char *want;
	} cases[] = {
		{ { ET_FIRST_CHECK_DONE, 1794732906000000000u, 10, 0 },
			"<p>Check of daemons above their cutoffs: done with 10 cutoffs learned "
			"2026-11-15T" },
		{ { ET_FIRST_CHECK_LENGTH, 1, 1, 0 },
			"not done, as the program takes much longer" },
		{ { ET_FIRST_CHECK_WITHDRAWN, 1, 1, 7 },
			"withdrawn, as it would have removed 7 samples" },
	};
	static const char *const names[] = { "fast", "slow" };
	struct et_experiment *e = fixture_experiment(names, 2);
	struct et_judgement j = fixture_judgement(e);

	e->protocol = ET_PROTOCOL_CAUSE;
	ET_AUTO_FREE char *none = page(e, &j);
	ok(!strstr(none, "Sanity check"), "steps: none are printed if none were recorded");
	for (size_t i = 0; i < ET_LENGTH(cases); i++) {
		e->first_check = cases[i].c;
		ET_AUTO_FREE char *text = page(e, &j);
		ok(strstr(text, cases[i].want) && !strstr(text, "anity check I"), "steps: %s",
			cases[i].want);
	}
	e->first_check = (struct et_first_check){ .state = ET_FIRST_CHECK_UNLEARNED };
	ET_AUTO_FREE char *unasked = page(e, &j);
	ok(!strstr(unasked, "cutoffs") && !strstr(unasked, "no daemons were learned"),
		"steps: nothing about daemons if none were learned and nobody asked for emp");
	e->protocol = ET_PROTOCOL_EMP;
	ET_AUTO_FREE char *asked = page(e, &j);
	ok(strstr(asked,
		   "Sanity check I (daemons above their cutoffs): not done, as no daemons were "
		   "learned on this machine; samples removed: 2.") != NULL,
		"steps: with emp the page says that check I was not done");
	sample_of(&e->commands[1], 3)->ruling.removal.by = ET_REMOVED_TWO_SIGMA;
	ET_AUTO_FREE char *emp = page(e, &j);
	ok(strstr(emp, "samples removed: 2. Sanity check II (farther than two standard deviations "
		       "from the mean): samples removed: 1.</p>") != NULL,
		"steps: EMP has a second check");
	ok(count(emp, ">check II: two-sigma</text>") == 2 && strstr(emp, "<g class=\"c3 pt\">"),
		"steps: a sample that check II removed is a triangle, with a legend");
	et_judgement_free(&j);
	et_experiment_free(e);
}

static void check_removals(void)
{
	static const struct {
		struct et_removal r;
		const char *want;
	} cases[] = {
		{ { .by = ET_REMOVED_MACHINE_SLOW, .probe_ns = 17000000, .limit_ns = 15000000 },
			"machine-slow: the probe took 17.00 ms, the limit is 15.00 ms" },
		{ { .by = ET_REMOVED_MACHINE_SLOW, .steal_ns = 21000000, .limit_ns = 15000000 },
			"machine-slow: stolen 21.00 ms, the limit is 15.00 ms" },
		{ { .by = ET_REMOVED_TWO_SIGMA }, "two-sigma" },
	};

	for (size_t i = 0; i < ET_LENGTH(cases); i++) {
		ET_AUTO_FREE char *text = et_removal_text(&cases[i].r);
		is_str(text, cases[i].want, "reason of a removal: %s", cases[i].want);
	}
}

/* So many samples that most are packed; two daemons removed some of them. */
static void check_many(void)
{
	static const char *const names[] = { "one" };
	struct et_experiment *e = fixture_experiment(names, 1);
	struct et_judgement j = fixture_judgement(e);
	struct et_sample s = *sample_of(&e->commands[0], 1);

	s.measured.culprits = NULL;
	s.measured.n_culprits = 0;
	for (uint32_t i = 0; i < 3 * ET_SAMPLES_CHUNK; i++) {
		s.measured.elapsed_ns = 412300000 + i % 10;
		s.place.order = 100 + i;
		s.ruling.removal = (struct et_removal){ .by = ET_KEPT };
		if (i % 50 == 7) {
			s.ruling.removal.by = ET_REMOVED_DAEMON_CUTOFF;
			snprintf(s.ruling.removal.daemon, sizeof(s.ruling.removal.daemon), "%s",
				i < 100 ? "updatedb" : "apt-get");
			s.measured.elapsed_ns += 9000000;
		}
		et_experiment_add(e, &s);
	}
	ET_AUTO_FREE char *text = page(e, &j);
	ok(count(text, ">updatedb</text>") && count(text, ">apt-get</text>"),
		"page: the pairs of hundreds of samples are named by each daemon");
	et_judgement_free(&j);
	et_experiment_free(e);
}

/* Of the kept samples, 1 to 4, culprits took the CPU in sample 2. */
static void check_ledger(void)
{
	static const char *const names[] = { "one" };
	struct et_experiment *e = fixture_experiment(names, 1);
	struct et_judgement j = fixture_judgement(e);

	ET_AUTO_FREE char *without = page(e, &j);
	ok(strstr(without, "<td>runnable while others ran</td>") &&
			strstr(without, "<td>asleep or waiting</td>") &&
			!strstr(without, "taken by"),
		"without a ledger: the page has the same shares, and nobody is named");
	fixture_ledger(e, 1000000);
	ET_AUTO_FREE char *with = page(e, &j);
	ok(strstr(with, "<td>runnable while others ran</td>\n<td class=\"n\">60.0 ms</td>\n"
			"<td class=\"n\">15 %</td>") &&
			strstr(with, "<td>asleep or waiting</td>\n<td class=\"n\">20.0 ms</td>") &&
			strstr(with, "<td>unexplained</td>\n<td class=\"n\">8.00 ms</td>"),
		"with a ledger: elapsed time is divided into its parts");
	ok(strstr(with, "<th scope=\"col\">taken by</th>") &&
			strstr(with, "<td>cron</td>\n<td class=\"n\">250 µs</td>"),
		"with a ledger: a culprit has the time that it took, of kept samples only");
	ok(strstr(with, "<rect width=\"112.5\" height=\"10\"") != NULL,
		"with a ledger: a bar shows each share");
	et_judgement_free(&j);
	et_experiment_free(e);
}

/* The figures that some protocols give in addition to the mean. */
static void check_beside(void)
{
	static const char *const names[] = { "one" };
	struct et_experiment *e = fixture_experiment(names, 1);
	struct et_judgement j = fixture_judgement(e);

	ET_AUTO_FREE char *plain = page(e, &j);
	ok(!strstr(plain, "full speed") && !strstr(plain, "K-best"),
		"plain protocol: no figures at full speed or of K-best");
	j.commands[0].paced = (struct et_paced){ .n = 9,
		.level = 0.95,
		.mean = 400e6,
		.expanded_uncertainty = 2e6,
		.relative_error = 0.01 };
	j.commands[0].kbest = (struct et_kbest_result){
		.k = 3, .n = 7, .best = 411.5e6, .spread = 0.004, .converged = true
	};
	ET_AUTO_FREE char *both = page(e, &j);
	ok(strstr(both,
		   "At full speed, by the reference loop: 400.0 ms ± 2.0 ms (95 %), sd 1.0 %.") !=
			NULL,
		"paced: CPU time at full speed is printed");
	ok(strstr(both,
		   "K-best: 411.5 ms, the fastest of 7 runs; the 3 fastest are within 0.40 %.") !=
			NULL,
		"K-best: the fastest run and the spread of the K fastest are printed");
	j.commands[0].paced = (struct et_paced){ .why = "too <few" };
	j.commands[0].kbest =
		(struct et_kbest_result){ .k = 3, .n = 1, .best = 5e6, .spread = NAN };
	ET_AUTO_FREE char *neither = page(e, &j);
	ok(strstr(neither, "At full speed, by the reference loop: not known (too &#60;few).") &&
			strstr(neither,
				"K-best: 5.000 ms, the fastest of 1 runs; not converged.") &&
			!strstr(neither, "nan"),
		"paced and K-best: the reason is printed if there is no result");
	et_judgement_free(&j);
	et_experiment_free(e);
}

int main(void)
{
	check_whole();
	check_beside();
	check_ledger();
	check_little();
	check_many();
	check_pairs();
	check_align();
	check_steps();
	check_removals();
	return tap_done();
}
