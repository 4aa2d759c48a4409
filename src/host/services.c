/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "host/services.h"
#include "base/clock.h"
#include "base/program.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

/* A service that takes longer to stop is reported as failed. systemd itself waits 90 s. */
enum { CONTROL_SECONDS = 30, SHOW_SECONDS = 10, ANSWER_BYTES = 1 << 20 };

bool et_unit_is(const char *unit, const char *suffix)
{
	size_t n = strlen(unit), k = strlen(suffix);

	return n > k && !strcmp(unit + n - k, suffix);
}

/* Reads until end of file, dropping what does not fit. Returns false at the deadline. */
static bool read_answer(int fd, uint64_t deadline_ns, char *buf, size_t size)
{
	size_t len = 0;
	char dropped[256] = "";

	for (;;) {
		uint64_t now_ns = et_clock_read_ns(CLOCK_MONOTONIC);
		struct pollfd p = { .fd = fd, .events = POLLIN };
		if (now_ns >= deadline_ns)
			return false;
		if (poll(&p, 1, (int)((deadline_ns - now_ns) / 1000000 + 1)) <= 0)
			continue; /* a signal, or the time is up */
		bool fits = len + 1 < size;
		ssize_t n = read(
			fd, fits ? buf + len : dropped, fits ? size - 1 - len : sizeof(dropped));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return true;
		if (fits)
			len += (size_t)n;
		buf[len] = '\0';
	}
}

/* Runs a program and returns its exit status, or -errno. */
static int ask(char *const *argv, unsigned seconds, char *buf, size_t size)
{
	static char *const environment[] = { (char *)"PATH=/usr/sbin:/usr/bin:/sbin:/bin",
		(char *)"LC_ALL=C", (char *)"SYSTEMD_COLORS=0", (char *)"SYSTEMD_PAGER=", NULL };
	int pipe_fd[2], status = 0;
	pid_t pid;

	buf[0] = '\0';
	if (pipe2(pipe_fd, O_CLOEXEC) < 0)
		return -errno;
	/* Ctrl-C must not end systemctl while etalon restores: it has its own process group. */
	int rc = et_spawn(argv, environment, pipe_fd[1], pipe_fd[1], true, &pid);
	close(pipe_fd[1]);
	if (rc == 0) {
		uint64_t deadline_ns =
			et_clock_read_ns(CLOCK_MONOTONIC) + seconds * UINT64_C(1000000000);
		bool ended = read_answer(pipe_fd[0], deadline_ns, buf, size);
		if (!ended)
			kill(pid, SIGKILL);
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
		rc = !ended ? -ETIMEDOUT : WIFEXITED(status) ? WEXITSTATUS(status) : -EIO;
	}
	close(pipe_fd[0]);
	return rc;
}

/* Asks for a state. An answer that is missing for want of memory must not look like silence. */
static int ask_state(char *const *argv, char *buf)
{
	int rc = ask(argv, SHOW_SECONDS, buf, ANSWER_BYTES);

	if (rc == -ENOMEM)
		et_out_of_memory();
	return rc;
}

/* The properties that are queried; an older systemd omits those that it does not know. */
enum property {
	ID,
	LOAD,
	ACTIVE,
	CAN_START,
	CAN_STOP,
	TRANSIENT,
	JOB,
	REQUIRED_BY,
	REQUISITE_OF,
	BOUND_BY,
	CONSISTS_OF,
	STOPS,
	TRIGGERED_BY,
	PROPERTIES,
};

static const char *const properties[PROPERTIES] = { "Id", "LoadState", "ActiveState", "CanStart",
	"CanStop", "Transient", "Job", "RequiredBy", "RequisiteOf", "BoundBy", "ConsistsOf",
	"PropagatesStopTo", "TriggeredBy" };

/* The part of the answer that describes one unit: start and length of each value. */
struct block {
	const char *value[PROPERTIES];
	int len[PROPERTIES];
	size_t seen;
};

static bool value_is(const struct block *b, enum property p, const char *text)
{
	return b->value[p] && (size_t)b->len[p] == strlen(text) &&
	       !memcmp(b->value[p], text, strlen(text));
}

static enum et_unit_state state_of(const struct block *b)
{
	/* A queued job is about to change the state. */
	if (b->value[JOB] && b->len[JOB] > 0)
		return ET_UNIT_CHANGING;
	/* A unit that was masked or removed while it ran is still active. */
	if (value_is(b, ACTIVE, "active") || value_is(b, ACTIVE, "reloading"))
		return ET_UNIT_ACTIVE;
	if (value_is(b, ACTIVE, "activating") || value_is(b, ACTIVE, "deactivating"))
		return ET_UNIT_CHANGING;
	if (value_is(b, LOAD, "not-found") || value_is(b, LOAD, "masked"))
		return ET_UNIT_ABSENT;
	if (value_is(b, ACTIVE, "inactive") || value_is(b, ACTIVE, "failed"))
		return ET_UNIT_INACTIVE;
	return ET_UNIT_UNKNOWN;
}

static const char *irreversible_because(const struct block *b)
{
	if (value_is(b, CAN_STOP, "no"))
		return "systemd refuses to stop it";
	if (value_is(b, CAN_START, "no"))
		return "systemd would not start it again";
	if (value_is(b, TRANSIENT, "yes"))
		return "systemd-run has created it, and it would disappear";
	return NULL;
}

/* Joins the names in properties first to last; returns false if they do not fit. */
static bool join(const struct block *b, int first, int last, char *buf, size_t size)
{
	size_t n = 0;

	for (int p = first; p <= last && n < size; p++) {
		if (b->value[p] && b->len[p])
			n += (size_t)snprintf(
				buf + n, size - n, "%s%.*s", n ? " " : "", b->len[p], b->value[p]);
	}
	return n < size;
}

static void take_block(struct block *b, struct et_service *out)
{
	out->state = state_of(b);
	out->irreversible = irreversible_because(b);
	if (b->value[ID])
		snprintf(out->id, sizeof(out->id), "%.*s", b->len[ID], b->value[ID]);
	if (!join(b, REQUIRED_BY, STOPS, out->stops_with, sizeof(out->stops_with)) ||
		!join(b, TRIGGERED_BY, TRIGGERED_BY, out->triggered_by, sizeof(out->triggered_by)))
		out->irreversible = "too many other units depend on it";
	memset(b, 0, sizeof(*b));
}

void et_services_parse(const char *text, size_t n, struct et_service *out)
{
	struct block b = { 0 };
	size_t k = 0;

	memset(out, 0, n * sizeof(*out));
	/* One block of "Key=value" lines per unit, in the order queried; an empty line between. */
	while (k < n) {
		int len = (int)strcspn(text, "\n");
		if (len == 0 && b.seen)
			take_block(&b, &out[k++]);
		for (int p = 0; p < PROPERTIES; p++) {
			int key = (int)strlen(properties[p]);
			if (len <= key || strncmp(text, properties[p], (size_t)key) ||
				text[key] != '=')
				continue;
			b.value[p] = text + key + 1;
			b.len[p] = len - key - 1;
			b.seen++;
		}
		if (!text[len])
			break;
		text += len + 1;
	}
	if (k < n && b.seen)
		take_block(&b, &out[k]);
}

void et_services_read(
	const char *program, const char *const *units, size_t n, struct et_service *out)
{
	enum { FIXED = 4 };
	ET_AUTO_FREE char **argv = et_calloc(n + FIXED + 1, sizeof(*argv));
	ET_AUTO_FREE char *answer = et_alloc(ANSWER_BYTES);

	et_services_parse("", n, out);
	if (!program || !n)
		return;
	ET_AUTO_FREE char *list = et_asprintf("--property=%s", properties[0]);
	for (size_t p = 1; p < PROPERTIES; p++)
		et_append(&list, ",", "%s", properties[p]);
	argv[0] = (char *)program;
	argv[1] = (char *)"--no-pager";
	argv[2] = (char *)"show";
	argv[3] = list;
	for (size_t i = 0; i < n; i++)
		argv[FIXED + i] = (char *)units[i];
	if (ask_state(argv, answer) == 0)
		et_services_parse(answer, n, out);
}

/* Keeps the first word of each line of a text. */
static void keep_first_words(char *text)
{
	char *to = text;

	for (const char *line = text; *line;) {
		const char *next = line + strcspn(line, "\n");
		line += strspn(line, " \t");
		size_t name = strcspn(line, " \t\n");
		next += *next == '\n';
		memmove(to, line, name);
		to += name;
		if (name && *next)
			*to++ = '\n';
		line = next;
	}
	*to = '\0';
}

char *et_services_list(const char *program, enum et_unit_list which, const char *unit)
{
	static const char kinds[] = "--type=service,socket,path,timer";
	static const char *const words[][7] = {
		[ET_UNITS_ENABLED] = { "--no-legend", "--state=enabled,enabled-runtime", kinds,
			"list-unit-files" },
		[ET_UNITS_ACTIVE] = { "--no-legend", "--plain", "--full", "--state=active", kinds,
			"list-units" },
		[ET_UNITS_WANTED] = { "--plain", "--full", "--all", "list-dependencies" },
	};
	char *argv[ET_LENGTH(words[0]) + 4] = { (char *)program, (char *)"--no-pager" };
	ET_AUTO_FREE char *answer = et_alloc(ANSWER_BYTES);
	size_t n = 2;

	for (size_t i = 0; words[which][i]; i++)
		argv[n++] = (char *)words[which][i];
	argv[n] = (char *)unit;
	if (!program || ask_state(argv, answer))
		return NULL;
	keep_first_words(answer);
	return et_strdup(answer);
}

int et_service_control(
	const char *program, const char *verb, const char *unit, struct et_error *err)
{
	char answer[1024];
	char *argv[] = { (char *)program, (char *)"--no-pager", (char *)"--no-ask-password",
		(char *)verb, (char *)unit, NULL };

	if (!program)
		return et_fail(err, ENOTSUP, ET_EXIT_ENVIRONMENT, "systemd does not run here");
	int rc = ask(argv, CONTROL_SECONDS, answer, sizeof(answer));
	if (rc == 0)
		return 0;
	if (rc == -ETIMEDOUT)
		return et_fail(err, ETIMEDOUT, ET_EXIT_ENVIRONMENT,
			"systemctl %s did not finish within %d s", verb, CONTROL_SECONDS);
	if (rc < 0)
		return et_fail_errno(err, -rc, ET_EXIT_ENVIRONMENT, "cannot run %s", program);
	answer[strcspn(answer, "\n")] = '\0';
	return et_fail(err, EIO, ET_EXIT_ENVIRONMENT, "%s",
		answer[0] ? answer : "systemctl failed without a message");
}
