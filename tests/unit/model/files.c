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
	ok(between("/f", w, p) == ET_CONFLICT_CHANGE && between("/f", p, p) == ET_CONFLICT_CHANGE,
		"conflict: both give it new contents");
	ok(between("/f", d, w | d) == ET_CONFLICT_CHANGE, "conflict: both remove it");
	is_str(et_conflict_words[between("/index.lock", p | d, p | d)], "both change",
		"conflict: two that make and remove a name do not write it");
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

/* How many names a record has with this use, in a text of et_files_text. */
static size_t recorded(const struct et_files *f, const char *begin)
{
	ET_AUTO_FREE char *text = et_files_text(f);
	size_t n = 0;

	for (const char *at = strstr(text, begin); at; at = strstr(at + 1, begin))
		n++;
	return n;
}

static void limits(void)
{
	struct et_files f = { .scouted = ET_SCOUTED_CALLS }, copy;

	for (int i = 0; i < ET_FILES_SEEN_READ + 10; i++) {
		ET_AUTO_FREE char *name = et_asprintf("/r%d", i);
		et_files_add(&f, name, ET_FILE_READ);
	}
	ok(f.n == ET_FILES_SEEN_READ && f.left_out == 10,
		"limit: files that are read leave room for others, and the rest is counted");
	ok(recorded(&f, "/r") == ET_FILES_MOST_READ, "limit: the record has some of them");
	for (int i = 0; i < ET_FILES_SEEN - ET_FILES_SEEN_READ + 10; i++) {
		ET_AUTO_FREE char *name = et_asprintf("/w%d", i);
		et_files_add(&f, name, ET_FILE_WRITTEN);
	}
	ok(f.n == ET_FILES_SEEN && f.left_out == 20, "limit: files that are written have one, too");
	ok(recorded(&f, "/r") == 0 && recorded(&f, "/w") == ET_FILES_MOST,
		"limit: in the record they take the room of those that are read");
	ok(et_files_add(&f, "/w0", ET_FILE_READ) && f.n == ET_FILES_SEEN,
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

/* The two commands of a conflict that neither the limit nor the filter of the record may hide. */
static void hidden(void)
{
	struct et_files a = { .scouted = ET_SCOUTED_CALLS }, b = { .scouted = ET_SCOUTED_CALLS };
	const char *name = NULL;

	for (int i = 0; i < 1000; i++) {
		ET_AUTO_FREE char *own = et_asprintf("/own%d", i);
		et_files_add(&a, own, ET_FILE_WRITTEN);
	}
	et_files_add(&a, "/var/lib/db", ET_FILE_WRITTEN);
	et_files_add(&b, "/var/lib/db", ET_FILE_READ);
	et_files_add(&b, "/var/lib/other", ET_FILE_READ);
	et_files_add(&b, "/library/book", ET_FILE_READ);
	ok(!recorded(&b, "/var/lib/") && recorded(&b, "/library/book") == 1,
		"record: what is only read in folders of the system is left out, /library is none");
	ok(et_files_conflict(&a, &b, &name) == ET_CONFLICT_READ && !strcmp(name, "/var/lib/db"),
		"conflict: it is found among a thousand names and in a folder of the system");
	ok(recorded(&a, "/var/lib/db") == 1 && recorded(&b, "/var/lib/db") == 1 &&
			!recorded(&b, "/var/lib/other"),
		"record: it has the file of a conflict");
	et_files_free(&a);
	et_files_free(&b);
}

static void identities(void)
{
	struct et_files a = { 0 }, b = { 0 };
	const char *name = NULL;

	et_files_add(&a, "/one", ET_FILE_WRITTEN)->identity = 7;
	et_files_add(&b, "/two", ET_FILE_WRITTEN)->identity = 7;
	et_files_add(&b, "/three", ET_FILE_WRITTEN)->identity = 8;
	ok(et_files_conflict(&a, &b, &name) == ET_CONFLICT_WRITE && !strcmp(name, "/one"),
		"conflict: two names of one file");
	et_files_free(&a);
	et_files_free(&b);
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
	hidden();
	identities();
	text();
	return tap_done();
}
