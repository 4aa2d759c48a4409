/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/confine.h"
#include "base/attr.h"
#include "cli/seccomp.h"

#include <linux/capability.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#define BIT(capability) (UINT64_C(1) << (capability))

/* SQLite hands the files beside a store to the owner of the store (CAP_CHOWN). */
static const uint64_t for_files =
	BIT(CAP_CHOWN) | BIT(CAP_DAC_OVERRIDE) | BIT(CAP_DAC_READ_SEARCH) | BIT(CAP_FOWNER);

/*
 * To start programs (as another user, with a priority, on other CPUs), to end them, and to see all
 * processes where /proc is mounted with hidepid. bpf(2) checks CAP_BPF also when a map is read. To
 * clear securebits, by which a program of another user would keep capabilities (CAP_SETPCAP).
 */
static const uint64_t for_runs = BIT(CAP_KILL) | BIT(CAP_SETUID) | BIT(CAP_SETGID) |
				 BIT(CAP_SYS_NICE) | BIT(CAP_SYS_RESOURCE) | BIT(CAP_SYS_PTRACE) |
				 BIT(CAP_BPF) | BIT(CAP_SETPCAP);

/*
 * To set up and close observers: exit records (CAP_NET_ADMIN), BPF programs and perf events, for
 * which kernels before 5.8 want CAP_SYS_ADMIN. kernel.numa_balancing wants CAP_SYS_ADMIN too. The
 * addresses of /proc/kallsyms need CAP_SYSLOG.
 */
static const uint64_t for_set_up = BIT(CAP_NET_ADMIN) | BIT(CAP_PERFMON) | BIT(CAP_SYS_ADMIN) |
				   BIT(CAP_IPC_LOCK) | BIT(CAP_SYSLOG);

struct sets {
	uint64_t effective, permitted, inheritable;
};

/* The C library has no functions for these; libcap would be a dependency for two calls. */
static bool read_sets(struct sets *s)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];

	if (syscall(SYS_capget, &header, data) < 0)
		return false;
	s->effective = (uint64_t)data[1].effective << 32 | data[0].effective;
	s->permitted = (uint64_t)data[1].permitted << 32 | data[0].permitted;
	s->inheritable = (uint64_t)data[1].inheritable << 32 | data[0].inheritable;
	return true;
}

static void write_sets(const struct sets *s)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {
		{ (uint32_t)s->effective, (uint32_t)s->permitted, (uint32_t)s->inheritable },
		{ (uint32_t)(s->effective >> 32), (uint32_t)(s->permitted >> 32),
			(uint32_t)(s->inheritable >> 32) },
	};

	syscall(SYS_capset, &header, data); /* giving up is always allowed */
}

static bool expects_server;

void et_confine_expect_server(void)
{
	expects_server = true;
}

void et_confine(enum et_rights rights)
{
	struct sets s;

	if (rights == ET_RIGHTS_SUBJECT || !read_sets(&s))
		return;
	uint64_t keep = for_files;
	/* perf finds the names of the kernel's functions in /proc/kallsyms. */
	if (rights == ET_RIGHTS_READERS)
		keep |= BIT(CAP_SYSLOG);
	/*
	 * If execve(2) gave a program permitted capabilities that its caller lacks, as it gives all
	 * to root, the kernel would make the program undumpable and clear its parent-death signal.
	 */
	if (rights == ET_RIGHTS_MACHINE) {
		keep |= for_runs | for_set_up;
	} else {
		s.inheritable = 0;
		s.permitted &= keep;
	}
	s.effective &= keep;
	write_sets(&s);
	if (rights != ET_RIGHTS_MACHINE && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0)
		et_seccomp_files_only(
			rights == ET_RIGHTS_NETWORK || expects_server, rights == ET_RIGHTS_READERS);
}

void et_confine_lower(bool profiles)
{
	struct sets s;

	if (!read_sets(&s) || !(s.effective & for_set_up))
		return;
	s.effective &= ~(for_set_up & ~(profiles ? BIT(CAP_PERFMON) : 0));
	write_sets(&s);
}

void et_confine_raise(void)
{
	struct sets s;

	if (!read_sets(&s) || !(s.permitted & for_set_up))
		return;
	s.effective |= s.permitted & for_set_up;
	write_sets(&s);
}
