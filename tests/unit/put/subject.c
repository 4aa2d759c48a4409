/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inputs of whole programs have the requested size and are always the same; command lines. */
#include "put/subject.h"
#include "base/alloc.h"
#include "tap.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

static const struct et_subject *named(const char *name)
{
	const struct et_subject *s = et_subjects;

	while (s->name && strcmp(s->name, name))
		s++;
	return s;
}

static char *written(const struct et_subject *s, uint64_t size, size_t *n)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, n);

	s->write(out, size);
	fclose(out);
	return text;
}

static size_t count(const char *text, const char *what)
{
	size_t n = 0;

	for (const char *at = strstr(text, what); at; at = strstr(at + 1, what))
		n++;
	return n;
}

static void test_inputs(void)
{
	size_t n, again;

	for (const struct et_subject *s = et_subjects; s->name; s++) {
		ok(s->sizes[0] < s->sizes[1] && s->sizes[1] < s->sizes[2], "%s: sizes ascend",
			s->name);
		if (!s->write)
			continue;
		ET_AUTO_FREE char *a = written(s, s->sizes[0], &n);
		ET_AUTO_FREE char *b = written(s, s->sizes[0], &again);
		ok(n > 100 && n == again && !memcmp(a, b, n), "%s: the input is the same each time",
			s->name);
	}
	ET_AUTO_FREE char *text = written(named("bzip2"), 3, &n);
	bool plain = true;
	for (size_t i = 0; i < n; i++)
		plain = plain &&
			(islower((unsigned char)text[i]) || isspace((unsigned char)text[i]));
	ok(n == 3072 && plain, "bzip2: three KiB of words");
	ET_AUTO_FREE char *c = written(named("gcc"), 7, &n);
	ok(count(c, "int f") == 7 && count(c, "return s;") == 7, "gcc: seven functions");
	ET_AUTO_FREE char *fasta = written(named("hmmer"), 5, &n);
	ok(count(fasta, ">p") == 5 && n == 5 * (4 + 201), "hmmer: five proteins of 200 residues");
	ET_AUTO_FREE char *video = written(named("x264"), 2, &n);
	ok(n == 2 * 176 * 144 * 3 / 2 && memcmp(video, video + n / 2, n / 2),
		"x264: two frames that differ");
}

static void test_commands(void)
{
	ET_AUTO_FREE char *sort = et_subject_command(named("sort"), 1, "/a b/etalon", "/none");
	ET_AUTO_FREE char *gcc = et_subject_command(named("gcc"), 0, "/bin/gcc", "/tmp/x");
	ET_AUTO_FREE char *pov = et_subject_command(named("povray"), 0, "povray", "/tmp/x");

	is_str(sort, "'/a b/etalon' put sort --size 20000", "command: etalon itself, quoted");
	is_str(gcc, "/bin/gcc -O2 -S -o /tmp/x/gcc-out /tmp/x/small-functions.c",
		"command: input and output files are filled in");
	is_str(pov, "povray +I/tmp/x/small-scene.pov +O/tmp/x/povray-out +W160 +H160 -D +WT1 +A",
		"command: placeholders within words are filled in");
}

static void test_prepare(void)
{
	char folder[] = "/tmp/etalon-subject.XXXXXX";
	struct et_error err;
	struct stat st;

	ok(mkdtemp(folder) != NULL, "prepare: a folder is created");
	ET_AUTO_FREE char *path = et_asprintf("%s/small-text", folder);
	ok(et_subject_prepare(named("sort"), 0, "/none", &err) == 0,
		"prepare: sort needs no input");
	ok(et_subject_prepare(named("bzip2"), 0, folder, &err) == 0,
		"prepare: the input of bzip2 is created");
	ok(stat(path, &st) == 0 && st.st_size == 256 * 1024,
		"prepare: the input has the name and size that the command expects");
	ok(et_subject_prepare(named("bzip2"), 0, folder, &err) == -EEXIST,
		"prepare: an existing file is not overwritten");
	ok(et_subject_prepare(named("bzip2"), 0, "/none", &err) == -ENOENT,
		"prepare: a missing folder is -ENOENT");
	ok(err.exit == ET_EXIT_OUTSIDE && strstr(err.what, "/none/small-text"),
		"prepare: the error names the file");
	unlink(path);
	rmdir(folder);
}

int main(void)
{
	test_inputs();
	test_commands();
	test_prepare();
	return tap_done();
}
