/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "put/subject.h"
#include "base/parse.h"

/* No program here takes longer than the cube of a size beyond the table: products of matrices. */
static const double STEEPEST = 3;

const char *const et_subject_sizes[] = { "small", "medium", "large", "curve", "paper", NULL };

#define COUNT_WORDS                                                                                \
	"{ for (i = 1; i <= NF; i++) n[$i]++ } "                                                   \
	"END { for (w in n) if (n[w] > most) { most = n[w]; word = w } print word, most }"

/*
 * To add a row: man/etalon-lab.1.scd, and its package in tools/install-deps.
 * clang-format off: one row per program, its sizes together
 */
const struct et_subject et_subjects[] = {
	{ "sort", "sorting", "integers", NULL, NULL, { 50000, 150000, 400000 }, { 0.21, 1.9, 14 },
		{ 25000, 50000, 100000, 200000, 400000 },
		{ 100000, 200000, 400000, 800000, 1600000, 3200000 }, NULL, NULL,
		{ "put", "sort", "--size", "{size}" }, NULL },
	{ "matc", "matrix product by columns", "rows", NULL, NULL, { 500, 1000, 1500 },
		{ 0.16, 4, 25 }, { 250, 400, 600, 800, 1000 }, { 1024, 2048, 4096, 8192 }, NULL,
		NULL, { "put", "matc", "--size", "{size}" }, NULL },
	{ "matr", "matrix product by rows", "rows", NULL, NULL, { 700, 1500, 3000 },
		{ 0.17, 1.8, 15 }, { 400, 700, 1000, 1500, 2000 }, { 1024, 2048, 4096, 8192 }, NULL,
		NULL, { "put", "matr", "--size", "{size}" }, NULL },
	{ "bzip2", "compression", "KiB of text", "bzip2", "bzip2", { 2048, 20480, 163840 },
		{ 0.18, 1.7, 14 }, { 0 }, { 0 }, "text", et_write_text, { "-9", "-c", "{in}" },
		NULL },
	{ "gcc", "compiler", "functions", "gcc", "gcc", { 30, 300, 3000 }, { 0.18, 1.4, 14 }, { 0 },
		{ 0 }, "functions.c", et_write_c, { "-O2", "-S", "-o", "{out}", "{in}" }, NULL },
	{ "perl", "interpreter", "thousands of a sieve", "perl", "perl", { 500, 5000, 40000 },
		{ 0.16, 1.7, 14 }, { 0 }, { 0 }, "sieve.pl", et_write_sieve,
		{ "{in}", "{size}000" }, NULL },
	{ "gnugo", "game of Go", "moves", "gnugo", "gnugo", { 2, 8, 50 }, { 0.2, 1.2, 17 }, { 0 },
		{ 0 }, NULL, NULL,
		{ "--seed", "1", "--boardsize", "19", "--level", "10", "--benchmark", "{size}" },
		NULL },
	{ "hmmer", "search for proteins", "proteins", "phmmer", "hmmer", { 12, 120, 900 },
		{ 0.17, 1.8, 15 }, { 0 }, { 0 }, "proteins.fa", et_write_proteins,
		{ "--cpu", "0", "--seed", "1", "-o", "{out}", "{in}", "{in}" }, NULL },
	{ "povray", "ray tracing", "pixels across", "povray", "povray", { 160, 650, 2400 },
		{ 0.18, 1.6, 15 }, { 0 }, { 0 }, "scene.pov", et_write_scene,
		{ "+I{in}", "+O{out}", "+W{size}", "+H{size}", "-D", "+WT1", "+A" }, NULL },
	{ "x264", "video compression", "frames", "x264", "x264", { 20, 150, 1200 }, { 0.2, 2, 17 },
		{ 0 }, { 0 }, "video.yuv", et_write_video,
		{ "--quiet", "--preset", "veryslow", "--threads", "1", "--demuxer", "raw",
			"--input-res", "176x144", "--fps", "25", "-o", "{out}", "{in}" },
		NULL },
	{ "cwebp", "picture compression", "pixels across", "cwebp", "webp", { 700, 2200, 7000 },
		{ 0.18, 1.9, 19 }, { 0 }, { 0 }, "picture.yuv", et_write_picture,
		{ "-quiet", "-m", "6", "-s", "{size}", "{size}", "{in}", "-o", "{out}" }, NULL },
	{ "flac", "sound compression", "seconds", "flac", "flac", { 8, 80, 700 }, { 0.18, 1.9, 16 },
		{ 0 }, { 0 }, "sound.wav", et_write_audio,
		{ "--totally-silent", "-8", "-e", "-p", "-f", "-o", "{out}", "{in}" }, NULL },
	{ "espeak", "speech synthesis", "KiB of text", "espeak-ng", "espeak-ng", { 4, 40, 300 },
		{ 0.2, 1.9, 15 }, { 0 }, { 0 }, "text", et_write_text, { "--stdout", "-f", "{in}" },
		NULL },
	{ "sqlite3", "database", "thousand rows", "sqlite3", "sqlite3", { 25, 75, 210 },
		{ 0.2, 1.9, 15 }, { 0 }, { 0 }, "join.sql", et_write_sql,
		{ "-init", "{in}", ":memory:", "select 1" }, NULL },
	{ "mawk", "text processing", "KiB of text", "mawk", "mawk", { 1536, 8192, 51200 },
		{ 0.2, 1.6, 15 }, { 0 }, { 0 }, "text", et_write_text, { COUNT_WORDS, "{in}" },
		NULL },
	{ "bc", "arithmetic of many digits", "digits of pi", "bc", "bc", { 900, 2300, 5200 },
		{ 0.17, 1.8, 16 }, { 0 }, { 0 }, "pi.bc", et_write_pi, { "-q", "-l", "{in}" },
		NULL },
	{ "lua", "motion of planets", "thousand steps", "lua5.4", "lua5.4", { 80, 800, 7000 },
		{ 0.18, 1.9, 17 }, { 0 }, { 0 }, "planets.lua", et_write_bodies,
		{ "{in}", "{size}000" }, NULL },
	{ "glpsol", "linear programming", "variables", "glpsol", "glpk-utils", { 400, 900, 2000 },
		{ 0.2, 1.6, 16 }, { 0 }, { 0 }, "program.lp", et_write_lp,
		{ "--lp", "{in}", "-o", "{out}" }, NULL },
	{ "minisat", "satisfiability", "variables", "minisat", "minisat", { 210, 250, 300 },
		{ 0.15, 1.5, 19 }, { 0 }, { 0 }, "clauses.cnf", et_write_clauses,
		{ "-verb=0", "{in}" }, "10,20" },
	{ "dot", "layout of graphs", "nodes", "dot", "graphviz", { 700, 1700, 3500 },
		{ 0.18, 1.7, 17 }, { 0 }, { 0 }, "graph.dot", et_write_graph,
		{ "-Tdot", "-o", "{out}", "{in}" }, NULL },
	{ "ngspice", "circuit simulation", "stages", "ngspice", "ngspice", { 250, 2500, 20000 },
		{ 0.17, 1.8, 15 }, { 0 }, { 0 }, "ladder.cir", et_write_circuit,
		{ "-b", "-o", "{out}", "{in}" }, NULL },
	{ "openssl", "cryptography", "thousand rounds", "openssl", "openssl", { 700, 7000, 60000 },
		{ 0.17, 1.8, 16 }, { 0 }, { 0 }, NULL, NULL,
		{ "kdf", "-keylen", "32", "-kdfopt", "digest:SHA256", "-kdfopt", "pass:etalon",
			"-kdfopt", "salt:put", "-kdfopt", "iter:{size}000", "PBKDF2" },
		NULL },
	{ 0 },
};
/* clang-format on */

const struct et_subject *et_subject_find(const char *name)
{
	for (const struct et_subject *s = et_subjects; s->name; s++) {
		if (!strcmp(s->name, name))
			return s;
	}
	return NULL;
}

static size_t add_size(uint64_t *sizes, size_t n, uint64_t size)
{
	size_t at = n;

	while (at && sizes[at - 1] > size)
		at--;
	if (at && sizes[at - 1] == size)
		return n;
	memmove(&sizes[at + 1], &sizes[at], (n - at) * sizeof(*sizes));
	sizes[at] = size;
	return n + 1;
}

size_t et_subject_choose(const struct et_subject *s, unsigned sets, uint64_t *out)
{
	bool curve = sets >> ET_SIZE_CURVE & 1, paper = sets >> ET_SIZE_PAPER & 1;
	size_t n = 0;

	for (int i = 0; i < ET_SUBJECT_SIZES; i++) {
		if ((sets >> i & 1) || (curve && !s->curve[0]))
			n = add_size(out, n, s->sizes[i]);
	}
	for (int i = 0; curve && i < ET_SUBJECT_CURVE && s->curve[i]; i++)
		n = add_size(out, n, s->curve[i]);
	for (int i = 0; paper && i < ET_SUBJECT_CURVE && s->paper[i]; i++)
		n = add_size(out, n, s->paper[i]);
	return n;
}

double et_subject_seconds(const struct et_subject *s, uint64_t size)
{
	int i = size > s->sizes[1]; /* between the first two sizes, or the last two */
	double from = log((double)s->sizes[i]), to = log((double)s->sizes[i + 1]);
	double slope = log(s->seconds[i + 1] / s->seconds[i]) / (to - from);

	/* Where the data outgrow a cache, the slope is steeper than it is beyond. */
	if (size > s->sizes[i + 1])
		return s->seconds[i + 1] * exp(fmin(slope, STEEPEST) * (log((double)size) - to));
	return s->seconds[i] * exp(slope * (log((double)size) - from));
}

/* Each size has an input file of its own, because runs of all sizes alternate. */
static char *input_path(const struct et_subject *s, uint64_t size, const char *folder)
{
	return et_asprintf("%s/%s-%" PRIu64 "-%s", folder, s->name, size, s->input);
}

int et_subject_prepare(
	const struct et_subject *s, uint64_t size, const char *folder, struct et_error *err)
{
	if (!s->input)
		return 0;
	ET_AUTO_FREE char *path = input_path(s, size, folder);
	FILE *out = fopen(path, "wxe");
	if (!out)
		return et_fail_file(err, errno, ET_EXIT_OUTSIDE, path);
	s->write(out, size);
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
	const struct et_subject *s, uint64_t size, const char *program, const char *folder)
{
	char *argv[ET_LENGTH(s->words) + 2] = { et_strdup(program) };
	ET_AUTO_FREE char *in = s->input ? input_path(s, size, folder) : et_strdup("");
	ET_AUTO_FREE char *out = et_asprintf("%s/%s-out", folder, s->name);
	ET_AUTO_FREE char *number = et_asprintf("%" PRIu64, size);
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
