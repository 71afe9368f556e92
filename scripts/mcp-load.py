"""Ten agents at once on one project: `mcp-load.py JARI PROJECT [CLIENTS] [CALLS]`.

Each client makes mixed calls over HTTP to one server while files of PROJECT change and one client reindexes. Says how many
calls failed, how many hits called fresh differ from the file on disk, and how long calls took. PROJECT is written to:
give it a copy.
"""

import http.client
import itertools
import json
import pathlib
import random
import subprocess
import sys
import threading
import time

jari, project = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
clients, calls = (int(word) for word in (sys.argv[3:5] + ["10", "200"])[:2]) if len(sys.argv) > 4 else (10, 200)
server = subprocess.Popen([jari, "mcp", project, "--http", "127.0.0.1:0"], stderr=subprocess.PIPE, text=True)
address = server.stderr.readline().strip().removeprefix("serving http://").removesuffix("/mcp")
times, errors, stale, states = [], [], [], set()
words = ["changed function", "retry", "parse", "connection", "cache key", "how are settings loaded", "validate", "template", "migration"]
names = ["get", "save", "render", "parse", "setUp", "connect", "resolve"]
ended = threading.Event()


class Client:
    def __init__(self):
        self.connection = http.client.HTTPConnection(address, timeout=120)
        self.session, self.ids = None, itertools.count(1)
        self.ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "load", "version": "1"}})

    def ask(self, method, params):
        headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        if self.session:
            headers |= {"Mcp-Session-Id": self.session, "MCP-Protocol-Version": "2025-06-18"}
        body = json.dumps({"jsonrpc": "2.0", "id": next(self.ids), "method": method, "params": params})
        self.connection.request("POST", "/mcp", body, headers)
        answer = self.connection.getresponse()
        self.session = answer.getheader("Mcp-Session-Id") or self.session
        text = answer.read().decode()
        assert answer.status == 200, (answer.status, text)
        data = [line[5:].strip() for line in text.splitlines() if line.startswith("data:")] or [text]
        return json.loads([line for line in data if line][-1])


def checked(tool, arguments, result, asked):
    """Hits that are called fresh are what stood on disk when they were asked for."""
    answer = result["structuredContent"]
    states.add(answer["index"]["state"])
    if tool != "search_code" or "response_format" in arguments:
        return
    for hit in answer["results"]:
        path = project / hit["path"]
        if not hit["fresh"] or "text" not in hit or path.stat().st_mtime > asked:
            continue
        lines = path.read_text(errors="replace").splitlines()[hit["start_line"] - 1 : hit["end_line"]]
        text = hit["text"].splitlines()
        shortened = answer.get("cut", {}).get("shortened")
        if lines[: len(text)] != text and path.stat().st_mtime <= asked and not shortened:
            stale.append(hit)


def one(number):
    client, chance = Client(), random.Random(number)
    for call in range(calls):
        tool, arguments = chance.choice(
            [
                ("search_code", {"query": chance.choice(words)}),
                ("search_code", {"query": chance.choice(words), "top_k": 10, "response_format": "concise"}),
                ("search_documents", {"query": chance.choice(words)}),
                ("search_by_symbol", {"name": chance.choice(names)}),
                ("get_file_structure", {"depth": 2}),
                ("read", {"target": chance.choice(files), "max_tokens": 1000}),
                ("read", {"target": chance.choice(files), "view": "skeleton"}),
                ("navigate", {"target": chance.choice(names), "relation": "callers"}),
            ]
        )
        if number == 0 and call % 50 == 25:
            tool, arguments = "reindex_codebase", {}
        began, asked = time.perf_counter(), time.time()
        try:
            message = client.ask("tools/call", {"name": tool, "arguments": arguments})
            took = time.perf_counter() - began
            if "error" in message or message["result"].get("isError"):
                errors.append((tool, arguments, message))
            else:
                checked(tool, arguments, message["result"], asked)
            if tool != "reindex_codebase":
                times.append((took, tool))
        except Exception as error:  # noqa: BLE001: whatever it is, it is a failed call
            errors.append((tool, arguments, repr(error)))


def change():
    for number in itertools.count():
        for path in changing:
            (project / path).write_text(f"def changed_{number}():\n    return {number}\n" * 20)
        if ended.wait(1):
            return


changing = [f"changing_{number}.py" for number in range(5)]
for path in changing:
    (project / path).write_text("def changed(): pass\n")
files = [str(path.relative_to(project)) for path in itertools.islice(project.rglob("*.py"), 200)]
first = Client()
while first.ask("tools/call", {"name": "search_code", "arguments": {"query": "x"}})["result"]["structuredContent"]["index"]["state"] != "fresh":
    time.sleep(0.2)
writer = threading.Thread(target=change)
threads = [threading.Thread(target=one, args=(number,)) for number in range(clients)]
began = time.perf_counter()
for thread in [writer, *threads]:
    thread.start()
for thread in threads:
    thread.join()
took = time.perf_counter() - began
ended.set()
writer.join()
server.kill()
for path in changing:
    (project / path).unlink()
times.sort()
at = lambda share: times[min(int(len(times) * share), len(times) - 1)][0] * 1000  # noqa: E731
print(f"{clients} clients x {calls} calls in {took:.1f} s · {len(errors)} errors · {len(stale)} stale hits called fresh")
print(f"p50 {at(0.5):.0f} ms · p95 {at(0.95):.0f} ms · p99 {at(0.99):.0f} ms · states {sorted(states)}")
for tool in sorted({tool for _, tool in times}):
    own = sorted(took for took, name in times if name == tool)
    print(f"  {tool:<20} p50 {own[len(own) // 2] * 1000:6.1f} ms  p95 {own[int(len(own) * 0.95)] * 1000:6.1f} ms")
for error in errors[:5]:
    print(error)
for hit in stale[:3]:
    print(hit)
sys.exit(bool(errors or stale))
