/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Scripts for /bin/sh on the hosts. The login shell, which may be any, gets `exec /bin/sh -s` only,
 * and the rest is standard input. A script is one function that its last line calls: nothing of one
 * that arrives incomplete is executed.
 */
#include "base/memstream.h"
#include "engine/ssh.h"
#include "engine/ssh_cancel.inc"
#include "engine/ssh_common.inc"
#include "engine/ssh_launch.inc"
#include "engine/ssh_poll.inc"
#include "engine/ssh_start.inc"

/*
 * Tasks are below $state, in one folder per campaign, host and part: homes may be shared by hosts.
 * The lock is held by the task that runs, whichever campaign it belongs to. A process is known by
 * its number, its start time and the boot.
 */
static const char lock[] = "lock=$state/lock.$(uname -n)\n";

/* Within single quotes, nothing but a single quote has a meaning to sh. */
static void put_word(FILE *out, const char *word)
{
	putc('\'', out);
	for (; *word; word++) {
		if (*word == '\'')
			fputs("'\\''", out);
		else
			putc(*word, out);
	}
	putc('\'', out);
}

static void put_etalon(FILE *out, const struct et_ssh *s)
{
	if (s->copy) {
		fputs("\"$cache/\"", out);
		put_word(out, s->copy);
	} else {
		put_word(out, s->setup.etalon);
	}
}

static void put_folder(FILE *out, const struct et_ssh *s, const struct et_ssh_host *host)
{
	fputs("folder=$state/", out);
	put_word(out, s->setup.id);
	putc('/', out);
	put_word(out, host->name);
	putc('\n', out);
}

static FILE *begin(struct et_memstream *m)
{
	FILE *out = et_memstream_open(m);

	fputs("main() {\necho " ET_SSH_BEGIN "\n", out);
	fputs(common_script, out);
	return out;
}

static char *finish(struct et_memstream *m)
{
	fputs("}\nmain\n", m->out);
	return et_memstream_close(m);
}

char *et_ssh_script_ask(const struct et_ssh *s, char *const *argv, const char *input)
{
	struct et_memstream m;
	FILE *out = begin(&m);

	fputs(lock, out);
	fputs("if [ -e \"$lock\" ] && exec 9<\"$lock\" && command -v flock >/dev/null; then\n"
	      "	flock -n 9 || { echo " ET_SSH_BUSY "; exit 75; }\n"
	      "fi\n"
	      "exec",
		out);
	for (char *const *word = argv; *word; word++) {
		putc(' ', out);
		if (word == argv && !strcmp(*word, s->setup.etalon))
			put_etalon(out, s);
		else
			put_word(out, *word);
	}
	ET_AUTO_FREE char *document = input ? et_here_document(input) : et_strdup("</dev/null\n");
	fprintf(out, " %s", document);
	return finish(&m);
}

/*
 * The task has a session of its own and none of the connection's files. The signals that the shell
 * ignores while it starts the task have their default again in the task: programs that are
 * measured inherit them. A measured program that stays must not hold the lock, hence 9>&-.
 */
char *et_ssh_script_start(const struct et_ssh *s, const struct et_ssh_host *host,
	const struct et_ssh_job *job, const char *input)
{
	ET_AUTO_FREE char *document = et_here_document(input);
	struct et_memstream m;
	FILE *out = begin(&m);

	put_folder(out, s, host);
	fprintf(out, "job=%u.%u\n", job->part, job->generation);
	fputs(lock, out);
	fputs(start_script, out);
	fputs("cat >\"$job/input\" ", out);
	fputs(document, out);
	fputs("set -- ", out);
	if (s->setup.time_limit_ns)
		fprintf(out, "timeout -k 30 %llu ",
			(unsigned long long)((s->setup.time_limit_ns + 999999999) / 1000000000));
	put_etalon(out, s);
	fprintf(out, " task --part %u --node ", job->part);
	put_word(out, host->name);
	putc('\n', out);
	fputs(launch_script, out);
	return finish(&m);
}

/* A task may end between two looks, so its exit status is looked for again. */
const char *const et_ssh_poll = poll_script;

/* The process of a task leads a group. etalon ends its programs when it gets SIGTERM. */
const char *const et_ssh_cancel = cancel_script;

char *et_ssh_script_tasks(const struct et_ssh *s, const struct et_ssh_host *host, const char *body)
{
	struct et_memstream m;
	FILE *out = begin(&m);

	put_folder(out, s, host);
	fputs(body, out);
	return finish(&m);
}

char *et_ssh_script_look(const struct et_ssh *s, const char *digest)
{
	struct et_memstream m;

	fprintf(begin(&m),
		"uname -m\n"
		"if [ -x \"$cache/%s\" ] && sha256sum \"$cache/%s\" | grep -q ^%s; then\n"
		"	echo have\n"
		"else\n"
		"	echo lack\n"
		"fi\n",
		s->copy, s->copy, digest);
	return finish(&m);
}
