/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Words of formats that several files of targets read, and the search for a target. */
#include "fuzz.h"

#include <string.h>

const char *const fuzz_json_tokens[] = { "null", "true", "false", "{}", "[]", "\"\"", "\"",
	"\"\\u001b[31m\"", "\"\\ud800\"", "\"\\u0000\"", "\"\\u202e\"", "{\"a\":", "[", "]", "}",
	",", ":", "NaN", "1e309", "-0", "0.1", "1E5", "\"etalon\":1,", "\"results\":[",
	"\"times\":[", "\"samples\":[", "\"et_ns\":", "\"pt_ns\":", "\"order\":", "\"round\":",
	"\"partner\":", "\"command\":", "\"argv\":[", "\"name\":", "\"state\":\"interrupted\"",
	"\"arrangement\":\"duet\"", "\"marks\":[", "\"removed\":{\"by\":", "\"warmup\":true",
	"\"exit_code\":", "\"functions\":[", "\"slices\":[", "\"ns\":[", "\"benchmarks\":[",
	"\"real_time\":", NULL };
const char *const fuzz_csv_tokens[] = { ",", ";", "\t", "\"", "\"\"", "\r\n", "\n", "#",
	"\xef\xbb\xbf", "command", "et_ns", "pt_ns", "order", "round", "warmup", "removed",
	"partner", "time_s", "time_ms", "seconds", "true", "duet", "'=", "=1+1", "nan", "inf",
	"0x10", ".", "1e", NULL };

const struct fuzz_target *fuzz_find(const char *name)
{
	for (const struct fuzz_target *const *t = fuzz_first; t != fuzz_end; t++) {
		if (!strcmp((*t)->name, name))
			return *t;
	}
	return NULL;
}
