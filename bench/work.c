/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Programs that the benchmarks measure.
 *
 *   bench-work inc N            counts to N in a register
 *   bench-work timed FILE N     the same, then appends its CPU time in nanoseconds to a file
 *   bench-work forever          counts without end
 *   bench-work walk BYTES N     reads BYTES of memory N times, one cache line per read, in an
 *                               order that the processor cannot predict; every read depends on
 *                               the previous one
 *   bench-work pass N           two processes pass a byte back and forth N times, which on one
 *                               CPU makes 2 N context switches
 *   bench-work stamp FILE       appends the time to a file: CLOCK_MONOTONIC in nanoseconds
 *   bench-work start FILE ARG…  the same, and then executes a program
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LINE_BYTES = 64 };

struct line {
	struct line *next;
	char rest[LINE_BYTES - sizeof(struct line *)];
};

static void count_to(uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		__asm__ volatile("" : "+r"(i));
}

/* Links all lines into one random cycle (Sattolo 1986), the same in every run. */
static struct line *make_cycle(size_t n)
{
	struct line *lines = aligned_alloc(LINE_BYTES, n * sizeof(*lines));
	uint32_t *order = malloc(n * sizeof(*order));
	uint64_t state = 88172645463325252u;

	if (!lines || !order)
		exit(1);
	for (size_t i = 0; i < n; i++)
		order[i] = (uint32_t)i;
	for (size_t i = n - 1; i > 0; i--) {
		state ^= state << 13; /* xorshift64 (Marsaglia 2003) */
		state ^= state >> 7;
		state ^= state << 17;
		size_t k = state % i;
		uint32_t kept = order[i];
		order[i] = order[k];
		order[k] = kept;
	}
	for (size_t i = 0; i < n; i++)
		lines[order[i]].next = &lines[order[(i + 1) % n]];
	free(order);
	return lines;
}

static void walk(size_t bytes, uint64_t n)
{
	struct line *lines = make_cycle(bytes / LINE_BYTES);
	struct line *at = lines;

	for (uint64_t i = 0; i < n; i++)
		at = at->next;
	__asm__ volatile("" : : "r"(at));
	free(lines);
}

static void pass(uint64_t n)
{
	int there[2], back[2];
	char byte = 0;

	if (pipe(there) < 0 || pipe(back) < 0)
		exit(1);
	pid_t child = fork();
	int in = child ? back[0] : there[0], out = child ? there[1] : back[1];
	if (child < 0)
		exit(1);
	for (uint64_t i = 0; i < n; i++) {
		if (child && write(out, &byte, 1) != 1)
			exit(1);
		if (read(in, &byte, 1) != 1)
			exit(1);
		if (!child && write(out, &byte, 1) != 1)
			exit(1);
	}
	if (child)
		waitpid(child, NULL, 0);
}

static void append_clock(clockid_t clock, const char *path)
{
	struct timespec now;
	FILE *f = fopen(path, "ae");

	clock_gettime(clock, &now);
	if (!f || fprintf(f, "%lld%09ld\n", (long long)now.tv_sec, now.tv_nsec) < 0 || fclose(f)) {
		perror(path);
		exit(1);
	}
}

static uint64_t number(const char *text)
{
	return strtoull(text, NULL, 10);
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "inc"))
		count_to(number(argv[2]));
	else if (argc == 2 && !strcmp(argv[1], "forever"))
		for (;;)
			count_to(UINT32_MAX);
	else if (argc == 4 && !strcmp(argv[1], "walk") && number(argv[2]) >= 4 * LINE_BYTES)
		walk(number(argv[2]), number(argv[3]));
	else if (argc == 3 && !strcmp(argv[1], "pass"))
		pass(number(argv[2]));
	else if (argc == 3 && !strcmp(argv[1], "stamp"))
		append_clock(CLOCK_MONOTONIC, argv[2]);
	else if (argc == 4 && !strcmp(argv[1], "timed")) {
		count_to(number(argv[3]));
		append_clock(CLOCK_PROCESS_CPUTIME_ID, argv[2]);
	} else if (argc > 3 && !strcmp(argv[1], "start")) {
		append_clock(CLOCK_MONOTONIC, argv[2]);
		execvp(argv[3], argv + 3);
		return perror(argv[3]), 1;
	} else
		return fprintf(stderr, "usage: bench-work inc N, timed FILE N, forever, walk BYTES "
				       "N, pass N, "
				       "stamp FILE, start FILE COMMAND ARG…\n"),
		       2;
	return 0;
}
