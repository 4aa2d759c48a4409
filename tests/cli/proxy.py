#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""proxy.py SERVER-SOCKET FOLDER BYTES: a slow PostgreSQL server.

It listens on FOLDER/.s.PGSQL.5432 and passes everything on to SERVER-SOCKET, until it has passed
BYTES from a client: then it passes nothing more, and closes nothing.
"""
import os
import socket
import sys
import threading
import time

server, folder, most = sys.argv[1], sys.argv[2], int(sys.argv[3])


def pass_on(source, target, limit):
    passed = 0
    while data := source.recv(65536):
        passed += len(data)
        if limit is not None and passed > limit:
            time.sleep(3600)
        target.sendall(data)


listener = socket.socket(socket.AF_UNIX)
listener.bind(folder + "/.s.PGSQL.5432")
listener.listen(8)
open(folder + "/ready", "w").close()
while True:
    client, _ = listener.accept()
    upstream = socket.socket(socket.AF_UNIX)
    upstream.connect(server)
    for pair in ((client, upstream, most), (upstream, client, None)):
        threading.Thread(target=pass_on, args=pair, daemon=True).start()
