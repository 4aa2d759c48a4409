/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The journal: written, read again, truncated at every byte, and forged. */
#include "host/journal.h"
#include "base/base.h"
#include "host/journal_text.h"
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char folder[] = "/tmp/etalon-journal.XXXXXX";
static char path[64];

static struct et_change change_of(const char *target, const char *before, const char *after)
{
	return (struct et_change){ .kind = ET_CHANGE_FILE,
		.factor = (char *)"aslr",
		.target = (char *)target,
		.before = (char *)before,
		.after = (char *)after };
}

#define ASLR "/proc/sys/kernel/randomize_va_space"
#define DELAYS "/proc/sys/kernel/task_delayacct"

static struct et_journal *open_journal(bool create)
{
	struct et_journal *j = NULL;
	struct et_error err;

	return et_journal_open(path, create, &j, &err) ? NULL : j;
}

static void marked(int rc)
{
	if (rc)
		tap_bail("a mark cannot be written: %s", strerror(-rc));
}

static void check_round(void)
{
	struct et_change both[] = { change_of(ASLR, "2", "0"), change_of(DELAYS, "0", "1") };
	struct et_error err;
	struct stat st;
	struct et_journal *j = open_journal(false);

	ok(!j, "open: a journal that does not exist is not created");
	j = open_journal(true);
	ok(j && stat(path, &st) == 0 && (st.st_mode & 0777) == 0600,
		"open: a new journal has mode 0600");
	et_journal_begin(j, ET_OWNER_RUN, "boot one", 42);
	ok(et_journal_intend(j, both, 2, &err) == 0 && j->n == 2,
		"intend: two changes are written");
	marked(et_journal_mark_made(j, &j->entries[0], "0"));
	ok(et_journal_find(j, &both[1]) == &j->entries[1], "find: an entry is found by its target");
	et_journal_close(j);

	j = open_journal(false);
	ok(j && j->n == 2 && j->n_sessions == 1 && !j->damaged,
		"open: the two changes are read again");
	ok(j->sessions[0].owner == ET_OWNER_RUN && j->sessions[0].pid == getpid() &&
			j->sessions[0].wall_ns == 42,
		"open: the session is read again");
	is_str(j->sessions[0].boot_id, "boot one",
		"open: the boot ID of the session is read again");
	is_str(j->entries[0].observed, "0",
		"open: the mark of a change that was made is read again");
	ok(!j->entries[1].observed, "open: the other change has no mark");
	is_str(j->entries[1].change.before, "0", "open: the old value is read again");
	ok(et_journal_pending(j, ET_OWNER_RUN) == 2 && et_journal_pending(j, ET_OWNER_APPLY) == 0,
		"pending: changes are counted by owner");
	ok(et_journal_mark_again(j, &j->entries[0], "1", &err) == 0,
		"mark_again: a new value is written");
	et_journal_begin(j, ET_OWNER_APPLY, "boot two", 43);
	marked(et_journal_mark_restored(j, &j->entries[1]));
	et_journal_close(j);

	j = open_journal(false);
	is_str(j->entries[0].change.after, "1",
		"mark_again: the new value replaces the former one");
	is_str(j->entries[0].change.before, "2", "mark_again: the first original value is kept");
	ok(j->entries[1].restored && et_journal_pending(j, -1) == 1,
		"mark_restored: a restored change is no longer pending");
	marked(et_journal_mark_restored(j, &j->entries[0]));
	et_journal_close(j);
	ok(stat(path, &st) < 0, "close: a journal without pending changes is removed");
}

static void check_lock(void)
{
	struct et_change one = change_of(ASLR, "2", "0");
	struct et_journal *j = open_journal(true), *second = NULL;
	struct et_error err;
	bool busy = false;

	et_journal_begin(j, ET_OWNER_RUN, "b", 1);
	ok(et_journal_intend(j, &one, 1, &err) == 0, "lock: one process holds the journal");
	ok(et_journal_peek(path, &busy, &second, &err) == 0 && busy && second->n == 1,
		"lock: peek reads it and reports that it is busy");
	et_journal_close(second);
	ok(et_journal_open(path, true, &second, &err) == -EBUSY, "lock: a second open is -EBUSY");
	marked(et_journal_mark_restored(j, &j->entries[0]));
	et_journal_close(j);
	ok(et_journal_peek(path, &busy, &second, &err) == -ENOENT,
		"lock: after close without pending changes peek is -ENOENT");
}

/* A process changes something, forks a child as run does for a program, and is killed. */
static void killed_with_child(void)
{
	struct et_change one = change_of(ASLR, "2", "0");
	struct timespec before_execve = { .tv_nsec = 100000000 };
	struct et_error err;
	pid_t owner = fork();

	if (owner == 0) {
		struct et_journal *j = open_journal(true);
		et_journal_begin(j, ET_OWNER_RUN, "b", 1);
		if (et_journal_intend(j, &one, 1, &err))
			_exit(1);
		if (fork() > 0)
			raise(SIGKILL);
		nanosleep(&before_execve, NULL);
		_exit(0);
	}
	int status;
	if (owner < 0 || waitpid(owner, &status, 0) != owner || !WIFSIGNALED(status))
		tap_bail("no process was killed with the journal open");
}

static void check_inherited_lock(void)
{
	struct et_journal *j = NULL;
	struct et_error err;
	bool busy = true;

	killed_with_child();
	ok(et_journal_peek(path, &busy, &j, &err) == 0 && !busy &&
			et_journal_pending(j, ET_OWNER_RUN) == 1,
		"lock: a child of a killed process holds it for a moment, which peek waits for");
	et_journal_close(j);
	unlink(path);
}

/* Parses a text; returns the number of entries, SIZE_MAX if it read beyond the end. */
static size_t parse(const char *text, size_t len, size_t *damaged)
{
	struct et_journal *j = et_calloc(1, sizeof(*j));
	/* Memory of exactly that size, so that valgrind and ASan detect a read beyond it. */
	char *copy = et_alloc(len);

	memcpy(copy, text, len);
	j->fd = -1;
	int rc = et_journal_parse(j, copy, len);
	size_t n = rc ? 0 : j->n;
	*damaged = j->damaged;
	if (!rc && (size_t)j->size > len)
		n = SIZE_MAX;
	et_journal_close(j);
	free(copy);
	return n;
}

static void check_cuts(void)
{
	struct et_change both[] = { change_of(ASLR, "2", "0"), change_of(DELAYS, "0", "1") };
	struct et_error err;
	char text[4096];
	struct et_journal *j = open_journal(true);

	et_journal_begin(j, ET_OWNER_APPLY, "b", 1);
	ok(et_journal_intend(j, both, 2, &err) == 0, "cut: a journal with two changes");
	marked(et_journal_mark_made(j, &j->entries[0], "0"));
	int fd = open(path, O_RDONLY);
	size_t len = (size_t)read(fd, text, sizeof(text)), damaged, last = 0;
	close(fd);
	bool rising = true, silent = true;
	for (size_t n = 0; n <= len; n++) {
		size_t entries = parse(text, n, &damaged);
		rising = rising && entries >= last && entries <= 2;
		silent = silent && damaged == 0;
		last = entries;
	}
	ok(rising && last == 2, "cut: a journal cut at any byte holds all whole lines");
	ok(silent, "cut: a line cut at the end is not counted as damaged");
	size_t noticed = 0;
	for (size_t n = 0; n < len; n++) {
		char was = text[n];
		text[n] = (char)(was ^ 1);
		size_t entries = parse(text, len, &damaged);
		noticed += damaged > 0 || entries == 0;
		text[n] = was;
	}
	/* Without the last newline the last line counts as cut, not as damaged. */
	ok(noticed == len - 1, "cut: a flipped bit is detected at any byte");
	marked(et_journal_mark_restored(j, &j->entries[0]));
	marked(et_journal_mark_restored(j, &j->entries[1]));
	et_journal_close(j);
}

/* Lines with a correct checksum and invalid contents. */
static void check_strangers(void)
{
	static const char *const lines[] = {
		"begin 0 apply 1 b 1",
		"begin 1 nobody 1 b 1",
		"begin 1 apply 0 b 1",
		"begin 1 apply 1 b 99999999999999999999",
		"begin 1 apply 1 012345678901234567890123456789012345678901234567890 1",
		"begin 4000000 apply 1 b 1",
		"change 1 1 aslr file /etc/shadow 0 0 x y",
		"change 1 1 aslr file " ASLR " 0 0 % 0",
		"change 1 1 aslr file " ASLR " 0 0 2%0a 0",
		"change 1 1 aslr file " ASLR " 0 0 2%00 0",
		"change 1 1 aslr file " ASLR " 0 0 2%zz 0",
		"change 1 1 aslr file " ASLR " -1 0 2 0",
		"change 1 0 aslr file " ASLR " 0 0 2 0",
		"change 0 1 aslr file " ASLR " 0 0 2 0",
		"change 1 1 aslr pipe " ASLR " 0 0 2 0",
		"change 1 1 aslr file " ASLR " 0 0 2 0 extra",
		"change 1 1 aslr file " ASLR " 0 0 2",
		"change 1 1 daemons unit sshd.service 0 0 active inactive",
		"change 1 1 daemons process cron 0 1 running held",
		"change 1 1 daemons process cron 1 1 running held",
		"made 1 0",
		"back 1",
		"again 1",
		"",
		" ",
		"a b c d e f g h i j k l m n o p",
	};
	size_t refused = 0, damaged;

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct et_journal_line line = { .n = strlen(lines[i]) };
		memcpy(line.text, lines[i], line.n);
		int rc = et_journal_line_end(&line);
		char *text = et_asprintf(ET_JOURNAL_TITLE "\n%s", line.text);
		size_t n = parse(text, strlen(text), &damaged);
		refused += rc == 0 && n == 0 && damaged == 1;
		if (n || damaged != 1)
			printf("# taken: %s\n", lines[i]);
		free(text);
	}
	ok(refused == sizeof(lines) / sizeof(lines[0]),
		"forged: every invalid line with a correct checksum is refused");
	ok(parse("#!/bin/sh\nrm -rf /\n", 19, &damaged) == 0,
		"forged: a shell script is not a journal");
}

static void check_files(void)
{
	struct et_journal *j = NULL;
	struct et_error err;
	FILE *f = fopen(path, "w");

	fputs(ET_JOURNAL_TITLE "\n", f);
	fclose(f);
	chmod(path, 0622);
	ok(et_journal_open(path, true, &j, &err) == -EPERM,
		"open: a journal that others can write is refused");
	chmod(path, 0600);
	char other[80];
	snprintf(other, sizeof(other), "%s.link", path);
	ok(symlink(path, other) == 0 && et_journal_open(other, true, &j, &err) == -ELOOP,
		"open: a symbolic link is refused");
	unlink(other);
	ok(link(path, other) == 0 && et_journal_open(path, true, &j, &err) == -EPERM,
		"open: a file with two names is refused");
	unlink(other);
	unlink(path);
	ok(et_journal_open(folder, true, &j, &err) < 0, "open: a folder is refused");
	ok(mkfifo(path, 0600) == 0 && et_journal_open(path, true, &j, &err) == -EPERM,
		"open: a FIFO is refused");
	unlink(path);
}

/* The path, its size and what a reader finds in it. */
static size_t entries_on_disk(off_t *size)
{
	struct et_journal *back = NULL;
	struct et_error err;
	struct stat st = { 0 };
	bool busy;

	stat(path, &st);
	*size = st.st_size;
	if (et_journal_peek(path, &busy, &back, &err))
		return SIZE_MAX;
	size_t n = back->damaged ? SIZE_MAX : back->n;
	et_journal_close(back);
	return n;
}

/* A change that the next process would not accept from the journal must not be made. */
static void check_read_back(void)
{
	static char much[5000];
	memset(much, 'x', sizeof(much) - 1);
	struct et_change good = change_of(ASLR, "2", "0"), bad[] = {
		change_of("/etc/shadow", "x", "y"),
		change_of(ASLR, "", "0"),
		change_of(ASLR, "2\n", "0"),
		change_of(ASLR, much, "0"),
	};
	struct et_change pair[] = { change_of(DELAYS, "0", "1"), bad[0] };
	struct et_error err;
	struct et_journal *j = open_journal(true);
	off_t before, after;

	et_journal_begin(j, ET_OWNER_RUN, "b", 1);
	ok(et_journal_intend(j, &good, 1, &err) == 0, "read back: a valid change is accepted");
	entries_on_disk(&before);
	size_t refused = 0, n = sizeof(bad) / sizeof(bad[0]);
	for (size_t i = 0; i < n; i++) {
		refused += et_journal_intend(j, &bad[i], 1, &err) < 0 && j->n == 1 &&
			   strstr(err.what, "cannot be read back") &&
			   strstr(err.hint, "this change was not made");
	}
	ok(refused == n, "read back: a change that the parser would reject is refused");
	ok(et_journal_intend(j, pair, 2, &err) < 0 && j->n == 1,
		"read back: one bad change of two refuses both");
	ok(entries_on_disk(&after) == 1 && after == before,
		"read back: refused changes are not in the file");
	ok(et_journal_mark_again(j, &j->entries[0], much, &err) < 0 &&
			!strcmp(j->entries[0].change.after, "0"),
		"read back: a new value that is too long is refused");
	ok(et_journal_intend(j, &pair[0], 1, &err) == 0 && entries_on_disk(&after) == 2,
		"read back: a valid change is accepted after a refused one");
	marked(et_journal_mark_restored(j, &j->entries[0]));
	marked(et_journal_mark_restored(j, &j->entries[1]));
	et_journal_close(j);
}

/* Sets the size at which files stop growing, as on a full disk. */
static void limit_files(rlim_t bytes)
{
	struct rlimit limit;

	getrlimit(RLIMIT_FSIZE, &limit);
	limit.rlim_cur = bytes < limit.rlim_max ? bytes : limit.rlim_max;
	setrlimit(RLIMIT_FSIZE, &limit);
}

/* The disk is full after every possible number of bytes. */
static void check_full_disk(void)
{
	struct et_change both[] = { change_of(ASLR, "2", "0"), change_of(DELAYS, "0", "1") };
	struct et_error err;
	off_t whole = 0, size;
	size_t wrong = 0, failed = 0;

	for (rlim_t room = 0; !whole; room++) {
		struct et_journal *j = open_journal(true);
		et_journal_begin(j, ET_OWNER_RUN, "b", 1);
		limit_files(room);
		int rc = et_journal_intend(j, both, 2, &err);
		limit_files(RLIM_INFINITY);
		size_t n = entries_on_disk(&size);
		failed += rc != 0;
		wrong += rc ? size != 0 || j->n : n != 2 || j->n != 2;
		whole = rc ? 0 : size;
		for (size_t i = 0; i < j->n; i++)
			marked(et_journal_mark_restored(j, &j->entries[i]));
		et_journal_close(j);
	}
	ok(failed == (size_t)whole && wrong == 0,
		"full disk: changes are written whole or not at all");
}

/* Marks are lost while the disk is full. They are written at the end if there is room again. */
static void check_lost_marks(void)
{
	struct et_change both[] = { change_of(ASLR, "2", "0"), change_of(DELAYS, "0", "1") };
	struct et_error err;
	off_t size;
	struct et_journal *j = open_journal(true);

	et_journal_begin(j, ET_OWNER_RUN, "b", 1);
	ok(et_journal_intend(j, both, 2, &err) == 0, "lost mark: a journal with two changes");
	entries_on_disk(&size);
	for (int extra = 0; extra < 20; extra += 10) {
		limit_files((rlim_t)(size + extra));
		ok(et_journal_mark_made(j, &j->entries[0], "0") == -EFBIG &&
				et_journal_mark_again(j, &j->entries[0], "1", &err) == -EFBIG &&
				!strcmp(j->entries[0].change.after, "0"),
			"lost mark: with room for %d bytes, no mark is written", extra);
	}
	ok(et_journal_mark_restored(j, &j->entries[0]) == -EFBIG && j->entries[0].restored,
		"lost mark: a restored change whose mark is lost is reported");
	limit_files(RLIM_INFINITY);
	et_journal_close(j);
	j = open_journal(false);
	ok(j && j->n == 2 && !j->damaged && j->entries[0].restored && !j->entries[1].restored,
		"lost mark: it is written when the journal is closed");
	limit_files((rlim_t)j->size);
	ok(et_journal_mark_restored(j, &j->entries[1]) == -EFBIG,
		"lost mark: the last mark is lost, too");
	et_journal_close(j);
	limit_files(RLIM_INFINITY);
	ok(access(path, F_OK) < 0, "lost mark: the journal is removed if all is restored");
}

int main(void)
{
	signal(SIGXFSZ, SIG_IGN); /* as in etalon */
	if (!mkdtemp(folder))
		return 1;
	snprintf(path, sizeof(path), "%s/env.journal", folder);
	check_round();
	check_lock();
	check_inherited_lock();
	check_cuts();
	check_strangers();
	check_files();
	check_read_back();
	check_full_disk();
	check_lost_marks();
	rmdir(folder);
	return tap_done();
}
