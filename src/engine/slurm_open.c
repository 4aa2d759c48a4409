/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Opens the Slurm engine: checks the programs, the controller and what the user asked for. */
#include "base/parse.h"
#include "engine/slurm.h"

enum { CHECK_SECONDS = 20, CHECK_BYTES = 1 << 20 };

extern char **environ;

static bool begins_with(const char *text, const char *start)
{
	return !strncmp(text, start, strlen(start));
}

/* Options of an enclosing job, and passwords: Slurm stores the environment of jobs. */
static bool is_hidden(const char *entry)
{
	return (begins_with(entry, "SLURM_") && !begins_with(entry, "SLURM_CONF=") &&
		       !begins_with(entry, "SLURM_CLUSTERS=")) ||
	       begins_with(entry, "PGPASSWORD=") || begins_with(entry, "ETALON_STORE=");
}

/*
 * The variables that tasks have. Others would differ between the shells that begin and continue a
 * campaign, and the size of the environment changes timings.
 */
static bool is_exported(const char *entry)
{
	static const char *const names[] = { "PATH=", "HOME=", "USER=", "LOGNAME=", "SHELL=",
		"LANG=", "LC_", "TZ=", "LD_LIBRARY_PATH=", "XDG_DATA_HOME=", "XDG_STATE_HOME=",
		"XDG_CONFIG_HOME=", "PG", "ETALON_" };
	/* These belong to this machine. */
	static const char *const not [] = {
		"ETALON_MACHINE=", "ETALON_SYSROOT=", "ETALON_JOURNAL=", "PGDATA=", "LC_ALL="
	};

	if (is_hidden(entry))
		return false;
	for (size_t i = 0; i < ET_LENGTH(not ); i++)
		if (begins_with(entry, not [i]))
			return false;
	for (size_t i = 0; i < ET_LENGTH(names); i++)
		if (begins_with(entry, names[i]))
			return true;
	return false;
}

static void choose_environment(struct et_slurm *s)
{
	struct et_words hidden = { 0 };

	/* Lists of array tasks are cut off at 64 characters otherwise. */
	et_words_add(&hidden, "SLURM_BITSTR_LEN=0");
	et_words_add(&hidden, "SLURM_TIME_FORMAT=%%s"); /* seconds since 1970 */
	s->export = et_strdup("--export=SLURM_CONF");
	for (char **e = environ; *e; e++) {
		int n = (int)strcspn(*e, "=");
		if (is_hidden(*e))
			et_words_add(&hidden, "%.*s", n, *e);
		if (is_exported(*e) && !memchr(*e, ',', (size_t)n))
			et_append(&s->export, ",", "%.*s", n, *e);
	}
	s->environment = hidden.argv;
}

static bool is_found(const char *program)
{
	const char *path = getenv("PATH");

	for (const char *p = path ? path : "/usr/local/bin:/usr/bin:/bin"; *p;) {
		int n = (int)strcspn(p, ":");
		ET_AUTO_FREE char *file = et_asprintf("%.*s/%s", n, p, program);
		if (access(file, X_OK) == 0)
			return true;
		p += n + (p[n] == ':');
	}
	return false;
}

static int find_programs(struct et_error *err)
{
	static const char *const names[] = { "sbatch", "squeue", "scontrol", "scancel", "sinfo",
		"srun" };

	for (size_t i = 0; i < ET_LENGTH(names); i++) {
		if (!is_found(names[i]))
			return et_fail_hint(err, ENOENT, ET_EXIT_ENVIRONMENT,
				"install Slurm's programs (Debian: apt install slurm-client), or "
				"run this on a login node",
				"--engine slurm: the program %s was not found", names[i]);
	}
	return 0;
}

/* Slurm's programs wait for a minute for a file that is missing. */
static int find_configuration(struct et_error *err)
{
	const char *path = getenv("SLURM_CONF");

	if (!path || access(path, R_OK) == 0)
		return 0;
	int rc = et_fail_errno(err, errno, ET_EXIT_ENVIRONMENT,
		"--engine slurm: SLURM_CONF is '%s', which cannot be read", path);
	return et_hint(
		err, rc, "set SLURM_CONF to the cluster's slurm.conf, or run this on a login node");
}

/* `scontrol ping` answers at once; the other programs wait for a controller that is down. */
static int ping(const struct et_slurm *s, struct et_error *err)
{
	char *const argv[] = { (char *)"scontrol", (char *)"ping", NULL };
	struct et_program_run c = { .argv = argv,
		.environment = s->environment,
		.seconds = CHECK_SECONDS,
		.most_bytes = CHECK_BYTES };
	struct et_answer a;
	int rc;

	et_commands_run(&c, &a, 1);
	if (strstr(a.out, " UP")) {
		rc = 0;
	} else if (strstr(a.out, " DOWN")) {
		rc = et_fail_hint(err, ECONNREFUSED, ET_EXIT_OUTSIDE,
			"check it with 'scontrol ping'; the administrator starts slurmctld",
			"--engine slurm: the controller (slurmctld) does not answer");
	} else if (a.rc == -ETIMEDOUT) {
		rc = et_fail(err, ETIMEDOUT, ET_EXIT_OUTSIDE,
			"--engine slurm: 'scontrol ping' did not end within %d s", CHECK_SECONDS);
		rc = et_hint(err, et_quote(err, rc, a.errors),
			"the controller or the network is overloaded: try again later");
	} else {
		rc = et_fail(err, ENOENT, ET_EXIT_ENVIRONMENT,
			"--engine slurm: Slurm is not configured on this machine");
		rc = et_hint(err, et_quote(err, rc, a.errors),
			"set SLURM_CONF to the cluster's slurm.conf, or run this on a login node");
	}
	et_answers_free(&a, 1);
	return rc;
}

static int read_limits(struct et_slurm *s, struct et_error *err)
{
	ET_AUTO_FREE char *answer = NULL;
	int rc = et_slurm_call(
		s, et_strv_of("scontrol", "show", "config", NULL), NULL, &answer, err);

	if (rc)
		return rc;
	/* The defaults of Slurm. */
	if (!et_slurm_read_setting(answer, "MaxArraySize", &s->max_array))
		s->max_array = 1001;
	if (!et_slurm_read_setting(answer, "MaxJobCount", &s->max_jobs))
		s->max_jobs = 10000;
	return 0;
}

static int check_parts(const struct et_slurm *s, size_t parts, struct et_error *err)
{
	if (s->max_array < 2)
		return et_fail_hint(err, EINVAL, ET_EXIT_ENVIRONMENT,
			"ask the administrator for a MaxArraySize of 1001 or more",
			"--engine slurm: this cluster allows no job arrays (MaxArraySize=%" PRIu64
			")",
			s->max_array);
	/* The controller counts every task of an array as a job. */
	if (parts < s->max_jobs)
		return 0;
	return et_fail_hint(err, E2BIG, ET_EXIT_USAGE, "use more rounds per part (--part-rounds)",
		"--engine slurm: %zu parts are more jobs than the cluster allows "
		"(MaxJobCount=%" PRIu64 ")",
		parts, s->max_jobs);
}

/* Appends the value of each line up to '|' to a list for a message. */
static char *list_lines(const char *text)
{
	char *list = NULL;

	for (const char *p = text; *p && (!list || strlen(list) < 200);) {
		int n = (int)strcspn(p, "|\n");
		if (n)
			et_append(&list, ", ", "%.*s", n, p);
		p += strcspn(p, "\n");
		p += *p == '\n';
	}
	return list ? list : et_strdup("none");
}

/* Finds the line of the partition, or of the default one: "name|up|name*". */
static const char *find_partition(const char *text, const char *name)
{
	for (const char *p = text; *p;) {
		size_t n = strcspn(p, "|\n"), line = strcspn(p, "\n");
		bool found = name ? n == strlen(name) && !memcmp(p, name, n)
				  : line > 0 && p[line - 1] == '*';
		if (found)
			return p;
		p += line + (p[line] == '\n');
	}
	return NULL;
}

static int check_partition(const char *text, const char *name, struct et_error *err)
{
	ET_AUTO_FREE char *list = list_lines(text);
	const char *line = find_partition(text, name);

	if (!line && name)
		return et_hint(err,
			et_refuse(err, NULL, "--partition %s: the cluster has no such partition",
				name),
			"choose one of: %s", list);
	if (!line)
		return et_hint(err,
			et_refuse(
				err, NULL, "--engine slurm: this cluster has no default partition"),
			"use --partition with one of: %s", list);
	line += strcspn(line, "|\n");
	if (begins_with(line, "|up|"))
		return 0;
	int rc = et_fail(err, EBUSY, ET_EXIT_OUTSIDE, "--engine slurm: partition %s is %.*s",
		name ? name : "(default)", (int)strcspn(line + 1, "|\n"), line + 1);
	return et_hint(err, rc, "ask the administrator, or choose another of: %s", list);
}

static int check_partitions(const struct et_slurm *s, struct et_error *err)
{
	const char *names = s->setup->partition;
	ET_AUTO_FREE char *answer = NULL;
	int rc = et_slurm_call(s, et_strv_of("sinfo", "--noheader", "--format=%R|%a|%P", NULL),
		NULL, &answer, err);

	if (rc)
		return rc;
	if (!names)
		rc = check_partition(answer, NULL, err);
	/* Slurm takes the first of several partitions that can start the job. */
	for (const char *p = names; p && *p && !rc;) {
		size_t n = strcspn(p, ",");
		ET_AUTO_FREE char *one = et_strndup(p, n);
		rc = check_partition(answer, one, err);
		p += n + (p[n] == ',');
	}
	return rc;
}

/* The nodes of the partition, and of --nodes. */
static int list_nodes(const struct et_slurm *s, const char *only, struct et_slurm_node **out,
	size_t *n, struct et_error *err)
{
	static const char *const fixed[] = { "sinfo", "--noheader", "--Node",
		"--format=%N|%T|%f|%E", NULL };
	ET_AUTO_FREE char *answer = NULL;
	struct et_words w = { 0 };

	et_words_add_all(&w, fixed);
	if (s->setup->partition)
		et_words_add(&w, "--partition=%s", s->setup->partition);
	if (only)
		et_words_add(&w, "--nodes=%s", only);
	return et_slurm_call(s, w.argv, NULL, &answer, err)
		       ?: et_slurm_read_nodes(answer, out, n, err);
}

static int check_constraint(
	const struct et_slurm_node *nodes, size_t n, const char *constraint, struct et_error *err)
{
	char *features = NULL;

	for (size_t i = 0; i < n; i++) {
		if (et_slurm_node_has(nodes[i].features, constraint)) {
			free(features);
			return 0;
		}
		if ((!features ||
			    (strlen(features) < 200 && !strstr(features, nodes[i].features))) &&
			nodes[i].features[0] != '(')
			et_append(&features, "; ", "%s", nodes[i].features);
	}
	int rc = et_refuse(err, NULL, "--constraint %s: no machine has these features", constraint);
	rc = et_hint(err, rc, "use features that machines have: %s",
		features ? features : "this cluster defines none");
	free(features);
	return rc;
}

static bool has_node(const struct et_slurm_node *nodes, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(nodes[i].name, name))
			return true;
	return false;
}

/* Every name in --nodes is a node of the partition. */
static int check_names(
	const struct et_slurm *s, const struct et_slurm_node *nodes, size_t n, struct et_error *err)
{
	ET_AUTO_FREE char *answer = NULL;
	int rc =
		et_slurm_call(s, et_strv_of("scontrol", "show", "hostnames", s->setup->nodes, NULL),
			NULL, &answer, err);

	for (char *rest = answer, *p; !rc && (p = strsep(&rest, "\n"));) {
		if (*p && !has_node(nodes, n, p)) {
			rc = et_refuse(err, "list the machines with 'sinfo -N'",
				"--nodes: %s is no machine of %s", p,
				s->setup->partition ? s->setup->partition : "this cluster");
		}
	}
	return rc;
}

/* A machine that the user named must be usable; of the others, one is enough. */
static int check_usable(
	const struct et_slurm *s, const struct et_slurm_node *nodes, size_t n, struct et_error *err)
{
	char *bad = NULL;
	size_t usable = 0;
	int rc = 0;

	for (size_t i = 0; i < n; i++) {
		if (et_slurm_node_is_usable(nodes[i].state))
			usable++;
		else if (!bad || strlen(bad) < 200)
			et_append(&bad, ", ", "%s is %s (%s)", nodes[i].name, nodes[i].state,
				nodes[i].reason);
	}
	if (!usable || (bad && s->setup->nodes)) {
		rc = et_fail(err, EHOSTDOWN, ET_EXIT_OUTSIDE, "--engine slurm: %s%s",
			usable ? "" : "no machine can be used: ",
			bad ? bad : "the partition has none");
		rc = et_hint(err, rc, "%s",
			s->setup->nodes
				? "omit them from --nodes, or ask the administrator to resume them"
				: "ask the administrator to resume them, or use another "
				  "--partition");
	}
	free(bad);
	return rc;
}

/* Finds the machines of the partition that --nodes does not name. */
static int exclude_others(
	struct et_slurm *s, const struct et_slurm_node *nodes, size_t n, struct et_error *err)
{
	struct et_slurm_node *all;
	size_t n_all;
	int rc = list_nodes(s, NULL, &all, &n_all, err);

	if (rc)
		return rc;
	for (size_t i = 0; i < n_all; i++)
		if (!has_node(nodes, n, all[i].name))
			et_append(&s->exclude, ",", "%s", all[i].name);
	et_slurm_nodes_free(all, n_all);
	return 0;
}

static int check_nodes(struct et_slurm *s, struct et_error *err)
{
	struct et_slurm_node *nodes;
	size_t n;
	int rc = list_nodes(s, s->setup->nodes, &nodes, &n, err);

	if (rc)
		return rc;
	if (s->setup->nodes)
		rc = check_names(s, nodes, n, err);
	if (!rc && s->setup->constraint)
		rc = check_constraint(nodes, n, s->setup->constraint, err);
	if (!rc)
		rc = check_usable(s, nodes, n, err);
	if (!rc && s->setup->nodes)
		rc = exclude_others(s, nodes, n, err);
	et_slurm_nodes_free(nodes, n);
	return rc;
}

int et_slurm_check(struct et_engine *e, size_t parts, struct et_error *err)
{
	struct et_slurm *s = (struct et_slurm *)e;
	int rc = s->checked ? 0
			    : read_limits(s, err) ?: check_partitions(s, err) ?: check_nodes(s, err);

	s->checked = rc == 0;
	return rc ? rc : check_parts(s, parts, err);
}

int et_slurm_nodes(struct et_engine *e, char ***out, struct et_error *err)
{
	struct et_slurm *s = (struct et_slurm *)e;
	struct et_slurm_node *nodes;
	struct et_words names = { 0 };
	size_t n;
	int rc = list_nodes(s, s->setup->nodes, &nodes, &n, err);

	if (rc)
		return rc;
	for (size_t i = 0; i < n; i++)
		if (et_slurm_node_is_usable(nodes[i].state) &&
			(!s->setup->constraint ||
				et_slurm_node_has(nodes[i].features, s->setup->constraint)))
			et_words_add(&names, "%s", nodes[i].name);
	et_slurm_nodes_free(nodes, n);
	*out = names.argv ? names.argv : et_calloc(1, sizeof(*names.argv));
	return 0;
}

void et_slurm_close(struct et_engine *e)
{
	struct et_slurm *s = (struct et_slurm *)e;

	if (!s)
		return;
	free(s->name);
	free(s->by_name);
	free(s->exclude);
	free(s->export);
	et_strv_free(s->environment);
	free(s);
}

int et_slurm_open(const struct et_engine_setup *setup, struct et_engine **out, struct et_error *err)
{
	struct et_slurm *s = et_calloc(1, sizeof(*s));

	s->base.ops = &et_engine_slurm;
	s->setup = setup;
	s->name = et_asprintf("etalon-%s", setup->id ? setup->id : "");
	s->by_name = et_asprintf("--name=%s", s->name);
	snprintf(s->by_user, sizeof(s->by_user), "--user=%u", (unsigned)getuid());
	choose_environment(s);
	int rc = find_programs(err) ?: find_configuration(err);
	/* Jobs of a campaign that was begun earlier continue while the controller is down. */
	if (!rc && !setup->later)
		rc = ping(s, err) ?: et_slurm_check(&s->base, 0, err);
	if (rc) {
		et_slurm_close(&s->base);
		return rc;
	}
	*out = &s->base;
	return 0;
}
