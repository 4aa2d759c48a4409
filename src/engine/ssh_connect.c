/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Connections by the program ssh, and what its failures mean. */
#include "base/alloc.h"
#include "base/parse.h"
#include "engine/ssh.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

/* A socket's path has at most 107 bytes, of which ssh needs 58 for itself. */
enum { LONGEST_FOLDER = 48, MOST_OUTPUT = 1 << 20, AT_A_TIME = 32 };

static bool try_folder(struct et_ssh *s, const char *parent)
{
	if (!parent || parent[0] != '/' ||
		strlen(parent) + sizeof("/etalon-XXXXXX") > LONGEST_FOLDER)
		return false;
	snprintf(s->folder, sizeof(s->folder), "%s/etalon-XXXXXX", parent);
	if (mkdtemp(s->folder))
		return true;
	s->folder[0] = '\0';
	return false;
}

void et_ssh_folder_make(struct et_ssh *s)
{
	(void)(try_folder(s, s->setup.scratch) || try_folder(s, "/tmp"));
}

static void add(char ***words, size_t *n, size_t *room, const char *word)
{
	ET_GROW(*words, *n, *room);
	(*words)[(*n)++] = word ? et_strdup(word) : NULL;
}

/* The first value of an option counts, so the user's words come first. */
static const char *const options[] = { "-T", "-oBatchMode=yes", "-oConnectTimeout=10",
	"-oServerAliveInterval=5", "-oServerAliveCountMax=3", "-oLogLevel=ERROR",
	"-oClearAllForwardings=yes", "-oForwardAgent=no", "-oForwardX11=no",
	"-oPermitLocalCommand=no", "-oRemoteCommand=none", NULL };

static char **make_words(const struct et_ssh *s, const struct et_ssh_host *h, const char *control,
	const char *remote)
{
	char **words = NULL, text[160];
	size_t n = 0, room = 0;

	add(&words, &n, &room, "ssh");
	for (const char *const *w = s->setup.extra; w && *w; w++)
		add(&words, &n, &room, *w);
	for (const char *const *w = options; *w; w++)
		add(&words, &n, &room, *w);
	if (s->folder[0]) {
		add(&words, &n, &room, "-oControlMaster=auto");
		add(&words, &n, &room, "-oControlPersist=60");
		snprintf(text, sizeof(text), "-oControlPath=%s/%%C", s->folder);
		add(&words, &n, &room, text);
	}
	if (control) {
		add(&words, &n, &room, "-O");
		add(&words, &n, &room, control);
	}
	if (h->port) {
		snprintf(text, sizeof(text), "-p%u", h->port);
		add(&words, &n, &room, text);
	}
	if (h->user) {
		add(&words, &n, &room, "-l");
		add(&words, &n, &room, h->user);
	}
	add(&words, &n, &room, "--");
	add(&words, &n, &room, h->address);
	if (remote)
		add(&words, &n, &room, remote);
	add(&words, &n, &room, NULL);
	return words;
}

char **et_ssh_words(const struct et_ssh *s, const struct et_ssh_host *host, const char *remote)
{
	return make_words(s, host, NULL, remote);
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

static void run_some(const struct et_ssh *s, const size_t *hosts, char *const *scripts, size_t n,
	unsigned seconds, struct et_ssh_reply *replies)
{
	struct et_program_run commands[AT_A_TIME];
	struct et_answer answers[AT_A_TIME];
	size_t at[AT_A_TIME], m = 0;

	for (size_t i = 0; i < n; i++) {
		if (!scripts[i])
			continue;
		at[m] = i;
		commands[m++] = (struct et_program_run){
			.argv = et_ssh_words(s, &s->hosts[hosts[i]], "exec /bin/sh -s"),
			.input = scripts[i],
			.input_bytes = strlen(scripts[i]),
			.seconds = seconds,
			.most_bytes = MOST_OUTPUT,
			.stop = s->setup.stop
		};
	}
	et_commands_run(commands, answers, m);
	for (size_t i = 0; i < m; i++) {
		struct et_ssh_reply *r = &replies[at[i]];
		r->answer = answers[i];
		r->out = answers[i].rc ? NULL : begin_of(answers[i].out);
		et_strv_free((char **)commands[i].argv);
	}
}

void et_ssh_run(const struct et_ssh *s, const size_t *hosts, char *const *scripts, size_t n,
	unsigned seconds, struct et_ssh_reply *replies)
{
	memset(replies, 0, n * sizeof(*replies));
	for (size_t i = 0; i < n; i += AT_A_TIME)
		run_some(s, hosts + i, scripts + i, n - i < AT_A_TIME ? n - i : AT_A_TIME, seconds,
			replies + i);
}

void et_ssh_replies_free(struct et_ssh_reply *replies, size_t n)
{
	for (size_t i = 0; i < n; i++)
		et_answers_free(&replies[i].answer, 1);
}

/* The messages of OpenSSH in the C locale; the first that matches counts. */
static const struct {
	const char *message;
	int errnum;
	const char *what;
	const char *hint; /* %s: the host */
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

/* The hint with the host's name in place of each %s. */
static void fill_hint(char *out, size_t size, const char *hint, const char *name)
{
	size_t n = 0;

	for (; *hint && n + 1 < size; hint++) {
		if (strncmp(hint, "%s", 2)) {
			out[n++] = *hint;
			continue;
		}
		n += (size_t)snprintf(out + n, size - n, "%s", name);
		hint++;
	}
	out[n < size ? n : size - 1] = '\0';
}

int et_ssh_failed(
	const struct et_ssh_host *host, const struct et_ssh_reply *reply, struct et_error *err)
{
	const struct et_answer *a = &reply->answer;
	char hint[400];

	if (a->rc == -ETIMEDOUT)
		return et_hint(err,
			et_fail(err, EHOSTUNREACH, ET_EXIT_OUTSIDE, "%s does not answer",
				host->name),
			"check that the machine runs and that 'ssh %s true' works", host->address);
	if (a->rc)
		return et_fail_errno(err, -a->rc, ET_EXIT_OUTSIDE, "ssh to %s", host->name);
	for (size_t i = 0; i < ET_LENGTH(failures); i++) {
		if (!strstr(a->errors, failures[i].message))
			continue;
		fill_hint(hint, sizeof(hint), failures[i].hint, host->address);
		return et_hint(err,
			et_fail(err, failures[i].errnum, ET_EXIT_OUTSIDE, "%s: %s", host->name,
				failures[i].what),
			"%s", hint);
	}
	return et_quote(err,
		et_fail(err, EIO, ET_EXIT_OUTSIDE, "ssh to %s failed with exit status %d",
			host->name, a->status),
		a->errors);
}
