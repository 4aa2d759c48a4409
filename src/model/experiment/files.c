/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/experiment/files.h"
#include "base/memstream.h"
#include "base/utf8.h"

const char *const et_file_use_names[] = { "read", "written", "replaced", "removed", "locked",
	"bound", NULL };
const char *const et_scouted_names[] = { "not", "calls", "refused", "unfit", NULL };

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

static struct et_file *find(const struct et_files *f, const char *name)
{
	for (size_t i = 0; i < f->n; i++) {
		if (!strcmp(f->list[i].name, name))
			return &f->list[i];
	}
	return NULL;
}

/* A file that is only read makes room for one that may be in conflict. */
static bool make_room(struct et_files *f, uint32_t uses)
{
	size_t reads = 0, last = 0;

	for (size_t i = 0; i < f->n; i++) {
		if (f->list[i].uses != ET_FILE_READ)
			continue;
		reads++;
		last = i;
	}
	if (uses == ET_FILE_READ)
		return reads < ET_FILES_MOST_READ && f->n < ET_FILES_MOST;
	if (f->n < ET_FILES_MOST)
		return true;
	if (!reads)
		return false;
	free(f->list[last].name);
	memmove(&f->list[last], &f->list[last + 1], (--f->n - last) * sizeof(*f->list));
	f->left_out++;
	return true;
}

bool et_files_add(struct et_files *f, const char *name, uint32_t uses)
{
	struct et_file *one = find(f, name);

	if (one) {
		one->uses |= uses;
		return true;
	}
	if (strlen(name) > ET_FILE_NAME_MOST || !make_room(f, uses)) {
		f->left_out++;
		return false;
	}
	if (!f->list)
		f->list = et_calloc(ET_FILES_MOST, sizeof(*f->list));
	f->list[f->n++] = (struct et_file){ et_strdup(name), uses };
	return true;
}

void et_files_free(struct et_files *f)
{
	for (size_t i = 0; i < f->n; i++)
		free(f->list[i].name);
	free(f->list);
	*f = (struct et_files){ 0 };
}

void et_files_copy(struct et_files *to, const struct et_files *from)
{
	*to = (struct et_files){ .scouted = from->scouted, .left_out = from->left_out };
	if (!from->n)
		return;
	to->list = et_calloc(ET_FILES_MOST, sizeof(*to->list));
	for (size_t i = 0; i < from->n; i++)
		to->list[to->n++] =
			(struct et_file){ et_strdup(from->list[i].name), from->list[i].uses };
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
		return (a | b) & ET_FILE_WRITTEN || !is_harmless(name) ? ET_CONFLICT_WRITE
								       : ET_CONFLICT_NONE;
	if (a & b & ET_FILE_BOUND)
		return ET_CONFLICT_BIND;
	if (a & b & ET_FILE_LOCKED)
		return ET_CONFLICT_LOCK;
	if (((a & disturbs) && (b & ET_FILE_READ)) || ((b & disturbs) && (a & ET_FILE_READ)))
		return ET_CONFLICT_READ;
	return ET_CONFLICT_NONE;
}

enum et_conflict_kind et_files_conflict(
	const struct et_files *a, const struct et_files *b, const char **name)
{
	enum et_conflict_kind worst = ET_CONFLICT_NONE;
	bool lasts = false; /* the one that was found is not a journal or lock that goes again */

	for (size_t i = 0; i < a->n; i++) {
		const struct et_file *one = &a->list[i], *other = find(b, one->name);
		enum et_conflict_kind kind =
			other ? compare(one->name, one->uses, other->uses) : ET_CONFLICT_NONE;
		bool stays = !(one->uses & ET_FILE_REMOVED);
		if (!kind || (worst && kind > worst) || (kind == worst && (lasts || !stays)))
			continue;
		worst = kind;
		lasts = stays;
		*name = one->name;
	}
	return worst;
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

void et_files_write(struct et_json *w, const char *key, const void *files)
{
	const struct et_files *f = files;

	if (f->scouted == ET_SCOUTED_NOT) {
		et_json_null(w, key);
		return;
	}
	et_json_object(w, key);
	et_json_string(w, "looked", et_scouted_names[f->scouted]);
	for (int bit = 0; bit < ET_FILE_USES; bit++) {
		et_json_array(w, et_file_use_names[bit]);
		for (size_t i = 0; i < f->n; i++) {
			if (has_use(&f->list[i], bit))
				et_json_string(w, NULL, f->list[i].name);
		}
		et_json_end(w);
	}
	et_json_u64(w, "left_out", f->left_out);
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
