/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Scripts for /bin/sh on the hosts. ssh hands its words to the user's login shell, which may be any
 * shell; so the only words are `exec /bin/sh -s`, and everything else is standard input of that
 * shell, which all agree on. A script is one function, called in its last line: of a script that
 * arrives incomplete, nothing is executed.
 */
#include "base/alloc.h"
#include "base/memstream.h"
#include "engine/ssh.h"

#include <string.h>

/*
 * Tasks are below $state, in one folder per campaign, host and part: homes may be shared by hosts.
 * The lock is held by the task that runs, whichever campaign it belongs to. A process is known by
 * its number, its start time and the boot.
 */
static const char common[] = "main() {\n"
			     "echo " ET_SSH_BEGIN "\n"
			     "umask 077\n"
			     "state=${XDG_STATE_HOME:-\"$HOME/.local/state\"}/etalon/tasks\n"
			     "cache=${XDG_CACHE_HOME:-\"$HOME/.cache\"}/etalon/bin\n"
			     "boot=\n"
			     "read -r boot </proc/sys/kernel/random/boot_id\n"
			     "started() {\n"
			     "	{ read -r line <\"/proc/$1/stat\" || return 1; } 2>/dev/null\n"
			     "	set -- ${line##*) }\n"
			     "	[ \"$1\" != Z ] && echo \"${20}\"\n"
			     "}\n"
			     "alive() {\n"
			     "	pid= start= b=\n"
			     "	{ read -r pid start b <\"$1/pid\"; } 2>/dev/null\n"
			     "	[ -n \"$pid\" ] && [ \"$b\" = \"$boot\" ] && [ \"$(started "
			     "\"$pid\")\" = \"$start\" ]\n"
			     "}\n";
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

	fputs(common, out);
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
static const char start[] =
	"trap '' HUP PIPE\n"
	"mkdir -p \"$folder\" && cd \"$folder\" || { echo failed to make \"$folder\"; exit; }\n"
	"exec 9>>\"$lock\"\n"
	"if [ -d \"$job\" ]; then echo started; exit; fi\n"
	"if command -v flock >/dev/null; then flock -n 9 || { echo busy; exit; }; fi\n"
	"mkdir \"$job\" || { echo failed to make \"$folder/$job\"; exit; }\n"
	"cat >\"$job/input\" ";

static const char launch[] =
	"(\n"
	"	trap - HUP PIPE\n"
	"	exec setsid /bin/sh -c '\n"
	"		trap : TERM INT\n"
	"		job=$1; shift\n"
	"		\"$@\" <\"$job/input\" >\"$job/log\" 2>&1 9>&-\n"
	"		echo \"$?\" >\"$job/exit.new\"; mv \"$job/exit.new\" \"$job/exit\"; rm -f "
	"\"$job/input\"\n"
	"	' sh \"$job\" \"$@\"\n"
	") </dev/null >/dev/null 2>&1 &\n"
	"echo \"$! $(started $!) $boot\" >\"$job/pid\"\n"
	"echo started\n";

char *et_ssh_script_start(const struct et_ssh *s, const struct et_ssh_host *host,
	const struct et_ssh_job *job, const char *input)
{
	ET_AUTO_FREE char *document = et_here_document(input);
	struct et_memstream m;
	FILE *out = begin(&m);

	put_folder(out, s, host);
	fprintf(out, "job=%u.%u\n", job->part, job->generation);
	fputs(lock, out);
	fputs(start, out);
	fputs(document, out);
	fputs("set -- ", out);
	if (s->setup.time_limit_ns)
		fprintf(out, "timeout -k 30 %llu ",
			(unsigned long long)((s->setup.time_limit_ns + 999999999) / 1000000000));
	put_etalon(out, s);
	fprintf(out, " task --part %u --node ", job->part);
	put_word(out, host->name);
	putc('\n', out);
	fputs(launch, out);
	return finish(&m);
}

/* A task may end between two looks, so its exit status is looked for again. */
const char et_ssh_poll[] = "cd \"$folder\" 2>/dev/null || exit 0\n"
			   "ended() {\n"
			   "	status=\n"
			   "	{ read -r status <\"$1/exit\"; } 2>/dev/null\n"
			   "	case $status in\n"
			   "	'') return 1 ;;\n"
			   "	0) echo \"$1 ended 0\" ;;\n"
			   "	*) echo \"$1 ended $status $(tail -n 3 \"$1/log\" 2>/dev/null | "
			   "grep -v ^hint: | tail -n 1 | cut "
			   "-c -140)\" ;;\n"
			   "	esac\n"
			   "}\n"
			   "for d in *.*; do\n"
			   "	[ -d \"$d\" ] || continue\n"
			   "	if ended \"$d\"; then :\n"
			   "	elif alive \"$d\"; then echo \"$d running\"\n"
			   "	elif ended \"$d\"; then :\n"
			   "	else echo \"$d lost\"\n"
			   "	fi\n"
			   "done\n";

/* The process of a task leads a group. etalon ends its programs when it gets SIGTERM. */
const char et_ssh_cancel[] =
	"cd \"$folder\" 2>/dev/null || exit 0\n"
	"left=\n"
	"for d in *.*; do\n"
	"	[ -d \"$d\" ] && [ ! -e \"$d/exit\" ] && alive \"$d\" || continue\n"
	"	kill -TERM \"-$pid\" 2>/dev/null\n"
	"	left=\"$left $d\"\n"
	"done\n"
	"n=0\n"
	"for d in $left; do\n"
	"	while alive \"$d\" && [ $n -lt 100 ]; do sleep 0.1; n=$((n + 1)); done\n"
	"	if alive \"$d\"; then kill -KILL \"-$pid\"; fi\n"
	"done\n"
	"echo ended$left\n";

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
