/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The filter allows everything that is not listed. A list of allowed calls would be tighter, but
 * the C library, SQLite and the kernel's newer calls would break it on a machine that we have not
 * tested.
 */
#include "cli/seccomp.h"
#include "base/attr.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stdbool.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

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

void et_seccomp_files_only(bool connects, bool starts)
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
	__NR_ptrace,
	__NR_process_vm_readv,
	__NR_process_vm_writev,
	__NR_pidfd_send_signal,
	__NR_tkill,
	__NR_rt_sigqueueinfo,
	__NR_rt_tgsigqueueinfo,
#ifdef __NR_pidfd_getfd
	__NR_pidfd_getfd,
#endif
	/* the network; socket and connect are below */
	__NR_listen,
	__NR_accept,
	__NR_accept4,
	/* identity */
	__NR_setuid,
	__NR_setgid,
	__NR_setreuid,
	__NR_setregid,
	__NR_setresuid,
	__NR_setresgid,
	__NR_setfsuid,
	__NR_setfsgid,
	__NR_setgroups,
	/* file systems and namespaces */
	__NR_mount,
	__NR_umount2,
	__NR_pivot_root,
	__NR_chroot,
	__NR_move_mount,
	__NR_open_tree,
	__NR_fsopen,
	__NR_fsconfig,
	__NR_fsmount,
	__NR_fspick,
#ifdef __NR_mount_setattr
	__NR_mount_setattr,
#endif
	__NR_unshare,
	__NR_setns,
	__NR_swapon,
	__NR_swapoff,
	__NR_quotactl,
	__NR_acct,
	__NR_mknodat,
#ifdef __NR_mknod
	__NR_mknod,
#endif
	__NR_open_by_handle_at,
	/* the kernel */
	__NR_init_module,
	__NR_finit_module,
	__NR_delete_module,
	__NR_kexec_load,
#ifdef __NR_kexec_file_load
	__NR_kexec_file_load,
#endif
	__NR_reboot,
	__NR_bpf,
	__NR_perf_event_open,
	__NR_userfaultfd,
	__NR_add_key,
	__NR_request_key,
	__NR_keyctl,
	__NR_syslog,
	__NR_settimeofday,
	__NR_clock_settime,
	__NR_adjtimex,
	__NR_clock_adjtime,
	__NR_sethostname,
	__NR_setdomainname,
	__NR_personality,
#ifdef __NR_ioperm
	__NR_ioperm,
	__NR_iopl,
	__NR_modify_ldt,
#endif
	/* requests in its rings are not filtered */
	__NR_io_uring_setup,
	__NR_io_uring_enter,
	__NR_io_uring_register,
};

enum { MOST = 2 * (ET_LENGTH(refused) + ET_LENGTH(starting)) + 40 };

struct program {
	struct sock_filter code[MOST];
	unsigned short n;
};

static void add(struct program *p, uint16_t code, uint32_t k, uint8_t if_true, uint8_t if_false)
{
	p->code[p->n++] = (struct sock_filter){ code, if_true, if_false, k };
}

static void load(struct program *p, size_t offset)
{
	add(p, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

static void finish(struct program *p, uint32_t verdict)
{
	add(p, BPF_RET | BPF_K, verdict, 0, 0);
}

/* If the comparison of the loaded word with k is true, the call fails with the error. */
static void refuse_if(struct program *p, uint16_t comparison, uint32_t k, uint32_t error)
{
	add(p, (uint16_t)(BPF_JMP | BPF_K | comparison), k, 0, 1);
	finish(p, SECCOMP_RET_ERRNO | error);
}

/*
 * The call nr is allowed only if the comparison of one of its arguments with k is true. The low
 * word of an argument comes first on both processors.
 */
static void allow_only(
	struct program *p, unsigned nr, unsigned argument, uint16_t comparison, uint32_t k)
{
	add(p, BPF_JMP | BPF_JEQ | BPF_K, nr, 0, 4);
	load(p, offsetof(struct seccomp_data, args) + 8 * argument);
	add(p, (uint16_t)(BPF_JMP | BPF_K | comparison), k, 0, 1);
	finish(p, SECCOMP_RET_ALLOW);
	finish(p, SECCOMP_RET_ERRNO | EPERM);
}

static void refuse_all(struct program *p, const unsigned *calls, size_t n)
{
	for (size_t i = 0; i < n; i++)
		refuse_if(p, BPF_JEQ, calls[i], EPERM);
}

/* It starts no process, and ends none but itself. */
static void refuse_processes(struct program *p)
{
	refuse_all(p, starting, ET_LENGTH(starting));
	allow_only(p, __NR_clone, 0, BPF_JSET, CLONE_THREAD);
	/* The handler of SIGTSTP stops this process, and abort() ends it. */
	allow_only(p, __NR_kill, 0, BPF_JEQ, (uint32_t)getpid());
	allow_only(p, __NR_tgkill, 0, BPF_JEQ, (uint32_t)getpid());
}

static void fill(struct program *p, bool connects, bool starts)
{
	load(p, offsetof(struct seccomp_data, arch));
	add(p, BPF_JMP | BPF_JEQ | BPF_K, ARCH, 1, 0);
	finish(p, SECCOMP_RET_ERRNO | EPERM);
	load(p, offsetof(struct seccomp_data, nr));
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
	add(p, BPF_JMP | BPF_JEQ | BPF_K, __NR_ioctl, 0, 5);
	load(p, offsetof(struct seccomp_data, args) + 8);
	refuse_if(p, BPF_JEQ, TIOCSTI, EPERM);
	refuse_if(p, BPF_JEQ, TIOCLINUX, EPERM);
	finish(p, SECCOMP_RET_ALLOW);
}

void et_seccomp_files_only(bool connects, bool starts)
{
	struct program p = { .n = 0 };

	fill(&p, connects, starts);
	struct sock_fprog program = { .len = p.n, .filter = p.code };
	/* Without the flag, older kernels also disable speculation, which makes computing slow. */
	if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW,
		    &program) < 0)
		prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

#endif
