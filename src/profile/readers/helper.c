/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/readers/helper.h"
#include "base/program.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

enum { MOST_CPU_SECONDS = 600 };

extern char **environ;

/* Returns the environment without what changes the text or uses the network; no text is copied. */
static char **make_environment(void)
{
	static const char *const omitted[] = {
		"LC_ALL=", "LANGUAGE=", "DEBUGINFOD_URLS=", "PAGER=", "PERF_PAGER="
	};
	size_t n = 0, kept = 0;

	while (environ[n])
		n++;
	char **list = et_calloc(n + 2, sizeof(*list));
	for (size_t i = 0; i < n; i++) {
		bool omit = false;
		for (size_t k = 0; k < ET_LENGTH(omitted); k++)
			omit = omit || !strncmp(environ[i], omitted[k], strlen(omitted[k]));
		if (!omit)
			list[kept++] = environ[i];
	}
	list[kept] = (char *)"LC_ALL=C";
	return list;
}

int et_helper_start(struct et_helper *h, char *const *argv, struct et_error *err)
{
	const struct rlimit cpu = { MOST_CPU_SECONDS, MOST_CPU_SECONDS };
	int ends[2];
	ET_AUTO_CLOSE int errors = memfd_create("messages", MFD_CLOEXEC);

	if (errors < 0 || pipe2(ends, O_CLOEXEC) < 0)
		return et_fail_errno(err, errno, ET_EXIT_OUTSIDE, "cannot start %s", argv[0]);
	ET_AUTO_FREE char **environment = make_environment();
	int rc = et_spawn(argv, environment, ends[1], errors, false, &h->pid);
	close(ends[1]);
	if (rc) {
		close(ends[0]);
		return et_fail_errno(err, -rc, ET_EXIT_ENVIRONMENT, "cannot start %s", argv[0]);
	}
	(void)prlimit(h->pid, RLIMIT_CPU, &cpu, NULL);
	h->out = fdopen(ends[0], "r");
	if (!h->out)
		close(ends[0]); /* reading fails, and the program ends by SIGPIPE */
	h->errors = errors;
	errors = -1;
	return 0;
}

/* Quotes the last lines of the messages. */
static int quote_messages(const struct et_helper *h, struct et_error *err, int rc)
{
	char text[sizeof(err->quoted)] = "";
	off_t size = lseek(h->errors, 0, SEEK_END);
	off_t from = size > (off_t)sizeof(text) - 1 ? size - (off_t)sizeof(text) + 1 : 0;
	ssize_t n = pread(h->errors, text, sizeof(text) - 1, from);

	text[n > 0 ? n : 0] = '\0';
	while (n > 0 && text[n - 1] == '\n')
		text[--n] = '\0';
	return et_quote(err, rc, text);
}

int et_helper_end(struct et_helper *h, int rc, const char *name, struct et_error *err)
{
	int status = 0;

	if (h->out)
		fclose(h->out);
	if (rc)
		kill(h->pid, SIGKILL);
	while (waitpid(h->pid, &status, 0) < 0 && errno == EINTR)
		;
	/* If it failed by itself, its messages explain more than what we did not find. */
	bool failed = WIFEXITED(status) ? WEXITSTATUS(status) != 0 : !rc;
	if (failed && WIFEXITED(status))
		rc = quote_messages(h, err,
			et_fail(err, EINVAL, ET_EXIT_USAGE, "%s failed with exit status %d", name,
				WEXITSTATUS(status)));
	else if (failed)
		rc = et_fail(err, EINVAL, ET_EXIT_OUTSIDE, "%s was ended by signal %d", name,
			WTERMSIG(status));
	close(h->errors);
	return rc;
}
