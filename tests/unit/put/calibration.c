/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The constant of INC: found, kept, and read back only when it can be one. */
#include "put/calibration.h"
#include "base/alloc.h"
#include "put/put.h"
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

static char *dir, *deep, *path;
static struct et_error err;

static void put_file(const char *text)
{
	FILE *f = fopen(path, "we");

	if (!f)
		return;
	fputs(text, f);
	fclose(f);
}

static void test_keeping(void)
{
	struct stat st;
	double rate = 7;

	ok(et_calibration_read(deep, "a", &rate, &err) == -ENOENT && rate == 7, "no file yet");
	ok(et_calibration_write(deep, "a", 3e9, &err) == 0, "written, folders made");
	ok(stat(path, &st) == 0 && (st.st_mode & 07777) == 0600, "the file is the user's own");
	ok(stat(deep, &st) == 0 && (st.st_mode & 07777) == 0700, "so is the folder");
	ok(et_calibration_read(deep, "a", &rate, &err) == 0 && rate == 3e9, "read back");
	rate = 7;
	ok(et_calibration_read(deep, "b", &rate, &err) == -ENOENT && rate == 7, "not another's");
	ok(et_calibration_write(deep, "b \"\\ é", 123456789.5, &err) == 0, "a second CPU");
	ok(et_calibration_write(deep, "a", 4e9, &err) == 0, "the first anew");
	ok(et_calibration_read(deep, "a", &rate, &err) == 0 && rate == 4e9, "is changed");
	ok(et_calibration_read(deep, "b \"\\ é", &rate, &err) == 0 && rate == 123456789.5,
		"the second stays");
}

static void test_hostile(void)
{
	static const char *const texts[] = {
		"",
		"nonsense",
		"{}",
		"[]",
		"{\"etalon_inc\": 1}",
		"{\"etalon_inc\": 2, \"increments_per_second\": {\"a\": 3e9}}",
		"{\"etalon_inc\": 1, \"increments_per_second\": [3e9]}",
		"{\"etalon_inc\": 1, \"increments_per_second\": {\"a\": \"3e9\"}}",
		"{\"etalon_inc\": 1, \"increments_per_second\": {\"a\": 0}}",
		"{\"etalon_inc\": 1, \"increments_per_second\": {\"a\": -3e9}}",
		"{\"etalon_inc\": 1, \"increments_per_second\": {\"a\": 1e300}}",
		"{\"etalon_inc\": 1, \"increments_per_second\": {\"a\": 1e999}}",
		"{\"etalon_inc\": 1, \"increments_per_second\": {\"a\": NaN}}",
		"{\"etalon_inc\": 1, \"increments_per_second\": {\"a\": 3e9, \"a\": 4e9}}",
		"{\"etalon_inc\": 1, \"increments_per_second\": {\"b\": 1, \"a\": 3e9}}",
	};
	double rate = 7;

	for (size_t i = 0; i < ET_LENGTH(texts); i++) {
		put_file(texts[i]);
		ok(et_calibration_read(deep, "a", &rate, &err) == -EBADMSG && rate == 7,
			"refused: %s", texts[i]);
	}
	char *big = et_calloc(1, 100000);
	memset(big, ' ', 99999);
	put_file(big);
	free(big);
	ok(et_calibration_read(deep, "a", &rate, &err) == -EBADMSG, "refused: far too long");
	unlink(path);
	ok(symlink("/dev/zero", path) == 0 &&
			et_calibration_read(deep, "a", &rate, &err) == -EBADMSG,
		"refused: a link to elsewhere");
	unlink(path);
	ok(mkfifo(path, 0600) == 0 && et_calibration_read(deep, "a", &rate, &err) == -EBADMSG,
		"refused: a pipe, without waiting for it");
	ok(et_calibration_write(deep, "a", 5e9, &err) == 0 &&
			et_calibration_read(deep, "a", &rate, &err) == 0 && rate == 5e9,
		"and replaced by a good one");
}

static void test_unwritable(void)
{
	double rate = 7;

	ok(et_calibration_write("/proc/nosuch/deeper", "a", 3e9, &err) == -ENOENT &&
			strstr(err.what, "/proc/nosuch"),
		"a folder that cannot be made is named");
	ok(et_calibration_read("/dev/null", "a", &rate, &err) == -ENOTDIR, "a file for a folder");
}

static void test_cpu_model(void)
{
	char model[128], small[8];
	char *proc = et_asprintf("%s/proc", dir), *info = et_asprintf("%s/proc/cpuinfo", dir);

	mkdir(proc, 0700);
	et_cpu_model(dir, model, sizeof(model));
	ok(model[0] != '\0', "without /proc/cpuinfo the architecture: %s", model);
	FILE *f = fopen(info, "we");
	fputs("processor\t: 0\nmodel\t\t: 106\nmodel name\t: Some CPU\033[1m @ 2 GHz\n", f);
	fclose(f);
	et_cpu_model(dir, model, sizeof(model));
	is_str(model, "Some CPU?[1m @ 2 GHz", "x86: the model's name, printable");
	et_cpu_model(dir, small, sizeof(small));
	is_str(small, "Some CP", "cut to what there is room for");
	f = fopen(info, "we");
	fputs("processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\n", f);
	fclose(f);
	et_cpu_model(dir, model, sizeof(model));
	is_str(model, "implementer 0x41 part 0xd0c", "ARM: implementer and part");
	unlink(info);
	rmdir(proc);
	free(proc);
	free(info);
}

static void test_inc_uses_it(void)
{
	const struct et_workload *w = et_workload_find("inc");
	struct et_put_params p = {
		.given = ET_PUT_SECONDS, .seconds_ns = 1000000, .state_dir = deep
	};
	struct et_put_result out;
	char cpu[128];
	double rate = 0;

	et_cpu_model("", cpu, sizeof(cpu));
	ok(et_calibration_write(deep, cpu, 50e6, &err) == 0 &&
			et_workload_run(w, &p, &out, &err) == 0 && out.value == 50000 &&
			!out.warning[0],
		"inc takes the kept rate");
	put_file("hostile");
	ok(et_workload_run(w, &p, &out, &err) == 0 && strstr(out.warning, "replaced"),
		"a bad file is replaced, and that is said");
	ok(et_calibration_read(deep, cpu, &rate, &err) == 0 && rate > 1e6, "by a rate just found");
	near((double)out.value, rate * 1e-3, 1e-6, 1, "which is used at once");
	p.state_dir = "/proc/nosuch";
	ok(et_workload_run(w, &p, &out, &err) == 0 && strstr(out.warning, "not kept"),
		"no place to keep it is said");
}

int main(void)
{
	char template[] = "/tmp/etalon-test.XXXXXX";

	dir = mkdtemp(template);
	if (!dir)
		return 1;
	deep = et_asprintf("%s/state/etalon", dir);
	path = et_asprintf("%s/inc.json", deep);
	test_keeping();
	test_hostile();
	test_unwritable();
	test_cpu_model();
	test_inc_uses_it();
	unlink(path);
	rmdir(deep);
	*strrchr(deep, '/') = '\0';
	rmdir(deep);
	ok(rmdir(dir) == 0, "nothing else is left behind");
	free(path);
	free(deep);
	return tap_done();
}
