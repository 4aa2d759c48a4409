/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/hash.h"
#include "profile/readers/reader.h"
#include "profile/symbols/object.h"
#include "profile/symbols/space.h"

/* Files with a build id in one file of perf; those beyond it have none. */
enum { MOST_IDS = 1 << 16 };

struct identified {
	char *path;
	struct et_build_id id;
};

struct et_perf_maps {
	struct et_profile *profile; /* of the functions that were found: the reader copies them */
	struct et_spaces *spaces;
	struct identified *list;
	size_t n, room;
	struct et_hash by_path; /* places in the list */
	struct et_hash threads; /* the process of each */
};

struct et_perf_maps *et_perf_maps_new(void)
{
	struct et_perf_maps *m = et_calloc(1, sizeof(*m));

	m->profile = et_profile_new(&et_default_profile_plan);
	m->spaces = et_spaces_new("", m->profile);
	m->by_path.width = m->threads.width = sizeof(uint64_t);
	return m;
}

void et_perf_maps_clear(struct et_perf_maps *m)
{
	for (size_t i = 0; i < m->n; i++)
		free(m->list[i].path);
	m->n = 0;
	et_hash_free(&m->by_path);
	et_hash_free(&m->threads);
	et_spaces_clear(m->spaces);
}

void et_perf_maps_free(struct et_perf_maps *m)
{
	if (!m)
		return;
	et_perf_maps_clear(m);
	et_spaces_free(m->spaces);
	et_profile_free(m->profile);
	free(m->list);
	free(m);
}

/* --- build ids --- */

/* Parses "291c2e6e…", and moves *text after it. */
static bool parse_id(const char **text, struct et_build_id *out)
{
	const char *p = *text;

	*out = (struct et_build_id){ 0 };
	for (; out->size < sizeof(out->bytes); p += 2) {
		char pair[3] = { p[0], p[0] ? p[1] : '\0', '\0' };
		const char *digits = pair;
		uint64_t byte;
		if (!et_reader_digits(&digits, 16, &byte) || digits != pair + 2)
			break;
		out->bytes[out->size++] = (unsigned char)byte;
	}
	*text = p;
	return out->size > 0;
}

/* Finds a file; if `add`, it is added, unless there are too many. */
static struct identified *find_id(struct et_perf_maps *m, const char *path, bool add)
{
	uint64_t key = et_hash_text(path) | 1;
	const uint64_t *place;

	while ((place = et_hash_find(&m->by_path, key)) && strcmp(m->list[*place].path, path))
		key += 2;
	if (place)
		return &m->list[*place];
	if (!add || m->n >= MOST_IDS)
		return NULL;
	*(uint64_t *)et_hash_put(&m->by_path, key) = m->n;
	ET_GROW(m->list, m->n, m->room);
	m->list[m->n] = (struct identified){ .path = et_strdup(path) };
	return &m->list[m->n++];
}

/* Copies the path of a file without " (deleted)", or returns NULL if it is none. */
static char *path_of(const char *text)
{
	/* "//anon" and the like are not files. */
	if (text[0] != '/' || text[1] == '/' || strnlen(text, PATH_MAX) == PATH_MAX)
		return NULL;
	return et_strndup(text, et_mapped_length(text));
}

void et_perf_maps_add_id(struct et_perf_maps *m, const char *line)
{
	struct et_build_id id;

	if (!parse_id(&line, &id) || *line++ != ' ')
		return;
	ET_AUTO_FREE char *path = path_of(line);
	struct identified *known = path ? find_id(m, path, true) : NULL;
	if (known)
		known->id = id;
}

/* --- records --- */

/* Skips the text, or returns false. */
static bool skip(const char **p, const char *text)
{
	size_t n = strlen(text);

	if (strncmp(*p, text, n) != 0)
		return false;
	*p += n;
	return true;
}

static bool parse_task(const char **p, pid_t *out)
{
	uint64_t number;

	if (!et_reader_digits(p, 10, &number) || number > INT_MAX)
		return false;
	*out = (pid_t)number;
	return true;
}

/* Parses "[0x55f360422000(0x1000) @ 0x1000". */
static bool parse_range(const char **p, struct et_mapping *out)
{
	return skip(p, "[") && et_reader_whole(p, &out->start) && skip(p, "(") &&
	       et_reader_whole(p, &out->length) && skip(p, ") @ ") &&
	       et_reader_whole(p, &out->offset);
}

/*
 * Parses "30178/30178: [0x55f360422000(0x1000) @ 0x1000 fe:00 109527 16141]: r-xp /usr/bin/prog",
 * which has "<291c2e…>" in place of the device if the kernel recorded the build id.
 */
static void apply_mapping(struct et_perf_maps *m, const char *p)
{
	struct et_mapping mapping = { 0 };
	struct et_build_id id = { 0 };
	pid_t process, thread;

	if (!parse_task(&p, &process) || !skip(&p, "/") || !parse_task(&p, &thread) ||
		!skip(&p, ": ") || !parse_range(&p, &mapping))
		return;
	if (skip(&p, " <") && !parse_id(&p, &id))
		return;
	p += strcspn(p, "]");
	size_t rights = skip(&p, "]: ") ? strcspn(p, " ") : 0;
	if (!memchr(p, 'x', rights) || p[rights] != ' ')
		return;
	ET_AUTO_FREE char *path = path_of(p + rights + 1);
	if (!path)
		return;
	struct identified *known = find_id(m, path, id.size > 0);
	if (!known)
		return;
	if (id.size)
		known->id = id;
	mapping.path = path;
	mapping.build_id = known->id.bytes;
	mapping.build_id_size = known->id.size;
	et_spaces_map(m->spaces, process, &mapping);
}

/* Parses "(30178:30179):(30164:30164)": the new task and its parent, each with its thread. */
static void apply_fork(struct et_perf_maps *m, const char *p)
{
	pid_t process, thread, parent;

	if (!skip(&p, "(") || !parse_task(&p, &process) || !skip(&p, ":") ||
		!parse_task(&p, &thread) || !skip(&p, "):(") || !parse_task(&p, &parent))
		return;
	*(uint64_t *)et_hash_put(&m->threads, (uint64_t)thread + 1) = (uint64_t)process;
	et_spaces_fork(m->spaces, process, parent);
}

/* Parses "NAME:30178/30178". */
static void apply_exec(struct et_perf_maps *m, const char *p)
{
	const char *colon = strrchr(p, ':');
	pid_t process;

	if (!colon++ || !parse_task(&colon, &process) || *colon != '/')
		return;
	et_spaces_forget(m->spaces, process);
}

void et_perf_maps_apply(struct et_perf_maps *m, const char *record)
{
	const char *p = record;

	if (skip(&p, "PERF_RECORD_MMAP2 ") || skip(&p, "PERF_RECORD_MMAP "))
		apply_mapping(m, p);
	else if (skip(&p, "PERF_RECORD_FORK"))
		apply_fork(m, p);
	else if (skip(&p, "PERF_RECORD_COMM exec: "))
		apply_exec(m, p);
}

/* --- functions --- */

/* Finds the offset in the file. */
static bool locate(struct et_perf_maps *m, const struct et_perf_place *place, uint64_t *offset)
{
	const uint64_t *process = et_hash_find(&m->threads, (uint64_t)(uint32_t)place->task + 1);
	uint64_t address = place->address - (place->is_caller && place->address ? 1 : 0);
	struct et_mapping in;
	bool is_mapped = et_spaces_find(
		m->spaces, process ? (pid_t)*process : place->task, place->path, address, &in);

	*offset = is_mapped ? address - in.start + in.offset : address;
	/* A large program that is not position-independent has offsets that are also addresses. */
	if (is_mapped && place->may_be_offset)
		return address - in.offset >= in.length;
	return is_mapped || place->may_be_offset;
}

const struct et_profile_function *et_perf_maps_find(
	struct et_perf_maps *m, const struct et_perf_place *place, bool *at_entry)
{
	uint64_t offset;
	const struct identified *known = find_id(m, place->path, false);
	struct et_resolved found;

	if (!known || !locate(m, place, &offset))
		return NULL;
	const struct et_mapping file = {
		.path = place->path, .build_id = known->id.bytes, .build_id_size = known->id.size
	};
	et_spaces_resolve_offset(m->spaces, &file, offset, &found);
	*at_entry = found.at_entry;
	return &m->profile->functions[found.functions[0]];
}
