/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/symbols/kernel.h"
#include "base/alloc.h"
#include "base/lines.h"
#include "profile/symbols/place.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>

/* Names of kernel symbols have at most 511 bytes. */
enum { LONGEST_LINE = 4096, MOST_MODULES = 10000 };

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
static void add_line(struct et_kernel *k, char *line)
{
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

static void read_symbols(struct et_kernel *k)
{
	FILE *in = k->fd >= 0 ? fdopen(k->fd, "r") : NULL;
	struct et_lines lines = { .in = in, .longest = LONGEST_LINE };
	char *line;
	size_t length;

	if (in) {
		while (et_lines_next(&lines, &line, &length) == 1)
			add_line(k, line);
		et_lines_free(&lines);
		fclose(in);
		k->fd = -1;
	}
	et_symbols_finish(&k->symbols);
}

void et_kernel_resolve(
	struct et_kernel *k, struct et_profile *profile, uint64_t address, struct et_resolved *out)
{
	struct et_profile_place place = { "[kernel]", "[kernel]", ET_SPACE_KERNEL,
		.unnamed = true };
	uint32_t *number = &k->nameless;

	if (k->fd >= 0)
		read_symbols(k);
	*out = (struct et_resolved){ .n = 1 };
	struct et_symbol *symbol = et_symbols_find(&k->symbols, address);
	if (symbol) {
		place.name = et_symbols_name(&k->symbols, symbol);
		place.module = k->modules[symbol->owner];
		place.unnamed = false;
		place.distance = address - symbol->start;
		number = &symbol->function;
		out->at_entry = !place.distance;
	} else {
		place.distance = address;
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
