/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/symbols/jit.h"
#include "base/alloc.h"
#include "base/lines.h"
#include "profile/symbols/place.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

enum {
	MOST_BYTES = 1 << 26, /* of a map file; more is not read */
	LONGEST_LINE = 1 << 16,
	/*
	 * A map that has changed is read again only after some look-ups without result, the more
	 * the larger it is, so that a compiler that writes all the time does not keep us busy. Code
	 * at a known address may have been replaced, too, which is looked for less often.
	 */
	SYMBOLS_PER_MISS = 2000,
	SYMBOLS_PER_HIT = 100,
	LEAST_HITS = 64,
};

static bool is_trusted(const struct et_jit *j, const struct stat *st, const char *root)
{
	struct stat owner;

	if (!S_ISREG(st->st_mode))
		return false;
	if (st->st_uid == 0 || st->st_uid == geteuid() || st->st_uid == j->user)
		return true;
	ET_AUTO_FREE char *folder = et_asprintf("%s/proc/%d", root, (int)j->process);
	return stat(folder, &owner) == 0 && owner.st_uid == st->st_uid;
}

/* Returns the descriptor of the map, or -1 if there is none that may be used. */
static int open_map(const struct et_jit *j, const char *root, struct stat *st)
{
	ET_AUTO_FREE char *path = et_asprintf("%s/tmp/perf-%d.map", root, (int)j->process);
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);

	if (fd < 0)
		return -1;
	if (fstat(fd, st) == 0 && is_trusted(j, st, root))
		return fd;
	close(fd);
	return -1;
}

/* "7f0000001000 40 name of the function" in hexadecimal */
static void add_line(struct et_symbols *t, const char *line)
{
	char *end;

	errno = 0;
	uint64_t start = strtoull(line, &end, 16);
	if (errno || end == line || *end != ' ')
		return;
	const char *size_text = end + 1;
	uint64_t size = strtoull(size_text, &end, 16);
	if (errno || end == size_text || *end != ' ' || !end[1])
		return;
	if (size && start + size > start) {
		/* The number of the symbol is its age: the later line counts. */
		struct et_symbol s = { .start = start,
			.end = start + size,
			.limit = UINT64_MAX,
			.owner = (uint32_t)t->n };
		et_symbols_add(t, &s, end + 1);
	}
}

static void read_map(struct et_jit *j, int fd)
{
	FILE *in = fdopen(fd, "r");
	struct et_lines lines = { .in = in, .longest = LONGEST_LINE };
	char *line;
	size_t length, bytes = 0;

	et_symbols_free(&j->symbols);
	j->symbols.last_wins = true;
	if (!in) {
		close(fd);
		return;
	}
	while (bytes < MOST_BYTES && et_lines_next(&lines, &line, &length) == 1) {
		add_line(&j->symbols, line);
		bytes += length + 1;
	}
	et_lines_free(&lines);
	fclose(in);
	et_symbols_finish(&j->symbols);
}

/* Reads the map if it has changed. */
static void refresh(struct et_jit *j, const char *root)
{
	struct stat st;

	j->misses = j->hits = 0;
	int fd = open_map(j, root, &st);
	if (fd < 0)
		return;
	if (j->read && et_is_same_file(&st, &j->seen)) {
		close(fd);
		return;
	}
	j->read = true;
	j->seen = st;
	read_map(j, fd);
}

static bool is_due(struct et_jit *j, bool found)
{
	if (!found)
		return ++j->misses * SYMBOLS_PER_MISS > j->symbols.n;
	return ++j->hits >= LEAST_HITS + j->symbols.n / SYMBOLS_PER_HIT;
}

bool et_jit_resolve(struct et_jit *j, const char *root, struct et_profile *profile,
	uint64_t address, struct et_resolved *out)
{
	struct et_symbol *symbol = et_symbols_find(&j->symbols, address);

	if (is_due(j, symbol)) {
		refresh(j, root);
		symbol = et_symbols_find(&j->symbols, address);
	}
	if (!symbol)
		return false;
	struct et_profile_place place = { .name = et_symbols_name(&j->symbols, symbol),
		.module = "[jit]",
		.space = ET_SPACE_JIT,
		.distance = address - symbol->start };
	*out = (struct et_resolved){ .n = 1, .at_entry = !place.distance };
	out->functions[0] = et_place_function(profile, &place, &symbol->function, NULL, 0);
	return true;
}

void et_jit_free(struct et_jit *j)
{
	if (!j)
		return;
	et_symbols_free(&j->symbols);
	free(j);
}
