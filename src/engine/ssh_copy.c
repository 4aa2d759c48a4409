/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copies this etalon to hosts that lack it: --copy. */
#include "base/alloc.h"
#include "base/parse.h"
#include "base/sha256.h"
#include "engine/ssh.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/utsname.h>

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

	if (fd < 0 || fstat(fd, &st) < 0)
		return et_fail_errno(
			err, errno, ET_EXIT_ENVIRONMENT, "cannot read the own program");
	void *bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (bytes == MAP_FAILED)
		return et_fail_errno(
			err, errno, ET_EXIT_ENVIRONMENT, "cannot read the own program");
	*o = (struct own){ bytes, (size_t)st.st_size };
	return 0;
}

/* Takes the answer of the script that looks for the copy. */
static int judge_look(const struct et_ssh_host *h, const struct et_ssh_reply *r,
	const char *architecture, bool *lacks, struct et_error *err)
{
	if (!r->out || r->answer.status)
		return et_ssh_failed(h, r, err);
	char *rest = r->out, *there = strsep(&rest, "\n"),
	     *answer = rest ? strsep(&rest, "\n") : NULL;
	if (!answer || (strcmp(answer, "have") && strcmp(answer, "lack")))
		return et_quote(err,
			et_fail(err, EPROTO, ET_EXIT_OUTSIDE, "%s: sha256sum or uname failed",
				h->name),
			r->answer.errors);
	if (strcmp(there, architecture))
		return et_hint(err,
			et_fail(err, ENOEXEC, ET_EXIT_OUTSIDE,
				"--copy: %s is a machine of architecture %.32s, and this etalon is "
				"for %s",
				h->name, there, architecture),
			"install etalon there, and omit --copy");
	*lacks = !strcmp(answer, "lack");
	return 0;
}

/*
 * These words go through the login shell, because standard input is the program. They contain
 * nothing that a shell could take otherwise within single quotes; the name is made of letters,
 * digits, dots and hyphens.
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
	char **words = et_ssh_words(s, h, remote);
	struct et_program_run c = { .argv = words,
		.input = o->bytes,
		.input_bytes = o->n,
		.seconds = COPY_SECONDS,
		.most_bytes = 65536,
		.stop = s->setup.stop };
	struct et_ssh_reply r = { 0 };

	et_commands_run(&c, &r.answer, 1);
	et_strv_free(words);
	int rc = 0;
	if (r.answer.rc || r.answer.status == 255)
		rc = et_ssh_failed(h, &r, err);
	else if (r.answer.status)
		rc = et_hint(err,
			et_quote(err,
				et_fail(err, EIO, ET_EXIT_OUTSIDE,
					"--copy: the copy of etalon does not run on %s", h->name),
				r.answer.errors),
			"install etalon and its libraries there, and omit --copy");
	et_answers_free(&r.answer, 1);
	return rc;
}

/* Version and digest name the copy: copies of several versions do not hinder each other. */
static void name_copy(struct et_ssh *s, const struct own *o, char digest[ET_SHA256_TEXT])
{
	struct et_sha256 sha;

	et_sha256_begin(&sha);
	et_sha256_add(&sha, o->bytes, o->n);
	et_sha256_end(&sha, digest);
	s->copy = et_asprintf("etalon-%s-%.16s", ET_VERSION, digest);
}

int et_ssh_copy(struct et_ssh *s, struct et_error *err)
{
	ET_AUTO_FREE size_t *hosts = et_calloc(s->n_hosts + 1, sizeof(*hosts));
	ET_AUTO_FREE char **scripts = et_calloc(s->n_hosts + 1, sizeof(*scripts));
	ET_AUTO_FREE struct et_ssh_reply *replies = et_calloc(s->n_hosts + 1, sizeof(*replies));
	char digest[ET_SHA256_TEXT];
	struct utsname here;
	struct own own = { 0 };
	int rc = map_own(&own, err);

	if (rc)
		return rc;
	uname(&here);
	name_copy(s, &own, digest);
	ET_AUTO_FREE char *script = et_ssh_script_look(s, digest);
	for (size_t i = 0; i < s->n_hosts; i++) {
		hosts[i] = i;
		scripts[i] = script;
	}
	et_ssh_run(s, hosts, scripts, s->n_hosts, LOOK_SECONDS, replies);
	for (size_t i = 0; !rc && i < s->n_hosts; i++) {
		bool lacks = false;
		s->hosts[i].heard = replies[i].out != NULL;
		rc = judge_look(&s->hosts[i], &replies[i], here.machine, &lacks, err);
		if (!rc && lacks)
			rc = copy_to(s, &s->hosts[i], &own, digest, err);
	}
	et_ssh_replies_free(replies, s->n_hosts);
	munmap(own.bytes, own.n);
	return rc;
}
