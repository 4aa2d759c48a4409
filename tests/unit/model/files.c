/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which uses of a file by two commands are in conflict, and how names are kept. */
#include "model/experiment/files.h"
#include "base/base.h"
#include "tap.h"

static enum et_conflict_kind between(const char *name, uint32_t one, uint32_t other)
{
	struct et_files a = { 0 }, b = { 0 };
	const char *found = NULL;

	et_files_add(&a, "/only/a", ET_FILE_WRITTEN);
	et_files_add(&a, name, one);
	et_files_add(&b, name, other);
	enum et_conflict_kind kind = et_files_conflict(&a, &b, &found);
	if (kind && strcmp(found, name))
		kind = ET_CONFLICT_NONE;
	et_files_free(&a);
	et_files_free(&b);
	return kind;
}

static void conflicts(void)
{
	const uint32_t r = ET_FILE_READ, w = ET_FILE_WRITTEN, p = ET_FILE_REPLACED,
		       d = ET_FILE_REMOVED, l = ET_FILE_LOCKED, b = ET_FILE_BOUND;

	ok(between("/f", w, w) == ET_CONFLICT_WRITE, "conflict: both write it");
	ok(between("/f", w, p) == ET_CONFLICT_WRITE && between("/f", p, p) == ET_CONFLICT_WRITE,
		"conflict: both give it new contents");
	ok(between("/f", d, w | d) == ET_CONFLICT_WRITE, "conflict: both remove it");
	ok(between("/f", w, r) == ET_CONFLICT_READ && between("/f", r, w) == ET_CONFLICT_READ &&
			between("/f", d, r) == ET_CONFLICT_READ,
		"conflict: one writes or removes what the other reads");
	ok(!between("/f", r, r) && !between("/f", p, r) && !between("/f", l, r),
		"no conflict: both read it, or one replaces it as a whole");
	ok(between("/f", l, l | r) == ET_CONFLICT_LOCK, "conflict: both lock it");
	ok(between("port 80", b, b) == ET_CONFLICT_BIND, "conflict: both use a port");
	ok(!between("/p/__pycache__/m.pyc", p, p) && between("/p/__pycache__/m.pyc", w, p),
		"no conflict: both replace a compiled module");
}

static void worst(void)
{
	struct et_files a = { 0 }, b = { 0 };
	const char *name = NULL;

	ok(!et_files_conflict(&a, &b, &name), "no conflict: nothing is known");
	et_files_add(&a, "/read", ET_FILE_READ);
	et_files_add(&a, "/db-journal", ET_FILE_WRITTEN | ET_FILE_REMOVED);
	et_files_add(&a, "/db", ET_FILE_WRITTEN | ET_FILE_LOCKED);
	et_files_add(&b, "/read", ET_FILE_WRITTEN);
	et_files_add(&b, "/db", ET_FILE_WRITTEN | ET_FILE_LOCKED);
	et_files_add(&b, "/db-journal", ET_FILE_WRITTEN | ET_FILE_REMOVED);
	ok(et_files_conflict(&a, &b, &name) == ET_CONFLICT_WRITE && !strcmp(name, "/db"),
		"conflict: the database is named, not its journal, nor what is read");
	et_files_free(&a);
	et_files_free(&b);
}

static void names(void)
{
	char *name = et_file_name("/tmp/\303\244 b\n\033\377\342\200\256");

	is_str(name, "/tmp/\303\244 b\\x0a\\x1b\\xff\\xe2\\x80\\xae",
		"name: control characters, wrong bytes and changes of direction are escaped");
	char *again = et_file_name(name);
	is_str(again, name, "name: an escaped name stays as it is");
	free(again);
	free(name);
}

static void limits(void)
{
	struct et_files f = { 0 }, copy;
	size_t reads = 0;

	for (int i = 0; i < 1000; i++) {
		ET_AUTO_FREE char *name = et_asprintf("/r%d", i);
		et_files_add(&f, name, ET_FILE_READ);
	}
	ok(f.n == ET_FILES_MOST_READ && f.left_out == 1000 - ET_FILES_MOST_READ,
		"limit: files that are read leave room for others, and the rest is counted");
	for (int i = 0; i < 1000; i++) {
		ET_AUTO_FREE char *name = et_asprintf("/w%d", i);
		et_files_add(&f, name, ET_FILE_WRITTEN);
	}
	for (size_t i = 0; i < f.n; i++)
		reads += f.list[i].uses == ET_FILE_READ;
	ok(f.n == ET_FILES_MOST && reads == 0 && f.left_out == 2000 - ET_FILES_MOST,
		"limit: files that are written take the room of those that are read");
	ok(et_files_add(&f, "/w0", ET_FILE_READ) && f.n == ET_FILES_MOST,
		"limit: a further use of a known name always has room");
	ET_AUTO_FREE char *far = et_alloc(ET_FILE_NAME_MOST + 10);
	memset(far, 'x', ET_FILE_NAME_MOST + 9);
	far[ET_FILE_NAME_MOST + 9] = '\0';
	ok(!et_files_add(&f, far, ET_FILE_WRITTEN), "limit: a name that is too long is counted");
	et_files_copy(&copy, &f);
	ok(copy.n == f.n && copy.left_out == f.left_out &&
			!strcmp(copy.list[7].name, f.list[7].name),
		"copy: it has the same names");
	et_files_free(&copy);
	et_files_free(&f);
}

static void text(void)
{
	struct et_files f = { 0 };

	ok(!et_files_text(&f), "text: if nothing was looked at there is none");
	f.scouted = ET_SCOUTED_CALLS;
	et_files_add(&f, "/in \"1\"", ET_FILE_READ);
	et_files_add(&f, "/out", ET_FILE_REPLACED);
	ET_AUTO_FREE char *got = et_files_text(&f);
	ok(strstr(got, "\"written\":[\"/out\"]") || strstr(got, "\"written\": [\"/out\"]"),
		"text: what is replaced is written: %s", got);
	ok(strstr(got, "/in \\\"1\\\"") != NULL, "text: names are escaped");
	et_files_free(&f);
}

int main(void)
{
	conflicts();
	worst();
	names();
	limits();
	text();
	return tap_done();
}
