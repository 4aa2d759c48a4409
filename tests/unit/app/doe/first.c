/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The first plan for a command: it can be read, and means the same command. Programs that are
 * linked with OpenMP, and files that only look like programs.
 */
#include "app/doe/doe.h"
#include "base/base.h"
#include "tap.h"

#include <fcntl.h>
#include <link.h>
#include <unistd.h>

static struct et_error err;

/* The plan for a command, which the caller frees; NULL: it is refused. */
static char *plan_for(const char *command)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	memset(&err, 0, sizeof(err));
	int rc = et_doe_write_first(command, out, &err);
	fclose(out);
	if (rc == 0)
		return text;
	free(text);
	return NULL;
}

static int read_plan(char *text, struct et_plan_file *p)
{
	ET_AUTO_FCLOSE FILE *in = fmemopen(text, strlen(text), "r");

	return et_plan_read(in, "p", p, &err);
}

/* The number after a word of the text. */
static unsigned long number_after(const char *text, const char *word)
{
	const char *at = strstr(text, word);

	return at ? strtoul(at + strlen(word), NULL, 10) : 0;
}

static void round_trip(const char *command, const char *program, bool shell)
{
	ET_AUTO_FREE char *text = plan_for(command);
	struct et_plan_file p;
	struct et_experiment *e = NULL;

	if (!ok(text, "first: '%s' has a plan", command)) {
		printf("# %s\n", err.what);
		return;
	}
	if (!ok(read_plan(text, &p) == 0, "first: the plan for '%s' can be read", command)) {
		printf("# %s\n", err.what);
		return;
	}
	is_str(p.design->programs[0].command, command, "first: it means the same command");
	is_str(p.design->programs[0].name, program, "first: it names the program");
	ok(p.design->n_treatments == number_after(text, "# all ") &&
			p.design->n_treatments * 31 == number_after(text, "each of them, "),
		"first: its comments count treatments and runs as the design does");
	ok(!strstr(text, "shell: sh") == !shell, "first: a shell is used if the command needs one");
	if (!ok(et_doe_make(&p, NULL, &e, &err) == 0, "first: it is an experiment"))
		printf("# %s\n", err.what);
	if (e)
		ok(e->n_commands == e->design->n_treatments, "first: of one program");
	et_experiment_free(e);
	et_plan_file_free(&p);
}

static void plans(void)
{
	round_trip("true", "true", false);
	round_trip("/bin/true \"--it's\" 'a b'", "true", false);
	round_trip("echo \"# not a comment: 'x'\" \xc3\xa9", "echo", false);
	round_trip("true | cat", "command", true);
	round_trip("cat { a } ${HOME}", "command", true);
	ok(!plan_for("no-such-program-here 1"), "first: a program that is absent is refused");
	ok(!plan_for("true {n}") && err.exit == ET_EXIT_USAGE && strstr(err.hint, "{ n }"),
		"first: a word that would be a factor is refused");
	ok(!plan_for("true \xff") && !plan_for("true\n") && !plan_for("true \x1b[31m"),
		"first: a command that is not one line of UTF-8 is refused");
	ok(!plan_for("true 'a"), "first: an open quote is refused");
}

/* --- OpenMP --- */

enum { NAMES = 0x200, SIZE = 0x300 };

/* A program that needs libraries, as small as the format allows. */
struct program {
	ElfW(Ehdr) head;
	ElfW(Phdr) load, dynamic;
	ElfW(Dyn) tags[4];
};

static void make_program(char bytes[SIZE], const char *library)
{
	struct program p = { 0 };

	memcpy(p.head.e_ident, ELFMAG, SELFMAG);
	p.head.e_ident[EI_CLASS] = sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32;
	p.head.e_phoff = offsetof(struct program, load);
	p.head.e_phnum = 2;
	p.load = (ElfW(Phdr)){ .p_type = PT_LOAD, .p_vaddr = 0x10000, .p_filesz = SIZE };
	p.dynamic.p_type = PT_DYNAMIC;
	p.dynamic.p_offset = offsetof(struct program, tags);
	p.tags[0] = (ElfW(Dyn)){ .d_tag = DT_NEEDED, .d_un.d_val = 1 };
	p.tags[1] = (ElfW(Dyn)){ .d_tag = DT_NEEDED, .d_un.d_val = 11 };
	p.tags[2] = (ElfW(Dyn)){ .d_tag = DT_STRTAB, .d_un.d_ptr = 0x10000 + NAMES };
	memset(bytes, 0, SIZE);
	memcpy(bytes, &p, sizeof(p));
	strcpy(bytes + NAMES + 1, "libm.so.6");
	strcpy(bytes + NAMES + 11, library);
}

static bool uses(const char *bytes, size_t size)
{
	char path[] = "/tmp/etalon-elf-XXXXXX";
	int fd = mkstemp(path);

	if (fd < 0 || write(fd, bytes, size) != (ssize_t)size)
		tap_bail("no file in /tmp");
	bool found = et_doe_uses_openmp(path);
	close(fd);
	unlink(path);
	return found;
}

static void openmp(void)
{
	static const struct {
		const char *library;
		bool is;
	} table[] = { { "libgomp.so.1", true }, { "libomp.so.5", true }, { "libiomp5.so", true },
		{ "libgomp-not.so", false }, { "libc.so.6", false }, { "", false } };
	static const size_t offsets[] = { offsetof(struct program, head.e_phoff),
		offsetof(struct program, head.e_phnum), offsetof(struct program, load.p_offset),
		offsetof(struct program, load.p_vaddr), offsetof(struct program, dynamic.p_offset),
		offsetof(struct program, tags[1].d_un.d_val),
		offsetof(struct program, tags[2].d_un.d_ptr) };
	char bytes[SIZE];

	for (size_t i = 0; i < ET_LENGTH(table); i++) {
		make_program(bytes, table[i].library);
		ok(uses(bytes, SIZE) == table[i].is, "openmp: '%s'", table[i].library);
	}
	make_program(bytes, "libgomp.so.1");
	size_t found = 0;
	for (size_t n = 0; n < NAMES + 11 + strlen("libgomp.so.1"); n++)
		found += uses(bytes, n);
	ok(found == 0,
		"openmp: a file that is cut off anywhere before the name is no such program");
	for (size_t i = 0; i < ET_LENGTH(offsets); i++) {
		make_program(bytes, "libgomp.so.1");
		memset(bytes + offsets[i], 0xff, 2);
		found += uses(bytes, SIZE);
	}
	ok(found == 0, "openmp: an offset beyond the file is no such program, and not followed");
	memcpy(bytes, "#!/bin/sh\n", 10);
	ok(!uses(bytes, SIZE) && !et_doe_uses_openmp("/nonexistent") && !et_doe_uses_openmp("/"),
		"openmp: a script, no file and a folder are no such program");
}

int main(void)
{
	plans();
	openmp();
	return tap_done();
}
