/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/command.h"
#include "base/clock.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

extern char **environ;

enum { STOP_MS = 200 };

/* The ends of the pipes that are ours, the process, and what has passed. A closed end is -1. */
struct running {
	const struct et_program_run *c;
	struct et_answer *answer;
	int in, out, errors;
	pid_t pid; /* 0: it has ended */
	size_t written, room, n_errors;
	uint64_t deadline_ns;
};

void et_words_add(struct et_words *w, const char *fmt, ...)
{
	va_list ap;

	ET_GROW(w->argv, w->n + 1, w->room);
	va_start(ap, fmt);
	w->argv[w->n++] = et_vasprintf(fmt, ap);
	va_end(ap);
	w->argv[w->n] = NULL;
}

void et_words_add_all(struct et_words *w, const char *const *words)
{
	for (; words && *words; words++)
		et_words_add(w, "%s", *words);
}

char *et_here_document(const char *text)
{
	size_t n = strlen(text);
	char mark[48];
	unsigned i = 0;

	do
		snprintf(mark, sizeof(mark), "END_OF_INPUT_%u", i++);
	while (strstr(text, mark));
	return et_asprintf(
		"<<'%s'\n%s%s%s\n", mark, text, n && text[n - 1] != '\n' ? "\n" : "", mark);
}

static void close_end(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static bool is_replaced(const char *entry, char *const *by)
{
	size_t n = strcspn(entry, "=");

	for (; by && *by; by++)
		if (n == strcspn(*by, "=") && !memcmp(entry, *by, n))
			return true;
	return false;
}

/* Our environment with the changes; the texts are not copied. */
static char **make_environment(char *const *changes)
{
	static char *const locale[] = { (char *)"LC_ALL=C", NULL };
	size_t n = 0, kept = 0;

	for (char **e = environ; *e; e++)
		n++;
	for (char *const *c = changes; c && *c; c++)
		n++;
	char **list = et_calloc(n + 2, sizeof(*list));
	for (char **e = environ; *e; e++)
		if (!is_replaced(*e, changes) && !is_replaced(*e, locale))
			list[kept++] = *e;
	for (char *const *c = changes; c && *c; c++)
		if (strchr(*c, '='))
			list[kept++] = *c;
	if (!is_replaced(locale[0], changes))
		list[kept] = locale[0];
	return list;
}

/* In the child. Only calls that are safe after fork() follow; `report` is closed by execve. */
static _Noreturn void become(
	char *const *argv, char *const *environment, const int files[3], int report, pid_t parent)
{
	sigset_t none;

	sigemptyset(&none);
	for (int s = 1; s < NSIG; s++) {
		struct sigaction dfl = { .sa_handler = SIG_DFL };
		(void)sigaction(s, &dfl, NULL);
	}
	(void)setpgid(0, 0);
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(127);
	sigprocmask(SIG_SETMASK, &none, NULL);
	/* Everything is above 2 (see et_commands_run), so no dup2 overwrites a file of ours. */
	int rc = 0;
	for (int i = 0; i < 3; i++)
		if (dup2(files[i], i) < 0)
			rc = errno;
	(void)syscall(SYS_close_range, 3, ~0u, CLOSE_RANGE_CLOEXEC);
	if (!rc) {
		execvpe(argv[0], argv, environment);
		rc = errno;
	}
	ssize_t n = write(report, &rc, sizeof(rc));
	_exit(n == sizeof(rc) ? 127 : 126);
}

/* Both ends are above 2 even if our own standard descriptors are closed. */
static int make_pipe(int ends[2])
{
	if (pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	for (int i = 0; i < 2; i++) {
		if (ends[i] > 2)
			continue;
		int fd = fcntl(ends[i], F_DUPFD_CLOEXEC, 3);
		int rc = fd < 0 ? -errno : 0;
		close(ends[i]);
		ends[i] = fd;
		if (rc) {
			close_end(&ends[0]);
			close_end(&ends[1]);
			return rc;
		}
	}
	return 0;
}

/* Pipes for standard input, output, errors and the report of a failed execve. */
enum { IN, OUT, ERRORS, REPORT, PIPES };

static int make_pipes(int pipes[PIPES][2])
{
	for (int i = 0; i < PIPES; i++) {
		int rc = make_pipe(pipes[i]);
		if (rc) {
			while (i-- > 0) {
				close(pipes[i][0]);
				close(pipes[i][1]);
			}
			return rc;
		}
	}
	return 0;
}

static int start(struct running *r)
{
	ET_AUTO_FREE char **environment = make_environment(r->c->environment);
	int pipes[PIPES][2], failure = 0;
	sigset_t all, before;
	pid_t parent = getpid();
	int rc = make_pipes(pipes);

	if (rc)
		return rc;
	const int files[3] = { pipes[IN][0], pipes[OUT][1], pipes[ERRORS][1] };
	/* Until execve the child has our handlers, which must not run there. */
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	pid_t pid = fork();
	if (pid == 0)
		become(r->c->argv, environment, files, pipes[REPORT][1], parent);
	rc = pid < 0 ? -errno : 0;
	sigprocmask(SIG_SETMASK, &before, NULL);
	for (int i = 0; i < PIPES; i++)
		close(pipes[i][i == IN ? 0 : 1]);
	r->in = pipes[IN][1];
	r->out = pipes[OUT][0];
	r->errors = pipes[ERRORS][0];
	if (!rc) {
		r->pid = pid;
		(void)setpgid(pid, pid);
		while (read(pipes[REPORT][0], &failure, sizeof(failure)) < 0 && errno == EINTR)
			;
		rc = -failure;
	}
	close(pipes[REPORT][0]);
	return rc;
}

/* Writes more of the input. A program that does not read it all has its reasons. */
static void feed(struct running *r)
{
	size_t left = r->c->input_bytes - r->written;
	ssize_t n = left ? write(r->in, r->c->input + r->written, left) : 0;

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	r->written += n > 0 ? (size_t)n : 0;
	if (n < 0 || r->written == r->c->input_bytes)
		close_end(&r->in);
}

static void take_output(struct running *r)
{
	struct et_answer *a = r->answer;

	if (r->room - a->n < 65536) {
		r->room = 2 * r->room + 65536;
		a->out = et_realloc(a->out, r->room + 1, 1);
	}
	ssize_t n = read(r->out, a->out + a->n, r->room - a->n);
	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n <= 0) {
		close_end(&r->out);
		return;
	}
	a->n += (size_t)n;
	if (a->n > r->c->most_bytes) {
		a->n = r->c->most_bytes;
		a->rc = -EMSGSIZE;
	}
}

/* Keeps the end of the messages. */
static void take_errors(struct running *r)
{
	char *kept = r->answer->errors, more[256];
	size_t size = sizeof(r->answer->errors) - 1;
	ssize_t n = read(r->errors, more, sizeof(more));

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n <= 0) {
		close_end(&r->errors);
		return;
	}
	if (r->n_errors + (size_t)n > size) {
		size_t drop = r->n_errors + (size_t)n - size;
		memmove(kept, kept + drop, r->n_errors - drop);
		r->n_errors -= drop;
	}
	memcpy(kept + r->n_errors, more, (size_t)n);
	r->n_errors += (size_t)n;
}

static int left_ms(const struct running *r)
{
	uint64_t now_ns = et_clock_read_ns(CLOCK_MONOTONIC);

	return now_ns >= r->deadline_ns ? 0 : (int)((r->deadline_ns - now_ns) / 1000000 + 1);
}

/* Waits for the end of a program that has closed its outputs, which it does right before it. */
static int await_end(struct running *r, int *status)
{
	for (;;) {
		pid_t ended = waitpid(r->pid, status, WNOHANG);
		if (ended > 0)
			r->pid = 0;
		if (ended > 0 || (ended < 0 && errno != EINTR))
			return 0;
		if (left_ms(r) == 0)
			return -ETIMEDOUT;
		(void)poll(NULL, 0, 2);
	}
}

/* Reaps it. If it did not end by itself, kills its group, and then whatever it answered is void. */
static void finish(struct running *r)
{
	struct et_answer *a = r->answer;
	int status = 0;

	close_end(&r->in);
	close_end(&r->out);
	close_end(&r->errors);
	if (r->pid && !a->rc)
		a->rc = await_end(r, &status);
	if (r->pid) {
		if (a->rc)
			kill(-r->pid, SIGKILL);
		while (waitpid(r->pid, &status, 0) < 0 && errno == EINTR)
			;
		r->pid = 0;
	}
	a->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	a->status = a->signal ? 128 + a->signal : WEXITSTATUS(status);
	if (!a->out)
		a->out = et_alloc(1);
	a->out[a->n] = '\0';
	while (r->n_errors && a->errors[r->n_errors - 1] == '\n')
		r->n_errors--;
	a->errors[r->n_errors] = '\0';
}

/* Ended when the outputs are closed: a helper in the background holds them until the time limit. */
static bool is_open(struct running *r)
{
	if (r->pid && !r->answer->rc && left_ms(r) == 0)
		r->answer->rc = -ETIMEDOUT;
	if (r->pid && !r->answer->rc && r->c->stop && *r->c->stop)
		r->answer->rc = -EINTR;
	return r->pid && !r->answer->rc && (r->out >= 0 || r->errors >= 0);
}

static void serve(struct running *r, const struct pollfd p[3])
{
	if (p[0].revents)
		feed(r);
	if (p[1].revents)
		take_output(r);
	if (p[2].revents)
		take_errors(r);
}

/* Passes data once for all that are open. Returns false if none is. */
static bool pass_data(struct running *all, struct pollfd *polls, size_t n)
{
	int wait_ms = -1;

	for (size_t i = 0; i < n; i++) {
		struct running *r = &all[i];
		struct pollfd *p = &polls[3 * i];
		bool open = is_open(r);
		int left = open ? left_ms(r) : 0;
		if (r->c->stop && left > STOP_MS) /* another thread may have got the signal */
			left = STOP_MS;
		p[0] = (struct pollfd){ .fd = open ? r->in : -1, .events = POLLOUT };
		p[1] = (struct pollfd){ .fd = open ? r->out : -1, .events = POLLIN };
		p[2] = (struct pollfd){ .fd = open ? r->errors : -1, .events = POLLIN };
		if (open && (wait_ms < 0 || left < wait_ms))
			wait_ms = left;
		if (!open)
			finish(r);
	}
	if (wait_ms < 0)
		return false;
	if (poll(polls, 3 * n, wait_ms) > 0)
		for (size_t i = 0; i < n; i++)
			serve(&all[i], &polls[3 * i]);
	return true;
}

void et_commands_run(const struct et_program_run *commands, struct et_answer *answers, size_t n)
{
	ET_AUTO_FREE struct running *all = et_calloc(n ? n : 1, sizeof(*all));
	ET_AUTO_FREE struct pollfd *polls = et_calloc(3 * n + 1, sizeof(*polls));
	struct sigaction ignore = { .sa_handler = SIG_IGN }, before;

	/* A program that does not read its input must not end us. */
	(void)sigaction(SIGPIPE, &ignore, &before);
	for (size_t i = 0; i < n; i++) {
		struct running *r = &all[i];
		*r = (struct running){
			.c = &commands[i], .answer = &answers[i], .in = -1, .out = -1, .errors = -1
		};
		memset(r->answer, 0, sizeof(*r->answer));
		r->deadline_ns =
			et_clock_read_ns(CLOCK_MONOTONIC) + r->c->seconds * UINT64_C(1000000000);
		r->answer->rc = start(r);
		if (!r->answer->rc)
			(void)fcntl(r->in, F_SETFL, O_NONBLOCK);
	}
	while (pass_data(all, polls, n))
		;
	(void)sigaction(SIGPIPE, &before, NULL);
}

void et_answers_free(struct et_answer *answers, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(answers[i].out);
		answers[i].out = NULL;
	}
}

int et_command_run(const struct et_program_run *c, struct et_answer *answer, struct et_error *err)
{
	et_commands_run(c, answer, 1);
	if (answer->rc == -ETIMEDOUT)
		return et_fail(err, ETIMEDOUT, ET_EXIT_OUTSIDE, "%s did not end within %u s",
			c->argv[0], c->seconds);
	if (answer->rc == -EMSGSIZE)
		return et_fail(err, EMSGSIZE, ET_EXIT_OUTSIDE, "%s printed more than %zu bytes",
			c->argv[0], c->most_bytes);
	if (answer->rc)
		return et_fail_errno(
			err, -answer->rc, ET_EXIT_ENVIRONMENT, "cannot start %s", c->argv[0]);
	return 0;
}

int et_command_failed(
	const struct et_program_run *c, const struct et_answer *answer, struct et_error *err)
{
	int rc = answer->signal
			 ? et_fail(err, EIO, ET_EXIT_OUTSIDE, "%s was ended by signal %d",
				   c->argv[0], answer->signal)
			 : et_fail(err, EIO, ET_EXIT_OUTSIDE, "%s failed with exit status %d",
				   c->argv[0], answer->status);

	return et_quote(err, rc, answer->errors);
}
