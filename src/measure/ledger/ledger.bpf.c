/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The ledger's BPF programs. They sum up, so a long run needs no more memory than a short one. */
#include "measure/ledger/rules.h"
#include "measure/observe/kernel.bpf.h"

char licence[] SEC("license") = "GPL";

struct et_ledger_memory memory;

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct et_ledger_cpu);
} cpus SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, ET_LEDGER_CULPRITS);
	__type(key, struct et_culprit_key);
	__type(value, struct et_culprit_account);
} culprits SEC(".maps");

/* The tasks of the measured programs, by PID. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, ET_LEDGER_MEMBERS);
	__type(key, __u32);
	__type(value, struct et_ledger_task);
} members SEC(".maps");

static struct et_ledger_cpu *cpu_state(struct et_ledger_memory *m, __u32 cpu)
{
	(void)m;
	return bpf_map_lookup_elem(&cpus, &cpu);
}

/* NULL: the task belongs to no program. */
static struct et_ledger_task *member(__s32 pid)
{
	return pid ? bpf_map_lookup_elem(&members, &pid) : NULL;
}

/*
 * Returns how stale rq->clock is. On a preempting wake-up the scheduler updates rq->clock when the
 * wake-up is queued, not when the CPU switches (tens of microseconds later on a virtual machine),
 * and charges the new task from then on. Switches must be dated in the same way, or the stretches
 * of the program do not add up to its CPU time. The smallest offset seen between the two clocks is
 * that of a freshly updated rq->clock.
 */
static __u64 clock_age_ns(struct et_ledger_cpu *cpu, __u64 offset_ns)
{
	if ((__s64)(offset_ns - cpu->offset_ns) < 0)
		cpu->offset_ns = offset_ns;
	return offset_ns - cpu->offset_ns;
}

/* Reads the clocks of the run queue that the task is on. */
static struct instant read_instant(struct et_ledger_cpu *cpu, struct task_struct *t)
{
	struct instant now = { .ns = bpf_ktime_get_ns() };
	struct rq *rq = rq_of(t);

	if (!rq)
		return now;
	__u64 clock = rq_clock(rq), clock_task = clock;
	READ(&clock_task, &rq->clock_task);
	if (cpu->since_ns < memory.armed_ns)
		cpu->offset_ns = now.ns - clock;
	__u64 switched = now.ns - clock_age_ns(cpu, now.ns - clock);
	now.ns = switched > cpu->since_ns ? switched : cpu->since_ns;
	now.hidden_ns = clock - clock_task;
	if (bpf_core_field_exists(rq->prev_irq_time))
		READ(&now.irq_ns, &rq->prev_irq_time);
	memory.has_hidden = 1;
	return now;
}

static void charge_culprit(struct et_ledger_memory *m, __u32 number,
	const struct et_ledger_cpu *cpu, __u64 ran_ns, bool taken)
{
	struct et_culprit_key key = { (__s32)number, cpu->who.tgid };
	struct et_culprit_account *known = bpf_map_lookup_elem(&culprits, &key);
	__u64 taken_ns = taken ? ran_ns : 0;

	if (known) {
		__sync_fetch_and_add(&known->ran_ns, ran_ns);
		__sync_fetch_and_add(&known->taken_ns, taken_ns);
		__builtin_memcpy(known->name, cpu->who.name, sizeof(known->name));
		return;
	}
	struct et_culprit_account fresh = {
		.ran_ns = ran_ns, .taken_ns = taken_ns, .kernel_thread = cpu->kernel_thread
	};
	__builtin_memcpy(fresh.name, cpu->who.name, sizeof(fresh.name));
	if (bpf_map_update_elem(&culprits, &key, &fresh, BPF_NOEXIST))
		return; /* the table is full: the time stays without a name */
	__u32 at = m->listed;
	__sync_fetch_and_add(&m->n_culprits, 1);
	if (at < ET_LEDGER_FIRST)
		m->first[at] = key;
	m->listed = at + 1;
}

/*
 * The functions of this section are not static: the verifier checks a global function once, instead
 * of once for each path to each of its calls, which took 30 ms. Their parameters must be numbers.
 */

__attribute__((noinline)) int charge_here(__u32 number, __u64 to)
{
	charge_window(&memory, number, to);
	return 0;
}

static void charge(struct et_ledger_memory *m, __u32 number, __u64 to)
{
	(void)m;
	charge_here(number, to);
}

/* The task in cpu->who leaves the CPU at the instant in cpu->now. */
__attribute__((noinline)) int leave(__u32 here, __u32 runnable)
{
	struct et_ledger_cpu *cpu = cpu_state(&memory, here);

	if (!cpu)
		return 0;
	struct et_ledger_task *task = member(cpu->who.pid);
	struct instant now = cpu->now;
	end_stretch(&memory, cpu, here, task, runnable, &now);
	return 0;
}

/* The task in cpu->who gets the CPU at the instant in cpu->now. */
__attribute__((noinline)) int enter(__u32 here)
{
	struct et_ledger_cpu *cpu = cpu_state(&memory, here);

	if (!cpu)
		return 0;
	struct et_ledger_task *task = member(cpu->who.pid);
	begin_stretch(&memory, cpu, here, task, cpu->now.ns);
	return 0;
}

/* A task waits for this CPU from now on. */
__attribute__((noinline)) int wait_on(__u32 pid, __u32 cpu, __u64 now)
{
	struct et_ledger_task *task = member((__s32)pid);

	if (!task)
		return 0;
	charge_here((__u32)task->slot, now);
	set_state(&memory, task, ET_TASK_RUNNABLE, cpu);
	return 0;
}

/* --- */

static void set_running(struct et_ledger_cpu *cpu, struct task_struct *t)
{
	enum { KERNEL_THREAD = 0x00200000 };

	cpu->who.pid = t->pid;
	cpu->who.tgid = t->tgid;
	cpu->kernel_thread = !!(t->flags & KERNEL_THREAD);
	read_process_name(cpu->who.name, t);
}

SEC("tp_btf/sched_switch")
int BPF_PROG(on_switch, bool preempt, struct task_struct *prev, struct task_struct *next)
{
	__u32 here = bpf_get_smp_processor_id();
	struct et_ledger_cpu *cpu = memory.armed_ns ? cpu_state(&memory, here) : NULL;

	if (!cpu)
		return 0;
	struct instant now = read_instant(cpu, next);
	if (cpu->since_ns >= memory.armed_ns && cpu->who.pid != prev->pid) {
		/* The switch to `prev` was not seen, nor why the task before it left. */
		cpu->now.ns = arrival_ns(prev, cpu->since_ns, now.ns);
		leave(here, false);
		set_running(cpu, prev);
		enter(here);
	}
	set_running(cpu, prev); /* its name may have changed */
	cpu->now = now;
	/* It still wants the CPU if it was preempted, or if it yielded. */
	leave(here, preempt || (bpf_core_field_exists(prev->__state) && !prev->__state));
	set_running(cpu, next);
	enter(here);
	return 0;
}

/*
 * The programs are the first children that etalon creates once the ledger is armed, in the order of
 * their slots, with all their descendants. Processes that --setup left running are older and do not
 * belong to them.
 */
SEC("tp_btf/sched_process_fork")
int BPF_PROG(on_fork, struct task_struct *parent, struct task_struct *child)
{
	__u32 pid = (__u32)child->pid;
	struct et_ledger_task *of = memory.armed_ns ? member(parent->pid) : NULL;
	struct et_ledger_task fresh = { .slot = of ? of->slot : -1, .state = ET_TASK_ASLEEP };

	if (memory.armed_ns && parent->tgid == memory.etalon && memory.born < memory.wanted)
		fresh.slot = (__s32)memory.born++;
	if (fresh.slot >= 0 && bpf_map_update_elem(&members, &pid, &fresh, BPF_ANY))
		memory.slots[fresh.slot == 1].crowded = 1;
	return 0;
}

SEC("tp_btf/sched_process_free")
int BPF_PROG(on_free, struct task_struct *t)
{
	__u32 pid = (__u32)t->pid;

	bpf_map_delete_elem(&members, &pid);
	return 0;
}

/*
 * A task is woken: it waits for a CPU. The clock of that run queue was just updated, and a switch
 * that follows from the wake-up is dated by it (see clock_age_ns).
 */
static int wake(struct task_struct *t)
{
	struct et_ledger_task *task = memory.armed_ns ? member(t->pid) : NULL;
	struct rq *rq = task && task->state != ET_TASK_RUNNING ? rq_of(t) : NULL;
	__u64 now = bpf_ktime_get_ns();
	__u32 there = 0;

	if (!rq)
		return 0;
	if (bpf_core_field_exists(rq->cpu))
		READ(&there, (const __u32 *)&rq->cpu);
	struct et_ledger_cpu *cpu = cpu_state(&memory, there);
	if (cpu && cpu->since_ns >= memory.armed_ns)
		now = rq_clock(rq) + cpu->offset_ns;
	wait_on((__u32)t->pid, there, now);
	return 0;
}

SEC("tp_btf/sched_wakeup")
int BPF_PROG(on_wakeup, struct task_struct *t)
{
	return wake(t);
}

SEC("tp_btf/sched_wakeup_new")
int BPF_PROG(on_wakeup_new, struct task_struct *t)
{
	return wake(t);
}

/* A waiting task moved to another run queue. */
SEC("tp_btf/sched_migrate_task")
int BPF_PROG(on_migrate, struct task_struct *t, int to)
{
	struct et_ledger_task *task = memory.armed_ns ? member(t->pid) : NULL;

	if (task && task->state == ET_TASK_RUNNABLE)
		wait_on((__u32)t->pid, (__u32)to, bpf_ktime_get_ns());
	return 0;
}

/* --- interrupts that hit the program itself --- */

static struct et_ledger_cpu *hit_cpu(void)
{
	struct et_ledger_cpu *cpu =
		memory.armed_ns ? cpu_state(&memory, bpf_get_smp_processor_id()) : NULL;

	return cpu && cpu->slot >= 0 && cpu->since_ns >= memory.armed_ns ? cpu : NULL;
}

static struct et_slot *hit_slot(const struct et_ledger_cpu *cpu)
{
	struct et_slot *slot = &memory.slots[cpu->slot == 1];

	return slot->t0_ns && !slot->t1_ns ? slot : NULL;
}

static int begin_irq(void)
{
	struct et_ledger_cpu *cpu = hit_cpu();

	if (cpu)
		cpu->irq_ns = bpf_ktime_get_ns();
	return 0;
}

static int end_irq(void)
{
	struct et_ledger_cpu *cpu = hit_cpu();
	struct et_slot *slot = cpu && cpu->irq_ns ? hit_slot(cpu) : NULL;

	if (slot && cpu->irq_ns >= slot->t0_ns) {
		__u64 took = bpf_ktime_get_ns() - cpu->irq_ns;
		__sync_fetch_and_add(&slot->irq_ns, took);
		if (cpu->softirq_ns)
			cpu->softirq_ns +=
				took; /* a hard interrupt inside a soft one counts once */
	}
	if (cpu)
		cpu->irq_ns = 0;
	return 0;
}

SEC("tp_btf/irq_handler_entry")
int BPF_PROG(on_irq)
{
	return begin_irq();
}

SEC("tp_btf/irq_handler_exit")
int BPF_PROG(after_irq)
{
	return end_irq();
}

SEC("tp_btf/local_timer_entry")
int BPF_PROG(on_timer)
{
	return begin_irq();
}

SEC("tp_btf/local_timer_exit")
int BPF_PROG(after_timer)
{
	return end_irq();
}

SEC("tp_btf/softirq_entry")
int BPF_PROG(on_softirq)
{
	struct et_ledger_cpu *cpu = hit_cpu();

	if (cpu)
		cpu->softirq_ns = bpf_ktime_get_ns();
	return 0;
}

SEC("tp_btf/softirq_exit")
int BPF_PROG(after_softirq)
{
	struct et_ledger_cpu *cpu = hit_cpu();
	struct et_slot *slot = cpu && cpu->softirq_ns ? hit_slot(cpu) : NULL;

	if (slot && cpu->softirq_ns >= slot->t0_ns)
		__sync_fetch_and_add(&slot->softirq_ns, bpf_ktime_get_ns() - cpu->softirq_ns);
	if (cpu)
		cpu->softirq_ns = 0;
	return 0;
}
