/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Answers of Slurm 22.05.8, recorded on a cluster of two nodes, and answers that no Slurm gives. */
#include "engine/slurm_text.h"
#include "base/base.h"
#include "tap.h"

#include <errno.h>

static struct et_slurm_task *tasks;
static size_t n_tasks;
static struct et_error err;

static int read_tasks(const char *text)
{
	free(tasks);
	tasks = NULL;
	n_tasks = 0;
	memset(&err, 0, sizeof(err));
	return et_slurm_read_tasks(text, &tasks, &n_tasks, &err);
}

static void is_task(size_t i, uint32_t part, enum et_job_state state, int status, const char *why,
	const char *name)
{
	if (i >= n_tasks) {
		ok(false, "%s: there is no task %zu", name, i);
		return;
	}
	const struct et_job_report *r = &tasks[i].report;
	if (!ok(r->part == part && r->state == state && r->status == status, "squeue: %s", name))
		printf("# part %u, state %d, status %d\n", r->part, (int)r->state, r->status);
	is_str(r->why, why, "squeue: the reason of %s", name);
}

static void test_recorded(void)
{
	int rc = read_tasks("5|1|2|FAILED|JobLaunchFailure|n2|9|0|other|\n" + 2);

	ok(rc == 0 && n_tasks == 0, "squeue: a job without our comment is skipped");
	rc = read_tasks("1|2|FAILED|JobLaunchFailure|n2|9|0|etalon generation=1 offset=0|\n"
			"1|1|FAILED|NonZeroExitCode|n2|768|0|etalon generation=1 offset=0|\n"
			"1|4-5|PENDING|Resources||0|0|etalon generation=1 offset=0|\n"
			"1|3|RUNNING|None|n2|0|0|etalon generation=1 offset=0|\n"
			"1|0|COMPLETED|None|n1|0|0|etalon generation=1 offset=0|\n"
			"7|499|COMPLETED|None|n1|0|2|etalon generation=2 offset=1001|\n");
	ok(rc == 0 && n_tasks == 7, "squeue: recorded lines are read");
	is_task(0, 2, ET_JOB_ENDED, 137, "ended by signal 9 on n2", "a task that was killed");
	is_task(1, 1, ET_JOB_ENDED, 3, "exit status 3 on n2", "a task that failed");
	is_task(2, 4, ET_JOB_WAITING, 0, "no machine is free", "a task that waits");
	is_task(3, 5, ET_JOB_WAITING, 0, "no machine is free", "the next of the same line");
	is_task(4, 3, ET_JOB_RUNNING, 0, "", "a task that runs");
	is_task(5, 0, ET_JOB_ENDED, 0, "", "a task that ended");
	is_task(6, 1500, ET_JOB_ENDED, 0, "", "a task beyond the largest index");
	ok(n_tasks == 7 && tasks[6].array == 7 && tasks[6].index == 499 &&
			tasks[6].report.generation == 2 && tasks[6].report.restarts == 2,
		"squeue: array, index, generation and restarts are read");
	is_str(tasks[4].report.node, "n2", "squeue: the node is read");
}

#define LINE(indices, state, reason, status, restarts)                                             \
	"3|" indices "|" state "|" reason "|n1|" status "|" restarts                               \
	"|etalon generation=1 offset=0|\n"

static void test_states(void)
{
	int rc = read_tasks(LINE("0", "TIMEOUT", "TimeLimit", "0", "0") LINE("1", "OUT_OF_MEMORY",
		"OutOfMemory", "125", "0") LINE("2", "NODE_FAIL", "NodeDown", "0", "0") LINE("3",
		"CANCELLED", "None", "0", "0") LINE("4", "FAILED", "NonZeroExitCode", "32512", "0")
			LINE("5", "PENDING", "BeginTime", "0", "1") LINE("6", "PENDING",
				"BeginTime", "0", "0") LINE("7", "PENDING", "JobHeldUser", "0", "0")
				LINE("8", "PENDING", "launch failed requeued held", "0", "1")
					LINE("9", "PENDING", "PartitionDown", "0", "0") LINE(
						"10", "NEW_STATE", "None", "0", "0")
						LINE("N/A", "CANCELLED", "JobHeldUser", "0", "0"));

	ok(rc == 0 && n_tasks == 12, "squeue: all states are read");
	is_task(0, 0, ET_JOB_ENDED, 143,
		"longer than its time limit: use a longer --time-limit-part", "a time limit");
	ok(tasks[0].report.final && tasks[1].report.final && !tasks[2].report.final &&
			tasks[3].report.final,
		"squeue: a failed machine is tried again; limits and people's decisions are final");
	is_task(2, 2, ET_JOB_ENDED, 143, "the machine failed", "a node failure");
	is_task(4, 4, ET_JOB_ENDED, 127,
		"etalon was not found on n1: install it there, or use --etalon-path",
		"a node without etalon");
	ok(tasks[5].release && !tasks[5].held && !tasks[6].release,
		"squeue: a requeued task is released, one with a start time is not");
	is_task(7, 7, ET_JOB_STUCK, 0, "held: use scontrol release", "a held task");
	ok(tasks[8].release && tasks[8].held, "squeue: a task that failed to start is released");
	is_task(9, 9, ET_JOB_STUCK, 0, "the partition is down", "a partition that is down");
	is_task(10, 10, ET_JOB_WAITING, 0, "NEW_STATE", "an unknown state");
	is_task(11, ET_SLURM_ALL_PARTS, ET_JOB_ENDED, 143, "cancelled", "a cancelled array");
}

static void test_indices(void)
{
	static const char *const bad[] = { "0-", "4-2", "0-9:0", "0-4294967295", "0-2147483647",
		"1,", "1,,2", "1;2", "99999999999999999999", "0-1048576", "0-700000,0-700000" };

	ok(read_tasks(LINE("0-8:4,11,20-21%2", "PENDING", "Priority", "0", "0")) == 0 &&
			n_tasks == 6 && tasks[2].report.part == 8 && tasks[3].report.part == 11 &&
			tasks[5].report.part == 21,
		"squeue: ranges, steps and limits of an array are read");
	for (size_t i = 0; i < ET_LENGTH(bad); i++) {
		ET_AUTO_FREE char *line = et_asprintf(
			"3|%s|PENDING|None|n1|0|0|etalon generation=1 offset=0|\n", bad[i]);
		ok(read_tasks(line) == -EPROTO, "squeue: the index '%s' is refused", bad[i]);
	}
	ok(read_tasks("slurm_load_jobs error\n") == -EPROTO && err.hint[0],
		"squeue: another text is refused with a hint");
	ok(read_tasks("3|1|RUNNING|None|n1|-1|0|etalon generation=1 offset=0|\n") == -EPROTO,
		"squeue: a negative status is refused");

	uint32_t list[] = { 0, 1, 2, 5, 7, 8 };
	char *text = et_slurm_write_indices(list, ET_LENGTH(list));
	is_str(text, "0-2,5,7-8", "sbatch: indices are written as ranges");
	free(text);
}

static void test_settings(void)
{
	static const char config[] = "Configuration data as of 2026-11-16T22:16:31\n"
				     "MaxArraySize            = 1001\n"
				     "MaxJobCount             = 10000\nMaxJobId = 67043328\n";
	uint64_t value = 0;

	ok(et_slurm_read_setting(config, "MaxArraySize", &value) && value == 1001,
		"config: the size of arrays is read");
	ok(et_slurm_read_setting(config, "MaxJobCount", &value) && value == 10000,
		"config: the number of jobs is read");
	ok(!et_slurm_read_setting(config, "MaxJob", &value), "config: a missing name is missing");
}

static void test_nodes(void)
{
	struct et_slurm_node *nodes = NULL;
	size_t n = 0;
	int rc = et_slurm_read_nodes("n1|drained|(null)|a test | of it\nn2|idle|fast,x86|none\n"
				     "n2|idle|fast,x86|none\n",
		&nodes, &n, &err);

	ok(rc == 0 && n == 2, "sinfo: a node of two partitions is one node");
	is_str(nodes[0].reason, "a test | of it", "sinfo: the reason is the rest of the line");
	ok(!et_slurm_node_is_usable(nodes[0].state) && et_slurm_node_is_usable(nodes[1].state),
		"sinfo: an idle node is usable, a drained one is not");
	ok(et_slurm_node_is_usable("idle~") && et_slurm_node_is_usable("mixed") &&
			!et_slurm_node_is_usable("idle*") && !et_slurm_node_is_usable("down*") &&
			!et_slurm_node_is_usable("maint") && !et_slurm_node_is_usable(""),
		"sinfo: flags of states are understood");
	et_slurm_nodes_free(nodes, n);
	rc = et_slurm_read_nodes("no bars\n", &nodes, &n, &err);
	ok(rc == -EPROTO, "sinfo: another text is refused");
	ok(et_slurm_node_has("fast,x86", "fast") && et_slurm_node_has("fast,x86", "x86&fast") &&
			et_slurm_node_has("fast,x86", "gpu|x86") &&
			!et_slurm_node_has("fast,x86", "fast&gpu") &&
			!et_slurm_node_has("faster", "fast") && et_slurm_node_has("", "[a*2&b*1]"),
		"sinfo: constraints are compared with features");
}

int main(void)
{
	test_recorded();
	test_states();
	test_indices();
	test_settings();
	test_nodes();
	free(tasks);
	return tap_done();
}
