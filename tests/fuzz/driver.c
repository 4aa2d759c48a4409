/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs a target over its corpus and over mutants of it, and prints TAP. It ends with the first
 * input that crashes, exits, takes longer than the limit of time, or makes the process larger than
 * 1 GiB, and writes that input to a file. Under AddressSanitizer it also looks for leaks.
 *
 * Usage: driver [-n MUTANTS] [-f FIRST] [-s SEED] [-o FOLDER] [-t SECONDS] TARGET [FILE|FOLDER…]
 *        driver -l              lists the targets
 *        driver -d              the same with what they read, and what must hold
 *        driver -w FOLDER TARGET writes the inputs that the target makes itself
 *
 * A file with a name that begins with "odd-" may be refused by its parser; all others must be
 * accepted.
 */
#include "base/base.h"
#include "base/clock.h"
#include "mutate.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <locale.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>

/* Defined by the sanitizers' runtime libraries, if the program is linked with them. */
extern int __lsan_do_recoverable_leak_check(void) __attribute__((weak));
extern void __sanitizer_set_death_callback(void (*fn)(void)) __attribute__((weak));
const char *__asan_default_options(void);
const char *__lsan_default_suppressions(void);
const char *__ubsan_default_options(void);

/* libelf 0.188 keeps the names of sections of some damaged files when such a file is closed. */
const char *__lsan_default_suppressions(void)
{
	return "leak:libelf\n";
}

/* The sanitizer's own memory is counted as well, so its quarantine must be small. */
const char *__asan_default_options(void)
{
	return "detect_leaks=1:quarantine_size_mb=16:malloc_context_size=12";
}

/* gcc's runtime library for undefined behaviour does not call the death callback. */
const char *__ubsan_default_options(void)
{
	return "abort_on_error=1:print_stacktrace=1";
}

enum { LEAK_CHECK_EVERY = 2000, MOST_MIB = 1024 };

/* The run in progress; the signal handlers read it. */
static struct {
	const struct fuzz_target *target;
	const char *folder; /* for failing inputs */
	unsigned limit_s;
	const char *data; /* the present input; NULL between inputs */
	size_t size;
	volatile uint64_t number; /* of inputs so far */
	uint64_t accepted, bytes, slowest_ns;
} now;

static void say(const char *text)
{
	(void)!write(STDERR_FILENO, text, strlen(text));
}

/* Called in signal handlers and by the sanitizers: only system calls. */
static void save_input(const char *why)
{
	static char path[4096];
	static volatile bool saved;

	if (!now.data || saved)
		return;
	saved = true;
	snprintf(path, sizeof(path), "%s/%s-%s-%" PRIu64, now.folder, why, now.target->name,
		now.number);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd >= 0) {
		(void)!write(fd, now.data, now.size);
		close(fd);
	}
	say("the input is in ");
	say(path);
	say("\n");
	fuzz_remove_scratch();
}

static void on_crash(int sig)
{
	save_input("crash");
	signal(sig, SIG_DFL);
	raise(sig);
}

static void on_death(void)
{
	save_input("crash");
}

/* exit() inside the target; support.c catches _exit(). */
static void on_exit_inside(void)
{
	if (now.data) {
		say("the target has ended the process\n");
		save_input("exit");
		_exit(1);
	}
}

/*
 * A tick per second. An input hangs if it is still the same after limit_s seconds of CPU time, or
 * after six times that if the machine is busy or the target sleeps.
 */
static void on_tick(int sig)
{
	static uint64_t number, began_ns, began_cpu_ns;
	uint64_t cpu_ns = et_clock_read_ns(CLOCK_PROCESS_CPUTIME_ID);
	uint64_t now_ns = et_clock_read_ns(CLOCK_MONOTONIC);
	uint64_t limit_ns = now.limit_s * UINT64_C(1000000000);

	(void)sig;
	if (number != now.number || !now.data) {
		number = now.number;
		began_ns = now_ns;
		began_cpu_ns = cpu_ns;
	} else if (cpu_ns - began_cpu_ns > limit_ns || now_ns - began_ns > 6 * limit_ns) {
		say("the target takes too long\n");
		save_input("hang");
		_exit(1);
	}
}

static void watch(void)
{
	static const int crashes[] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT };
	static char stack[65536]; /* the crash may be a stack overflow */
	const stack_t alternate = { .ss_sp = stack, .ss_size = sizeof(stack) };
	struct sigaction tick = { .sa_handler = on_tick, .sa_flags = SA_RESTART };
	struct sigaction crash = { .sa_handler = on_crash, .sa_flags = SA_ONSTACK };
	const struct itimerval second = { { 1, 0 }, { 1, 0 } };
	const struct rlimit memory = { (rlim_t)2 << 30, (rlim_t)2 << 30 };

	sigaltstack(&alternate, NULL);
	for (size_t i = 0; i < ET_LENGTH(crashes); i++) {
		/* AddressSanitizer's handlers print more. */
		if (!__sanitizer_set_death_callback || crashes[i] == SIGABRT)
			sigaction(crashes[i], &crash, NULL);
	}
	if (__sanitizer_set_death_callback)
		__sanitizer_set_death_callback(on_death);
	else
		setrlimit(RLIMIT_AS, &memory); /* shadow memory needs terabytes of addresses */
	sigaction(SIGALRM, &tick, NULL);
	setitimer(ITIMER_REAL, &second, NULL);
	atexit(on_exit_inside);
}

static long peak_mib(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return u.ru_maxrss >> 10;
}

/* The target gets a buffer of exactly that size, so that a sanitizer sees reads beyond its end. */
static int run_one(const char *data, size_t size)
{
	char *copy = et_alloc(size);

	if (size)
		memcpy(copy, data, size);
	now.data = data;
	now.size = size;
	now.number++;
	now.bytes += size;
	uint64_t begin_ns = et_clock_read_ns(CLOCK_PROCESS_CPUTIME_ID);
	int accepted = now.target->run((const uint8_t *)copy, size);
	uint64_t took_ns = et_clock_read_ns(CLOCK_PROCESS_CPUTIME_ID) - begin_ns;
	free(copy);
	if (took_ns > now.slowest_ns)
		now.slowest_ns = took_ns;
	if (peak_mib() > MOST_MIB) {
		say("the target uses too much memory\n");
		save_input("memory");
		_exit(1);
	}
	now.data = NULL;
	now.accepted += (uint64_t)accepted;
	return accepted;
}

/* --- the corpus --- */

static void add_input(struct fuzz_corpus *c, const char *name, char *data, size_t size)
{
	ET_GROW(c->list, c->n, c->cap);
	c->list[c->n++] = (struct fuzz_input){ data, size, et_strdup(name) };
}

static void read_file(struct fuzz_corpus *c, const char *path)
{
	const char *slash = strrchr(path, '/');
	struct stat st;
	FILE *f = fopen(path, "re");

	if (!f || fstat(fileno(f), &st) < 0) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		exit(2);
	}
	char *data = et_alloc((size_t)st.st_size);
	size_t n = fread(data, 1, (size_t)st.st_size, f);
	fclose(f);
	add_input(c, slash ? slash + 1 : path, data, n);
}

static int visible(const struct dirent *e)
{
	return e->d_name[0] != '.';
}

static void read_path(struct fuzz_corpus *c, const char *path)
{
	struct dirent **names = NULL;
	int n = scandir(path, &names, visible, alphasort);

	if (n < 0)
		read_file(c, path);
	for (int i = 0; i < n; i++) {
		ET_AUTO_FREE char *inside = et_asprintf("%s/%s", path, names[i]->d_name);
		read_file(c, inside);
		free(names[i]);
	}
	free(names);
}

static void make_seeds(struct fuzz_corpus *c)
{
	char *data;
	size_t size;

	for (size_t i = 0; now.target->seed && now.target->seed(i, &data, &size); i++) {
		char name[32];
		snprintf(name, sizeof(name), "made-%zu", i);
		add_input(c, name, data, size);
	}
}

static void free_corpus(struct fuzz_corpus *c)
{
	for (size_t i = 0; i < c->n; i++) {
		free(c->list[i].data);
		free(c->list[i].name);
	}
	free(c->list);
}

static int write_seeds(const struct fuzz_corpus *c, const char *folder)
{
	for (size_t i = 0; i < c->n; i++) {
		ET_AUTO_FREE char *path = et_asprintf("%s/%s", folder, c->list[i].name);
		FILE *f = fopen(path, "we");
		if (!f || fwrite(c->list[i].data, 1, c->list[i].size, f) != c->list[i].size ||
			fclose(f)) {
			perror(path);
			return 1;
		}
	}
	return 0;
}

/* --- runs --- */

/* Returns the number of files that should have been accepted and were not. */
static size_t run_corpus(const struct fuzz_corpus *c)
{
	size_t refused = 0;

	for (size_t i = 0; i < c->n; i++) {
		bool good = run_one(c->list[i].data, c->list[i].size) ||
			    !strncmp(c->list[i].name, "odd-", 4);
		if (!good)
			printf("# %s is refused\n", c->list[i].name);
		refused += !good;
	}
	return refused;
}

static void look_for_leaks(uint64_t first, uint64_t last)
{
	if (!__lsan_do_recoverable_leak_check || !__lsan_do_recoverable_leak_check())
		return;
	fprintf(stderr, "memory leaks among the mutants %" PRIu64 " to %" PRIu64 "\n", first, last);
	_exit(1);
}

static void run_mutants(const struct fuzz_corpus *c, uint64_t seed, uint64_t first, uint64_t n)
{
	static char buf[FUZZ_LARGEST];
	uint64_t since = first, every = n < LEAK_CHECK_EVERY ? n : LEAK_CHECK_EVERY;

	look_for_leaks(0, 0); /* by the corpus */
	for (uint64_t i = first; i < first + n; i++) {
		size_t size = fuzz_mutate(now.target, c, seed, i, buf);
		run_one(buf, size);
		if (i + 1 - since == every || i + 1 == first + n) {
			look_for_leaks(since, i);
			since = i + 1;
		}
	}
}

static int list_targets(bool describe)
{
	for (const struct fuzz_target *const *t = fuzz_first; t != fuzz_end; t++) {
		if (describe)
			printf("%s: %s: %s\n", (*t)->name, (*t)->input, (*t)->holds);
		else
			puts((*t)->name);
	}
	return 0;
}

static int usage(void)
{
	fprintf(stderr, "usage: fuzz [-n MUTANTS] [-f FIRST] [-s SEED] [-o FOLDER] [-t SECONDS] "
			"[-w FOLDER] TARGET [FILE|FOLDER…], or fuzz -l or -d\n");
	return 2;
}

struct settings {
	uint64_t mutants, first, seed;
	bool mutants_given;
	const char *seeds_to; /* -w */
};

static int run_all(const struct settings *s, struct fuzz_corpus *c)
{
	uint64_t begin_ns = et_clock_read_ns(CLOCK_MONOTONIC);
	uint64_t mutants = s->mutants_given ? s->mutants : now.target->mutants;

	printf("1..2\n");
	fflush(stdout);
	watch();
	size_t refused = run_corpus(c);
	printf("%sok 1 - %s: the parser accepts the valid ones of %zu files\n",
		refused ? "not " : "", now.target->name, c->n);
	fflush(stdout);
	uint64_t accepted = now.accepted;
	run_mutants(c, s->seed, s->first, mutants);
	printf("ok 2 - %s: no mutant crashes, hangs, leaks or needs much memory\n",
		now.target->name);
	printf("# %" PRIu64 " mutants of seed %" PRIu64 ", %" PRIu64 " bytes, %" PRIu64
	       " accepted; %.1f s, slowest %.1f ms, peak %ld MiB\n",
		mutants, s->seed, now.bytes, now.accepted - accepted,
		(double)(et_clock_read_ns(CLOCK_MONOTONIC) - begin_ns) / 1e9,
		(double)now.slowest_ns / 1e6, peak_mib());
	if (__lsan_do_recoverable_leak_check)
		printf("# leaks are looked for\n");
	return refused > 0;
}

int main(int argc, char **argv)
{
	struct settings s = { .seed = 1 };
	struct fuzz_corpus c = { 0 };
	int option;

	now.folder = ".";
	now.limit_s = 10;
	while ((option = getopt(argc, argv, "n:f:s:o:t:w:ld")) != -1) {
		uint64_t number = optarg ? strtoull(optarg, NULL, 10) : 0;
		if (option == 'l' || option == 'd')
			return list_targets(option == 'd');
		if (option == 'n') {
			s.mutants = number;
			s.mutants_given = true;
		} else if (option == 'f') {
			s.first = number;
		} else if (option == 's') {
			s.seed = number;
		} else if (option == 'o') {
			now.folder = optarg;
		} else if (option == 't') {
			now.limit_s = (unsigned)number;
		} else if (option == 'w') {
			s.seeds_to = optarg;
		} else {
			return usage();
		}
	}
	now.target = optind < argc ? fuzz_find(argv[optind++]) : NULL;
	if (!now.target)
		return usage();
	setlocale(LC_CTYPE, "C.UTF-8");
	make_seeds(&c);
	while (!s.seeds_to && optind < argc)
		read_path(&c, argv[optind++]);
	int rc = s.seeds_to ? write_seeds(&c, s.seeds_to) : c.n ? run_all(&s, &c) : usage();
	free_corpus(&c);
	return rc;
}
