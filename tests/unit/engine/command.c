/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs programs: output, input, limits, descriptors, signals, and several at the same time. */
#include "engine/command.h"
#include "base/clock.h"
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

static struct et_answer answer;
static struct et_error err;

static int run_shell(const char *script, const char *input, unsigned seconds, size_t most)
{
	char *const argv[] = { (char *)"sh", (char *)"-c", (char *)script, NULL };
	char *const changes[] = { (char *)"ET_CHANGED=new", (char *)"ET_REMOVED", NULL };
	struct et_program_run c = { .argv = argv,
		.input = input,
		.input_bytes = input ? strlen(input) : 0,
		.environment = changes,
		.seconds = seconds,
		.most_bytes = most };

	et_answers_free(&answer, 1);
	memset(&err, 0, sizeof(err));
	return et_command_run(&c, &answer, &err);
}

static void test_output(void)
{
	int rc = run_shell("cat; echo words >&2; exit 3", "some text\n", 60, 1000);

	ok(rc == 0 && answer.status == 3, "command: the exit status is returned");
	is_str(answer.out, "some text\n", "command: standard input passes to standard output");
	is_str(answer.errors, "words", "command: messages are kept without the last newline");
	rc = run_shell("kill -9 $$", NULL, 60, 1000);
	ok(rc == 0 && answer.status == 137, "command: a signal is 128 and its number");
	rc = run_shell("exit 255", NULL, 60, 1000);
	char *const argv[] = { (char *)"sh", NULL };
	struct et_program_run c = { .argv = argv };
	ok(rc == 0 && et_command_failed(&c, &answer, &err) == -EIO &&
			strstr(err.what, "exit status 255"),
		"command: exit status 255 is no signal (%s)", err.what);
	volatile sig_atomic_t stop = 1;
	struct et_program_run endless = { .argv = (char *const[]){ (char *)"sleep", (char *)"60",
						  NULL },
		.seconds = 60,
		.most_bytes = 9,
		.stop = &stop };
	struct et_answer a;
	et_commands_run(&endless, &a, 1);
	ok(a.rc == -EINTR, "command: waiting ends when it is told to");
	et_answers_free(&a, 1);
	rc = run_shell("exit 0", "input that nobody reads", 60, 1000);
	ok(rc == 0 && answer.status == 0, "command: input that is not read is no error");
	rc = run_shell("wc -c", NULL, 60, 1000);
	ok(rc == 0 && strtol(answer.out, NULL, 10) == 0, "command: without input it is empty");
	rc = run_shell("echo $LC_ALL $ET_CHANGED $ET_KEPT${ET_REMOVED+removed}", NULL, 60, 1000);
	is_str(answer.out, "C new kept\n", "command: the environment is ours with the changes");
	rc = run_shell(
		"i=0; while [ $i -lt 100 ]; do echo line $i >&2; i=$((i+1)); done", NULL, 60, 9);
	ok(rc == 0 && strlen(answer.errors) == 510 && strstr(answer.errors, "line 99"),
		"command: of many messages the last are kept");
}

static void test_large(void)
{
	static char input[3000001];

	memset(input, 'x', sizeof(input) - 1);
	int rc = run_shell("cat", input, 60, sizeof(input));
	ok(rc == 0 && answer.n == sizeof(input) - 1 && !strcmp(answer.out, input),
		"command: 3 MB pass through a program");
	rc = run_shell("yes", NULL, 60, 1000000);
	ok(rc == -EMSGSIZE && answer.n == 1000000, "command: endless output is an error");
}

static void test_limits(void)
{
	uint64_t begin_ns = et_clock_read_ns(CLOCK_MONOTONIC);
	int rc = run_shell("sleep 100 & echo $!; wait", NULL, 1, 1000);
	double seconds = (double)(et_clock_read_ns(CLOCK_MONOTONIC) - begin_ns) / 1e9;
	pid_t left = (pid_t)strtol(answer.out, NULL, 10);

	ok(rc == -ETIMEDOUT && seconds < 50, "command: a program beyond its time is an error");
	is_str(err.what, "sh did not end within 1 s", "command: that error names the program");
	bool alive = true;
	for (int i = 0; alive && i < 1000; i++) {
		alive = left > 0 && kill(left, 0) == 0;
		/* A zombie without a reaper still counts as a process. */
		char path[64], state[512] = "";
		snprintf(path, sizeof(path), "/proc/%d/stat", (int)left);
		int fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd >= 0 && read(fd, state, sizeof(state) - 1) > 0 && strstr(state, ") Z "))
			alive = false;
		if (fd >= 0)
			close(fd);
		usleep(10000);
	}
	ok(!alive, "command: a program beyond its time is killed with its children");
	rc = run_shell("exec >&- 2>&-; sleep 100", NULL, 1, 1000);
	ok(rc == -ETIMEDOUT, "command: the time limit holds after the outputs are closed");
	rc = run_shell("exec nosuch-program-here", NULL, 60, 100);
	ok(rc == 0 && answer.status == 127, "command: the shell does not find a program");
	char *const argv[] = { (char *)"nosuch-program-here", NULL };
	struct et_program_run c = { .argv = argv, .seconds = 9, .most_bytes = 9 };
	et_answers_free(&answer, 1);
	rc = et_command_run(&c, &answer, &err);
	ok(rc == -ENOENT && err.exit == ET_EXIT_ENVIRONMENT && answer.out,
		"command: a program that does not exist is an error: %s", err.what);
}

static void test_inheritance(void)
{
	int fd = open("/dev/null", O_RDONLY); /* inherited unless it is closed */
	int rc = run_shell("ls /proc/self/fd | wc -l", NULL, 60, 100);

	/* ls has its own descriptor of the folder. */
	ok(rc == 0 && strtol(answer.out, NULL, 10) == 4, "command: no descriptor is inherited");
	close(fd);
	rc = run_shell("cut -d ' ' -f 5 /proc/$$/stat; echo $$", NULL, 60, 100);
	long group = strtol(answer.out, NULL, 10);
	ok(rc == 0 && group > 0 && group == strtol(strchr(answer.out, '\n'), NULL, 10),
		"command: it has a process group of its own");
}

static void test_failed(void)
{
	char *const argv[] = { (char *)"sh", (char *)"-c", (char *)"echo why >&2; exit 4", NULL };
	struct et_program_run c = { .argv = argv, .seconds = 60, .most_bytes = 9 };

	et_answers_free(&answer, 1);
	int rc = et_command_run(&c, &answer, &err);
	ok(rc == 0 && et_command_failed(&c, &answer, &err) == -EIO,
		"command: an exit status can be made an error");
	is_str(err.what, "sh failed with exit status 4", "command: the error has the status");
	is_str(err.quoted, "why", "command: the error quotes the messages");
}

/* Both wait for each other's file, so one after the other would not end. */
static void test_together(void)
{
	char folder[] = "/tmp/etalon-command.XXXXXX", script[2][256];
	struct et_program_run c[3];
	struct et_answer a[3];
	char *argv[3][4];

	if (!mkdtemp(folder))
		tap_bail("no temporary folder");
	for (int i = 0; i < 2; i++) {
		snprintf(script[i], sizeof(script[i]),
			"cd %s; >%d; until [ -e %d ]; do sleep 0.01; done; echo %d", folder, i,
			1 - i, i);
		argv[i][0] = (char *)"sh";
		argv[i][1] = (char *)"-c";
		argv[i][2] = script[i];
		argv[i][3] = NULL;
		c[i] = (struct et_program_run){ .argv = argv[i], .seconds = 100, .most_bytes = 99 };
	}
	argv[2][0] = (char *)"nosuch-program-here";
	argv[2][1] = NULL;
	c[2] = (struct et_program_run){ .argv = argv[2], .seconds = 100, .most_bytes = 99 };
	et_commands_run(c, a, 3);
	ok(!a[0].rc && !a[1].rc && !strcmp(a[0].out, "0\n") && !strcmp(a[1].out, "1\n"),
		"command: two programs run at the same time");
	ok(a[2].rc == -ENOENT, "command: a third that does not exist does not disturb them");
	et_answers_free(a, 3);
	et_commands_run(NULL, NULL, 0);
	snprintf(script[0], sizeof(script[0]), "rm -r %s", folder);
	ok(run_shell(script[0], NULL, 60, 10) == 0, "command: the folder is removed");
}

int main(void)
{
	setenv("ET_CHANGED", "old", 1);
	setenv("ET_REMOVED", "old", 1);
	setenv("ET_KEPT", "kept", 1);
	setenv("LC_ALL", "de_DE", 1);
	test_output();
	test_large();
	test_limits();
	test_inheritance();
	test_failed();
	test_together();
	et_answers_free(&answer, 1);
	return tap_done();
}
