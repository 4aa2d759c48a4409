/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/environment.h"
#include "base/clock.h"

static const char *sysroot(void)
{
	const char *root = getenv("ETALON_SYSROOT");

	return root ? root : "";
}

/* A captured tree has no service manager unless a test names one. */
static const char *systemctl(void)
{
	static const char *const places[] = { "/usr/bin/systemctl", "/bin/systemctl" };
	const char *program = getenv("ETALON_SYSTEMCTL");

	if (program && *program)
		return program;
	for (size_t i = 0; !*sysroot() && i < ET_LENGTH(places); i++) {
		if (access(places[i], X_OK) == 0)
			return places[i];
	}
	return NULL;
}

void et_cli_machine(struct et_machine *m)
{
	et_machine_read(m, sysroot(), systemctl(), et_clock_real.wall_ns(NULL));
}

char *et_cli_journal(void)
{
	const char *path = getenv("ETALON_JOURNAL"), *state = getenv("XDG_STATE_HOME");

	if (path && *path)
		return et_strdup(path);
	if (geteuid() == 0)
		return et_strdup(ET_ROOT_JOURNAL);
	if (state && state[0] == '/')
		return et_asprintf("%s/etalon/env.journal", state);
	return et_asprintf("%s/.local/state/etalon/env.journal", et_cli_home());
}

char *et_env_changed(const struct et_journal *j)
{
	char *list = et_strdup("");

	for (size_t i = 0; i < j->n; i++) {
		const struct et_journal_entry *x = &j->entries[i];
		bool pending = !x->restored &&
			       et_journal_find_session(j, x->session)->owner == ET_OWNER_RUN;
		/* The changes of a factor follow each other. */
		size_t n = strlen(x->change.factor), all = strlen(list);
		if (pending && (all < n || strcmp(list + all - n, x->change.factor) != 0))
			et_append(&list, all ? ", " : "", "%s", x->change.factor);
	}
	return list;
}

void et_cli_stale_notice(void)
{
	ET_AUTO_FREE char *path = et_cli_journal();
	struct et_warnings w = { 0 };
	struct et_journal *j = NULL;
	bool busy = false;

	if (et_journal_peek(path, &busy, &j, NULL))
		return;
	size_t n = busy ? 0 : et_journal_pending(j, ET_OWNER_RUN);
	ET_AUTO_FREE char *factors = n ? et_env_changed(j) : NULL;
	if (n)
		et_warn(&w, ET_WARN_CHANGES_PENDING, et_arg_count(n), et_arg_text(factors));
	et_cli_warn(&w);
	et_journal_close(j);
}

/* A factor that the user names and etalon cannot change is an error. */
static int refuse_fixed(const bool *selected, struct et_error *err)
{
	const struct et_factor_row *asked = NULL;

	for (size_t i = 0; i < et_factors_count(); i++) {
		const struct et_factor_row *row = &et_factor_rows[i];
		if (!selected[i])
			continue;
		if (!row->plan)
			return et_hint(err,
				et_fail(err, ENOTSUP, ET_EXIT_ENVIRONMENT,
					"%s cannot be changed by etalon", row->name),
				"%s", row->fix);
		/* time-daemon stops what time-sync, the row after it, starts. */
		if (asked && asked + 1 == row)
			return et_refuse(err, "name one of them", "%s and %s contradict each other",
				asked->name, row->name);
		asked = row->flags & ET_FACTOR_ON_REQUEST ? row : NULL;
	}
	return 0;
}

bool *et_env_select(const struct et_env_wish *wish, bool changing, struct et_error *err)
{
	bool *selected = et_calloc(et_factors_count(), sizeof(*selected));
	ET_AUTO_FREE bool *excepted = et_calloc(et_factors_count(), sizeof(*excepted));

	int rc = et_factors_select("--only", wish->only, selected, err);
	if (rc == 0 && wish->except)
		rc = et_factors_select("--except", wish->except, excepted, err);
	for (size_t i = 0; i < et_factors_count(); i++)
		selected[i] = selected[i] && !excepted[i];
	if (rc == 0 && changing && wish->only)
		rc = refuse_fixed(selected, err);
	if (rc) {
		free(selected);
		return NULL;
	}
	return selected;
}

char *et_env_names(const struct et_env_wish *wish, struct et_error *err)
{
	ET_AUTO_FREE bool *selected = et_env_select(wish, true, err);
	char *names = selected ? et_strdup("") : NULL;

	for (size_t i = 0; selected && i < et_factors_count(); i++) {
		if (selected[i] && et_factor_rows[i].plan)
			et_append(&names, *names ? "," : "", "%s", et_factor_rows[i].name);
	}
	return names;
}
