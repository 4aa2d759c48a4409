/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Campaigns: the division into parts, and what the submitter does next. */
#include "protocol/campaign.h"
#include "base/base.h"
#include "tap.h"

#include <errno.h>
#include <string.h>

enum { MOST = 64 };
static const uint64_t SECOND = 1000000000;

/* --- parts --- */

static char *nodes[] = { (char *)"n1", (char *)"n2", (char *)"n3", NULL };

struct made {
	struct et_part *parts;
	size_t n;
};

static struct made make(struct et_division d)
{
	struct made m = { 0 };
	struct et_error err = { 0 };

	if (!d.nodes)
		d.nodes = nodes;
	if (et_division_make(&d, &m.parts, &m.n, &err))
		tap_bail("%s", err.what);
	return m;
}

static void forget(struct made *m)
{
	for (size_t i = 0; i < m->n; i++)
		free(m->parts[i].node);
	free(m->parts);
}

/* Whether each of the rounds is in exactly one part of that node (NULL: of all). */
static bool covers(const struct made *m, uint32_t rounds, const char *node)
{
	unsigned times[MOST + 1] = { 0 };
	bool once = true;

	for (size_t i = 0; i < m->n; i++) {
		const struct et_part *p = &m->parts[i];
		if (node && strcmp(p->node, node))
			continue;
		for (uint32_t r = p->first_round; r < p->first_round + p->rounds; r++)
			times[r <= MOST ? r : 0]++;
	}
	for (uint32_t r = 1; r <= MOST; r++)
		once = once && times[r] == (r <= rounds);
	return once && !times[0];
}

static bool numbered(const struct made *m)
{
	bool all = true;

	for (size_t i = 0; i < m->n; i++)
		all = all && m->parts[i].number == i;
	return all;
}

static bool same_order(const struct made *a, const struct made *b)
{
	bool same = a->n == b->n;

	for (size_t i = 0; same && i < a->n; i++)
		same = a->parts[i].first_round == b->parts[i].first_round;
	return same;
}

static void dividing(void)
{
	struct made m = make((struct et_division){ .rounds = 31, .seed = 5 });

	ok(m.n == 8 && m.parts[0].rounds <= 4, "parts: 31 rounds on 3 machines are 8 parts of 4");
	ok(covers(&m, 31, NULL), "parts: every round is in one part");
	ok(numbered(&m), "parts: they are numbered in the order in which they start");
	ok(!m.parts[0].node, "parts: any machine may run them");
	struct made again = make((struct et_division){ .rounds = 31, .seed = 5 }),
		    other = make((struct et_division){ .rounds = 31, .seed = 6 });
	ok(same_order(&m, &again), "parts: the seed decides their order");
	ok(!same_order(&m, &other) && covers(&other, 31, NULL),
		"parts: another seed gives another order");
	forget(&m);
	forget(&again);
	forget(&other);

	m = make((struct et_division){ .rounds = 31, .part_rounds = 1 });
	ok(m.n == 31 && covers(&m, 31, NULL), "parts: the user chooses one round per part");
	forget(&m);
	m = make((struct et_division){ .rounds = 3, .part_rounds = 50 });
	ok(m.n == 1 && covers(&m, 3, NULL), "parts: a part has at most all rounds");
	forget(&m);
	m = make((struct et_division){ .rounds = 40, .warmup = 3 });
	ok(m.n == 4 && covers(&m, 40, NULL),
		"parts: 3 warm-up runs are a fifth of the runs of a part at most");
	forget(&m);
}

static void dividing_per_machine(void)
{
	struct made m = make((struct et_division){ .rounds = 20, .per_machine = true, .seed = 3 });

	ok(m.n == 12, "per machine: 20 rounds on each of 3 machines are 12 parts");
	for (int i = 0; i < 3; i++)
		ok(covers(&m, 20, nodes[i]), "per machine: %s runs every round once", nodes[i]);
	forget(&m);
}

static void refusing(void)
{
	struct et_division d = { .rounds = 200000, .part_rounds = 1, .nodes = nodes },
			   none = { .rounds = 5, .per_machine = true };
	struct made m = { 0 };
	struct et_error err = { 0 };

	ok(et_division_make(&d, &m.parts, &m.n, &err) == -E2BIG && err.exit == ET_EXIT_USAGE &&
			strstr(err.hint, "--part-rounds"),
		"parts: too many are refused with the option that helps");
	ok(et_division_make(&none, &m.parts, &m.n, &err) == -EINVAL,
		"per machine: without a machine there are no parts");
}

/* --- decisions --- */

static struct et_part parts[4];
static struct et_job_report reports[4];
static struct et_campaign_decision d;

/* Four parts that were submitted at second 100 in generation 1 and wait. */
static void reset(void)
{
	memset(parts, 0, sizeof(parts));
	memset(reports, 0, sizeof(reports));
	for (uint32_t i = 0; i < 4; i++) {
		parts[i] = (struct et_part){
			.number = i, .generation = 1, .changed_wall_ns = 100 * SECOND
		};
		reports[i] = (struct et_job_report){ .part = i, .state = ET_JOB_WAITING };
	}
}

static const struct et_part_decision *decide(uint64_t seconds)
{
	struct et_campaign c = { .parts = parts, .n_parts = 4 };

	et_campaign_decision_free(&d);
	et_campaign_decide(&c, reports, seconds * SECOND, &d);
	return d.parts;
}

static void counting(void)
{
	reset();
	parts[0].state = ET_PART_DONE;
	parts[1].state = ET_PART_FAILED;
	parts[2].state = ET_PART_RUNNING;
	reports[2].state = ET_JOB_RUNNING;
	decide(100);
	ok(d.done == 1 && d.failed == 1 && d.running == 1 && d.waiting == 1 && !d.to_submit &&
			!d.finished,
		"decide: parts are counted by their states");
	parts[2].state = parts[3].state = ET_PART_DONE;
	reports[2].state = ET_JOB_ENDED;
	decide(1000);
	ok(d.finished && !d.to_submit,
		"decide: it is finished when every part is done or has failed");
}

static void first_submission(void)
{
	reset();
	for (int i = 0; i < 4; i++) {
		parts[i].generation = 0;
		reports[i].state = ET_JOB_UNKNOWN;
	}
	ok(decide(100)[3].action == ET_PART_SUBMIT && d.to_submit == 4 && d.generation == 1,
		"decide: new parts are submitted in generation 1");
	parts[0].generation = 1;
	ok(decide(101)[0].action == ET_PART_LEAVE && d.to_submit == 3 && d.generation == 2,
		"decide: a submitter that was killed half-way continues with generation 2");
}

static void losing(void)
{
	reset();
	reports[0].state = ET_JOB_UNKNOWN;
	ok(decide(110)[0].action == ET_PART_LEAVE,
		"decide: a job that is not listed yet is waited for");
	ok(decide(131)[0].action == ET_PART_RESUBMIT && d.generation == 2 && d.to_submit == 1,
		"decide: a job that disappeared is submitted again");
	ok(d.parts[0].attempt == et_attempt_number(1, 0), "decide: its attempt is named");
	is_str(d.parts[0].why, "its job disappeared", "decide: the reason is recorded");

	reports[0] = (struct et_job_report){ .state = ET_JOB_ENDED, .status = 9, .restarts = 2 };
	ok(decide(106)[0].action == ET_PART_RESUBMIT &&
			d.parts[0].attempt == et_attempt_number(1, 2),
		"decide: the attempt of a restarted job has its restarts");
	is_str(d.parts[0].why, "its job ended without a result, with exit status 9",
		"decide: the exit status is recorded");
	ok(decide(104)[0].action == ET_PART_LEAVE,
		"decide: the previous job may be listed for some seconds");
	parts[0].attempt = et_attempt_number(3, 0);
	decide(106);
	ok(d.generation == 4 && d.parts[0].attempt == et_attempt_number(3, 0),
		"decide: a generation that only an attempt knows is not used again");
	parts[0].attempt = 0;
	parts[0].generation = 2;
	reports[0].generation = 1;
	ok(decide(110)[0].action == ET_PART_LEAVE,
		"decide: a report about an earlier submission says nothing about the latest");
	parts[0].state = ET_PART_DONE;
	ok(decide(1000)[0].action == ET_PART_LEAVE, "decide: a part that is done stays done");
}

static void giving_up(void)
{
	char lost[] = "its job disappeared", other[] = "no space left";

	reset();
	reports[0].state = ET_JOB_UNKNOWN;
	parts[0].state = ET_PART_RUNNING;
	parts[0].attempt = et_attempt_number(1, 0);
	parts[0].error = lost;
	parts[0].failures = 1;
	ok(decide(200)[0].action == ET_PART_RESUBMIT, "decide: the second loss is tried again");
	parts[0].failures = 2;
	ok(decide(200)[0].action == ET_PART_GIVE_UP && !d.to_submit,
		"decide: the third loss with the same reason ends the part");
	parts[0].error = other;
	ok(decide(200)[0].action == ET_PART_RESUBMIT,
		"decide: another reason than before is tried again");
	parts[0].state = ET_PART_TODO; /* the attempt itself reported the failure */
	ok(decide(200)[0].action == ET_PART_RESUBMIT && !strcmp(d.parts[0].why, other),
		"decide: the reason of the attempt itself counts, and is not counted twice");
	parts[0].failures = 3;
	ok(decide(200)[0].action == ET_PART_GIVE_UP && !strcmp(d.parts[0].why, other),
		"decide: three attempts that failed alike end the part with their reason");
}

static void stuck(void)
{
	reset();
	reports[1] = (struct et_job_report){ .state = ET_JOB_STUCK, .why = "held by root" };
	ok(decide(5000)[1].action == ET_PART_LEAVE && d.stuck == 1 && d.waiting == 3,
		"decide: a stuck job is reported and left");
	is_str(d.parts[1].why, "held by root", "decide: the scheduler's reason is shown");
}

int main(void)
{
	dividing();
	dividing_per_machine();
	refusing();
	counting();
	first_submission();
	losing();
	giving_up();
	stuck();
	et_campaign_decision_free(&d);
	return tap_done();
}
