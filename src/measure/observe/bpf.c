/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/observe/bpf.h"
#include "base/sysroot.h"
#include "measure/child/privilege.h"

#include <bpf/libbpf.h>
#include <sys/mman.h>
#include <sys/resource.h>

int et_bpf_explain(int rc, struct et_error *err)
{
	int errnum = -rc;

	if (errnum == EPERM || errnum == EACCES)
		return et_hint_privilege(err,
			et_fail(err, errnum, ET_EXIT_ENVIRONMENT,
				"BPF needs CAP_BPF and CAP_PERFMON"),
			"CAP_BPF and CAP_PERFMON", NULL);
	if (!et_sysroot_exists("", "/sys/kernel"))
		return et_fail_hint(err, errnum, ET_EXIT_ENVIRONMENT,
			"run mount -t sysfs sysfs /sys", "BPF needs /sys, which is not mounted");
	if (!et_sysroot_exists("", "/sys/kernel/btf/vmlinux"))
		return et_fail_hint(err, errnum, ET_EXIT_ENVIRONMENT,
			"boot a kernel that is built with CONFIG_DEBUG_INFO_BTF=y",
			"BPF needs type information (BTF), which this kernel lacks");
	return et_fail_errno(err, errnum, ET_EXIT_ENVIRONMENT, "cannot load BPF programs");
}

static void omit(struct bpf_object *o, const char *name)
{
	struct bpf_program *p = bpf_object__find_program_by_name(o, name);

	if (p)
		bpf_program__set_autoload(p, false);
}

static int attach(struct et_bpf *b)
{
	struct bpf_program *p;

	bpf_object__for_each_program(p, b->object)
	{
		if (!bpf_program__autoload(p))
			continue;
		if (b->n_links == ET_BPF_PROGRAMS)
			return -E2BIG;
		struct bpf_link *link = bpf_program__attach(p);
		if (!link)
			return -errno;
		b->links[b->n_links++] = link;
	}
	return 0;
}

/* The variables of the programs are a map in the kernel, which can be mapped as memory. */
static int map_variables(struct et_bpf *b)
{
	struct bpf_map *map = bpf_object__find_map_by_name(b->object, ".bss");

	if (!map)
		return 0;
	b->size = bpf_map__value_size(map);
	void *p = mmap(NULL, b->size, PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(map), 0);
	if (p == MAP_FAILED)
		return -errno;
	b->variables = p;
	return 0;
}

static int load_with(const unsigned char *elf, size_t size, bool timer, et_bpf_configure *configure,
	const void *ctx, struct et_bpf *out)
{
	struct et_bpf b = { 0 };
	struct bpf_object_open_opts options = { .sz = sizeof(options), .object_name = "etalon" };

	b.object = bpf_object__open_mem(elf, size, &options);
	if (!b.object)
		return -errno;
	if (!timer) {
		omit(b.object, "on_timer");
		omit(b.object, "after_timer");
	}
	if (configure)
		configure(b.object, ctx);
	int rc = bpf_object__load(b.object);
	if (rc == 0)
		rc = map_variables(&b);
	if (rc == 0)
		rc = attach(&b);
	if (rc)
		et_bpf_unload(&b);
	else
		*out = b;
	return rc;
}

int et_bpf_try(const unsigned char *elf, size_t size, et_bpf_configure *configure, const void *ctx,
	struct et_bpf *out)
{
	struct rlimit limit;

	/* libbpf may raise the limit of locked memory, which the measured program would inherit. */
	bool known = getrlimit(RLIMIT_MEMLOCK, &limit) == 0;
	libbpf_set_print(NULL);
	int rc = load_with(elf, size, true, configure, ctx, out);
	if (rc && rc != -EPERM)
		rc = load_with(elf, size, false, configure, ctx, out);
	if (known)
		setrlimit(RLIMIT_MEMLOCK, &limit);
	return rc;
}

void et_bpf_unload(struct et_bpf *b)
{
	while (b->n_links)
		bpf_link__destroy(b->links[--b->n_links]);
	if (b->variables)
		munmap(b->variables, b->size);
	if (b->object)
		bpf_object__close(b->object);
	memset(b, 0, sizeof(*b));
}
