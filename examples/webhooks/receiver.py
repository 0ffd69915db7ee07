"""Receives webhooks. Checks the signature and the time of each message, and handles each message once.

SECRET=whsec_… python3 receiver.py
"""

import base64
import hashlib
import hmac
import json
import os
import sqlite3
import sys
import time
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

MAX_BYTES = 1_048_576
TOLERANCE_SECONDS = 300
DATABASE = os.environ.get("DATABASE", "received.db")


def open_database():
    return sqlite3.connect(DATABASE, timeout=10, isolation_level=None)


def is_genuine(key, headers, body):
    """Returns True if the unchanged body is signed with the secret and the message is recent."""
    timestamp = headers.get("webhook-timestamp", "")
    # An attacker could send a recorded message again later.
    if not timestamp.isdigit() or abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
        return False
    signed = f"{headers.get('webhook-id', '')}.{timestamp}.".encode() + body
    expected = b"v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
    # During the rotation of a secret, each message has two signatures.
    signatures = headers.get("webhook-signature", "").encode().split(b" ")
    return any(hmac.compare_digest(signature, expected) for signature in signatures)


def handle(message):
    """Put your work here, in this database. The work and the ID of the message are committed together."""
    request = message["data"].get("access_request", {})
    parts = [message["type"], request.get("id"), request.get("status")]
    print(*(part for part in parts if part), flush=True)


def handle_once(message_id, message):
    """The same message can arrive twice, even at the same time. Both copies have the same ID."""
    with closing(open_database()) as database:
        database.execute("BEGIN IMMEDIATE")
        try:
            row = (message_id, message["timestamp"], message["type"])
            if database.execute("INSERT OR IGNORE INTO received VALUES (?, ?, ?)", row).rowcount:
                handle(message)
            database.execute("COMMIT")
        except BaseException:
            database.execute("ROLLBACK")
            raise


class Receiver(BaseHTTPRequestHandler):
    key = b""

    def do_POST(self):
        try:
            status = self.receive()
        except Exception as error:  # Without a 2xx status, the service sends the message again.
            print(repr(error), file=sys.stderr, flush=True)
            status = 500
        self.send_response(status)
        self.end_headers()

    def receive(self):
        length = self.headers.get("content-length", "")
        if not length.isdigit():
            return 411
        if int(length) > MAX_BYTES:
            return 413
        body = self.rfile.read(int(length))
        if not is_genuine(self.key, self.headers, body):
            return 400
        handle_once(self.headers["webhook-id"], json.loads(body))
        return 204

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    if not os.environ.get("SECRET"):
        sys.exit("SECRET must be set to the secret of the endpoint")
    Receiver.key = base64.b64decode(os.environ["SECRET"].removeprefix("whsec_"))
    with closing(open_database()) as database:
        database.execute(
            "CREATE TABLE IF NOT EXISTS received (id TEXT PRIMARY KEY, at TEXT NOT NULL, type TEXT NOT NULL)"
        )
    server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "8080"))), Receiver)
    print("listening", flush=True)
    server.serve_forever()
