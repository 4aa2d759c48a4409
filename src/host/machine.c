/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "host/machine.h"
#include "base/parse.h"
#include "base/procstat.h"
#include "base/sysroot.h"
#include "host/environment.h"
#include "host/host.h"

bool et_process_read(const char *root, int32_t pid, struct et_process *out)
{
	struct et_procstat s;

	if (et_procstat_read(root, pid, &s))
		return false;
	*out = (struct et_process){
		.pid = pid,
		.parent = s.ppid,
		.state = s.state,
		.kernel_thread = s.flags & ET_PF_KTHREAD,
		.start = s.starttime,
	};
	snprintf(out->comm, sizeof(out->comm), "%.*s", (int)sizeof(out->comm) - 1, s.comm);
	return true;
}

static struct et_process *find(struct et_processes *list, int32_t pid)
{
	for (size_t i = 0; i < list->n; i++) {
		if (list->list[i].pid == pid)
			return &list->list[i];
	}
	return NULL;
}

void et_processes_read(const char *root, int32_t self, struct et_processes *out)
{
	char **names = et_sysroot_names(root, "/proc");

	memset(out, 0, sizeof(*out));
	for (char **name = names; *name; name++) {
		struct et_process p;
		uint64_t pid;
		if (et_parse_u64("pid", *name, 1, INT32_MAX, &pid, NULL) ||
			!et_process_read(root, (int32_t)pid, &p))
			continue;
		ET_GROW(out->list, out->n, out->cap);
		out->list[out->n++] = p;
	}
	et_strv_free(names);
	/* Ourselves and our ancestors. The bound ends the loop if a captured tree has a cycle. */
	struct et_process *ours = self ? find(out, self) : NULL;
	for (size_t i = 0; ours && i < out->n; i++) {
		ours->ours = true;
		ours = ours->parent > 0 ? find(out, ours->parent) : NULL;
	}
}

void et_processes_free(struct et_processes *p)
{
	free(p->list);
	memset(p, 0, sizeof(*p));
}

/* Finds the service in a path such as /system.slice/system-postfix.slice/postfix@-.service/sub. */
static bool service_in(const char *path, char *buf, size_t size)
{
	static const char slice[] = "/system.slice/", suffix[] = ".service";

	if (strncmp(path, slice, strlen(slice)))
		return false;
	for (path += strlen(slice); *path; path += strspn(path, "/")) {
		size_t n = strcspn(path, "/\n");
		if (n > strlen(suffix) && n < size &&
			!memcmp(path + n - strlen(suffix), suffix, strlen(suffix))) {
			snprintf(buf, size, "%.*s", (int)n, path);
			return true;
		}
		path += n;
		if (*path != '/')
			break;
	}
	return false;
}

int et_process_cgroup(
	const char *root, const char *pid, const char *controller, char *out, size_t size)
{
	enum { TEXT_BYTES = 65536 };
	ET_AUTO_FREE char *text = et_alloc(TEXT_BYTES);
	char path[64];

	snprintf(path, sizeof(path), "/proc/%s/cgroup", pid);
	ssize_t n = et_sysroot_read(root, path, text, TEXT_BYTES);
	if (n <= 0)
		return n < 0 ? (int)n : -ENODATA;
	for (char *rest, *line = strtok_r(text, "\n", &rest); line;
		line = strtok_r(NULL, "\n", &rest)) {
		char *names = strchr(line, ':'), *where = names ? strchr(names + 1, ':') : NULL;
		if (!where)
			continue;
		*where = '\0';
		if (*controller ? !et_list_has(names + 1, ",", controller, strlen(controller))
				: names[1] != '\0')
			continue;
		snprintf(out, size, "%s", where + 1);
		return 1;
	}
	return 0;
}

void et_process_unit(const char *root, const char *pid, char *buf, size_t size)
{
	static const char *const controllers[] = { "name=systemd", "" };
	char path[4096];

	buf[0] = '\0';
	for (size_t i = 0; i < ET_LENGTH(controllers); i++) {
		if (et_process_cgroup(root, pid, controllers[i], path, sizeof(path)) > 0 &&
			service_in(path, buf, size))
			return;
	}
}

bool et_process_in_container(const char *root, int32_t pid)
{
	char path[48], theirs[64], mine[64];

	snprintf(path, sizeof(path), "/proc/%d/ns/pid", pid);
	return et_sysroot_link(root, path, theirs, sizeof(theirs)) > 0 &&
	       et_sysroot_link(root, "/proc/self/ns/pid", mine, sizeof(mine)) > 0 &&
	       strcmp(theirs, mine);
}

bool et_process_cmdline_has(const char *root, int32_t pid, const char *text)
{
	char path[32], buf[4096];

	snprintf(path, sizeof(path), "/proc/%d/cmdline", pid);
	ssize_t n = et_sysroot_read(root, path, buf, sizeof(buf));
	return n > 0 && memmem(buf, (size_t)n, text, strlen(text));
}

void et_machine_read(
	struct et_machine *m, const char *root, const char *systemctl, uint64_t wall_ns)
{
	*m = (struct et_machine){ .root = root, .ops = &et_env_ops_real, .wall_ns = wall_ns };
	/* The same check as in sd_booted(3). */
	m->systemd = et_sysroot_exists(root, "/run/systemd/system");
	m->systemctl = m->systemd ? systemctl : NULL;
	et_host_read(root, &m->host);
	et_processes_read(root, *root ? 0 : getpid(), &m->processes);
	if (et_sysroot_line(
		    root, "/proc/sys/kernel/random/boot_id", m->boot_id, sizeof(m->boot_id)) <= 0)
		snprintf(m->boot_id, sizeof(m->boot_id), "unknown");
	et_process_unit(root, "self", m->unit, sizeof(m->unit));
}

void et_machine_refresh(struct et_machine *m)
{
	et_processes_free(&m->processes);
	et_processes_read(m->root, *m->root ? 0 : getpid(), &m->processes);
}

void et_machine_free(struct et_machine *m)
{
	et_processes_free(&m->processes);
}
