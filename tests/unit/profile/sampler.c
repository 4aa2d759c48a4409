/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of the profiler that need no perf events: periods, losses, records, the order of time.
 */
#include "profile/sampling/sampler.h"
#include "base/base.h"
#include "profile/sampling/events.h"
#include "profile/sampling/record.h"
#include "profile_tree.h"
#include "tap.h"

/* --- periods --- */

static void rates_add_up(void)
{
	double worst = 0, least = INFINITY, most = 0;
	struct et_periods p, again, next;

	for (uint64_t run = 0; run < 1000; run++) {
		et_periods_draw(42, run, 1e6, 8, false, &p);
		worst = fmax(worst, fabs(et_periods_mean(&p) / 1e6 - 1));
		for (size_t i = 0; i < p.n; i++) {
			least = fmin(least, (double)p.period[i]);
			most = fmax(most, (double)p.period[i]);
		}
	}
	ok(worst < 1e-6, "the rates of eight events add up to the rate that is wanted: %g", worst);
	/* w·Σ(1/w): from 0.5·(2 + 7/1.5) to 1.5·(1/1.5 + 7·2) of the mean. */
	ok(least >= 3.33e6 && most <= 22e6 && most > 2 * least,
		"the periods differ and stay within their bounds: %.0f … %.0f", least, most);
	et_periods_draw(42, 3, 1e6, 8, false, &p);
	et_periods_draw(42, 3, 1e6, 8, false, &again);
	et_periods_draw(42, 4, 1e6, 8, false, &next);
	ok(!memcmp(&p, &again, sizeof(p)), "a seed and a run have always the same periods");
	ok(p.period[0] != next.period[0], "the next run has other periods");
}

static void one_event(void)
{
	struct et_periods p;
	double sum = 0;

	et_periods_draw(1, 0, 10000019, 1, true, &p);
	ok(p.n == 1 && p.period[0] == 10000019, "a fixed period is exact");
	for (uint64_t run = 0; run < 2000; run++) {
		et_periods_draw(1, run, 1e6, 1, false, &p);
		sum += (double)p.period[0];
	}
	near(sum / 2000, 1e6, 0.005, 0, "the period of a single event varies around the mean");
}

/*
 * The rate must be the same at every moment of a program, also right after its start: count the
 * samples that events with these periods and passed parts take in each millisecond.
 */
static void no_blind_spot(void)
{
	enum { RUNS = 20000, MS = 20 };
	double seen[MS] = { 0 }, chi2 = 0, all = 0;

	for (uint64_t run = 0; run < RUNS; run++) {
		struct et_periods p;
		et_periods_draw(7, run, 1e6, 8, false, &p);
		for (size_t i = 0; i < p.n; i++) {
			double at = (1 - p.passed[i]) * (double)p.period[i];
			for (; at < MS * 1e6; at += (double)p.period[i])
				seen[(int)(at / 1e6)]++;
		}
	}
	for (int i = 0; i < MS; i++) {
		all += seen[i];
		chi2 += (seen[i] - RUNS) * (seen[i] - RUNS) / RUNS;
	}
	/* The counts vary less than independent ones, so this limit is generous. */
	ok(chi2 < 40, "samples are as frequent in each of the first 20 ms: chi2 %.1f", chi2);
	near(all / (RUNS * (double)MS), 1, 0.003, 0, "one sample per millisecond on average");
}

/* Returns the longest time that must pass before a run, in seconds. */
static double longest_wait(double mean_ns)
{
	size_t n = et_periods_events(mean_ns);
	double longest = 0;

	for (uint64_t run = 0; run < 1000; run++) {
		struct et_periods p;
		et_periods_draw(3, run, mean_ns, n, false, &p);
		for (size_t i = 0; i < n; i++)
			longest = fmax(longest, p.passed[i] * (double)p.period[i] / 1e9);
	}
	return longest;
}

static void rare_samples(void)
{
	ok(et_periods_events(1e6) == 8 && et_periods_events(2e7) == 5 &&
			et_periods_events(5e8) == 1 && et_periods_events(1e5) == 8,
		"rare samples have fewer events");
	ok(longest_wait(1e6) < 0.022 && longest_wait(2e7) < 0.3 && longest_wait(5e8) < 0.55,
		"before a run at most 0.3 s pass, or a period if that is longer: %.2f s at 2 Hz",
		longest_wait(5e8));
}

/*
 * One event, without a random part of its first period: as cycles without a control group. Ten
 * functions of 100 µs take turns, and the mean period is a multiple of their cycle.
 */
static double worst_share(double mean)
{
	enum { RUNS = 30, FUNCTIONS = 10 };
	double share[FUNCTIONS] = { 0 }, worst = 0;

	for (uint64_t run = 0; run < RUNS; run++) {
		struct et_periods p;
		et_periods_draw(11, run, mean, 1, false, &p);
		uint64_t n = (uint64_t)(500 * mean) / p.period[0];
		for (uint64_t k = 1; k <= n; k++)
			share[k * p.period[0] / 100000 % FUNCTIONS] += 1 / (double)n / RUNS;
	}
	for (int i = 0; i < FUNCTIONS; i++)
		worst = fmax(worst, fabs(share[i] - 0.1));
	return worst;
}

static void no_aliasing(void)
{
	double worst_1 = worst_share(1e6), worst_10 = worst_share(1e7);

	/* A fixed period gives one of them all samples: 0.9. */
	ok(worst_1 < 0.02 && worst_10 < 0.02,
		"a single event does not keep in step with a loop in all runs: %.4f, %.4f", worst_1,
		worst_10);
}

static void losses(void)
{
	ok(et_periods_due(10000000, 3000000) == 3, "an event is due once per full period");
	ok(et_periods_overruns(100, 90, 7) == 3,
		"samples that were neither taken nor lost are overruns");
	ok(et_periods_overruns(100, 98, 5) == 0, "more samples than are due are no overruns");
}

/* --- tasks --- */

static void short_tasks(void)
{
	struct et_tasks t = { 0 };

	et_tasks_begin(&t, 100);
	et_tasks_exec(&t, 10, 1000);
	et_tasks_fork(&t, 10, 11, 1100);
	et_tasks_fork(&t, 10, 12, 1100);
	ok(!et_tasks_exit(&t, 10, 11, 1150), "a thread ends before its process");
	ok(!et_tasks_exit(&t, 10, 10, 1300), "the first thread may end before the others");
	ok(et_tasks_exit(&t, 10, 12, 1400), "the last thread ends its process");
	ok(t.ended == 3 && t.ended_early == 1, "three threads ended, one of them early");
	et_tasks_fork(&t, 20, 20, 2000);
	et_tasks_fork(&t, 20, 21, 2000);
	et_tasks_exec(&t, 20, 2010);
	ok(et_tasks_exit(&t, 20, 20, 3000), "execve leaves one thread");
	et_tasks_begin(&t, 100);
	ok(t.ended == 0, "a run begins without tasks");
	et_tasks_free(&t);
}

/* --- records, built as the kernel writes them --- */

struct built {
	struct perf_event_header h;
	_Alignas(8) char body[512];
};

static void put(struct built *b, const void *data, size_t size)
{
	memcpy(b->body + b->h.size - sizeof(b->h), data, size);
	b->h.size = (uint16_t)(b->h.size + size);
}

static void put_u64(struct built *b, uint64_t v)
{
	put(b, &v, sizeof(v));
}

static void put_u32(struct built *b, uint32_t v)
{
	put(b, &v, sizeof(v));
}

static struct built begin_record(uint32_t type, uint16_t misc)
{
	return (struct built){ .h = { type, misc, sizeof(struct perf_event_header) } };
}

static void put_trailer(struct built *b, uint32_t pid, uint64_t time_ns)
{
	put_u32(b, pid);
	put_u32(b, pid);
	put_u64(b, time_ns);
}

static struct built exec_record(uint32_t pid, uint64_t time_ns)
{
	struct built b = begin_record(PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC);

	put_u32(&b, pid);
	put_u32(&b, pid);
	put(&b, "program", 8);
	put_trailer(&b, pid, time_ns);
	return b;
}

static struct built map_record(uint32_t pid, uint64_t start, const char *path, uint64_t time_ns)
{
	struct built b = begin_record(PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER);
	char text[64] = "";

	put_u32(&b, pid);
	put_u32(&b, pid);
	put_u64(&b, start);
	put_u64(&b, 0x1000);
	put_u64(&b, 0);
	for (int i = 0; i < 4; i++)
		put_u64(&b, 0);
	snprintf(text, sizeof(text), "%s", path);
	put(&b, text, (strlen(path) + 8) & ~(size_t)7);
	put_trailer(&b, pid, time_ns);
	return b;
}

static struct built sample_record(uint32_t pid, uint64_t ip, uint64_t time_ns)
{
	struct built b = begin_record(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);

	put_u64(&b, 1);
	put_u64(&b, ip);
	put_u32(&b, pid);
	put_u32(&b, pid);
	put_u64(&b, time_ns);
	return b;
}

static void take(struct et_sampler *s, struct built b)
{
	et_sampler_take(s, &b.h, b.body, b.h.size - sizeof(b.h));
}

static void decodes(void)
{
	struct built m = map_record(5, 0x1000, "/bin/x", 77), s = sample_record(6, 0x1234, 99);
	size_t size = m.h.size - sizeof(m.h);
	struct et_perf_side side;
	struct et_perf_sample x;

	ok(et_perf_side_read(&m.h, m.body, size, &side) && side.pid == 5 && side.time_ns == 77 &&
			side.mapping.start == 0x1000 && side.mapping.length == 0x1000 &&
			!strcmp(side.mapping.path, "/bin/x") && !side.mapping.build_id,
		"a mapping is decoded");
	m.h.misc |= PERF_RECORD_MISC_MMAP_BUILD_ID;
	m.body[32] = 20;
	ok(et_perf_side_read(&m.h, m.body, size, &side) && side.mapping.build_id_size == 20,
		"a mapping with a build id is decoded");
	m.body[32] = 21;
	ok(et_perf_side_read(&m.h, m.body, size, &side) && !side.mapping.build_id,
		"a build id that is too long is not used");
	ok(!et_perf_side_read(&m.h, m.body, 60, &side), "a mapping that is cut is refused");
	memset(m.body + 64, 'x', 8);
	ok(!et_perf_side_read(&m.h, m.body, size, &side), "a path without an end is refused");
	ok(et_perf_sample_read(ET_SAMPLE_TYPE, 0, s.h.misc, s.body, 32, &x) && x.ip == 0x1234 &&
			x.pid == 6 && x.time_ns == 99 && !x.kernel,
		"a sample is decoded");
	ok(!et_perf_sample_read(ET_SAMPLE_TYPE, 0, s.h.misc, s.body, 31, &x),
		"a sample that is cut is refused");
	put_u64(&s, UINT64_MAX / 8 + 2);
	put_u64(&s, 1);
	ok(!et_perf_sample_read(
		   ET_SAMPLE_TYPE | PERF_SAMPLE_CALLCHAIN, 0, s.h.misc, s.body, 48, &x),
		"a call chain longer than its record is refused");
}

static void decodes_stacks(void)
{
	const uint64_t type = ET_SAMPLE_TYPE | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	struct built s = sample_record(6, 0x1234, 99);
	struct et_perf_sample x;

	put_u64(&s, PERF_SAMPLE_REGS_ABI_64);
	put_u64(&s, 11);
	put_u64(&s, 22);
	put_u64(&s, 16);
	put(&s, "0123456789abcdef", 16);
	put_u64(&s, 8);
	size_t size = s.h.size - sizeof(s.h);
	ok(et_perf_sample_read(type, 2, s.h.misc, s.body, size, &x) && x.regs[1] == 22 &&
			x.stack_size == 8 && !memcmp(x.stack, "01234567", 8),
		"registers and the part of the stack that was read are decoded");
	memset(s.body + size - 8, 0x7f, 8);
	ok(!et_perf_sample_read(type, 2, s.h.misc, s.body, size, &x),
		"a stack with more bytes than its copy is refused");
}

/* --- samples become counts --- */

static const struct et_profile_function *function_of(
	const struct et_profile *p, const struct et_profile_count *c)
{
	return &p->functions[p->nodes[c->node].function];
}

static void order_of_time(void)
{
	struct et_event_kind kind = { .sample_type = ET_SAMPLE_TYPE };
	struct et_profile *p = et_profile_new(&et_default_profile_plan);
	struct et_sampler *s = et_sampler_new("/nonexistent", p, &kind);

	et_sampler_begin(s, 5, 0, 100);
	/* In the order of the rings, not of time. */
	take(s, sample_record(5, 0x1010, 90)); /* before execve() */
	take(s, sample_record(5, 0x1010, 300));
	take(s, sample_record(5, 0x1010, 500));
	take(s, sample_record(5, 0x1010, 150));
	take(s, exec_record(5, 100));
	take(s, map_record(5, 0x1000, "/nonexistent/first", 140));
	take(s, map_record(5, 0x1000, "/nonexistent/second", 400));
	et_sampler_process(s, 350);
	take(s, sample_record(5, 0x1010, 340)); /* late, from the ring of another CPU */
	et_sampler_process(s, UINT64_MAX);
	ok(et_sampler_taken(s) == 5, "five samples were taken");
	struct et_profile_run *run = et_sampler_end(s);
	ok(run->samples == 4, "samples before execve() do not count");
	ok(run->n_counts == 2 && run->counts[0].samples == 3 &&
			!strcmp(function_of(p, &run->counts[0])->module, "/nonexistent/first") &&
			!strcmp(function_of(p, &run->counts[1])->module, "/nonexistent/second"),
		"a sample belongs to the file that was mapped at its time");
	et_profile_run_free(run);
	et_sampler_begin(s, 5, 0, 100);
	take(s, sample_record(5, 0x1010, 600));
	et_sampler_process(s, UINT64_MAX);
	run = et_sampler_end(s);
	ok(run->samples == 0 && run->n_counts == 0, "the next run begins anew");
	et_profile_run_free(run);
	et_sampler_free(s);
	et_profile_free(p);
}

static void call_chains(void)
{
	struct et_profile_plan plan = et_default_profile_plan;
	struct et_event_kind kind = { .sample_type = ET_SAMPLE_TYPE | PERF_SAMPLE_CALLCHAIN };

	plan.chains = ET_CHAINS_FP;
	struct et_profile *p = et_profile_new(&plan);
	struct et_sampler *s = et_sampler_new("/nonexistent", p, &kind);
	struct built b = sample_record(5, 0x1010, 200);
	b.h.misc = PERF_RECORD_MISC_KERNEL;
	const uint64_t chain[] = { (uint64_t)PERF_CONTEXT_KERNEL, 0xffffffff81000010,
		(uint64_t)PERF_CONTEXT_USER, 0x1010, 0x2000 };
	put_u64(&b, ET_LENGTH(chain));
	put(&b, chain, sizeof(chain));
	et_sampler_begin(s, 5, 0, 100);
	take(s, exec_record(5, 100));
	take(s, map_record(5, 0x1000, "/nonexistent/caller", 110));
	take(s, b);
	et_sampler_process(s, UINT64_MAX);
	struct et_profile_run *run = et_sampler_end(s);
	ok(run->n_counts == 1, "a sample with a chain is one count");
	/* 0x2000 is a return address: the call is the last instruction of the page before. */
	uint32_t leaf = run->n_counts ? run->counts[0].node : 0;
	uint32_t inner = p->nodes[leaf].parent, outer = p->nodes[inner].parent;
	ok(p->functions[p->nodes[leaf].function].space == ET_SPACE_KERNEL,
		"the innermost context is that of the kernel");
	ok(p->nodes[outer].parent == ET_PROFILE_ROOT &&
			!strcmp(p->functions[p->nodes[outer].function].module,
				"/nonexistent/caller") &&
			!strcmp(p->functions[p->nodes[inner].function].module,
				"/nonexistent/caller"),
		"the callers are above it, and a call at the end of a mapping is found");
	et_profile_run_free(run);
	et_sampler_free(s);
	et_profile_free(p);
}

/* Returns the name of the outermost function of a sample with this chain in user mode. */
static void outermost_of(const uint64_t *chain, size_t n, char *out, size_t size)
{
	struct et_profile_plan plan = et_default_profile_plan;
	struct et_event_kind kind = { .sample_type = ET_SAMPLE_TYPE | PERF_SAMPLE_CALLCHAIN };
	const uint64_t context = (uint64_t)PERF_CONTEXT_USER;

	plan.chains = ET_CHAINS_FP;
	struct et_profile *p = et_profile_new(&plan);
	struct et_sampler *s = et_sampler_new("/nonexistent", p, &kind);
	struct built b = sample_record(5, chain[0], 200);
	put_u64(&b, n + 1);
	put(&b, &context, sizeof(context));
	put(&b, chain, n * sizeof(*chain));
	et_sampler_begin(s, 5, 0, 100);
	take(s, exec_record(5, 100));
	take(s, map_record(5, 0x1000, "/nonexistent/program", 110));
	take(s, b);
	et_sampler_process(s, UINT64_MAX);
	struct et_profile_run *run = et_sampler_end(s);
	uint32_t node = run->n_counts ? run->counts[0].node : ET_PROFILE_ROOT;
	while (node && p->nodes[node].parent != ET_PROFILE_ROOT)
		node = p->nodes[node].parent;
	snprintf(out, size, "%s", node ? p->functions[p->nodes[node].function].name : "");
	et_profile_run_free(run);
	et_sampler_free(s);
	et_profile_free(p);
}

static void broken_chains(void)
{
	const uint64_t alone[] = { 0x1010 }, astray[] = { 0x1010, 0x99999 },
		       called[] = { 0x1010, 0x1800 }, beyond[] = { 0x1010, 0x1800, 0x99999 };
	char name[64];

	outermost_of(alone, 1, name, sizeof(name));
	ok(!strcmp(name, ET_FUNCTION_BROKEN), "a function without a caller is a broken chain");
	outermost_of(astray, 2, name, sizeof(name));
	ok(!strcmp(name, ET_FUNCTION_BROKEN), "a caller where no code is, is none");
	outermost_of(called, 2, name, sizeof(name));
	ok(name[0] && strcmp(name, ET_FUNCTION_BROKEN) != 0, "a chain with a caller is kept");
	outermost_of(beyond, 3, name, sizeof(name));
	ok(name[0] && strcmp(name, ET_FUNCTION_BROKEN) != 0 && strcmp(name, "[unknown]") != 0,
		"what is beyond the begin of a chain is left out");
}

/* --- refusals --- */

static void refusals(void)
{
	static const char setting[] = "/proc/sys/kernel/perf_event_paranoid";
	char root[] = "/tmp/etalon-sampler-XXXXXX";
	struct et_error err;

	tree_begin(root);
	tree_write(root, setting, "3\n");
	ok(et_event_refused(root, EACCES, &err) == -EACCES && err.exit == ET_EXIT_ENVIRONMENT &&
			strstr(err.what, "at most 2, or CAP_PERFMON (it is 3)") &&
			strstr(err.hint, "perf_event_paranoid"),
		"refusals: a setting that forbids it is named with its value");
	tree_write(root, setting, "2\n");
	ok(et_event_refused(root, EACCES, &err) == -EACCES && err.exit == ET_EXIT_ENVIRONMENT &&
			strstr(err.what, "although kernel.perf_event_paranoid is 2") &&
			strstr(err.hint, "setuid") && strstr(err.hint, "seccomp"),
		"refusals: if the setting allows it, other causes are named: %s; %s", err.what,
		err.hint);
	tree_end(root);
}

int main(void)
{
	refusals();
	rates_add_up();
	one_event();
	no_blind_spot();
	rare_samples();
	no_aliasing();
	losses();
	short_tasks();
	decodes();
	decodes_stacks();
	order_of_time();
	call_chains();
	broken_chains();
	return tap_done();
}
