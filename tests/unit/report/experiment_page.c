/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The page of an experiment: its figures, its pictures, and experiments that have little to show.
 */
#include "report/experiment_page.h"
#include "fixture.h"
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
		"process and elapsed time with their uncertainty");
	ok(strstr(text, "1.021 × (1.018 … 1.024)") != NULL, "the ratio with its interval");
	ok(strstr(text, "from the program: a &#38; b</p>") != NULL,
		"page: the text of a warning is escaped");
	/* Order, distribution, all pairs and the cluster for each; the forest. */
	ok(count(text, "role=\"img\"") == 2 * 4 + 1, "nine pictures");
	ok(count(text, why) == 2,
		"the removed sample in two pictures of the first, with its reason");
	ok(count(text, "<td>daemon-cutoff: cron used 1.500 ms") == 2, "and in a table of both");
	ok(count(text, ">cron</text>") == 4, "the pairs are named by daemon");
	/* Two samples list them; 1.5 ms each. */
	ok(strstr(text, "<td>cron</td>\n<td class=\"n\">3.00 ms</td>\n<td class=\"n\">2</td>") !=
			NULL,
		"who else ran");
	ok(!strstr(text, "nan") && !strstr(text, "<slow>"), "no NaN, nothing unescaped");
	et_judgement_free(&j);
	et_experiment_free(e);
}

static void check_little(void)
{
	static const char *const names[] = { "one" };
	struct et_experiment *e = fixture_experiment(names, 1);
	struct et_judgement j = fixture_judgement(e);

	/* All samples alike: nothing to distribute, no pair apart from another. */
	for (size_t i = 0; i < e->commands[0].n_samples; i++)
		e->commands[0].samples[i].measured.cpu_ns = 412300000;
	ET_AUTO_FREE char *same = page(e, &j);
	ok(count(same, "role=\"img\"") == 1, "equal times: their order alone");
	ok(!strstr(same, "nan") && !strstr(same, "ratio"), "one command has no ratio");

	/* Elapsed times only, as in imported series. */
	for (size_t i = 0; i < e->commands[0].n_samples; i++)
		e->commands[0].samples[i].measured.cpu_ns = ET_UNKNOWN;
	j.commands[0].estimate[ET_METRIC_CPU] = (struct et_estimate){ 0 };
	e->state = ET_STATE_INTERRUPTED;
	ET_AUTO_FREE char *elapsed = page(e, &j);
	ok(strstr(elapsed, ">elapsed time (ms)</text>") && !strstr(elapsed, "18446744073709551615"),
		"judged by elapsed time where the other is not known");
	ok(strstr(elapsed, "interrupted: not finished") != NULL, "what is not finished says so");

	j.commands[0].estimate[ET_METRIC_ELAPSED] = (struct et_estimate){ 0 };
	e->commands[0].n_samples = 0;
	ET_AUTO_FREE char *none = page(e, &j);
	ok(strstr(none, "no sample counts") && !strstr(none, "role=\"img\"") &&
			!strstr(none, "nan"),
		"no samples, no pictures");
	e->commands[0].n_samples = 6;
	et_judgement_free(&j);
	et_experiment_free(e);
}

/* Sample 2 of those that count, 1 to 4, had its CPU taken. */
static void check_ledger(void)
{
	static const char *const names[] = { "one" };
	struct et_experiment *e = fixture_experiment(names, 1);
	struct et_judgement j = fixture_judgement(e);

	ET_AUTO_FREE char *without = page(e, &j);
	ok(strstr(without, "asleep or unexplained") && !strstr(without, "others on its CPU") &&
			!strstr(without, "on its CPU (kept samples)"),
		"without scheduler records what they tell is no row and no column");
	fixture_ledger(e, 1000000);
	ET_AUTO_FREE char *with = page(e, &j);
	ok(strstr(with, "<td>others on its CPU</td>\n<td class=\"n\">60.0 ms</td>\n"
			"<td class=\"n\">15 %</td>") &&
			strstr(with, "<td>its CPU idle</td>\n<td class=\"n\">20.0 ms</td>") &&
			strstr(with, "<td>unexplained</td>\n<td class=\"n\">8.00 ms</td>") &&
			!strstr(with, "asleep or unexplained"),
		"with them every instant is somebody's");
	ok(strstr(with, "<td>cron</td>\n<td class=\"n\">3.00 ms</td>\n"
			"<td class=\"n\">1.00 ms</td>\n<td class=\"n\">2</td>") != NULL,
		"and who else ran says how long on its CPU, in the sample that counts");
	et_judgement_free(&j);
	et_experiment_free(e);
}

/* The figures that stand beside the mean, where a protocol gives them. */
static void check_beside(void)
{
	static const char *const names[] = { "one" };
	struct et_experiment *e = fixture_experiment(names, 1);
	struct et_judgement j = fixture_judgement(e);

	ET_AUTO_FREE char *plain = page(e, &j);
	ok(!strstr(plain, "full speed") && !strstr(plain, "K-best"), "none of them otherwise");
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
		"CPU time at full speed");
	ok(strstr(both, "K-best: 411.5 ms, the fastest of 7 runs; 3 are within 0.40 %.") != NULL,
		"the fastest, and how many agree");
	j.commands[0].paced = (struct et_paced){ .why = "too <few" };
	j.commands[0].kbest =
		(struct et_kbest_result){ .k = 3, .n = 1, .best = 5e6, .spread = NAN };
	ET_AUTO_FREE char *neither = page(e, &j);
	ok(strstr(neither, "At full speed, by the reference loop: not known: too &#60;few") &&
			strstr(neither,
				"K-best: 5.000 ms, the fastest of 1 runs; not converged.") &&
			!strstr(neither, "nan"),
		"or why it is not known");
	et_judgement_free(&j);
	et_experiment_free(e);
}

int main(void)
{
	check_whole();
	check_beside();
	check_ledger();
	check_little();
	return tap_done();
}
