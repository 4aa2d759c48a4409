/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Each allocation and mapping of the library fails in turn: its functions return ETALON_NO_MEMORY,
 * leak nothing and work again afterwards; its main function for benchmarks ends with an error.
 */
#include "tap.h"

#include <errno.h>
#include <etalon/etalon.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
int main(void)
{
	skip("the address sanitizer replaces the allocator");
	return tap_done();
}
#else
enum { UNDISTURBED = 100 }; /* no allocation failed, and the status was 0 */

static unsigned long count, fail_at;
static long held; /* blocks that are not freed yet */

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void __libc_free(void *);

static int fails(void)
{
	if (++count != fail_at)
		return 0;
	errno = ENOMEM;
	return 1;
}

static void *hold(void *p)
{
	held += p != NULL;
	return p;
}

void *malloc(size_t n)
{
	return fails() ? NULL : hold(__libc_malloc(n));
}

void *calloc(size_t n, size_t size)
{
	return fails() ? NULL : hold(__libc_calloc(n, size));
}

void *realloc(void *p, size_t n)
{
	if (fails())
		return NULL;
	void *q = __libc_realloc(p, n);
	held += q && !p;
	return q;
}

void free(void *p)
{
	held -= p != NULL;
	__libc_free(p);
}

void *mmap(void *at, size_t n, int protection, int flags, int fd, off_t offset)
{
	long p = fails() ? -1 : syscall(SYS_mmap, at, n, protection, flags, fd, offset);

	held += p != -1;
	return p == -1 ? MAP_FAILED : (void *)p;
}

int munmap(void *p, size_t n)
{
	held--;
	return (int)syscall(SYS_munmap, p, n);
}

static void nothing(void *arg)
{
	(void)arg;
}

static void check_kbest(int cache)
{
	struct etalon_kbest_opts o;
	struct etalon_kbest_result r;
	unsigned long refused = 0, wrong = 0, leaks = 0, n = 0;

	etalon_kbest_opts_init(&o, sizeof(o));
	o.cache = cache;
	o.least_ns = 0;
	o.max_samples = 5;
	do {
		long before = held;
		count = 0;
		fail_at = ++n;
		int rc = etalon_kbest(nothing, NULL, &o, &r, sizeof(r));
		fail_at = 0;
		refused += rc == ETALON_NO_MEMORY;
		wrong += rc != ETALON_OK && rc != ETALON_NOT_CONVERGED && rc != ETALON_NO_MEMORY;
		/* A successful call may keep memory for later ones. */
		leaks += rc == ETALON_NO_MEMORY && held > before;
	} while (count >= n && n < 1000);
	/* With a warm cache it can do without the one that fails. */
	ok(wrong == 0 && (refused > 0 || cache == ETALON_CACHE_WARM),
		"memory: etalon_kbest with a %s cache reports %lu of %lu failed allocations",
		cache == ETALON_CACHE_COLD ? "cold" : "warm", refused, n - 1);
	ok(leaks == 0, "memory: etalon_kbest without memory leaks nothing");
	int rc = etalon_kbest(nothing, NULL, &o, &r, sizeof(r));
	ok(rc == ETALON_OK || rc == ETALON_NOT_CONVERGED,
		"memory: etalon_kbest works again after failed allocations");
}

/* Runs the main function for benchmarks in a child; returns its wait status. */
static int bench_without(unsigned long at, const char *option, const char *path)
{
	const struct etalon_bench benches[] = { ETALON_BENCH(nothing) };
	char few[] = "--max-samples=5", brief[] = "--case-time=1us", raw[] = "--clock=raw";
	char here[] = "--processes=1"; /* so that the library of this program is used */
	char *argv[] = { few, few, brief, raw, here, (char *)(uintptr_t)option,
		(char *)(uintptr_t)path, NULL };
	int status;

	fflush(stdout);
	pid_t pid = fork();
	if (pid == 0) {
		int null = open("/dev/null", O_WRONLY);
		dup2(null, STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
		count = 0;
		fail_at = at;
		int rc = etalon_bench_main(7, argv, benches, 1);
		fail_at = 0;
		_exit(count < at && rc == 0 ? UNDISTURBED : rc);
	}
	return pid > 0 && waitpid(pid, &status, 0) == pid ? status : -1;
}

/*
 * unlike: the status of input that does not fit. If a buffer of jansson (2.14) cannot grow, it
 * loses a byte of the string and reports nothing: the processor of the baseline may then have
 * another name.
 */
static void check_main(const char *option, const char *path, int unlike)
{
	unsigned long crashed = 0, wrong = 0, n = 0;
	bool whole;

	do {
		int status = bench_without(++n, option, path);
		int rc = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
		whole = rc == UNDISTURBED;
		crashed += rc < 0;
		wrong += rc > 0 && rc != 3 && rc != 4 && rc != unlike && !whole;
	} while (!whole && n < 2000);
	ok(n > 1 && whole && crashed == 0,
		"memory: a benchmark with %s ends without a signal in %lu failed allocations",
		option, n - 1);
	ok(wrong == 0, "memory: a benchmark with %s exits with %d, 3 or 4", option, unlike);
}

int main(void)
{
	check_kbest(ETALON_CACHE_WARM);
	check_kbest(ETALON_CACHE_COLD);
	char path[] = "/tmp/etalon-memory.XXXXXX";
	int fd = mkstemp(path);
	if (fd < 0)
		tap_bail("mkstemp: %s", strerror(errno));
	close(fd);
	check_main("--json", path, 0);
	check_main("--baseline", path, 2);
	unlink(path);
	return tap_done();
}
#endif
