/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/core/sql.h"
#include "base/alloc.h"

#include <string.h>

const struct et_columns et_columns_sample = { "sample", "", et_sample_fields, NULL };
const struct et_columns et_columns_removal = { "removal", "removed_", et_removal_fields, NULL };
/* The names of culprits are in a table of their own, process. */
const struct et_columns et_columns_culprit = { "culprit", "", et_culprit_fields, "name" };
const struct et_columns et_columns_plan = { "plan", "plan_", et_plan_fields, NULL };
const struct et_columns et_columns_child = { "child", "child_", et_child_fields, NULL };
const struct et_columns et_columns_host = { "host", "host_", et_host_fields, NULL };
const struct et_columns et_columns_factor = { "factor", "", et_factor_fields, NULL };
const struct et_columns et_columns_first_check = { "first_check", "first_check_",
	et_first_check_fields, NULL };

const struct et_columns et_columns_member = { "member", "member_", et_member_fields, NULL };
const struct et_columns et_columns_study = { "study", "study_", et_study_fields, NULL };
const struct et_columns et_columns_figure = { "figure", "", et_figure_fields, NULL };

const struct et_columns et_columns_profile_plan = { "profile_plan", "plan_", et_profile_plan_fields,
	NULL };
const struct et_columns et_columns_profile = { "profile", "", et_profile_fields, NULL };
const struct et_columns et_columns_profile_function = { "function", "", et_profile_function_fields,
	NULL };
const struct et_columns et_columns_profile_run = { "profile_run", "", et_profile_run_fields, NULL };

static const struct et_columns *const lists[] = { &et_columns_sample, &et_columns_removal,
	&et_columns_culprit, &et_columns_plan, &et_columns_child, &et_columns_host,
	&et_columns_factor, &et_columns_first_check, &et_columns_member, &et_columns_study,
	&et_columns_figure, &et_columns_profile_plan, &et_columns_profile,
	&et_columns_profile_function, &et_columns_profile_run };

/*
 * ON CONFLICT DO NOTHING: the caller learns of a duplicate by the number of changed rows. An error
 * would end PostgreSQL's transaction, and samples added before it would be lost.
 */
static const char *const statements[ET_SQL_LENGTH] = {
	[ET_SQL_ADD_EXPERIMENT] =
		"INSERT INTO experiment (id, label, started_ns, finished_ns, state, protocol,"
		" metric, \"order\", seed, image_source, commands, origin, machine, design, $plan,"
		" $child, $host, $first_check, $member, $study, digest)"
		" VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, $plan?, $child?, $host?,"
		" $first_check?, $member?, $study?, ?)"
		" ON CONFLICT DO NOTHING RETURNING key",
	[ET_SQL_ADD_COMMAND] = "INSERT INTO command (experiment, number, name, text, argv, prepare,"
			       " conclude, setup, cleanup) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
	[ET_SQL_ADD_PARAMETER] = "INSERT INTO parameter (experiment, command, number, name, value)"
				 " VALUES (?, ?, ?, ?, ?)",
	[ET_SQL_ADD_FACTOR] =
		"INSERT INTO factor (experiment, number, $factor) VALUES (?, ?, $factor?)",
	[ET_SQL_ADD_FIGURE] =
		"INSERT INTO figure (experiment, number, $figure) VALUES (?, ?, $figure?)",
	[ET_SQL_ADD_SAMPLE] = "INSERT INTO sample (experiment, command, $sample, $removal)"
			      " VALUES (?, ?, $sample?, $removal?) ON CONFLICT DO NOTHING",
	[ET_SQL_ADD_INTERFERENCE] = "INSERT INTO interference (experiment, \"order\", command,"
				    " number, process, $culprit)"
				    " VALUES (?, ?, ?, ?, ?, $culprit?)",
	/* Another process may add the same name at this moment: both get its key. */
	[ET_SQL_ADD_PROCESS] = "INSERT INTO process (name) VALUES (?)"
			       " ON CONFLICT (name) DO UPDATE SET name = excluded.name"
			       " RETURNING key",
	[ET_SQL_FIND_PROCESS] = "SELECT key FROM process WHERE name = ?",
	/*
	 * Of many names, an array of PostgreSQL; these are for databases with COPY. Two writers
	 * that add the same names wait for each other, and in different orders that would be a
	 * deadlock.
	 */
	[ET_SQL_ADD_PROCESSES] = "INSERT INTO process (name) SELECT n FROM unnest(?::text[]) n"
				 " WHERE NOT EXISTS (SELECT 1 FROM process p WHERE p.name = n)"
				 " ORDER BY n ON CONFLICT (name) DO NOTHING",
	[ET_SQL_FIND_PROCESSES] = "SELECT key, name FROM process WHERE name = ANY (?::text[])",
	[ET_SQL_COUNT_SAMPLES] = "UPDATE experiment SET samples = samples + ? WHERE key = ?",
	[ET_SQL_DROP_SAMPLE] =
		"DELETE FROM sample WHERE experiment = ? AND \"order\" = ? AND command = ?",
	[ET_SQL_DROP_EXPERIMENT] = "DELETE FROM experiment WHERE id = ?",
	[ET_SQL_SET_STATE] = "UPDATE experiment SET state = ?, finished_ns = ? WHERE id = ?",
	[ET_SQL_SET_REMOVAL] = "UPDATE sample SET ($removal, marks) = ($removal?, ?)"
			       " WHERE experiment = ? AND \"order\" = ? AND command = ?",
	[ET_SQL_SET_CHECKS] = "UPDATE experiment SET ($first_check, protocol, metric,"
			      " plan_keep_all) = ($first_check?, ?, ?, ?) WHERE id = ?",
	[ET_SQL_SELECT_EXPERIMENT] = "SELECT key, commands FROM experiment WHERE id = ?",
	[ET_SQL_FIND_ID] = "SELECT id FROM experiment WHERE id = ?",
	[ET_SQL_FIND_LAST] = "SELECT id FROM experiment ORDER BY key DESC LIMIT 1",
	/*
	 * In a central store whoever adds an experiment says when it began. A start in the
	 * future does not count: that row would remain the newest, whatever others measure.
	 */
	[ET_SQL_FIND_LABEL] = "SELECT id FROM experiment WHERE key = coalesce("
			      "(SELECT key FROM experiment WHERE label = ?1 AND started_ns <= $soon"
			      " ORDER BY started_ns DESC, key DESC LIMIT 1),"
			      " (SELECT key FROM experiment WHERE label = ?1"
			      " ORDER BY started_ns DESC, key DESC LIMIT 1))",
	/* All characters of an id sort before ~, so that the index is read only around the prefix.
	 */
	[ET_SQL_FIND_PREFIX] = "SELECT id FROM experiment WHERE id >= ?1 AND id < ?1 || '~'"
			       " AND substr(id, 1, length(?1)) = ?1 ORDER BY id LIMIT 2",
	/* At least six characters, the random part of an id: fewer match by chance. */
	[ET_SQL_FIND_END] = "SELECT id FROM experiment WHERE length(?1) >= 6"
			    " AND substr(id, length(id) - length(?1) + 1) = ?1 ORDER BY id LIMIT 2",
	/* An earlier version wrote the name of the host before the digest. */
	[ET_SQL_FIND_UNFINISHED] =
		"SELECT id FROM experiment WHERE state IN ('running', 'interrupted')"
		" AND origin = 'measured' AND (machine = ?1 OR machine LIKE '% ' || ?1)"
		" ORDER BY started_ns DESC, key DESC LIMIT 1",
	[ET_SQL_GET_EXPERIMENT] =
		"SELECT key, label, started_ns, finished_ns, state, protocol, metric,"
		" \"order\", seed, image_source, origin, machine, design, $plan, $child,"
		" $host, $first_check, $member, $study FROM experiment WHERE id = ?",
	[ET_SQL_GET_COMMANDS] = "SELECT number, name, text, argv, prepare, conclude, setup, cleanup"
				" FROM command WHERE experiment = ? ORDER BY number",
	[ET_SQL_GET_PARAMETERS] = "SELECT command, name, value FROM parameter"
				  " WHERE experiment = ? ORDER BY command, number",
	[ET_SQL_GET_FACTORS] = "SELECT $factor FROM factor WHERE experiment = ? ORDER BY number",
	[ET_SQL_GET_FIGURES] =
		"$many SELECT number, $figure FROM figure WHERE experiment = ? ORDER BY number",
	[ET_SQL_GET_SAMPLES] = "$many SELECT command, $sample, $removal FROM sample"
			       " WHERE experiment = ? ORDER BY \"order\", command",
	[ET_SQL_GET_INTERFERENCE] =
		"$many SELECT i.\"order\", i.command, i.number, p.name, $culprit FROM interference "
		"i"
		" LEFT JOIN process p ON p.key = i.process WHERE i.experiment = ?"
		" ORDER BY i.\"order\", i.command, i.number",
	[ET_SQL_ADD_PROFILE] = "INSERT INTO profile (experiment, $profile_plan, $profile)"
			       " VALUES (?, $profile_plan?, $profile?)",
	[ET_SQL_SET_PROFILE] = "UPDATE profile SET ($profile) = ($profile?) WHERE experiment = ?",
	[ET_SQL_GET_PROFILE] = "SELECT $profile_plan, $profile FROM profile WHERE experiment = ?",
	[ET_SQL_SIZE_PROFILE] =
		"SELECT (SELECT count(*) FROM profile_function WHERE experiment = ?1),"
		" (SELECT count(*) FROM profile_node WHERE experiment = ?1),"
		" (SELECT coalesce(sum(length(name) + length(module)), 0)"
		" FROM profile_function WHERE experiment = ?1)",
	[ET_SQL_ADD_FUNCTION] = "INSERT INTO profile_function (experiment, number, $function)"
				" VALUES (?, ?, $function?)",
	[ET_SQL_GET_FUNCTIONS] = "$many SELECT number, $function FROM profile_function"
				 " WHERE experiment = ? ORDER BY number",
	[ET_SQL_ADD_NODE] = "INSERT INTO profile_node (experiment, number, parent, function)"
			    " VALUES (?, ?, ?, ?)",
	[ET_SQL_GET_NODES] = "$many SELECT number, parent, function FROM profile_node"
			     " WHERE experiment = ? ORDER BY number",
	[ET_SQL_ADD_PROFILE_RUN] = "INSERT INTO profile_run (experiment, \"order\", command,"
				   " $profile_run, counts) VALUES (?, ?, ?, $profile_run?, ?)",
	[ET_SQL_GET_PROFILE_RUNS] =
		"$many SELECT \"order\", command, $profile_run, counts FROM profile_run"
		" WHERE experiment = ? ORDER BY \"order\", command",
	[ET_SQL_ADD_CALLS] = "INSERT INTO profile_calls (experiment, command, function, calls)"
			     " VALUES (?1, ?2, ?3, ?4) ON CONFLICT (experiment, command, function)"
			     " DO UPDATE SET calls = ?4",
	[ET_SQL_GET_CALLS] = "$many SELECT command, function, calls FROM profile_calls"
			     " WHERE experiment = ? ORDER BY command, function",
	[ET_SQL_LIST] =
		"SELECT e.started_ns, e.key, e.id, e.label, e.started_ns, e.state, e.commands,"
		" e.samples, c.name, e.origin, p.experiment IS NOT NULL,"
		" e.design IS NOT NULL, $study"
		" FROM experiment e LEFT JOIN command c"
		" ON c.experiment = e.key AND c.number = 0"
		" LEFT JOIN profile p ON p.experiment = e.key"
		" ORDER BY e.started_ns DESC, e.key DESC LIMIT ?",
	/* The facts of earlier versions have no machine. */
	[ET_SQL_GET_FACT] = "SELECT value FROM fact WHERE key = ? AND machine IN (?, '')"
			    " ORDER BY machine DESC LIMIT 1",
	/* The clock may have been set back: a later change has a later time nevertheless. */
	[ET_SQL_SET_FACT] = "INSERT INTO fact (machine, key, value, changed_ns)"
			    " VALUES (?, ?, ?, ?) ON CONFLICT (machine, key) DO UPDATE"
			    " SET value = excluded.value, changed_ns ="
			    " CASE WHEN fact.changed_ns < excluded.changed_ns"
			    " THEN excluded.changed_ns ELSE fact.changed_ns + 1 END",
	[ET_SQL_PUT_FACT] = "INSERT INTO fact (machine, key, value, changed_ns)"
			    " VALUES (?, ?, ?, ?) ON CONFLICT (machine, key) DO UPDATE"
			    " SET value = excluded.value, changed_ns = excluded.changed_ns"
			    " WHERE fact.changed_ns < excluded.changed_ns",
	[ET_SQL_REMOVE_FACT] = "DELETE FROM fact WHERE machine = '' AND key = ?",
	[ET_SQL_LIST_FACTS] = "SELECT key, value, changed_ns FROM fact WHERE machine = ?"
			      " ORDER BY key",
	[ET_SQL_LIST_FACT] = "SELECT machine, value FROM fact WHERE key = ?"
			     " ORDER BY changed_ns DESC, machine",
	[ET_SQL_ADD_MACHINE] = "INSERT INTO machine (id, first_ns, last_ns, version, environment,"
			       " $host) VALUES (?, ?, ?, ?, ?, $host?) ON CONFLICT DO NOTHING",
	[ET_SQL_SET_MACHINE] = "UPDATE machine SET (last_ns, version, environment, $host) ="
			       " (?2, ?3, ?4, $host?) WHERE id = ?1 AND last_ns < ?2",
	[ET_SQL_AGE_MACHINE] = "UPDATE machine SET first_ns = ?2 WHERE id = ?1 AND first_ns > ?2",
	[ET_SQL_LIST_MACHINES] = "SELECT id, first_ns, last_ns, version, environment, $host"
				 " FROM machine WHERE ?1 IN (id, '') ORDER BY id",
	[ET_SQL_COUNT_MACHINES] = "SELECT machine, host_name, count(*), CAST(sum(samples) AS $int),"
				  " min(started_ns), max(started_ns) FROM experiment"
				  " GROUP BY machine, host_name ORDER BY machine, host_name",
	[ET_SQL_LIST_TIMINGS] =
		"SELECT e.id, e.label, e.machine, e.host_name, e.started_ns, c.name, c.text,"
		" s.samples, s.et_mean, s.et_squares, s.pt_mean, s.pt_squares"
		" FROM experiment e JOIN summary s ON s.experiment = e.key"
		" JOIN command c ON c.experiment = e.key AND c.number = s.command"
		" ORDER BY e.started_ns DESC, e.key DESC, s.command LIMIT ?",
	[ET_SQL_LIST_LABEL] = "SELECT id, machine, host_name FROM experiment WHERE label = ?"
			      " ORDER BY started_ns DESC, key DESC",
	[ET_SQL_GET_HOST] = "SELECT key, $host FROM experiment WHERE coalesce(machine, '') = ?"
			    " AND coalesce(host_name, '') = ?"
			    " ORDER BY started_ns DESC, key DESC LIMIT 1",
	[ET_SQL_DROP_SUMMARY] = "DELETE FROM summary WHERE experiment ="
				" (SELECT key FROM experiment WHERE id = ?)",
	[ET_SQL_ADD_SUMMARY] =
		ET_SQL_SUMMARISE(" AND s.experiment = (SELECT key FROM experiment WHERE id = ?1)"),
	[ET_SQL_PUT_SUMMARY] =
		"INSERT INTO summary (experiment, command, samples, et_mean, et_squares, pt_mean,"
		" pt_squares) VALUES (?, ?, ?, ?, ?, ?, ?)",
	[ET_SQL_ADD_CAMPAIGN] =
		"INSERT INTO campaign (id, label, kind, engine, options, created_ns, record)"
		" VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING key",
	[ET_SQL_ADD_PART] = "INSERT INTO part (campaign, number, node, first_round, rounds, state,"
			    " attempt, generation, failures, changed_ns)"
			    " VALUES (?, ?, ?, ?, ?, 'todo', 0, 0, 0, ?)",
	[ET_SQL_GET_CAMPAIGN] = "SELECT label, kind, engine, options, created_ns, owner,"
				" owner IS NULL OR owner = $me, record"
				" FROM campaign WHERE id = ?",
	[ET_SQL_GET_PARTS] =
		"SELECT p.number, p.node, p.first_round, p.rounds, p.state, p.attempt,"
		" p.generation, p.failures, p.job, p.ran_on, p.error, p.experiment, p.changed_ns"
		" FROM part p JOIN campaign c ON c.key = p.campaign WHERE c.id = ?"
		" ORDER BY p.number",
	[ET_SQL_GET_PART] = "SELECT p.attempt, p.state FROM part p JOIN campaign c"
			    " ON c.key = p.campaign WHERE c.id = ? AND p.number = ?",
	[ET_SQL_FIND_CAMPAIGN_ID] = "SELECT id FROM campaign WHERE id = ?",
	/* "last" is the newest of all. */
	[ET_SQL_FIND_CAMPAIGN_LABEL] = "SELECT id FROM campaign WHERE ?1 IN (label, 'last')"
				       " ORDER BY created_ns DESC, key DESC LIMIT 1",
	[ET_SQL_FIND_OWN_CAMPAIGN] = "SELECT id FROM campaign WHERE ?1 IN (label, 'last')"
				     " AND (owner IS NULL OR owner = $me)"
				     " ORDER BY created_ns DESC, key DESC LIMIT 1",
	[ET_SQL_LIST_CAMPAIGNS] =
		"SELECT c.id, c.label, c.kind, c.engine, c.created_ns, c.owner, count(p.number),"
		" count(CASE WHEN p.state = 'done' THEN 1 END),"
		" count(CASE WHEN p.state = 'running' THEN 1 END),"
		" count(CASE WHEN p.state = 'failed' THEN 1 END), count(DISTINCT p.ran_on)"
		" FROM campaign c LEFT JOIN part p ON p.campaign = c.key GROUP BY c.key"
		" ORDER BY c.created_ns DESC, c.key DESC",
	[ET_SQL_REMOVE_CAMPAIGN] = "DELETE FROM campaign WHERE id = ?",
	[ET_SQL_FIND_CAMPAIGN_PREFIX] = "SELECT id FROM campaign WHERE id >= ?1"
					" AND substr(id, 1, length(?1)) = ?1 ORDER BY id LIMIT 2",
	/*
	 * The fence is part of the conditions: of two attempts that come at the same moment, one
	 * waits for the row and then compares with the number that the other has written.
	 */
	[ET_SQL_BEGIN_ATTEMPT] =
		"UPDATE part SET attempt = ?1, state = 'running', ran_on = ?2,"
		" job = coalesce(?3, job), changed_ns = ?4"
		" WHERE campaign = (SELECT key FROM campaign WHERE id = ?5) AND number = ?6"
		" AND state <> 'done' AND attempt <= ?1",
	/* An attempt that has been recorded as failed is not counted again. */
	[ET_SQL_FAIL_ATTEMPT] =
		"UPDATE part SET failures = CASE WHEN attempt = ?1 AND state <> 'running'"
		" THEN failures WHEN error = ?2 THEN failures + 1 ELSE 1 END,"
		" attempt = ?1, error = ?2, state = ?3, changed_ns = ?4"
		" WHERE campaign = (SELECT key FROM campaign WHERE id = ?5) AND number = ?6"
		" AND state <> 'done' AND attempt <= ?1"
		" AND NOT (state = 'failed' AND attempt = ?1)",
	[ET_SQL_SUBMIT_PART] =
		"UPDATE part SET generation = ?1, changed_ns = ?2,"
		" state = CASE WHEN state = 'failed' THEN 'todo' ELSE state END"
		" WHERE campaign = (SELECT key FROM campaign WHERE id = ?3) AND number = ?4"
		" AND state <> 'done' AND generation < ?1",
	[ET_SQL_RESET_PART] =
		"UPDATE part SET state = 'todo', generation = 0, failures = 0, error = NULL,"
		" changed_ns = ?1 WHERE campaign = (SELECT key FROM campaign WHERE id = ?2)"
		" AND number = ?3 AND state = 'failed'",
	[ET_SQL_SET_JOB] =
		"UPDATE part SET job = ?1"
		" WHERE campaign = (SELECT key FROM campaign WHERE id = ?2) AND generation = ?3"
		" AND number = ?4 AND state <> 'done'",
	[ET_SQL_FIND_MEMBER] = "SELECT id FROM experiment WHERE member_campaign = ?"
			       " AND member_part = ? AND machine = ?"
			       " ORDER BY started_ns DESC, key DESC LIMIT 1",
	[ET_SQL_SET_ATTEMPT] = "UPDATE experiment SET member_attempt = ?, member_node = ?"
			       " WHERE id = ?",
	[ET_SQL_GET_DELIVERED] = "SELECT digest, owner IS NULL OR owner = $me, owner"
				 " FROM experiment WHERE id = ?",
	[ET_SQL_LOCK_PART] = "SELECT campaign, state, attempt, experiment FROM part"
			     " WHERE campaign = (SELECT key FROM campaign WHERE id = ?)"
			     " AND number = ? $lock_row",
	[ET_SQL_SET_PART_DONE] = "UPDATE part SET state = 'done', attempt = ?, experiment = ?,"
				 " ran_on = ?, error = NULL, changed_ns = ?"
				 " WHERE campaign = ? AND number = ?",
	[ET_SQL_ENQUEUE] =
		"INSERT INTO outbox (experiment, destination, queued_ns, generation)"
		" VALUES (?1, ?2, ?3, 1) ON CONFLICT (experiment, destination) DO UPDATE SET"
		" queued_ns = CASE WHEN outbox.delivered_ns IS NULL THEN outbox.queued_ns"
		" ELSE ?3 END, generation = outbox.generation + 1, delivered_ns = NULL",
	[ET_SQL_GET_OUTBOX] =
		"SELECT o.experiment, o.destination, o.queued_ns, o.generation, o.digest,"
		" o.delivered_ns, o.tried_ns, o.error, e.label, e.state, e.samples"
		" FROM outbox o JOIN experiment e ON e.id = o.experiment"
		" ORDER BY o.queued_ns, o.experiment, o.destination",
	[ET_SQL_SET_DELIVERED] = "UPDATE outbox SET digest = ?1, delivered_ns = ?2, tried_ns = ?2,"
				 " error = NULL WHERE experiment = ?3 AND destination = ?4"
				 " AND generation = ?5",
	[ET_SQL_SET_UNDELIVERED] = "UPDATE outbox SET tried_ns = ?, error = ?"
				   " WHERE experiment = ? AND destination = ?",
	[ET_SQL_LIST_TO_PULL] =
		"SELECT id, digest, machine FROM experiment WHERE (?1 = '' OR label = ?1)"
		" AND (?2 = '' OR machine = ?2 OR host_name = ?2) AND started_ns >= ?3"
		" ORDER BY started_ns DESC, key DESC LIMIT ?4",
	[ET_SQL_REDIRECT] = "DELETE FROM outbox WHERE experiment = ? AND destination <> ?"
			    " AND delivered_ns IS NULL",
	/* In microseconds; of a central store. */
	[ET_SQL_GET_CLOCK] =
		"SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS bigint)",
	[ET_SQL_DROP_FROM_OUTBOX] = "DELETE FROM outbox WHERE experiment = ?",
};

struct expansion {
	const struct et_dialect *dialect;
	char *sql;
	size_t len, room;
	int placeholders; /* the highest number so far */
};

static void add(struct expansion *x, const char *text, size_t len)
{
	if (x->len + len >= x->room) {
		x->room = 2 * (x->len + len) + 1;
		x->sql = et_realloc(x->sql, x->room, 1);
	}
	memcpy(x->sql + x->len, text, len);
	x->len += len;
	x->sql[x->len] = '\0';
}

static void add_text(struct expansion *x, const char *text)
{
	add(x, text, strlen(text));
}

static void add_placeholder(struct expansion *x, int number)
{
	char sign = x->dialect->placeholder == ET_PLACEHOLDER_DOLLAR ? '$' : '?', text[16];

	if (number > x->placeholders)
		x->placeholders = number;
	snprintf(text, sizeof(text), "%c%d", sign, number);
	add_text(x, text);
}

static void add_columns(struct expansion *x, const struct et_columns *columns, bool placeholders)
{
	const struct et_field *f = et_columns_next(columns, columns->fields);

	for (const char *comma = ""; f; comma = ", ") {
		add_text(x, comma);
		if (placeholders) {
			add_placeholder(x, x->placeholders + 1);
		} else {
			add_text(x, "\"");
			add_text(x, columns->prefix);
			add_text(x, f->name);
			add_text(x, "\"");
		}
		f = et_columns_next(columns, f + 1);
	}
}

static bool is_name(const char *name, const char *text, size_t len)
{
	return strlen(name) == len && !strncmp(name, text, len);
}

/* Expands the $NAME at the beginning of text; returns the text after it. */
static const char *add_name(struct expansion *x, const char *text)
{
	size_t len = strspn(text + 1, "abcdefghijklmnopqrstuvwxyz_");
	const char *end = text + 1 + len;

	for (size_t i = 0; i < ET_LENGTH(lists); i++) {
		if (is_name(lists[i]->name, text + 1, len)) {
			add_columns(x, lists[i], *end == '?');
			return end + (*end == '?');
		}
	}
	for (const struct et_sql_word *w = x->dialect->words; w && w->name; w++) {
		if (is_name(w->name, text + 1, len)) {
			add_text(x, w->text);
			return end;
		}
	}
	add(x, text, len + 1);
	return end;
}

/* Expands the ? or ?N at the beginning of text; returns the text after it. */
static const char *add_question(struct expansion *x, const char *text)
{
	size_t digits = strspn(text + 1, "0123456789");

	add_placeholder(x, digits ? (int)strtol(text + 1, NULL, 10) : x->placeholders + 1);
	return text + 1 + digits;
}

char *et_sql_expand(const char *text, const struct et_dialect *dialect)
{
	struct expansion x = { .dialect = dialect };

	add_text(&x, "");
	while (*text) {
		size_t plain = strcspn(text, "$?");

		add(&x, text, plain);
		text += plain;
		if (*text == '$')
			text = add_name(&x, text);
		else if (*text == '?')
			text = add_question(&x, text);
	}
	return x.sql;
}

char *et_sql_statement(enum et_sql which, const struct et_dialect *dialect)
{
	return et_sql_expand(statements[which], dialect);
}
