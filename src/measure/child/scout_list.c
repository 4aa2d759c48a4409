/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/child/scout_list.h"

#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/xattr.h>

/* A file as it was when it was opened for writing: if it is so at the end, it was not written. */
struct before {
	dev_t device;
	ino_t inode;
	off_t size;
	struct timespec changed, modified;
};

struct seen {
	char *path;        /* as the kernel has it, not escaped */
	bool opened;       /* for writing: the state at the end shows whether it was written … */
	bool there, fresh; /* … by what it was then */
	bool reads;        /* it is read if it was not written */
	struct before before;
};

struct et_scout_list {
	char namespace[64];
	/* The thread that adds reads them without the lock, and never holds it while it looks. */
	pthread_mutex_t lock;
	struct et_files files;
	struct seen *seen; /* one for each of files */
	size_t n, cap;
	bool partly; /* some arguments could not be read */
	bool any;    /* some could */
};

/* --- reading the arguments of a call --- */

/* Whether arguments could be read; a wrong pointer of the program is no failure of ours. */
static void note_reading(struct et_scout_list *l, bool read)
{
	if (!read && (!errno || errno == EFAULT || errno == ESRCH || errno == ENOENT))
		return;
	pthread_mutex_lock(&l->lock);
	l->any = l->any || read;
	l->partly = l->partly || !read;
	pthread_mutex_unlock(&l->lock);
}

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

/* Reading such a link looks at no file system but that of the kernel. */
static bool read_link(pid_t pid, const char *what, char *out, size_t room)
{
	char link[64];

	snprintf(link, sizeof(link), "/proc/%d/%s", (int)pid, what);
	ssize_t n = readlink(link, out, room - 1);
	if (n < 0)
		return false;
	out[n] = '\0';
	return true;
}

static bool read_descriptor(pid_t pid, int fd, char out[static PATH_MAX])
{
	char what[32];

	snprintf(what, sizeof(what), "fd/%d", fd);
	return read_link(pid, fd == AT_FDCWD ? "cwd" : what, out, PATH_MAX) && out[0] == '/';
}

/* In another mount namespace, or below another root, the same name means another file. */
static bool is_elsewhere(const struct et_scout_list *l, pid_t pid)
{
	char namespace[sizeof(l->namespace)], root[8];

	if (!read_link(pid, "ns/mnt", namespace, sizeof(namespace)) ||
		!read_link(pid, "root", root, sizeof(root)))
		return true;
	bool same = !strcmp(root, "/") && !strcmp(namespace, l->namespace);
	errno = same ? 0 : EACCES;
	return !same;
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
static char *resolve(struct et_scout_list *l, pid_t pid, int folder, const char *path, bool follow)
{
	char base[PATH_MAX] = "";

	if (!*path)
		return NULL;
	errno = 0;
	bool known = !is_elsewhere(l, pid) && (*path == '/' || read_descriptor(pid, folder, base));
	note_reading(l, known);
	if (!known)
		return NULL;
	ET_AUTO_FREE char *joined =
		*path == '/' ? et_strdup(path)
			     : et_asprintf("%s/%s", strcmp(base, "/") ? base : "", path);
	char *full = joined;
	while (full[0] == '/' && full[1] == '/')
		full++;
	char *name = canonical(full, follow);
	if (name && !is_special(name)) /* a link may lead there */
		return name;
	free(name);
	return NULL;
}

static char *path_at(struct et_scout_list *l, pid_t pid, int folder, uint64_t address, bool follow)
{
	char path[PATH_MAX];

	errno = 0;
	if (read_text(pid, address, path))
		return resolve(l, pid, folder, path, follow);
	note_reading(l, false);
	return NULL;
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

/* Adds uses of a path, which it takes over; `seen` is its state, if it is opened for writing. */
static void add(struct et_scout_list *l, char *path, uint32_t uses, const struct seen *seen)
{
	ET_AUTO_FREE char *name = et_file_name(path);

	pthread_mutex_lock(&l->lock);
	struct et_file *file = et_files_add(&l->files, name, uses);
	if (file && l->n < l->files.n) {
		ET_GROW(l->seen, l->n, l->cap);
		l->seen[l->n++] = (struct seen){ .path = path };
		path = NULL;
	}
	struct seen *one = file ? &l->seen[file - l->files.list] : NULL;
	if (one && seen && !one->opened) {
		char *kept = one->path;
		*one = *seen;
		one->path = kept;
	} else if (one && seen) {
		one->reads = one->reads || seen->reads;
	}
	pthread_mutex_unlock(&l->lock);
	free(path);
}

static void note(struct et_scout_list *l, char *path, uint32_t uses)
{
	if (path)
		add(l, path, uses, NULL);
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

/* Whether the call opens a regular file; st is of the file, NULL: there is none. */
static bool opens_file(const struct stat *st, uint64_t flags)
{
	if ((flags & O_PATH) || (flags & O_TMPFILE) == O_TMPFILE)
		return false;
	if (!st)
		return flags & O_CREAT;
	return S_ISREG(st->st_mode) && !((flags & O_CREAT) && (flags & O_EXCL));
}

static void note_open(struct et_scout_list *l, char *path, uint64_t flags)
{
	bool writes = (flags & O_ACCMODE) != O_RDONLY || (flags & O_TRUNC);
	struct stat st;

	if (!path)
		return;
	bool there = stat(path, &st) == 0;
	if (!opens_file(there ? &st : NULL, flags)) {
		free(path);
	} else if (there && !writes) {
		add(l, path, ET_FILE_READ, NULL);
	} else {
		struct seen seen = { .opened = true,
			.there = there,
			.fresh = there && is_fresh(&st),
			.reads = there && (flags & O_ACCMODE) == O_RDWR };
		if (there)
			describe(&st, &seen.before);
		add(l, path, ET_FILE_WRITTEN, &seen);
	}
}

/* A name is made if it is not there yet, and removed if it is; else the call fails. */
static void note_name(struct et_scout_list *l, char *path, uint32_t uses)
{
	struct stat st;
	bool there = path && lstat(path, &st) == 0;

	if (path && there == (uses == ET_FILE_REMOVED))
		note(l, path, uses);
	else
		free(path);
}

static void note_rename(struct et_scout_list *l, char *from, char *to)
{
	struct stat st;

	if (from && to && lstat(from, &st) == 0) {
		note(l, from, ET_FILE_REMOVED);
		note(l, to, ET_FILE_REPLACED);
		return;
	}
	free(from);
	free(to);
}

static void note_lock(struct et_scout_list *l, pid_t pid, int fd)
{
	char path[PATH_MAX];
	struct stat st;

	if (read_descriptor(pid, fd, path) && stat(path, &st) == 0 && S_ISREG(st.st_mode))
		note(l, et_strdup(path), ET_FILE_LOCKED);
}

static void note_unix(struct et_scout_list *l, pid_t pid, const struct sockaddr_un *a, size_t bytes)
{
	size_t n = bytes - offsetof(struct sockaddr_un, sun_path);
	char path[sizeof(a->sun_path) + 2] = "";

	memcpy(path, a->sun_path, n);
	if (n && !path[0]) { /* abstract: all bytes count, and most have none that is 0 */
		path[0] = '@';
		note(l, et_strdup(path), ET_FILE_BOUND);
	} else if (path[0]) {
		char *full = resolve(l, pid, AT_FDCWD, path, false);
		note(l, full, ET_FILE_BOUND);
	}
}

static void note_bind(struct et_scout_list *l, pid_t pid, uint64_t address, uint64_t bytes)
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
		note_unix(l, pid, &a.local, bytes < sizeof(a.local) ? bytes : sizeof(a.local));
	else if ((a.any.sa_family == AF_INET || a.any.sa_family == AF_INET6) && a.inet.sin_port)
		note(l, et_asprintf("port %u", ntohs(a.inet.sin_port)), ET_FILE_BOUND);
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

/* With no_new_privs it would run without the privileges that it counts on. */
static bool note_exec(char *path, bool no_new_privs)
{
	bool fit = !path || !no_new_privs || !has_privileges(path);

	free(path);
	return fit;
}

static void note_fcntl(struct et_scout_list *l, pid_t pid, const uint64_t *a)
{
	short type;

	if (read_bytes(pid, a[2], &type, sizeof(type)) && type == F_WRLCK)
		note_lock(l, pid, (int)a[0]);
}

static void note_openat2(struct et_scout_list *l, pid_t pid, const uint64_t *a)
{
	uint64_t flags;

	if (read_bytes(pid, a[2], &flags, sizeof(flags)))
		note_open(l, path_at(l, pid, (int)a[0], a[1], !(flags & O_NOFOLLOW)), flags);
}

static void note_socketcall(struct et_scout_list *l, pid_t pid, uint64_t arguments)
{
	uint32_t a[3];

	if (read_bytes(pid, arguments, a, sizeof(a)))
		note_bind(l, pid, a[1], a[2]);
}

/* The calls that change names: those with a folder for each path, and those without. */
static void note_names(struct et_scout_list *l, enum et_scout_call call, pid_t p, const uint64_t *a)
{
	const int cwd = AT_FDCWD;

	switch (call) {
	case ET_CALL_RENAME:
		note_rename(l, path_at(l, p, cwd, a[0], false), path_at(l, p, cwd, a[1], false));
		break;
	case ET_CALL_RENAMEAT:
		note_rename(l, path_at(l, p, (int)a[0], a[1], false),
			path_at(l, p, (int)a[2], a[3], false));
		break;
	case ET_CALL_UNLINK:
		note_name(l, path_at(l, p, cwd, a[0], false), ET_FILE_REMOVED);
		break;
	case ET_CALL_UNLINKAT:
		note_name(l, path_at(l, p, (int)a[0], a[1], false), ET_FILE_REMOVED);
		break;
	case ET_CALL_MAKE:
		note_name(l, path_at(l, p, cwd, a[0], false), ET_FILE_REPLACED);
		break;
	case ET_CALL_MAKEAT:
		note_name(l, path_at(l, p, (int)a[0], a[1], false), ET_FILE_REPLACED);
		break;
	case ET_CALL_LINK:
		note_name(l, path_at(l, p, cwd, a[1], false), ET_FILE_REPLACED);
		break;
	case ET_CALL_LINKAT:
		note_name(l, path_at(l, p, (int)a[2], a[3], false), ET_FILE_REPLACED);
		break;
	case ET_CALL_SYMLINKAT:
		note_name(l, path_at(l, p, (int)a[1], a[2], false), ET_FILE_REPLACED);
		break;
	default:
		break;
	}
}

bool et_scout_note(struct et_scout_list *l, enum et_scout_call call, pid_t pid, const uint64_t *a,
	bool no_new_privs)
{
	const uint64_t creates = O_CREAT | O_WRONLY | O_TRUNC;

	switch (call) {
	case ET_CALL_OPEN:
		note_open(l, path_at(l, pid, AT_FDCWD, a[0], !(a[1] & O_NOFOLLOW)), a[1]);
		break;
	case ET_CALL_CREAT:
		note_open(l, path_at(l, pid, AT_FDCWD, a[0], true), creates);
		break;
	case ET_CALL_OPENAT:
		note_open(l, path_at(l, pid, (int)a[0], a[1], !(a[2] & O_NOFOLLOW)), a[2]);
		break;
	case ET_CALL_OPENAT2:
		note_openat2(l, pid, a);
		break;
	case ET_CALL_TRUNCATE:
		note_open(l, path_at(l, pid, AT_FDCWD, a[0], true), O_WRONLY | O_TRUNC);
		break;
	case ET_CALL_BIND:
		note_bind(l, pid, a[1], a[2]);
		break;
	case ET_CALL_SOCKETCALL:
		note_socketcall(l, pid, a[1]);
		break;
	case ET_CALL_FLOCK:
		note_lock(l, pid, (int)a[0]);
		break;
	case ET_CALL_FCNTL:
		note_fcntl(l, pid, a);
		break;
	case ET_CALL_EXECVE:
		return note_exec(path_at(l, pid, AT_FDCWD, a[0], true), no_new_privs);
	case ET_CALL_EXECVEAT:
		return note_exec(path_at(l, pid, (int)a[0], a[1], true), no_new_privs);
	case ET_CALL_SECCOMP: /* there is one listener per task, so it gets EBUSY */
		return false;
	default:
		note_names(l, call, pid, a);
	}
	return true;
}

/* --- the end --- */

/* The uses of a file that was opened for writing, when all is done: it, or the call, may have
 * failed. */
static uint32_t uses_at_end(const struct seen *one, uint32_t uses)
{
	struct before now;
	struct stat st;

	if (one->fresh)
		return uses;
	if (lstat(one->path, &st) < 0)
		return one->there || (uses & ET_FILE_REMOVED) ? uses
							      : uses & ~(uint32_t)ET_FILE_WRITTEN;
	describe(&st, &now);
	if (!one->there || !same(&now, &one->before))
		return uses;
	return (uses & ~(uint32_t)ET_FILE_WRITTEN) | (one->reads ? ET_FILE_READ : 0);
}

void et_scout_list_settle(struct et_scout_list *l)
{
	for (size_t i = 0; i < l->n; i++) {
		uint32_t uses = l->files.list[i].uses;
		uint64_t identity = et_file_identity(l->seen[i].path);
		if (l->seen[i].opened)
			uses = uses_at_end(&l->seen[i], uses);
		pthread_mutex_lock(&l->lock);
		l->files.list[i].uses = uses;
		l->files.list[i].identity = identity;
		pthread_mutex_unlock(&l->lock);
	}
}

void et_scout_list_harvest(struct et_scout_list *l, struct et_files *out)
{
	*out = (struct et_files){ .scouted = ET_SCOUTED_NOT };
	pthread_mutex_lock(&l->lock);
	/* A container may forbid process_vm_readv() while it allows the filter. */
	if (l->any || !l->partly) {
		et_files_copy(out, &l->files);
		out->scouted =
			l->partly || l->files.left_out ? ET_SCOUTED_PARTLY : ET_SCOUTED_CALLS;
	}
	pthread_mutex_unlock(&l->lock);
}

struct et_scout_list *et_scout_list_new(void)
{
	struct et_scout_list *l = et_calloc(1, sizeof(*l));

	read_link(getpid(), "ns/mnt", l->namespace, sizeof(l->namespace));
	pthread_mutex_init(&l->lock, NULL);
	return l;
}

void et_scout_list_free(struct et_scout_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->seen[i].path);
	free(l->seen);
	et_files_free(&l->files);
	pthread_mutex_destroy(&l->lock);
	free(l);
}
