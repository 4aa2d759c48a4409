/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/observe/taskstats.h"
#include "base/sysroot.h"

#include <libmnl/libmnl.h>
#include <linux/genetlink.h>
#include <linux/taskstats.h>
#include <sys/socket.h>

/* Room for a burst: in a parallel build thousands of tasks end during one run. */
enum { BUFFER_BYTES = 32 << 20, MESSAGE_BYTES = 16384 };

struct et_taskstats {
	struct mnl_socket *socket;
	uint16_t family;
	char cpus[256];
};

/* --- decoding: pure functions over bytes --- */

/* Whether a struct taskstats of this length contains the field: later versions are longer. */
#define HAS(len, field)                                                                            \
	((len) >= offsetof(struct taskstats, field) + sizeof(((struct taskstats *)0)->field))

static void fill_record(struct et_exit_record *r, const void *bytes, size_t len)
{
	struct taskstats t;

	memset(&t, 0, sizeof(t));
	memcpy(&t, bytes, len < sizeof(t) ? len : sizeof(t));
	r->cpu_ns = t.cpu_run_virtual_total;
	r->run_delay_ns = t.cpu_delay_total;
	r->block_delay_ns = t.blkio_delay_total;
	r->max_rss_bytes = t.hiwater_rss * 1024;
	r->ppid = (int32_t)t.ac_ppid;
	memcpy(r->name, t.ac_comm, sizeof(r->name) - 1);
	r->name[sizeof(r->name) - 1] = '\0';
	r->tgid = HAS(len, ac_tgid) ? (int32_t)t.ac_tgid : 0;
}

/* An aggregate contains an attribute with the PID and one with struct taskstats. */
static int decode_aggregate(const struct nlattr *nest, struct et_exit_record *r)
{
	const struct nlattr *attr;
	bool have_id = false, have_stats = false;

	memset(r, 0, sizeof(*r));
	r->group = mnl_attr_get_type(nest) == TASKSTATS_TYPE_AGGR_TGID;
	mnl_attr_for_each_nested(attr, nest)
	{
		size_t len = mnl_attr_get_payload_len(attr);
		switch (mnl_attr_get_type(attr)) {
		case TASKSTATS_TYPE_PID:
		case TASKSTATS_TYPE_TGID:
			if (len < sizeof(uint32_t))
				return -EBADMSG;
			r->pid = (int32_t)mnl_attr_get_u32(attr);
			have_id = true;
			break;
		case TASKSTATS_TYPE_STATS:
			/* Version 1 ended after the delays; nothing shorter is a record. */
			if (!HAS(len, cpu_run_virtual_total))
				return -EBADMSG;
			fill_record(r, mnl_attr_get_payload(attr), len);
			have_stats = true;
			break;
		default:
			break;
		}
	}
	return have_id && have_stats && r->pid > 0 ? 0 : -EBADMSG;
}

int et_taskstats_decode(const void *message, size_t len, uint16_t family, et_exit_fn *fn, void *ctx)
{
	const struct nlmsghdr *header = message;
	const struct nlattr *attr;
	struct et_exit_record r;

	if (len > INT32_MAX || !mnl_nlmsg_ok(header, (int)len))
		return -EBADMSG;
	if (header->nlmsg_type != family)
		return 0;
	if (mnl_nlmsg_get_payload_len(header) < sizeof(struct genlmsghdr))
		return -EBADMSG;
	mnl_attr_for_each(attr, header, sizeof(struct genlmsghdr))
	{
		int type = mnl_attr_get_type(attr);
		if (type != TASKSTATS_TYPE_AGGR_PID && type != TASKSTATS_TYPE_AGGR_TGID)
			continue;
		int rc = decode_aggregate(attr, &r);
		if (rc)
			return rc;
		fn(ctx, &r);
	}
	return 0;
}

/* --- the socket --- */

/*
 * Sends a request with one string attribute and reads the answer up to its acknowledgement. Exit
 * records may arrive before that; without fn they are skipped.
 */
static int ask(struct mnl_socket *s, uint16_t type, uint8_t command, uint16_t attr,
	const char *text, mnl_cb_t fn, void *ctx)
{
	char buf[MESSAGE_BYTES] = { 0 };
	struct nlmsghdr *header = mnl_nlmsg_put_header(buf);

	header->nlmsg_type = type;
	header->nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
	struct genlmsghdr *generic = mnl_nlmsg_put_extra_header(header, sizeof(*generic));
	generic->cmd = command;
	generic->version = 1;
	mnl_attr_put_strz(header, attr, text);
	if (mnl_socket_sendto(s, header, header->nlmsg_len) < 0)
		return -errno;
	for (;;) {
		ssize_t n = mnl_socket_recvfrom(s, buf, sizeof(buf));
		if (n < 0)
			return -errno;
		int rc = mnl_cb_run(buf, (size_t)n, 0, mnl_socket_get_portid(s), fn, ctx);
		if (rc < 0)
			return -errno;
		if (rc == MNL_CB_STOP)
			return 0;
	}
}

static int note_family(const struct nlmsghdr *header, void *ctx)
{
	const struct nlattr *attr;

	mnl_attr_for_each(attr, header, sizeof(struct genlmsghdr))
	{
		if (mnl_attr_get_type(attr) == CTRL_ATTR_FAMILY_ID &&
			mnl_attr_get_payload_len(attr) >= sizeof(uint16_t))
			*(uint16_t *)ctx = mnl_attr_get_u16(attr);
	}
	return MNL_CB_OK;
}

static int register_listener(struct et_taskstats *t)
{
	int rc = ask(t->socket, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, CTRL_ATTR_FAMILY_NAME,
		TASKSTATS_GENL_NAME, note_family, &t->family);

	if (rc)
		return rc;
	if (!t->family)
		return -ENOENT;
	/* A smaller buffer loses records in a burst, which et_taskstats_drain() reports. */
	(void)!et_taskstats_set_buffer(t, BUFFER_BYTES);
	if (et_sysroot_line("", "/sys/devices/system/cpu/possible", t->cpus, sizeof(t->cpus)) <= 0)
		snprintf(t->cpus, sizeof(t->cpus), "0-%ld", sysconf(_SC_NPROCESSORS_CONF) - 1);
	return ask(t->socket, t->family, TASKSTATS_CMD_GET, TASKSTATS_CMD_ATTR_REGISTER_CPUMASK,
		t->cpus, NULL, NULL);
}

int et_taskstats_open(struct et_taskstats **out)
{
	struct et_taskstats *t = et_calloc(1, sizeof(*t));

	t->socket = mnl_socket_open2(NETLINK_GENERIC, SOCK_CLOEXEC);
	int rc = t->socket ? 0 : -errno;
	if (rc == 0 && mnl_socket_bind(t->socket, 0, MNL_SOCKET_AUTOPID) < 0)
		rc = -errno;
	if (rc == 0)
		rc = register_listener(t);
	if (rc) {
		et_taskstats_close(t);
		return rc;
	}
	*out = t;
	return 0;
}

bool et_taskstats_offered(void)
{
	struct et_taskstats *t = NULL;
	int rc = et_taskstats_open(&t);

	if (rc == 0)
		et_taskstats_close(t);
	return rc == 0;
}

void et_taskstats_close(struct et_taskstats *t)
{
	if (!t)
		return;
	/* Otherwise the kernel would notice at the next exit that it cannot deliver a record. */
	if (t->socket && t->cpus[0])
		ask(t->socket, t->family, TASKSTATS_CMD_GET, TASKSTATS_CMD_ATTR_DEREGISTER_CPUMASK,
			t->cpus, NULL, NULL);
	if (t->socket)
		mnl_socket_close(t->socket);
	free(t);
}

int et_taskstats_set_buffer(struct et_taskstats *t, int bytes)
{
	int fd = mnl_socket_get_fd(t->socket);

	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes)) < 0 &&
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes)) < 0)
		return -errno;
	return 0;
}

int et_taskstats_drain(struct et_taskstats *t, et_exit_fn *fn, void *ctx, bool *lost)
{
	char buf[MESSAGE_BYTES];

	for (;;) {
		ssize_t n = recv(mnl_socket_get_fd(t->socket), buf, sizeof(buf), MSG_DONTWAIT);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == ENOBUFS) {
			*lost = true;
			continue;
		}
		if (n < 0)
			return errno == EAGAIN || errno == EWOULDBLOCK ? 0 : -errno;
		if (fn && et_taskstats_decode(buf, (size_t)n, t->family, fn, ctx))
			*lost = true; /* not a record as the kernel writes it */
	}
}
