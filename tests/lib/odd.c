/* SPDX-License-Identifier: MIT */
/* A benchmark program with functions that misbehave. SLOWER makes its work longer. */
#define _GNU_SOURCE
#include <etalon/etalon.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef SLOWER
#define SLOWER 0
#endif

static void work(void *arg)
{
	double x = 2;

	(void)arg;
	for (int i = 0; i < 200 + SLOWER; i++)
		x = x / 1.0001;
	ETALON_KEEP(x);
}

static void crash(void *arg)
{
	(void)arg;
	raise(SIGSEGV);
}

static void hang(void *arg)
{
	(void)arg;
	for (;;)
		pause();
}

static void leave(void *arg)
{
	(void)arg;
	exit(3);
}

/* The child returns from the first call, and would serve the parent too. */
static void split(void *arg)
{
	static int done;
	pid_t child = done++ ? 0 : fork();

	(void)arg;
	if (child > 0)
		waitpid(child, NULL, 0);
}

/* Leaves a process behind that keeps the socket. */
static void orphan(void *arg)
{
	(void)arg;
	if (fork() == 0)
		for (;;)
			pause();
	raise(SIGKILL);
}

static void doze(void *arg)
{
	const struct timespec nap = { .tv_nsec = 2000000 };

	(void)arg;
	nanosleep(&nap, NULL);
}

/* Fails if a program that it starts would inherit a variable or a descriptor of the library. */
static void leak(struct etalon_state *state)
{
	struct stat st;

	if (getenv("ETALON_WORKER") || getenv("ETALON_WORKER_PADDING"))
		etalon_fail(state, "a variable leaks");
	for (int fd = 3; fd < 256; fd++)
		if (fstat(fd, &st) == 0 && S_ISSOCK(st.st_mode) && fcntl(fd, F_GETFD) == 0)
			etalon_fail(state, "a descriptor leaks");
	ETALON_LOOP(state)
	{
		work(NULL);
	}
}

/* Prints the address of a variable on the stack and the process, to a file. */
static void where(struct etalon_state *state)
{
	FILE *out = fopen(getenv("ODD_FILE") ? getenv("ODD_FILE") : "/dev/null", "a");

	fprintf(out, "%d %p\n", (int)getpid(), (void *)&out);
	fclose(out);
	puts("this goes nowhere");
	ETALON_LOOP(state)
	{
		work(NULL);
	}
}

static void refuse(struct etalon_state *state)
{
	etalon_fail(state, "no input");
	ETALON_LOOP(state)
	{
	}
}

/* Longer than its share of the time. */
static void long_work(void *arg)
{
	for (int i = 0; i < 40000; i++)
		work(arg);
}

static char data[1 << 16];

static void read_data(void *arg)
{
	volatile char *p = arg;

	for (size_t i = 0; i < sizeof(data); i += 64)
		(void)p[i];
}

int main(int argc, char **argv)
{
	const struct etalon_bench cold = { .sz = sizeof(cold),
		.name = "cold",
		.fn = read_data,
		.arg = data,
		.working_set = data,
		.working_set_bytes = sizeof(data) };
	const struct etalon_bench benches[] = { ETALON_BENCH(work), ETALON_BENCH(crash),
		ETALON_BENCH(hang), ETALON_BENCH(leave), ETALON_BENCH(split), ETALON_BENCH(orphan),
		ETALON_BENCH(doze), ETALON_BENCH_BODY(leak), ETALON_BENCH_BODY(where),
		ETALON_BENCH_BODY(refuse), ETALON_BENCH(long_work), cold };

	/* A main may call the library several times. */
	if (argc > 1 && !strcmp(argv[1], "--twice")) {
		argv[1] = argv[0];
		etalon_bench_main(argc - 1, argv + 1, benches + 6, 1);
		return etalon_bench_main(argc - 1, argv + 1, benches, 1);
	}
	/* It may have options of its own. */
	if (argc > 1 && !strcmp(argv[1], "--mute")) {
		argv[1] = argv[0];
		argv++;
		argc--;
	}
	return etalon_bench_main(argc, argv, benches, sizeof(benches) / sizeof(benches[0]));
}
