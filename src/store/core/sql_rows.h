/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The statements of the store: ROW(name, text). sql.h makes the names of these rows and sql.c the
 * table, so this file has no #pragma once.
 *
 * ON CONFLICT DO NOTHING: the caller learns of a duplicate by the number of changed rows. An error
 * would end PostgreSQL's transaction, and samples added before it would be lost.
 */

ROW(ADD_EXPERIMENT,
	"INSERT INTO experiment (id, label, started_ns, finished_ns, state, protocol, metric,"
	" \"order\", seed, image_source, commands, origin, machine, design, $plan, $child, $host,"
	" $first_check, $member, $study, digest) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,"
	" $plan?, $child?, $host?, $first_check?, $member?, $study?, ?) ON CONFLICT DO NOTHING"
	" RETURNING key")
ROW(ADD_COMMAND,
	"INSERT INTO command (experiment, number, name, text, argv, prepare, conclude, setup,"
	" cleanup, files) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
ROW(SET_FILES, "UPDATE command SET files = ? WHERE experiment = ? AND number = ?")
ROW(ADD_PARAMETER,
	"INSERT INTO parameter (experiment, command, number, name, value) VALUES (?, ?, ?, ?, ?)")
ROW(ADD_FACTOR, "INSERT INTO factor (experiment, number, $factor) VALUES (?, ?, $factor?)")
ROW(ADD_FIGURE, "INSERT INTO figure (experiment, number, $figure) VALUES (?, ?, $figure?)")
ROW(ADD_SAMPLE,
	"INSERT INTO sample (experiment, command, $sample, $removal) VALUES (?, ?, $sample?,"
	" $removal?) ON CONFLICT DO NOTHING")
ROW(ADD_INTERFERENCE,
	"INSERT INTO interference (experiment, \"order\", command, number, process, $culprit)"
	" VALUES (?, ?, ?, ?, ?, $culprit?)")
/* Another process may add the same name at this moment: both get its key. */
ROW(ADD_PROCESS, "INSERT INTO process (name) VALUES (?) ON CONFLICT (name) DO UPDATE SET name ="
		 " excluded.name RETURNING key")
ROW(FIND_PROCESS, "SELECT key FROM process WHERE name = ?")
/*
 * Of many names, an array of PostgreSQL; these are for databases with COPY. Two writers
 * that add the same names wait for each other, and in different orders that would be a
 * deadlock.
 */
ROW(ADD_PROCESSES,
	"INSERT INTO process (name) SELECT n FROM unnest(?::text[]) n WHERE NOT EXISTS (SELECT 1"
	" FROM process p WHERE p.name = n) ORDER BY n ON CONFLICT (name) DO NOTHING")
ROW(FIND_PROCESSES, "SELECT key, name FROM process WHERE name = ANY (?::text[])")
ROW(COUNT_SAMPLES, "UPDATE experiment SET samples = samples + ? WHERE key = ?")
ROW(DROP_SAMPLE, "DELETE FROM sample WHERE experiment = ? AND \"order\" = ? AND command = ?")
ROW(DROP_EXPERIMENT, "DELETE FROM experiment WHERE id = ?")
ROW(SET_STATE, "UPDATE experiment SET state = ?, finished_ns = ? WHERE id = ?")
ROW(SET_REMOVAL,
	"UPDATE sample SET ($removal, marks) = ($removal?, ?) WHERE experiment = ? AND \"order\" ="
	" ? AND command = ?")
ROW(SET_CHECKS,
	"UPDATE experiment SET ($first_check, protocol, metric, plan_keep_all) = ($first_check?,"
	" ?, ?, ?) WHERE id = ?")
ROW(SET_PLAN, "UPDATE experiment SET ($plan) = ($plan?) WHERE id = ?")
ROW(SELECT_EXPERIMENT, "SELECT key, commands FROM experiment WHERE id = ?")
ROW(FIND_ID, "SELECT id FROM experiment WHERE id = ?")
ROW(FIND_LAST, "SELECT id FROM experiment ORDER BY key DESC LIMIT 1")
/*
 * In a central store whoever adds an experiment says when it began. A start in the
 * future does not count: that row would remain the newest, whatever others measure.
 */
ROW(FIND_LABEL,
	"SELECT id FROM experiment WHERE key = coalesce((SELECT key FROM experiment WHERE label ="
	" ?1 AND started_ns <= $soon ORDER BY started_ns DESC, key DESC LIMIT 1), (SELECT key FROM"
	" experiment WHERE label = ?1 ORDER BY started_ns DESC, key DESC LIMIT 1))")
/* All characters of an id sort before ~, so that the index is read only around the prefix.
 */
ROW(FIND_PREFIX,
	"SELECT id FROM experiment WHERE id >= ?1 AND id < ?1 || '~' AND substr(id, 1, length(?1))"
	" = ?1 ORDER BY id LIMIT 2")
/* At least six characters, the random part of an id: fewer match by chance. */
ROW(FIND_END,
	"SELECT id FROM experiment WHERE length(?1) >= 6 AND substr(id, length(id) - length(?1) +"
	" 1) = ?1 ORDER BY id LIMIT 2")
/* An earlier version wrote the name of the host before the digest. */
ROW(FIND_UNFINISHED,
	"SELECT id FROM experiment WHERE state IN ('running', 'interrupted') AND origin ="
	" 'measured' AND (machine = ?1 OR machine LIKE '% ' || ?1) ORDER BY started_ns DESC, key"
	" DESC LIMIT 1")
ROW(GET_EXPERIMENT,
	"SELECT key, label, started_ns, finished_ns, state, protocol, metric, \"order\", seed,"
	" image_source, origin, machine, design, $plan, $child, $host, $first_check, $member,"
	" $study FROM experiment WHERE id = ?")
ROW(GET_COMMANDS, "SELECT number, name, text, argv, prepare, conclude, setup, cleanup, files FROM "
		  "command WHERE"
		  " experiment = ? ORDER BY number")
ROW(GET_PARAMETERS,
	"SELECT command, name, value FROM parameter WHERE experiment = ? ORDER BY command, number")
ROW(GET_FACTORS, "SELECT $factor FROM factor WHERE experiment = ? ORDER BY number")
ROW(GET_FIGURES, "$many SELECT number, $figure FROM figure WHERE experiment = ? ORDER BY number")
ROW(GET_SAMPLES, "$many SELECT command, $sample, $removal FROM sample WHERE experiment = ? ORDER BY"
		 " \"order\", command")
ROW(GET_INTERFERENCE,
	"$many SELECT i.\"order\", i.command, i.number, p.name, $culprit FROM interference i LEFT"
	" JOIN process p ON p.key = i.process WHERE i.experiment = ? ORDER BY i.\"order\","
	" i.command, i.number")
ROW(ADD_PROFILE,
	"INSERT INTO profile (experiment, $profile_plan, $profile) VALUES (?, $profile_plan?,"
	" $profile?)")
ROW(SET_PROFILE, "UPDATE profile SET ($profile) = ($profile?) WHERE experiment = ?")
ROW(GET_PROFILE, "SELECT $profile_plan, $profile FROM profile WHERE experiment = ?")
ROW(SIZE_PROFILE,
	"SELECT (SELECT count(*) FROM profile_function WHERE experiment = ?1), (SELECT count(*)"
	" FROM profile_node WHERE experiment = ?1), (SELECT coalesce(sum(length(name) +"
	" length(module)), 0) FROM profile_function WHERE experiment = ?1)")
ROW(ADD_FUNCTION,
	"INSERT INTO profile_function (experiment, number, $function) VALUES (?, ?, $function?)")
ROW(GET_FUNCTIONS,
	"$many SELECT number, $function FROM profile_function WHERE experiment = ? ORDER BY number")
ROW(ADD_NODE, "INSERT INTO profile_node (experiment, number, parent, function) VALUES (?, ?, ?, ?)")
ROW(GET_NODES,
	"$many SELECT number, parent, function FROM profile_node WHERE experiment = ? ORDER BY"
	" number")
ROW(ADD_PROFILE_RUN,
	"INSERT INTO profile_run (experiment, \"order\", command, $profile_run, counts) VALUES (?,"
	" ?, ?, $profile_run?, ?)")
ROW(GET_PROFILE_RUNS,
	"$many SELECT \"order\", command, $profile_run, counts FROM profile_run WHERE experiment ="
	" ? ORDER BY \"order\", command")
ROW(ADD_CALLS,
	"INSERT INTO profile_calls (experiment, command, function, calls) VALUES (?1, ?2, ?3, ?4)"
	" ON CONFLICT (experiment, command, function) DO UPDATE SET calls = ?4")
ROW(GET_CALLS,
	"$many SELECT command, function, calls FROM profile_calls WHERE experiment = ? ORDER BY"
	" command, function")
ROW(LIST, "SELECT e.started_ns, e.key, e.id, e.label, e.started_ns, e.state, e.commands, e.samples,"
	  " c.name, e.origin, p.experiment IS NOT NULL, e.design IS NOT NULL, CASE WHEN e.metric ="
	  " 'et' THEN s.et_mean ELSE s.pt_mean END, $study FROM experiment e LEFT JOIN command c ON"
	  " c.experiment = e.key AND c.number = 0 LEFT JOIN summary s ON s.experiment = e.key AND"
	  " s.command = 0 LEFT JOIN profile p ON p.experiment = e.key ORDER BY e.started_ns DESC, "
	  "e.key DESC LIMIT ?")
/* The facts of earlier versions have no machine. */
ROW(GET_FACT,
	"SELECT value FROM fact WHERE key = ? AND machine IN (?, '') ORDER BY machine DESC LIMIT 1")
/* The clock may have been set back: a later change has a later time nevertheless. */
ROW(SET_FACT,
	"INSERT INTO fact (machine, key, value, changed_ns) VALUES (?, ?, ?, ?) ON CONFLICT"
	" (machine, key) DO UPDATE SET value = excluded.value, changed_ns = CASE WHEN"
	" fact.changed_ns < excluded.changed_ns THEN excluded.changed_ns ELSE fact.changed_ns + 1"
	" END")
ROW(PUT_FACT,
	"INSERT INTO fact (machine, key, value, changed_ns) VALUES (?, ?, ?, ?) ON CONFLICT"
	" (machine, key) DO UPDATE SET value = excluded.value, changed_ns = excluded.changed_ns"
	" WHERE fact.changed_ns < excluded.changed_ns")
ROW(REMOVE_FACT, "DELETE FROM fact WHERE machine = '' AND key = ?")
ROW(LIST_FACTS, "SELECT key, value, changed_ns FROM fact WHERE machine = ? ORDER BY key")
ROW(LIST_FACT, "SELECT machine, value FROM fact WHERE key = ? ORDER BY changed_ns DESC, machine")
ROW(ADD_MACHINE,
	"INSERT INTO machine (id, first_ns, last_ns, version, environment, $host) VALUES (?, ?, ?,"
	" ?, ?, $host?) ON CONFLICT DO NOTHING")
ROW(SET_MACHINE,
	"UPDATE machine SET (last_ns, version, environment, $host) = (?2, ?3, ?4, $host?) WHERE id"
	" = ?1 AND last_ns < ?2")
ROW(AGE_MACHINE, "UPDATE machine SET first_ns = ?2 WHERE id = ?1 AND first_ns > ?2")
ROW(LIST_MACHINES,
	"SELECT id, first_ns, last_ns, version, environment, $host FROM machine WHERE ?1 IN (id,"
	" '') ORDER BY id")
ROW(COUNT_MACHINES,
	"SELECT machine, host_name, count(*), CAST(sum(samples) AS $int), min(started_ns),"
	" max(started_ns) FROM experiment GROUP BY machine, host_name ORDER BY machine, host_name")
ROW(LIST_TIMINGS,
	"SELECT e.id, e.label, e.machine, e.host_name, e.started_ns, c.name, c.text, s.samples,"
	" s.et_mean, s.et_squares, s.pt_mean, s.pt_squares FROM experiment e JOIN summary s ON"
	" s.experiment = e.key JOIN command c ON c.experiment = e.key AND c.number = s.command"
	" ORDER BY e.started_ns DESC, e.key DESC, s.command LIMIT ?")
ROW(LIST_LABEL,
	"SELECT id, machine, host_name FROM experiment WHERE label = ? ORDER BY started_ns DESC,"
	" key DESC")
ROW(GET_HOST,
	"SELECT key, $host FROM experiment WHERE coalesce(machine, '') = ? AND coalesce(host_name,"
	" '') = ? ORDER BY started_ns DESC, key DESC LIMIT 1")
ROW(DROP_SUMMARY,
	"DELETE FROM summary WHERE experiment = (SELECT key FROM experiment WHERE id = ?)")
ROW(ADD_SUMMARY, ET_SQL_SUMMARISE(" AND s.experiment = (SELECT key FROM experiment WHERE id = ?1)"))
ROW(PUT_SUMMARY, "INSERT INTO summary (experiment, command, samples, et_mean, et_squares, pt_mean,"
		 " pt_squares) VALUES (?, ?, ?, ?, ?, ?, ?)")
ROW(ADD_CAMPAIGN,
	"INSERT INTO campaign (id, label, kind, engine, options, created_ns, record) VALUES (?, ?,"
	" ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING key")
ROW(ADD_PART, "INSERT INTO part (campaign, number, node, first_round, rounds, state, attempt,"
	      " generation, failures, changed_ns) VALUES (?, ?, ?, ?, ?, 'todo', 0, 0, 0, ?)")
ROW(GET_CAMPAIGN,
	"SELECT label, kind, engine, options, created_ns, owner, owner IS NULL OR owner = $me,"
	" record FROM campaign WHERE id = ?")
ROW(GET_PARTS, "SELECT p.number, p.node, p.first_round, p.rounds, p.state, p.attempt, p.generation,"
	       " p.failures, p.job, p.ran_on, p.error, p.experiment, p.changed_ns FROM part p JOIN"
	       " campaign c ON c.key = p.campaign WHERE c.id = ? ORDER BY p.number")
ROW(GET_PART,
	"SELECT p.attempt, p.state FROM part p JOIN campaign c ON c.key = p.campaign WHERE c.id ="
	" ? AND p.number = ?")
ROW(FIND_CAMPAIGN_ID, "SELECT id FROM campaign WHERE id = ?")
/* "last" is the newest of all. */
ROW(FIND_CAMPAIGN_LABEL,
	"SELECT id FROM campaign WHERE ?1 IN (label, 'last') ORDER BY created_ns DESC, key DESC"
	" LIMIT 1")
ROW(FIND_OWN_CAMPAIGN,
	"SELECT id FROM campaign WHERE ?1 IN (label, 'last') AND (owner IS NULL OR owner = $me)"
	" ORDER BY created_ns DESC, key DESC LIMIT 1")
ROW(LIST_CAMPAIGNS,
	"SELECT c.id, c.label, c.kind, c.engine, c.created_ns, c.owner, count(p.number),"
	" count(CASE WHEN p.state = 'done' THEN 1 END), count(CASE WHEN p.state = 'running' THEN 1"
	" END), count(CASE WHEN p.state = 'failed' THEN 1 END), count(DISTINCT p.ran_on) FROM"
	" campaign c LEFT JOIN part p ON p.campaign = c.key GROUP BY c.key ORDER BY c.created_ns"
	" DESC, c.key DESC")
ROW(REMOVE_CAMPAIGN, "DELETE FROM campaign WHERE id = ?")
ROW(FIND_CAMPAIGN_PREFIX,
	"SELECT id FROM campaign WHERE id >= ?1 AND substr(id, 1, length(?1)) = ?1 ORDER BY id"
	" LIMIT 2")
/*
 * The fence is part of the conditions: of two attempts that come at the same moment, one
 * waits for the row and then compares with the number that the other has written.
 */
ROW(BEGIN_ATTEMPT,
	"UPDATE part SET attempt = ?1, state = 'running', ran_on = ?2, job = coalesce(?3, job),"
	" changed_ns = ?4 WHERE campaign = (SELECT key FROM campaign WHERE id = ?5) AND number ="
	" ?6 AND state <> 'done' AND attempt <= ?1")
/* An attempt that has been recorded as failed is not counted again. */
ROW(FAIL_ATTEMPT,
	"UPDATE part SET failures = CASE WHEN attempt = ?1 AND state <> 'running' THEN failures"
	" WHEN error = ?2 THEN failures + 1 ELSE 1 END, attempt = ?1, error = ?2, state = ?3,"
	" changed_ns = ?4 WHERE campaign = (SELECT key FROM campaign WHERE id = ?5) AND number ="
	" ?6 AND state <> 'done' AND attempt <= ?1 AND NOT (state = 'failed' AND attempt = ?1)")
ROW(SUBMIT_PART,
	"UPDATE part SET generation = ?1, changed_ns = ?2, state = CASE WHEN state = 'failed' THEN"
	" 'todo' ELSE state END WHERE campaign = (SELECT key FROM campaign WHERE id = ?3) AND"
	" number = ?4 AND state <> 'done' AND generation < ?1")
ROW(RESET_PART,
	"UPDATE part SET state = 'todo', generation = 0, failures = 0, error = NULL, changed_ns ="
	" ?1 WHERE campaign = (SELECT key FROM campaign WHERE id = ?2) AND number = ?3 AND state ="
	" 'failed'")
ROW(SET_JOB,
	"UPDATE part SET job = ?1 WHERE campaign = (SELECT key FROM campaign WHERE id = ?2) AND"
	" generation = ?3 AND number = ?4 AND state <> 'done'")
ROW(FIND_MEMBER,
	"SELECT id FROM experiment WHERE member_campaign = ? AND member_part = ? AND machine = ?"
	" ORDER BY started_ns DESC, key DESC LIMIT 1")
ROW(SET_ATTEMPT, "UPDATE experiment SET member_attempt = ?, member_node = ? WHERE id = ?")
ROW(GET_DELIVERED,
	"SELECT digest, owner IS NULL OR owner = $me, owner FROM experiment WHERE id = ?")
ROW(LOCK_PART,
	"SELECT campaign, state, attempt, experiment FROM part WHERE campaign = (SELECT key FROM"
	" campaign WHERE id = ?) AND number = ? $lock_row")
ROW(SET_PART_DONE,
	"UPDATE part SET state = 'done', attempt = ?, experiment = ?, ran_on = ?, error = NULL,"
	" changed_ns = ? WHERE campaign = ? AND number = ?")
ROW(ENQUEUE,
	"INSERT INTO outbox (experiment, destination, queued_ns, generation) VALUES (?1, ?2, ?3,"
	" 1) ON CONFLICT (experiment, destination) DO UPDATE SET queued_ns = CASE WHEN"
	" outbox.delivered_ns IS NULL THEN outbox.queued_ns ELSE ?3 END, generation ="
	" outbox.generation + 1, delivered_ns = NULL")
ROW(GET_OUTBOX,
	"SELECT o.experiment, o.destination, o.queued_ns, o.generation, o.digest, o.delivered_ns,"
	" o.tried_ns, o.error, e.label, e.state, e.samples FROM outbox o JOIN experiment e ON e.id"
	" = o.experiment ORDER BY o.queued_ns, o.experiment, o.destination")
ROW(SET_DELIVERED,
	"UPDATE outbox SET digest = ?1, delivered_ns = ?2, tried_ns = ?2, error = NULL WHERE"
	" experiment = ?3 AND destination = ?4 AND generation = ?5")
ROW(SET_UNDELIVERED,
	"UPDATE outbox SET tried_ns = ?, error = ? WHERE experiment = ? AND destination = ?")
ROW(LIST_TO_PULL,
	"SELECT id, digest, machine FROM experiment WHERE (?1 = '' OR label = ?1) AND (?2 = '' OR"
	" machine = ?2 OR host_name = ?2) AND started_ns >= ?3 ORDER BY started_ns DESC, key DESC"
	" LIMIT ?4")
ROW(REDIRECT,
	"DELETE FROM outbox WHERE experiment = ? AND destination <> ? AND delivered_ns IS NULL")
/* In microseconds; of a central store. */
ROW(GET_CLOCK, "SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS bigint)")
/* How many of the roles are members of each other as they should, in PostgreSQL. */
ROW(COUNT_ROLES,
	"SELECT count(*) FROM pg_auth_members m JOIN pg_roles a ON a.oid = m.roleid JOIN pg_roles"
	" b ON b.oid = m.member WHERE (a.rolname, b.rolname) IN (('etalon_read', 'etalon_add'),"
	" ('etalon_add', 'etalon_edit'))")
ROW(DROP_FROM_OUTBOX, "DELETE FROM outbox WHERE experiment = ?")
