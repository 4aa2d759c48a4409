/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The engine of ssh with a stand-in for the program ssh: it runs the remote command by a shell of
 * this machine, in a home of the host's own, and can be made to fail. tests/cluster has a real
 * sshd.
 */
#include "engine/ssh.h"
#include "base/base.h"
#include "base/parse.h"
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

/* Finds the host after "--"; "$T/down.HOST" says why it cannot be reached. */
static const char stand_in[] =
	"#!/bin/sh\n"
	"[ \"$1\" != -V ] || exit 0\n"
	"while [ \"$1\" != -- ]; do [ \"$1\" != -O ] || exit 0; shift; done\n"
	"host=$2; shift 2\n"
	"if [ -e \"$T/down.$host\" ]; then cat \"$T/down.$host\" >&2; exit 255; fi\n"
	"export HOME=\"$T/home.$host\"; mkdir -p \"$HOME\"\n"
	"unset XDG_STATE_HOME XDG_CACHE_HOME\n"
	"echo a greeting of the login shell\n"
	"cd / && exec /bin/sh -c \"$*\"\n";

/* The stand-in for etalon: a task notes its part, and lasts until a file "go" is there. */
static const char etalon[] =
	"#!/bin/sh\n"
	"if [ \"$1\" = echo ]; then shift; printf '<%s>' \"$@\"; cat; exit; fi\n"
	"if [ \"$1\" = fail ]; then echo broken >&2; exit 3; fi\n"
	"cat >\"$T/input.$3\"\n"
	"echo \"$*\" >>\"$T/started\"\n"
	"while [ ! -e \"$T/go\" ]; do sleep 0.02; done\n"
	"[ ! -e \"$T/sad.$3\" ] || { echo no cycles left; exit 7; }\n";

static char top[] = "/tmp/etalon-ssh-test-XXXXXX";

static void put_file(const char *name, const char *text, mode_t mode)
{
	ET_AUTO_FREE char *path = et_asprintf("%s/%s", top, name);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);

	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		tap_bail("cannot write %s", path);
	close(fd);
}

static void drop_file(const char *name)
{
	ET_AUTO_FREE char *path = et_asprintf("%s/%s", top, name);

	unlink(path);
}

static char *read_whole(const char *name)
{
	ET_AUTO_FREE char *path = et_asprintf("%s/%s", top, name);
	char *text = et_calloc(1, 65536);
	FILE *in = fopen(path, "re");

	if (in) {
		text[fread(text, 1, 65535, in)] = '\0';
		fclose(in);
	}
	return text;
}

static void prepare(void)
{
	if (!mkdtemp(top))
		tap_bail("no temporary folder");
	put_file("ssh", stand_in, 0755);
	put_file("etalon", etalon, 0755);
	ET_AUTO_FREE char *path = et_asprintf("%s:%s", top, getenv("PATH"));
	setenv("PATH", path, 1);
	setenv("T", top, 1);
}

static struct et_engine_setup setup = { .hosts = "a,b", .id = "0123-campaign" };

static struct et_engine *open_engine(void)
{
	static char path[128];
	struct et_engine *e = NULL;
	struct et_error err = { 0 };

	snprintf(path, sizeof(path), "%s/etalon", top);
	setup.etalon = path;
	if (et_engine_ssh.open(&setup, &e, &err))
		tap_bail("%s", err.what);
	return e;
}

/* Polls until the part has the state; false after 20 s. */
static bool reaches(
	struct et_engine *e, uint32_t part, enum et_job_state state, struct et_job_report *out)
{
	struct et_error err;

	for (int i = 0; i < 400; i++) {
		*out = (struct et_job_report){ .part = part };
		if (e->ops->poll(e, out, 1, &err))
			return false;
		if (out->state == state)
			return true;
		usleep(50000);
	}
	return false;
}

/* --- names of hosts --- */

static void test_hosts(void)
{
	static const char *const bad[] = { "", "a,", "-oProxyCommand=x", "a b", "a;b", "$(x)",
		"a/b", "..", "a@-b", "a:0", "a:70000", "a,a", "x@", "[::1]x", "@/nonexistent",
		NULL };
	struct et_ssh_host *h = NULL;
	struct et_error err = { 0 };
	size_t n = 0;

	for (const char *const *b = bad; *b; b++)
		ok(et_ssh_hosts_read(*b, NULL, &h, &n, &err) < 0 && err.exit == ET_EXIT_USAGE,
			"hosts: '%s' is refused", *b);
	ok(et_ssh_hosts_read("a,u@b:2222,[::1]:22,fe80::1", NULL, &h, &n, &err) == 0 && n == 4,
		"hosts: a list is read");
	ok(!h[0].user && !h[0].port && !strcmp(h[0].address, "a"), "hosts: a plain name");
	ok(!strcmp(h[1].user, "u") && h[1].port == 2222 && !strcmp(h[1].address, "b") &&
			!strcmp(h[1].name, "u@b:2222"),
		"hosts: user and port are taken off");
	ok(!strcmp(h[2].address, "::1") && h[2].port == 22 && !strcmp(h[3].address, "fe80::1"),
		"hosts: addresses of IPv6");
	et_ssh_hosts_free(h, n);
	ok(et_ssh_hosts_read("a,b,c", "c,a", &h, &n, &err) == 0 && n == 2 &&
			!strcmp(h[1].name, "c"),
		"hosts: --nodes selects");
	et_ssh_hosts_free(h, n);
	ok(et_ssh_hosts_read("a,b", "x", &h, &n, &err) < 0 && err.exit == ET_EXIT_USAGE,
		"hosts: --nodes with another name is refused");
	put_file("list", "# comment\n a \n\nu@b:1 # more\n", 0600);
	ET_AUTO_FREE char *file = et_asprintf("@%s/list", top);
	ok(et_ssh_hosts_read(file, NULL, &h, &n, &err) == 0 && n == 2 &&
			!strcmp(h[1].name, "u@b:1"),
		"hosts: a file has one per line");
	et_ssh_hosts_free(h, n);
}

/* --- questions --- */

static void test_ask(struct et_engine *e)
{
	char *words[] = { (char *)setup.etalon, (char *)"echo", (char *)"'; rm -rf $HOME; '",
		(char *)"$(id)`id`\\", (char *)"two\nlines", (char *)"", (char *)"END_OF_INPUT_0",
		NULL };
	char *out = NULL;
	struct et_error err = { 0 };

	ok(e->ops->ask(e, "a", words, "in 'it'\nEND_OF_INPUT_0\n", &out, &err) == 0,
		"ask: a command runs (%s)", err.what);
	is_str(out,
		"<'; rm -rf $HOME; '><$(id)`id`\\><two\nlines><><END_OF_INPUT_0>in 'it'\n"
		"END_OF_INPUT_0\n",
		"ask: hostile words and input arrive unchanged, without the login shell's "
		"greeting");
	free(out);
	char *missing[] = { (char *)"/nonexistent/etalon", NULL };
	ok(e->ops->ask(e, "a", missing, NULL, &out, &err) == -ENOENT,
		"ask: a program that is not there is ENOENT");
	char *fails[] = { (char *)setup.etalon, (char *)"fail", NULL };
	ok(e->ops->ask(e, "a", fails, NULL, &out, &err) == -EPROTO && strstr(err.quoted, "broken"),
		"ask: a program that fails is quoted");
	ok(e->ops->ask(e, "c", fails, NULL, &out, &err) == -EINVAL, "ask: an unknown node");
}

static void test_failures(struct et_engine *e)
{
	static const struct {
		const char *message, *what, *hint;
	} cases[] = {
		{ "ssh: Could not resolve hostname a: Name or service not known\n", "no such host",
			"config" },
		{ "Host key for a has changed and you have requested strict checking.\n"
		  "Host key verification failed.\n",
			"has changed", "ssh-keygen -R a" },
		{ "Host key verification failed.\n", "not known here", "run 'ssh a' once" },
		{ "a: Permission denied (publickey).\n", "does not accept our key",
			"ssh-copy-id a" },
		{ "ssh: connect to host a port 22: Connection refused\n", "no sshd", "start sshd" },
		{ "ssh: connect to host a port 22: Connection timed out\n", "does not answer",
			"'ssh a true'" },
	};
	char *words[] = { (char *)setup.etalon, (char *)"echo", NULL };
	char *out = NULL;

	for (size_t i = 0; i < ET_LENGTH(cases); i++) {
		struct et_error err = { 0 };
		put_file("down.a", cases[i].message, 0600);
		ok(e->ops->ask(e, "a", words, NULL, &out, &err) < 0 &&
				err.exit == ET_EXIT_OUTSIDE && strstr(err.what, cases[i].what) &&
				strstr(err.hint, cases[i].hint),
			"ssh: %s: the cure is named", cases[i].what);
	}
	drop_file("down.a");
}

/* --- tasks --- */

static void submit(struct et_engine *e, const struct et_job *jobs, size_t n, uint32_t generation)
{
	struct et_error err;
	char *name = NULL;

	if (e->ops->submit(e, jobs, n, "{ \"it's\": 1 }", generation, &name, &err))
		tap_bail("%s", err.what);
	free(name);
}

static void test_queue(void)
{
	struct et_engine *e = open_engine();
	struct et_job jobs[] = { { 0, NULL }, { 1, "b" }, { 2, "b" } };
	struct et_job_report r;
	struct et_error err = { 0 };
	char *out = NULL;

	submit(e, jobs, 3, 1);
	ok(reaches(e, 0, ET_JOB_RUNNING, &r) && !strcmp(r.node, "a") && r.generation == 1,
		"queue: a part for any host runs on the first");
	ok(reaches(e, 1, ET_JOB_RUNNING, &r) && !strcmp(r.node, "b"),
		"queue: a bound part runs there");
	ok(reaches(e, 2, ET_JOB_WAITING, &r), "queue: the next part for that host waits");
	char *words[] = { (char *)setup.etalon, (char *)"echo", NULL };
	ok(e->ops->ask(e, "b", words, NULL, &out, &err) == -EAGAIN,
		"ask: a host that runs a task is busy");
	/* Another engine knows the tasks that run, and not what waited in the queue of the first.
	 */
	struct et_engine *other = open_engine();
	ok(reaches(other, 1, ET_JOB_RUNNING, &r) && !strcmp(r.node, "b"),
		"attach: another process sees the task that runs");
	ok(reaches(other, 2, ET_JOB_UNKNOWN, &r), "attach: a part that nobody started is unknown");
	put_file("sad.1", "", 0600);
	put_file("go", "", 0600);
	ok(reaches(e, 0, ET_JOB_ENDED, &r) && r.status == 0,
		"tasks: the end of a task is reported");
	ok(reaches(e, 1, ET_JOB_ENDED, &r) && r.status == 7 && !strcmp(r.why, "no cycles left"),
		"tasks: a failure is reported with the last line of the log");
	ok(reaches(e, 2, ET_JOB_ENDED, &r) && r.status == 0, "queue: the part that waited has run");
	ET_AUTO_FREE char *input = read_whole("input.0");
	is_str(input, "{ \"it's\": 1 }\n", "tasks: the input arrives unchanged");
	e->ops->close(other);
	e->ops->close(e);
	drop_file("go");
	drop_file("sad.1");
}

/* A host that is silent keeps its task for a while; then another host gets it. */
static void test_silence(void)
{
	struct et_engine *e = open_engine();
	struct et_ssh *s = (struct et_ssh *)e;
	struct et_job first = { 10, NULL };
	struct et_job_report r;

	submit(e, &first, 1, 1);
	ok(reaches(e, 10, ET_JOB_RUNNING, &r) && !strcmp(r.node, "a"), "silence: the task runs");
	put_file("down.a", "ssh: connect to host a port 22: Connection refused\n", 0600);
	struct et_error err;
	r = (struct et_job_report){ .part = 10 };
	ok(e->ops->poll(e, &r, 1, &err) == 0 && !s->hosts[0].silent_since_ns,
		"silence: a host with a task is not asked at every poll");
	s->hosts[0].ask_again_ns = 0;
	r = (struct et_job_report){ .part = 10 };
	ok(e->ops->poll(e, &r, 1, &err) == 0 && r.state == ET_JOB_RUNNING &&
			strstr(r.why, "no sshd"),
		"silence: a lost connection changes nothing, and the reason is known");
	struct et_engine *other = open_engine();
	r = (struct et_job_report){ .part = 10 };
	ok(other->ops->poll(other, &r, 1, &err) == 0 && r.state == ET_JOB_WAITING,
		"silence: who attaches waits for the host that may run it");
	other->ops->close(other);
	s->lost_ns = 1;
	ok(reaches(e, 10, ET_JOB_UNKNOWN, &r), "silence: after a time the part is given up there");
	submit(e, &first, 1, 2);
	ok(reaches(e, 10, ET_JOB_RUNNING, &r) && !strcmp(r.node, "b") && r.generation == 2,
		"silence: the next attempt runs on another host");
	drop_file("down.a");
	s->lost_ns = UINT64_C(300000000000);
	s->hosts[0].ask_again_ns = 0;
	ok(reaches(e, 10, ET_JOB_RUNNING, &r) && !strcmp(r.node, "b") && r.generation == 2,
		"silence: the zombie of the first attempt is not reported");
	ok(e->ops->cancel(e, &err) == 0, "cancel: all tasks are ended");
	ok(reaches(e, 10, ET_JOB_ENDED, &r) && r.status == 143,
		"cancel: the task ended by SIGTERM");
	e->ops->close(e);
}

/* An answer that was lost: the same host is asked again, and the task runs once. */
static void test_unsure(void)
{
	struct et_engine *e = open_engine();
	struct et_ssh *s = (struct et_ssh *)e;
	struct et_job_report r;

	drop_file("started");
	submit(e, &(struct et_job){ 20, "a" }, 1, 1);
	ok(reaches(e, 20, ET_JOB_RUNNING, &r), "unsure: the task runs");
	s->jobs[0].state = ET_SSH_UNSURE;
	ok(reaches(e, 20, ET_JOB_RUNNING, &r), "unsure: the host knows that it runs");
	s->jobs[0].state = ET_SSH_QUEUED;
	s->hosts[0].running = false;
	ok(reaches(e, 20, ET_JOB_RUNNING, &r), "unsure: a second start finds the first");
	put_file("go", "", 0600);
	ok(reaches(e, 20, ET_JOB_ENDED, &r) && r.status == 0, "unsure: it ends");
	ET_AUTO_FREE char *started = read_whole("started");
	ok(started[0] && strchr(started, '\n')[1] == '\0', "unsure: it was started once");
	drop_file("go");
	e->ops->close(e);
}

/* The process is gone and left no exit status, as after a reboot. */
static void test_killed(void)
{
	struct et_engine *e = open_engine();
	struct et_job_report r;

	submit(e, &(struct et_job){ 30, "a" }, 1, 1);
	ok(reaches(e, 30, ET_JOB_RUNNING, &r), "killed: the task runs");
	ET_AUTO_FREE char *pid =
		read_whole("home.a/.local/state/etalon/tasks/0123-campaign/a/30.1/pid");
	ok(atoi(pid) > 1 && kill(-atoi(pid), SIGKILL) == 0, "killed: its group is killed");
	ok(reaches(e, 30, ET_JOB_UNKNOWN, &r), "killed: the part is to be submitted again");
	e->ops->close(e);
}

static void test_lines(void)
{
	static const char *const bad[] = { "", "1", "1.1", "1.1 ", "x.1 running", "1.1 runs",
		"1.1 ended", "1.1 ended x", "1.1 ended 999", "99999999999.1 lost", "5.0 lost",
		"-1.1 lost", NULL };
	struct et_engine *e = open_engine();
	struct et_ssh *s = (struct et_ssh *)e;

	for (const char *const *b = bad; *b; b++) {
		ET_AUTO_FREE char *line = et_strdup(*b);
		ok(!et_ssh_read_state(s, 0, line), "states: '%s' is no state", *b);
	}
	char good[] = "5.2 ended 4 a \033[31mb";
	ok(et_ssh_read_state(s, 1, good) && s->n_jobs == 1 && s->jobs[0].status == 4 &&
			!strcmp(s->jobs[0].why, "a  [31mb"),
		"states: control characters of a log are not passed on");
	e->ops->close(e);
}

int main(void)
{
	prepare();
	test_hosts();
	struct et_engine *e = open_engine();
	test_ask(e);
	test_failures(e);
	e->ops->close(e);
	test_lines();
	test_queue();
	test_silence();
	test_unsure();
	test_killed();
	ET_AUTO_FREE char *remove = et_asprintf("rm -rf '%s'", top);
	ok(system(remove) == 0, "the temporary folder is removed");
	return tap_done();
}
