/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/child/run_setup.h"
#include "base/parse.h"
#include "base/shell.h"

static int choose_cpus(struct et_run_setup *s, struct et_error *err)
{
	const struct et_experiment *e = s->e;
	cpu_set_t wanted;

	/* It fails on a machine with more CPUs than a cpu_set_t holds. */
	s->pinnable = sched_getaffinity(0, sizeof(s->allowed), &s->allowed) == 0;
	if (!s->pinnable && (e->child.cpus || e->plan.metronome_ns || e->plan.pace))
		return et_fail_errno(
			err, errno, ET_EXIT_ENVIRONMENT, "cannot read the CPU affinity");
	if (e->child.cpus) {
		int rc = et_parse_cpus("--cpu", e->child.cpus, &wanted, err);
		if (rc == 0)
			rc = et_check_cpus(&wanted, &s->allowed, err);
		if (rc)
			return rc;
		s->allowed = wanted;
		s->pinned = true;
	}
	/* The last one, because the first CPUs handle most interrupts. */
	for (int cpu = CPU_SETSIZE - 1; cpu >= 0; cpu--) {
		if (CPU_ISSET(cpu, &s->allowed)) {
			CPU_SET(cpu, &s->shared);
			break;
		}
	}
	return 0;
}

static int choose_scheduler(struct et_run_setup *s, struct et_error *err)
{
	const char *text = s->e->child.sched;
	uint64_t priority;

	s->policy = SCHED_OTHER;
	if (!text || !strcmp(text, "other"))
		return 0;
	if (strncmp(text, "fifo:", 5))
		return et_fail(err, EINVAL, ET_EXIT_USAGE,
			"--sched: '%s' is not 'other' or 'fifo:N' (N from 1 to 99)", text);
	int rc = et_parse_u64("--sched fifo", text + 5, 1, 99, &priority, err);
	if (rc)
		return rc;
	s->policy = SCHED_FIFO;
	s->priority = (int)priority;
	return 0;
}

static int find_identity(struct et_run_setup *s, char *const *envp, struct et_error *err)
{
	const char *user = s->e->child.user;
	int rc = user ? et_identity_find(user, &s->identity, err) : 0;

	if (rc)
		return rc;
	if (user && geteuid() != 0 && s->identity.uid != geteuid())
		return et_hint(err,
			et_fail(err, EPERM, ET_EXIT_ENVIRONMENT, "--user %s needs root", user),
			"run etalon itself as %s, or with sudo", user);
	rc = user ? et_environ_check(s->e->child.pass_env, envp, err) : 0;
	if (rc)
		return rc;
	s->changes_user = user && geteuid() == 0;
	for (size_t i = 0; i < ET_SLOTS; i++) {
		s->envp[i] =
			et_environ_make(envp, user ? &s->identity : NULL, s->e->child.pass_env);
		if (s->e->plan.randomise_layout)
			s->envp[i] = et_environ_with_pad(s->envp[i]);
		s->envp[i] = et_environ_with_number(s->envp[i]);
	}
	s->own_envp = et_environ_with_number(et_environ_make(envp, NULL, NULL));
	return 0;
}

static int choose_treatments(
	struct et_run_setup *s, const char *root, char *const *envp, struct et_error *err)
{
	const struct et_child_spec *child = &s->e->child;

	if (!s->e->design)
		return 0;
	char **plain = et_environ_make(envp, child->user ? &s->identity : NULL, child->pass_env);
	int rc = et_treatments_make(
		root, s->e, plain, s->pinnable ? &s->allowed : NULL, &s->treatments, err);
	et_strv_free(plain);
	return rc;
}

static int check_layout(const char *root, const struct et_experiment *e, struct et_error *err)
{
	if (!e->plan.randomise_layout || et_child_randomises(root))
		return 0;
	return et_fail_hint(err, ENOTSUP, ET_EXIT_ENVIRONMENT,
		"run 'sysctl kernel.randomize_va_space=2' as root, or omit --randomise-layout",
		"--randomise-layout: this machine randomises no addresses "
		"(kernel.randomize_va_space is 0)");
}

/* In "run sleep 0.1" or "run ls /tmp" the user meant one command. */
static int hint_quotes(const struct et_experiment *e, size_t i, int rc, struct et_error *err)
{
	const char *name = e->commands[i].argv[0];
	ET_AUTO_FREE char **words = et_calloc(e->n_commands + 1, sizeof(*words));
	bool one_word_each = i && !e->child.shell;

	for (size_t k = 0; k < e->n_commands; k++) {
		words[k] = e->commands[k].argv[0];
		one_word_each = one_word_each && !e->commands[k].argv[1];
	}
	if (!one_word_each || et_shell_builtin(name) || (rc == -EACCES && strchr(name, '/')))
		return rc;
	ET_AUTO_FREE char *joined = et_join_words(words);
	return et_hint(err, rc,
		"quote a command with its arguments: '%s'; or check the name of '%s'", joined,
		name);
}

static int find_programs(struct et_run_setup *s, struct et_error *err)
{
	s->paths = et_calloc(s->e->n_commands + 1, sizeof(char *));
	for (size_t i = 0; i < s->e->n_commands; i++) {
		const struct et_child_treatment *t = et_run_setup_treatment(s, (uint32_t)i);
		const char *path = et_environ_get(t ? t->envp : s->envp[0], "PATH");
		int rc = et_child_resolve(s->e->commands[i].argv[0], path,
			t && t->directory ? t->directory : s->e->child.directory, &s->paths[i],
			err);
		if (rc)
			return hint_quotes(s->e, i, rc, err);
	}
	return 0;
}

/* Everything but the files; without `programs` only the options that they share. */
static int choose(struct et_run_setup *s, const char *root, const struct et_experiment *e,
	char *const *envp, bool programs, struct et_error *err)
{
	ET_AUTO_FREE char *here = getcwd(NULL, 0);
	const char *wanted = e->child.directory;

	*s = (struct et_run_setup){ .e = e };
	et_streams_init(&s->streams);
	s->directory = wanted && here && !strcmp(wanted, here) ? NULL : wanted;
	int rc = check_layout(root, e, err);
	if (rc == 0)
		rc = choose_cpus(s, err);
	if (rc == 0)
		rc = choose_scheduler(s, err);
	if (rc == 0)
		rc = find_identity(s, envp, err);
	if (rc == 0 && programs)
		rc = choose_treatments(s, root, envp, err);
	return rc || !programs ? rc : find_programs(s, err);
}

int et_run_setup_check(
	const struct et_experiment *e, char *const *envp, bool programs, struct et_error *err)
{
	struct et_run_setup s;
	int rc = choose(&s, "", e, envp, programs, err);

	et_run_setup_close(&s);
	return rc;
}

/* Programs of a design can have an input each, which may depend on levels. */
static int open_inputs(struct et_run_setup *s, struct et_error *err)
{
	int rc = 0;

	if (!s->treatments.list)
		return 0;
	s->inputs = et_calloc(s->treatments.n + 1, sizeof(*s->inputs));
	for (size_t i = 0; rc == 0 && i < s->treatments.n; i++) {
		const char *path = s->treatments.list[i].input;
		s->inputs[i] = -1;
		if (path && (!s->e->child.input || strcmp(path, s->e->child.input)))
			rc = et_streams_open_input(&s->streams, path, &s->inputs[i], err);
	}
	return rc;
}

int et_run_setup_open(struct et_run_setup *s, const char *root, const struct et_experiment *e,
	char *const *envp, const sigset_t *ignored, struct et_error *err)
{
	int rc = et_child_check(root, err);
	if (rc)
		return rc;
	rc = choose(s, root, e, envp, true, err);
	sigprocmask(SIG_BLOCK, NULL, &s->signals);
	et_dispositions_read(ignored, &s->dispositions);
	if (rc == 0)
		rc = et_streams_open(
			&s->streams, e->child.input, e->child.output, s->changes_user, err);
	if (rc == 0)
		rc = open_inputs(s, err);
	if (rc)
		et_run_setup_close(s);
	return rc;
}

void et_run_setup_close(struct et_run_setup *s)
{
	et_identity_free(&s->identity);
	for (size_t i = 0; i < ET_SLOTS; i++)
		et_strv_free(s->envp[i]);
	et_strv_free(s->own_envp);
	et_treatments_free(&s->treatments);
	et_strv_free(s->paths);
	free(s->inputs);
	s->inputs = NULL;
	et_streams_close(&s->streams);
}
