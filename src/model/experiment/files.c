/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/experiment/files.h"
#include "base/memstream.h"
#include "base/utf8.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>

const char *const et_file_use_names[] = { "read", "written", "replaced", "removed", "locked",
	"bound", NULL };
const char *const et_scouted_names[] = { "not", "calls", "refused", "unfit", "partly", NULL };
const char *const et_conflict_words[] = { [ET_CONFLICT_WRITE] = "both write",
	[ET_CONFLICT_CHANGE] = "both change",
	[ET_CONFLICT_BIND] = "both bind",
	[ET_CONFLICT_LOCK] = "both lock",
	[ET_CONFLICT_READ] = "one writes and the other reads" };

static bool is_printable(const char *at, size_t length)
{
	uint32_t c = length ? et_utf8_decode(at, length) : 0;

	return c >= ' ' && c != 0x7f && !et_utf8_deceives(c);
}

char *et_file_name(const char *raw)
{
	char *name = et_alloc(4 * strlen(raw) + 1), *to = name;

	while (*raw) {
		size_t length = et_utf8_length(raw);
		if (is_printable(raw, length)) {
			memcpy(to, raw, length);
			to += length;
			raw += length;
		} else {
			snprintf(to, sizeof("\\xff"), "\\x%02x", (unsigned char)*raw++);
			to += sizeof("\\xff") - 1;
		}
	}
	*to = '\0';
	return name;
}

uint64_t et_file_identity(const char *path)
{
	const unsigned want = STATX_INO | STATX_BTIME;
	struct statx st;

	/* The number of an inode is used again; its time of birth is not. */
	if (statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, want, &st) < 0 ||
		(st.stx_mask & want) != want || !S_ISREG(st.stx_mode))
		return 0;
	uint64_t parts[] = { st.stx_dev_major, st.stx_dev_minor, st.stx_ino,
		(uint64_t)st.stx_btime.tv_sec, st.stx_btime.tv_nsec };
	return et_hash_bytes((const char *)parts, sizeof(parts)) | 1;
}

/* Returns the key of a name in the table, or the one that it would have; it is easy to collide. */
static uint64_t key_of(const struct et_files *f, const char *name, struct et_file **found)
{
	for (uint64_t key = et_hash_text(name) | 1;; key += 2) {
		const uint64_t *place = key ? et_hash_find(&f->places, key) : NULL;
		*found = place ? &f->list[*place - 1] : NULL;
		if (!place || !strcmp((*found)->name, name))
			return key;
	}
}

static struct et_file *find(const struct et_files *f, const char *name)
{
	struct et_file *found = NULL;

	if (f->n)
		key_of(f, name, &found);
	return found;
}

struct et_file *et_files_add(struct et_files *f, const char *name, uint32_t uses)
{
	struct et_file *one;
	bool only_read = uses == ET_FILE_READ;

	f->places.width = sizeof(uint64_t);
	uint64_t key = key_of(f, name, &one);
	if (one) {
		one->uses |= uses;
		return one;
	}
	if (strlen(name) > ET_FILE_NAME_MOST || f->n == ET_FILES_SEEN ||
		(only_read && f->reads == ET_FILES_SEEN_READ)) {
		f->left_out++;
		return NULL;
	}
	f->reads += only_read;
	ET_GROW(f->list, f->n, f->cap);
	f->list[f->n] = (struct et_file){ .name = et_strdup(name), .uses = uses };
	*(uint64_t *)et_hash_put(&f->places, key) = f->n + 1;
	return &f->list[f->n++];
}

void et_files_free(struct et_files *f)
{
	for (size_t i = 0; i < f->n; i++)
		free(f->list[i].name);
	free(f->list);
	et_hash_free(&f->places);
	*f = (struct et_files){ 0 };
}

void et_files_merge(struct et_files *to, const struct et_files *from)
{
	to->scouted = from->scouted;
	to->left_out += from->left_out;
	for (size_t i = 0; i < from->n; i++) {
		const struct et_file *one = &from->list[i];
		struct et_file *added = one->uses ? et_files_add(to, one->name, one->uses) : NULL;
		if (added && one->identity)
			added->identity = one->identity;
	}
}

void et_files_copy(struct et_files *to, const struct et_files *from)
{
	*to = (struct et_files){ 0 };
	et_files_merge(to, from);
}

static bool begins(const char *name, const char *with)
{
	return !strncmp(name, with, strlen(with));
}

/* Libraries and settings of the system, which do not tell which input was measured. */
static bool is_of_system(const char *name)
{
	static const char *const folders[] = { "/usr/", "/lib/", "/lib32/", "/lib64/", "/libx32/",
		"/bin/", "/sbin/", "/etc/", "/run/", "/nix/", "/gnu/", "/snap/", "/var/cache/",
		"/var/lib/" };
	const char *dot = strrchr(name, '.');

	for (size_t i = 0; i < ET_LENGTH(folders); i++) {
		if (begins(name, folders[i]))
			return true;
	}
	return strstr(name, "/lib/python") || strstr(name, ".so.") ||
	       (dot && (!strcmp(dot, ".so") || !strcmp(dot, ".pyc")));
}

/* Two that replace a compiled module of Python at the same time write the same, atomically. */
static bool is_harmless(const char *name)
{
	return strstr(name, "/__pycache__/") != NULL;
}

static enum et_conflict_kind compare(const char *name, uint32_t a, uint32_t b)
{
	const uint32_t writes = ET_FILE_WRITTEN | ET_FILE_REPLACED | ET_FILE_REMOVED,
		       disturbs = ET_FILE_WRITTEN | ET_FILE_REMOVED;

	if ((a & writes) && (b & writes))
		return a & b & ET_FILE_WRITTEN                           ? ET_CONFLICT_WRITE
		       : (a | b) & ET_FILE_WRITTEN || !is_harmless(name) ? ET_CONFLICT_CHANGE
									 : ET_CONFLICT_NONE;
	if (a & b & ET_FILE_BOUND)
		return ET_CONFLICT_BIND;
	if (a & b & ET_FILE_LOCKED)
		return ET_CONFLICT_LOCK;
	if (((a & disturbs) && (b & ET_FILE_READ)) || ((b & disturbs) && (a & ET_FILE_READ)))
		return ET_CONFLICT_READ;
	return ET_CONFLICT_NONE;
}

/* Names that both change come first: rather one that lasts than a journal or lock that goes again.
 */
static int rank(enum et_conflict_kind kind, uint32_t uses)
{
	int order = kind == ET_CONFLICT_CHANGE ? ET_CONFLICT_WRITE : (int)kind;

	return kind ? 2 * order + ((uses & ET_FILE_REMOVED) != 0) : INT_MAX;
}

struct search {
	enum et_conflict_kind kind;
	struct et_file *one, *other;
};

static void consider(struct search *s, struct et_file *one, struct et_file *other)
{
	enum et_conflict_kind kind =
		other ? compare(one->name, one->uses, other->uses) : ET_CONFLICT_NONE;

	if (rank(kind, one->uses) < (s->one ? rank(s->kind, s->one->uses) : INT_MAX))
		*s = (struct search){ kind, one, other };
}

enum et_conflict_kind et_files_conflict(
	const struct et_files *a, const struct et_files *b, const char **name)
{
	struct et_hash same = { .width = sizeof(uint64_t) }; /* place in b, from 1, by identity */
	struct search s = { 0 };

	for (size_t i = 0; i < b->n; i++) {
		if (b->list[i].identity)
			*(uint64_t *)et_hash_put(&same, b->list[i].identity) = i + 1;
	}
	for (size_t i = 0; i < a->n; i++) {
		struct et_file *one = &a->list[i];
		const uint64_t *place =
			one->identity && same.n ? et_hash_find(&same, one->identity) : NULL;
		consider(&s, one, find(b, one->name));
		consider(&s, one, place ? &b->list[*place - 1] : NULL);
	}
	et_hash_free(&same);
	if (s.one) {
		s.one->shared = s.other->shared = true;
		*name = s.one->name;
	}
	return s.kind;
}

/* A file that is replaced is written, too, and a list of its own shows that this was how. */
static bool has_use(const struct et_file *f, int bit)
{
	if (1 << bit == ET_FILE_WRITTEN)
		return f->uses & (ET_FILE_WRITTEN | ET_FILE_REPLACED);
	if (1 << bit == ET_FILE_REPLACED)
		return (f->uses & ET_FILE_REPLACED) && !(f->uses & ET_FILE_WRITTEN);
	return f->uses & 1u << bit;
}

/* Marks those that the record has: the shared, then those that are changed, then those read. */
static size_t choose(const struct et_files *f, bool *chosen)
{
	size_t n = 0, reads = 0, left_out = 0;

	for (int turn = 0; turn < 3; turn++) {
		for (size_t i = 0; i < f->n; i++) {
			const struct et_file *one = &f->list[i];
			bool only_read = one->uses == ET_FILE_READ;
			int its = one->shared ? 0 : only_read ? 2 : 1;
			if (its != turn || (its == 2 && is_of_system(one->name)))
				continue;
			chosen[i] = n < ET_FILES_MOST && (its != 2 || reads < ET_FILES_MOST_READ);
			n += chosen[i];
			reads += chosen[i] && only_read;
			left_out += !chosen[i];
		}
	}
	return left_out;
}

void et_files_write(struct et_json *w, const char *key, const void *files)
{
	const struct et_files *f = files;
	ET_AUTO_FREE bool *chosen = et_calloc(f->n + 1, sizeof(*chosen));

	if (f->scouted == ET_SCOUTED_NOT) {
		et_json_null(w, key);
		return;
	}
	size_t left_out = choose(f, chosen);
	et_json_object(w, key);
	et_json_string(w, "looked", et_scouted_names[f->scouted]);
	for (int bit = 0; bit < ET_FILE_USES; bit++) {
		et_json_array(w, et_file_use_names[bit]);
		for (size_t i = 0; i < f->n; i++) {
			if (chosen[i] && has_use(&f->list[i], bit))
				et_json_string(w, NULL, f->list[i].name);
		}
		et_json_end(w);
	}
	et_json_u64(w, "left_out", f->left_out + left_out);
	et_json_end(w);
}

char *et_files_text(const struct et_files *f)
{
	struct et_memstream stream;
	struct et_json w;

	if (f->scouted == ET_SCOUTED_NOT)
		return NULL;
	et_json_init(&w, et_memstream_open(&stream), 0);
	et_files_write(&w, NULL, f);
	return et_memstream_close(&stream);
}
