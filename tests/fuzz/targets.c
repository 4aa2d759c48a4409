/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of fuzz targets, with the words that mutations insert. */
#include "fuzz.h"

#include <string.h>

#define TOKENS(...)                                                                                \
	(const char *const[])                                                                      \
	{                                                                                          \
		__VA_ARGS__, NULL                                                                  \
	}

static const char *const json_tokens[] = { "null", "true", "false", "{}", "[]", "\"\"", "\"",
	"\"\\u001b[31m\"", "\"\\ud800\"", "\"\\u0000\"", "\"\\u202e\"", "{\"a\":", "[", "]", "}",
	",", ":", "NaN", "1e309", "-0", "0.1", "1E5", "\"etalon\":1,", "\"results\":[",
	"\"times\":[", "\"samples\":[", "\"et_ns\":", "\"pt_ns\":", "\"order\":", "\"round\":",
	"\"partner\":", "\"command\":", "\"argv\":[", "\"name\":", "\"state\":\"interrupted\"",
	"\"arrangement\":\"duet\"", "\"marks\":[", "\"removed\":{\"by\":", "\"warmup\":true",
	"\"exit_code\":", "\"functions\":[", "\"slices\":[", "\"ns\":[", "\"benchmarks\":[",
	"\"real_time\":", NULL };
static const char *const csv_tokens[] = { ",", ";", "\t", "\"", "\"\"", "\r\n", "\n", "#",
	"\xef\xbb\xbf", "command", "et_ns", "pt_ns", "order", "round", "warmup", "removed",
	"partner", "time_s", "time_ms", "seconds", "true", "duet", "'=", "=1+1", "nan", "inf",
	"0x10", ".", "1e", NULL };
static const char *const option_tokens[] = { "\n", "--", "-", "\n--", "--runs", "--until", "0.5%",
	"--cpu", "0-1023", "--time-limit", "1d", "-P", "-L", "-D", "{n}", "{", "}", "--resume",
	"--order", "duet", "--protocol", "kbest", "--pace", "-n", "--prepare", "--sched",
	"fifo:", "--reference", "=", "-wrm", "--label", "'", "\"", "\\", NULL };
static const char *const plan_tokens[] = { "\n", "\n  ", "\n- ", ": ", "- ", "{", "}", "[", "]",
	", ", "{a}", "{build}", "${a}", "'", "\"", "|\n ", ">\n ", "# ", "---\n", "...\n", "&a ",
	"*a", "!!str ", "<<: ", "? ", "~", "null", "\t", "\\0", "\xef\xbb\xbf",
	"name: ", "programs: ", "command: ", "build: ", "input: ", "factors: ", "kind: ",
	"levels: ", "variable: ", "objects: ", "parameter", "environment", "environment-size",
	"environment-name", "link-order", "threads", "aslr", "nice", "design: ", "full",
	"fractional: ", "generators: ", "d = a b c", "blocks: ", "machine",
	"replications: ", "discard: ", "order: ", "yates",
	"seed: ", "response: ", "profile: ", "run: ", "hooks: ", "shell: sh",
	"warmup: ", "cpu: ", "prepare: ", NULL };
static const char *const proc_tokens[] = { "\n@/proc/stat\n", "\n@/proc/self/cgroup\n",
	"\n@/proc/self/mountinfo\n", "\n@/proc/loadavg\n", "\n@/proc/cpuinfo\n",
	"\n@/proc/1/stat\n", "\n@/sys/devices/system/cpu/online\n",
	"\n@/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor\n", "\n@/proc/swaps\n",
	"\n@/proc/version\n", "\n@/proc/net/route\n", "00000000", " ", "\n", ":", "-", ",", "0-3",
	"cpu0", "cgroup2", "cpuacct", "[always]", "(", ")", "..", "%s", "0::/", "(2026-01-01)",
	"Jan", NULL };
static const char *const unit_tokens[] = { "Id=", "ActiveState=", "active", "inactive", "failed",
	"LoadState=", "loaded", "masked", "not-found", "CanStart=no", "CanStop=no", "Transient=yes",
	"Job=", "TriggeredBy=", "ConsistsOf=", "BoundBy=", "RequiredBy=", "RequisiteOf=",
	"PropagatesStopTo=", "\n", "\n\n", "=", " ", "cron.service", "chrony.service", "inactive",
	"active", NULL };
static const char *const slurm_tokens[] = { "|", "\n", "etalon generation=1 offset=0", "PENDING",
	"RUNNING", "COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "BeginTime", "JobHeldUser",
	"launch failed requeued held", "N/A", "0-3", "0-900:2", "%2", ",", "-", "1048576",
	"4294967295", "32512", "idle", "drained", "down*", "(null)", NULL };
static const char *const journal_tokens[] = { "etalon-journal 1\n", "begin ", "change ", "made ",
	"again ", "back ", "apply", "run", "aslr", "file", "unit", "process", "%", "%20", "%0a",
	"%00", "%zz", "\n", " ", "/proc/sys/kernel/randomize_va_space", "cron.service", NULL };
static const char *const sql_tokens[] = { "SELECT ", "UPDATE ", "DELETE FROM ", "INSERT INTO ",
	"CREATE VIEW ", "CREATE TRIGGER t AFTER INSERT ON ", " BEGIN ", "END;", "DROP TABLE ",
	"ALTER TABLE ", " RENAME TO ", "experiment", "command", "sample", "parameter", "factor",
	"interference", "process", "fact", "sqlite_schema", " SET ", "sql=replace(sql,",
	"'STRICT',''", " WHERE ",
	"PRAGMA user_version=", "PRAGMA application_id=", "PRAGMA writable_schema=on;", "zeroblob(",
	"hex(", "char(27)", "NULL", "x'00'", "'", ";", "(", ")", ",", "*", "=", "1e400", "state",
	"argv", "et_ns", "id", "samples", "commands", "\"order\"", "GENERATED ALWAYS AS (",
	") VIRTUAL", NULL };
static const char *const perf_tokens[] = { "\n", "\n\n", "\t", " ", ":", "#", "(", ")", "+0x0",
	"+0x1f", " (inlined)", " (deleted))", "([kernel.kallsyms])", "([unknown])", "[unknown]",
	"(/tmp/perf-1.map)", "ffffffff81000130 ", "1135 ", "prog 7 [001] 1.0: ", "250 ",
	"cpu-clock:", "cycles:u:", "PERF_RECORD_LOST lost 5", "PERFILE2", "\xff", "\r", NULL };
static const char *const gprof_tokens[] = { "Flat profile:\n", "\n", "\n\n",
	"Each sample counts as 0.01 seconds.\n", " no time accumulated\n",
	" time   seconds   seconds    calls  ms/call  ms/call  name    \n",
	"  0.00      0.00     0.00        1     0.00     0.00  f\n", " ", "1e308", "nan", "-1",
	"0.001", "\t\t     Call graph\n", "\f", "gmon\1", NULL };
static const char *const map_tokens[] = { " ", "\n", "\t", "[bpf]", "\t[ext4]\n", " t ", " T ",
	" W ", "ffffffff81000000", "ffffffffffffffff", "1000 ", "0x", "1000 100 f\n", "$x", NULL };
static const char *const mangled_tokens[] = { "_Z", "_R", "S_", "S0_", "S1_", "SZ_", "I", "E", "N",
	"T_", "Dp", "J", "C1", "1a", "3foo", "P", "F", "L", "Lb1E", "cv", "sZ", "B_", "K", ".cold",
	"17h0123456789abcdefE", "Cs1_", "Nv", "Nt", "u0", "@plt", "999999999999", NULL };
static const char *const folded_tokens[] = { ";", ";;", " ", " 1\n", "\n", "_[k]", "_[j]", "_[i]",
	"[unknown]", "main;", "# ", "\t", "9223372036854775807", "\r\n", "\xc2\x9b", "1.5", NULL };
static const char *const callgrind_tokens[] = { "version: 1\n", "pid: 2\n", "part: 2\n",
	"cmd: ./a b\n", "events: Ir Dr\n", "positions: instr line\n", "summary: 1\n", "totals: 1\n",
	"fn=", "cfn=", "ob=", "cob=", "fl=", "fi=", "fe=", "cfi=", "calls=1 1\n", "jump=1 2\n",
	"jcnd=1/2 +3\n", "(1)", "(2) b", "(18446744073709551615)", "???", "*", "+", "-", "0x", " ",
	"\n", "1 1\n", "1 18446744073709551615\n", "'2", NULL };
static const char *const word_tokens[] = { "'", "\"", "\\", " ", "\t", "\n", "\\\n", "''", "$x",
	"`", "#", "\x7f", "\xff", NULL };
static const char *const number_tokens[] = { "-", "+", ".", "e", "%", "ns", "us", "ms", "s", "m",
	"h", "d", ",", "0x", "inf", "nan", " ", "0-3", "1023", "1024", "1e-320", "1e308", NULL };
static const char *const name_tokens[] = { "{", "}", "{n}", "{ n }", "{{", "\n", ",", "0.1", "1e5",
	"-", "name", NULL };
static const char *const utf8_tokens[] = { "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80",
	"\xe2\x80\xae", "\xcc\x81", "\xf0\x9f\x91\xa9", "\xe2\x80\x8d", "\x1b[31m", "\x1b]0;",
	"\x07", "\x9b", "\xc2\x9b", "\xef\xbb\xbf", "\xef\xbf\xbd", "\xff", NULL };

const struct fuzz_target fuzz_targets[] = {
	{ "words", fuzz_words, 20000, .tokens = word_tokens },
	{ "cpus", fuzz_cpus, 20000, .tokens = number_tokens },
	{ "numbers", fuzz_numbers, 20000, .tokens = number_tokens },
	{ "utf8", fuzz_utf8, 10000, .tokens = utf8_tokens },
	{ "parameters", fuzz_parameters, 1000, .tokens = name_tokens },
	{ "options", fuzz_options, 5000, .tokens = option_tokens },
	{ "plan", fuzz_plan, 5000, .tokens = plan_tokens },
	{ "import", fuzz_import, 5000, .json = true, .tokens = json_tokens },
	{ "csv", fuzz_csv, 5000, .tokens = csv_tokens },
	{ "points", fuzz_points, 500, .tokens = csv_tokens },
	{ "results", fuzz_results, 500, .tokens = csv_tokens },
	{ "series", fuzz_series, 5000, .tokens = csv_tokens },
	{ "trace", fuzz_trace, 4000, .json = true, .tokens = json_tokens },
	{ "daemons", fuzz_daemons, 4000, .json = true, .tokens = json_tokens },
	{ "baseline", fuzz_baseline, 5000, .json = true, .tokens = json_tokens },
	{ "slice", fuzz_slice, 5000, .json = true, .tokens = json_tokens },
	{ "calibration", fuzz_calibration, 3000, .json = true, .tokens = json_tokens },
	{ "hosts", fuzz_hosts, 10000,
		.tokens = TOKENS(",", "@", ":", "[", "]", "-", ".", " ", "\n", "running", "ended ",
			"lost", "1.1 ", "255", "4294967296") },
	{ "job", fuzz_job, 3000, .json = true, .tokens = json_tokens },
	{ "url", fuzz_url, 20000,
		.tokens = TOKENS("@", ":", "/", "?", "&", "=", "[", "]", ",", "%61",
			"password=", "sslpassword=", "5432", "postgresql://", "\xf4\x8f\xba") },
	{ "probe", fuzz_probe, 3000, .json = true, .tokens = json_tokens },
	{ "perf-script", fuzz_perf_script, 5000, .tokens = perf_tokens },
	{ "gprof", fuzz_gprof, 5000, .tokens = gprof_tokens },
	{ "callgrind", fuzz_callgrind, 5000, .tokens = callgrind_tokens },
#ifdef ET_HAVE_DW
	{ "elf", fuzz_elf, 5000, .binary = true },
#endif
	{ "names", fuzz_names, 20000, .tokens = mangled_tokens },
	{ "kallsyms", fuzz_kallsyms, 5000, .tokens = map_tokens },
	{ "perfmap", fuzz_perfmap, 5000, .tokens = map_tokens },
	{ "folded", fuzz_folded, 5000, .tokens = folded_tokens },
	{ "proc", fuzz_proc, 1000, .tokens = proc_tokens },
	{ "procstat", fuzz_procstat, 20000, .tokens = TOKENS("(", ")", " ", "R", "-1") },
	{ "services", fuzz_services, 10000, .tokens = unit_tokens },
	{ "slurm", fuzz_slurm, 10000, .tokens = slurm_tokens },
	{ "journal", fuzz_journal, 5000, .tokens = journal_tokens },
	{ "netlink", fuzz_netlink, 20000, .binary = true },
	{ "perf", fuzz_perf, 5000, .binary = true },
	{ "samples", fuzz_samples, 5000, .binary = true },
	{ "sched", fuzz_sched, 10000, .binary = true },
	{ "account", fuzz_account, 10000, .binary = true },
	{ "keep", fuzz_keep, 2000, .json = true, .tokens = json_tokens },
	{ "cutoffs", fuzz_cutoffs, 3000, .json = true, .tokens = json_tokens },
	{ "store", fuzz_store, 500, .binary = true, .seed = fuzz_store_seed },
	{ "schema", fuzz_schema, 200, .tokens = sql_tokens },
	{ "self", fuzz_self, .mutants = 100 },
	{ 0 },
};

const struct fuzz_target *fuzz_find(const char *name)
{
	for (const struct fuzz_target *t = fuzz_targets; t->name; t++) {
		if (!strcmp(t->name, name))
			return t;
	}
	return NULL;
}
