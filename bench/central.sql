-- SPDX-License-Identifier: GPL-3.0-or-later
-- Fills a central store with :experiments experiments of :samples samples each, of 20 machines and two
-- commands, and one experiment of :long samples. Every tenth sample has two culprits. Executed by
-- bench/central as superuser: triggers and foreign keys are off, the rows are as etalon writes them.
SET search_path TO etalon;
SET session_replication_role TO replica;
CREATE TEMP TABLE plan AS
SELECT n AS key, to_char(timestamp '2025-11-15 08:55:06' + n * interval '1 minute', 'YYYYMMDD-HH24MISS')
	|| '-' || lpad(to_hex(n), 6, '0') AS id,
	CASE WHEN n > :experiments THEN 'long' ELSE 'nightly ' || n % 50 END AS label,
	1763196906000000000 + n * 60000000000 AS started_ns,
	'node' || n % 20 || ' 0123456789abcdef' AS machine, 'node' || n % 20 AS host,
	CASE WHEN n > :experiments THEN :long ELSE :samples END AS samples
FROM generate_series(1, :experiments + 1) n;
INSERT INTO experiment (key, id, label, started_ns, finished_ns, state, protocol, metric, "order", seed, commands,
	samples, plan_reference, plan_warmup, plan_runs, plan_until_ratio, plan_min_runs, plan_max_runs,
	plan_time_limit_ns, plan_metronome_ns, plan_pace, plan_keep_all, plan_ignore_failure, plan_level, child_nice,
	host_name, host_kernel, host_architecture, host_cpu, host_cpus, host_virtual, host_clocksource, host_tick_ns,
	host_memory_bytes, host_block_delays, plan_probe, plan_k, plan_epsilon, origin, machine, child_no_new_privs,
	plan_min_time_ns, first_check_state, first_check_learned_wall_ns, first_check_cutoffs,
	first_check_would_remove, plan_randomise_layout, member_part, member_attempt, plan_first_round, owner)
SELECT key, id, label, started_ns, started_ns + 50000000000, 'done', 'cause', 'pt', 'random', key, 2, samples, 0, 1,
	samples / 2, 0, 10, 1000, 0, 0, 0, 0, 0, 0.95, 0, host, '6.1.0-18-amd64', 'x86_64', 'A CPU @ 3 GHz', 64, '',
	'tsc', 4000000, 137438953472, 0, 0, 0, 0, 'measured', machine, 0, 0, 'none', 0, 0, 0, 0, 0, 0, 0, 'bench'
FROM plan;
INSERT INTO command (experiment, number, name, text, argv)
SELECT key, c, 'version ' || c, './version-' || c || ' --input data', '\x2e2f76657273696f6e00' FROM plan, generate_series(0, 1) c;
INSERT INTO factor (experiment, number, factor, state, wanted, ok)
SELECT key, f, 'factor ' || f, 'on', 'off', f % 2 FROM plan, generate_series(0, 9) f;
INSERT INTO process (key, name)
SELECT n, 'daemon-' || n FROM generate_series(1, 40) n;
INSERT INTO sample (experiment, "order", command, round, "position", partner, arrangement, warmup, exit_code, signal,
	marks, pt_source, started_wall_ns, et_ns, pt_ns, user_ns, system_ns, wait_ns, blocked_ns, steal_ns,
	max_rss_bytes, voluntary_switches, involuntary_switches, cpu_migrations, major_faults, minor_faults,
	others_ns, idle_ns, irq_ns, softirq_ns, on_cpu_ns, runnable_ns, asleep_ns)
SELECT key, s, s % 2, (s + 1) / 2, s % 2, NULL, 'solo', 0, 0, 0, 0, 'cpu.stat', started_ns + s * bigint '40000000', 20000000 + x % 5000000,
	19000000 + x % 700000, 15000000 + x % 600000, 4000000 + x % 100000, x % 300000, 0, x % 10000,
	4096 * (1000 + x % 64), x % 100, x % 30, x % 3, 0, 1000 + x % 100, x % 1000, x % 2000, x % 3000, x % 500,
	19000000 + x % 700000, x % 100000, x % 10000
FROM plan, LATERAL (SELECT s, (s * bigint '2654435761' + key * 40503) % 4294967296 AS x FROM generate_series(1, samples) s) v;
INSERT INTO interference (experiment, "order", command, number, process, pid, kernel_thread, exited, pt_ns, doubt_ns)
SELECT key, s, s % 2, c, 1 + (s + c) % 40, 300 + s % 1000, c, 0, 1000 + s, 4000000
FROM plan, LATERAL generate_series(10, samples, 10) s, generate_series(0, 1) c;
INSERT INTO summary (experiment, command, samples, et_mean, et_squares, pt_mean, pt_squares)
SELECT key, c, samples / 2, 22500000, 1e13, 19350000, 1e11 FROM plan, generate_series(0, 1) c;
SELECT setval(pg_get_serial_sequence('experiment', 'key'), :experiments + 1),
	setval(pg_get_serial_sequence('process', 'key'), 40);
VACUUM (ANALYZE);
