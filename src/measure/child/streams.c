/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/child/streams.h"
#include "base/outfile.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>

/* --- pipes --- */

enum { PIPE_SIZE = 1 << 20, PAUSE_MS = 5, LINES = 3 };

void et_drain_init(struct et_drain *d)
{
	const struct et_drain_pipe none = { .read_fd = -1, .write_fd = -1 };

	*d = (struct et_drain){ .err = { none, none }, .out = none, .null_fd = -1, .stop_fd = -1 };
	pthread_mutex_init(&d->lock, NULL);
}

static int open_pipe(struct et_drain_pipe *p, struct et_error *err)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC) < 0)
		return et_fail_errno(err, errno, ET_EXIT_OUTSIDE, "cannot make a pipe");
	p->read_fd = fds[0];
	p->write_fd = fds[1];
	/* The two ends have their own flags: programs write to a pipe that blocks. */
	fcntl(p->read_fd, F_SETFL, O_NONBLOCK);
	return 0;
}

int et_drain_open(struct et_drain *d, bool output, struct et_error *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < ET_SLOTS; i++) {
		rc = open_pipe(&d->err[i], err);
		/* Where pipes must be smaller, a program that writes much waits for the thread. */
		if (rc == 0)
			fcntl(d->err[i].write_fd, F_SETPIPE_SZ, PIPE_SIZE);
	}
	if (rc == 0 && output)
		rc = open_pipe(&d->out, err);
	if (rc)
		return rc;
	d->null_fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	d->stop_fd = eventfd(0, EFD_CLOEXEC);
	if (d->null_fd < 0 || d->stop_fd < 0)
		return et_fail_errno(err, errno, ET_EXIT_OUTSIDE, "cannot read output");
	return 0;
}

/* Keeps the end of all that was read. */
static void keep_tail(struct et_drain_pipe *p, const char *data, size_t n)
{
	size_t kept = p->n;

	if (n >= sizeof(p->tail)) {
		memcpy(p->tail, data + n - sizeof(p->tail), sizeof(p->tail));
		p->n = sizeof(p->tail);
		return;
	}
	if (kept + n > sizeof(p->tail)) {
		kept = sizeof(p->tail) - n;
		memmove(p->tail, p->tail + p->n - kept, kept);
	}
	memcpy(p->tail + kept, data, n);
	p->n = kept + n;
}

/* Reads all there is. Returns the number of bytes. */
static size_t read_all(struct et_drain *d, struct et_drain_pipe *p)
{
	char data[16384];
	size_t sum = 0;
	ssize_t n;

	pthread_mutex_lock(&d->lock);
	while ((n = read(p->read_fd, data, sizeof(data))) > 0) {
		keep_tail(p, data, (size_t)n);
		sum += (size_t)n;
	}
	pthread_mutex_unlock(&d->lock);
	return sum;
}

/* The thread needs no privilege, and it has those of the thread that made it. */
static void drop_capabilities(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = { { 0 } };

	syscall(SYS_capset, &header, none);
}

/* Reads standard error. Returns true if so little was there that more of it can wait. */
static bool read_errors(struct et_drain *d, const struct pollfd *fds)
{
	bool some = false, much = false;

	for (size_t i = 0; i < ET_SLOTS; i++) {
		if (!(fds[i].revents & POLLIN))
			continue;
		some = true;
		much = read_all(d, &d->err[i]) >= PIPE_SIZE / 2 || much;
	}
	return some && !much;
}

static void *work(void *ctx)
{
	struct et_drain *d = ctx;
	struct sched_param none = { 0 };
	bool rest = false;

	drop_capabilities();
	sched_setscheduler(0, SCHED_BATCH, &none);
	for (;;) {
		struct pollfd fds[ET_SLOTS + 2];
		for (size_t i = 0; i < ET_SLOTS; i++)
			fds[i] = (struct pollfd){ .fd = rest ? -1 : d->err[i].read_fd,
				.events = POLLIN };
		fds[ET_SLOTS] = (struct pollfd){ .fd = d->out.read_fd, .events = POLLIN };
		fds[ET_SLOTS + 1] = (struct pollfd){ .fd = d->stop_fd, .events = POLLIN };
		int n = poll(fds, ET_SLOTS + 2, rest ? PAUSE_MS : -1);
		if (n < 0 && errno != EINTR)
			return NULL;
		if (n > 0 && fds[ET_SLOTS + 1].revents)
			return NULL;
		/* The pages of the pipe are not copied: /dev/null takes them as they are. */
		while (n > 0 && fds[ET_SLOTS].revents &&
			splice(d->out.read_fd, NULL, d->null_fd, NULL, PIPE_SIZE,
				SPLICE_F_NONBLOCK) > 0)
			;
		rest = n > 0 && read_errors(d, fds);
	}
}

int et_drain_start(struct et_drain *d, struct et_error *err)
{
	sigset_t all, old;

	if (d->stop_fd < 0)
		return 0;
	/* Signals are for the thread that measures. */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &old);
	int rc = pthread_create(&d->thread, NULL, work, d);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (rc)
		return et_hint(err,
			et_fail_errno(err, rc, ET_EXIT_OUTSIDE,
				"cannot start a thread that reads the programs' output"),
			"end other processes, or raise their limit: ulimit -u");
	d->running = true;
	return 0;
}

void et_drain_forget(struct et_drain *d, size_t n_slots)
{
	for (size_t i = 0; d->running && i < n_slots; i++) {
		read_all(d, &d->err[i]);
		d->err[i].n = 0;
	}
}

/* Returns the beginning of the last lines in a text of n bytes, without its last newlines. */
static const char *last_lines(const char *text, size_t *n)
{
	int lines = 0;

	while (*n && strchr("\r\n", text[*n - 1]))
		--*n;
	size_t from = *n;
	while (from > 0 && !(text[from - 1] == '\n' && ++lines == LINES))
		from--;
	*n -= from;
	return text + from;
}

void et_drain_last_lines(struct et_drain *d, size_t slot, char *out, size_t size)
{
	struct et_drain_pipe *p = &d->err[slot];

	out[0] = '\0';
	if (!d->running)
		return;
	read_all(d, p);
	pthread_mutex_lock(&d->lock);
	size_t n = p->n;
	const char *text = last_lines(p->tail, &n);
	/* The end says more than the beginning. */
	size_t cut = n >= size ? n - size + 1 : 0;
	for (size_t i = cut; i < n; i++)
		out[i - cut] = text[i] ? text[i] : '?';
	out[n - cut] = '\0';
	pthread_mutex_unlock(&d->lock);
}

static void close_pipe(struct et_drain_pipe *p)
{
	et_cleanup_close(&p->read_fd);
	et_cleanup_close(&p->write_fd);
}

void et_drain_close(struct et_drain *d)
{
	uint64_t one = 1;

	if (d->running && write(d->stop_fd, &one, sizeof(one)) == sizeof(one))
		pthread_join(d->thread, NULL);
	d->running = false;
	for (size_t i = 0; i < ET_SLOTS; i++)
		close_pipe(&d->err[i]);
	close_pipe(&d->out);
	et_cleanup_close(&d->null_fd);
	et_cleanup_close(&d->stop_fd);
}

/* --- descriptors 0, 1 and 2 --- */

void et_streams_init(struct et_streams *s)
{
	*s = (struct et_streams){ .in_fd = { -1, -1 },
		.out_fd = -1,
		.err_fd = { -1, -1 },
		.unreadable_fd = { -1, -1 },
		.null_fd = -1 };
	et_drain_init(&s->drain);
}

static int open_file(const char *path, int flags, int *fd, struct et_error *err)
{
	*fd = open(path, flags | O_CLOEXEC);
	if (*fd < 0)
		return et_fail_file(err, errno, ET_EXIT_USAGE, path);
	return 0;
}

/* Every run reads the input from its beginning, which a pipe cannot be rewound to. */
static int check_input(const char *path, struct et_error *err)
{
	struct stat st;

	if (!path || stat(path, &st) < 0 || (!S_ISFIFO(st.st_mode) && !S_ISSOCK(st.st_mode)))
		return 0; /* if it does not exist, opening it fails with the error */
	return et_fail_hint(err, ESPIPE, ET_EXIT_USAGE, "write the content to a file first",
		"--input %s is a pipe, so only the first run could read its content", path);
}

/*
 * A terminal is usually open for reading as well, also as standard output: a program of another
 * user could read what the caller types. It gets a description of the same terminal that is open
 * for writing only. A regular file holds nothing but output. A socket cannot be opened again.
 */
static int make_unreadable(int fd, int *out, struct et_error *err)
{
	int flags = fcntl(fd, F_GETFL);
	struct stat st;
	char path[32];

	if (flags < 0 || (flags & O_ACCMODE) == O_WRONLY || fstat(fd, &st) < 0 ||
		S_ISREG(st.st_mode))
		return 0;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	*out = open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC | (flags & O_APPEND));
	if (*out >= 0)
		return 0;
	return et_hint(err,
		et_fail_errno(err, errno, ET_EXIT_ENVIRONMENT,
			"--output inherit: the program of another user could read from %s",
			fd == STDOUT_FILENO ? "standard output" : "standard error"),
		"append '2>&1 | cat' to the command line, or use --output FILE");
}

static int inherit(struct et_streams *s, bool other_user, struct et_error *err)
{
	int rc = other_user ? make_unreadable(STDOUT_FILENO, &s->unreadable_fd[0], err) : 0;

	if (rc == 0 && other_user)
		rc = make_unreadable(STDERR_FILENO, &s->unreadable_fd[1], err);
	s->out_fd = s->unreadable_fd[0] >= 0 ? s->unreadable_fd[0] : STDOUT_FILENO;
	for (int i = 0; i < ET_SLOTS; i++)
		s->err_fd[i] = s->unreadable_fd[1] >= 0 ? s->unreadable_fd[1] : STDERR_FILENO;
	return rc;
}

/* A program of another user could not open its own /dev/stderr if that were our pipe. */
static int open_pipes(struct et_streams *s, bool piped, bool other_user, struct et_error *err)
{
	if (other_user && !piped)
		return 0;
	int rc = et_drain_open(&s->drain, piped, err);
	for (int i = 0; rc == 0 && !other_user && i < ET_SLOTS; i++)
		s->err_fd[i] = s->drain.err[i].write_fd;
	if (rc == 0 && piped)
		s->out_fd = s->drain.out.write_fd;
	return rc;
}

int et_streams_open(struct et_streams *s, const char *input, const char *output, bool other_user,
	struct et_error *err)
{
	bool inherited = output && !strcmp(output, "inherit");
	bool piped = output && !strcmp(output, "pipe");
	int rc = open_file("/dev/null", O_RDWR, &s->null_fd, err);

	if (rc == 0)
		rc = check_input(input, err);
	for (int i = 0; rc == 0 && i < ET_SLOTS; i++)
		rc = open_file(input ? input : "/dev/null", O_RDONLY, &s->in_fd[i], err);
	s->seekable = input != NULL;
	s->out_fd = s->err_fd[0] = s->err_fd[1] = s->null_fd;
	if (rc == 0)
		rc = inherited ? inherit(s, other_user, err)
			       : open_pipes(s, piped, other_user, err);
	if (rc || inherited || piped || !output || !strcmp(output, "null"))
		return rc;
	int fd = et_outfile_fd(output, O_TRUNC | O_APPEND, ET_EXIT_OUTSIDE, err);
	if (fd < 0)
		return fd;
	s->out_fd = fd;
	s->truncated = true;
	return 0;
}

int et_streams_open_input(struct et_streams *s, const char *path, int *fd, struct et_error *err)
{
	for (size_t i = 0; i < s->n_own; i++) {
		if (!strcmp(s->own[i].path, path)) {
			*fd = s->own[i].fd;
			return 0;
		}
	}
	int rc = check_input(path, err);
	if (rc == 0)
		rc = open_file(path, O_RDONLY, fd, err);
	if (rc)
		return rc;
	s->own = et_realloc(s->own, s->n_own + 1, sizeof(*s->own));
	s->own[s->n_own++] = (struct et_own_input){ et_strdup(path), *fd };
	return 0;
}

int et_streams_start(struct et_streams *s, struct et_error *err)
{
	int rc = et_drain_start(&s->drain, s->drain.out.write_fd >= 0 ? err : NULL);

	if (rc == 0 || s->drain.out.write_fd >= 0)
		return rc;
	for (int i = 0; i < ET_SLOTS; i++) {
		if (s->err_fd[i] == s->drain.err[i].write_fd)
			s->err_fd[i] = s->null_fd;
	}
	return 0;
}

void et_streams_rewind(struct et_streams *s, size_t n_slots)
{
	et_drain_forget(&s->drain, n_slots);
	for (int i = 0; s->seekable && i < ET_SLOTS; i++)
		lseek(s->in_fd[i], 0, SEEK_SET);
	if (s->truncated && ftruncate(s->out_fd, 0) < 0)
		errno = 0; /* a pipe or device: nothing to empty */
}

void et_streams_close(struct et_streams *s)
{
	et_drain_close(&s->drain);
	if (s->truncated)
		et_cleanup_close(&s->out_fd);
	for (int i = 0; i < ET_SLOTS; i++)
		et_cleanup_close(&s->in_fd[i]);
	for (size_t i = 0; i < s->n_own; i++) {
		et_cleanup_close(&s->own[i].fd);
		free(s->own[i].path);
	}
	free(s->own);
	s->own = NULL;
	s->n_own = 0;
	et_cleanup_close(&s->unreadable_fd[0]);
	et_cleanup_close(&s->unreadable_fd[1]);
	et_cleanup_close(&s->null_fd);
}
