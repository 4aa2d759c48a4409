/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Preloaded into a program, it makes allocations fail:
 *	FAIL_AT=N	the Nth one since the start of the program, counted from 1
 *	FAIL_EVERY=M	besides, every Mth one after the Nth
 *	FAIL_COUNT=FILE	instead, writes the number of allocations to FILE at the end
 * After FAIL_SECONDS it sends SIGKILL, so that a program that hangs ends. Programs that this one
 *starts are not affected.
 */
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);

static unsigned long at, every, count;
static char *count_file;

static unsigned long number(const char *name)
{
	const char *text = getenv(name);

	return text ? strtoul(text, NULL, 10) : 0;
}

static void limit_time(unsigned long seconds)
{
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGKILL };
	struct itimerspec when = { .it_value.tv_sec = (time_t)seconds };
	int timer;

	/* Not by alarm or a shell's timeout: the program uses the former, the latter takes longer.
	 */
	if (seconds && syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &timer) == 0)
		syscall(SYS_timer_settime, timer, 0, &when, NULL);
}

__attribute__((constructor)) static void start(void)
{
	limit_time(number("FAIL_SECONDS"));
	count_file = getenv("FAIL_COUNT");
	every = number("FAIL_EVERY");
	at = number("FAIL_AT");
	unsetenv("LD_PRELOAD");
	count = 0;
}

__attribute__((destructor)) static void end(void)
{
	char text[32];

	if (!count_file)
		return;
	int n = snprintf(text, sizeof(text), "%lu\n", count);
	int fd = open(count_file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, text, (size_t)n) != n)
		_exit(99);
	close(fd);
}

static int fails(void)
{
	unsigned long n = __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);

	if (!at || n < at || (n > at && (!every || (n - at) % every)))
		return 0;
	errno = ENOMEM;
	return 1;
}

void *malloc(size_t n)
{
	return fails() ? NULL : __libc_malloc(n);
}

void *calloc(size_t n, size_t size)
{
	return fails() ? NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t n)
{
	return fails() ? NULL : __libc_realloc(p, n);
}

void *reallocarray(void *p, size_t n, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(n, size, &bytes)) {
		errno = ENOMEM;
		return NULL;
	}
	return realloc(p, bytes);
}

void *memalign(size_t alignment, size_t n)
{
	return fails() ? NULL : __libc_memalign(alignment, n);
}

void *aligned_alloc(size_t alignment, size_t n)
{
	return memalign(alignment, n);
}

int posix_memalign(void **p, size_t alignment, size_t n)
{
	void *q = memalign(alignment, n);

	if (!q)
		return ENOMEM;
	*p = q;
	return 0;
}
