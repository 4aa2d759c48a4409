/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/doe/doe.h"
#include "cli/signals.h"
#include "measure/child/environ.h"
#include "measure/child/hook.h"

#include <fcntl.h>
#include <sys/stat.h>

#define FACTOR "boot"
#define UNIT "/etc/systemd/system/etalon-doe.service"
#define WANTS "/etc/systemd/system/multi-user.target.wants"
#define LINK WANTS "/etalon-doe.service"

/* --- the record: "BOOT-ID treatment N" --- */

static bool last_boot(const struct et_experiment *e, char boot[48], uint32_t *treatment)
{
	for (size_t i = e->n_environment; i-- > 0;) {
		const struct et_factor *f = &e->environment[i];
		if (!strcmp(f->factor, FACTOR) &&
			sscanf(f->state, "%47s treatment %" SCNu32, boot, treatment) == 2)
			return true;
	}
	return false;
}

static int record_boot(
	struct et_doe_reboot *r, const char *boot, uint32_t treatment, struct et_error *err)
{
	struct et_experiment *e = et_session_experiment(r->m->session);

	e->environment = et_realloc(e->environment, e->n_environment + 1, sizeof(*e->environment));
	struct et_factor *f = &e->environment[e->n_environment++];
	*f = (struct et_factor){ et_strdup(FACTOR),
		et_asprintf("%s treatment %" PRIu32, boot, treatment + 1),
		et_strdup("one per treatment"), true };
	return et_store_add_factor(r->m->store, e->id, e->n_environment - 1, f, err);
}

static int not_restarted(struct et_doe_reboot *r, const struct et_design *d, uint32_t treatment,
	struct et_error *err)
{
	r->refused = true;
	return et_hint(err,
		et_fail(err, EAGAIN, ET_EXIT_ENVIRONMENT,
			"the machine has not restarted since the treatment before '%s'",
			d->treatments[treatment].name),
		"restart it, then run '%s'", r->m->resumption);
}

/* --- the unit that continues --- */

static const char *place(const struct et_machine *m, const char *path, char full[PATH_MAX])
{
	snprintf(full, PATH_MAX, "%s%s", m->root, path);
	return full;
}

/* The path as a value in a unit file: systemd expands % and interprets quotes. */
static bool is_plain(const char *text)
{
	return !strpbrk(text, "%\"\\'\n$");
}

static void write_variable(FILE *f, const char *name)
{
	const char *value = getenv(name);

	if (!value || !is_plain(value))
		return;
	/* The unit can be read by everybody. */
	ET_AUTO_FREE char *shown = et_store_url_without_secrets(value);
	fprintf(f, "Environment=\"%s=%s\"\n", name, shown);
}

static bool write_unit(const struct et_doe_reboot *r, const struct et_experiment *e, FILE *f)
{
	static const char *const variables[] = { "HOME", "PATH", "ETALON_STORE", "ETALON_JOURNAL",
		"ETALON_MACHINE", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME" };
	ET_AUTO_FREE char *plan = realpath(r->plan, NULL), *here = get_current_dir_name();
	const char *store = r->m->cli->store;
	char self[PATH_MAX];

	if (!plan || !here || et_cli_own_path(self, sizeof(self), NULL) || !is_plain(plan) ||
		!is_plain(here) || !is_plain(self) || (store && !is_plain(store)))
		return false;
	fprintf(f,
		"# Continues a designed experiment after a restart; removes itself when it runs.\n"
		"[Unit]\nDescription=etalon doe run %s\nAfter=multi-user.target\n\n"
		"[Service]\nType=oneshot\nWorkingDirectory=%s\n",
		e->id, here);
	for (size_t i = 0; i < ET_LENGTH(variables); i++)
		write_variable(f, variables[i]);
	fprintf(f, "Environment=ETALON_CONTINUE=%s\n", e->id);
	fprintf(f, "ExecStartPre=/bin/rm -f " LINK " " UNIT "\n");
	fprintf(f, "ExecStart=\"%s\" doe run \"%s\"", self, plan);
	if (store)
		fprintf(f, " --store \"%s\"", store);
	return fputc('\n', f) != EOF;
}

/* Returns whether the experiment will continue by itself. */
static bool install(
	const struct et_machine *m, const struct et_doe_reboot *r, const struct et_experiment *e)
{
	char unit[PATH_MAX], wants[PATH_MAX], name[PATH_MAX];

	if (!m->systemd || !(geteuid() == 0 || *m->root))
		return false;
	place(m, UNIT, unit);
	place(m, WANTS, wants);
	place(m, LINK, name);
	unlink(unit); /* never write through a link */
	int fd = open(unit, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w");
	bool done = f && write_unit(r, e, f) && fflush(f) == 0 && fsync(fd) == 0;
	if (f)
		done = fclose(f) == 0 && done;
	if (done && mkdir(wants, 0755) && errno != EEXIST)
		done = false;
	unlink(name);
	done = done && symlink(UNIT, name) == 0;
	if (!done)
		unlink(unit);
	return done;
}

static void remove_unit(const struct et_machine *m)
{
	char path[PATH_MAX];

	unlink(place(m, LINK, path));
	unlink(place(m, UNIT, path));
}

/* --- before the runs of a command --- */

int et_doe_reboot_before(struct et_doe_reboot *r, uint32_t command, struct et_error *err)
{
	const struct et_experiment *e = et_session_experiment(r->m->session);
	uint32_t treatment = et_design_treatment_of(e->design, command), earlier = 0;
	const char *boot = r->m->tuning.machine.boot_id;
	char then[48];

	if (!e->design->reboot)
		return 0;
	if (r->begun && treatment == r->treatment)
		return 0;
	if (r->begun) {
		r->due = true;
		r->next = treatment;
		return -EAGAIN;
	}
	bool known = last_boot(e, then, &earlier), same = known && !strcmp(then, boot);
	if (same && earlier != treatment + 1)
		return not_restarted(r, e->design, treatment, err);
	remove_unit(&r->m->tuning.machine);
	int rc = same ? 0 : record_boot(r, boot, treatment, err);
	r->begun = rc == 0;
	r->treatment = treatment;
	return rc;
}

/* --- the restart --- */

static int run_hook(const struct et_experiment *e, struct et_error *err)
{
	struct et_interrupt *interrupt = et_signals_install();
	struct et_dispositions dispositions;
	char **envp = et_environ_make(environ, NULL, NULL);
	struct et_hook hook = { .directory = e->child.directory,
		.envp = envp,
		.path_variable = et_environ_get(envp, "PATH"),
		.home_fd = -1,
		.dispositions = &dispositions,
		.interrupt = interrupt };

	sigprocmask(SIG_BLOCK, NULL, &hook.signals);
	et_dispositions_read(&interrupt->ignored, &dispositions);
	int rc = et_hook_run(&hook, "the hook 'reboot',", e->design->reboot, err);
	et_strv_free(envp);
	/* systemd ends us while the hook runs: that is the restart which we have asked for. */
	if (rc == -EINTR)
		return 0;
	if (rc)
		err->exit = ET_EXIT_OUTSIDE;
	return rc;
}

int et_doe_reboot_now(
	struct et_doe_reboot *r, const struct et_experiment *e, FILE *out, struct et_error *err)
{
	const struct et_design *d = e->design;
	struct et_machine m;

	et_cli_machine(&m);
	bool continues = install(&m, r, e);
	fprintf(out, "the machine restarts before treatment %" PRIu32 " of %zu, %s\n", r->next + 1,
		d->n_treatments, d->treatments[r->next].name);
	if (continues)
		fprintf(out, "etalon-doe.service continues the experiment then\n");
	else
		fprintf(out, "run '%s' then to continue\n", r->m->resumption);
	fflush(out);
	sync();
	int rc = run_hook(e, err);
	if (rc && continues)
		remove_unit(&m);
	et_machine_free(&m);
	return rc;
}

int et_doe_reboot_check(const struct et_experiment *earlier, struct et_error *err)
{
	const char *wanted = getenv("ETALON_CONTINUE");

	if (!wanted || (earlier && !strcmp(earlier->id, wanted)))
		return 0;
	return et_fail(err, ENOENT, ET_EXIT_USAGE,
		"experiment %s, which was to continue after a restart, is not there any more",
		wanted);
}
