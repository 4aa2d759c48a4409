/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "host/environment.h"
#include "base/sysroot.h"
#include "host/services.h"

#include <signal.h>
#include <sys/syscall.h>
#include <time.h>

/* --- operations on the real machine --- */

static bool same_process(const char *root, const struct et_change *c, struct et_process *out)
{
	return et_process_read(root, c->pid, out) && out->start == c->start &&
	       !strcmp(out->comm, c->target);
}

/* The pidfd is opened before the process is checked: a reused PID is never signalled. */
static int real_signal(const char *root, const struct et_change *c, int signal)
{
	struct et_process p;

	if (*root)
		return -ENOTSUP; /* the processes of a captured tree are not on this machine */
	ET_AUTO_CLOSE int fd = (int)syscall(SYS_pidfd_open, c->pid, 0);
	if (fd < 0 && errno != ENOSYS)
		return -errno;
	if (!same_process(root, c, &p))
		return -ESRCH;
	long rc =
		fd < 0 ? kill(c->pid, signal) : syscall(SYS_pidfd_send_signal, fd, signal, NULL, 0);
	return rc < 0 ? -errno : 0;
}

const struct et_env_ops et_env_ops_real = { et_sysroot_write, et_service_control, real_signal };

/* --- the present state --- */

static int unit_now(const struct et_machine *m, const char *unit, char *buf, size_t size)
{
	static const char *const names[] = { [ET_UNIT_UNKNOWN] = "unknown",
		[ET_UNIT_ABSENT] = "absent",
		[ET_UNIT_INACTIVE] = "inactive",
		[ET_UNIT_ACTIVE] = "active",
		[ET_UNIT_CHANGING] = "starting or stopping" };
	struct et_service s;

	et_services_read(m->systemctl, &unit, 1, &s);
	if (s.state == ET_UNIT_ABSENT)
		return -ENOENT;
	snprintf(buf, size, "%s", names[s.state]);
	return 0;
}

/* Reads the present value of the target of a change; -ESRCH if the process has ended. */
static int value_now(const struct et_machine *m, const struct et_change *c, char *buf, size_t size)
{
	struct et_process p;

	if (c->kind == ET_CHANGE_UNIT)
		return unit_now(m, c->target, buf, size);
	if (c->kind == ET_CHANGE_FILE) {
		ssize_t n = et_setting_read(m->root, c->target, buf, size);
		return n < 0 ? (int)n : 0;
	}
	if (!same_process(m->root, c, &p))
		return -ESRCH;
	snprintf(buf, size, "%s", p.state == 'T' ? "held" : "running");
	return 0;
}

/* A process stops or continues a moment after the signal. */
static int wait_until(const struct et_machine *m, const struct et_change *c, const char *value)
{
	enum { TRIES = 100 };
	struct timespec wait = { .tv_nsec = 10000000 };
	char now[16];

	for (int i = 0; i < TRIES; i++) {
		int rc = value_now(m, c, now, sizeof(now));
		if (rc || !strcmp(now, value))
			return rc;
		nanosleep(&wait, NULL);
	}
	return -ETIMEDOUT;
}

/* Makes the change (forward) or restores the old value. */
static int set_value(
	const struct et_machine *m, const struct et_change *c, bool forward, struct et_error *err)
{
	const char *value = forward ? c->after : c->before;
	int rc;

	if (c->kind == ET_CHANGE_UNIT)
		return m->ops->control(
			m->systemctl, strcmp(value, "active") ? "stop" : "start", c->target, err);
	if (c->kind == ET_CHANGE_FILE) {
		rc = m->ops->write(m->root, c->target, value);
	} else {
		rc = m->ops->signal(m->root, c, forward ? SIGSTOP : SIGCONT);
		rc = rc ? rc : wait_until(m, c, value);
	}
	if (rc)
		et_fail(err, -rc, ET_EXIT_ENVIRONMENT, "%s", strerror(-rc));
	return rc;
}

/* --- making changes --- */

static void plan_row(const struct et_machine *m, const struct et_factor_row *row,
	struct et_changes *changes, struct et_results *left)
{
	size_t kept = 0;

	memset(changes, 0, sizeof(*changes));
	if (row->plan)
		row->plan(m, row, changes, left);
	/* A journal with any other change is taken for forged, so it would not be restored. */
	for (size_t i = 0; i < changes->n; i++) {
		struct et_change *c = &changes->list[i];
		if (et_factors_know(c)) {
			changes->list[kept++] = *c;
			continue;
		}
		et_results_add(left, c, ET_OUTCOME_LEFT, "the journal cannot hold its value");
		et_change_free(c);
	}
	changes->n = kept;
}

void et_environment_preview(
	const struct et_machine *m, const bool *selected, struct et_results *out)
{
	for (size_t i = 0; et_factor_rows[i].name; i++) {
		struct et_changes changes;
		if (!et_factor_selected(selected, i))
			continue;
		plan_row(m, &et_factor_rows[i], &changes, out);
		for (size_t k = 0; k < changes.n; k++)
			et_results_add(out, &changes.list[k], ET_OUTCOME_PLANNED, NULL);
		et_changes_free(&changes);
	}
}

/* The machine that is changed, and the places where its changes are noted. */
struct work {
	const struct et_machine *m;
	struct et_journal *j;
	struct et_results *out;
};

/* Finds the entry of the same session that is not restored yet and whose unit ends with `other`. */
static const struct et_journal_entry *find_partner(struct et_journal *j,
	const struct et_journal_entry *e, const char *suffix, const char *other)
{
	const char *target = e->change.target;
	char name[128];
	struct et_change c = { .kind = ET_CHANGE_UNIT, .target = name };

	if (e->change.kind != ET_CHANGE_UNIT || !et_unit_is(target, suffix))
		return NULL;
	snprintf(name, sizeof(name), "%.*s%s", (int)(strlen(target) - strlen(suffix)), target,
		other);
	const struct et_journal_entry *found = et_journal_find(j, &c);
	return found && found->session == e->session ? found : NULL;
}

/* The note of a result whose mark could not be written (rc < 0), else "". */
static const char *unmarked(int rc, char *note, size_t size)
{
	snprintf(note, size, "%s%s", rc ? "the journal could not record it: " : "",
		rc ? strerror(-rc) : "");
	return note;
}

/* Makes the change of an entry and reads the value back. */
static void make(const struct work *w, struct et_journal_entry *e, enum et_outcome outcome)
{
	char now[128], note[192];
	struct et_error err = { 0 };
	int rc = set_value(w->m, &e->change, true, &err);
	int rc2 = value_now(w->m, &e->change, now, sizeof(now));

	/* Even if it failed: a value that differs from the old one must be restored later. */
	if (rc2 == 0 && strcmp(now, e->change.before)) {
		int lost = et_journal_mark_made(w->j, e, now);
		et_results_add(w->out, &e->change, rc ? ET_OUTCOME_FAILED : outcome,
			rc ? err.what : unmarked(lost, note, sizeof(note)));
		return;
	}
	/*
	 * A service that could not be stopped must be stopped to restore its socket: see
	 * open_socket. If this mark is lost, the next restore finds the old value and has nothing
	 * to do.
	 */
	if (!find_partner(w->j, e, ".service", ".socket"))
		(void)!et_journal_mark_restored(w->j, e);
	if (rc == -ESRCH || rc2 == -ESRCH)
		return; /* the process has ended by itself, so it no longer disturbs */
	if (rc == 0)
		et_fail(&err, EIO, ET_EXIT_ENVIRONMENT, "%s",
			rc2 ? strerror(-rc2) : "the change had no effect");
	et_results_add(w->out, &e->change, ET_OUTCOME_FAILED, err.what);
}

int et_environment_writable(const struct et_machine *m, const struct et_change *c)
{
	char full[PATH_MAX];

	if (c->kind != ET_CHANGE_FILE)
		return 0;
	snprintf(full, sizeof(full), "%s%s", m->root, c->target);
	return access(full, W_OK) < 0 ? -errno : 0;
}

static int apply_row(const struct work *w, const struct et_factor_row *row, struct et_error *err)
{
	struct et_changes planned, fresh = { 0 };
	int rc = 0;

	plan_row(w->m, row, &planned, w->out);
	for (size_t i = 0; i < planned.n && rc == 0; i++) {
		const struct et_change *c = &planned.list[i];
		struct et_journal_entry *known = et_journal_find(w->j, c);
		int why = et_environment_writable(w->m, c);
		if (why) {
			et_results_add(w->out, c, ET_OUTCOME_FAILED, strerror(-why));
		} else if (known && c->kind == ET_CHANGE_UNIT &&
			   strcmp(known->change.after, c->after)) {
			/* One change starts the unit that the other one stops. */
			et_results_add(w->out, c, ET_OUTCOME_LEFT,
				"an earlier change to it must be restored first");
		} else if (known) {
			rc = et_journal_mark_again(w->j, known, c->after, err);
			if (rc == 0)
				make(w, known, ET_OUTCOME_AGAIN);
		} else {
			ET_GROW(fresh.list, fresh.n, fresh.cap);
			fresh.list[fresh.n++] = et_change_copy(c);
		}
	}
	et_changes_free(&planned);
	size_t first = w->j->n;
	if (rc == 0 && fresh.n)
		rc = et_journal_intend(w->j, fresh.list, fresh.n, err);
	et_changes_free(&fresh);
	for (size_t i = first; rc == 0 && i < w->j->n; i++)
		make(w, &w->j->entries[i], ET_OUTCOME_MADE);
	return rc;
}

int et_environment_apply(const struct et_machine *m, struct et_journal *j, const bool *selected,
	struct et_results *out, struct et_error *err)
{
	const struct work w = { m, j, out };
	int rc = 0;

	for (size_t i = 0; et_factor_rows[i].name && rc == 0; i++) {
		if (et_factor_selected(selected, i))
			rc = apply_row(&w, &et_factor_rows[i], err);
	}
	return rc;
}

/* --- levels --- */

/*
 * The journal has the original value and one other. While a factor goes back and forth between
 * these two, nothing need be written: restoring finds either its original or our value.
 */
static int record_value(
	struct et_journal *j, const struct et_change *c, const char *value, struct et_error *err)
{
	struct et_journal_entry *known = et_journal_find(j, c);
	struct et_change fresh = *c;

	if (known && strcmp(known->change.after, value) && strcmp(known->change.before, value))
		return et_journal_mark_again(j, known, value, err);
	if (known || !strcmp(c->before, value))
		return 0;
	fresh.after = (char *)value;
	return et_journal_intend(j, &fresh, 1, err);
}

int et_environment_set(const struct et_machine *m, struct et_journal *j, const struct et_change *c,
	const char *value, struct et_error *err)
{
	struct et_change wanted = *c;
	char now[128] = "";
	int rc = record_value(j, c, value, err);

	if (rc)
		return rc;
	wanted.after = (char *)value;
	/* The start counter of a service would soon reach its limit: see reset_start_limits. */
	if (c->kind == ET_CHANGE_UNIT && !strcmp(value, "active"))
		(void)!m->ops->control(m->systemctl, "reset-failed", c->target, err);
	*err = (struct et_error){ 0 };
	rc = set_value(m, &wanted, true, err);
	if (rc == 0)
		rc = value_now(m, &wanted, now, sizeof(now));
	if (rc)
		return err->what[0] ? rc
				    : et_fail_errno(err, -rc, ET_EXIT_ENVIRONMENT, "%s", c->target);
	struct et_journal_entry *e = et_journal_find(j, c);
	if (e && !e->observed && strcmp(now, c->before))
		(void)!et_journal_mark_made(j, e, now); /* any value is ours without this mark */
	if (strcmp(now, value))
		return et_fail(err, EIO, ET_EXIT_ENVIRONMENT, "it is still '%s'", now);
	return 0;
}

/* --- restoring --- */

/* Decides what to do about an entry. now receives the present value, or the reason of a failure. */
static enum et_outcome look(
	const struct work *w, const struct et_journal_entry *e, char *now, size_t size)
{
	const struct et_journal_session *s = et_journal_find_session(w->j, e->session);
	const struct et_change *c = &e->change;

	/* A reboot has reset /proc and /sys, started the units anew and ended the processes. */
	if (s->boot_id[0] && strcmp(s->boot_id, w->m->boot_id))
		return ET_OUTCOME_RESET;
	int rc = value_now(w->m, c, now, size);
	if (rc == -ESRCH || (rc == -ENOENT && c->kind == ET_CHANGE_UNIT))
		return ET_OUTCOME_GONE;
	if (rc) {
		snprintf(now, size, "%s", strerror(-rc));
		return ET_OUTCOME_FAILED;
	}
	if (!strcmp(now, c->before))
		return ET_OUTCOME_ALREADY;
	/* Without a "made" mark any value may be our doing, so only a marked one can be foreign. */
	if (c->kind == ET_CHANGE_FILE && !et_factors_kernel_adjusts(c) && e->observed &&
		strcmp(now, e->observed) && strcmp(now, c->after))
		return ET_OUTCOME_FOREIGN;
	return ET_OUTCOME_RESTORED;
}

/*
 * systemd does not start a socket unit while its service runs. If etalon stopped the socket but not
 * the service, because it was killed in between or the service could not be stopped, stop the
 * service first; both are restored then.
 */
static int open_socket(const struct work *w, const struct et_journal_entry *e, struct et_error *err)
{
	const struct et_journal_entry *service = find_partner(w->j, e, ".socket", ".service");

	if (!service || set_value(w->m, &service->change, true, err))
		return -ENOENT;
	*err = (struct et_error){ 0 };
	return set_value(w->m, &e->change, false, err);
}

/* Tries to restore one entry. Returns false and fills in why if it must be tried again. */
static bool restore_entry(const struct work *w, struct et_journal_entry *e, char *why, size_t size)
{
	char now[128] = "", note[192] = "";
	struct et_error err = { 0 };
	enum et_outcome outcome = look(w, e, now, sizeof(now));

	if (outcome == ET_OUTCOME_FAILED) {
		snprintf(why, size, "%s", now);
		return false;
	}
	if (outcome == ET_OUTCOME_RESTORED) {
		int rc = set_value(w->m, &e->change, false, &err);
		if (rc)
			rc = open_socket(w, e, &err);
		int rc2 = rc ? rc : value_now(w->m, &e->change, now, sizeof(now));
		if (rc2 == 0 && strcmp(now, e->change.before))
			et_fail(&err, EIO, ET_EXIT_ENVIRONMENT, "its state is still %s", now);
		if (rc2 || err.what[0]) {
			snprintf(why, size, "%s", err.what[0] ? err.what : strerror(-rc2));
			return false;
		}
	}
	int lost = et_journal_mark_restored(w->j, e);
	if (outcome == ET_OUTCOME_FOREIGN)
		snprintf(note, sizeof(note), "it is %s now", now);
	else
		unmarked(lost, note, sizeof(note));
	if (w->out)
		et_results_add(w->out, &e->change, outcome, note);
	return true;
}

static bool concerns(const struct et_journal *j, const struct et_journal_entry *e, int64_t session)
{
	if (e->restored)
		return false;
	if (session == ET_STALE_RUNS)
		return et_journal_find_session(j, e->session)->owner == ET_OWNER_RUN;
	return session == ET_ALL_SESSIONS || e->session == session;
}

/*
 * Tries once to restore each entry of the session. Services come last, because systemd does not
 * start a socket whose service already runs. Returns how many were restored and sets *failed to how
 * many were not. With report, failures are added to the results.
 */
static size_t restore_all(const struct work *w, int64_t session, bool report, size_t *failed)
{
	struct et_journal *j = w->j;
	size_t restored = 0;
	char why[512];

	*failed = 0;
	for (size_t i = 2 * j->n; i-- > 0;) {
		struct et_journal_entry *e = &j->entries[i % j->n];
		bool service = e->change.kind == ET_CHANGE_UNIT &&
			       et_unit_is(e->change.target, ".service");
		if (service == (i >= j->n) || !concerns(j, e, session))
			continue;
		if (restore_entry(w, e, why, sizeof(why))) {
			restored++;
			continue;
		}
		++*failed;
		if (report && w->out)
			et_results_add(w->out, &e->change, ET_OUTCOME_FAILED, why);
	}
	return restored;
}

/*
 * Resets the start counters of the units. By default systemd allows five starts in ten seconds
 * (StartLimitBurst). Several short experiments can exceed that, and the unit then fails together
 * with the sockets and paths that trigger it.
 */
static void reset_start_limits(
	const struct et_machine *m, const struct et_journal *j, int64_t session)
{
	for (size_t i = 0; i < j->n; i++) {
		const struct et_change *c = &j->entries[i].change;
		struct et_error err = { 0 };
		/* It fails for a unit that is not loaded, which has no counter to reset. */
		if (c->kind == ET_CHANGE_UNIT && concerns(j, &j->entries[i], session))
			(void)!m->ops->control(m->systemctl, "reset-failed", c->target, &err);
	}
}

bool et_environment_restore(
	const struct et_machine *m, struct et_journal *j, int64_t session, struct et_results *out)
{
	const struct work w = { m, j, out };
	size_t failed;

	reset_start_limits(m, j, session);
	/* A value can be refused because of another one (a minimum above the maximum), so try the
	 * rest again as long as one succeeds. */
	while (restore_all(&w, session, false, &failed))
		;
	restore_all(&w, session, true, &failed);
	return failed == 0;
}

void et_environment_pending(const struct et_journal *j, struct et_results *out)
{
	for (size_t i = j->n; i-- > 0;) {
		if (!j->entries[i].restored)
			et_results_add(out, &j->entries[i].change, ET_OUTCOME_PLANNED, NULL);
	}
}
