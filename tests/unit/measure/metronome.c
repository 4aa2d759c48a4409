/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which of two programs that run in turn keeps its turn, so that it ends first. */
#include "measure/child/metronome.h"
#include "base/base.h"
#include "base/procstat.h"
#include "tap.h"

#include <signal.h>
#include <sys/wait.h>

static const uint64_t ms = 1000000;

static bool keeps(int first, uint64_t usual0, uint64_t usual1, uint64_t used_us)
{
	struct et_metronome_turns t = { .first = first, .usual_ns = { usual0 * ms, usual1 * ms } };

	t.used_ns[first] = used_us * 1000;
	t.used_ns[!first] = 500 * ms; /* of the other one, which does not matter */
	return et_metronome_keeps_turn(&t, ms);
}

/* A child that leaves the group of its parent and is stopped then, whom the parent waits for. */
static void stray(void)
{
	pid_t leader = fork();
	char state = 0;
	int status = 0;

	if (!leader) {
		setpgid(0, 0);
		pid_t child = fork();
		if (!child) {
			setpgid(0, 0);
			raise(SIGSTOP);
			_exit(5);
		}
		waitpid(child, &status, 0);
		_exit(WEXITSTATUS(status) + 2);
	}
	setpgid(leader, leader);
	for (int i = 0; i < 10000 && state != 'T'; i++) {
		ET_AUTO_FREE char *path =
			et_asprintf("/proc/%d/task/%d/children", (int)leader, (int)leader);
		ET_AUTO_FCLOSE FILE *f = fopen(path, "re");
		struct et_procstat stat;
		int child;
		if (!f) {
			skip("the kernel lists no children");
			kill(-leader, SIGKILL);
			return;
		}
		if (fscanf(f, "%d", &child) == 1 && et_procstat_read("", child, &stat) == 0)
			state = stat.state;
		usleep(1000);
	}
	et_metronome_continue(leader);
	ok(waitpid(leader, &status, 0) == leader && WIFEXITED(status) && WEXITSTATUS(status) == 7,
		"turns: a process that left its group is continued, and its parent ends");
}

int main(void)
{
	stray();
	ok(!keeps(0, 20, 20, 18400) && keeps(0, 20, 20, 18600),
		"turns: the one that shall end first keeps its turn from a beat and a half before "
		"its end");
	ok(!keeps(0, 22, 20, 18400) && keeps(0, 22, 20, 18600) && keeps(1, 20, 22, 18600),
		"turns: a longer one keeps it earlier by what it takes longer");
	ok(!keeps(0, 20, 22, 18400) && keeps(0, 20, 22, 18600),
		"turns: a shorter one keeps it as if both took the same");
	ok(keeps(0, 20, 20, 23900) && !keeps(0, 20, 20, 24100),
		"turns: one that takes longer than usual gives it away after four beats");
	ok(!keeps(0, 23, 20, 22900) && !keeps(0, 200, 20, 199900),
		"turns: one that takes much longer never keeps it");
	ok(!keeps(0, 0, 20, 19900) && !keeps(0, 20, 0, 19900) && !keeps(1, 20, 0, 0),
		"turns: nobody keeps it while the usual times are not known");
	ok(keeps(0, 1, 1, 0), "turns: the shortest programs run one after the other");
	return tap_done();
}
