/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which time `--metric auto` judges, by runs whose shares of elapsed time are known. */
#include "model/sample/metric_choice.h"
#include "base/base.h"
#include "base/parse.h"
#include "tap.h"

/* Shares of an elapsed time of 100 ms, in percent. */
struct shares {
	int cpu, wait, steal;
};

static void add(struct et_experiment *e, uint32_t command, struct shares s, bool warmup,
	enum et_arrangement arrangement, enum et_removed_by removed)
{
	struct et_sample sample = { .place = { .command = command,
					    .warmup = warmup,
					    .arrangement = arrangement,
					    .partner = -1 },
		.ruling.removal.by = removed };

	sample.measured.on_cpu_ns = sample.measured.runnable_ns = sample.measured.asleep_ns =
		ET_UNKNOWN;
	sample.measured.voluntary_switches = ET_UNKNOWN;
	sample.measured.elapsed_ns = 100000000;
	sample.measured.cpu_ns = (uint64_t)s.cpu * 1000000;
	sample.measured.wait_ns = s.wait < 0 ? ET_UNKNOWN : (uint64_t)s.wait * 1000000;
	sample.measured.steal_ns = (uint64_t)s.steal * 1000000;
	et_experiment_add(e, &sample);
}

static void add_solo(struct et_experiment *e, uint32_t command, struct shares s)
{
	add(e, command, s, false, ET_SOLO, ET_KEPT);
}

static struct et_experiment *experiment(size_t n_commands)
{
	struct et_experiment *e = et_experiment_new();

	e->metric_auto = true;
	for (size_t i = 0; i < n_commands; i++)
		et_experiment_add_command(e, et_asprintf("c%zu", i + 1), et_strv_of("true", NULL));
	return e;
}

/* The reason for one command with three runs of these shares. */
static enum et_metric_reason reason_of(struct shares s)
{
	struct et_experiment *e = experiment(1);

	for (int i = 0; i < 3; i++)
		add_solo(e, 0, s);
	enum et_metric_reason reason = et_metric_choose(e).reason;
	et_experiment_free(e);
	return reason;
}

/* Time that the ledger cannot explain is no waiting: the hypervisor may have had it. */
static void unexplained(void)
{
	struct et_experiment *e = experiment(1);

	for (size_t i = 0; i < 3; i++) {
		add_solo(e, 0, (struct shares){ 70, 0, 0 });
		struct et_sample *s = et_samples_edit(&e->commands[0].samples, i);
		s->measured.on_cpu_ns = 70000000;
		s->measured.runnable_ns = 0;
		s->measured.asleep_ns = 5000000;
	}
	ok(et_metric_choose(e).reason == ET_METRIC_BY_DEFAULT,
		"auto: unexplained time does not count as waiting if the ledger records it apart");
	et_experiment_free(e);
}

static void kinds(void)
{
	ok(reason_of((struct shares){ 99, 0, 0 }) == ET_METRIC_BY_DEFAULT,
		"auto: a program that only computes is judged by CPU time");
	ok(reason_of((struct shares){ 30, 69, 0 }) == ET_METRIC_BY_DEFAULT,
		"auto: waiting for a CPU that others use is not the program's doing");
	ok(reason_of((struct shares){ 50, 0, 48 }) == ET_METRIC_BY_DEFAULT,
		"auto: stolen time is not the program's doing");
	ok(reason_of((struct shares){ 91, 0, 0 }) == ET_METRIC_BY_DEFAULT,
		"auto: 9 %% of waiting leave it to CPU time");
	ok(reason_of((struct shares){ 88, 0, 0 }) == ET_METRIC_WAITS,
		"auto: 12 %% of waiting are judged by elapsed time");
	ok(reason_of((struct shares){ 1, 0, 0 }) == ET_METRIC_WAITS,
		"auto: a program that sleeps is judged by elapsed time");
	ok(reason_of((struct shares){ 1, -1, 0 }) == ET_METRIC_WAITS,
		"auto: a program that sleeps is recognized where waiting for a CPU is not known");
	ok(reason_of((struct shares){ 190, 0, 0 }) == ET_METRIC_PARALLEL,
		"auto: a program on two CPUs is judged by elapsed time");
	ok(reason_of((struct shares){ 108, 0, 0 }) == ET_METRIC_BY_DEFAULT,
		"auto: 1.08 CPUs are not clearly more than one");
	ok(reason_of((struct shares){ 80, 90, 0 }) == ET_METRIC_WANTS_CPUS,
		"auto: a parallel program is recognized on a busy machine");
	ok(reason_of((struct shares){ 85, 25, 0 }) == ET_METRIC_BY_DEFAULT,
		"auto: processes that wait for a CPU beside each other for a moment do not count");
}

static void votes(void)
{
	struct et_experiment *e = experiment(2);
	struct et_metric_choice choice = et_metric_choose(e);

	ok(choice.metric == ET_METRIC_CPU && choice.reason == ET_METRIC_BY_DEFAULT,
		"auto: without a run it is CPU time");
	add(e, 0, (struct shares){ 10, 0, 0 }, true, ET_SOLO, ET_KEPT);
	ok(et_metric_choose(e).metric == ET_METRIC_ELAPSED,
		"auto: the warm-up decides before the first run that counts");
	add_solo(e, 0, (struct shares){ 99, 0, 0 });
	ok(et_metric_choose(e).metric == ET_METRIC_CPU,
		"auto: a cold warm-up does not decide beside runs that count");
	add_solo(e, 0, (struct shares){ 50, 0, 0 });
	ok(et_metric_choose(e).metric == ET_METRIC_CPU, "auto: one run of two does not decide");
	add_solo(e, 0, (struct shares){ 98, 0, 0 });
	for (int i = 0; i < 5; i++) {
		add(e, 0, (struct shares){ 5, 0, 0 }, false, ET_DUET, ET_KEPT);
		add(e, 0, (struct shares){ 5, 0, 0 }, false, ET_SOLO, ET_REMOVED_FAILED);
		add(e, 0, (struct shares){ 5, 0, 0 }, false, ET_SOLO, ET_REMOVED_STOPPED);
	}
	ok(et_metric_choose(e).metric == ET_METRIC_CPU,
		"auto: runs in duets, failed runs and stopped runs do not vote");
	add_solo(e, 1, (struct shares){ 190, 0, 0 });
	choice = et_metric_choose(e);
	ok(choice.metric == ET_METRIC_ELAPSED && choice.reason == ET_METRIC_PARALLEL &&
			choice.command == 1,
		"auto: one parallel command decides for all");
	near(choice.amount, 1.9, 0, 1e-9, "auto: the number of busy CPUs is reported");
	e->plan.pace = true;
	ok(et_metric_choose(e).metric == ET_METRIC_CPU, "auto: --pace means CPU time");
	e->plan.pace = false;
	e->plan.order = ET_ORDER_DUET;
	ok(et_metric_choose(e).metric == ET_METRIC_CPU, "auto: --order duet means CPU time");
	e->plan.order = ET_ORDER_AUTO;
	et_metric_settle(e);
	ok(e->metric == ET_METRIC_ELAPSED, "auto: settling records the choice");
	e->metric_auto = false;
	e->metric = ET_METRIC_CPU;
	choice = et_metric_choose(e);
	ok(choice.metric == ET_METRIC_CPU && choice.reason == ET_METRIC_BY_USER,
		"auto: the user's own choice stays");
	et_experiment_free(e);
}

static void one_cpu(void)
{
	struct et_experiment *e = experiment(1);

	for (int i = 0; i < 3; i++)
		add_solo(e, 0, (struct shares){ 80, 90, 0 });
	ok(et_metric_choose(e).amount > 1.6, "auto: the CPUs that a program would use are counted");
	e->child.cpus = et_strdup("0");
	ok(et_metric_choose(e).reason == ET_METRIC_BY_DEFAULT,
		"auto: tasks that have a single CPU wait for each other");
	free(e->child.cpus);
	e->child.cpus = et_strdup("0-1");
	ok(et_metric_choose(e).reason == ET_METRIC_WANTS_CPUS,
		"auto: tasks that have two CPUs may want both");
	et_experiment_free(e);
}

int main(void)
{
	kinds();
	one_cpu();
	unexplained();
	votes();
	return tap_done();
}
