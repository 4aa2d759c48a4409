/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which files real programs use, as the kernel's notifications show them. */
#include "measure/child/scout.h"
#include "base/base.h"
#include "base/parse.h"
#include "host/host.h"
#include "measure/child/runner.h"
#include "measure/child/scout_calls.h"
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/limits.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static struct et_interrupt interrupt;
static struct et_error err;
static char here[PATH_MAX];
static bool works; /* this kernel or container allows to scout */
static bool has_actor;

/* Calls that are hard to make with a shell. */
static const char actor[] =
	"#define _GNU_SOURCE\n"
	"#include <arpa/inet.h>\n#include <fcntl.h>\n#include <linux/filter.h>\n"
	"#include <linux/seccomp.h>\n#include <pthread.h>\n#include <stdio.h>\n"
	"#include <stdlib.h>\n#include <string.h>\n#include <sys/file.h>\n"
	"#include <sys/prctl.h>\n#include <sys/socket.h>\n#include <sys/syscall.h>\n"
	"#include <sys/un.h>\n#include <unistd.h>\n"
	"static void *thread(void *p) { close(creat(p, 0600)); return p; }\n"
	"int main(int n, char **a) {\n"
	" const char *what = n > 1 ? a[1] : \"\";\n"
	" if (!strcmp(what, \"threads\")) { pthread_t t[4];\n"
	"  char *names[] = { \"t0\", \"t1\", \"t2\", \"t3\" };\n"
	"  for (int i = 0; i < 4; i++) pthread_create(&t[i], 0, thread, names[i]);\n"
	"  for (int i = 0; i < 4; i++) pthread_join(t[i], 0); return 0; }\n"
	" if (!strcmp(what, \"folder\")) { int d = open(\"sub\", O_PATH | O_DIRECTORY);\n"
	"  return openat(d, \"inner\", O_CREAT | O_WRONLY, 0600) < 0; }\n"
	" if (!strcmp(what, \"chdir\")) { return chdir(\"sub\") || creat(\"moved\", 0600) < 0; }\n"
	" if (!strcmp(what, \"bind\")) { struct sockaddr_in s = { AF_INET, htons(atoi(a[2])) };\n"
	"  bind(socket(AF_INET, SOCK_STREAM, 0), (void *)&s, sizeof(s)); return 0; }\n"
	" if (!strcmp(what, \"unix\")) { struct sockaddr_un s = { AF_UNIX, \"sock\" };\n"
	"  return bind(socket(AF_UNIX, SOCK_STREAM, 0), (void *)&s, sizeof(s)); }\n"
	" if (!strcmp(what, \"flock\")) { int f = open(\"lock\", O_RDWR | O_CREAT, 0600);\n"
	"  return flock(f, LOCK_EX); }\n"
	" if (!strcmp(what, \"fcntl\")) { int f = open(\"lock2\", O_RDWR | O_CREAT, 0600);\n"
	"  struct flock l = { .l_type = F_WRLCK }; return fcntl(f, F_SETLK, &l); }\n"
	" if (!strcmp(what, \"rdwr\")) { char c; int f = open(a[2], O_RDWR);\n"
	"  if (n > 3 && pwrite(f, \"x\", 1, 0) != 1) return 1;\n"
	"  return read(f, &c, 1) != 1; }\n"
	" if (!strcmp(what, \"many\")) { for (int i = 0; i < atoi(a[2]); i++)\n"
	"  close(open(\"data\", O_RDONLY)); return 0; }\n"
	" if (!strcmp(what, \"names\")) { for (int i = 0; i < atoi(a[2]); i++) {\n"
	"  char name[32]; sprintf(name, \"many.%d\", i); close(creat(name, 0600));\n"
	"  unlink(name); } return 0; }\n"
	" if (!strcmp(what, \"listen\")) { struct sock_filter f = { 6, 0, 0, 0x7fff0000 };\n"
	"  struct sock_fprog p = { 1, &f }; prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);\n"
	"  return syscall(SYS_seccomp, 1, 8, &p) < 0 ? 9 : 0; }\n"
	" if (!strcmp(what, \"bad\")) { open((char *)1, O_RDONLY); open(\"\", O_WRONLY | "
	"O_CREAT);\n"
	"  bind(-1, (void *)1, -1); rename((char *)-1, \"x\"); return 0; }\n"
	" return 0; }\n";

/*
 * A file system whose server is the program: with one argument, it opens a file of it and ends; its
 * server opens another while it answers. With two, it never answers.
 */
static const char server[] =
	"#include <linux/fuse.h>\n#include <sys/mount.h>\n#include <sys/stat.h>\n"
	"#include <errno.h>\n#include <fcntl.h>\n#include <stdio.h>\n#include <string.h>\n"
	"#include <unistd.h>\n"
	"static char in[1 << 20];\n"
	"static void answer(int fd, int error, const void *data, size_t n) {\n"
	" char out[4096]; struct fuse_in_header *h = (void *)in;\n"
	" struct fuse_out_header *o = (void *)out;\n"
	" o->len = sizeof(*o) + n; o->error = error; o->unique = h->unique;\n"
	" if (n) memcpy(o + 1, data, n);\n"
	" if (write(fd, out, o->len) < 0) _exit(5); }\n"
	"int main(int n, char **a) {\n"
	" char text[99]; int fd = open(\"/dev/fuse\", O_RDWR);\n"
	" sprintf(text, \"fd=%d,rootmode=40000,user_id=0,group_id=0\", fd);\n"
	" if (mount(\"t\", a[1], \"fuse\", 0, text) < 0) return 1;\n"
	" if (n > 2) { close(creat(a[2], 0600)); for (;;) pause(); }\n"
	" if (!fork()) { sprintf(text, \"%s/x\", a[1]); close(fd); open(text, O_RDONLY);\n"
	"  umount2(a[1], MNT_DETACH); _exit(0); }\n"
	" while (read(fd, in, sizeof(in)) > 0) {\n"
	"  struct fuse_in_header *h = (void *)in;\n"
	"  struct fuse_init_out init = { .major = 7, .minor = 31, .max_write = 4096 };\n"
	"  struct fuse_attr_out attr = { .attr = { .ino = 1, .mode = S_IFDIR | 0755, .nlink = 2 } "
	"};\n"
	"  if (h->opcode == FUSE_INIT) answer(fd, 0, &init, sizeof(init));\n"
	"  else if (h->opcode == FUSE_GETATTR) answer(fd, 0, &attr, sizeof(attr));\n"
	"  else if (h->opcode == FUSE_LOOKUP) { close(open(\"/etc/hostname\", O_RDONLY));\n"
	"   answer(fd, -ENOENT, 0, 0); }\n"
	"  else answer(fd, -ENOSYS, 0, 0); }\n"
	" return 0; }\n";

static void make(const char *name, const char *text)
{
	FILE *f = fopen(name, "w");

	if (!f || fputs(text, f) < 0 || fclose(f))
		tap_bail("cannot write %s", name);
}

static struct et_experiment *experiment(const char *command)
{
	struct et_experiment *e = et_calloc(1, sizeof(*e));

	et_host_read("", &e->host);
	e->n_commands = 1;
	e->commands = et_calloc(1, sizeof(*e->commands));
	e->commands[0].name = et_strdup(command);
	if (et_split_words(command, &e->commands[0].argv, &err))
		tap_bail("%s", err.what);
	return e;
}

static struct {
	int rc, exit_code, signal;
	uint32_t marks;
	struct et_files files;
} got;

static void scout(enum et_scout_request how, const char *command)
{
	struct et_experiment *e = experiment(command);
	struct et_runner *r = NULL;
	struct et_sample s[2];
	struct et_request q = { .arrangement = ET_SOLO, .warmup = true, .scout = how };

	et_files_free(&got.files);
	got.rc = et_runner_open(e, environ, &interrupt, &r, &err);
	if (got.rc == 0) {
		struct et_executor x = et_runner_executor(r);
		got.rc = x.run(x.ctx, &q, s, &err);
		et_files_copy(&got.files, x.files(x.ctx));
	}
	if (got.rc == 0) {
		got.exit_code = s[0].measured.exit_code;
		got.signal = s[0].measured.signal;
		got.marks = s[0].ruling.marks;
		et_sample_free(&s[0]);
	}
	et_runner_close(r);
	et_experiment_free(e);
}

/* The uses of a name in this folder, or of one that is absolute or no path. */
static uint32_t uses(const char *name)
{
	ET_AUTO_FREE char *full = strchr(name, '/') == name || strchr(name, ' ')
					  ? et_strdup(name)
					  : et_asprintf("%s/%s", here, name);

	for (size_t i = 0; i < got.files.n; i++) {
		if (!strcmp(got.files.list[i].name, full))
			return got.files.list[i].uses;
	}
	return 0;
}

static void run(const char *command)
{
	scout(ET_SCOUT_CALLS, command);
}

static void shells(void)
{
	run("sh -c 'cat data > out; sort -o sorted data; mv sorted moved'");
	ok(got.rc == 0 && got.exit_code == 0 && got.files.scouted == ET_SCOUTED_CALLS,
		"scout: a shell and its children run as always");
	ok(got.marks & ET_MARK_SCOUTED, "scout: the sample is marked");
	ok(uses("out") == ET_FILE_WRITTEN, "scout: a redirection is written");
	ok(uses("data") == ET_FILE_READ, "scout: the input of a child is read");
	ok(uses("moved") == ET_FILE_REPLACED && (uses("sorted") & ET_FILE_REMOVED),
		"scout: mv removes one name and replaces the other");
	ok(!uses("/dev/null") && uses("/etc/ld.so.cache") == ET_FILE_READ,
		"scout: devices are left out, files of the system are not");
	run("sh -c 'echo x >> out'");
	ok(uses("out") == ET_FILE_WRITTEN, "scout: a log that grows is written");
	run("awk 'BEGIN { print 1 > \"of-awk\"; while ((getline x < \"data\") > 0) n++ }'");
	ok(uses("of-awk") == ET_FILE_WRITTEN && uses("data") == ET_FILE_READ,
		"scout: files of awk are found");
	run("sh -c 'mkdir made; rmdir made; ln -s data link; rm link; rm -f nothing'");
	ok((uses("made") & ET_FILE_REPLACED) && (uses("made") & ET_FILE_REMOVED) &&
			(uses("link") & ET_FILE_REMOVED) && !uses("nothing"),
		"scout: folders and links are made and removed, but not what does not exist");
	run("sh -c 'cat < nosuch'");
	ok(got.exit_code != 0 && !uses("nosuch"), "scout: a file that does not exist is not read");
	run("./nosuch");
	ok(got.rc == -ENOENT, "scout: a program that does not exist is refused");
	make("script", "#!/nosuch/interpreter\n");
	chmod("script", 0700);
	run("./script");
	ok(got.rc == -ENOENT, "scout: a failure of execve() is reported");
	run("ls out/");
	ok(got.exit_code != 0 && !uses("out/"), "scout: a call that fails has no use");
	run("sh -c 'kill -9 $$'");
	ok(got.signal == SIGKILL && got.files.scouted == ET_SCOUTED_CALLS,
		"scout: a program that is killed ends");
	run("sh -c 'sleep 100 & setsid sh -c \"sleep 100; : > late\" & exit 0'");
	ok(got.rc == 0 && (got.marks & ET_MARK_LEFTOVERS) && waitpid(-1, NULL, WNOHANG) < 0,
		"scout: processes that the program leaves are ended");
}

static void names(void)
{
	make("new\nline", "x");
	run("sh -c 'cat new*line > \"$(printf \"esc\\033[31m\\377\")\"'");
	ok(uses("new\\x0aline") == ET_FILE_READ, "scout: a line feed in a name is escaped");
	ok(uses("esc\\x1b[31m\\xff") == ET_FILE_WRITTEN,
		"scout: an escape and a byte that is no UTF-8 are escaped");
	run("sh -c 'd=$(printf \"%0200d\" 0); mkdir -p $d/$d/$d; cd $d/$d/$d; : > far'");
	char far[700];
	snprintf(far, sizeof(far), "%0200d/%0200d/%0200d/far", 0, 0, 0);
	ok(uses(far) == ET_FILE_WRITTEN, "scout: a long name is complete");
	ok(symlink("data", "alias") == 0, "a symbolic link can be made");
	run("cat alias sub/../data");
	ok(uses("data") == ET_FILE_READ && !uses("alias"), "scout: two names of one file agree");
}

static void actors(void)
{
	if (!has_actor) {
		for (int i = 0; i < 13; i++)
			skip("scout: there is no compiler");
		return;
	}
	run("./actor threads");
	ok(uses("t0") && uses("t1") && uses("t2") && uses("t3"),
		"scout: files of threads and of a static program are found");
	run("./actor folder");
	ok(uses("sub/inner") == ET_FILE_WRITTEN, "scout: a name relative to a descriptor is found");
	run("./actor chdir");
	ok(uses("sub/moved") == ET_FILE_WRITTEN, "scout: a name after chdir() is found");
	run("./actor bind 0");
	ok(got.files.n == 0, "scout: a port that the kernel chooses is no name");
	run("./actor bind 45678");
	ok(uses("port 45678") == ET_FILE_BOUND, "scout: a port is bound");
	run("./actor unix");
	ok(uses("sock") & ET_FILE_BOUND, "scout: a socket in the folder is bound");
	run("./actor flock");
	ok(uses("lock") & ET_FILE_LOCKED, "scout: flock() locks");
	run("./actor fcntl");
	ok(uses("lock2") & ET_FILE_LOCKED, "scout: fcntl() locks");
	run("./actor rdwr data");
	ok(uses("data") == ET_FILE_READ, "scout: a file opened for both and not written is read");
	run("./actor rdwr data x");
	ok(uses("data") & ET_FILE_WRITTEN, "scout: a file opened for both and written is written");
	run("./actor many 100000");
	ok(got.exit_code == 0 && uses("data") == ET_FILE_READ,
		"scout: a program may open files 100,000 times");
	run("./actor names 6000");
	ok(got.exit_code == 0 && got.files.n == ET_FILES_SEEN && got.files.left_out > 0 &&
			got.files.scouted == ET_SCOUTED_PARTLY,
		"scout: names beyond the limit are counted, and what they share is not known");
	run("./actor bad");
	ok(got.exit_code == 0, "scout: wrong pointers do no harm");
}

static void unfit(void)
{
	if (!has_actor) {
		skip("scout: there is no compiler");
		return;
	}
	run("sh -c ': > lock3; ./actor listen; echo $? > status; rm lock3'");
	ok(got.files.scouted == ET_SCOUTED_UNFIT && got.exit_code == 0 && access("lock3", F_OK) < 0,
		"scout: a program that is a listener itself is refused that, and can tidy up");
	scout(ET_SCOUT_CHANGES, "./actor listen");
	ok(got.exit_code == 0, "scout: it works in the run without");
}

/* Its own file system opens a file of another while etalon looks at one of its own. */
static void stuck(void)
{
	if (geteuid() || access("/dev/fuse", R_OK) || system("cc -o server fuse.c 2>/dev/null") ||
		system("mkdir mounted && ./server mounted 2>/dev/null")) {
		skip("scout: this takes root, a compiler and FUSE");
		skip("scout: this takes root, a compiler and FUSE");
		return;
	}
	run("./server mounted");
	ok(got.rc == 0 && got.exit_code == 0 && got.files.scouted == ET_SCOUTED_UNFIT,
		"scout: a program that serves the files that it opens ends as always");
	pid_t pid = fork();
	if (pid == 0) {
		execl("./server", "server", "mounted", "dead", NULL);
		_exit(9);
	}
	while (access("dead", F_OK) < 0 && waitpid(pid, NULL, WNOHANG) == 0)
		usleep(1000);
	run("sh -c 'exit 3'");
	int code = got.exit_code;
	scout(ET_SCOUT_CHANGES, "sh -c ': mounted/x'");
	ok(code == 3 && got.rc == 0 && got.exit_code == 0,
		"scout: a mount whose server does not answer does not stop etalon");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	if (system("umount -l mounted"))
		tap_bail("cannot unmount");
}

/* As another user: root needs no no_new_privs, so setuid programs keep their meaning there. */
static void privileged(void)
{
	if (geteuid() != 0 || !has_actor ||
		system("cp actor suid && chmod 4755 suid && chmod 755 . && mkdir -m 777 made")) {
		for (int i = 0; i < 3; i++)
			skip("scout: this takes root and a compiler");
		return;
	}
	run("./suid");
	ok(got.exit_code == 0 && got.files.scouted == ET_SCOUTED_CALLS,
		"scout: root executes a setuid program");
	pid_t pid = fork();
	if (pid == 0) {
		if (setgid(65534) || setuid(65534))
			_exit(9);
		run("sh -c 'umask 0; : > made/lock4; ./suid; rm made/lock4'");
		bool tidy = got.files.scouted == ET_SCOUTED_UNFIT && got.exit_code == 0 &&
			    access("made/lock4", F_OK) < 0;
		run("cat data");
		_exit((tidy ? 0 : 1) + (uses("data") == ET_FILE_READ ? 0 : 2));
	}
	int status = 0;
	waitpid(pid, &status, 0);
	ok(WIFEXITED(status) && !(WEXITSTATUS(status) & 1),
		"scout: a setuid program that lacks its privileges spoils the run, and is not "
		"ended");
	ok(WIFEXITED(status) && !(WEXITSTATUS(status) & 2), "scout: it needs no privileges");
}

/* There is one listener per task, so this process and its children cannot have ours. */
static void refused(void)
{
	struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	struct sock_fprog program = { 1, &allow };
	int status = 0;

	pid_t pid = fork();
	if (pid == 0) {
		prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
		if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER,
			    &program) < 0)
			_exit(9);
		run("sh -c 'cat data >instead'");
		bool told = got.files.scouted == ET_SCOUTED_REFUSED && got.exit_code == 0;
		scout(ET_SCOUT_CHANGES, "sh -c 'cat data >instead'");
		_exit(told && uses("instead") == ET_FILE_WRITTEN ? 0 : 1);
	}
	waitpid(pid, &status, 0);
	ok(WIFEXITED(status) && WEXITSTATUS(status) == 0,
		"scout: where the filter is refused, changes are looked at instead");
}

static void changes(void)
{
	scout(ET_SCOUT_CHANGES, "sh -c 'cat data >changed; rm -f out'");
	ok(uses("changed") == ET_FILE_WRITTEN && uses("out") == ET_FILE_REMOVED &&
			uses("data") == ET_FILE_READ && !(got.marks & ET_MARK_SCOUTED),
		"changes: files of the folder and of the words are compared");
	scout(ET_SCOUT_CHANGES, "sh -c ': >sub/deep'");
	ok(uses("sub/deep") == ET_FILE_WRITTEN, "changes: a file in the words is compared");
	make("data", "y\n");
}

/* The filter is a program of the kernel: its jumps must stay inside. */
static void filter(void)
{
	struct sock_filter program[ET_SCOUT_PROGRAM];
	size_t rows, n = et_scout_program(program), wrong = 0;

	et_scout_rows(&rows);
	for (size_t i = 0; i < n; i++) {
		if (BPF_CLASS(program[i].code) == BPF_JMP)
			wrong += i + 1 + program[i].jt >= n || i + 1 + program[i].jf >= n;
	}
	ok(n <= ET_SCOUT_PROGRAM && !wrong && (!rows || n > rows), "the filter has %zu steps", n);
}

/* A file that changed just now may change again without another time, so it counts as written. */
static void wait_until_old(const char *name)
{
	struct timespec now;
	struct stat st;

	do {
		usleep(1000);
		clock_gettime(CLOCK_REALTIME, &now);
	} while (stat(name, &st) == 0 && (now.tv_sec - st.st_ctim.tv_sec) * 1000000000LL +
							 now.tv_nsec - st.st_ctim.tv_nsec <
						 60000000);
}

int main(void)
{
	char folder[] = "/tmp/etalon-scout-XXXXXX";

	if (!mkdtemp(folder) || chdir(folder) || !realpath(".", here) || mkdir("sub", 0700))
		tap_bail("cannot make a folder");
	make("data", "x\n");
	make("actor.c", actor);
	make("fuse.c", server);
	has_actor =
		system("cc -static -pthread -o actor actor.c 2>/dev/null || cc -pthread -o actor "
		       "actor.c 2>/dev/null") == 0;
	wait_until_old("data");
	filter();
	run("true");
	works = got.files.scouted == ET_SCOUTED_CALLS;
	if (works) {
		shells();
		names();
		actors();
		unfit();
		stuck();
		privileged();
		refused();
	} else {
		skip("scout: this kernel or container does not allow it");
	}
	changes();
	ET_AUTO_FREE char *clean = et_asprintf("chmod -R u+w %s; rm -rf %s", folder, folder);
	if (chdir("/") || system(clean))
		tap_bail("cannot remove %s", folder);
	et_files_free(&got.files);
	return tap_done();
}
