/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where system calls cannot be looked at: the files that a run has changed. */
#include "measure/child/scout.h"

#include "base/parse.h"

#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>

enum { BOTH, THREAD_DONE, GIVEN_UP };

/* A larger folder, or command line, is looked at in part. */
enum { MOST_FILES = 512, MOST_WORDS = 256, LONGEST_S = 1 };

struct item {
	char *path;
	struct stat st;
	bool named; /* in the words of the command */
};

struct et_sight {
	struct item *list;
	size_t n;
	/* A copy of the words: a thread that was given up may still read it. */
	char **words, *directory;
	int owner; /* of this structure: who gives it up first leaves it to the other */
};

static void add(struct et_sight *s, const char *path, bool named)
{
	struct stat st;

	if (s->n == MOST_FILES + MOST_WORDS || stat(path, &st) < 0 || !S_ISREG(st.st_mode))
		return;
	char *full = realpath(path, NULL);
	for (size_t i = 0; full && i < s->n; i++) {
		if (!strcmp(s->list[i].path, full)) {
			free(full);
			full = NULL;
		}
	}
	if (full)
		s->list[s->n++] = (struct item){ full, st, named };
}

/* The argument of a shell is a text of several words. */
static void add_words(struct et_sight *s)
{
	char *const *words = s->words;
	const char *directory = s->directory;
	static const char breaks[] = " \t\n<>|&;()\"'`=,";
	size_t n = 0;

	for (size_t i = 1; words[0] && words[i]; i++) {
		for (const char *at = words[i]; *at && n < MOST_WORDS; n++) {
			at += strspn(at, breaks);
			size_t length = strcspn(at, breaks);
			ET_AUTO_FREE char *path =
				et_asprintf("%s%s%.*s", *at == '/' || !directory ? "" : directory,
					*at == '/' || !directory ? "" : "/", (int)length, at);
			if (length)
				add(s, path, true);
			at += length;
		}
	}
}

/* A name that is a folder, or is mounted over, is of no interest: a stat(2) of it may never end. */
static bool may_be_file(const struct dirent *entry)
{
	return entry->d_type == DT_REG || entry->d_type == DT_UNKNOWN || entry->d_type == DT_LNK;
}

static void look(struct et_sight *s)
{
	const char *folder = s->directory ? s->directory : ".";
	DIR *d = opendir(folder);
	const struct dirent *entry;

	add_words(s);
	for (size_t i = 0; d && i < MOST_FILES && (entry = readdir(d)); i++) {
		ET_AUTO_FREE char *path = et_asprintf("%s/%s", folder, entry->d_name);
		if (may_be_file(entry))
			add(s, path, false);
	}
	if (d)
		closedir(d);
}

static void *run(void *ctx)
{
	struct et_sight *s = ctx;

	look(s);
	if (__atomic_exchange_n(&s->owner, THREAD_DONE, __ATOMIC_ACQ_REL) == GIVEN_UP)
		et_sight_free(s);
	return NULL;
}

/* Returns whether the thread has done its work in time; if not, it frees s. */
static bool wait_for(pthread_t thread, struct et_sight *s)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += LONGEST_S;
	if (pthread_timedjoin_np(thread, NULL, &until) == 0)
		return true;
	if (__atomic_exchange_n(&s->owner, GIVEN_UP, __ATOMIC_ACQ_REL) == THREAD_DONE)
		return pthread_join(thread, NULL) == 0;
	pthread_detach(thread);
	return false;
}

struct et_sight *et_sight_take(char *const *words, const char *directory)
{
	struct et_sight *s = et_calloc(1, sizeof(*s));
	sigset_t all, old;
	pthread_t thread;

	size_t n = et_strv_length(words);
	s->words = et_calloc(n + 1, sizeof(*s->words));
	for (size_t i = 0; i < n; i++)
		s->words[i] = et_strdup(words[i]);
	s->directory = directory ? et_strdup(directory) : NULL;
	s->list = et_calloc(MOST_FILES + MOST_WORDS, sizeof(*s->list));
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	bool started = pthread_create(&thread, NULL, run, s) == 0;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (!started) {
		et_sight_free(s);
		return NULL;
	}
	return wait_for(thread, s) ? s : NULL;
}

static const struct item *find(const struct et_sight *s, const char *path)
{
	for (size_t i = 0; i < s->n; i++) {
		if (!strcmp(s->list[i].path, path))
			return &s->list[i];
	}
	return NULL;
}

static bool unchanged(const struct stat *a, const struct stat *b)
{
	return a->st_ino == b->st_ino && a->st_dev == b->st_dev && a->st_size == b->st_size &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

static void report(struct et_files *out, const char *path, uint32_t uses)
{
	ET_AUTO_FREE char *name = et_file_name(path);

	et_files_add(out, name, uses);
}

void et_sight_compare(
	const struct et_sight *before, const struct et_sight *now, struct et_files *out)
{
	for (size_t i = 0; i < now->n; i++) {
		const struct item *then = find(before, now->list[i].path);
		if (!then || !unchanged(&then->st, &now->list[i].st))
			report(out, now->list[i].path, ET_FILE_WRITTEN);
		else if (now->list[i].named)
			report(out, now->list[i].path, ET_FILE_READ);
	}
	for (size_t i = 0; i < before->n; i++) {
		if (!find(now, before->list[i].path))
			report(out, before->list[i].path, ET_FILE_REMOVED);
	}
}

void et_sight_free(struct et_sight *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->n; i++)
		free(s->list[i].path);
	free(s->list);
	et_strv_free(s->words);
	free(s->directory);
	free(s);
}
