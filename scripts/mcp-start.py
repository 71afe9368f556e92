"""How soon a server answers, and what it costs at rest: `mcp-start.py JARI PROJECT`.

PROJECT is indexed anew: its `.jari` is deleted. Give it a copy. Memory is read from /proc, so Linux only.
"""

import json
import pathlib
import shutil
import subprocess
import sys
import time

jari, project = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()


class Server:
    def __init__(self):
        self.began, self.number = time.perf_counter(), 0
        self.process = subprocess.Popen([jari, "mcp", project], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "start", "version": "1"}}
        self.ask("initialize", hello)
        self.ready = time.perf_counter() - self.began
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send(self, message):
        print(json.dumps(message), file=self.process.stdin, flush=True)

    def ask(self, method, params):
        self.number += 1
        self.send({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params})
        while True:
            message = json.loads(self.process.stdout.readline())
            if message.get("id") == self.number:
                return message["result"]

    def search(self, query):
        return self.ask("tools/call", {"name": "search_code", "arguments": {"query": query}})["structuredContent"]

    def memory(self):
        kept = pathlib.Path(f"/proc/{self.process.pid}/smaps_rollup").read_text()
        size = lambda name: int(next(line for line in kept.splitlines() if line.startswith(name)).split()[1]) / 1024  # noqa: E731
        return f"resident {size('Rss:'):.0f} MB, of it anonymous {size('Anonymous:'):.0f} MB"


def run(name):
    server = Server()
    answer = server.search("how are migrations applied")
    took = time.perf_counter() - server.began
    first = [f"{hit['path']}:{hit['start_line']}" for hit in answer["results"][:3]]
    print(f"{name}: ready {server.ready * 1000:.0f} ms · first answer {took * 1000:.0f} ms · index {answer['index']['state']}", first)
    while answer["index"]["state"] != "fresh":
        time.sleep(0.2)
        answer = server.search("how are migrations applied")
    print(f"  fresh after {time.perf_counter() - server.began:.1f} s · {answer['index']['files']} files · {server.memory()}")
    for word in ["cache", "template loader", "retry a connection", "where are settings read"]:
        server.search(word)
    time.sleep(15)
    print(f"  at rest: {server.memory()}")
    server.process.kill()
    server.process.wait()


shutil.rmtree(project / ".jari", ignore_errors=True)
run("unindexed")
run("indexed")
