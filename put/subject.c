/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "put/subject.h"
#include "base/alloc.h"
#include "base/parse.h"
#include "put/work.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

const char *const et_subject_sizes[] = { "small", "medium", "large", NULL };

enum { SEED = 1, BATCH = 4096 };

/* A source of random numbers, which are generated in batches. */
struct dice {
	int32_t values[BATCH];
	size_t next;
	uint64_t seed;
};

static unsigned roll(struct dice *d, unsigned below)
{
	if (d->next % BATCH == 0)
		et_random_ints(d->values, BATCH, SEED + d->seed++);
	return (unsigned)d->values[d->next++ % BATCH] % below;
}

/* Rolls n numbers in a defined order; C does not define that of the arguments of a call. */
static void roll_all(struct dice *d, unsigned *out, size_t n, unsigned below)
{
	for (size_t i = 0; i < n; i++)
		out[i] = roll(d, below);
}

/* Writes a text of that many KiB that can be compressed: some letters are more frequent. */
static void write_text(FILE *out, uint64_t kib)
{
	struct dice d = { 0 };
	uint64_t left = kib * 1024;

	while (left) {
		unsigned letters = 2 + roll(&d, 8);
		for (unsigned i = 0; i < letters && left; i++, left--)
			putc("etaoinshrdlu"[roll(&d, 1 + roll(&d, 12))], out);
		if (left) {
			putc(roll(&d, 12) ? ' ' : '\n', out);
			left--;
		}
	}
}

/* Writes C functions, no two alike. */
static void write_c(FILE *out, uint64_t functions)
{
	struct dice d = { 0 };

	for (uint64_t i = 0; i < functions; i++) {
		unsigned k[6];
		roll_all(&d, k, ET_LENGTH(k), 64);
		fprintf(out,
			"int f%" PRIu64 "(int n, const int *a)\n{\n\tint s = %u;\n\n"
			"\tfor (int i = 0; i < n; i++) {\n"
			"\t\tif (a[i] %% %u == %u)\n\t\t\ts += a[i] * %u;\n"
			"\t\telse\n\t\t\ts ^= a[(i + %u) %% n] << %u;\n\t}\n\treturn s;\n}\n",
			i, k[0], 2 + k[1], k[2], k[3], k[4], k[5] % 8);
	}
}

/* Writes a sieve of Eratosthenes in Perl. */
static void write_perl(FILE *out, uint64_t size)
{
	(void)size;
	fputs("my $n = shift;\nmy @out = (0) x ($n + 1);\nmy $count = 0;\n"
	      "for my $i (2 .. $n) {\n\tnext if $out[$i];\n\t$count++;\n"
	      "\tfor (my $j = $i * $i; $j <= $n; $j += $i) { $out[$j] = 1; }\n}\n"
	      "print \"$count\\n\";\n",
		out);
}

/* Writes proteins of 200 residues; the program compares each with all. */
static void write_proteins(FILE *out, uint64_t proteins)
{
	struct dice d = { 0 };

	for (uint64_t i = 0; i < proteins; i++) {
		fprintf(out, ">p%" PRIu64 "\n", i);
		for (int k = 0; k < 200; k++)
			putc("ACDEFGHIKLMNPQRSTVWY"[roll(&d, 20)], out);
		putc('\n', out);
	}
}

/* Writes a scene of mirrors on a checkered floor; size is that of the rendered picture. */
static void write_scene(FILE *out, uint64_t size)
{
	struct dice d = { 0 };

	(void)size;
	fputs("camera { location <0, 4, -9> look_at 0 }\n"
	      "light_source { <10, 20, -20> rgb 1 }\n"
	      "plane { y, -1 pigment { checker rgb 1 rgb 0.2 } finish { reflection 0.3 } }\n",
		out);
	for (int i = 0; i < 25; i++) {
		unsigned k[4];
		roll_all(&d, k, ET_LENGTH(k), 100);
		fprintf(out,
			"sphere { <%d, %u/100, %d>, 0.8 pigment { rgb <%u/100, %u/100, %u/100> } "
			"finish { reflection 0.4 phong 1 } }\n",
			2 * (i % 5) - 4, k[0], 2 * (i / 5) - 4, k[1], k[2], k[3]);
	}
}

/* Writes frames of 176 by 144 in YUV 4:2:0: a moving pattern with noise. */
static void write_video(FILE *out, uint64_t frames)
{
	enum { WIDTH = 176, HEIGHT = 144 };
	struct dice d = { 0 };

	for (unsigned f = 0; f < frames; f++) {
		for (unsigned i = 0; i < WIDTH * HEIGHT; i++) {
			unsigned x = i % WIDTH + 2 * f, y = i / WIDTH + f;
			putc((int)((x * y / 16 + roll(&d, 8)) & 0xff), out);
		}
		for (unsigned i = 0; i < WIDTH * HEIGHT / 2; i++)
			putc((int)((i / 3 + f) & 0xff), out);
	}
}

const struct et_subject et_subjects[] = {
	{ "sort", NULL, { 5000, 20000, 40000 }, NULL, NULL, { "put", "sort", "--size", "{size}" } },
	{ "matc", NULL, { 150, 400, 700 }, NULL, NULL, { "put", "matc", "--size", "{size}" } },
	{ "matr", NULL, { 150, 400, 700 }, NULL, NULL, { "put", "matr", "--size", "{size}" } },
	{ "bzip2", "bzip2", { 256, 2048, 8192 }, "text", write_text, { "-9", "-c", "{in}" } },
	{ "gcc", "gcc", { 10, 60, 240 }, "functions.c", write_c,
		{ "-O2", "-S", "-o", "{out}", "{in}" } },
	{ "perl", "perl", { 200000, 1000000, 3000000 }, "sieve.pl", write_perl,
		{ "{in}", "{size}" } },
	{ "gnugo", "gnugo", { 1, 4, 16 }, NULL, NULL,
		{ "--seed", "1", "--boardsize", "9", "--level", "5", "--benchmark", "{size}" } },
	{ "hmmer", "phmmer", { 8, 24, 48 }, "proteins.fa", write_proteins,
		{ "--cpu", "0", "--seed", "1", "-o", "{out}", "{in}", "{in}" } },
	{ "povray", "povray", { 160, 320, 640 }, "scene.pov", write_scene,
		{ "+I{in}", "+O{out}", "+W{size}", "+H{size}", "-D", "+WT1", "+A" } },
	{ "x264", "x264", { 10, 50, 150 }, "video.yuv", write_video,
		{ "--quiet", "--threads", "1", "--input-res", "176x144", "--fps", "25", "-o",
			"{out}", "{in}" } },
	{ 0 },
};

/* Each size has an input file of its own, because runs of all sizes alternate. */
static char *input_path(const struct et_subject *s, int size, const char *folder)
{
	return et_asprintf("%s/%s-%s", folder, et_subject_sizes[size], s->input);
}

int et_subject_prepare(
	const struct et_subject *s, int size, const char *folder, struct et_error *err)
{
	if (!s->input)
		return 0;
	ET_AUTO_FREE char *path = input_path(s, size, folder);
	FILE *out = fopen(path, "wxe");
	if (!out)
		return et_fail_file(err, errno, ET_EXIT_OUTSIDE, path);
	s->write(out, s->sizes[size]);
	bool failed = ferror(out);
	if (fclose(out) || failed)
		return et_fail_file(err, errno, ET_EXIT_OUTSIDE, path);
	return 0;
}

/* Replaces name in the word by value, if it is there. Frees the word or returns it. */
static char *fill(char *word, const char *name, const char *value)
{
	char *at = strstr(word, name);

	if (!at)
		return word;
	char *filled = et_asprintf("%.*s%s%s", (int)(at - word), word, value, at + strlen(name));
	free(word);
	return filled;
}

char *et_subject_command(
	const struct et_subject *s, int size, const char *program, const char *folder)
{
	char *argv[ET_LENGTH(s->words) + 2] = { et_strdup(program) };
	ET_AUTO_FREE char *in = s->input ? input_path(s, size, folder) : et_strdup("");
	ET_AUTO_FREE char *out = et_asprintf("%s/%s-out", folder, s->name);
	ET_AUTO_FREE char *number = et_asprintf("%" PRIu64, s->sizes[size]);
	size_t n = 1;

	for (size_t i = 0; i < ET_LENGTH(s->words) && s->words[i]; i++) {
		char *word = fill(et_strdup(s->words[i]), "{in}", in);
		word = fill(word, "{out}", out);
		argv[n++] = fill(word, "{size}", number);
	}
	char *line = et_join_words(argv);
	for (size_t i = 0; i < n; i++)
		free(argv[i]);
	return line;
}
