/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The answer about daemons in sentences, the choice of the papers' tables, and these as CSV. */
#include "app/daemons/daemons.h"
#include "base/base.h"
#include "base/parse.h"
#include "tap.h"

#include <errno.h>
#include <math.h>

enum { SAMPLES = 10 };

static struct et_daemon_record record;
static struct et_daemon_findings findings;
static uint32_t cron, often;
static const struct et_daemon_result result = { .record = &record, .findings = &findings };

/* Samples of which nothing is known but their times, with the arrays of the findings. */
static void fill_run(struct et_daemon_run *run, struct et_run_findings *f, double seconds)
{
	for (uint32_t i = 1; i <= SAMPLES; i++) {
		struct et_daemon_sample *s = et_daemon_run_add(run, i, seconds * (i - 1));
		s->cpu_ms = s->elapsed_ms = 1000 * seconds;
		if (i == 4)
			et_daemon_run_execution(run, cron, 50);
	}
	run->samples = SAMPLES;
	run->sample_seconds = seconds;
	run->whole = true;
	f->far = et_calloc(run->n_listed, sizeof(bool));
	f->removed = et_calloc(run->n_listed, sizeof(bool));
	f->long_running = et_calloc(run->n_executions, sizeof(bool));
	f->frequent = et_calloc(record.n_names, sizeof(bool));
	f->spoils = et_calloc(record.n_names, sizeof(*f->spoils));
	f->shape = (struct et_cluster_shape){ .tested = true, .symmetric = true };
	f->spread = 0.01;
}

/* Two runs without any finding; the long one is there, but not looked at before has_long. */
static void begin(void)
{
	et_daemon_findings_free(&findings);
	et_daemon_record_free(&record);
	findings = (struct et_daemon_findings){ 0 };
	record = (struct et_daemon_record){ 0 };
	cron = et_daemon_record_name(&record, "cron");
	often = et_daemon_record_name(&record, "often");
	fill_run(&record.short_run, &findings.short_run, 1);
	fill_run(&record.long_run, &findings.long_run, 8);
}

/* The sentences, joined by "|". */
static void answers(const char *want, const char *label)
{
	char **list = et_daemons_answer(&result);
	ET_AUTO_FREE char *text = NULL;

	for (char **s = list; *s; s++)
		et_append(&text, "|", "%s", *s);
	is_str(text, want, "answer: %s", label);
	et_strv_free(list);
}

static void check_none(void)
{
	begin();
	answers("no daemon spoilt a sample", "nothing was found in a tight cluster");
	findings.short_run.spread = 0.05;
	answers("no daemon spoilt a sample", "a spread of 5 % is still tight");
	findings.short_run.spread = 0.051;
	answers("no daemon was found, but one may hide in the central cluster: it is wide",
		"above a spread of 5 % a daemon may hide");
	findings.short_run.spread = 0.01;
	findings.short_run.shape.symmetric = false;
	answers("no daemon was found, but one may hide in the central cluster: it is not symmetric",
		"a tight cluster that is not symmetric may hide a daemon");
	findings.short_run.shape.tested = false;
	answers("no daemon was found, and the samples are too few to rule one out",
		"without a test of symmetry nothing is ruled out");
	record.short_run.whole = false;
	answers("no daemon spoilt a sample", "the papers' records have no cluster to judge");
	begin();
	record.has_long = true;
	answers("no daemon spoilt a sample", "two tight runs");
	findings.long_run.spread = 0.2;
	answers("no daemon was found, but one may hide in the central cluster: it is wide",
		"the long run is looked at if the short one is tight");
}

static void check_cutoffs(void)
{
	begin();
	findings.cutoffs = et_calloc(2, sizeof(*findings.cutoffs));
	findings.n_cutoffs = 1;
	findings.short_run.removed[3] = true;
	answers("1 of 2 daemons gets a cutoff; 1 of 10 samples spoilt",
		"one daemon is in the singular");
	findings.n_cutoffs = 2;
	findings.long_run.removed[3] = findings.long_run.removed[4] = true;
	answers("2 of 2 daemons get a cutoff; 1 of 10 samples spoilt",
		"a long run that was not made is not counted");
	record.has_long = true;
	answers("2 of 2 daemons get a cutoff; 1 of 10 short and 2 of 10 long samples spoilt",
		"two runs are counted apart");
}

static void check_others(void)
{
	begin();
	findings.short_run.spoils[cron] = 7;
	answers("no daemon spoilt a sample", "samples that an infrequent daemon spoils are cut");
	findings.short_run.frequent[often] = true;
	findings.short_run.spoils[often] = 3;
	answers("often spoils 3 of 10 samples and comes too often to remove them: stop it, or "
		"measure with duets",
		"a frequent daemon is named");
	findings.short_run.frequent[cron] = true;
	record.has_long = true;
	answers("cron spoils 7 of 10 short samples and comes too often to remove them: stop it, or "
		"measure with duets",
		"the daemon that spoils most samples is named, with its run");
	begin();
	findings.short_run.unexplained = 1;
	answers("1 sample is longer and no daemon explains it", "one unexplained sample");
	findings.short_run.unexplained = 4;
	findings.short_run.common = (struct et_in_common){ 3, 1, often };
	answers("4 samples are longer and no daemon explains it; often ran in 3 of them and in 1 "
		"of the other 6",
		"a suspect is named with its frequency in the other samples");
	record.has_long = true;
	findings.long_run.unexplained = 2;
	answers("4 short samples are longer and no daemon explains it; often ran in 3 of them and "
		"in 1 of the other 6|2 long samples are longer and no daemon explains it",
		"each run has its sentence");
}

static void check_sides(void)
{
	begin();
	findings.short_run.n_far = 2;
	findings.short_run.removed[0] = true;
	ET_AUTO_FREE char *text = et_daemon_side_text(et_daemon_side(&result, false), " / ");
	is_str(text,
		"10 samples, one every 1 s, 10 s in all / 2 outside of the central cluster, 1 "
		"removed",
		"side: the samples of a run and what became of them");
	ok(!et_daemon_side_frequent(et_daemon_side(&result, false), ", "),
		"side: without frequent daemons there is no list");
	findings.short_run.frequent[cron] = findings.short_run.frequent[often] = true;
	ET_AUTO_FREE char *list = et_daemon_side_frequent(et_daemon_side(&result, false), ", ");
	is_str(list, "cron, often", "side: frequent daemons are listed");
	is_str(et_daemon_side(&result, true).name, "long run", "side: the long run has its name");
}

/* --- small figures --- */

static void check_periods(void)
{
	static const struct {
		double period_s;
		uint32_t sightings;
		const char *want;
		bool guess;
	} rows[] = { { 3600, 5, "1 h", false }, { 3600, 2, "1 h (?)", true },
		{ 3600, 3, "1 h", false }, { NAN, 2, "–", false }, { NAN, 0, "–", false } };
	char buf[ET_FIGURE];

	for (size_t i = 0; i < ET_LENGTH(rows); i++) {
		struct et_cutoff c = { .period_s = rows[i].period_s,
			.sightings = rows[i].sightings };
		is_str(et_format_period(rows[i].period_s, rows[i].sightings, buf), rows[i].want,
			"period: %g s from %u visits", rows[i].period_s, rows[i].sightings);
		ok(et_cutoff_is_guess(&c) == rows[i].guess,
			"period: %g s from %u visits is %sa guess", rows[i].period_s,
			rows[i].sightings, rows[i].guess ? "" : "not ");
	}
}

static void check_learned(void)
{
	struct et_cutoffs c = { .n = 1,
		.learned_wall_ns = UINT64_C(1763290000000000000), /* 2025-11-16, 10:46 UTC */
		.short_runs = 300,
		.short_seconds = 1,
		.long_seconds = NAN };
	ET_AUTO_FREE char *one = et_learned_describe(&c);

	is_str(one, "learned on 2025-11-16 from 300 samples of 1 s, 1 daemon with a cutoff",
		"learned: a learning without a long run");
	c.n = 0;
	c.long_runs = 40;
	c.long_seconds = 8;
	c.unseen = true;
	ET_AUTO_FREE char *both = et_learned_describe(&c);
	is_str(both,
		"learned on 2025-11-16 from 300 samples of 1 s and 40 of 8 s, 0 daemons with a "
		"cutoff; processes that began and ended within a sample were not seen",
		"learned: a learning of two runs that did not see short processes");
}

/* --- the papers' tables --- */

static void check_choice(void)
{
	static const struct {
		const char *list;
		unsigned want;
	} good[] = { { "VII", 1 }, { "vii,VIII", 3 }, { "XIX", 1U << 12 }, { "X,X", 8 },
		{ "XVI,XVIII,", 1U << 9 | 1U << 11 } };
	static const struct {
		const char *list, *what;
	} bad[] = { { "VI", "there is no table 'VI'" }, { "XX", "there is no table 'XX'" },
		{ "VII,XVIIII", "there is no table 'XVIIII'" }, { "X ", "there is no table 'X '" },
		{ ",VII", "there is no table ''" }, { "VII,,X", "there is no table ''" },
		{ "7", "there is no table '7'" }, { "", "the list is empty" } };
	struct et_error err = { 0 };
	unsigned got;

	for (size_t i = 0; i < ET_LENGTH(good); i++) {
		got = 0;
		ok(et_daemon_tables_choose(good[i].list, &got, &err) == 0 && got == good[i].want,
			"choice: --tables %s has its bits, got %#x", good[i].list, got);
	}
	for (size_t i = 0; i < ET_LENGTH(bad); i++) {
		got = 77;
		err = (struct et_error){ 0 };
		ok(et_daemon_tables_choose(bad[i].list, &got, &err) == -EINVAL && got == 77 &&
				err.exit == ET_EXIT_USAGE && strstr(err.what, bad[i].what),
			"choice: --tables '%s' is refused: %s", bad[i].list, err.what);
	}
}

/* Writes the tables of that list as CSV. The caller frees it. */
static char *csv(const char *list)
{
	struct et_daemon_result r = result;
	struct et_error err;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (et_daemon_tables_choose(list, &r.wanted, &err))
		tap_bail("%s", err.what);
	et_daemon_tables_make(&r);
	et_daemon_tables_write(&r, (struct et_daemon_tables_to){ .csv = out });
	et_daemon_tables_free(&r);
	fclose(out);
	return text;
}

static void check_tables(void)
{
	begin();
	findings.short_run.far[3] = findings.short_run.removed[3] = true;
	findings.short_run.n_far = 1;
	findings.long_run.far[3] = true;
	ET_AUTO_FREE char *far = csv("IX,XIII");
	is_str(far, "table,sample,daemon,ms\nIX,4,cron,50\n",
		"CSV: without a long run, its table is omitted");
	record.has_long = true;
	ET_AUTO_FREE char *both = csv("XIII,IX");
	is_str(both,
		"table,sample,daemon,ms\nIX,4,cron,50\n\ntable,sample,daemon,ms\nXIII,4,cron,50\n",
		"CSV: tables are in their order, with an empty line between them");
	ET_AUTO_FREE char *removed = csv("XVII");
	is_str(removed, "table,run,sample\nXVII,short run,4\n",
		"CSV: removed samples of both runs");
	ET_AUTO_FREE char *none = csv("XI");
	ok(!strncmp(none, "table,daemon,", 13) && strchr(none, '\n')[1] == '\0',
		"CSV: a table without rows is its header");
}

static void check_cutoff_table(void)
{
	begin();
	findings.cutoffs = et_calloc(2, sizeof(*findings.cutoffs));
	findings.n_cutoffs = 2;
	findings.cutoffs[0] = (struct et_cutoff){ .daemon = "cron",
		.short_ms = 10,
		.long_ms = 20,
		.task_time_s = 60,
		.final_ms = { 10, 20 },
		.n_final = 2 };
	findings.cutoffs[1] = (struct et_cutoff){ .daemon = "=often",
		.short_ms = 5,
		.long_ms = NAN,
		.task_time_s = 60,
		.final_ms = { 5, 0 },
		.n_final = 1 };
	ET_AUTO_FREE char *text = csv("XVI");
	ok(strstr(text, "XVI,cron,10,,shorter,60,10\nXVI,cron,,20,longer,60,20\n"),
		"CSV: a daemon with two cutoffs has a row for each length of program");
	ok(strstr(text, "XVI,\"'=often\",5,,all,,5\n"),
		"CSV: a daemon with one cutoff has one row, and its name is no formula");
}

int main(void)
{
	check_none();
	check_cutoffs();
	check_others();
	check_sides();
	check_periods();
	check_learned();
	check_choice();
	check_tables();
	check_cutoff_table();
	et_daemon_findings_free(&findings);
	et_daemon_record_free(&record);
	return tap_done();
}
