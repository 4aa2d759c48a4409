/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Calls that are counted by uprobes, exact against a program with known numbers of calls: this test
 * itself, started with an argument.
 */
#include "profile/sampling/calls.h"
#include "base/base.h"
#include "base/clock.h"
#include "measure/child/runner.h"
#include "profile/symbols/object.h"
#include "profile/symbols/symbols.h"
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/wait.h>

extern char **environ;

static struct et_interrupt interrupt;
static struct et_error err;

/* --- the program --- */

enum { DIRECT = 1234, IN_THREAD = 77, IN_CHILD = 1000 };

/* Its symbol is that of a function of C++. */
#define OFTEN "_Z5oftenPVi"
#define OFTEN_SHOWN (et_demangle_built() ? "often(int volatile*)" : OFTEN)
static int often(volatile int *x) __asm__(OFTEN);

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

enum { WATCHED = 20000 };

/* How long a call takes in a process that is not counted, in nanoseconds. */
static double watch(void)
{
	volatile int x = 0;
	uint64_t begin = et_clock_read_ns(CLOCK_PROCESS_CPUTIME_ID);

	for (int i = 0; i < WATCHED; i++)
		often(&x);
	return (double)(et_clock_read_ns(CLOCK_PROCESS_CPUTIME_ID) - begin) / WATCHED;
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
	/* The test itself has this file in memory as well, and waits until it has looked. */
	const char *fifo = getenv("CALLS_FIFO");
	int go = fifo ? open(fifo, O_RDONLY) : -1;
	if (go >= 0) {
		char byte;
		if (read(go, &byte, 1) < 0)
			return 1;
		close(go);
	}
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
	ok(et_calls_choose(p, 0, out) == 0, "functions with less than 1 %% are not counted");
	et_profile_free(p);
}

/* An experiment with a program that was profiled. */
struct subject {
	struct et_experiment *e;
	struct et_profile *p;
	struct et_profile_run run; /* of the profile, until it is added */
};

static struct subject make(const char *path, const char *workload, uint64_t tasks)
{
	struct subject s = { .e = et_experiment_new(), .run = { .tasks = tasks } };
	char **argv = et_calloc(3, sizeof(*argv));

	argv[0] = et_strdup(path);
	argv[1] = et_strdup(workload);
	et_experiment_add_command(s.e, et_strdup("calls"), argv);
	s.e->started_wall_ns = et_clock_read_ns(CLOCK_REALTIME);
	s.p = s.e->profile = et_profile_new(&et_default_profile_plan);
	return s;
}

static uint32_t add_to(struct subject *s, const char *name, const char *path)
{
	return add(s->p, name, path, ET_SPACE_USER, &s->run, 50);
}

/* Runs it with probes; false if this machine does not allow it. */
static bool count(struct subject *s, int *rc)
{
	struct et_runner *r = NULL;
	struct et_request q = { .arrangement = ET_SOLO };
	struct et_sample sample[2] = { 0 };

	et_profile_add_run(s->p, &s->run);
	err = (struct et_error){ 0 };
	*rc = et_runner_open(s->e, environ, &interrupt, &r, &err);
	if (*rc == 0)
		*rc = et_runner_observe(r, &et_observe_calls, &err);
	if (*rc == 0) {
		struct et_executor x = et_runner_executor(r);
		*rc = x.run(x.ctx, &q, sample, &err);
		et_sample_free(&sample[0]);
	}
	et_runner_close(r);
	if (*rc == 0 && sample[0].measured.exit_code)
		*rc = -ECHILD;
	if (*rc && *rc != -ESTALE && err.exit == ET_EXIT_ENVIRONMENT) {
		skip(err.what);
		return false;
	}
	return true;
}

/* Counts the calls; `tasks` is known from the runs that were sampled. */
static void test_count(const char *path, const char *workload, uint64_t tasks, uint64_t calls)
{
	struct subject s = make(path, workload, tasks);
	uint32_t direct = add_to(&s, OFTEN_SHOWN, path), loops = add_to(&s, "looping", path);
	uint32_t none = add_to(&s, "never", path);
	uint32_t nowhere = add_to(&s, "no_such_function", path);
	uint32_t missing = add_to(&s, "f", "/nosuch/file");
	int rc;

	if (count(&s, &rc)) {
		ok(rc == 0, "the program runs with probes: %s", err.what);
		ok(et_profile_calls_of(s.p, 0, direct) == (double)calls,
			"calls of the program '%s' are counted exactly", workload);
		double rounds = et_profile_calls_of(s.p, 0, loops);
		ok(rounds == DIRECT || isnan(rounds),
			"the rounds of a loop at the beginning of a function are no calls");
		ok(et_profile_calls_of(s.p, 0, none) == 0,
			"a function that is not called has 0 calls");
		ok(isnan(et_profile_calls_of(s.p, 0, nowhere)) &&
				isnan(et_profile_calls_of(s.p, 0, missing)),
			"calls of functions that are not found are not known");
	}
	et_experiment_free(s.e);
}

/* A breakpoint costs thousands of nanoseconds, a call without one costs ten. */
static void *watch_meanwhile(void *ctx)
{
	const char *fifo = getenv("CALLS_FIFO");
	int go = open(fifo, O_WRONLY); /* the program has made its calls and waits */

	*(double *)ctx = watch();
	if (go >= 0)
		close(go);
	return NULL;
}

static void test_neighbour(const char *path, const char *folder)
{
	struct subject s = make(path, "with a thread and a child", 3);
	ET_AUTO_FREE char *fifo = et_asprintf("%s/fifo", folder);
	double during = NAN, before = watch();
	pthread_t thread;
	int rc;

	add_to(&s, OFTEN_SHOWN, path);
	setenv("CALLS_FIFO", fifo, 1);
	if (mkfifo(fifo, 0600) || pthread_create(&thread, NULL, watch_meanwhile, &during)) {
		ok(false, "a neighbour can be watched");
	} else {
		bool allowed = count(&s, &rc);
		int reader = open(fifo, O_RDONLY | O_NONBLOCK); /* if the program never ran */
		pthread_join(thread, NULL);
		close(reader);
		if (allowed)
			ok(rc == 0 && during < before + 300,
				"a process with the same file that is not counted is not slowed "
				"down: %.0f ns a call, %.0f before",
				during, before);
	}
	unsetenv("CALLS_FIFO");
	unlink(fifo);
	et_experiment_free(s.e);
}

static bool copy_file(const char *from, const char *to)
{
	ET_AUTO_CLOSE int in = open(from, O_RDONLY | O_CLOEXEC);
	ET_AUTO_CLOSE int out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0700);
	ssize_t n;

	while ((n = copy_file_range(in, NULL, out, NULL, 1 << 30, 0)) > 0)
		;
	return n == 0;
}

static void test_changed(const char *path, const char *folder)
{
	struct subject s = make(path, "alone", 1);
	ET_AUTO_FREE char *copy = et_asprintf("%s/copy", folder);
	int rc;

	struct stat made = { 0 };
	ok(copy_file(path, copy) && stat(copy, &made) == 0, "the program can be copied");
	s.e->started_wall_ns =
		(uint64_t)made.st_ctim.tv_sec * 1000000000u + (uint64_t)made.st_ctim.tv_nsec;
	uint32_t old = add_to(&s, OFTEN_SHOWN, path), changed = add_to(&s, OFTEN_SHOWN, copy);
	if (count(&s, &rc))
		ok(rc == 0 && et_profile_calls_of(s.p, 0, old) == DIRECT &&
				isnan(et_profile_calls_of(s.p, 0, changed)),
			"functions of a file that changed since the profile have no calls");
	et_experiment_free(s.e);

	s = make(copy, "alone", 1);
	s.e->started_wall_ns = 1;
	add_to(&s, OFTEN_SHOWN, copy);
	if (count(&s, &rc))
		ok(rc == -ESTALE && strstr(err.what, "changed"),
			"a program that changed since the profile is refused: %s", err.what);
	et_experiment_free(s.e);

	s = make(copy, "replaced", 1);
	uint32_t f = add_to(&s, OFTEN_SHOWN, copy);
	if (count(&s, &rc))
		ok(rc == 0 && isnan(et_profile_calls_of(s.p, 0, f)),
			"functions of a file that is removed in the run have no calls");
	et_experiment_free(s.e);
	unlink(copy);
}

/* An older file that took the place of the one that was profiled, by the name of its folder. */
static void test_build(const char *path)
{
	static const unsigned char one[20] = { 1 }, two[20] = { 2 };
	struct subject s = make(path, "alone", 1);
	int rc;

	add_to(&s, OFTEN_SHOWN, path);
	et_profile_note_build(s.p, path, one, sizeof(one));
	if (count(&s, &rc))
		ok(rc == -ESTALE, "a file with another build id is refused: %s", err.what);
	et_experiment_free(s.e);

	struct et_profile *p = et_profile_new(&et_default_profile_plan);
	et_profile_note_build(p, "/a", one, sizeof(one));
	et_profile_note_build(p, "/b", one, sizeof(one));
	et_profile_note_build(p, "/b", two, sizeof(two));
	et_profile_note_build(p, "/a", one, sizeof(one));
	const struct et_profile_build *a = et_profile_build_of(p, "/a");
	ok(a && a->size == sizeof(one) && !memcmp(a->id, one, sizeof(one)) &&
			et_profile_build_of(p, "/b")->size == 0 && !et_profile_build_of(p, "/c"),
		"build ids are kept; two of one path are none");
	et_profile_free(p);
}

/* The kernel reads the definition of a probe as words. */
static void test_odd_path(const char *path, const char *folder)
{
	ET_AUTO_FREE char *copy = et_asprintf("%s/a b#c", folder);
	int rc;

	ok(copy_file(path, copy), "the program can be copied");
	struct subject s = make(copy, "with a thread and a child", 3);
	uint32_t odd = add_to(&s, OFTEN_SHOWN, copy), plain = add_to(&s, OFTEN_SHOWN, path);
	if (count(&s, &rc))
		ok(rc == 0 && isnan(et_profile_calls_of(s.p, 0, odd)) &&
				et_profile_calls_of(s.p, 0, plain) == 0,
			"a path that the kernel cannot parse has no probe");
	et_experiment_free(s.e);
	unlink(copy);
}

static bool is_defined(const struct et_tracefs *t, const char *path)
{
	char text[1 << 16];
	ET_AUTO_CLOSE int fd = openat(t->dir, "uprobe_events", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);

	text[n > 0 ? n : 0] = '\0';
	return strstr(text, path);
}

/* A process that was killed leaves its definitions. */
static void test_stale(const char *path, const char *folder)
{
	ET_AUTO_FREE char *copy = et_asprintf("%s/stale", folder);
	struct et_tracefs t;
	uint64_t id;

	if (et_tracefs_open(&t)) {
		skip("definitions of a process that was killed are removed: no tracefs");
		return;
	}
	bool copied = copy_file(path, copy);
	pid_t pid = fork();
	if (pid == 0)
		_exit(et_tracefs_define(&t, 0, copy, 64, &id) != 0);
	int status = -1;
	bool ended = waitpid(pid, &status, 0) == pid;
	ok(copied && ended && status == 0 && is_defined(&t, copy), "a probe can be defined");
	et_tracefs_close(&t);
	ok(et_tracefs_open(&t) == 0 && !is_defined(&t, copy),
		"definitions of a process that was killed are removed");
	et_tracefs_close(&t);
	unlink(copy);
}

static void test_probes(const char *path)
{
	char folder[] = "/tmp/calls-XXXXXX";

	test_count(path, "with a thread and a child", 3, DIRECT + IN_THREAD + IN_CHILD);
	test_count(path, "alone", 1, DIRECT);
	if (!mkdtemp(folder)) {
		ok(false, "a folder can be made");
		return;
	}
	test_neighbour(path, folder);
	test_changed(path, folder);
	test_build(path);
	test_odd_path(path, folder);
	test_stale(path, folder);
	rmdir(folder);
}

int main(int argc, char **argv)
{
	static const struct et_build_id any;
	struct et_object o = { 0 };
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	if (argc > 1)
		return !strcmp(argv[1], "replaced") ? unlink(argv[0])
						    : work(!strcmp(argv[1], "alone"));
	path[n > 0 ? n : 0] = '\0';
	test_skip();
	test_choose();
	et_object_read("", path, &any, false, &o);
	if (o.state == ET_OBJECT_UNSUPPORTED)
		skip("calls are counted: etalon was built without libdw");
	else if (et_calls_allowed("", &err))
		skip(err.what);
	else
		test_probes(path);
	et_object_free(&o);
	ok(et_calls_allowed("/nosuch", &err) < 0 && err.exit == ET_EXIT_ENVIRONMENT &&
			strstr(err.what, "no uprobes") && err.hint[0],
		"a kernel without uprobes is an error with a hint");
	return tap_done();
}
