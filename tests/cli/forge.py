#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""forge.py serve FOLDER: comments on pull request 7, by the interfaces of GitHub and GitLab, on a port of 127.0.0.1.

The port is in FOLDER/port, and the comments are in FOLDER/github and FOLDER/gitlab, as lists of JSON. The token
"writes-4711" may do everything, "reads-4711" may only read. Comments come in pages of at most 100. On GitHub that token
has no user, as that of a job, and comments as a bot. While FOLDER/html exists, every answer is a page of HTML.

forge.py steps github|gitlab DOCUMENT FOLDER: writes the script steps of the recipe in a Markdown document to
FOLDER/N.sh, and FOLDER/N.always if step N also runs after a failure. ${{ NAME }} becomes the variable ctx_NAME
of the environment, with _ for dots.
"""
import http.server
import json
import os
import re
import sys

PAGE = 100
ME = 4  # of the token on GitLab
ROUTES = {
    "github": (r"/repos/o/r/issues/7/comments", r"/repos/o/r/issues/comments/(\d+)", "PATCH"),
    "gitlab": (r"/projects/5/merge_requests/7/notes", r"/projects/5/merge_requests/7/notes/(\d+)", "PUT"),
}


class Forge(http.server.BaseHTTPRequestHandler):
    folder = ""

    def log_message(self, *_):
        pass

    def answer(self, status, what, body=None):
        body = body or json.dumps(what).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def comment(self, forge, comments, body):
        """A comment is by the user of the token."""
        who = {"user": {"id": 41, "type": "Bot"}} if forge == "github" else {"author": {"id": ME}}
        return {"id": 1000 + len(comments), "body": body} | who

    def may(self, forge, writes):
        token = self.headers.get("Authorization" if forge == "github" else "PRIVATE-TOKEN", "")
        token = token.removeprefix("Bearer ") if forge == "github" else token
        if token not in ("writes-4711", "reads-4711"):
            self.answer(401, {"message": "who are you?"})
        elif writes and token != "writes-4711":
            self.answer(403, {"message": "Resource not accessible by integration"})
        else:
            return True
        return False

    def serve(self):
        path, _, query = self.path.partition("?")
        size = int(self.headers.get("Content-Length") or 0)
        body = json.loads(self.rfile.read(size)) if size else None
        if os.path.exists(os.path.join(self.folder, "html")):
            self.answer(200, None, b"<html>Please log in</html>")
            return
        if path == "/user" and "PRIVATE-TOKEN" in self.headers and self.may("gitlab", False):
            self.answer(200, {"id": ME})
            return
        for forge, (every, one, change) in ROUTES.items():
            if not self.may_match(path, every, one):
                continue
            if not self.may(forge, self.command != "GET"):
                return
            file = os.path.join(self.folder, forge)
            with open(file, encoding="utf-8") as f:
                comments = json.load(f)
            match = re.fullmatch(one, path)
            if self.command == "GET" and not match:
                given = dict(p.split("=") for p in query.split("&"))
                size, page = int(given.get("per_page", 20)), int(given.get("page", 1))
                self.answer(200, comments[(page - 1) * min(size, PAGE):][:min(size, PAGE)])
                return
            if self.command == "POST" and not match:
                comments.append(self.comment(forge, comments, body["body"]))
            elif self.command == change and match:
                [c for c in comments if c["id"] == int(match[1])][0]["body"] = body["body"]
            else:
                break
            with open(file, "w", encoding="utf-8") as f:
                json.dump(comments, f)
            self.answer(201, {"id": 1})
            return
        self.answer(404, {"message": "not found"})

    @staticmethod
    def may_match(path, every, one):
        return re.fullmatch(every, path) or re.fullmatch(one, path)

    do_GET = do_POST = do_PATCH = do_PUT = serve


def serve(folder):
    Forge.folder = folder
    server = http.server.HTTPServer(("127.0.0.1", 0), Forge)
    with open(os.path.join(folder, "port.new"), "w", encoding="ascii") as f:
        f.write(str(server.server_port))
    os.rename(os.path.join(folder, "port.new"), os.path.join(folder, "port"))
    server.serve_forever()


def of_github(recipe):
    """Yields script, variables and whether it always runs, for each step."""
    job = recipe["jobs"]["performance"]
    for step in job["steps"]:
        if "run" in step:
            # The shell of a step is bash -e.
            yield "set -e\n" + step["run"], recipe["env"] | step.get("env", {}), step.get("if") == "always()"


def of_gitlab(recipe):
    job = recipe["performance"]
    # Both are one script, by bash with these options; what comes after is another one.
    script = "set -eo pipefail\n" + "\n".join(job["before_script"] + job["script"])
    yield script, job["variables"], False
    yield "\n".join(job["after_script"]), job["variables"], True


def steps(forge, document, folder):
    import yaml

    with open(document, encoding="utf-8") as f:
        blocks = re.findall(r"^```yaml\n(.*?)^```$", f.read(), re.M | re.S)
    recipes = [yaml.safe_load(b) for b in blocks]
    [recipe] = [r for r in recipes if ("jobs" in r) == (forge == "github")]
    make = of_github if forge == "github" else of_gitlab
    for n, (script, variables, always) in enumerate(make(recipe), 1):
        with open(os.path.join(folder, f"{n}.sh"), "w", encoding="utf-8") as f:
            for name, value in variables.items():
                value = re.sub(r"\$\{\{ *([\w.]+) *\}\}", lambda m: "${ctx_" + m[1].replace(".", "_") + "}", str(value))
                f.write(f'export {name}="${{TEST_{name}-{value}}}"\n')
            f.write(script + "\n")
        if always:
            with open(os.path.join(folder, f"{n}.always"), "w", encoding="utf-8"):
                pass


if sys.argv[1] == "serve":
    serve(sys.argv[2])
else:
    steps(*sys.argv[2:])
