/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/child/scout.h"
#include "base/clock.h"
#include "measure/child/scout_list.h"

#include <linux/capability.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#ifndef SECCOMP_USER_NOTIF_FLAG_CONTINUE
#define SECCOMP_USER_NOTIF_FLAG_CONTINUE 1UL
#endif
/* Since Linux 6.6: the program and our thread take turns on one CPU, which is faster. */
#ifndef SECCOMP_IOCTL_NOTIF_SET_FLAGS
#define SECCOMP_IOCTL_NOTIF_SET_FLAGS SECCOMP_IOW(4, __u64)
#endif
#ifndef SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP
#define SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP 1UL
#endif

/* A call that was not looked at within this time waits for us, as a file system of its own does. */
#define LONGEST_LOOK_NS UINT64_C(1000000000)

/* The child sends it with its listener. */
struct hello {
	bool no_new_privs;
};

struct et_scout {
	int holders;      /* the main thread and two others; the last frees all of this */
	int ours, childs; /* a pair of sockets */
	int finish;       /* an eventfd: the run has ended */
	int listener;
	struct hello hello;
	struct et_scout_list *list;
	pthread_mutex_t lock;   /* of what follows; nobody waits while he holds it */
	pthread_cond_t changed; /* monotonic */
	bool served;            /* there was a filter */
	bool unfit;
	bool settled;                  /* the list is complete */
	bool ended;                    /* no more calls come, or nobody can answer them */
	bool stuck;                    /* the other thread answers now */
	uint64_t looking_at, since_ns; /* the call that is looked at; since 0: none */
};

/* --- in the child --- */

/*
 * With CAP_SYS_ADMIN in effect a filter needs no no_new_privs, so that setuid programs keep their
 * meaning. etalon has it permitted only (SECURITY.md); execve() computes it anew for the program.
 */
static void raise_admin(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct caps[_LINUX_CAPABILITY_U32S_3] = { 0 };

	if (syscall(SYS_capget, &header, caps) < 0)
		return;
	caps[0].effective |= caps[0].permitted & 1u << CAP_SYS_ADMIN;
	syscall(SYS_capset, &header, caps);
}

static int install(bool *no_new_privs)
{
	struct sock_filter program[ET_SCOUT_PROGRAM];
	struct sock_fprog filter = { .filter = program };

	filter.len = (unsigned short)et_scout_program(program);
	raise_admin();
	*no_new_privs = prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1;
	for (;;) {
		long fd = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
			SECCOMP_FILTER_FLAG_NEW_LISTENER, &filter);
		if (fd >= 0)
			return (int)fd;
		if (errno != EACCES || *no_new_privs || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
			return -errno;
		*no_new_privs = true;
	}
}

void et_scout_install(int socket)
{
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control = { .bytes = { 0 } };
	struct hello hello = { 0 };
	struct iovec data = { &hello, sizeof(hello) };
	struct msghdr message = { .msg_iov = &data,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&message);
	int listener = install(&hello.no_new_privs);

	if (listener < 0)
		return;
	*c = (struct cmsghdr){
		.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof(int))
	};
	memcpy(CMSG_DATA(c), &listener, sizeof(listener));
	/* If this fails, the filter is in force and nobody serves it: the child cannot continue. */
	if (sendmsg(socket, &message, MSG_NOSIGNAL) < 0)
		_exit(127);
	/* The copy of ours that the parent has must be the last, for its end to end our calls. */
	close(listener);
}

static int call_of(const struct seccomp_data *d)
{
	size_t n;
	const struct et_scout_row *rows = et_scout_rows(&n);

	for (size_t i = 0; i < n; i++) {
		if (rows[i].arch == d->arch && rows[i].number == (uint32_t)d->nr)
			return (int)rows[i].call;
	}
	return -1;
}

/* --- the threads --- */

static void let_go(struct et_scout *s)
{
	if (__atomic_sub_fetch(&s->holders, 1, __ATOMIC_ACQ_REL))
		return;
	const int fds[] = { s->ours, s->childs, s->finish, s->listener };
	for (size_t i = 0; i < ET_LENGTH(fds); i++) {
		if (fds[i] >= 0)
			close(fds[i]);
	}
	et_scout_list_free(s->list);
	pthread_cond_destroy(&s->changed);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

static void set(struct et_scout *s, bool *what)
{
	pthread_mutex_lock(&s->lock);
	*what = true;
	pthread_cond_broadcast(&s->changed);
	pthread_mutex_unlock(&s->lock);
}

static bool is_stuck(struct et_scout *s)
{
	pthread_mutex_lock(&s->lock);
	bool stuck = s->stuck;
	pthread_mutex_unlock(&s->lock);
	return stuck;
}

/* Returns 0, or the errno why a call that waits cannot continue. */
static int let_continue(const struct et_scout *s, uint64_t id)
{
	union {
		struct seccomp_notif_resp it;
		char room[512];
	} answer = { .room = { 0 } };

	answer.it.id = id;
	answer.it.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
	/* ENOENT: its task was killed, or somebody else has answered. */
	return ioctl(s->listener, SECCOMP_IOCTL_NOTIF_SEND, &answer) == 0 || errno == ENOENT
		       ? 0
		       : errno;
}

/* The beginning and the end of a look; returns whether the other thread has answered meanwhile. */
static bool watch(struct et_scout *s, uint64_t id, bool begins)
{
	pthread_mutex_lock(&s->lock);
	s->served = true;
	s->looking_at = id;
	s->since_ns = begins ? et_clock_read_ns(CLOCK_MONOTONIC) : 0;
	bool stuck = s->stuck;
	pthread_mutex_unlock(&s->lock);
	return stuck;
}

static void look(struct et_scout *s, const struct seccomp_notif *request)
{
	uint64_t arguments[6], id = request->id;
	int call = call_of(&request->data);

	for (size_t i = 0; i < ET_LENGTH(arguments); i++)
		arguments[i] = request->data.args[i];
	/* The PID may belong to another process if the one that called was killed. */
	if (call < 0 || !request->pid || ioctl(s->listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &id) < 0)
		return;
	if (!et_scout_note(s->list, (enum et_scout_call)call, (pid_t)request->pid, arguments,
		    s->hello.no_new_privs))
		set(s, &s->unfit);
}

/* Answers one call, and looks at it before if the list is open. False: there are no more. */
static bool serve_one(struct et_scout *s, bool looks)
{
	union {
		struct seccomp_notif it;
		char room[512];
	} request = { .room = { 0 } };

	if (ioctl(s->listener, SECCOMP_IOCTL_NOTIF_RECV, &request) < 0)
		return errno == ENOENT || errno == EINTR; /* its task was killed meanwhile */
	if (looks) {
		watch(s, request.it.id, true);
		look(s, &request.it);
		if (watch(s, request.it.id, false))
			return true;
	}
	return let_continue(s, request.it.id) == 0;
}

/*
 * Serves until the last task with the filter has ended (POLLHUP), or until the run has ended if
 * `looks` is set. Returns false if calls cannot be answered.
 */
static bool serve_all(struct et_scout *s, bool looks)
{
	struct pollfd p[] = { { .fd = s->listener, .events = POLLIN },
		{ .fd = looks ? s->finish : -1, .events = POLLIN } };

	for (;;) {
		p[1].revents = 0;
		if (poll(p, ET_LENGTH(p), -1) < 0) {
			if (errno != EINTR)
				return false;
			continue;
		}
		if (p[1].revents || !(p[0].revents & POLLIN))
			return true;
		if (!serve_one(s, looks))
			return false;
		if (looks && is_stuck(s))
			return true;
	}
}

/*
 * Nobody can answer, as with Linux 5.0 to 5.4: without a listener the calls that wait fail with
 * ENOSYS, so the run ends somehow, and is made again.
 */
static void fail(struct et_scout *s)
{
	pthread_mutex_lock(&s->lock);
	s->served = s->unfit = s->ended = true;
	if (s->listener >= 0)
		close(s->listener);
	s->listener = -1;
	pthread_cond_broadcast(&s->changed);
	pthread_mutex_unlock(&s->lock);
}

/* Waits for the listener. False: the child ended, or runs without a filter. */
static bool receive(struct et_scout *s)
{
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control = { .bytes = { 0 } };
	struct iovec data = { &s->hello, sizeof(s->hello) };
	struct msghdr message = { .msg_iov = &data,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control) };

	ssize_t n = recvmsg(s->ours, &message, MSG_CMSG_CLOEXEC);
	struct cmsghdr *c = n == sizeof(s->hello) ? CMSG_FIRSTHDR(&message) : NULL;
	if (c && c->cmsg_type == SCM_RIGHTS && c->cmsg_len == CMSG_LEN(sizeof(int)))
		memcpy(&s->listener, CMSG_DATA(c), sizeof(s->listener));
	else if (n)
		fail(s); /* the filter is there, and its listener is lost */
	close(s->ours);  /* with a listener that may still be under way */
	s->ours = -1;
	return s->listener >= 0;
}

static void *serve(void *ctx)
{
	struct et_scout *s = ctx;

	prctl(PR_SET_NAME, "et-scout");
	if (receive(s)) {
		ioctl(s->listener, SECCOMP_IOCTL_NOTIF_SET_FLAGS,
			SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP);
		bool answers = serve_all(s, true), stuck = is_stuck(s);
		if (answers && !stuck) {
			watch(s, 0, true);
			et_scout_list_settle(s->list);
			stuck = watch(s, 0, false);
		}
		set(s, &s->settled);
		if (!stuck && (!answers || !serve_all(s, false)))
			fail(s);
	}
	set(s, &s->settled);
	set(s, &s->ended);
	let_go(s);
	return NULL;
}

/*
 * A look at a file can last for ever: its server is gone, or is the program itself, which waits for
 * us. Then this thread lets all calls continue from now on.
 */
static void *guard(void *ctx)
{
	struct et_scout *s = ctx;

	prctl(PR_SET_NAME, "et-scout-guard");
	pthread_mutex_lock(&s->lock);
	while (!s->ended && !s->stuck) {
		uint64_t now_ns = et_clock_read_ns(CLOCK_MONOTONIC),
			 until_ns = now_ns + LONGEST_LOOK_NS / 4;
		struct timespec until = { .tv_sec = (time_t)(until_ns / 1000000000),
			.tv_nsec = (long)(until_ns % 1000000000) };
		s->stuck = s->since_ns && now_ns - s->since_ns > LONGEST_LOOK_NS;
		if (!s->stuck)
			pthread_cond_timedwait(&s->changed, &s->lock, &until);
	}
	bool stuck = s->stuck;
	s->unfit = s->unfit || stuck;
	uint64_t id = s->looking_at;
	pthread_cond_broadcast(&s->changed);
	pthread_mutex_unlock(&s->lock);
	if (stuck && (let_continue(s, id) || !serve_all(s, false)))
		fail(s);
	let_go(s);
	return NULL;
}

/* All signals are for the main thread. */
static bool start_thread(struct et_scout *s, void *(*run)(void *))
{
	pthread_t thread;
	sigset_t all, old;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	__atomic_add_fetch(&s->holders, 1, __ATOMIC_ACQ_REL);
	bool started = pthread_create(&thread, NULL, run, s) == 0;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (started)
		pthread_detach(thread);
	else
		let_go(s);
	return started;
}

static bool is_supported(void)
{
	struct seccomp_notif_sizes sizes;
	size_t n;

	et_scout_rows(&n);
	return n && syscall(SYS_seccomp, SECCOMP_GET_NOTIF_SIZES, 0, &sizes) == 0 &&
	       sizes.seccomp_notif <= 512 && sizes.seccomp_notif_resp <= 512;
}

struct et_scout *et_scout_start(void)
{
	pthread_condattr_t monotonic;
	int pair[2];

	if (!is_supported() || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return NULL;
	struct et_scout *s = et_calloc(1, sizeof(*s));
	*s = (struct et_scout){ .holders = 1,
		.ours = pair[0],
		.childs = pair[1],
		.finish = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
		.listener = -1,
		.list = et_scout_list_new() };
	pthread_mutex_init(&s->lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&s->changed, &monotonic);
	pthread_condattr_destroy(&monotonic);
	if (s->finish >= 0 && start_thread(s, guard) && start_thread(s, serve))
		return s;
	set(s, &s->ended);
	let_go(s);
	return NULL;
}

int et_scout_socket(const struct et_scout *s)
{
	return s->childs;
}

void et_scout_spawned(struct et_scout *s)
{
	if (s->childs >= 0)
		close(s->childs);
	s->childs = -1;
}

void et_scout_finish(struct et_scout *s, struct et_files *out)
{
	uint64_t one = 1, until_ns = et_clock_read_ns(CLOCK_MONOTONIC) + LONGEST_LOOK_NS;
	struct timespec until = { .tv_sec = (time_t)(until_ns / 1000000000),
		.tv_nsec = (long)(until_ns % 1000000000) };
	int rc = 0;

	et_scout_spawned(s);
	if (write(s->finish, &one, sizeof(one)) < 0)
		rc = ETIMEDOUT;
	pthread_mutex_lock(&s->lock);
	while (!s->settled && !s->stuck && rc == 0)
		rc = pthread_cond_timedwait(&s->changed, &s->lock, &until);
	bool served = s->served, unfit = s->unfit || !s->settled;
	pthread_mutex_unlock(&s->lock);
	*out = (struct et_files){ .scouted = ET_SCOUTED_NOT };
	if (served)
		et_scout_list_harvest(s->list, out);
	if (served && unfit)
		out->scouted = ET_SCOUTED_UNFIT;
	let_go(s);
}
