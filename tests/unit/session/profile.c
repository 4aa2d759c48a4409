/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A profile that is interrupted and resumed: the driver, the recorder and a store with an executor
 * whose programs are invented. The functions that a run sees depend on the seed and on the number
 * of the run, so a resumed profile is the same as an uninterrupted one only if its plan, its seed,
 * its runs and the numbers of its functions are.
 */
#include "protocol/driver.h"
#include "session/recorder.h"
#include "unit/store/specimen.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

static const char id[] = "20251115-085506-aaaaaa";

static char folder[] = "/tmp/etalon-test-XXXXXX";
static char path[300];
static struct et_error err;

struct script {
	struct et_experiment *e;
	struct et_recorder recorder;
	size_t runs, interrupt_at; /* 0: never */
	int out;                   /* a byte is written to it after each durable run; -1: none */
};

static struct et_profile_run *invent(const struct et_experiment *e)
{
	struct et_profile *p = e->profile;
	struct et_profile_run *run = et_calloc(1, sizeof(*run));
	uint64_t random = e->plan.seed * 2654435761u + p->n_runs * 40503u;
	char name[32];

	run->period = 1e6;
	for (int i = 0; i < 5; i++) {
		random ^= random << 13, random ^= random >> 7, random ^= random << 17;
		snprintf(name, sizeof(name), "f%u", (unsigned)(random % 23));
		uint32_t f = et_profile_function_of(p, name, "/bin/x", ET_SPACE_USER, false);
		et_profile_run_add(run, et_profile_node_of(p, ET_PROFILE_ROOT, f), 1 + i, 0);
	}
	return run;
}

static int run(void *ctx, const struct et_request *q, struct et_sample out[2], struct et_error *why)
{
	struct script *s = ctx;

	(void)q;
	(void)why;
	if (++s->runs == s->interrupt_at)
		return -EINTR;
	memset(out, 0, sizeof(*out));
	out->measured.cpu_ns = out->measured.elapsed_ns = 30000000;
	out->measured.profile = invent(s->e);
	return 0;
}

static int around(void *ctx, enum et_occasion occasion, uint32_t command, struct et_error *why)
{
	(void)ctx;
	(void)occasion;
	(void)command;
	(void)why;
	return 0;
}

static int keep(void *ctx, const struct et_sample *sample, size_t n, struct et_error *why)
{
	struct script *s = ctx;

	(void)why;
	if (s->recorder.store)
		et_recorder_keep(&s->recorder, sample, n);
	return 0;
}

static int settle(void *ctx, uint64_t next_ns, struct et_error *why)
{
	struct script *s = ctx;

	(void)next_ns;
	int rc = s->recorder.store ? et_recorder_flush(&s->recorder, why) : 0;
	if (rc == 0 && s->out >= 0 && write(s->out, "", 1) != 1)
		rc = -errno;
	return rc;
}

static int drive(struct script *s)
{
	struct et_driver d = { .e = s->e,
		.executor = { .run = run, .around = around, .ctx = s },
		.clock = &et_clock_real,
		.settle = settle,
		.keep = keep,
		.ctx = s };

	return et_drive(&d, &err);
}

/* Without warm-up, which each session does anew. */
static struct et_experiment *plan(void)
{
	struct et_experiment *e = specimen(id);

	e->protocol = ET_PROTOCOL_RAW;
	e->plan =
		(struct et_plan){ .order = ET_ORDER_RANDOM, .seed = 99, .runs = 8, .level = 0.95 };
	specimen_profile(e);
	return e;
}

/* The profile of a session that nothing interrupts. */
static struct et_experiment *uninterrupted(void)
{
	struct script s = { .e = plan(), .out = -1 };

	if (drive(&s))
		tap_bail("%s", err.what);
	return s.e;
}

static struct et_store *open_store(void)
{
	struct et_store *s = NULL;

	if (et_store_open(path, ET_STORE_WRITE, &s, &err))
		tap_bail("%s", err.what);
	return s;
}

/* Begins the experiment, or continues what the store has of it. */
static struct script begin(const char *name, bool resume)
{
	struct script s = { .out = -1 };

	snprintf(path, sizeof(path), "%s/%s.db", folder, name);
	struct et_store *store = open_store();
	s.e = resume ? NULL : plan();
	if (resume ? et_store_load(store, id, &s.e, &err) : et_store_begin(store, s.e, &err))
		tap_bail("%s", err.what);
	s.recorder = (struct et_recorder){
		.store = store, .id = id, .clock = &et_clock_real, .profile = s.e->profile
	};
	return s;
}

static void end(struct script *s)
{
	et_store_close(s->recorder.store);
	et_recorder_free(&s->recorder);
	et_experiment_free(s->e);
}

/* Continues the experiment to its end, and compares it and what is stored. */
static void check_resumed(const char *name, const char *label)
{
	struct et_experiment *want = uninterrupted(), *stored = NULL;
	struct script s = begin(name, true);
	size_t before = s.e->profile->n_runs;

	int rc = drive(&s);
	if (rc == 0)
		rc = et_recorder_flush(&s.recorder, &err);
	ok(rc == 0 && before > 0 && before < want->profile->n_runs &&
			same_profile(want->profile, s.e->profile),
		"%s: after %zu of %zu runs it continues with its seed and its function numbers",
		label, before, want->profile->n_runs);
	if (et_store_load(s.recorder.store, id, &stored, &err))
		tap_bail("%s", err.what);
	ok(same_profile(want->profile, stored->profile),
		"%s: the stored profile is that of an uninterrupted session", label);
	et_experiment_free(stored);
	et_experiment_free(want);
	end(&s);
}

static void test_interrupted(void)
{
	struct script s = begin("interrupted", false);

	s.interrupt_at = 7;
	ok(drive(&s) == -EINTR && et_recorder_flush(&s.recorder, &err) == 0,
		"interrupted: the finished runs are stored");
	end(&s);
	check_resumed("interrupted", "interrupted");
}

static void test_killed(void)
{
	char byte;
	int pipes[2];

	if (pipe(pipes))
		tap_bail("pipe");
	pid_t pid = fork();
	if (pid == 0) {
		struct script s = begin("killed", false);
		s.out = pipes[1];
		s.interrupt_at = 12; /* it would end by itself if it were not killed */
		(void)!drive(&s);
		for (;;)
			pause();
	}
	close(pipes[1]);
	for (int i = 0; i < 6; i++) {
		if (read(pipes[0], &byte, 1) != 1)
			tap_bail("the child ended");
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(pipes[0]);
	check_resumed("killed", "kill -9 between runs");
}

static void test_full_disk(void)
{
	struct rlimit old, limit;
	struct script s = begin("full", false);

	s.interrupt_at = 5;
	if (drive(&s) != -EINTR || et_recorder_flush(&s.recorder, &err))
		tap_bail("%s", err.what);
	signal(SIGXFSZ, SIG_IGN);
	if (getrlimit(RLIMIT_FSIZE, &old))
		tap_bail("getrlimit");
	limit = (struct rlimit){ 8192, old.rlim_max };
	if (setrlimit(RLIMIT_FSIZE, &limit))
		tap_bail("setrlimit");
	s.interrupt_at = 0;
	int rc = drive(&s);
	ok(rc < 0 && rc != -EINTR && err.exit == ET_EXIT_OUTSIDE,
		"full disk: the profile stops with an error: %s", err.what);
	if (setrlimit(RLIMIT_FSIZE, &old))
		tap_bail("setrlimit");
	ok(et_recorder_flush(&s.recorder, &err) == 0,
		"full disk: with space again the waiting runs are stored with their functions");
	end(&s);
	check_resumed("full", "full disk");
}

int main(void)
{
	if (!mkdtemp(folder))
		tap_bail("mkdtemp");
	test_interrupted();
	test_killed();
	test_full_disk();
	ET_AUTO_FREE char *clean = et_asprintf("rm -rf %s", folder);
	ok(system(clean) == 0, "the test's folder is removed");
	return tap_done();
}
