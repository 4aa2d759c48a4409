/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A program whose completions can be counted: it works for some milliseconds, then appends its
 * name, its start and its end (CLOCK_MONOTONIC, in nanoseconds) as one line to a file.
 * Usage: stamp FILE NAME MILLISECONDS
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

int main(int argc, char **argv)
{
	uint64_t start_ns = now_ns();
	char line[128];

	if (argc != 4)
		return 2;
	uint64_t end_ns = start_ns + strtoul(argv[3], NULL, 10) * 1000000u;
	while (now_ns() < end_ns)
		;
	int fd = open(argv[1], O_WRONLY | O_CREAT | O_APPEND, 0600);
	int n = snprintf(line, sizeof(line), "%.20s %llu %llu\n", argv[2],
		(unsigned long long)start_ns, (unsigned long long)now_ns());
	return fd < 0 || write(fd, line, (size_t)n) != n;
}
