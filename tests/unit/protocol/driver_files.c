/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Commands that share files, by a scripted executor: which runs are scouted, and which follow. */
#include "base/base.h"
#include "experiment_of.h"
#include "protocol/driver.h"
#include "sample_of.h"
#include "tap.h"

#include <errno.h>

struct script {
	uint64_t now_ns;
	size_t calls, changes, overlaps, parallel, duets, solos, failures, reported;
	bool fails_scouted, fails_always, unfit;
	uint64_t scouted_ns; /* the CPU time of a scouted run; 0: as of the others */
	const char *file[3]; /* that each command writes; NULL: none */
	struct et_files files;
};

static uint64_t now(void *ctx)
{
	return ((struct script *)ctx)->now_ns;
}

static void fill(struct script *s, struct et_sample *out)
{
	*out = (struct et_sample){ .measured = { .started_wall_ns = s->now_ns + 1,
					   .cpu_ns = 30000000,
					   .elapsed_ns = 30001000 } };
	s->now_ns += out->measured.elapsed_ns;
}

static void find_files(struct script *s, const struct et_request *q, struct et_sample *out)
{
	bool by_calls = q->scout == ET_SCOUT_CALLS;

	s->calls += by_calls;
	s->changes += !by_calls;
	et_files_free(&s->files);
	s->files.scouted = by_calls && !s->unfit ? ET_SCOUTED_CALLS : ET_SCOUTED_UNFIT;
	if (s->file[q->command])
		et_files_add(&s->files, s->file[q->command], ET_FILE_WRITTEN);
	out->ruling.marks = by_calls ? ET_MARK_SCOUTED : 0;
	if (by_calls && s->scouted_ns)
		out->measured.cpu_ns = s->scouted_ns;
	if (by_calls && (s->fails_scouted || s->unfit))
		out->measured.exit_code = 3;
}

static int run(void *ctx, const struct et_request *q, struct et_sample out[2], struct et_error *err)
{
	struct script *s = ctx;
	bool duet = q->arrangement == ET_DUET;

	(void)err;
	fill(s, &out[0]);
	s->overlaps += duet && q->overlap;
	s->parallel += duet && q->parallel;
	if (duet)
		fill(s, &out[1]);
	if (duet && !q->overlap)
		out[0].ruling.marks = out[1].ruling.marks = ET_MARK_NO_OVERLAP;
	s->duets += duet;
	s->solos += !duet && !q->warmup;
	if (q->scout)
		find_files(s, q, &out[0]);
	if (s->fails_always)
		out[0].measured.exit_code = 4;
	return 0;
}

static const struct et_files *files(void *ctx)
{
	return &((struct script *)ctx)->files;
}

static int around(void *ctx, enum et_occasion occasion, uint32_t command, struct et_error *err)
{
	(void)ctx, (void)occasion, (void)command, (void)err;
	return 0;
}

static int keep(void *ctx, const struct et_sample *s, size_t n, struct et_error *err)
{
	(void)err;
	for (size_t i = 0; i < n; i++)
		((struct script *)ctx)->failures += s[i].measured.exit_code != 0;
	return 0;
}

static int scouted(void *ctx, uint32_t command, struct et_error *err)
{
	(void)command, (void)err;
	((struct script *)ctx)->reported++;
	return 0;
}

static enum et_kinds same_kind(void *ctx, const struct et_experiment *e, uint32_t command)
{
	(void)ctx, (void)e, (void)command;
	return ET_KINDS_SAME;
}

static struct et_error err;

static int drive(struct et_experiment *e, struct script *s)
{
	struct et_clock clock = { .now_ns = now, .wall_ns = now, .ctx = s };
	struct et_driver d = { .e = e,
		.executor = { .run = run, .around = around, .files = files, .ctx = s },
		.clock = &clock,
		.keep = keep,
		.scouted = scouted,
		.hooks = { .kinds = same_kind },
		.ctx = s };
	int rc = et_drive(&d, &err);

	et_files_free(&s->files);
	return rc;
}

static const struct et_plan automatic = {
	.runs = 4, .warmup = 2, .order = ET_ORDER_AUTO, .scout = true
};

static void shared(void)
{
	struct script s = { .file = { "/a", "/b" } };
	struct et_experiment *e = experiment(2, automatic);

	ok(drive(e, &s) == 0 && s.calls == 2 && s.changes == 0 && s.reported == 2,
		"files: the first warm-up run of each command is scouted");
	ok(s.duets == 4 && s.solos == 8, "files: commands with files of their own run in duets");
	et_experiment_free(e);

	s = (struct script){ .file = { "/a", "/a" } };
	e = experiment(2, automatic);
	ok(drive(e, &s) == 0 && s.duets == 0 && s.solos == 8,
		"files: two that write the same file run one at a time, from the first round on");
	et_experiment_free(e);

	s = (struct script){ .file = { "/a", "/b", "/a" } };
	e = experiment(3, automatic);
	ok(drive(e, &s) == 0 && s.duets == 4 && s.solos == 12,
		"files: of three commands only those that share one are kept apart");
	et_experiment_free(e);

	s = (struct script){ .file = { "/a", "/a" } };
	struct et_plan decide = automatic;
	decide.runs = 0;
	decide.equal_ratio = 0.01;
	decide.min_runs = decide.max_runs = 30;
	e = experiment(2, decide);
	ok(drive(e, &s) == 0 && s.duets == 0 && s.solos == 60,
		"files: they stay apart after the rounds that show their kind");
	et_experiment_free(e);

	s = (struct script){ .file = { "/a", "/a" } };
	struct et_plan none = automatic;
	none.warmup = 0;
	e = experiment(2, none);
	ok(drive(e, &s) == 0 && s.calls == 2 && s.duets == 0,
		"files: without warm-up one run of each is scouted before the first duet");
	et_experiment_free(e);

	s = (struct script){ .file = { "/a", "/a" } };
	none.order = ET_ORDER_RANDOM;
	e = experiment(2, none);
	ok(drive(e, &s) == 0 && s.calls == 0, "files: without warm-up and duets none is scouted");
	et_experiment_free(e);

	s = (struct script){ .file = { "/a", "/a" } };
	struct et_plan off = automatic;
	off.scout = false;
	e = experiment(2, off);
	ok(drive(e, &s) == 0 && s.calls == 0 && s.duets == 4,
		"files: --no-scout runs duets and scouts nothing");
	et_experiment_free(e);
}

static void refused(void)
{
	struct script s = { .file = { "/a", "/a" } };
	struct et_plan duet = automatic;

	duet.order = ET_ORDER_DUET;
	struct et_experiment *e = experiment(2, duet);
	ok(drive(e, &s) < 0 && err.exit == ET_EXIT_USAGE && s.duets == 0 &&
			strstr(err.what, "both write /a") && strstr(err.hint, "--no-scout"),
		"files: --order duet is refused for two that share a file: %s", err.what);
	et_experiment_free(e);
}

/* Programs of 30 ms; a slice of this machine is 40 ms. */
static void undecided(void)
{
	struct script s = { .scouted_ns = 60000000 };
	struct et_plan once = automatic;

	once.warmup = 1;
	struct et_experiment *e = experiment(2, once);
	e->host.tick_ns = 20000000;
	ok(drive(e, &s) == 0 && s.duets == 4 && s.overlaps == 0 && s.parallel == 0 &&
			e->commands[0].samples.n == 1 + 1 + 2 * 4,
		"files: a scouted run near the limit does not decide how duets run");
	et_experiment_free(e);

	s = (struct script){ .scouted_ns = 31000000 };
	e = experiment(2, once);
	e->host.tick_ns = 20000000;
	ok(drive(e, &s) == 0 && s.overlaps == 0 && e->commands[0].samples.n == 1 + 2 * 4,
		"files: if it is clear, no further run is made");
	et_experiment_free(e);
}

static void repeated(void)
{
	struct script s = { .fails_scouted = true, .file = { "/a", "/a" } };
	struct et_experiment *e = experiment(2, automatic);

	ok(drive(e, &s) == 0 && s.calls == 2 && s.changes == 2 && s.failures == 0 && s.duets == 0,
		"files: a scouted run that fails is made again without, and only that one counts");
	ok(e->commands[0].files.scouted == ET_SCOUTED_UNFIT && e->commands[0].samples.n == 2 + 4,
		"files: the record has how they were found");
	et_experiment_free(e);

	s = (struct script){ .unfit = true };
	e = experiment(2, automatic);
	ok(drive(e, &s) == 0 && s.changes == 2 && s.failures == 0 && s.duets == 4,
		"files: a run that was ended because it was scouted is made again");
	et_experiment_free(e);

	s = (struct script){ .fails_always = true };
	e = experiment(2, automatic);
	ok(drive(e, &s) == -ECHILD && s.calls == 1 && s.changes == 1 && s.failures == 1 &&
			e->commands[0].files.scouted == ET_SCOUTED_NOT,
		"files: a program that fails in both runs fails once");
	et_experiment_free(e);
}

static void resumed(void)
{
	struct script s = { .file = { "/c", "/d" } };
	struct et_experiment *e = experiment(2, automatic);

	for (int c = 0; c < 2; c++) {
		e->commands[c].files.scouted = ET_SCOUTED_CALLS;
		et_files_add(&e->commands[c].files, "/a", ET_FILE_WRITTEN);
	}
	ok(drive(e, &s) == 0 && s.calls == 0 && s.duets == 0,
		"files: a session that resumes decides by the record");
	et_experiment_free(e);
}

int main(void)
{
	shared();
	refused();
	undecided();
	repeated();
	resumed();
	return tap_done();
}
