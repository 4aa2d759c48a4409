/* SPDX-License-Identifier: GPL-3.0-or-later */
/* BPF programs that write every stretch of a task and every interrupt into a ring buffer. */
#include "measure/observe/kernel.bpf.h"

char licence[] SEC("license") = "GPL";

/* enum et_sched_event_kind of sched_stream.h, which BPF programs cannot include. */
enum { RAN, IRQ, TIMER, SOFTIRQ };

const volatile int only_cpu = -1;
__u64 lost;

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 20);
} records SEC(".maps");

/* When the present task and interrupts of a CPU began; 0: not known, or none. */
struct began {
	__u64 task_ns, interrupt_ns[SOFTIRQ + 1];
	struct et_sched_task task;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct began);
} began_map SEC(".maps");

static struct began *began_here(void)
{
	__u32 zero = 0;

	if (only_cpu >= 0 && bpf_get_smp_processor_id() != (__u32)only_cpu)
		return NULL;
	return bpf_map_lookup_elem(&began_map, &zero);
}

static struct et_sched_record *new_record(__u32 kind, __u64 start_ns, __u64 end_ns)
{
	struct et_sched_record *r = bpf_ringbuf_reserve(&records, sizeof(*r), 0);

	if (!r) {
		__sync_fetch_and_add(&lost, 1);
		return NULL;
	}
	__builtin_memset(r, 0, sizeof(*r));
	r->kind = kind;
	r->cpu = bpf_get_smp_processor_id();
	r->start_ns = start_ns;
	r->end_ns = end_ns;
	return r;
}

static void fill_task(struct et_sched_task *to, struct task_struct *from)
{
	to->pid = from->pid;
	to->tgid = from->tgid;
	bpf_probe_read_kernel(to->name, sizeof(to->name), from->comm);
}

static int begin_interrupt(__u32 kind)
{
	struct began *began = began_here();

	if (began)
		began->interrupt_ns[kind] = bpf_ktime_get_ns();
	return 0;
}

/* The record of an interrupt that ends; then the interrupted task has the CPU again. */
static struct et_sched_record *end_interrupt(__u32 kind)
{
	struct began *began = began_here();
	__u64 start_ns = began ? began->interrupt_ns[kind] : 0;
	struct et_sched_record *r =
		start_ns ? new_record(kind, start_ns, bpf_ktime_get_ns()) : NULL;

	if (began)
		began->interrupt_ns[kind] = 0;
	if (r)
		fill_task(&r->next, (struct task_struct *)bpf_get_current_task_btf());
	return r;
}

/* Writes the stretch of the known task until end_ns, from when on t has the CPU. */
static void end_stretch(struct began *began, struct task_struct *t, __u64 end_ns)
{
	bool ran = began->task_ns && end_ns > began->task_ns;
	struct et_sched_record *r = ran ? new_record(RAN, began->task_ns, end_ns) : NULL;
	struct et_sched_task next;

	fill_task(&next, t);
	if (r) {
		r->who = began->task;
		r->next = next;
		bpf_ringbuf_submit(r, 0);
	}
	began->task_ns = end_ns;
	began->task = next;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(on_switch, bool preempt, struct task_struct *prev, struct task_struct *next)
{
	struct began *began = began_here();
	__u64 now = bpf_ktime_get_ns();

	if (!began)
		return 0;
	if (began->task_ns && began->task.pid != prev->pid)
		end_stretch(began, prev, arrival_ns(prev, began->task_ns, now));
	fill_task(&began->task, prev); /* its name may have changed */
	end_stretch(began, next, now);
	return 0;
}

SEC("tp_btf/irq_handler_entry")
int BPF_PROG(on_irq)
{
	return begin_interrupt(IRQ);
}

SEC("tp_btf/irq_handler_exit")
int BPF_PROG(after_irq, int irq, struct irqaction *action)
{
	struct et_sched_record *r = end_interrupt(IRQ);

	if (r) {
		bpf_probe_read_kernel_str(r->who.name, sizeof(r->who.name), action->name);
		bpf_ringbuf_submit(r, 0);
	}
	return 0;
}

SEC("tp_btf/softirq_entry")
int BPF_PROG(on_softirq)
{
	return begin_interrupt(SOFTIRQ);
}

SEC("tp_btf/softirq_exit")
int BPF_PROG(after_softirq, unsigned int vector)
{
	struct et_sched_record *r = end_interrupt(SOFTIRQ);

	if (r) {
		r->who.pid = (__s32)vector;
		bpf_ringbuf_submit(r, 0);
	}
	return 0;
}

/* The local timer of x86. Elsewhere it is an ordinary interrupt, and these are not loaded. */
SEC("tp_btf/local_timer_entry")
int BPF_PROG(on_timer)
{
	return begin_interrupt(TIMER);
}

SEC("tp_btf/local_timer_exit")
int BPF_PROG(after_timer)
{
	struct et_sched_record *r = end_interrupt(TIMER);

	if (r)
		bpf_ringbuf_submit(r, 0);
	return 0;
}
