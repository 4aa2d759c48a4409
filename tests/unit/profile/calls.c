/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Calls that are counted by uprobes, exact against a program with known numbers of calls: this test
 * itself, started with an argument.
 */
#include "profile/calls.h"
#include "base/alloc.h"
#include "measure/runner.h"
#include "profile/object.h"
#include "tap.h"

#include <math.h>
#include <pthread.h>
#include <sys/wait.h>

extern char **environ;

static struct et_interrupt interrupt;
static struct et_error err;

/* --- the program --- */

enum { DIRECT = 1234, IN_THREAD = 77, IN_CHILD = 1000 };

__attribute__((noinline, noclone)) static int often(volatile int *x)
{
	return ++*x;
}

/* It begins with its loop, so a probe after the endbr64 may be passed in each round. */
__attribute__((noinline, noclone)) static int looping(volatile int *x)
{
	do
		++*x;
	while (*x % 8);
	return *x;
}

__attribute__((noinline, noclone)) static int never(volatile int *x)
{
	return --*x;
}

static void *call_in_thread(void *ctx)
{
	for (int i = 0; i < IN_THREAD; i++)
		often(ctx);
	return NULL;
}

static int work(bool alone)
{
	volatile int x = 0;
	pthread_t thread;

	for (int i = 0; i < DIRECT; i++)
		often(&x);
	for (int i = 0; i < DIRECT; i++)
		looping(&x);
	if (alone)
		return 0;
	if (pthread_create(&thread, NULL, call_in_thread, (void *)&x))
		return 1;
	pthread_join(thread, NULL);
	pid_t pid = fork();
	if (pid == 0) {
		for (int i = 0; i < IN_CHILD; i++)
			often(&x);
		_exit(0);
	}
	if (pid < 0 || waitpid(pid, NULL, 0) != pid)
		return 1;
	return x == 0x7fffffff ? never(&x) : 0;
}

/* --- the tests --- */

static void test_skip(void)
{
	static const struct {
		unsigned char code[16];
		size_t size;
		int want;
		const char *label;
	} list[] = {
		{ { 0x55, 0xc3 }, 2, 0, "a push" },
		{ { 0xff, 0x07, 0x75, 0xfc, 0xc3 }, 5, -1, "a loop from its first byte" },
		{ { 0xf3, 0x0f, 0x1e, 0xfa, 0x55, 0xc3 }, 6, 4, "endbr64 and a push" },
		{ { 0xf3, 0x0f, 0x1e, 0xfa }, 4, 0, "endbr64 alone" },
		{ { 0xf3, 0x0f, 0x1e, 0xfa, 0xff, 0x07, 0xeb, 0xfc }, 8, 0, "a short jump back" },
		{ { 0xf3, 0x0f, 0x1e, 0xfa, 0xff, 0x07, 0x75, 0xfc }, 8, 0, "a condition" },
		{ { 0xf3, 0x0f, 0x1e, 0xfa, 0x90, 0x75, 0xfc }, 7, 4, "a jump before the place" },
		{ { 0xf3, 0x0f, 0x1e, 0xfa, 0x90, 0xe9, 0xfa, 0xff, 0xff, 0xff }, 10, 0,
			"a long jump back" },
		{ { 0xf3, 0x0f, 0x1e, 0xfa, 0x90, 0x0f, 0x85, 0xf9, 0xff, 0xff, 0xff }, 11, 0,
			"a long condition" },
		{ { 0xf3, 0x0f, 0x1e, 0xfa, 0x90, 0x0f, 0x85, 0xf9, 0xff }, 9, 4,
			"a jump that is cut off" },
	};

	for (size_t i = 0; i < ET_LENGTH(list); i++)
		ok(et_calls_place(list[i].code, list[i].size) == list[i].want,
			"the place of a probe in a function with %s is %d", list[i].label,
			list[i].want);
}

static uint32_t add(struct et_profile *p, const char *name, const char *module,
	enum et_space_kind space, struct et_profile_run *run, uint64_t samples)
{
	uint32_t f = et_profile_function_of(p, name, module, space, false);

	et_profile_run_add(run, et_profile_node_of(p, ET_PROFILE_ROOT, f), samples, 0);
	return f;
}

static void test_choose(void)
{
	struct et_profile *p = et_profile_new(&et_default_profile_plan);
	struct et_profile_run run = { 0 }, warmup = { .warmup = true };
	uint32_t out[ET_MOST_COUNTED];
	char name[32];

	add(p, "read", "[kernel]", ET_SPACE_KERNEL, &run, 5000);
	add(p, "anything", "[jit]", ET_SPACE_JIT, &run, 100);
	for (int i = 0; i < 20; i++) {
		snprintf(name, sizeof(name), "f%d", i);
		add(p, name, "/bin/x", ET_SPACE_USER, &run, i < 12 ? 100 : 1);
	}
	add(p, "start", "/bin/x", ET_SPACE_USER, &warmup, 100000);
	et_profile_add_run(p, &run);
	et_profile_add_run(p, &warmup);
	size_t n = et_calls_choose(p, 0, out);
	ok(n == 12 && !strcmp(p->functions[out[0]].name, "f0"),
		"functions of files with 1 %% of the samples are counted, without the warm-up");
	p->runs[0].command = 1;
	n = et_calls_choose(p, 0, out);
	ok(n == 0, "functions without samples of the command are not counted");
	et_profile_free(p);

	p = et_profile_new(&et_default_profile_plan);
	run = (struct et_profile_run){ 0 };
	for (int i = 0; i < 300; i++) {
		snprintf(name, sizeof(name), "f%d", i);
		add(p, name, "/bin/x", ET_SPACE_USER, &run, 7);
	}
	et_profile_add_run(p, &run);
	ok(et_calls_choose(p, 0, out) == 10, "without hot functions the first ten are counted");
	et_profile_free(p);
}

/* Counts the calls; `tasks` is known from the runs that were sampled. */
static void test_count(const char *path, const char *workload, uint64_t tasks, uint64_t calls)
{
	struct et_experiment *e = et_experiment_new();
	char **argv = et_calloc(3, sizeof(*argv));
	struct et_profile_run run = { .tasks = tasks };
	struct et_runner *r = NULL;
	struct et_request q = { .arrangement = ET_SOLO };
	struct et_sample s[2] = { 0 };

	argv[0] = et_strdup(path);
	argv[1] = et_strdup(workload);
	et_experiment_add_command(e, et_strdup("calls"), argv);
	struct et_profile *p = e->profile = et_profile_new(&et_default_profile_plan);
	uint32_t direct = add(p, "often", path, ET_SPACE_USER, &run, 50);
	uint32_t loops = add(p, "looping", path, ET_SPACE_USER, &run, 50);
	uint32_t none = add(p, "never", path, ET_SPACE_USER, &run, 50);
	uint32_t nowhere = add(p, "no_such_function", path, ET_SPACE_USER, &run, 50);
	uint32_t missing = add(p, "f", "/nosuch/file", ET_SPACE_USER, &run, 50);
	et_profile_add_run(p, &run);

	int rc = et_runner_open(e, environ, &interrupt, &r, &err);
	if (rc == 0)
		rc = et_runner_observe(r, &et_observe_calls, &err);
	if (rc == 0) {
		struct et_executor x = et_runner_executor(r);
		rc = x.run(x.ctx, &q, s, &err);
		et_sample_free(&s[0]);
	}
	et_runner_close(r);
	if (rc && err.exit == ET_EXIT_ENVIRONMENT) {
		skip(err.what);
		et_experiment_free(e);
		return;
	}
	ok(rc == 0 && s[0].measured.exit_code == 0, "the program runs with probes: %s", err.what);
	ok(et_profile_calls_of(p, 0, direct) == (double)calls,
		"calls of the program '%s' are counted exactly", workload);
	double rounds = et_profile_calls_of(p, 0, loops);
	ok(rounds == DIRECT || isnan(rounds),
		"the rounds of a loop at the beginning of a function are no calls");
	ok(et_profile_calls_of(p, 0, none) == 0, "a function that is not called has 0 calls");
	ok(isnan(et_profile_calls_of(p, 0, nowhere)) && isnan(et_profile_calls_of(p, 0, missing)),
		"calls of functions that are not found are not known");
	et_experiment_free(e);
}

int main(int argc, char **argv)
{
	static const struct et_build_id any;
	struct et_object o = { 0 };
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	if (argc > 1)
		return work(!strcmp(argv[1], "alone"));
	path[n > 0 ? n : 0] = '\0';
	test_skip();
	test_choose();
	et_object_read("", path, &any, false, &o);
	if (o.state == ET_OBJECT_UNSUPPORTED)
		skip("calls are counted: etalon was built without libdw");
	else if (et_calls_allowed("", &err))
		skip(err.what);
	else {
		test_count(path, "with a thread and a child", 3, DIRECT + IN_THREAD + IN_CHILD);
		test_count(path, "alone", 1, DIRECT);
	}
	et_object_free(&o);
	ok(et_calls_allowed("/nosuch", &err) < 0 && err.exit == ET_EXIT_ENVIRONMENT &&
			strstr(err.what, "no uprobes") && err.hint[0],
		"a kernel without uprobes is an error with a hint");
	return tap_done();
}
