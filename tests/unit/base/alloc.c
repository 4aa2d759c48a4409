/* SPDX-License-Identifier: GPL-3.0-or-later */
/* If memory runs out, the rescue function is called once, then the program ends. */
#include "base/base.h"
#include "base/error.h"
#include "base/memstream.h"
#include "tap.h"

#include <fcntl.h>
#include <sys/wait.h>

/* ASan would abort instead of failing the allocation. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "allocator_may_return_null=1";
}

static volatile size_t too_much = SIZE_MAX / 4;

static void say(const char *text)
{
	if (write(STDERR_FILENO, text, strlen(text)) < 0)
		_exit(99);
}

static void rescue(void)
{
	ET_AUTO_FREE char *more = et_strdup("rescued ");
	say(more);
}

static void rescue_in_need(void)
{
	say("rescued ");
	free(et_alloc(too_much));
	say("not ");
}

static void exhaust(et_rescue function)
{
	et_alloc_set_rescue(function);
	free(et_alloc(too_much));
}

static void exhaust_without(et_rescue function)
{
	et_alloc_set_rescue(function);
	et_alloc_set_rescue(NULL);
	free(et_alloc(too_much));
}

/* Runs body in a child and returns what it has written to standard error. */
static const char *in_child(void (*body)(et_rescue), et_rescue function, int *status)
{
	static char text[2048];
	int fd[2];
	size_t n = 0;
	ssize_t got;

	fflush(stdout);
	if (pipe(fd) < 0)
		tap_bail("pipe");
	pid_t pid = fork();
	if (pid == 0) {
		dup2(fd[1], STDERR_FILENO);
		body(function);
		_exit(0);
	}
	close(fd[1]);
	while ((got = read(fd[0], text + n, sizeof(text) - 1 - n)) > 0)
		n += (size_t)got;
	text[n] = '\0';
	close(fd[0]);
	if (pid < 0 || waitpid(pid, status, 0) != pid)
		tap_bail("fork");
	*status = WIFEXITED(*status) ? WEXITSTATUS(*status) : -1;
	/* valgrind and ASan add lines of their own, which begin with == and the PID. */
	for (char *line; (line = strstr(text, "=="));) {
		char *next = strchr(line, '\n');
		if (!next)
			break;
		memmove(line, next + 1, strlen(next));
	}
	return text;
}

static void check_exhaustion(void)
{
	int status;

	is_str(in_child(exhaust, NULL, &status), "etalon: out of memory\n",
		"alloc: a failed allocation is reported");
	ok(status == ET_EXIT_OUTSIDE, "alloc: a failed allocation ends the program with status 4");
	is_str(in_child(exhaust, rescue, &status), "etalon: out of memory\nrescued ",
		"alloc: the rescue function is called before the program ends");
	ok(status == ET_EXIT_OUTSIDE, "alloc: the exit status is 4 after the rescue");
	is_str(in_child(exhaust, rescue_in_need, &status),
		"etalon: out of memory\nrescued etalon: out of memory\n",
		"alloc: an allocation that fails during the rescue ends the program");
	ok(status == ET_EXIT_OUTSIDE, "alloc: the exit status is 4 after a failed rescue");
	is_str(in_child(exhaust_without, rescue, &status), "etalon: out of memory\n",
		"alloc: a rescue function that was removed is not called");
}

static void check_memstream(void)
{
	struct et_memstream s;
	bool same = true;

	et_memstream_open(&s);
	ET_AUTO_FREE char *empty = et_memstream_close(&s);
	is_str(empty, "", "memstream: the text is empty if nothing was written");
	FILE *out = et_memstream_open(&s);
	for (int i = 0; i < 10000; i++)
		fprintf(out, "%08d", i);
	ET_AUTO_FREE char *text = et_memstream_close(&s);
	ok(strlen(text) == 80000 && s.n == 80000, "memstream: a long text has its whole length");
	for (int i = 0; i < 10000 && same; i++) {
		char want[16];
		snprintf(want, sizeof(want), "%08d", i);
		same = !memcmp(text + 8 * i, want, 8);
	}
	ok(same, "memstream: a long text is what was written");
}

int main(void)
{
	check_exhaustion();
	check_memstream();
	return tap_done();
}
