/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The schema and its migrations. A released step is never changed: a change of the schema is a new
 * step. The columns of samples and the like are named as in model/experiment/field.c; the
 * statements take their columns from there, so a field without a column makes every test of the
 * store fail.
 */
#include "store/core/backend.h"

/* Step i, from 1, turns a store of version i - 1 into one of version i. */
static const char *const steps[] = {
	/*
	 * 1: The primary key of samples includes the command because the two samples of a duet
	 * share their order. Names of processes are kept once: the same few dozen recur in every
	 * sample.
	 */
	"CREATE TABLE experiment ("
	" key $key, id $text NOT NULL UNIQUE, label $text,"
	" started_ns $int NOT NULL, finished_ns $int NOT NULL, state $text NOT NULL,"
	" protocol $text NOT NULL, metric $text NOT NULL,"
	" \"order\" $text NOT NULL, seed $int NOT NULL, image_source $text,"
	" commands $int NOT NULL, samples $int NOT NULL DEFAULT 0,"
	" plan_reference $int, plan_warmup $int, plan_runs $int, plan_until_ratio $real,"
	" plan_min_runs $int, plan_max_runs $int, plan_time_limit_ns $int,"
	" plan_metronome_ns $int, plan_pace $int, plan_keep_all $int,"
	" plan_ignore_failure $int, plan_level $real,"
	" child_cpus $text, child_sched $text, child_user $text, child_shell $text, child_input "
	"$text,"
	" child_output $text, child_directory $text, child_nice $int,"
	" host_name $text, host_kernel $text, host_architecture $text, host_cpu $text,"
	" host_cpus $int, host_virtual $text, host_clocksource $text, host_governor $text,"
	" host_tick_ns $int, host_memory_bytes $int, host_block_delays $int"
	") $table;"
	"CREATE INDEX experiment_started ON experiment (started_ns);"
	"CREATE INDEX experiment_label ON experiment (label) WHERE label IS NOT NULL;"
	"CREATE TABLE command ("
	" experiment $int NOT NULL REFERENCES experiment ON DELETE CASCADE,"
	" number $int NOT NULL, name $text NOT NULL, text $text NOT NULL,"
	" argv $blob NOT NULL," /* each word with its NUL: file names need not be UTF-8 */
	" prepare $text, conclude $text, setup $text, cleanup $text,"
	" PRIMARY KEY (experiment, number)) $table_by_key;"
	"CREATE TABLE parameter ("
	" experiment $int NOT NULL, command $int NOT NULL, number $int NOT NULL,"
	" name $text NOT NULL, value $text NOT NULL,"
	" PRIMARY KEY (experiment, command, number),"
	" FOREIGN KEY (experiment, command) REFERENCES command ON DELETE CASCADE"
	") $table_by_key;"
	"CREATE TABLE factor ("
	" experiment $int NOT NULL REFERENCES experiment ON DELETE CASCADE,"
	" number $int NOT NULL, factor $text, state $text, wanted $text, ok $int NOT NULL,"
	" PRIMARY KEY (experiment, number)) $table_by_key;"
	"CREATE TABLE sample ("
	" experiment $int NOT NULL REFERENCES experiment ON DELETE CASCADE,"
	" \"order\" $int NOT NULL, command $int NOT NULL,"
	" round $int, position $int, partner $int, arrangement $text NOT NULL,"
	" warmup $int NOT NULL, exit_code $int, signal $int, marks $int NOT NULL,"
	" pt_source $text, started_wall_ns $int, et_ns $int, pt_ns $int,"
	" user_ns $int, system_ns $int, wait_ns $int, blocked_ns $int,"
	" steal_ns $int, max_rss_bytes $int, voluntary_switches $int,"
	" involuntary_switches $int, cpu_migrations $int, major_faults $int,"
	" minor_faults $int, removed_by $text, removed_daemon $text, removed_pt_ns $int,"
	" removed_cutoff_ns $int,"
	" PRIMARY KEY (experiment, \"order\", command)) $table_by_key;"
	"CREATE TABLE process (key $key, name $text NOT NULL UNIQUE) $table;"
	"CREATE TABLE interference ("
	" experiment $int NOT NULL, \"order\" $int NOT NULL, command $int NOT NULL,"
	" number $int NOT NULL, process $int NOT NULL, pid $int,"
	" kernel_thread $int, exited $int, pt_ns $int, doubt_ns $int,"
	" on_our_cpu_ns $int,"
	" PRIMARY KEY (experiment, \"order\", command, number),"
	" FOREIGN KEY (experiment, \"order\", command) REFERENCES sample ON DELETE CASCADE"
	") $table_by_key;"
	"CREATE TABLE fact (key $text PRIMARY KEY, value $text NOT NULL) $table_by_key;",
	/* 2: The ledger of the program's CPU, the counter, the probe, the reference loop, K-best.
	 */
	"ALTER TABLE sample ADD COLUMN others_ns $int;"
	"ALTER TABLE sample ADD COLUMN idle_ns $int;"
	"ALTER TABLE sample ADD COLUMN irq_ns $int;"
	"ALTER TABLE sample ADD COLUMN softirq_ns $int;"
	"ALTER TABLE sample ADD COLUMN probe_before_ns $int;"
	"ALTER TABLE sample ADD COLUMN probe_after_ns $int;"
	"ALTER TABLE sample ADD COLUMN counter_ticks $int;"
	"ALTER TABLE sample ADD COLUMN pace_ns $int;"
	"ALTER TABLE sample ADD COLUMN pace_loops $int;"
	"ALTER TABLE sample ADD COLUMN removed_probe_ns $int;"
	"ALTER TABLE sample ADD COLUMN removed_steal_ns $int;"
	"ALTER TABLE sample ADD COLUMN removed_limit_ns $int;"
	"ALTER TABLE experiment ADD COLUMN plan_probe $int;"
	"ALTER TABLE experiment ADD COLUMN plan_k $int;"
	"ALTER TABLE experiment ADD COLUMN plan_epsilon $real;",
	/* 3: How the record came into the store, and from which machine; NULL: it is not known. */
	"ALTER TABLE experiment ADD COLUMN origin $text;"
	"ALTER TABLE experiment ADD COLUMN machine $text;",
	/* 4: The environment and the privileges of a program that another user runs. */
	"ALTER TABLE experiment ADD COLUMN child_pass_env $text;"
	"ALTER TABLE experiment ADD COLUMN child_no_new_privs $int;",
	/* 5: A number of runs that follows from their duration. */
	"ALTER TABLE experiment ADD COLUMN plan_min_time_ns $int;",
	/* 6: The state of the program: the parts of its elapsed time. */
	"ALTER TABLE sample ADD COLUMN on_cpu_ns $int;"
	"ALTER TABLE sample ADD COLUMN runnable_ns $int;"
	"ALTER TABLE sample ADD COLUMN asleep_ns $int;",
	/* 7: Exit statuses that are no failure. */
	"ALTER TABLE experiment ADD COLUMN child_ignore_codes $text;",
	/* 8: The state of the first sanity check. */
	"ALTER TABLE experiment ADD COLUMN first_check_state $text;"
	"ALTER TABLE experiment ADD COLUMN first_check_learned_wall_ns $int;"
	"ALTER TABLE experiment ADD COLUMN first_check_cutoffs $int;"
	"ALTER TABLE experiment ADD COLUMN first_check_would_remove $int;",
	/*
	 * 9: Profiles. The counts of a run are one blob (store/core/profile.c): a row per function
	 * and run took 60 times as long to write between two runs and five times the space.
	 */
	"CREATE TABLE profile ("
	" experiment $int NOT NULL PRIMARY KEY REFERENCES experiment ON DELETE CASCADE,"
	" plan_event $text, plan_rate_hz $real, plan_period $int, plan_fixed $int,"
	" plan_user_only $int, plan_inlines $int, plan_addresses $int, plan_chains $text,"
	" event $text, way $text, kernel_allowed $int) $table_by_key;"
	"CREATE TABLE profile_function ("
	" experiment $int NOT NULL REFERENCES profile ON DELETE CASCADE,"
	" number $int NOT NULL, name $text NOT NULL, module $text NOT NULL, space $text,"
	" unnamed $int, PRIMARY KEY (experiment, number)) $table_by_key;"
	"CREATE TABLE profile_node ("
	" experiment $int NOT NULL REFERENCES profile ON DELETE CASCADE,"
	" number $int NOT NULL, parent $int NOT NULL, function $int NOT NULL,"
	" PRIMARY KEY (experiment, number)) $table_by_key;"
	"CREATE TABLE profile_run ("
	" experiment $int NOT NULL, \"order\" $int NOT NULL, command $int NOT NULL,"
	" samples $int, period $real, counted $int, lost $int, overruns $int, throttled $int,"
	" tasks $int, short_tasks $int, counts $blob NOT NULL,"
	" PRIMARY KEY (experiment, \"order\", command),"
	" FOREIGN KEY (experiment, \"order\", command) REFERENCES sample ON DELETE CASCADE"
	") $table_by_key;"
	"CREATE TABLE profile_calls ("
	" experiment $int NOT NULL REFERENCES profile ON DELETE CASCADE,"
	" command $int NOT NULL, function $int NOT NULL, calls $real NOT NULL,"
	" PRIMARY KEY (experiment, command, function)) $table_by_key;",
	/* 10: The design of an experiment of `doe`, as JSON (model/design/json.h). */
	"ALTER TABLE experiment ADD COLUMN design $text;",
	/* 11: Random layout of each run. */
	"ALTER TABLE experiment ADD COLUMN plan_randomise_layout $int;",
	/* 12: Samples of functions: the times are those of this many calls. */
	"ALTER TABLE sample ADD COLUMN calls $int;",
	/* 13: Interrupts that are part of CPU time, for K-best. */
	"ALTER TABLE sample ADD COLUMN irq_in_cpu_ns $int;",
	/*
	 * 14: Many machines. An experiment that is a part of a campaign names it. The central store
	 * knows who delivered an experiment and a digest of its contents; a file has an outbox of
	 * what is to be delivered. Facts are about a machine; those of older stores have no
	 * machine. The summaries of experiments are made here for those that are there already:
	 * views of many experiments cannot read all samples.
	 */
	"ALTER TABLE experiment ADD COLUMN member_campaign $text;"
	"ALTER TABLE experiment ADD COLUMN member_part $int;"
	"ALTER TABLE experiment ADD COLUMN member_attempt $int;"
	"ALTER TABLE experiment ADD COLUMN member_node $text;"
	"ALTER TABLE experiment ADD COLUMN plan_first_round $int;"
	"ALTER TABLE experiment ADD COLUMN owner $text;"
	"ALTER TABLE experiment ADD COLUMN digest $text;"
	"CREATE TABLE campaign ("
	" key $key, id $text NOT NULL UNIQUE, label $text, kind $text NOT NULL,"
	" engine $text NOT NULL, options $text, created_ns $int NOT NULL, owner $text,"
	" record $text NOT NULL) $table;"
	"CREATE INDEX campaign_label ON campaign (label) WHERE label IS NOT NULL;"
	"CREATE TABLE part ("
	" campaign $int NOT NULL REFERENCES campaign ON DELETE CASCADE,"
	" number $int NOT NULL, node $text, first_round $int NOT NULL, rounds $int NOT NULL,"
	" state $text NOT NULL, attempt $int NOT NULL, generation $int NOT NULL,"
	" failures $int NOT NULL, job $text, ran_on $text, error $text,"
	" experiment $text, changed_ns $int NOT NULL,"
	" PRIMARY KEY (campaign, number)) $table_by_key;"
	"CREATE TABLE machine ("
	" id $text PRIMARY KEY, first_ns $int NOT NULL, last_ns $int NOT NULL, version $text,"
	" host_name $text, host_kernel $text, host_architecture $text, host_cpu $text,"
	" host_cpus $int, host_virtual $text, host_clocksource $text, host_governor $text,"
	" host_tick_ns $int, host_memory_bytes $int, host_block_delays $int,"
	" environment $text) $table_by_key;"
	"CREATE TABLE outbox ("
	" experiment $text NOT NULL, destination $text NOT NULL, queued_ns $int NOT NULL,"
	" generation $int NOT NULL, digest $text, delivered_ns $int, tried_ns $int, error $text,"
	" PRIMARY KEY (experiment, destination)) $table_by_key;"
	"CREATE TABLE fact_of_machine ("
	" machine $text NOT NULL, key $text NOT NULL, value $text NOT NULL,"
	" changed_ns $int NOT NULL, PRIMARY KEY (machine, key)) $table_by_key;"
	"INSERT INTO fact_of_machine (machine, key, value, changed_ns)"
	" SELECT '', key, value, 0 FROM fact;"
	"DROP TABLE fact;"
	"ALTER TABLE fact_of_machine RENAME TO fact;"
	/* The newest of a label, and those of a machine, among a million experiments. */
	"DROP INDEX experiment_label;"
	"CREATE INDEX experiment_label ON experiment (label, started_ns) WHERE label IS NOT NULL;"
	"CREATE INDEX experiment_machine ON experiment ((coalesce(machine, '')), started_ns);"
	"CREATE TABLE summary ("
	" experiment $int NOT NULL REFERENCES experiment ON DELETE CASCADE,"
	" command $int NOT NULL, samples $int NOT NULL,"
	" et_mean $real, et_squares $real, pt_mean $real, pt_squares $real,"
	" PRIMARY KEY (experiment, command)) $table_by_key;" ET_SQL_SUMMARISE(""),
	/*
	 * 15: Studies of `lab`. Earlier versions recognised the parts of a study by their label,
	 * LABEL/TIME/PART. A label alone is not enough, because a user may give one of that shape:
	 * the experiment must also have the plan of such a part and run nothing but what the lab
	 * runs, which is `etalon put`, or a program that the lab has compiled in its folder. If a
	 * user gave another label than "lab NAME", it is not known which experiment of the lab it
	 * was.
	 */
	"ALTER TABLE experiment ADD COLUMN study_name $text;"
	"ALTER TABLE experiment ADD COLUMN study_lab $text;"
	"ALTER TABLE experiment ADD COLUMN study_part $text;"
	"UPDATE experiment SET study_part = (SELECT max(e.column1 || g.column1)"
	" FROM (VALUES ('as-is'), ('v1'), ('v2'), ('v3'), ('paced')) e,"
	" (VALUES (''), ('/2'), ('/3'), ('/4')) g"
	" WHERE experiment.label LIKE '%/2_______-______/' || e.column1 || g.column1),"
	" study_lab = 'emp-versions'"
	" WHERE label LIKE '%/2_______-______/%' AND protocol = 'raw' AND \"order\" = 'random'"
	" AND plan_warmup = 0 AND NOT EXISTS (SELECT 1 FROM command c"
	" WHERE c.experiment = experiment.key AND c.text NOT LIKE '% put inc --seconds %');"
	"UPDATE experiment SET study_part = (SELECT max(p.column1)"
	" FROM (VALUES ('random'), ('fixed'), ('gprof'), ('perf'), ('random, load'),"
	" ('random, no load'), ('gprof, load'), ('gprof, no load'), ('10^8'), ('10^7.5'),"
	" ('10^7'), ('10^6.5'), ('10^6'), ('10^5.5'), ('10^5'), ('10^4.5')) p"
	" WHERE experiment.label LIKE '%/2_______-______/' || p.column1)"
	" WHERE label LIKE '%/2_______-______/%' AND protocol = 'raw'"
	" AND \"order\" = 'round-robin' AND plan_warmup = 0"
	" AND EXISTS (SELECT 1 FROM profile p WHERE p.experiment = experiment.key)"
	" AND NOT EXISTS (SELECT 1 FROM command c WHERE c.experiment = experiment.key"
	" AND c.text NOT LIKE '% put fragment %' AND c.text NOT LIKE '% put triangle %'"
	" AND c.text NOT LIKE '% put nops %' AND c.text NOT LIKE '%/lab/2_______-______/%');"
	"UPDATE experiment SET study_lab = NULL WHERE study_part IS NULL;"
	"UPDATE experiment SET"
	" study_name = substr(label, 1, length(label) - length(study_part) - 1)"
	" WHERE study_part IS NOT NULL;"
	"UPDATE experiment SET study_lab = substr(study_name, 5, length(study_name) - 20)"
	" WHERE study_lab IS NULL AND study_name LIKE 'lab %/2_______-______';",
	/* 16: Figures that are no samples: model/experiment/figure.h. */
	"CREATE TABLE figure ("
	" experiment $int NOT NULL REFERENCES experiment ON DELETE CASCADE,"
	" number $int NOT NULL, name $text NOT NULL, load $int NOT NULL, length_ns $int NOT NULL,"
	" value $real, PRIMARY KEY (experiment, number)) $table_by_key;",
	/* 17: Comparisons that are sampled until they are decided. */
	"ALTER TABLE experiment ADD COLUMN plan_equal_ratio $real;",
	/* 18: The limit of --fail-on-regression, so that the decision can be shown again. */
	"ALTER TABLE experiment ADD COLUMN plan_gate $int;"
	"ALTER TABLE experiment ADD COLUMN plan_regression_ratio $real;"
	"ALTER TABLE experiment ADD COLUMN plan_undecided $int;",
	/* 19: The files that commands read and write, as JSON (model/experiment/files.h). */
	"ALTER TABLE experiment ADD COLUMN plan_scout $int;"
	"ALTER TABLE command ADD COLUMN files $text;",
};

const struct et_schema et_store_schema = { steps, ET_LENGTH(steps) };

static int read_version(struct et_database *db, const struct et_schema *schema, int64_t *version,
	struct et_error *err)
{
	int rc = db->ops->read_version(db, version, err);

	if (rc)
		return rc;
	if (*version > schema->version)
		return et_fail_hint(err, EPROTO, ET_EXIT_OUTSIDE,
			"use a newer etalon; the store was not changed",
			"%s: the store has schema version %" PRId64 ", this etalon knows up to %d",
			db->name, *version, schema->version);
	return 0;
}

static int take_steps(struct et_database *db, const struct et_schema *schema, struct et_error *err)
{
	int64_t version = 0;
	int rc = db->ops->begin_migration ? db->ops->begin_migration(db, err) : 0;

	/* Another process may have migrated the store while this one waited for the lock. */
	if (rc == 0)
		rc = read_version(db, schema, &version, err);

	for (int64_t i = version; rc == 0 && i < schema->version; i++) {
		ET_AUTO_FREE char *sql = et_sql_expand(schema->steps[i], db->ops->dialect);
		rc = db->ops->script(db, sql, err);
	}
	if (rc == 0)
		rc = db->ops->write_version(db, schema->version, err);
	return rc ? rc : db->ops->commit(db, err);
}

int et_schema_migrate(struct et_database *db, const struct et_schema *schema, struct et_error *err)
{
	int64_t version;
	int rc = read_version(db, schema, &version, err);

	if (rc || version == schema->version)
		return rc;
	rc = db->ops->begin(db, ET_TRANSACTION_WRITE, err);
	if (rc)
		return rc;
	rc = take_steps(db, schema, err);
	if (rc && db->ops->in_transaction(db))
		db->ops->rollback(db);
	return rc;
}
