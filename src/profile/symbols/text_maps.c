/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions that lists of text name: those of the kernel, and those that a process generated. */
#include "base/lines.h"
#include "profile/symbols/module.h"

#include <ctype.h>
#include <fcntl.h>

/* Names of kernel symbols have at most 511 bytes. */
enum { LONGEST_LINE = 4096, MOST_MODULES = 10000 };

/* Reads the lines of a list up to this many bytes, and closes it. */
static void read_lines(
	int fd, size_t longest, size_t most, void (*add)(void *to, char *line), void *to)
{
	FILE *in = fdopen(fd, "r");
	struct et_lines lines = { .in = in, .longest = longest };
	char *line;
	size_t length, bytes = 0;

	if (!in) {
		close(fd);
		return;
	}
	while (bytes < most && et_lines_next(&lines, &line, &length) == 1) {
		add(to, line);
		bytes += length + 1;
	}
	et_lines_free(&lines);
	fclose(in);
}

void et_kernel_open(struct et_kernel *k, const char *root)
{
	ET_AUTO_FREE char *path = et_asprintf("%s/proc/kallsyms", root);

	*k = (struct et_kernel){ .fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) };
	k->nameless = ET_PROFILE_NONE;
	ET_GROW(k->modules, k->n_modules, k->modules_room);
	k->modules[k->n_modules++] = et_strdup("[kernel]");
}

/* The lines of one module follow one another. */
static uint32_t module_of(struct et_kernel *k, const char *name)
{
	if (!*name)
		return 0;
	if (!strcmp(k->modules[k->n_modules - 1], name))
		return (uint32_t)k->n_modules - 1;
	if (k->n_modules == MOST_MODULES)
		return 0;
	ET_GROW(k->modules, k->n_modules, k->modules_room);
	k->modules[k->n_modules] = et_strdup(name);
	return (uint32_t)k->n_modules++;
}

/* "ffffffff81000000 T _text", or "ffffffffc0000000 t setup\t[ext4]" */
static void add_line(void *to, char *line)
{
	struct et_kernel *k = to;
	char *end;

	errno = 0;
	uint64_t address = strtoull(line, &end, 16);
	if (errno || end == line || end[0] != ' ' || !end[1] || end[2] != ' ' || !end[3])
		return;
	char type = end[1], *name = end + 3, *module = strchr(name, '\t');
	/* Only code; kernel.kptr_restrict makes all addresses 0. "$x" marks code on ARM. */
	if (!address || !strchr("tTwW", type) || *name == '$')
		return;
	if (module)
		*module++ = '\0';
	struct et_symbol s = { .start = address, .end = address, .limit = UINT64_MAX };
	s.binding = type == 'W' || type == 'w'     ? ET_SYMBOL_WEAK
		    : isupper((unsigned char)type) ? ET_SYMBOL_GLOBAL
						   : ET_SYMBOL_LOCAL;
	s.owner = module_of(k, module ? module : "");
	et_symbols_add(&k->symbols, &s, name);
}

void et_kernel_resolve(
	struct et_kernel *k, struct et_profile *profile, uint64_t address, struct et_resolved *out)
{
	struct et_profile_place place = { "[kernel]", "[kernel]", ET_SPACE_KERNEL, true, address };
	uint32_t *number = &k->nameless;

	if (k->fd >= 0) {
		read_lines(k->fd, LONGEST_LINE, SIZE_MAX, add_line, k);
		k->fd = -1;
		et_symbols_finish(&k->symbols);
	}
	*out = (struct et_resolved){ .n = 1 };
	struct et_symbol *symbol = et_symbols_find(&k->symbols, address);
	if (symbol) {
		place.name = et_symbols_name(&k->symbols, symbol);
		place.module = k->modules[symbol->owner];
		place.unnamed = false;
		place.distance = address - symbol->start;
		number = &symbol->function;
		out->at_entry = !place.distance;
	}
	out->functions[0] = et_place_function(profile, &place, number, &k->by_address, address);
}

void et_kernel_close(struct et_kernel *k)
{
	if (k->fd >= 0)
		close(k->fd);
	et_symbols_free(&k->symbols);
	et_hash_free(&k->by_address);
	for (size_t i = 0; i < k->n_modules; i++)
		free(k->modules[i]);
	free(k->modules);
}

/* --- code that a process has generated --- */

enum {
	MOST_BYTES = 1 << 26, /* of a map file; more is not read */
	LONGEST_JIT_LINE = 1 << 16,
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
static void add_jit_line(void *to, char *line)
{
	struct et_symbols *t = to;
	char *end;

	errno = 0;
	uint64_t start = strtoull(line, &end, 16);
	if (errno || end == line || *end != ' ')
		return;
	const char *size_text = end + 1;
	uint64_t size = strtoull(size_text, &end, 16);
	if (errno || end == size_text || *end != ' ' || !end[1])
		return;
	/* The number of the symbol is its age: the later line counts. */
	const struct et_symbol s = {
		.start = start, .end = start + size, .limit = UINT64_MAX, .owner = (uint32_t)t->n
	};
	if (s.end > s.start)
		et_symbols_add(t, &s, end + 1);
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
	et_symbols_free(&j->symbols);
	j->symbols.last_wins = true;
	read_lines(fd, LONGEST_JIT_LINE, MOST_BYTES, add_jit_line, &j->symbols);
	et_symbols_finish(&j->symbols);
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
