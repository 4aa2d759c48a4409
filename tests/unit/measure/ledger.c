/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The ledger: how switches become an account, how that is closed and entered, and real programs
 * whose time must add up.
 */
#include "base/base.h"
#include "base/clock.h"
#include "base/parse.h"
#include "host/host.h"
#include "measure/busy.h"
#include "measure/child/runner.h"
#include "measure/ledger/account.h"
#include "measure/ledger/rules.h"
#include "model/experiment/field.h"
#include "tap.h"

#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

extern char **environ;

enum { ETALON = 500, CRON = 40, NEW = 41 };

static struct et_sample sample(uint64_t elapsed_ns, uint64_t cpu_ns)
{
	struct et_sample s = { 0 };

	et_fields_set_missing(et_sample_fields, &s);
	s.measured.elapsed_ns = elapsed_ns;
	s.measured.cpu_ns = cpu_ns;
	s.measured.culprits = et_calloc(2, sizeof(*s.measured.culprits));
	s.measured.culprits[0] = (struct et_culprit){ "cron", CRON, .cpu_ns = 90000000 };
	s.measured.culprits[1] = (struct et_culprit){ "far", 42, .cpu_ns = 1000 };
	s.measured.n_culprits = 2;
	for (size_t i = 0; i < 2; i++)
		s.measured.culprits[i].on_our_cpu_ns = ET_UNKNOWN;
	return s;
}

/*
 * A window of 1 s from 1 s on; the last 50 ms are the home CPU's present owner's. While cron ran,
 * the program was runnable for 30 ms and asleep for 50 ms; etalon ran for another 10 ms.
 */
static struct et_account account(int32_t last, int32_t slot)
{
	struct et_account a = {
		.etalon = ETALON, .has_hidden = true, .has_interrupts = true, .has_wakeups = true
	};
	struct et_culprit_account cron = {
		.ran_ns = 80000000, .taken_ns = 30000000, .name = "cron"
	};

	a.slot = (struct et_slot){ .t0_ns = 1000000000,
		.t1_ns = 2000000000,
		.last_ns = 1950000000,
		.home = 0,
		.running = slot == 0,
		.busy_ns = 800000000,
		.own_ns = 800000000,
		.idle_ns = 60000000,
		.others_ns = 90000000,
		.taken_ns = 30000000,
		.waited_ns = 30000000,
		.hidden_ns = 30000000,
		.irq_ns = 7,
		.softirq_ns = 8 };
	a.home = (struct et_ledger_cpu){ .since_ns = 1950000000,
		.slot = slot,
		.who = { .pid = last, .tgid = last, .name = "new" } };
	et_account_add(&a, CRON, &cron);
	return a;
}

static void entering(void)
{
	struct et_sample s = sample(1000000000, 770000000);
	struct et_account a = account(0, -1);

	et_account_settle(&a, 0, &s);
	ok(s.measured.idle_ns == 110000000,
		"account: the last task on the CPU is charged up to the end of the window");
	ok(s.measured.others_ns == 90000000, "account: others are the culprits and etalon");
	ok(s.measured.steal_ns == 30000000, "account: time that rq->clock_task omitted is steal");
	ok(s.measured.irq_ns == 7 && s.measured.softirq_ns == 8, "account: interrupts are copied");
	ok(s.measured.irq_in_cpu_ns == 15,
		"account: interrupts are part of CPU time if the kernel hides none");
	ok(s.measured.cpu_ns + s.measured.others_ns + s.measured.idle_ns + s.measured.steal_ns ==
			s.measured.elapsed_ns,
		"account: the parts add up to the elapsed time");
	ok(s.measured.on_cpu_ns == 770000000,
		"account: a program that does one thing at a time is on CPU for its CPU time");
	ok(s.measured.runnable_ns == 30000000 && s.measured.asleep_ns == 170000000,
		"account: others took the CPU only while the program was runnable");
	ok(s.measured.culprits[0].on_our_cpu_ns == 30000000,
		"account: a culprit has its time on our CPU while the program was runnable");
	ok(s.measured.culprits[1].on_our_cpu_ns == 0,
		"account: a process that ran elsewhere has 0 on our CPU");
	et_account_free(&a);
	et_sample_free(&s);

	s = sample(1000000000, 770000000);
	et_sample_free(&s);
	s.ruling.marks = ET_MARK_NO_SNAPSHOT;
	a = account(0, -1);
	et_account_settle(&a, 0, &s);
	ok(s.measured.others_ns == 90000000 && s.measured.n_culprits == 0,
		"without snapshots the account has no list of culprits");
	et_account_free(&a);
}

static void last_one(void)
{
	static const struct {
		int32_t pid, slot;
		uint64_t idle_ns, others_ns;
		size_t n;
		const char *what;
	} cases[] = {
		{ NEW, -1, 60000000, 140000000, 3,
			"last stretch: a process that no snapshot shows" },
		{ CRON, -1, 60000000, 140000000, 2, "last stretch: a known culprit" },
		{ ETALON, -1, 60000000, 140000000, 2, "last stretch: etalon, which is no culprit" },
		{ 77, 1, 60000000, 140000000, 2,
			"last stretch: the partner of a duet, which is no culprit" },
		{ 78, 0, 60000000, 90000000, 2, "last stretch: the program itself" },
	};

	for (size_t i = 0; i < ET_LENGTH(cases); i++) {
		struct et_sample s = sample(1000000000, 770000000);
		struct et_account a = account(cases[i].pid, cases[i].slot);
		et_account_settle(&a, 0, &s);
		ok(s.measured.idle_ns == cases[i].idle_ns &&
				s.measured.others_ns == cases[i].others_ns &&
				s.measured.n_culprits == cases[i].n,
			"%s", cases[i].what);
		et_account_free(&a);
		et_sample_free(&s);
	}
	struct et_sample s = sample(1000000000, 770000000);
	struct et_account a = account(NEW, -1);
	et_account_settle(&a, 0, &s);
	ok(s.measured.culprits[1].pid == NEW && s.measured.culprits[1].cpu_ns == 50000000 &&
			s.measured.culprits[1].on_our_cpu_ns == 0,
		"a process that no snapshot shows is inserted by its time");
	is_str(s.measured.culprits[1].name, "new", "a process that no snapshot shows has its name");
	et_account_free(&a);
	et_sample_free(&s);
}

/* By perf: no clocks of the run queue and no interrupts; steal comes from /proc/stat. */
static void untold(void)
{
	struct et_sample s = sample(1000000000, 770000000);
	struct et_account a = account(0, -1);

	a.has_hidden = a.has_interrupts = false;
	a.slot.hidden_ns = 0;
	s.measured.steal_ns = 40000000;
	et_account_settle(&a, 0, &s);
	ok(s.measured.irq_ns == ET_UNKNOWN && s.measured.softirq_ns == ET_UNKNOWN,
		"perf: interrupts stay unknown");
	ok(s.measured.steal_ns == 30000000,
		"perf: steal of /proc/stat is limited to the unexplained time");
	et_account_free(&a);
	et_sample_free(&s);

	s = sample(1000000000, 770000000);
	a = account(0, -1);
	a.has_hidden = false;
	et_account_settle(&a, 0, &s);
	ok(s.measured.steal_ns == ET_UNKNOWN && s.measured.others_ns == 90000000,
		"perf: unknown steal stays unknown");
	et_account_free(&a);
	et_sample_free(&s);
}

/* By perf: how long the program waited after a wake-up follows from the kernel's sum. */
static void unseen_wakeups(void)
{
	static const struct {
		uint64_t wait_ns, runnable_ns, asleep_ns, cron_ns;
		const char *what;
	} cases[] = {
		{ 30000000, 30000000, 170000000, 30000000, "it waited only when preempted" },
		{ 45000000, 45000000, 155000000, 42500000, "a quarter of what others ran" },
		{ 400000000, 90000000, 110000000, 80000000, "no more than others ran" },
		{ ET_UNKNOWN, 30000000, 110000000, 30000000, "if it is not known, unexplained" },
	};

	for (size_t i = 0; i < ET_LENGTH(cases); i++) {
		struct et_sample s = sample(1000000000, 770000000);
		struct et_account a = account(0, -1);
		a.has_wakeups = false;
		s.measured.wait_ns = cases[i].wait_ns;
		et_account_settle(&a, 0, &s);
		ok(s.measured.runnable_ns == cases[i].runnable_ns &&
				s.measured.asleep_ns == cases[i].asleep_ns &&
				s.measured.culprits[0].on_our_cpu_ns == cases[i].cron_ns,
			"perf: time runnable after a wake-up: %s", cases[i].what);
		et_account_free(&a);
		et_sample_free(&s);
	}
}

/* Two tasks ran in parallel for half of the time in which one of them ran. */
static void parallel(void)
{
	struct et_sample s = sample(1000000000, 1170000000);
	struct et_account a = account(0, -1);

	a.slot.own_ns = 1200000000;
	a.slot.hidden_ns = 30000000;
	et_account_settle(&a, 0, &s);
	ok(s.measured.on_cpu_ns == 780000000 && s.measured.runnable_ns == 30000000 &&
			s.measured.asleep_ns == 170000000,
		"parallel tasks: on CPU is the time in which at least one of them ran");
	ok(s.measured.steal_ns == 30000000, "parallel tasks: steal is the sum over their CPUs");
	et_account_free(&a);
	et_sample_free(&s);

	s = sample(1000000000, 1170000000);
	a = account(0, -1);
	a.slot.own_ns = 1200000000;
	a.has_wakeups = false;
	s.measured.wait_ns = 45000000;
	et_account_settle(&a, 0, &s);
	ok(s.measured.runnable_ns == 30000000 && s.measured.asleep_ns == 155000000,
		"parallel tasks by perf: a wait after a wake-up may be beside a task that ran");
	et_account_free(&a);
	et_sample_free(&s);
}

static void unknown(void)
{
	struct et_sample s = sample(1000000000, 1500000000);
	struct et_account a = { 0 };

	a = account(0, -1);
	a.slot.home = -1;
	et_account_settle(&a, 0, &s);
	ok(s.measured.others_ns == ET_UNKNOWN && s.measured.idle_ns == ET_UNKNOWN &&
			s.measured.on_cpu_ns == ET_UNKNOWN && s.measured.irq_ns == ET_UNKNOWN &&
			s.measured.culprits[0].on_our_cpu_ns == ET_UNKNOWN,
		"no account: a program that was never seen");
	et_account_free(&a);
	a = account(0, -1);
	a.slot.crowded = 1;
	et_account_settle(&a, 0, &s);
	ok(s.measured.others_ns == ET_UNKNOWN && s.ruling.marks == ET_MARK_LOST_RECORDS,
		"no account: records were lost, and the sample is marked");
	et_account_free(&a);
	et_sample_free(&s);

	s = sample(1000000000, 960000000);
	a = account(0, -1);
	et_account_settle(&a, 0, &s);
	ok(s.measured.others_ns == ET_UNKNOWN,
		"no account: a program that ran on CPUs that are not watched");
	et_account_free(&a);
	et_sample_free(&s);

	s = sample(1000000000, 770000000);
	a = account(0, -1);
	a.slot.hidden_ns = 900000000;
	et_account_settle(&a, 0, &s);
	ok(s.measured.steal_ns == 30000000, "account: steal is limited to the unexplained time");
	et_account_free(&a);
	et_sample_free(&s);
}

/* --- the rules --- */

enum { A = 60, B, C };

static struct et_ledger_memory memory;
static struct et_ledger_cpu processors[2];
static struct et_ledger_task tasks[3];
static uint64_t cron_ran_ns, cron_took_ns; /* cron on the home of the first program */

static struct et_ledger_cpu *cpu_state(struct et_ledger_memory *m, uint32_t cpu)
{
	(void)m;
	return &processors[cpu];
}

static void charge(struct et_ledger_memory *m, uint32_t number, __u64 to)
{
	charge_window(m, number, to);
}

static void charge_culprit(struct et_ledger_memory *m, uint32_t number,
	const struct et_ledger_cpu *cpu, __u64 ran_ns, bool taken)
{
	(void)m;
	if (number != 0 || cpu->who.tgid != CRON)
		return;
	cron_ran_ns += ran_ns;
	cron_took_ns += taken ? ran_ns : 0;
}

/* Windows from 100 to 1000; no task is known to run anywhere. */
static void begin_windows(int n)
{
	memory = (struct et_ledger_memory){ .etalon = ETALON };
	cron_ran_ns = cron_took_ns = 0;
	for (int i = 0; i < 2; i++) {
		processors[i] = (struct et_ledger_cpu){ .slot = -1 };
		memory.slots[i].home = -1;
		memory.slots[i].t0_ns = i < n ? 100 : 0;
		memory.slots[i].t1_ns = i < n ? 1000 : 0;
	}
	for (int i = 0; i < 3; i++)
		tasks[i] = (struct et_ledger_task){ 0 };
}

static struct et_ledger_task *task_of(int32_t pid)
{
	return pid >= A && pid <= C ? &tasks[pid - A] : NULL;
}

/* The CPU switches to the next task; the previous one is still runnable, or not. */
static void switches(uint64_t at, uint32_t here, int32_t next, bool runnable)
{
	struct et_ledger_cpu *cpu = &processors[here];
	struct et_ledger_task *from = task_of(cpu->who.pid), *to = task_of(next);
	struct instant now = { .ns = at };

	end_stretch(&memory, cpu, here, from, runnable, &now);
	cpu->who = (struct et_sched_task){ .pid = next, .tgid = next };
	begin_stretch(&memory, cpu, here, to, at);
}

static void preempts(uint64_t at, uint32_t here, int32_t next)
{
	switches(at, here, next, true);
}

static void yields_to(uint64_t at, uint32_t here, int32_t next)
{
	switches(at, here, next, false);
}

static void wakes(uint64_t at, uint32_t there, int32_t pid)
{
	charge_window(&memory, (uint32_t)task_of(pid)->slot, at);
	set_state(&memory, task_of(pid), ET_TASK_RUNNABLE, there);
}

static bool adds_up(const struct et_slot *slot)
{
	return slot->busy_ns + slot->idle_ns + slot->others_ns == 900;
}

static void rules(void)
{
	const struct et_slot *a = &memory.slots[0], *b = &memory.slots[1];

	begin_windows(1);
	yields_to(50, 0, A);
	preempts(300, 0, CRON);
	yields_to(350, 0, A);
	yields_to(400, 0, CRON); /* A sleeps */
	wakes(700, 0, A);
	yields_to(760, 0, A);
	yields_to(900, 0, 0); /* A ends */
	yields_to(1100, 0, CRON);
	ok(a->busy_ns == 390 && a->own_ns == 390 && a->idle_ns == 100 && adds_up(a),
		"rules: every instant of the window is charged once");
	ok(cron_ran_ns == 410 && a->others_ns == 410 && cron_took_ns == 110 && a->taken_ns == 110,
		"rules: a process takes the CPU only while the program is runnable");
	ok(a->waited_ns == 110, "rules: the time that its tasks waited is summed up");

	begin_windows(1);
	yields_to(50, 0, A);
	preempts(300, 0, CRON);
	wakes(350, 1, A); /* moved to a free CPU */
	yields_to(400, 1, A);
	yields_to(500, 0, 0);
	yields_to(700, 1, 0);
	wakes(790, 1, A);
	yields_to(800, 1, A);
	preempts(900, 1, ETALON);
	yields_to(1100, 1, 0);
	ok(a->busy_ns == 600 && a->idle_ns == 150 && a->others_ns == 150 && a->taken_ns == 150 &&
			cron_ran_ns == 50 && adds_up(a),
		"rules: the home of a program that migrates is where it runs or waits");

	begin_windows(1);
	yields_to(50, 0, A);
	yields_to(200, 1, B);
	preempts(300, 0, CRON); /* B runs on */
	yields_to(400, 1, 0);   /* A is runnable */
	yields_to(500, 0, A);
	yields_to(600, 0, CRON); /* both sleep */
	yields_to(1000, 0, 0);
	ok(a->busy_ns == 400 && a->own_ns == 500 && a->others_ns == 500 && a->taken_ns == 100 &&
			a->waited_ns == 200 && cron_took_ns == 100 && adds_up(a),
		"rules: parallel tasks are on CPU if one runs, runnable if none runs and one "
		"waits");

	begin_windows(1);
	yields_to(50, 0, A);
	wakes(200, 1, B); /* another process has that CPU */
	yields_to(250, 1, CRON);
	yields_to(400, 0, 0); /* A sleeps */
	yields_to(700, 1, B);
	yields_to(1000, 1, 0);
	ok(a->busy_ns == 600 && a->idle_ns == 0 && cron_took_ns == 300 && adds_up(a),
		"rules: the home is the CPU that a task waits for, not the one where another "
		"slept");

	begin_windows(2);
	tasks[B - A].slot = 1;
	yields_to(100, 0, A);
	wakes(150, 0, B);
	preempts(300, 0, B);
	preempts(600, 0, A);
	yields_to(1000, 0, B);
	ok(a->busy_ns == 600 && a->others_ns == 300 && a->taken_ns == 300 && adds_up(a),
		"rules: the first program of a duet is charged the partner's time");
	ok(b->busy_ns == 300 && b->taken_ns == 550,
		"rules: the second program is charged the partner's time, once it was seen");
}

/* --- real programs --- */

static struct et_interrupt interrupt;

/* Runs one command pinned to a CPU; false if the ledger is not available. */
static bool run_watched(
	enum et_sched_way way, const char *command, const char *cpus, struct et_sample *out)
{
	struct et_experiment *e = et_calloc(1, sizeof(*e));
	struct et_runner *r = NULL;
	struct et_request q = { .arrangement = ET_SOLO };
	struct et_sample samples[2];
	struct et_error err = { 0 };

	et_host_read("", &e->host);
	e->child.cpus = et_strdup(cpus);
	e->n_commands = 1;
	e->commands = et_calloc(1, sizeof(*e->commands));
	e->commands[0].name = et_strdup(command);
	int rc = et_split_words(command, &e->commands[0].argv, &err);
	if (rc == 0)
		rc = et_runner_open(e, environ, &interrupt, &r, &err);
	if (rc == 0)
		rc = et_runner_open_ledger(r, way, NULL, &err);
	if (rc == 0) {
		struct et_executor x = et_runner_executor(r);
		rc = x.run(x.ctx, &q, samples, &err);
	}
	if (rc == 0)
		*out = samples[0];
	else
		printf("# %s\n", err.what);
	et_runner_close(r);
	et_experiment_free(e);
	return rc == 0;
}

/* A process that works on one CPU until it is killed. */
static pid_t disturber(const cpu_set_t *one)
{
	pid_t pid = fork();

	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		sched_setaffinity(0, sizeof(*one), one);
		prctl(PR_SET_NAME, "disturber");
		for (;;)
			;
	}
	return pid;
}

static const struct et_culprit *by_pid(const struct et_sample *s, pid_t pid)
{
	for (size_t i = 0; i < s->measured.n_culprits; i++) {
		if (s->measured.culprits[i].pid == pid)
			return &s->measured.culprits[i];
	}
	return NULL;
}

static bool explained(const struct et_sample *s)
{
	uint64_t steal_ns = s->measured.steal_ns == ET_UNKNOWN ? 0 : s->measured.steal_ns;
	uint64_t sum = s->measured.cpu_ns + s->measured.others_ns + s->measured.idle_ns + steal_ns;
	double off = s->measured.elapsed_ns > sum ? (double)(s->measured.elapsed_ns - sum)
						  : (double)(sum - s->measured.elapsed_ns);

	printf("# et %.3f pt %.3f others %.3f idle %.3f steal %.3f ms\n",
		(double)s->measured.elapsed_ns * 1e-6, (double)s->measured.cpu_ns * 1e-6,
		(double)s->measured.others_ns * 1e-6, (double)s->measured.idle_ns * 1e-6,
		(double)steal_ns * 1e-6);
	return s->measured.others_ns != ET_UNKNOWN && off < 0.01 * (double)s->measured.elapsed_ns;
}

/* Without BPF steal is counted in ticks, and less than a tick is not seen: so try again. */
static bool run_explained(enum et_sched_way way, const char *command, const char *cpus,
	struct et_sample *out, const char *what)
{
	int tries = way == ET_SCHED_PERF ? 5 : 1;

	for (int i = 1; run_watched(way, command, cpus, out); i++) {
		bool yes = explained(out);
		if (yes || i == tries) {
			ok(yes, "%s: elapsed time is explained to 1 %%", what);
			return true;
		}
		et_sample_free(out);
	}
	return false;
}

/* `sleep 0.2` beside a busy loop on the same CPU. */
static void sleeping(struct et_sample *s, const struct et_culprit *busy)
{
	const struct et_measured *m = &s->measured;

	/* It waits for the CPU when it starts and when it wakes up. */
	ok(m->asleep_ns >= 199000000 && m->asleep_ns <= m->elapsed_ns,
		"a program that sleeps beside a busy loop is asleep: %.1f of %.1f ms",
		(double)m->asleep_ns * 1e-6, (double)m->elapsed_ns * 1e-6);
	ok(busy && busy->on_our_cpu_ns <= m->elapsed_ns - m->asleep_ns &&
			busy->cpu_ns > busy->on_our_cpu_ns,
		"a busy loop takes nothing from a program that sleeps");
	ok(m->on_cpu_ns + m->runnable_ns + m->asleep_ns <= m->elapsed_ns,
		"the shares do not exceed the elapsed time");
	et_sample_free(s);
}

static void real(enum et_sched_way way)
{
	const char *spin = "sh -c 'i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done'";
	struct et_sample s;
	cpu_set_t all, one;
	char list[64];
	int cpu = 0;

	sched_getaffinity(0, sizeof(all), &all);
	while (!CPU_ISSET(cpu, &all))
		cpu++;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	et_format_cpus(&one, list, sizeof(list));
	pid_t pid = disturber(&one);
	wait_until_used(pid, 1000000);
	struct et_sample asleep = { 0 };
	bool there = run_explained(way, spin, list, &s, "a task that shares its CPU") &&
		     run_watched(way, "sleep 0.2", list, &asleep);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	if (!there) {
		skip("this source is not available");
		return;
	}
	sleeping(&asleep, by_pid(&asleep, pid));
	const struct et_culprit *who = by_pid(&s, pid);
	ok(who && who->on_our_cpu_ns > s.measured.elapsed_ns / 100,
		"the process that took the CPU is listed");
	ok(s.measured.asleep_ns < s.measured.elapsed_ns / 20,
		"a task that shares its CPU is runnable meanwhile, not asleep");
	is_str(who ? who->name : "", "disturber", "the process that took the CPU has its name");
	ok(who && who->on_our_cpu_ns <=
				who->cpu_ns + s.measured.steal_ns + s.measured.elapsed_ns / 20,
		"the process that took the CPU has no more time there than in total");
	et_sample_free(&s);

	if (run_explained(way, "sleep 0.05", list, &s, "a task that sleeps")) {
		ok(s.measured.idle_ns + s.measured.others_ns > 45000000,
			"while a task sleeps its CPU is idle or another's");
		et_sample_free(&s);
	}
	/* A child and its parent in turn: one thing at a time, and no culprit. */
	if (run_explained(way, "sh -c 'sh -c :; sleep 0.02; exit 0'", list, &s, "tasks in turn")) {
		ok(!by_pid(&s, getpid()), "etalon itself is not listed");
		et_sample_free(&s);
	}
}

int main(void)
{
	entering();
	last_one();
	untold();
	unseen_wakeups();
	parallel();
	unknown();
	rules();
	real(ET_SCHED_BPF);
	real(ET_SCHED_PERF);
	return tap_done();
}
