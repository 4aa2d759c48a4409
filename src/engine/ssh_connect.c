/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Connections by the program ssh, and what its failures mean. */
#include "base/parse.h"
#include "base/sha256.h"
#include "engine/ssh.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/utsname.h>

/* A socket's path has at most 107 bytes, of which ssh needs 58 for itself. */
enum { LONGEST_FOLDER = 48, MOST_OUTPUT = 1 << 20, AT_A_TIME = 32 };

void et_ssh_folder_make(struct et_ssh *s)
{
	const char *const parents[] = { s->setup.scratch, "/tmp" };

	for (size_t i = 0; i < ET_LENGTH(parents) && !s->folder[0]; i++) {
		const char *parent = parents[i];
		if (!parent || parent[0] != '/' ||
			strlen(parent) + sizeof("/etalon-XXXXXX") > LONGEST_FOLDER)
			continue;
		snprintf(s->folder, sizeof(s->folder), "%s/etalon-XXXXXX", parent);
		if (!mkdtemp(s->folder))
			s->folder[0] = '\0';
	}
}

/* The first value of an option counts, so the user's words come first. */
static const char *const options[] = { "-T", "-oBatchMode=yes", "-oConnectTimeout=10",
	"-oServerAliveInterval=5", "-oServerAliveCountMax=3", "-oLogLevel=ERROR",
	"-oClearAllForwardings=yes", "-oForwardAgent=no", "-oForwardX11=no",
	"-oPermitLocalCommand=no", "-oRemoteCommand=none", NULL };

/* The words that run `remote` on a host, or control the connection to it. */
static char **make_words(const struct et_ssh *s, const struct et_ssh_host *h, const char *control,
	const char *remote)
{
	struct et_words w = { 0 };

	et_words_add(&w, "ssh");
	et_words_add_all(&w, s->setup.extra);
	et_words_add_all(&w, options);
	if (s->folder[0]) {
		et_words_add(&w, "-oControlMaster=auto");
		et_words_add(&w, "-oControlPersist=60");
		et_words_add(&w, "-oControlPath=%s/%%C", s->folder);
	}
	if (control)
		et_words_add(&w, "-O%s", control);
	if (h->port)
		et_words_add(&w, "-p%u", h->port);
	if (h->user)
		et_words_add(&w, "-l%s", h->user);
	et_words_add_all(&w, (const char *const[]){ "--", h->address, remote, NULL });
	return w.argv;
}

/* A connection that is left open would end by itself after a minute. */
void et_ssh_folder_remove(struct et_ssh *s)
{
	size_t n = s->n_hosts;
	ET_AUTO_FREE struct et_program_run *commands = et_calloc(n + 1, sizeof(*commands));
	ET_AUTO_FREE struct et_answer *answers = et_calloc(n + 1, sizeof(*answers));

	/* An empty folder: no connection was made. */
	if (!s->folder[0] || rmdir(s->folder) == 0)
		return;
	for (size_t i = 0; i < n; i++)
		commands[i] = (struct et_program_run){
			.argv = make_words(s, &s->hosts[i], "exit", NULL),
			.seconds = 5,
			.most_bytes = 4096,
		};
	for (size_t i = 0; i < n; i += AT_A_TIME)
		et_commands_run(commands + i, answers + i, n - i < AT_A_TIME ? n - i : AT_A_TIME);
	et_answers_free(answers, n);
	for (size_t i = 0; i < n; i++)
		et_strv_free((char **)commands[i].argv);
	(void)rmdir(s->folder);
	s->folder[0] = '\0';
}

/* The answer after the line ET_SSH_BEGIN, or NULL. */
static char *begin_of(char *text)
{
	char *at = text;

	while ((at = strstr(at, ET_SSH_BEGIN "\n"))) {
		if (at == text || at[-1] == '\n')
			return at + strlen(ET_SSH_BEGIN "\n");
		at++;
	}
	return NULL;
}

static void run_some(const struct et_ssh *s, struct et_ssh_talk *talks, size_t n, unsigned seconds)
{
	struct et_program_run commands[AT_A_TIME];
	struct et_answer answers[AT_A_TIME];

	for (size_t i = 0; i < n; i++)
		commands[i] = (struct et_program_run){ .argv = make_words(s, talks[i].host, NULL,
							       "exec /bin/sh -s"),
			.input = talks[i].script,
			.input_bytes = strlen(talks[i].script),
			.seconds = seconds,
			.most_bytes = MOST_OUTPUT,
			.stop = s->setup.stop };
	et_commands_run(commands, answers, n);
	for (size_t i = 0; i < n; i++) {
		talks[i].answer = answers[i];
		talks[i].out = answers[i].rc ? NULL : begin_of(answers[i].out);
		if (talks[i].out && answers[i].status != 255)
			talks[i].host->heard = true;
		et_strv_free((char **)commands[i].argv);
	}
}

void et_ssh_run(const struct et_ssh *s, struct et_ssh_talk *talks, size_t n, unsigned seconds)
{
	for (size_t i = 0; i < n; i += AT_A_TIME)
		run_some(s, talks + i, n - i < AT_A_TIME ? n - i : AT_A_TIME, seconds);
}

void et_ssh_talks_free(struct et_ssh_talk *talks, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		et_answers_free(&talks[i].answer, 1);
		free(talks[i].script);
	}
	free(talks);
}

/* The messages of OpenSSH in the C locale; the first that matches counts. */
static const struct {
	const char *message;
	int errnum;
	const char *what;
	const char *hint; /* a format with the host, up to two times */
} failures[] = {
	{ "Could not resolve hostname", ENXIO, "there is no such host",
		"check the name, or add it to ~/.ssh/config" },
	{ "has changed and you have requested strict checking", EACCES,
		"the key of the host has changed",
		"if the machine was installed anew, run 'ssh-keygen -R %s', then 'ssh %s' once; "
		"otherwise another machine may answer in its place" },
	{ "Host key verification failed", EACCES, "the key of the host is not known here",
		"run 'ssh %s' once, compare the key and accept it" },
	{ "Permission denied", EACCES, "the host does not accept our key",
		"make 'ssh %s true' work without a password, for example by 'ssh-copy-id %s' and "
		"ssh-agent" },
	{ "Connection refused", EHOSTUNREACH, "no sshd answers there",
		"start sshd on that machine, or name its port: HOST:PORT" },
	{ "timed out", EHOSTUNREACH, "the host does not answer",
		"check that the machine runs and that 'ssh %s true' works" },
	{ "No route to host", EHOSTUNREACH, "there is no route to the host",
		"check that the machine runs and that 'ssh %s true' works" },
};

int et_ssh_failed(const struct et_ssh_host *host, const struct et_answer *a, struct et_error *err)
{
	const char *name = host->address;

	if (a->rc == -ETIMEDOUT)
		return et_hint(err,
			et_fail(err, EHOSTUNREACH, ET_EXIT_OUTSIDE, "%s does not answer",
				host->name),
			"check that the machine runs and that 'ssh %s true' works", name);
	if (a->rc)
		return et_fail_errno(err, -a->rc, ET_EXIT_OUTSIDE, "ssh to %s", host->name);
	for (size_t i = 0; i < ET_LENGTH(failures); i++) {
		if (!strstr(a->errors, failures[i].message))
			continue;
		return et_hint(err,
			et_fail(err, failures[i].errnum, ET_EXIT_OUTSIDE, "%s: %s", host->name,
				failures[i].what),
			failures[i].hint, name, name);
	}
	return et_quote(err,
		et_fail(err, EIO, ET_EXIT_OUTSIDE, "ssh to %s failed with exit status %d",
			host->name, a->status),
		a->errors);
}

/* Copies this etalon to hosts that lack it: --copy. */

enum { LOOK_SECONDS = 60, COPY_SECONDS = 600 };

/* The running program: it may have been replaced on disk, but this is the one that runs. */
struct own {
	char *bytes;
	size_t n;
};

static int map_own(struct own *o, struct et_error *err)
{
	ET_AUTO_CLOSE int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct stat st;

	void *bytes = fd < 0 || fstat(fd, &st) < 0
			      ? MAP_FAILED
			      : mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);

	if (bytes == MAP_FAILED)
		return et_fail_errno(
			err, errno, ET_EXIT_ENVIRONMENT, "cannot read the own program");
	*o = (struct own){ bytes, (size_t)st.st_size };
	return 0;
}

static int judge_look(
	const struct et_ssh_talk *r, const char *architecture, bool *lacks, struct et_error *err)
{
	const struct et_ssh_host *h = r->host;

	if (!r->out || r->answer.status)
		return et_ssh_failed(h, &r->answer, err);
	char *rest = r->out, *there = strsep(&rest, "\n"),
	     *answer = rest ? strsep(&rest, "\n") : NULL;
	if (!answer || (strcmp(answer, "have") && strcmp(answer, "lack")))
		return et_quote(err,
			et_fail(err, EPROTO, ET_EXIT_OUTSIDE, "%s: sha256sum or uname failed",
				h->name),
			r->answer.errors);
	if (strcmp(there, architecture))
		return et_fail_hint(err, ENOEXEC, ET_EXIT_OUTSIDE,
			"install etalon there, and omit --copy",
			"--copy: %s is a machine of architecture %.32s, and this etalon is "
			"for %s",
			h->name, there, architecture);
	*lacks = !strcmp(answer, "lack");
	return 0;
}

/*
 * These words go through the login shell, as standard input is the program. They have nothing that
 * a shell takes otherwise within single quotes; the name is letters, digits, dots and hyphens.
 */
static char *remote_words(const char *name, const char *digest)
{
	return et_asprintf(
		"exec /bin/sh -c 'umask 077; d=${XDG_CACHE_HOME:-\"$HOME/.cache\"}/etalon/bin; "
		"mkdir -p \"$d\" && t=\"$d/%s.$$\" && cat >\"$t\" && "
		"if sha256sum \"$t\" | grep -q ^%s; then chmod 700 \"$t\" && mv \"$t\" "
		"\"$d/%s\" && \"$d/%s\" --version >/dev/null; else rm -f \"$t\"; exit 74; fi'",
		name, digest, name, name);
}

static int copy_to(const struct et_ssh *s, const struct et_ssh_host *h, const struct own *o,
	const char *digest, struct et_error *err)
{
	ET_AUTO_FREE char *remote = remote_words(s->copy, digest);
	char **words = make_words(s, h, NULL, remote);
	struct et_program_run c = { .argv = words,
		.input = o->bytes,
		.input_bytes = o->n,
		.seconds = COPY_SECONDS,
		.most_bytes = 65536,
		.stop = s->setup.stop };
	struct et_answer a;

	et_commands_run(&c, &a, 1);
	et_strv_free(words);
	int rc = 0;
	if (a.rc || a.status == 255)
		rc = et_ssh_failed(h, &a, err);
	else if (a.status)
		rc = et_hint(err,
			et_quote(err,
				et_fail(err, EIO, ET_EXIT_OUTSIDE,
					"--copy: the copy of etalon does not run on %s", h->name),
				a.errors),
			"install etalon and its libraries there, and omit --copy");
	et_answers_free(&a, 1);
	return rc;
}

int et_ssh_copy(struct et_ssh *s, struct et_error *err)
{
	char digest[ET_SHA256_TEXT];
	struct utsname here;
	struct et_sha256 sha;
	struct own own = { 0 };
	int rc = map_own(&own, err);

	if (rc)
		return rc;
	uname(&here);
	/* Version and digest name the copy: copies of several versions do not hinder each other. */
	et_sha256_begin(&sha);
	et_sha256_add(&sha, own.bytes, own.n);
	et_sha256_end(&sha, digest);
	s->copy = et_asprintf("etalon-%s-%.16s", ET_VERSION, digest);
	struct et_ssh_talk *talks = et_calloc(s->n_hosts, sizeof(*talks));
	for (size_t i = 0; i < s->n_hosts; i++)
		talks[i] = (struct et_ssh_talk){ .host = &s->hosts[i],
			.script = et_ssh_script_look(s, digest) };
	et_ssh_run(s, talks, s->n_hosts, LOOK_SECONDS);
	for (size_t i = 0; !rc && i < s->n_hosts; i++) {
		bool lacks = false;
		rc = judge_look(&talks[i], here.machine, &lacks, err);
		if (!rc && lacks)
			rc = copy_to(s, &s->hosts[i], &own, digest, err);
	}
	et_ssh_talks_free(talks, s->n_hosts);
	munmap(own.bytes, own.n);
	return rc;
}
