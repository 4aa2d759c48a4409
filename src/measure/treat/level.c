/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/parse.h"
#include "base/sysroot.h"
#include "host/host.h"
#include "measure/child/environ.h"
#include "measure/child/privilege.h"
#include "measure/treat/treatment.h"

#include <linux/mempolicy.h>
#include <sys/stat.h>
#include <sys/syscall.h>

/* One level of a factor, and the member of *t that it sets. */
struct reading {
	const char *root;
	const struct et_design_factor *f;
	const char *text;
	struct et_child_treatment *t;
	struct et_error *err;
};

/* The level itself is wrong. */
static int wrong(const struct reading *r, const char *why)
{
	return et_fail(
		r->err, EINVAL, ET_EXIT_USAGE, "factor %s: '%s' %s", r->f->name, r->text, why);
}

/* The machine cannot set it. */
static int impossible(const struct reading *r, int errnum, const char *why)
{
	return et_fail(r->err, errnum, ET_EXIT_ENVIRONMENT, "factor %s: cannot set '%s': %s",
		r->f->name, r->text, why);
}

static int read_whole(const struct reading *r, int64_t *out)
{
	const struct et_factor_kind *k = &et_factor_kinds[r->f->kind];
	char what[128];

	snprintf(what, sizeof(what), "factor %s", r->f->name);
	return et_parse_i64(what, r->text, k->lo, k->hi, out, r->err);
}

/* The place of the level among the choices of its kind. */
static int read_choice(const struct reading *r, int64_t *out)
{
	const char *const *choices = et_factor_kinds[r->f->kind].choices;
	ET_AUTO_FREE char *list = NULL;

	for (int i = 0; choices[i]; i++) {
		if (!strcmp(choices[i], r->text)) {
			*out = i;
			return 0;
		}
		et_append(&list, ", ", "%s", choices[i]);
	}
	return et_hint(r->err, wrong(r, "is not one of its levels"), "use one of: %s", list);
}

/* Sets a member of 32 bits to the number, or to the place of the choice. */
static int read_number(const struct reading *r)
{
	static const size_t offsets[ET_KINDS_OF_FACTORS] = {
		[ET_KIND_THREADS] = offsetof(struct et_child_treatment, threads),
		[ET_KIND_AFFINITY] = offsetof(struct et_child_treatment, placement),
		[ET_KIND_NICE] = offsetof(struct et_child_treatment, nice),
		[ET_KIND_LOAD] = offsetof(struct et_child_treatment, load),
	};
	int64_t n = 0;
	int rc = et_factor_kinds[r->f->kind].choices ? read_choice(r, &n) : read_whole(r, &n);

	*(int32_t *)(void *)((char *)r->t + offsets[r->f->kind]) = (int32_t)n;
	return rc;
}

/* --- environment --- */

const char *et_treatment_variable(const struct et_design_factor *f)
{
	if (f->variable)
		return f->variable;
	return f->kind == ET_KIND_ENVIRONMENT_SIZE ? ET_PAD_VARIABLE : f->name;
}

static int check_name(const struct reading *r, const char *name)
{
	if (!*name || strchr(name, '='))
		return et_refuse(r->err, "use letters, digits and underscores",
			"factor %s: '%s' is not the name of an environment variable", r->f->name,
			name);
	return 0;
}

static int read_environment(const struct reading *r)
{
	int64_t bytes;
	int rc = r->f->kind == ET_KIND_ENVIRONMENT_SIZE ? read_whole(r, &bytes) : 0;

	return rc ? rc : check_name(r, et_treatment_variable(r->f));
}

static int read_environment_name(const struct reading *r)
{
	const char *first = r->f->levels[0];
	int rc = check_name(r, r->text);

	if (rc || strlen(r->text) == strlen(first))
		return rc;
	return et_refuse(r->err,
		"use names of equal length, which leave the size of the environment as it is",
		"factor %s: '%s' and '%s' differ in length", r->f->name, first, r->text);
}

/* --- CPUs --- */

static int read_cpu(const struct reading *r)
{
	char what[128], list[256];
	cpu_set_t allowed;

	snprintf(what, sizeof(what), "factor %s", r->f->name);
	int rc = et_parse_cpus(what, r->text, &r->t->cpus, r->err);
	if (rc)
		return rc;
	r->t->sets_cpus = true;
	/* The CPUs that programs may use; of a captured machine, those that are online. */
	bool known = *r->root ? et_host_cpus(r->root, &allowed, "/sys/devices/system/cpu/online")
			      : sched_getaffinity(0, sizeof(allowed), &allowed) == 0;
	if (!known)
		return impossible(r, ENOTSUP, "the CPUs of this machine are not known");
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &r->t->cpus) || CPU_ISSET(cpu, &allowed))
			continue;
		return et_hint(r->err,
			et_fail(r->err, ENODEV, ET_EXIT_ENVIRONMENT,
				"factor %s: cannot set '%s': CPU %d does not exist, is offline or "
				"is not allowed for this process",
				r->f->name, r->text, cpu),
			"use CPUs of this list: %s", et_format_cpus(&allowed, list, sizeof(list)));
	}
	return 0;
}

/* --- scheduling --- */

/* "NAME" or "NAME:MORE". */
struct mode {
	const char *name; /* NULL ends a list */
	int value;
	bool has_more;
};

/* Finds the mode that the level names, and *more after the colon; NULL: there is none. */
static const struct mode *find_mode(
	const struct reading *r, const struct mode *m, const char **more)
{
	size_t len = strcspn(r->text, ":");
	bool has_more = r->text[len] == ':';

	*more = r->text + len + has_more;
	while (m->name && (strlen(m->name) != len || strncmp(r->text, m->name, len) ||
				  m->has_more != has_more))
		m++;
	return m->name ? m : NULL;
}

static int read_sched(const struct reading *r)
{
	static const struct mode policies[] = { { "other", SCHED_OTHER, false },
		{ "batch", SCHED_BATCH, false }, { "idle", SCHED_IDLE, false },
		{ "fifo", SCHED_FIFO, true }, { "rr", SCHED_RR, true }, { 0 } };
	const char *more;
	const struct mode *mode = find_mode(r, policies, &more);
	uint64_t priority = 0;
	char what[128];

	if (!mode)
		return et_hint(r->err, wrong(r, "is not a scheduling class"),
			"use other, batch, idle, fifo:N or rr:N (N from 1 to 99)");
	snprintf(what, sizeof(what), "factor %s: priority of '%s'", r->f->name, r->text);
	r->t->sets_policy = true;
	r->t->policy = mode->value;
	int rc = mode->has_more ? et_parse_u64(what, more, 1, 99, &priority, r->err) : 0;
	r->t->priority = (int)priority;
	return rc;
}

/* --- addresses and memory --- */

static int read_aslr(const struct reading *r)
{
	int64_t choice = 0;
	int rc = read_choice(r, &choice);

	if (rc)
		return rc;
	r->t->aslr = choice == 0 ? ET_ASLR_ON : ET_ASLR_OFF;
	if (choice == 0 && !et_child_randomises(r->root))
		return et_hint(r->err,
			impossible(r, ENOTSUP,
				"this machine randomises no addresses "
				"(kernel.randomize_va_space is 0)"),
			"run 'sysctl kernel.randomize_va_space=2' as root, or omit this level");
	return 0;
}

/* Reads "0-1,3" into the bits of the policy; all of them must exist. */
static int read_nodes(const struct reading *r, const char *text, struct et_memory_policy *policy)
{
	const size_t bits = 8 * sizeof(policy->nodes[0]);
	char what[128], list[256] = "0";
	cpu_set_t nodes, online; /* the kernel writes both lists alike */

	snprintf(what, sizeof(what), "factor %s: nodes of '%s'", r->f->name, r->text);
	int rc = et_parse_cpus(what, text, &nodes, r->err);
	if (rc)
		return rc;
	if (et_sysroot_line(r->root, "/sys/devices/system/node/has_memory", list, sizeof(list)) <=
			0 ||
		et_parse_cpus("nodes", list, &online, NULL)) {
		CPU_ZERO(&online);
		CPU_SET(0, &online);
	}
	for (int i = 0; i < CPU_SETSIZE; i++) {
		if (!CPU_ISSET(i, &nodes))
			continue;
		if (!CPU_ISSET(i, &online))
			return et_hint(r->err,
				impossible(r, ENODEV, "there is no such node with memory"),
				"use nodes of this list: %s", list);
		policy->nodes[(size_t)i / bits] |= 1UL << ((size_t)i % bits);
	}
	return 0;
}

static int read_memory_policy(const struct reading *r)
{
	static const struct mode modes[] = { { "default", MPOL_DEFAULT, false },
		{ "local", MPOL_LOCAL, false }, { "bind", MPOL_BIND, true },
		{ "interleave", MPOL_INTERLEAVE, true }, { "preferred", MPOL_PREFERRED, true },
		{ 0 } };
	const char *more;
	const struct mode *mode = find_mode(r, modes, &more);

	if (!mode)
		return et_hint(r->err, wrong(r, "is not a memory policy"),
			"use default, local, bind:NODES, interleave:NODES or preferred:NODE");
	if (mode->value == MPOL_PREFERRED && strpbrk(r->text, ",-"))
		return et_hint(r->err, wrong(r, "names several nodes"), "name one: preferred:0");
	r->t->sets_memory = true;
	r->t->memory.mode = mode->value;
	return mode->has_more ? read_nodes(r, more, &r->t->memory) : 0;
}

static int read_directory(const struct reading *r)
{
	free(r->t->directory);
	r->t->directory = et_strdup(r->text);
	return 0;
}

/* --- all kinds --- */

static int (*const readers[ET_KINDS_OF_FACTORS])(const struct reading *r) = {
	[ET_KIND_ENVIRONMENT] = read_environment,
	[ET_KIND_ENVIRONMENT_SIZE] = read_environment,
	[ET_KIND_ENVIRONMENT_NAME] = read_environment_name,
	[ET_KIND_ASLR] = read_aslr,
	[ET_KIND_THREADS] = read_number,
	[ET_KIND_AFFINITY] = read_number,
	[ET_KIND_CPU] = read_cpu,
	[ET_KIND_NICE] = read_number,
	[ET_KIND_SCHED] = read_sched,
	[ET_KIND_MEMORY_POLICY] = read_memory_policy,
	[ET_KIND_LOAD] = read_number,
	[ET_KIND_DIRECTORY] = read_directory,
};

int et_treatment_read_level(const char *root, const struct et_design_factor *f, const char *text,
	struct et_child_treatment *t, struct et_error *err)
{
	struct reading r = { .root = root, .f = f, .text = text, .t = t, .err = err };

	return readers[f->kind] ? readers[f->kind](&r) : 0;
}

static int check_directory(const struct reading *r)
{
	struct stat st;

	if (!r->t->directory)
		return 0;
	if (stat(r->text, &st) < 0)
		return et_fail_errno(
			r->err, errno, ET_EXIT_USAGE, "factor %s: '%s'", r->f->name, r->text);
	return S_ISDIR(st.st_mode) ? 0 : wrong(r, "is not a folder");
}

/* A process of ours tries it: the rights to do so depend on capabilities, limits and cpusets. */
static int try_level(const struct reading *r)
{
	struct et_child_setup setup = { .directory = r->t->directory };

	et_treatment_apply(r->t, &setup);
	int rc = et_child_try(&setup);
	if (rc == 0)
		return 0;
	if (rc == -EPERM || (rc == -EACCES && !r->t->directory))
		return et_hint_privilege(r->err, impossible(r, -rc, strerror(-rc)), "CAP_SYS_NICE",
			r->f->kind == ET_KIND_SCHED || r->f->kind == ET_KIND_NICE
				? "raise the limit: ulimit -r, ulimit -e"
				: NULL);
	return impossible(r, -rc, strerror(-rc));
}

int et_treatment_check(
	const char *root, const struct et_design_factor *f, size_t level, struct et_error *err)
{
	struct et_child_treatment t = { 0 };
	struct reading r = { .root = root, .f = f, .text = f->levels[level], .t = &t, .err = err };
	int rc = et_treatment_read_level(root, f, r.text, &t, err);

	if (rc == 0)
		rc = check_directory(&r);
	if (rc == 0 && !*root) /* a captured machine is not the one that we run on */
		rc = try_level(&r);
	free(t.directory);
	return rc;
}
