"""A `heddle view` that runs, and a client of its WebSocket that says what it is told to, well formed or not. Python's own library is
all that it needs. The command is that of HEDDLE, a path in the environment, unless another is given."""
import base64
import http.client
import json
import os
import signal
import socket
import struct
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
import zlib

PATIENCE = 300  # seconds, of a machine with much else to do
TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10


class Server:
    """`heddle view` with these words; `address` is what it prints."""

    def __init__(self, *words, port=0, command=None, environment=None, preexec_fn=None):
        named = [word if isinstance(word, bytes) else str(word) for word in words]
        self.process = subprocess.Popen([command or os.environ["HEDDLE"], "view", *named, "--no-open", "--port", str(port)],
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment, preexec_fn=preexec_fn)
        self.address = self.process.stdout.readline().strip()
        if not self.address:
            raise AssertionError(self.process.communicate(timeout=PATIENCE)[1])
        parts = urllib.parse.urlsplit(self.address)
        self.port, self.host, self.query = parts.port, parts.netloc, parts.query

    def __enter__(self):
        return self

    def __exit__(self, *_):
        # A process that is killed leaves no counts for scripts/coverage.
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        try:
            self.process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.communicate()

    def interrupt(self):
        """Its exit status after Ctrl-C, and what it has said on standard error."""
        self.process.send_signal(signal.SIGINT)
        said = self.process.communicate(timeout=PATIENCE)[1]
        return self.process.returncode, said

    def get(self, path, method="GET", **headers):
        """The status, headers and body of a request to this machine; no status where it is not worth an answer."""
        asked = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", method=method,
                                       headers={"Host": self.host} | {name.replace("_", "-"): value for name, value in headers.items()})
        try:
            with urllib.request.urlopen(asked, timeout=PATIENCE) as answer:
                return answer.status, answer.headers, answer.read()
        except urllib.error.HTTPError as refused:
            with refused:
                return refused.code, refused.headers, refused.read()
        except http.client.RemoteDisconnected:
            return None, {}, b""


class Refused(Exception):
    """The server's status instead of an upgrade."""


class Closed(Exception):
    """The connection was closed: code and reason."""


class Client:
    def __init__(self, server, host=None, origin="own", query=None, path="/socket"):
        self.socket = socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE)
        # As browsers have it: a small message waits for no answer to the one before.
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.received = b""
        host = host or server.host
        lines = [f"GET {path}?{server.query if query is None else query} HTTP/1.1", f"Host: {host}", "Upgrade: websocket",
                 "Connection: Upgrade", f"Sec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}", "Sec-WebSocket-Version: 13"]
        if origin:
            lines.append("Origin: " + (f"http://{host}" if origin == "own" else origin))
        self.socket.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        while b"\r\n\r\n" not in self.received:
            self.more()
        head, self.received = self.received.split(b"\r\n\r\n", 1)
        status = int(head.split()[1])
        if status != 101:
            self.close()
            raise Refused(status)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.socket.close()

    def more(self):
        try:
            part = self.socket.recv(1 << 20)
        except ConnectionError:
            part = b""
        if not part:
            raise Closed(None, "without a word")
        self.received += part

    def take(self, count):
        # A frame of megabytes is put together once.
        parts, length = [self.received], len(self.received)
        while length < count:
            self.received = b""
            self.more()
            parts.append(self.received)
            length += len(self.received)
        whole = b"".join(parts)
        part, self.received = whole[:count], whole[count:]
        return part

    def send_frame(self, opcode, payload=b"", final=True):
        length = len(payload)
        header = bytes([opcode | (0x80 if final else 0)])
        if length < 126:
            header += bytes([0x80 | length])
        elif length < 1 << 16:
            header += bytes([0x80 | 126]) + struct.pack(">H", length)
        else:
            header += bytes([0x80 | 127]) + struct.pack(">Q", length)
        mask = os.urandom(4)
        repeated = int.from_bytes((mask * (length // 4 + 1))[:length], "big")
        masked = int.from_bytes(payload, "big") ^ repeated
        self.socket.sendall(header + mask + masked.to_bytes(length, "big"))

    def send(self, text):
        self.send_frame(TEXT, text if isinstance(text, bytes) else text.encode())

    def ask(self, do, **keys):
        self.send(json.dumps({"do": do} | keys))

    def message(self, end=None):
        """The next message: an object, or the header and the bytes of a binary one."""
        end = end or time.monotonic() + PATIENCE
        whole, kind = b"", None
        while True:
            # The server's pings arrive forever, so the timeout of the socket is not enough.
            if time.monotonic() > end:
                raise TimeoutError(f"heddle view: no message that was waited for came in {PATIENCE} s")
            first, second = self.take(2)
            length = second & 0x7f
            if length == 126:
                length, = struct.unpack(">H", self.take(2))
            elif length == 127:
                length, = struct.unpack(">Q", self.take(8))
            payload, opcode = self.take(length), first & 15
            if opcode == PING:
                self.send_frame(PONG, payload)
                continue
            if opcode == CLOSE:
                raise Closed(struct.unpack(">H", payload[:2])[0] if payload else None, payload[2:].decode())
            if opcode == PONG:
                continue
            whole, kind = whole + payload, kind or opcode
            if first & 0x80:
                break
        if kind == TEXT:
            return json.loads(whole)
        length, = struct.unpack("<I", whole[:4])
        header, is_deflated, sent = json.loads(whole[4:4 + length]), whole[4 + length], whole[5 + length:]
        if "frame" in header:  # which leaves out what has not changed since an earlier one
            self.sent = set(header)
            header = self.known = getattr(self, "known", {}) | header
        return header, zlib.decompress(sent) if is_deflated else sent

    def messages(self):
        """Yields messages until PATIENCE is over."""
        end = time.monotonic() + PATIENCE
        while True:
            yield self.message(end)

    def said(self, what):
        """The next message of this kind; frames before it are told to be drawn."""
        for one in self.messages():
            if isinstance(one, dict):
                if one["is"] == what:
                    return one
                if one["is"] == "error" and what != "error":
                    raise AssertionError(one["text"])
            elif "file" in one[0]:
                if what == "file":
                    return one[0]["file"], one[1]
            else:
                self.ask("drawn", frame=one[0]["frame"])

    def frame(self, until=lambda header: True):
        """The header and the bytes of the first frame for which this is so."""
        for one in self.messages():
            if isinstance(one, dict):
                if one["is"] == "error":
                    raise AssertionError(one["text"])
                continue
            header, pixels = one
            self.ask("drawn", frame=header["frame"])
            if until(header):
                return header, pixels

    def show(self, x, y, scale, width, height):
        """Shows a window, and returns its first frame."""
        self.ask("window", x=str(x), y=str(y), scale=scale, width=width, height=height)
        return self.frame(lambda header: shows(header, x, y, scale, width, height))


def shows(header, x, y, scale, width, height):
    return header["window"] == {"x": str(x), "y": str(y), "scale": scale, "width": width, "height": height}


def has_server(command=None):
    """Whether this build has one: it would refuse an address that is no machine's."""
    done = subprocess.run([command or os.environ["HEDDLE"], "view", "--no-open", "--host", "203.0.113.1"], capture_output=True, text=True,
                          timeout=PATIENCE)
    return "has no server" not in done.stderr


def skip_without_server():
    if not has_server():
        print("skipped: this build has no server: libwebsockets-dev is missing")
        sys.exit(77)
