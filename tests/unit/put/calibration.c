/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The calibration of INC: measured, written, and read back only if it is valid. */
#include "put/calibration.h"
#include "base/base.h"
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

	ok(et_calibration_read(deep, "a", &rate, &err) == -ENOENT && rate == 7,
		"read: without a file -ENOENT");
	ok(et_calibration_write(deep, "a", 3e9, &err) == 0,
		"write: the file and its folders are created");
	ok(stat(path, &st) == 0 && (st.st_mode & 07777) == 0600, "write: the file has mode 0600");
	ok(stat(deep, &st) == 0 && (st.st_mode & 07777) == 0700, "write: the folder has mode 0700");
	ok(et_calibration_read(deep, "a", &rate, &err) == 0 && rate == 3e9,
		"read: the rate is read back");
	rate = 7;
	ok(et_calibration_read(deep, "b", &rate, &err) == -ENOENT && rate == 7,
		"read: another CPU model is -ENOENT");
	ok(et_calibration_write(deep, "b \"\\ é", 123456789.5, &err) == 0,
		"write: a second CPU model is added");
	ok(et_calibration_write(deep, "a", 4e9, &err) == 0,
		"write: the rate of the first CPU model is replaced");
	ok(et_calibration_read(deep, "a", &rate, &err) == 0 && rate == 4e9,
		"read: the new rate of the first CPU model");
	ok(et_calibration_read(deep, "b \"\\ é", &rate, &err) == 0 && rate == 123456789.5,
		"read: the rate of the second CPU model is kept");
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
			"read: invalid file is refused: %s", texts[i]);
	}
	char *big = et_calloc(1, 100000);
	memset(big, ' ', 99999);
	put_file(big);
	free(big);
	ok(et_calibration_read(deep, "a", &rate, &err) == -EBADMSG,
		"read: a file that is too long is refused");
	unlink(path);
	ok(symlink("/dev/zero", path) == 0 &&
			et_calibration_read(deep, "a", &rate, &err) == -EBADMSG,
		"read: a symbolic link is refused");
	unlink(path);
	ok(mkfifo(path, 0600) == 0 && et_calibration_read(deep, "a", &rate, &err) == -EBADMSG,
		"read: a FIFO is refused without waiting for it");
	ok(et_calibration_write(deep, "a", 5e9, &err) == 0 &&
			et_calibration_read(deep, "a", &rate, &err) == 0 && rate == 5e9,
		"write: an invalid file is replaced");
}

static void test_unwritable(void)
{
	double rate = 7;

	ok(et_calibration_write("/proc/nosuch/deeper", "a", 3e9, &err) == -ENOENT &&
			strstr(err.what, "/proc/nosuch"),
		"write: the error names the folder that cannot be created");
	ok(et_calibration_read("/dev/null", "a", &rate, &err) == -ENOTDIR,
		"read: a file in place of the folder is -ENOTDIR");
}

static void test_cpu_model(void)
{
	char model[128], small[8];
	char *proc = et_asprintf("%s/proc", dir), *info = et_asprintf("%s/proc/cpuinfo", dir);

	mkdir(proc, 0700);
	et_cpu_model(dir, model, sizeof(model));
	ok(model[0] != '\0', "CPU model: without /proc/cpuinfo it is the architecture: %s", model);
	FILE *f = fopen(info, "we");
	fputs("processor\t: 0\nmodel\t\t: 106\nmodel name\t: Some CPU\033[1m @ 2 GHz\n", f);
	fclose(f);
	et_cpu_model(dir, model, sizeof(model));
	is_str(model, "Some CPU?[1m @ 2 GHz",
		"CPU model: on x86 the model name, with unprintable bytes replaced");
	et_cpu_model(dir, small, sizeof(small));
	is_str(small, "Some CP", "CPU model: a long name is truncated");
	f = fopen(info, "we");
	fputs("processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\n", f);
	fclose(f);
	et_cpu_model(dir, model, sizeof(model));
	is_str(model, "implementer 0x41 part 0xd0c", "CPU model: on ARM implementer and part");
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
		"inc: the rate of the file is used");
	put_file("hostile");
	ok(et_workload_run(w, &p, &out, &err) == 0 && strstr(out.warning, "replaced"),
		"inc: an invalid file is replaced with a warning");
	ok(et_calibration_read(deep, cpu, &rate, &err) == 0 && rate > 1e6,
		"inc: the rate just measured is written");
	near((double)out.value, rate * 1e-3, 1e-6, 1, "inc: the rate just measured is used");
	p.state_dir = "/proc/nosuch";
	ok(et_workload_run(w, &p, &out, &err) == 0 && strstr(out.warning, "not stored"),
		"inc: a rate that cannot be written is a warning");
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
	ok(rmdir(dir) == 0, "cleanup: no other file is left");
	free(path);
	free(deep);
	return tap_done();
}
