/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inputs of whole programs have the requested size and are always the same; command lines. */
#include "put/subject.h"
#include "base/base.h"
#include "tap.h"

#include <ctype.h>
#include <endian.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>

static const struct et_subject *named(const char *name)
{
	const struct et_subject *s = et_subject_find(name);

	ok(s != NULL, "find: %s is in the table", name);
	return s ? s : et_subjects;
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
		ok(n > 20 && n == again && !memcmp(a, b, n), "%s: the input is the same each time",
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
	ET_AUTO_FREE char *cnf = written(named("minisat"), 100, &n);
	ok(!strncmp(cnf, "p cnf 100 426\n", 14) && count(cnf, " 0\n") == 426,
		"minisat: 4.26 clauses per variable");
	ET_AUTO_FREE char *lp = written(named("glpsol"), 9, &n);
	ok(count(lp, " r") == 9 && count(lp, "x8") == 10, "glpsol: nine rows of nine variables");
	ET_AUTO_FREE char *graph = written(named("dot"), 10, &n);
	ok(count(graph, " -> n") == 9 + 3, "dot: ten nodes, all connected");
	ET_AUTO_FREE char *pi = written(named("bc"), 50, &n);
	is_str(pi, "scale = 50\n4 * a(1)\nquit\n", "bc: fifty digits of pi");
	ET_AUTO_FREE char *sql = written(named("sqlite3"), 7, &n);
	ok(count(sql, "i < 7000)") == 1, "sqlite3: seven thousand rows");
	ET_AUTO_FREE char *circuit = written(named("ngspice"), 4, &n);
	ok(count(circuit, "\nd") == 4 && count(circuit, ".end\n") == 1, "ngspice: four stages");
	ET_AUTO_FREE char *sound = written(named("flac"), 2, &n);
	uint32_t bytes;
	memcpy(&bytes, sound + 40, sizeof(bytes)); /* a WAV file is little-endian */
	ok(n == 44 + 2 * 2 * 44100 && !memcmp(sound, "RIFF", 4) && le32toh(bytes) == n - 44,
		"flac: two seconds of sound");
	ET_AUTO_FREE char *picture = written(named("cwebp"), 21, &n);
	ok(n == 21 * 21 + 2 * 11 * 11, "cwebp: a picture of 21 by 21 pixels");
	ET_AUTO_FREE char *video = written(named("x264"), 2, &n);
	ok(n == 2 * 176 * 144 * 3 / 2 && memcmp(video, video + n / 2, n / 2),
		"x264: two frames that differ");
}

static void test_table(void)
{
	size_t others = 0;

	for (const struct et_subject *s = et_subjects; s->name; s++) {
		bool unique = true, ascend = true;
		for (const struct et_subject *t = et_subjects; t < s; t++)
			unique = unique && strcmp(s->name, t->name) && strcmp(s->field, t->field);
		for (int i = 1; i < ET_SUBJECT_SIZES; i++)
			ascend = ascend && s->seconds[i - 1] < s->seconds[i];
		ok(unique, "%s: no other program has its name or field", s->name);
		ok(ascend && s->seconds[0] >= 0.1 && s->seconds[2] <= 60,
			"%s: runs take 0.1 s to a minute", s->name);
		ok(!s->program == !s->package, "%s: the package of the program is known", s->name);
		others += s->program != NULL;
	}
	ok(others >= 15, "table: %zu programs of the distribution", others);
	ok(!et_subject_find("doom"), "find: an unknown name is NULL");
}

static void test_sizes(void)
{
	const struct et_subject *sort = named("sort"), *gcc = named("gcc");
	uint64_t sizes[ET_SUBJECT_MOST];

	ok(et_subject_choose(sort, 1 << ET_SIZE_LARGE | 1 << ET_SIZE_SMALL, sizes) == 2 &&
			sizes[0] == sort->sizes[0] && sizes[1] == sort->sizes[2],
		"choose: small and large");
	ok(et_subject_choose(sort, 1 << ET_SIZE_PAPER, sizes) == 6 && sizes[0] == 100000 &&
			sizes[5] == 3200000,
		"choose: the papers sort 100K to 3200K integers");
	ok(et_subject_choose(named("matc"), 1 << ET_SIZE_PAPER, sizes) == 4 && sizes[0] == 1024 &&
			sizes[3] == 8192,
		"choose: the papers multiply matrices of 1K to 8K rows");
	ok(et_subject_choose(gcc, 1 << ET_SIZE_PAPER, sizes) == 0,
		"choose: a program that is not in the papers has none of their sizes");
	ok(et_subject_choose(gcc, 1 << ET_SIZE_CURVE, sizes) == 3 && sizes[2] == gcc->sizes[2],
		"choose: the curve of another program has its three sizes");
	size_t n = et_subject_choose(sort, (1 << ET_SIZE_SETS) - 1, sizes);
	bool ascend = n >= 8;
	for (size_t i = 1; i < n; i++)
		ascend = ascend && sizes[i - 1] < sizes[i];
	ok(ascend, "choose: all sets together are %zu different sizes in ascending order", n);
	for (int i = 0; i < ET_SUBJECT_SIZES; i++)
		ok(fabs(et_subject_seconds(gcc, gcc->sizes[i]) / gcc->seconds[i] - 1) < 1e-9,
			"seconds: size %d of the table takes what the table has", i);
	double twice = et_subject_seconds(sort, 800000) / et_subject_seconds(sort, 400000);
	ok(twice > 3.5 && twice < 4.5, "seconds: twice the integers take %.2f times as long",
		twice);
	const struct et_subject *matc = named("matc");
	twice = et_subject_seconds(matc, 8192) / et_subject_seconds(matc, 4096);
	ok(fabs(twice - 8) < 1e-9, "seconds: twice the rows take %.2f times as long", twice);
	ok(fabs(et_subject_seconds(matc, matc->sizes[2]) / matc->seconds[2] - 1) < 1e-9,
		"seconds: the largest size of the table takes what the table has");
}

static void test_commands(void)
{
	ET_AUTO_FREE char *sort = et_subject_command(named("sort"), 20000, "/a b/etalon", "/none");
	ET_AUTO_FREE char *gcc = et_subject_command(named("gcc"), 30, "/bin/gcc", "/tmp/x");
	ET_AUTO_FREE char *pov = et_subject_command(named("povray"), 160, "povray", "/tmp/x");

	is_str(sort, "'/a b/etalon' put sort --size 20000", "command: etalon itself, quoted");
	is_str(gcc, "/bin/gcc -O2 -S -o /tmp/x/gcc-out /tmp/x/gcc-30-functions.c",
		"command: input and output files are filled in");
	is_str(pov,
		"povray +I/tmp/x/povray-160-scene.pov +O/tmp/x/povray-out +W160 +H160 -D +WT1 +A",
		"command: placeholders within words are filled in");
}

static void test_prepare(void)
{
	char folder[] = "/tmp/etalon-subject.XXXXXX";
	struct et_error err;
	struct stat st;

	ok(mkdtemp(folder) != NULL, "prepare: a folder is created");
	ET_AUTO_FREE char *path = et_asprintf("%s/bzip2-64-text", folder);
	ok(et_subject_prepare(named("sort"), 5, "/none", &err) == 0,
		"prepare: sort needs no input");
	ok(et_subject_prepare(named("bzip2"), 64, folder, &err) == 0,
		"prepare: the input of bzip2 is created");
	ok(stat(path, &st) == 0 && st.st_size == 64 * 1024,
		"prepare: the input has the name and size that the command expects");
	ok(et_subject_prepare(named("bzip2"), 64, folder, &err) == -EEXIST,
		"prepare: an existing file is not overwritten");
	ok(et_subject_prepare(named("bzip2"), 64, "/none", &err) == -ENOENT,
		"prepare: a missing folder is -ENOENT");
	ok(err.exit == ET_EXIT_OUTSIDE && strstr(err.what, "/none/bzip2-64-text"),
		"prepare: the error names the file");
	unlink(path);
	rmdir(folder);
}

int main(void)
{
	test_inputs();
	test_table();
	test_sizes();
	test_commands();
	test_prepare();
	return tap_done();
}
