/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/child/metronome.h"
#include "base/clock.h"
#include "base/u64.h"

#include <dirent.h>
#include <sched.h>
#include <sys/wait.h>

/* See doc/duets.md: shorter beats are no more precise, and cost both programs more time. */
static const uint64_t usual_beat_ns = 1000000;

uint64_t et_metronome_choose(const struct et_experiment *e)
{
	bool duets = e->plan.order == ET_ORDER_AUTO || e->plan.order == ET_ORDER_DUET;
	cpu_set_t ours;

	if (e->n_commands < 2 || !duets || e->plan.pace ||
		sched_getaffinity(0, sizeof(ours), &ours) < 0)
		return 0;
	return CPU_COUNT(&ours) > 1 ? usual_beat_ns : 0;
}

static bool has_ended(pid_t pid)
{
	siginfo_t info = { 0 };

	return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) < 0 ||
	       info.si_pid == pid;
}

/* A program that has left the process group that it leads is signalled itself. */
static void signal_group(pid_t pid, int signal)
{
	if (kill(-pid, signal) < 0 || getpgid(pid) != pid)
		kill(pid, signal);
}

/* Continues the descendants of a process that are not in the group of the program any more. */
static void continue_strays(pid_t group, pid_t pid, int depth)
{
	enum { DEEPEST = 20 };
	ET_AUTO_FREE char *tasks = et_asprintf("/proc/%d/task", (int)pid);
	DIR *d = depth < DEEPEST ? opendir(tasks) : NULL;
	const struct dirent *task;

	while (d && (task = readdir(d))) {
		ET_AUTO_FREE char *path = et_asprintf("%s/%s/children", tasks, task->d_name);
		ET_AUTO_FCLOSE FILE *f = task->d_name[0] == '.' ? NULL : fopen(path, "re");
		int child;
		while (f && fscanf(f, "%d", &child) == 1) {
			if (getpgid(child) != group)
				kill(child, SIGCONT);
			continue_strays(group, child, depth + 1);
		}
	}
	if (d)
		closedir(d);
}

/*
 * A process may leave the group between our signal to stop and its effect. It would stay stopped,
 * and its parent would wait for it for ever; SIGCONT also removes a stop that is still pending.
 */
void et_metronome_continue(pid_t pid)
{
	signal_group(pid, SIGCONT);
	continue_strays(pid, pid, 0);
}

/*
 * Sleeps until *next and sets it to the end of the following slice. A beat that came late makes one
 * slice longer; it must not make the next one shorter, or the other program would pay for it.
 */
static void wait_for_beat(uint64_t beat_ns, const volatile sig_atomic_t *stop, uint64_t *next_ns)
{
	struct timespec at = et_ns_timespec(*next_ns);

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) == EINTR && !*stop)
		;
	uint64_t now_ns = et_clock_read_ns(CLOCK_MONOTONIC);
	*next_ns = (now_ns > *next_ns ? now_ns : *next_ns) + beat_ns;
}

/* The margin is for what its time varies by, and for what it takes longer than the other one. */
bool et_metronome_keeps_turn(const struct et_metronome_turns *turns, uint64_t beat_ns)
{
	const uint64_t longest_ns = 4 * beat_ns;
	int first = turns->first;
	uint64_t own_ns = turns->usual_ns[first], others_ns = turns->usual_ns[!first];
	uint64_t margin_ns = 3 * beat_ns / 2 + et_minus_u64(own_ns, others_ns);

	return own_ns && others_ns && margin_ns <= longest_ns &&
	       turns->used_ns[first] + margin_ns > own_ns &&
	       turns->used_ns[first] < own_ns + longest_ns;
}

void et_metronome_run(const struct et_reap_request children[static 2], struct et_start *starts,
	uint64_t beat_ns, struct et_metronome_turns *turns, const volatile sig_atomic_t *stop)
{
	enum { AT_TIMES = 63 }; /* odd, so that both are meant in turn */
	pid_t pids[] = { children[0].pid, children[1].pid };
	bool released = false; /* the second child */
	int runs = 0, beats = 0;

	et_child_release(&starts[0], 1);
	uint64_t turn_ns = et_clock_read_ns(CLOCK_MONOTONIC), next_ns = turn_ns + beat_ns / 2;
	while (!*stop && !has_ended(pids[0]) && !has_ended(pids[1])) {
		wait_for_beat(beat_ns, stop, &next_ns);
		uint64_t now_ns = next_ns - beat_ns;
		turns->used_ns[runs] += now_ns - turn_ns;
		turn_ns = now_ns;
		if (released && runs == turns->first && et_metronome_keeps_turn(turns, beat_ns))
			continue;
		signal_group(pids[runs], SIGSTOP);
		runs = !runs;
		if (!released)
			et_child_release(&starts[1], 1);
		else if (++beats % AT_TIMES == 0)
			et_metronome_continue(pids[runs]);
		else
			signal_group(pids[runs], SIGCONT);
		released = true;
	}
	turns->end_ns = turn_ns;
	if (!released)
		et_child_release(&starts[1], 1);
	et_metronome_continue(pids[0]);
	et_metronome_continue(pids[1]);
}
