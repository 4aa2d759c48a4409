/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The tables of EMP (Suh et al. 2017), section 4.5.2, from a whole run of 800 samples. The papers
 * print the daemons of the 16 L-samples (Table IX) and the figures of the cluster (Table VIII). The
 * elapsed times are simulated: those of the cluster by the mean and sd of Table XVIII, and longer
 * by the times of daemons in L-samples. The long run is what the papers print of it.
 */
#include "base/base.h"
#include "num/rng.h"
#include "protocol/daemons.h"
#include "tap.h"

struct row {
	uint32_t sample;
	const char *daemon;
	double ms;
};

/* Table IX without java and proc_monitor, which are in every sample. */
static const struct row table_ix[] = { { 75, "flush-9:0", 126 }, { 75, "jbd2/md0-8", 31 },
	{ 75, "kblockd/0", 1 }, { 75, "md0_raid1", 78 }, { 75, "rhn_check", 35176 },
	{ 75, "rhnsd", 6 }, { 104, "rhsmcertd-worke", 115 }, { 186, "rhn_check", 562 },
	{ 186, "rhnsd", 4 }, { 216, "md0_raid1", 1 }, { 216, "rhsmcertd-worke", 114 },
	{ 298, "rhn_check", 832 }, { 298, "rhnsd", 5 }, { 328, "rhsmcertd-worke", 115 },
	{ 366, "bash", 2 }, { 366, "cifs", 1 }, { 366, "grep", 1 }, { 366, "sshd", 15 },
	{ 366, "sshd", 3 }, { 410, "md0_raid1", 1 }, { 410, "rhn_check", 571 }, { 410, "rhnsd", 4 },
	{ 439, "md0_raid1", 1 }, { 439, "rhsmcertd-worke", 114 }, { 451, "bash", 1 },
	{ 451, "grep", 6 }, { 451, "grep", 5 }, { 451, "grep", 1 }, { 451, "grep", 1 },
	{ 451, "sshd", 13 }, { 451, "sshd", 12 }, { 451, "sshd", 3 }, { 451, "sshd", 3 },
	{ 522, "rhn_check", 833 }, { 522, "rhnsd", 6 }, { 551, "rhsmcertd-worke", 114 },
	{ 634, "flush-9:0", 127 }, { 634, "jbd2/md0-8", 6 }, { 634, "md0_raid1", 65 },
	{ 634, "rhn_check", 33155 }, { 634, "rhnsd", 3 }, { 663, "rhsmcertd", 1 },
	{ 663, "rhsmcertd-worke", 114 }, { 663, "rhsmcertd-worke", 114 }, { 746, "jbd2/md0-8", 1 },
	{ 746, "md0_raid1", 1 }, { 746, "rhn_check", 629 }, { 746, "rhnsd", 5 },
	{ 775, "rhsmcertd-worke", 116 } };

/* Table VIII: the daemons of the cluster, with the share of samples that they are in. */
static const struct {
	const char *daemon;
	double max_ms, share;
} table_viii[] = { { "cifs", 1, 0.05 }, { "flush-9:0", 1, 0.2 }, { "java", 6, 1 },
	{ "jbd2/md0-8", 2, 0.2 }, { "kblockd/0", 1, 0.1 }, { "khugepaged", 1, 0.05 },
	{ "md0_raid1", 4, 0.3 }, { "ntpd", 1, 0.1 }, { "proc_monitor", 204, 1 } };

/* Table XI; md0_raid1 has "-" for 4 ms there, but Tables VIII and XVI (35 ms) agree on 4 ms. */
static const struct {
	const char *daemon;
	double central_ms, least_ms, period_hours;
	uint32_t visits;
} table_xi[] = { { "bash", NAN, 1, NAN, 2 }, { "flush-9:0", 1, 126, 20, 2 },
	{ "grep", NAN, 1, NAN, 2 }, { "jbd2/md0-8", 2, 6, 20, 2 }, { "md0_raid1", 4, 65, 20, 2 },
	{ "rhn_check", NAN, 562, 4, 7 }, { "rhnsd", NAN, 3, 4, 7 }, { "rhsmcertd", NAN, 1, NAN, 1 },
	{ "rhsmcertd-worke", NAN, 114, 4, 7 }, { "sshd", NAN, 3, NAN, 2 } };

/* Table XII. */
static const struct {
	const char *daemon;
	double max_ms, sd_ms;
} table_xii[] = { { "flush-9:0", 7, 1.5 }, { "grep", 8, 2.1 }, { "java", 3, 0.8 },
	{ "jbd2/md0-8", 7, 1.4 }, { "kblockd/0", 4, 1 }, { "md0_raid1", 26, 4 }, { "ntpd", 1, 0 },
	{ "proc_monitor", 206, 1.3 }, { "rhn_check", 714, 93 }, { "rhnsd", 9, 1.6 },
	{ "rhsmcertd", 1, 0 }, { "rhsmcertd-worke", 117, 1 }, { "sshd", 14, 4.7 } };

/* Table XIII. */
static const struct row table_xiii[] = { { 10, "flush-9:0", 89 }, { 10, "java", 3 },
	{ 10, "java", 1 }, { 10, "jbd2/md0-8", 14 }, { 10, "kblockd/0", 1 },
	{ 10, "md0_raid1", 76 }, { 10, "proc_monitor", 204 }, { 10, "rhn_check", 24942 },
	{ 10, "rhn_check", 523 }, { 10, "rhnsd", 9 }, { 10, "rhsmcertd-worke", 116 },
	{ 16, "flush-9:0", 91 }, { 16, "java", 3 }, { 16, "java", 1 }, { 16, "jbd2/md0-8", 21 },
	{ 16, "kblockd/0", 2 }, { 16, "md0_raid1", 78 }, { 16, "proc_monitor", 204 },
	{ 16, "rhn_check", 26667 }, { 16, "rhnsd", 3 }, { 16, "rhsmcertd-worke", 115 } };

/* Table XV. */
static const struct {
	const char *daemon;
	double central_ms, least_ms, period_hours;
} table_xv[] = { { "flush-9:0", 7, 89, 20 }, { "jbd2/md0-8", 7, 14, 20 },
	{ "md0_raid1", 26, 76, 20 }, { "rhn_check", 714, 24942, 4 } };

/* Table XVI: the cutoffs by the short and the long run, the task time, the final cutoffs. */
static const struct {
	const char *daemon;
	double short_ms, long_ms, task_hours, final_ms[2];
} table_xvi[] = { { "bash", 1, NAN, NAN, { 1, NAN } }, { "flush-9:0", 64, 48, 1, { 64, 48 } },
	{ "grep", 1, 12, NAN, { 12, NAN } }, { "jbd2/md0-8", 4, 11, 1, { 4, 11 } },
	{ "md0_raid1", 35, 51, 1, { 35, 51 } }, { "rhn_check", 281, 12828, 0.2, { 281, 12828 } },
	{ "rhnsd", 2, 12, 0.2, { 2, 12 } }, { "rhsmcertd", 1, 1, NAN, { 1, NAN } },
	{ "rhsmcertd-worke", 57, 119, 0.2, { 57, 119 } }, { "sshd", 2, 23, NAN, { 23, NAN } } };

/* Table XVII. */
static const uint32_t table_xvii[] = { 75, 104, 186, 216, 298, 328, 366, 410, 439, 522, 551, 634,
	663, 746, 775 };

/* Adds the daemons that Table IX has in this sample; returns the time of infrequent ones. */
static double add_l_sample(struct et_daemon_record *r, uint32_t number)
{
	double sum = 0;

	for (size_t i = 0; i < ET_LENGTH(table_ix); i++) {
		const struct row *x = &table_ix[i];
		if (x->sample != number)
			continue;
		et_daemon_run_execution(&r->short_run, et_daemon_record_name(r, x->daemon), x->ms);
		sum += x->ms;
	}
	return sum;
}

/* Daemons of Table VIII at random, and each of them once with its maximum. */
static void add_cluster(struct et_daemon_record *r, uint32_t number, struct et_rng *rng)
{
	for (size_t i = 0; i < ET_LENGTH(table_viii); i++) {
		double ms = table_viii[i].max_ms < 3 ? 1 : round(table_viii[i].max_ms / 1.02) - 1;
		if (number == 100 + i)
			ms = table_viii[i].max_ms;
		else if (et_rng_uniform(rng) > table_viii[i].share)
			continue;
		et_daemon_run_execution(
			&r->short_run, et_daemon_record_name(r, table_viii[i].daemon), ms);
	}
}

static void add_short_run(struct et_daemon_record *r)
{
	struct et_rng rng;

	et_rng_seed(&rng, 7, 7);
	r->short_run =
		(struct et_daemon_run){ .samples = 800, .sample_seconds = 128.25, .whole = true };
	for (uint32_t i = 1; i <= 800; i++) {
		et_daemon_run_add(&r->short_run, i, (i - 1) * 128.25);
		double more = add_l_sample(r, i);
		if (more > 0) {
			et_daemon_run_execution(&r->short_run, et_daemon_record_name(r, "java"), 3);
			et_daemon_run_execution(
				&r->short_run, et_daemon_record_name(r, "proc_monitor"), 202);
		} else {
			add_cluster(r, i, &rng);
		}
		struct et_daemon_sample *w = &r->short_run.listed[i - 1];
		double noise = round(fmin(fmax(2.5 * et_rng_normal(&rng), -5), 6));
		w->elapsed_ms = 128250 + noise + more;
		/* The maximum of Table VII is in a sample with rhn_check. */
		w->cpu_ms = 128250 + noise + (more > 30000 ? 240 : 0);
	}
}

static void add_long_run(struct et_daemon_record *r)
{
	struct et_daemon_run *run = &r->long_run;

	*run = (struct et_daemon_run){ .samples = 40, .sample_seconds = 16415.8 };
	run->central = et_calloc(ET_LENGTH(table_xii), sizeof(*run->central));
	for (size_t i = 0; i < ET_LENGTH(table_xii); i++)
		run->central[run->n_central++] =
			(struct et_central){ et_daemon_record_name(r, table_xii[i].daemon),
				table_xii[i].max_ms, table_xii[i].sd_ms };
	for (size_t i = 0; i < ET_LENGTH(table_xiii); i++) {
		const struct row *x = &table_xiii[i];
		if (!run->n_listed || run->listed[run->n_listed - 1].number != x->sample)
			et_daemon_run_add(run, x->sample, (x->sample - 1) * run->sample_seconds);
		et_daemon_run_execution(run, et_daemon_record_name(r, x->daemon), x->ms);
	}
	r->has_long = true;
}

static void same(double got, double want, const char *table, const char *daemon, const char *what)
{
	near(got, want, 0, 0, "%s: %s, %s", table, daemon, what);
}

static void check_l_samples(const struct et_daemon_record *r, const struct et_run_findings *f)
{
	size_t right = 0;

	for (size_t i = 0; i < 800; i++) {
		bool listed = false;
		for (size_t k = 0; k < ET_LENGTH(table_ix); k++)
			listed |= table_ix[k].sample == r->short_run.listed[i].number;
		right += f->far[i] == listed && f->explained[i] == listed;
	}
	ok(f->n_far == 16 && right == 800, "Table IX: the 16 L-samples are found, and no other");
	ok(f->shape.pairs == 384, "Figure 14(d): 384 pairs are in the central cluster: %zu",
		f->shape.pairs);
	ok(f->shape.symmetric, "Figure 14(d): the central cluster is symmetric");
	ok(f->n_central == ET_LENGTH(table_viii), "Table VIII: nine daemons are in the cluster");
	for (size_t i = 0; i < f->n_central && i < ET_LENGTH(table_viii); i++)
		same(f->central[i].max_ms, table_viii[i].max_ms, "Table VIII",
			r->names[f->central[i].name], "maximum");
}

static void check_collected(const struct et_daemon_record *r, const struct et_daemon_findings *f)
{
	const struct et_run_findings *s = &f->short_run, *l = &f->long_run;

	ok(s->n_collected == ET_LENGTH(table_xi), "Table XI: it has ten daemons");
	for (size_t i = 0; i < s->n_collected && i < ET_LENGTH(table_xi); i++) {
		const struct et_collected *c = &s->collected[i];
		const char *name = r->names[c->name];
		ok(!strcmp(name, table_xi[i].daemon), "Table XI: row %zu is %s", i + 1, name);
		same(c->central_ms, table_xi[i].central_ms, "Table XI", name, "maximum");
		same(c->least_ms, table_xi[i].least_ms, "Table XI", name, "minimum");
		same(c->period_s / 3600, table_xi[i].period_hours, "Table XI", name, "period");
		same(c->visits, table_xi[i].visits, "Table IX", name, "visits");
	}
	ok(l->n_collected == ET_LENGTH(table_xv), "Table XV: it has four daemons");
	for (size_t i = 0; i < l->n_collected && i < ET_LENGTH(table_xv); i++) {
		const struct et_collected *c = &l->collected[i];
		const char *name = r->names[c->name];
		ok(!strcmp(name, table_xv[i].daemon), "Table XV: row %zu is %s", i + 1, name);
		same(c->central_ms, table_xv[i].central_ms, "Table XV", name, "maximum");
		same(c->least_ms, table_xv[i].least_ms, "Table XV", name, "minimum");
		same(c->period_s / 3600, table_xv[i].period_hours, "Table XV", name, "period");
	}
}

/* Rounds as the papers do: halves upward. */
static double whole(double ms)
{
	return floor(ms + 0.5);
}

static void check_cutoffs(const struct et_daemon_findings *f)
{
	ok(f->n_cutoffs == ET_LENGTH(table_xvi), "Table XVI: it has ten daemons");
	for (size_t i = 0; i < f->n_cutoffs && i < ET_LENGTH(table_xvi); i++) {
		const struct et_cutoff *c = &f->cutoffs[i];
		bool two = !isnan(table_xvi[i].final_ms[1]);
		ok(!strcmp(c->daemon, table_xvi[i].daemon) && c->n_final == (two ? 2 : 1),
			"Table XVI: row %zu is %s with %d final cutoffs", i + 1, c->daemon,
			c->n_final);
		same(whole(c->short_ms), table_xvi[i].short_ms, "Table XVI", c->daemon, "short");
		same(whole(c->long_ms), table_xvi[i].long_ms, "Table XVI", c->daemon, "long");
		near(c->task_time_s / 3600, table_xvi[i].task_hours, 1e-12, 0,
			"Table XVI: %s, task time", c->daemon);
		for (int k = 0; k < c->n_final; k++)
			same(whole(c->final_ms[k]), table_xvi[i].final_ms[k], "Table XVI",
				c->daemon, k ? "final for long programs" : "final");
	}
}

static void check_removed(const struct et_daemon_record *r, const struct et_daemon_findings *f)
{
	size_t n = 0, right = 0;

	for (size_t i = 0; i < 800; i++) {
		if (!f->short_run.removed[i])
			continue;
		right +=
			n < ET_LENGTH(table_xvii) && table_xvii[n] == r->short_run.listed[i].number;
		n++;
	}
	ok(n == ET_LENGTH(table_xvii) && right == n,
		"Table XVII: the 15 samples of the short run are removed, and 451 is not");
	ok(f->long_run.removed[0] && f->long_run.removed[1],
		"Table XVII: samples 10 and 16 of the long run are removed");
}

int main(void)
{
	struct et_daemon_record r = { 0 };
	struct et_daemon_findings f;
	struct et_error err;

	add_short_run(&r);
	add_long_run(&r);
	et_daemon_record_settle(&r);
	if (et_daemons_analyse(&r, "published", &f, &err))
		tap_bail("%s", err.what);
	check_l_samples(&r, &f.short_run);
	check_collected(&r, &f);
	check_cutoffs(&f);
	check_removed(&r, &f);
	et_daemon_findings_free(&f);
	et_daemon_record_free(&r);
	return tap_done();
}
