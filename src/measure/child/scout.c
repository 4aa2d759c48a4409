/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/child/scout.h"
#include "base/hash.h"
#include "measure/child/scout_calls.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/xattr.h>

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

/* A file as it was when it was opened for writing: if it is so at the end, it was not written. */
struct before {
	dev_t device;
	ino_t inode;
	off_t size;
	struct timespec changed, modified;
};

struct seen {
	char *path;    /* as the kernel has it, not escaped */
	uint32_t uses; /* these are certain */
	bool maybe;    /* it may be written … */
	bool reads;    /* … and is read if it is not */
	struct before before;
};

/* Further files are counted. Reads must not use up the room of writes. */
enum { MOST_SEEN = 4096, MOST_READ = 1024 };

/* The child sends it with its listener. */
struct hello {
	pid_t pid;
	bool no_new_privs;
};

struct et_scout {
	pthread_t thread;
	int ours, childs; /* a pair of sockets */
	int listener;
	int leader; /* pidfd of the program; -1: not known */
	struct hello hello;
	size_t request_bytes, answer_bytes; /* of this kernel's structures */
	pthread_mutex_t lock;               /* of what follows */
	bool abandoned;                     /* the thread frees all of this when it ends */
	bool served;                        /* there was a filter */
	bool unfit;
	uint64_t readable, unreadable; /* arguments */
	struct seen *list;
	size_t n, cap, reads;
	uint64_t left_out;
	struct et_hash places; /* hash of a path: its place in the list, from 1 */
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
	struct hello hello = { .pid = getpid() };
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
}

/* --- reading the arguments of a call --- */

/* Copies text up to its NUL, page by page: the next page may not exist. */
static bool read_text(pid_t pid, uint64_t address, char out[static PATH_MAX])
{
	const uint64_t page = 4096;

	for (size_t n = 0; n < PATH_MAX;) {
		size_t most = (size_t)(page - (address + n) % page);
		struct iovec to = { out + n, most < PATH_MAX - n ? most : PATH_MAX - n };
		struct iovec from = { (void *)(uintptr_t)(address + n), to.iov_len };
		ssize_t got = process_vm_readv(pid, &to, 1, &from, 1, 0);
		if (got <= 0)
			return false;
		if (memchr(out + n, '\0', (size_t)got))
			return true;
		n += (size_t)got;
	}
	return false;
}

static bool read_bytes(pid_t pid, uint64_t address, void *out, size_t n)
{
	struct iovec to = { out, n }, from = { (void *)(uintptr_t)address, n };

	return process_vm_readv(pid, &to, 1, &from, 1, 0) == (ssize_t)n;
}

static bool read_link(pid_t pid, const char *what, char out[static PATH_MAX])
{
	char link[64];

	snprintf(link, sizeof(link), "/proc/%d/%s", (int)pid, what);
	ssize_t n = readlink(link, out, PATH_MAX - 1);
	if (n < 0)
		return false;
	out[n] = '\0';
	return out[0] == '/';
}

static bool read_descriptor(pid_t pid, int fd, char out[static PATH_MAX])
{
	char what[32];

	snprintf(what, sizeof(what), "fd/%d", fd);
	return read_link(pid, fd == AT_FDCWD ? "cwd" : what, out);
}

static bool begins(const char *path, const char *with)
{
	return !strncmp(path, with, strlen(with));
}

/* Kernel interfaces, devices and descriptors by name; shared memory is a folder like any other. */
static bool is_special(const char *path)
{
	return begins(path, "/proc/") || begins(path, "/sys/") ||
	       (begins(path, "/dev/") && !begins(path, "/dev/shm/"));
}

/* Resolves the folder, and with `follow` the last name as well. The caller frees it; or NULL. */
static char *canonical(char *path, bool follow)
{
	size_t n = strlen(path);

	while (n > 1 && path[n - 1] == '/')
		path[--n] = '\0';
	if (is_special(path))
		return NULL;
	char *slash = strrchr(path, '/'), *all = follow ? realpath(path, NULL) : NULL;
	if (all || !slash || !slash[1] || !strcmp(slash, "/.") || !strcmp(slash, "/.."))
		return all;
	*slash = '\0';
	ET_AUTO_FREE char *folder = realpath(*path ? path : "/", NULL);
	*slash = '/';
	return folder ? et_asprintf("%s%s", strcmp(folder, "/") ? folder : "", slash) : NULL;
}

/* The name that a call means. The caller frees it; NULL: it cannot be read, or is no file. */
static char *resolve(struct et_scout *s, pid_t pid, int folder, const char *path, bool follow)
{
	char base[PATH_MAX] = "";

	if (!*path)
		return NULL;
	if (*path != '/' ? !read_descriptor(pid, folder, base) : !read_link(pid, "root", base)) {
		s->unreadable++;
		return NULL;
	}
	ET_AUTO_FREE char *joined = et_asprintf("%s/%s", strcmp(base, "/") ? base : "", path);
	char *full = joined;
	while (full[0] == '/' && full[1] == '/')
		full++;
	return canonical(full, follow);
}

static char *path_at(struct et_scout *s, pid_t pid, int folder, uint64_t address, bool follow)
{
	char path[PATH_MAX];

	if (!read_text(pid, address, path)) {
		s->unreadable++;
		return NULL;
	}
	s->readable++;
	return resolve(s, pid, folder, path, follow);
}

/* --- what was seen --- */

static void describe(const struct stat *st, struct before *out)
{
	*out = (struct before){ st->st_dev, st->st_ino, st->st_size, st->st_ctim, st->st_mtim };
}

static bool same_time(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

static bool same(const struct before *a, const struct before *b)
{
	return a->device == b->device && a->inode == b->inode && a->size == b->size &&
	       same_time(&a->changed, &b->changed) && same_time(&a->modified, &b->modified);
}

/* Libraries and settings of the system, which do not tell which input was measured. */
static bool is_of_system(const char *path)
{
	static const char *const folders[] = { "/usr/", "/lib", "/bin/", "/sbin/", "/etc/", "/run/",
		"/nix/", "/gnu/", "/snap/", "/var/cache/", "/var/lib/" };
	const char *dot = strrchr(path, '.');

	for (size_t i = 0; i < ET_LENGTH(folders); i++) {
		if (begins(path, folders[i]))
			return true;
	}
	return strstr(path, "/lib/python") || strstr(path, ".so.") ||
	       (dot && (!strcmp(dot, ".so") || !strcmp(dot, ".pyc")));
}

/* Returns the entry of a path, which it takes over; NULL: there is no room. */
static struct seen *enter(struct et_scout *s, char *path, bool only_read)
{
	uint64_t key = et_hash_text(path) | 1;
	const uint64_t *place = et_hash_find(&s->places, key);

	if (place) {
		free(path);
		return &s->list[*place - 1];
	}
	if (s->n == MOST_SEEN || (only_read && s->reads == MOST_READ)) {
		free(path);
		s->left_out++;
		return NULL;
	}
	s->reads += only_read;
	ET_GROW(s->list, s->n, s->cap);
	s->list[s->n] = (struct seen){ .path = path };
	*(uint64_t *)et_hash_put(&s->places, key) = s->n + 1;
	return &s->list[s->n++];
}

static void note(struct et_scout *s, char *path, uint32_t uses)
{
	struct seen *one = path ? enter(s, path, uses == ET_FILE_READ) : NULL;

	if (one)
		one->uses |= uses;
}

/* Whether a file changed so lately that a further change would have the same time. */
static bool is_fresh(const struct stat *st)
{
	const int64_t tick_ns = 50000000;
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (now.tv_sec - st->st_ctim.tv_sec) * 1000000000LL + now.tv_nsec -
		       st->st_ctim.tv_nsec <
	       tick_ns;
}

/* Whether the call opens a regular file that counts; st is of the file, NULL: there is none. */
static bool opens_file(const char *path, const struct stat *st, uint64_t flags, bool writes)
{
	if ((flags & O_PATH) || (flags & O_TMPFILE) == O_TMPFILE)
		return false;
	if (!st)
		return flags & O_CREAT;
	if (!S_ISREG(st->st_mode) || ((flags & O_CREAT) && (flags & O_EXCL)))
		return false;
	return writes || !is_of_system(path);
}

/* A file that is there and may be written: at the end of the run it is compared. */
static void note_maybe(struct et_scout *s, char *path, const struct stat *st, uint64_t flags)
{
	struct seen *one = enter(s, path, false);

	if (!one)
		return;
	one->reads = one->reads || (flags & O_ACCMODE) == O_RDWR;
	if (is_fresh(st))
		one->uses |= ET_FILE_WRITTEN;
	else if (!one->maybe)
		describe(st, &one->before);
	one->maybe = true;
}

static void note_open(struct et_scout *s, char *path, uint64_t flags)
{
	bool writes = (flags & O_ACCMODE) != O_RDONLY || (flags & O_TRUNC);
	struct stat st;

	if (!path)
		return;
	bool there = stat(path, &st) == 0;
	if (!opens_file(path, there ? &st : NULL, flags, writes))
		free(path);
	else if (!there || (flags & O_TRUNC))
		note(s, path, ET_FILE_WRITTEN);
	else if (writes)
		note_maybe(s, path, &st, flags);
	else
		note(s, path, ET_FILE_READ);
}

/* A name is made if it is not there yet, and removed if it is; else the call fails. */
static void note_name(struct et_scout *s, char *path, uint32_t uses)
{
	struct stat st;
	bool there = path && lstat(path, &st) == 0;

	if (path && there == (uses == ET_FILE_REMOVED))
		note(s, path, uses);
	else
		free(path);
}

static void note_rename(struct et_scout *s, char *from, char *to)
{
	struct stat st;

	if (from && to && lstat(from, &st) == 0) {
		note(s, from, ET_FILE_REMOVED);
		note(s, to, ET_FILE_REPLACED);
		return;
	}
	free(from);
	free(to);
}

static void note_lock(struct et_scout *s, pid_t pid, int fd)
{
	char path[PATH_MAX];
	struct stat st;

	if (read_descriptor(pid, fd, path) && stat(path, &st) == 0 && S_ISREG(st.st_mode))
		note(s, et_strdup(path), ET_FILE_LOCKED);
}

static void note_unix(struct et_scout *s, pid_t pid, const struct sockaddr_un *a, size_t bytes)
{
	size_t n = bytes - offsetof(struct sockaddr_un, sun_path);
	char path[sizeof(a->sun_path) + 2] = "";

	memcpy(path, a->sun_path, n);
	if (n && !path[0]) { /* abstract: all bytes count, and most have none that is 0 */
		path[0] = '@';
		note(s, et_strdup(path), ET_FILE_BOUND);
	} else if (path[0]) {
		char *full = resolve(s, pid, AT_FDCWD, path, false);
		note(s, full, ET_FILE_BOUND);
	}
}

static void note_bind(struct et_scout *s, pid_t pid, uint64_t address, uint64_t bytes)
{
	union {
		struct sockaddr any;
		struct sockaddr_in inet; /* the port of IPv6 is at the same place */
		struct sockaddr_un local;
	} a = { 0 };

	if (bytes <= offsetof(struct sockaddr_un, sun_path) ||
		!read_bytes(pid, address, &a, bytes < sizeof(a) ? bytes : sizeof(a)))
		return;
	if (a.any.sa_family == AF_UNIX)
		note_unix(s, pid, &a.local, bytes < sizeof(a.local) ? bytes : sizeof(a.local));
	else if ((a.any.sa_family == AF_INET || a.any.sa_family == AF_INET6) && a.inet.sin_port)
		note(s, et_asprintf("port %u", ntohs(a.inet.sin_port)), ET_FILE_BOUND);
}

/* --- calls --- */

static bool has_privileges(const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0 || !S_ISREG(st.st_mode))
		return false;
	return (st.st_mode & S_ISUID) ||
	       (st.st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) ||
	       getxattr(path, "security.capability", NULL, 0) > 0;
}

/* Whether the call may continue: a program must not run without the privileges that it counts on.
 */
static bool note_exec(struct et_scout *s, char *path)
{
	bool fit = !path || !s->hello.no_new_privs || !has_privileges(path);

	free(path);
	return fit;
}

static void note_fcntl(struct et_scout *s, pid_t pid, const uint64_t *a)
{
	short type;

	if (read_bytes(pid, a[2], &type, sizeof(type)) && type == F_WRLCK)
		note_lock(s, pid, (int)a[0]);
}

static void note_openat2(struct et_scout *s, pid_t pid, const uint64_t *a)
{
	uint64_t flags;

	if (read_bytes(pid, a[2], &flags, sizeof(flags)))
		note_open(s, path_at(s, pid, (int)a[0], a[1], !(flags & O_NOFOLLOW)), flags);
}

static void note_socketcall(struct et_scout *s, pid_t pid, uint64_t arguments)
{
	uint32_t a[3];

	if (read_bytes(pid, arguments, a, sizeof(a)))
		note_bind(s, pid, a[1], a[2]);
}

/* The calls that change names: those with a folder for each path, and those without. */
static void note_names(struct et_scout *s, enum et_scout_call call, pid_t p, const uint64_t *a)
{
	const int cwd = AT_FDCWD;

	switch (call) {
	case ET_CALL_RENAME:
		note_rename(s, path_at(s, p, cwd, a[0], false), path_at(s, p, cwd, a[1], false));
		break;
	case ET_CALL_RENAMEAT:
		note_rename(s, path_at(s, p, (int)a[0], a[1], false),
			path_at(s, p, (int)a[2], a[3], false));
		break;
	case ET_CALL_UNLINK:
		note_name(s, path_at(s, p, cwd, a[0], false), ET_FILE_REMOVED);
		break;
	case ET_CALL_UNLINKAT:
		note_name(s, path_at(s, p, (int)a[0], a[1], false), ET_FILE_REMOVED);
		break;
	case ET_CALL_MAKE:
		note_name(s, path_at(s, p, cwd, a[0], false), ET_FILE_REPLACED);
		break;
	case ET_CALL_MAKEAT:
		note_name(s, path_at(s, p, (int)a[0], a[1], false), ET_FILE_REPLACED);
		break;
	case ET_CALL_LINK:
		note_name(s, path_at(s, p, cwd, a[1], false), ET_FILE_REPLACED);
		break;
	case ET_CALL_LINKAT:
		note_name(s, path_at(s, p, (int)a[2], a[3], false), ET_FILE_REPLACED);
		break;
	case ET_CALL_SYMLINKAT:
		note_name(s, path_at(s, p, (int)a[1], a[2], false), ET_FILE_REPLACED);
		break;
	default:
		break;
	}
}

/* Returns whether the call may continue. */
static bool note_call(struct et_scout *s, enum et_scout_call call, pid_t pid, const uint64_t *a)
{
	const uint64_t creates = O_CREAT | O_WRONLY | O_TRUNC;

	switch (call) {
	case ET_CALL_OPEN:
		note_open(s, path_at(s, pid, AT_FDCWD, a[0], !(a[1] & O_NOFOLLOW)), a[1]);
		break;
	case ET_CALL_CREAT:
		note_open(s, path_at(s, pid, AT_FDCWD, a[0], true), creates);
		break;
	case ET_CALL_OPENAT:
		note_open(s, path_at(s, pid, (int)a[0], a[1], !(a[2] & O_NOFOLLOW)), a[2]);
		break;
	case ET_CALL_OPENAT2:
		note_openat2(s, pid, a);
		break;
	case ET_CALL_TRUNCATE:
		note_open(s, path_at(s, pid, AT_FDCWD, a[0], true), O_WRONLY | O_TRUNC);
		break;
	case ET_CALL_BIND:
		note_bind(s, pid, a[1], a[2]);
		break;
	case ET_CALL_SOCKETCALL:
		note_socketcall(s, pid, a[1]);
		break;
	case ET_CALL_FLOCK:
		note_lock(s, pid, (int)a[0]);
		break;
	case ET_CALL_FCNTL:
		note_fcntl(s, pid, a);
		break;
	case ET_CALL_EXECVE:
		return note_exec(s, path_at(s, pid, AT_FDCWD, a[0], true));
	case ET_CALL_EXECVEAT:
		return note_exec(s, path_at(s, pid, (int)a[0], a[1], true));
	case ET_CALL_SECCOMP: /* there is one listener per task, so it would get EBUSY */
		return false;
	default:
		note_names(s, call, pid, a);
	}
	return true;
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

/* --- the thread --- */

/* The run ends, and is made again without us. The call stays unanswered until its task is killed.
 */
static void give_up(struct et_scout *s)
{
	s->unfit = true;
	/* While the leader is not reaped, its number and its group's are not those of others. */
	if (s->leader >= 0 && syscall(SYS_pidfd_send_signal, s->leader, SIGKILL, NULL, 0) == 0)
		kill(-s->hello.pid, SIGKILL);
}

/* Answers one call. False: there are no more. */
static bool serve_one(struct et_scout *s)
{
	union {
		struct seccomp_notif it;
		char room[512];
	} request = { .room = { 0 } };
	union {
		struct seccomp_notif_resp it;
		char room[512];
	} answer = { .room = { 0 } };
	uint64_t arguments[6];

	if (ioctl(s->listener, SECCOMP_IOCTL_NOTIF_RECV, &request) < 0)
		return errno == ENOENT || errno == EINTR; /* its task was killed meanwhile */
	for (size_t i = 0; i < ET_LENGTH(arguments); i++)
		arguments[i] = request.it.data.args[i];
	int call = call_of(&request.it.data);
	bool fit = true;
	pthread_mutex_lock(&s->lock);
	s->served = true;
	if (call >= 0 && request.it.pid)
		fit = note_call(s, (enum et_scout_call)call, (pid_t)request.it.pid, arguments);
	if (!fit)
		give_up(s);
	pthread_mutex_unlock(&s->lock);
	if (!fit)
		return true;
	answer.it.id = request.it.id;
	answer.it.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
	return ioctl(s->listener, SECCOMP_IOCTL_NOTIF_SEND, &answer) == 0 || errno == ENOENT;
}

/* Waits for the listener; -1: the child ended, or runs without a filter. */
static int receive(struct et_scout *s)
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
	int fd = -1;

	ssize_t n = recvmsg(s->ours, &message, MSG_CMSG_CLOEXEC);
	struct cmsghdr *c = n == sizeof(s->hello) ? CMSG_FIRSTHDR(&message) : NULL;
	if (c && c->cmsg_type == SCM_RIGHTS && c->cmsg_len == CMSG_LEN(sizeof(int)))
		memcpy(&fd, CMSG_DATA(c), sizeof(fd));
	return fd;
}

static void free_scout(struct et_scout *s)
{
	if (s->listener >= 0)
		close(s->listener);
	if (s->leader >= 0)
		close(s->leader);
	close(s->ours);
	if (s->childs >= 0)
		close(s->childs);
	for (size_t i = 0; i < s->n; i++)
		free(s->list[i].path);
	free(s->list);
	et_hash_free(&s->places);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

static void *serve(void *ctx)
{
	struct et_scout *s = ctx;
	struct pollfd poller = { .events = POLLIN };

	prctl(PR_SET_NAME, "et-scout");
	s->listener = poller.fd = receive(s);
	if (s->listener >= 0) {
		s->leader = (int)syscall(SYS_pidfd_open, s->hello.pid, 0);
		ioctl(s->listener, SECCOMP_IOCTL_NOTIF_SET_FLAGS,
			SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP);
	}
	/* POLLHUP: the last task with the filter has ended. */
	while (s->listener >= 0 && (poll(&poller, 1, -1) > 0 || errno == EINTR)) {
		if ((poller.revents & POLLIN) ? !serve_one(s) : poller.revents != 0)
			break;
	}
	pthread_mutex_lock(&s->lock);
	bool mine = s->abandoned;
	pthread_mutex_unlock(&s->lock);
	if (mine)
		free_scout(s);
	return NULL;
}

/* All signals are for the main thread. */
static int start_thread(struct et_scout *s)
{
	sigset_t all, old;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	int rc = pthread_create(&s->thread, NULL, serve, s);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return -rc;
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
	int pair[2];

	if (!is_supported() || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return NULL;
	struct et_scout *s = et_calloc(1, sizeof(*s));
	*s = (struct et_scout){ .ours = pair[0],
		.childs = pair[1],
		.listener = -1,
		.leader = -1,
		.places = { .width = sizeof(uint64_t) } };
	pthread_mutex_init(&s->lock, NULL);
	if (start_thread(s) == 0)
		return s;
	free_scout(s);
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

static uint32_t final_uses(const struct seen *one)
{
	struct before now;
	struct stat st;

	if (!one->maybe || (one->uses & ET_FILE_WRITTEN))
		return one->uses;
	if (lstat(one->path, &st) == 0) {
		describe(&st, &now);
		if (same(&now, &one->before))
			return one->uses | (one->reads ? ET_FILE_READ : 0);
	}
	return one->uses | ET_FILE_WRITTEN;
}

static void harvest(const struct et_scout *s, struct et_files *out)
{
	*out = (struct et_files){ .left_out = s->left_out };
	if (!s->served)
		return;
	if (s->unfit) {
		out->scouted = ET_SCOUTED_UNFIT;
		return;
	}
	/* A container may forbid process_vm_readv() while it allows the filter. */
	if (s->unreadable && !s->readable)
		return;
	out->scouted = ET_SCOUTED_CALLS;
	for (size_t i = 0; i < s->n; i++) {
		uint32_t uses = final_uses(&s->list[i]);
		ET_AUTO_FREE char *name = et_file_name(s->list[i].path);
		if (uses)
			et_files_add(out, name, uses);
	}
}

void et_scout_finish(struct et_scout *s, struct et_files *out)
{
	struct timespec until;

	et_scout_spawned(s);
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec++;
	bool ended = pthread_timedjoin_np(s->thread, NULL, &until) == 0;
	pthread_mutex_lock(&s->lock);
	harvest(s, out);
	s->abandoned = !ended;
	pthread_mutex_unlock(&s->lock);
	if (ended)
		free_scout(s);
	else
		pthread_detach(s->thread);
}
