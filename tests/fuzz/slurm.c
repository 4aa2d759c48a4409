/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Target: what the programs of a scheduler print. */
#include "engine/slurm_text.h"
#include "fuzz.h"

#include <string.h>

static void check_task(const struct et_slurm_task *t)
{
	const struct et_job_report *r = &t->report;

	FUZZ_CHECK(r->state > ET_JOB_UNKNOWN && r->state <= ET_JOB_STUCK);
	FUZZ_CHECK(memchr(r->why, '\0', sizeof(r->why)) && memchr(r->node, '\0', sizeof(r->node)));
	FUZZ_CHECK(!t->release || r->state == ET_JOB_WAITING);
	FUZZ_CHECK(!r->final || (r->state == ET_JOB_ENDED && r->status != 0 && r->why[0]));
}

static int fuzz_slurm(const uint8_t *data, size_t size)
{
	ET_AUTO_FREE char *text = fuzz_text(data, size);
	ET_AUTO_FREE struct et_slurm_task *tasks = NULL;
	struct et_slurm_node *nodes = NULL;
	struct et_error err;
	size_t n_tasks = 0, n_nodes = 0;
	uint64_t value;
	int tasks_rc = et_slurm_read_tasks(text, &tasks, &n_tasks, &err);
	int nodes_rc = et_slurm_read_nodes(text, &nodes, &n_nodes, &err);

	FUZZ_CHECK(n_tasks <= ET_SLURM_MOST_TASKS);
	for (size_t i = 0; i < n_tasks; i++)
		check_task(&tasks[i]);
	for (size_t i = 0; i < n_nodes; i++) {
		FUZZ_CHECK(nodes[i].name[0]);
		(void)et_slurm_node_is_usable(nodes[i].state);
		(void)et_slurm_node_has(nodes[i].features, nodes[i].reason);
	}
	et_slurm_nodes_free(nodes, n_nodes);
	(void)et_slurm_read_setting(text, "MaxArraySize", &value);
	return tasks_rc == 0 || nodes_rc == 0;
}

static const char *const slurm_tokens[] = { "|", "\n", "etalon generation=1 offset=0", "PENDING",
	"RUNNING", "COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "BeginTime", "JobHeldUser",
	"launch failed requeued held", "N/A", "0-3", "0-900:2", "%2", ",", "-", "1048576",
	"4294967295", "32512", "idle", "drained", "down*", "(null)", NULL };

FUZZ_TARGET(slurm) = { "slurm", fuzz_slurm, 10000, .tokens = slurm_tokens,
	.input = "what 'squeue' and 'sinfo' print",
	.holds = "a task has a state, and a task that is released waits; texts are terminated" };
