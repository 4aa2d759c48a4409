/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/confine.h"
#include "base/base.h"
#include "base/filter.h"

#include <linux/audit.h>
#include <linux/capability.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

/* --- a filter of system calls --- */

/*
 * The filter allows everything that is not listed. A list of allowed calls would be tighter, but
 * the C library, SQLite and the kernel's newer calls would break it on a machine that we have not
 * tested.
 */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
#define SANITIZED 1
#endif
#endif

#if defined(__x86_64__)
#define ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCH AUDIT_ARCH_AARCH64
#endif

#if !defined(ARCH) || defined(SANITIZED)

static void filter_calls(bool connects, bool starts)
{
	(void)connects;
	(void)starts;
}

#else

/* On x86-64, the same calls by the x32 ABI have numbers from here. */
#define X32_CALLS 0x40000000u

/* Programs and processes; clone is below. */
static const unsigned starting[] = {
	__NR_execve,
	__NR_execveat,
#ifdef __NR_fork
	__NR_fork,
	__NR_vfork,
#endif
};

static const unsigned refused[] = {
	/* other processes; kill and tgkill are below */
	__NR_ptrace, __NR_process_vm_readv, __NR_process_vm_writev, __NR_pidfd_send_signal,
	__NR_tkill, __NR_rt_sigqueueinfo, __NR_rt_tgsigqueueinfo,
#ifdef __NR_pidfd_getfd
	__NR_pidfd_getfd,
#endif
	/* the network; socket and connect are below */
	__NR_listen, __NR_accept, __NR_accept4,
	/* identity */
	__NR_setuid, __NR_setgid, __NR_setreuid, __NR_setregid, __NR_setresuid, __NR_setresgid,
	__NR_setfsuid, __NR_setfsgid, __NR_setgroups,
	/* file systems and namespaces */
	__NR_mount, __NR_umount2, __NR_pivot_root, __NR_chroot, __NR_move_mount, __NR_open_tree,
	__NR_fsopen, __NR_fsconfig, __NR_fsmount, __NR_fspick,
#ifdef __NR_mount_setattr
	__NR_mount_setattr,
#endif
	__NR_unshare, __NR_setns, __NR_swapon, __NR_swapoff, __NR_quotactl, __NR_acct, __NR_mknodat,
#ifdef __NR_mknod
	__NR_mknod,
#endif
	__NR_open_by_handle_at,
	/* the kernel */
	__NR_init_module, __NR_finit_module, __NR_delete_module, __NR_kexec_load,
#ifdef __NR_kexec_file_load
	__NR_kexec_file_load,
#endif
	__NR_reboot, __NR_bpf, __NR_perf_event_open, __NR_userfaultfd, __NR_add_key,
	__NR_request_key, __NR_keyctl, __NR_syslog, __NR_settimeofday, __NR_clock_settime,
	__NR_adjtimex, __NR_clock_adjtime, __NR_sethostname, __NR_setdomainname, __NR_personality,
#ifdef __NR_ioperm
	__NR_ioperm, __NR_iopl, __NR_modify_ldt,
#endif
	/* requests in its rings are not filtered */
	__NR_io_uring_setup, __NR_io_uring_enter, __NR_io_uring_register
};

enum { MOST = 2 * (ET_LENGTH(refused) + ET_LENGTH(starting)) + 40 };

/* If the comparison of the loaded word with k is true, the call fails with the error. */
static void refuse_if(struct et_filter *p, uint16_t comparison, uint32_t k, uint32_t error)
{
	et_filter_add(p, (uint16_t)(BPF_JMP | BPF_K | comparison), k, 0, 1);
	et_filter_end(p, SECCOMP_RET_ERRNO | error);
}

/*
 * The call nr is allowed only if the comparison of one of its arguments with k is true.
 */
static void allow_only(
	struct et_filter *p, unsigned nr, unsigned argument, uint16_t comparison, uint32_t k)
{
	et_filter_add(p, BPF_JMP | BPF_JEQ | BPF_K, nr, 0, 4);
	et_filter_load_argument(p, argument);
	et_filter_add(p, (uint16_t)(BPF_JMP | BPF_K | comparison), k, 0, 1);
	et_filter_end(p, SECCOMP_RET_ALLOW);
	et_filter_end(p, SECCOMP_RET_ERRNO | EPERM);
}

static void refuse_all(struct et_filter *p, const unsigned *calls, size_t n)
{
	for (size_t i = 0; i < n; i++)
		refuse_if(p, BPF_JEQ, calls[i], EPERM);
}

/* It starts no process, and ends none but itself. */
static void refuse_processes(struct et_filter *p)
{
	refuse_all(p, starting, ET_LENGTH(starting));
	allow_only(p, __NR_clone, 0, BPF_JSET, CLONE_THREAD);
	/* The handler of SIGTSTP stops this process, and abort() ends it. */
	allow_only(p, __NR_kill, 0, BPF_JEQ, (uint32_t)getpid());
	allow_only(p, __NR_tgkill, 0, BPF_JEQ, (uint32_t)getpid());
}

static void fill(struct et_filter *p, bool connects, bool starts)
{
	et_filter_load(p, offsetof(struct seccomp_data, arch));
	et_filter_add(p, BPF_JMP | BPF_JEQ | BPF_K, ARCH, 1, 0);
	et_filter_end(p, SECCOMP_RET_ERRNO | EPERM);
	et_filter_load(p, offsetof(struct seccomp_data, nr));
#if defined(__x86_64__)
	refuse_if(p, BPF_JGE, X32_CALLS, EPERM);
#endif
	refuse_all(p, refused, ET_LENGTH(refused));
	if (!connects) {
		refuse_if(p, BPF_JEQ, __NR_socket, EPERM);
		refuse_if(p, BPF_JEQ, __NR_connect, EPERM);
	}
	/* The flags of clone3 are in memory; without it the C library calls clone. */
	refuse_if(p, BPF_JEQ, __NR_clone3, ENOSYS);
	if (!starts)
		refuse_processes(p);
	/* Input that would be typed into the terminal of the caller. */
	et_filter_add(p, BPF_JMP | BPF_JEQ | BPF_K, __NR_ioctl, 0, 5);
	et_filter_load(p, offsetof(struct seccomp_data, args) + 8);
	refuse_if(p, BPF_JEQ, TIOCSTI, EPERM);
	refuse_if(p, BPF_JEQ, TIOCLINUX, EPERM);
	et_filter_end(p, SECCOMP_RET_ALLOW);
}

/*
 * From now on this process can start no program and no process, use no network (with connects: it
 * can connect to a server, but not be one), and touch neither other processes nor the kernel's
 * settings: such calls fail with EPERM. It can still create threads. With starts, it can start and
 * end programs, which inherit the filter. Needs no_new_privs or CAP_SYS_ADMIN. Does nothing where
 * the kernel has no seccomp filters, on other processors than x86-64 and arm64, and in builds with
 * sanitizers, which trace their own process.
 */
static void filter_calls(bool connects, bool starts)
{
	struct sock_filter code[MOST];
	struct et_filter p = { .at = code };

	fill(&p, connects, starts);
	struct sock_fprog program = { .len = p.n, .filter = p.at };
	/* Without the flag, older kernels also disable speculation, which makes computing slow. */
	if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW,
		    &program) < 0)
		prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

#endif

/* --- capabilities --- */

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
		filter_calls(
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
