/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/signals.h"
#include "base/clock.h"

#include <sys/mman.h>

/* Time that a program has to end after the first signal, before it is killed. */
enum { GRACE_SECONDS = 2 };
/* Time after which a killed process that has not ended is not waited for any longer. */
enum { STUCK_SECONDS = 2 };

enum phase {
	QUIET,   /* nothing was asked of the children */
	LIMITED, /* the timer runs out when the children have used their time */
	ASKED,   /* they were asked to end, and have the time of grace */
	KILLED,
};

static void settled(void);
static void limit(uint64_t ns);

/*
 * In memory that etalon's keeper (measure/child/keeper.h) shares. The handlers below call only
 * functions that are async-signal-safe, and change only this and `phase`.
 */
static struct et_interrupt fallback = { .settled = settled, .limit = limit };
static struct et_interrupt *state = &fallback;
static volatile sig_atomic_t phase = QUIET;
static pid_t owner;

/* --- the timer --- */

static timer_t timer;
static int timer_signal; /* neither ignored nor blocked by the caller; 0: there is no timer */

static bool is_free(int signal)
{
	struct sigaction old;
	sigset_t blocked;

	sigprocmask(SIG_BLOCK, NULL, &blocked);
	return sigaction(signal, NULL, &old) == 0 && old.sa_handler == SIG_DFL &&
	       !sigismember(&blocked, signal);
}

/* Before handlers are installed. */
static void make_timer(void)
{
	int signal = SIGALRM;

	for (int i = 0; !is_free(signal); i++) {
		signal = SIGRTMAX - i;
		if (signal < SIGRTMIN)
			return;
	}
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = signal };
	if (timer_create(CLOCK_MONOTONIC, &event, &timer) == 0)
		timer_signal = signal;
}

/* Sends the signal after ns, and every interval_ns from then on (0: once). 0 ns stops it. */
static void start_timer(uint64_t ns, uint64_t interval_ns)
{
	struct itimerspec spec = { .it_value = { .tv_sec = (time_t)(ns / 1000000000u),
					   .tv_nsec = (long)(ns % 1000000000u) },
		.it_interval = { .tv_nsec = (long)interval_ns } };

	if (timer_signal)
		timer_settime(timer, 0, &spec, NULL);
}

/* --- children --- */

static void settled(void)
{
	phase = QUIET;
	state->given_up = 0;
	start_timer(0, 0);
}

/* The timer is not stopped when a run ends in time: the next run sets it anew. */
static void limit(uint64_t ns)
{
	if (state->signal)
		return;
	state->overrun = 0;
	phase = ns ? LIMITED : QUIET;
	if (ns)
		start_timer(ns, 0);
}

/* By its PID as well, because a program may have left the process group that it leads. */
static void send_to_children(int signal)
{
	for (size_t i = 0; i < sizeof(state->groups) / sizeof(state->groups[0]); i++) {
		pid_t pid = state->groups[i];
		if (pid <= 0)
			continue;
		kill(-pid, signal);
		if (getpgid(pid) != pid)
			kill(pid, signal);
	}
}

static void kill_children(void)
{
	phase = KILLED;
	send_to_children(SIGKILL);
	/* Again and again: the signal may come right before a wait that it is to interrupt. */
	start_timer(STUCK_SECONDS * 1000000000ull, 100000000);
}

static void ask_children(int signal)
{
	phase = ASKED;
	send_to_children(signal);
	/* A stopped program handles a signal only after it continues. */
	send_to_children(SIGCONT);
	start_timer(GRACE_SECONDS * 1000000000ull, 0);
	if (!timer_signal)
		kill_children();
}

/*
 * Whether the handler runs in a child that has not called execve() yet. It may share our memory
 * (vfork), so it must not change any. The default action follows, as in the program.
 */
static bool in_child(int signal)
{
	if (getpid() == owner)
		return false;
	struct sigaction dfl = { .sa_handler = SIG_DFL };
	sigaction(signal, &dfl, NULL);
	kill(getpid(), signal); /* raise() might use the thread id of the parent */
	return true;
}

static void time_over(void)
{
	if (phase == LIMITED) {
		state->overrun = 1;
		ask_children(SIGTERM);
	} else if (phase == ASKED) {
		kill_children();
	} else if (phase == KILLED) {
		state->given_up = 1;
	}
}

/* A program knows these signals as a request to end; others it may use for its own purposes. */
static int request_to_end(int signal)
{
	return signal == SIGINT || signal == SIGHUP || signal == SIGQUIT ? signal : SIGTERM;
}

static void end(int signal, siginfo_t *info, void *context)
{
	int saved = errno;
	bool child = in_child(signal);

	(void)context;
	if (!child && signal == timer_signal && info->si_code == SI_TIMER) {
		time_over();
	} else if (!child && state->signal) { /* a second signal kills at once */
		kill_children();
	} else if (!child) {
		state->signal = signal;
		ask_children(request_to_end(signal));
	}
	errno = saved;
}

/*
 * A fault in etalon itself, or abort(), has the default action: etalon could not continue. If
 * another process sent the signal, it is a request to end like any other.
 */
static void fault(int signal, siginfo_t *info, void *context)
{
	struct sigaction dfl = { .sa_handler = SIG_DFL };

	if (info->si_code == SI_USER || info->si_code == SI_QUEUE) {
		end(signal, info, context);
		return;
	}
	sigaction(signal, &dfl, NULL);
	kill(getpid(), signal);
}

static void suspend(int signal, siginfo_t *info, void *context)
{
	int saved = errno;

	(void)info;
	(void)context;
	if (!in_child(signal)) {
		send_to_children(SIGSTOP);
		state->suspended = state->suspended + 1;
		kill(getpid(), SIGSTOP);
		send_to_children(SIGCONT);
	}
	errno = saved;
}

/*
 * SIGSTOP cannot be caught, but the SIGCONT after it can. While we were stopped, programs may have
 * ended without our reading the clock, so the samples of that time are marked.
 */
static void resumed(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)info;
	(void)context;
	if (getpid() == owner)
		state->suspended = state->suspended + 1;
}

static void install(int signal, void (*handler)(int, siginfo_t *, void *), int flags)
{
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = flags | SA_SIGINFO };
	struct sigaction old;

	sigfillset(&action.sa_mask);
	/* A signal that the caller ignores (nohup), or another part handles, stays as it is. */
	if (sigaction(signal, NULL, &old) == 0 && old.sa_handler == SIG_DFL)
		sigaction(signal, &action, NULL);
}

static bool reports_fault(int signal)
{
	return signal == SIGSEGV || signal == SIGBUS || signal == SIGFPE || signal == SIGILL ||
	       signal == SIGABRT;
}

/* Whether a signal ends a process unless it is handled. */
static bool ends_process(int signal)
{
	static const int others[] = { SIGKILL, SIGSTOP, SIGCHLD, SIGCONT, SIGTSTP, SIGTTIN, SIGTTOU,
		SIGURG, SIGWINCH };
	bool ends = true;

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		ends = ends && others[i] != signal;
	return ends;
}

void et_signals_read_caller(void)
{
	struct sigaction old;

	sigemptyset(&state->ignored);
	for (int i = 1; i < NSIG; i++) {
		if (sigaction(i, NULL, &old) == 0 && old.sa_handler == SIG_IGN)
			sigaddset(&state->ignored, i);
	}
}

int et_signals_received(void)
{
	return state->signal;
}

void et_signals_pause(const struct et_interrupt *interrupt, uint64_t ns)
{
	struct timespec left = et_ns_timespec(ns);

	while (!interrupt->signal && nanosleep(&left, &left) && errno == EINTR)
		continue;
}

struct et_interrupt *et_signals_install(void)
{
	struct sigaction dfl = { .sa_handler = SIG_DFL };

	if (owner)
		return state;
	owner = getpid();
	void *shared = mmap(
		NULL, sizeof(*state), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared != MAP_FAILED) {
		state = shared;
		*state = fallback;
	}
	make_timer();
	for (int signal = 1; signal <= SIGRTMAX; signal++) {
		if (ends_process(signal))
			install(signal, reports_fault(signal) ? fault : end, 0);
	}
	install(SIGTSTP, suspend, 0);
	install(SIGCONT, resumed, SA_RESTART);
	/* If SIGCHLD were ignored, the kernel would reap children before we wait for them. */
	sigaction(SIGCHLD, &dfl, NULL);
	return state;
}
