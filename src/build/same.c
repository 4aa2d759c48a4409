/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds builds that gave the same program. A makefile that does not notice changed options is the
 * usual cause, and the experiment would find no effect of them.
 */
#include "base/alloc.h"
#include "base/hash.h"
#include "build/folder.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

struct product {
	uint64_t bytes, hash; /* bytes is 0 if there is no such file */
	size_t program;
	uint32_t command;
};

static void read_product(const char *path, struct product *p)
{
	ET_AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode) || !st.st_size)
		return;
	char *text = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (text == MAP_FAILED)
		return;
	p->bytes = (uint64_t)st.st_size;
	p->hash = et_hash_bytes(text, p->bytes);
	munmap(text, p->bytes);
}

static void warn(
	const struct et_experiment *e, uint32_t a, uint32_t b, struct et_warnings *warnings)
{
	ET_AUTO_FREE char *first = et_doe_build_name(e->design, a);
	ET_AUTO_FREE char *second = et_doe_build_name(e->design, b);

	et_warn(warnings, ET_WARN_BUILDS_SAME, et_arg_text(first), et_arg_text(second));
}

void et_doe_build_compare(const struct et_experiment *e, struct et_warnings *warnings)
{
	const struct et_design *d = e->design;
	ET_AUTO_FREE struct product *list = et_calloc(e->n_commands, sizeof(*list));
	ET_AUTO_FREE bool *warned = et_calloc(d->n_programs, sizeof(*warned));
	struct et_hash seen = { .width = sizeof(uint64_t) };
	size_t n = 0;

	for (uint32_t c = 0; c < e->n_commands; c++) {
		ET_AUTO_FREE char *folder = et_doe_build_folder(e, c);
		const char *path = e->commands[c].argv[0];
		if (!folder || strncmp(path, folder, strlen(folder)))
			continue;
		uint64_t *known = et_hash_put(&seen, et_hash_text(path));
		if ((*known)++)
			continue;
		struct product *p = &list[n];
		*p = (struct product){ .program = et_design_program_of(d, c), .command = c };
		read_product(path, p);
		for (size_t i = 0; i < n && p->bytes && !warned[p->program]; i++) {
			if (list[i].program != p->program || list[i].bytes != p->bytes ||
				list[i].hash != p->hash)
				continue;
			warn(e, list[i].command, c, warnings);
			warned[p->program] = true;
		}
		n++;
	}
	et_hash_free(&seen);
}
