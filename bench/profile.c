/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The profiler without the command.
 *
 *   bench-profile run HZ PROGRAM ARG…   profiles one run; prints samples, lost, overruns and
 *                                       throttled ones
 *   bench-profile sum N FUNCTIONS FILE ROOT
 *
 * symbolises and sums N samples, half of them in the code of an ELF file, half in generated code
 * with as many functions, whose map it writes below ROOT; prints the CPU time in seconds, the
 * functions found, and the peak of memory in bytes.
 */
#include "base/base.h"
#include "base/clock.h"
#include "host/host.h"
#include "measure/child/runner.h"
#include "profile/sampling/observe.h"
#include "profile/sampling/record.h"
#include "profile/sampling/sampler.h"

#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

extern char **environ;

static _Noreturn void fail(const char *what)
{
	fprintf(stderr, "bench-profile: %s\n", what);
	exit(1);
}

static int run(double hz, char **argv)
{
	struct et_experiment *e = et_calloc(1, sizeof(*e));
	struct et_profile_plan plan = et_default_profile_plan;
	struct et_request q = { .arrangement = ET_SOLO };
	struct et_interrupt interrupt = { 0 };
	struct et_runner *r = NULL;
	struct et_sample s[2];
	struct et_error err;
	size_t n = 0;

	plan.rate_hz = hz;
	et_host_read("", &e->host);
	e->n_commands = 1;
	e->commands = et_calloc(1, sizeof(*e->commands));
	while (argv[n])
		n++;
	e->commands[0].name = et_strdup(argv[0]);
	e->commands[0].argv = et_calloc(n + 1, sizeof(char *));
	for (size_t i = 0; i < n; i++)
		e->commands[0].argv[i] = et_strdup(argv[i]);
	e->child.output = et_strdup("inherit");
	e->profile = et_profile_new(&plan);
	if (et_runner_open(e, environ, &interrupt, &r, &err) ||
		et_runner_observe(r, &et_observe_profile, &err))
		fail(err.what);
	struct et_executor x = et_runner_executor(r);
	if (x.run(x.ctx, &q, s, &err))
		fail(err.what);
	const struct et_profile_run *p = s[0].measured.profile;
	printf("%llu %llu %llu %llu\n", (unsigned long long)p->samples, (unsigned long long)p->lost,
		(unsigned long long)p->overruns, (unsigned long long)p->throttled);
	et_sample_free(&s[0]);
	et_runner_close(r);
	et_experiment_free(e);
	return 0;
}

/* --- many samples --- */

enum { PID = 5, STEP = 64, BATCH = 13000 };
static const uint64_t FILE_AT = 0x400000, CODE_AT = 0x7f0000000000;

struct built {
	struct perf_event_header h;
	_Alignas(8) char body[4300];
};

static void put(struct built *b, const void *data, size_t size)
{
	memcpy(b->body + b->h.size - sizeof(b->h), data, size);
	b->h.size = (uint16_t)(b->h.size + size);
}

static void put_trailer(struct built *b)
{
	const uint32_t ids[2] = { PID, PID };
	const uint64_t time_ns = 1;

	put(b, ids, sizeof(ids));
	put(b, &time_ns, sizeof(time_ns));
}

static void take(struct et_sampler *s, const struct built *b)
{
	et_sampler_take(s, &b->h, b->body, b->h.size - sizeof(b->h));
}

static void start_program(struct et_sampler *s)
{
	struct built b = { .h = { PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC, 8 } };
	const uint32_t ids[2] = { PID, PID };

	put(&b, ids, sizeof(ids));
	put(&b, "program", 8);
	put_trailer(&b);
	take(s, &b);
}

static void map(struct et_sampler *s, uint64_t start, uint64_t length, const char *path)
{
	struct built b = { .h = { PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER, 8 } };
	const uint32_t ids[2] = { PID, PID };
	const uint64_t rest[7] = { start, length };
	char padded[4096] = "";

	snprintf(padded, sizeof(padded), "%s", path);
	put(&b, ids, sizeof(ids));
	put(&b, rest, sizeof(rest));
	put(&b, padded, (strlen(padded) + 8) & ~(size_t)7);
	put_trailer(&b);
	take(s, &b);
}

static void sample(struct et_sampler *s, uint64_t ip, uint64_t time_ns)
{
	struct {
		uint64_t id, ip;
		uint32_t pid, tid;
		uint64_t time_ns;
	} body = { 1, ip, PID, PID, time_ns };
	struct perf_event_header h = { PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER,
		sizeof(h) + sizeof(body) };

	et_sampler_take(s, &h, (const char *)&body, sizeof(body));
}

static void write_map(const char *root, uint64_t functions)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/tmp", root);
	mkdir(path, 0755);
	snprintf(path, sizeof(path), "%s/tmp/perf-%d.map", root, PID);
	FILE *f = fopen(path, "we");
	if (!f)
		fail(path);
	for (uint64_t i = 0; i < functions; i++)
		fprintf(f, "%llx %x generated_%llu\n", (unsigned long long)(CODE_AT + i * STEP),
			STEP, (unsigned long long)i);
	if (fclose(f))
		fail(path);
}

static int sum(uint64_t n, uint64_t functions, const char *file, const char *root)
{
	struct et_event_kind kind = { .sample_type = ET_SAMPLE_TYPE };
	struct et_profile *p = et_profile_new(&et_default_profile_plan);
	struct et_sampler *s = et_sampler_new(root, p, &kind);
	uint64_t state = 88172645463325252u;
	struct rusage usage;
	struct stat st;

	if (stat(file, &st) < 0)
		fail(file);
	write_map(root, functions);
	uint64_t began_ns = et_clock_read_ns(CLOCK_PROCESS_CPUTIME_ID);
	et_sampler_begin(s, PID, 0, 1);
	start_program(s);
	map(s, FILE_AT, (uint64_t)st.st_size, file);
	map(s, CODE_AT, functions * STEP, "//anon");
	for (uint64_t i = 0; i < n; i++) {
		state ^= state << 13; /* xorshift64 (Marsaglia 2003) */
		state ^= state >> 7;
		state ^= state << 17;
		uint64_t ip = i % 2 ? CODE_AT + state % (functions * STEP)
				    : FILE_AT + state % (uint64_t)st.st_size;
		sample(s, ip, i + 2);
		if (i % BATCH == BATCH - 1) /* as a ring that is half full is drained */
			et_sampler_process(s, i + 2);
	}
	et_sampler_process(s, UINT64_MAX);
	struct et_profile_run *run = et_sampler_end(s);
	uint64_t ended_ns = et_clock_read_ns(CLOCK_PROCESS_CPUTIME_ID);
	getrusage(RUSAGE_SELF, &usage);
	if (run->samples != n)
		fail("samples are missing");
	printf("%.4f %zu %ld\n", (double)(ended_ns - began_ns) / 1e9, run->n_counts,
		usage.ru_maxrss * 1024);
	et_profile_run_free(run);
	et_sampler_free(s);
	et_profile_free(p);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc > 3 && !strcmp(argv[1], "run"))
		return run(strtod(argv[2], NULL), argv + 3);
	if (argc == 6 && !strcmp(argv[1], "sum"))
		return sum(
			strtoull(argv[2], NULL, 10), strtoull(argv[3], NULL, 10), argv[4], argv[5]);
	fail("usage: bench-profile run HZ PROGRAM ARG…, or sum N FUNCTIONS FILE ROOT");
}
