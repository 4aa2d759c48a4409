/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where system calls cannot be looked at: the files that a run has changed. */
#include "measure/child/scout.h"

#include <dirent.h>
#include <sys/stat.h>

/* A larger folder, or command line, is looked at in part. */
enum { MOST_FILES = 512, MOST_WORDS = 256 };

struct item {
	char *path;
	struct stat st;
	bool named; /* in the words of the command */
};

struct et_sight {
	struct item *list;
	size_t n;
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
static void add_words(struct et_sight *s, char *const *words, const char *directory)
{
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

struct et_sight *et_sight_take(char *const *words, const char *directory)
{
	struct et_sight *s = et_calloc(1, sizeof(*s));
	const char *folder = directory ? directory : ".";
	DIR *d = opendir(folder);
	const struct dirent *entry;

	s->list = et_calloc(MOST_FILES + MOST_WORDS, sizeof(*s->list));
	add_words(s, words, directory);
	for (size_t i = 0; d && i < MOST_FILES && (entry = readdir(d)); i++) {
		ET_AUTO_FREE char *path = et_asprintf("%s/%s", folder, entry->d_name);
		add(s, path, false);
	}
	if (d)
		closedir(d);
	return s;
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

void et_sight_compare(const struct et_sight *before, char *const *words, const char *directory,
	struct et_files *out)
{
	struct et_sight *now = et_sight_take(words, directory);

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
	et_sight_free(now);
}

void et_sight_free(struct et_sight *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->n; i++)
		free(s->list[i].path);
	free(s->list);
	free(s);
}
