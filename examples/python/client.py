"""A client of Portfolio Access. Needs Python 3.9 or newer, and only the standard library."""

import http.client
import json
import random
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from decimal import Decimal

ATTEMPTS = 5
TEMPORARY = {"rate_limit_exceeded", "service_unavailable", "request_conflict", "idempotency_key_in_use"}


class Refused(Exception):
    """The service refused a request. Programs should check `code`. Mention `request_id` to support."""

    def __init__(self, error, retry_after=""):
        super().__init__(error["message"])
        self.code = error["code"]
        self.request_id = error.get("request_id")
        self.retry_after = int(retry_after) if retry_after.isdigit() else None


class NoRedirect(urllib.request.HTTPRedirectHandler):
    """Refuses redirects, so that the key is sent only to one address."""

    def redirect_request(self, *_):
        return None


opener = urllib.request.build_opener(NoRedirect)


def pause_after(error, attempt, is_last=False):
    """Waits as long as the service says. Otherwise each wait is longer. Raises errors that aren't temporary."""
    if is_last or (isinstance(error, Refused) and error.code not in TEMPORARY):
        raise error
    retry_after = getattr(error, "retry_after", None)
    if retry_after is None:
        retry_after = 0.5 * 2 ** min(attempt, 7) * random.uniform(0.5, 1)
    if retry_after >= 1:
        print(f"waiting {retry_after:.0f} s: {error}", file=sys.stderr, flush=True)
    time.sleep(min(retry_after, 300))


class Client:
    def __init__(self, url, key):
        self.url = url.rstrip("/")
        self.key = key

    def _open(self, method, path, body=None, headers={}, timeout=30):
        data = None if body is None else json.dumps(body).encode()
        sent = {"Authorization": f"Bearer {self.key}", **headers}
        if data is not None:
            sent["Content-Type"] = "application/json"
        asked = urllib.request.Request(self.url + path, data, sent, method=method)
        try:
            return opener.open(asked, timeout=timeout)
        except urllib.error.HTTPError as answer:
            raise refusal_in(answer) from None

    def call(self, method, path, body=None, headers={}):
        """Returns the response, with amounts as exact Decimals. Repeats the call after temporary errors."""
        for attempt in range(ATTEMPTS):
            try:
                with self._open(method, path, body, headers) as answer:
                    return json.load(answer, parse_float=Decimal)
            except (OSError, http.client.HTTPException, Refused) as error:
                pause_after(error, attempt, is_last=attempt == ATTEMPTS - 1)

    def get(self, path, **parameters):
        query = urllib.parse.urlencode(parameters)
        return self.call("GET", f"{path}?{query}" if query else path)

    def items(self, path, **parameters):
        """Yields the items of all pages of a list."""
        while True:
            page = self.get(path, **parameters)
            yield from page["data"]
            if not page["has_more"]:
                return
            parameters["cursor"] = page["next_cursor"]

    def ask(self, company_id, scopes, purpose):
        """Returns the access request. Even if the call is repeated, only one request is created."""
        body = {"company_id": company_id, "scopes": scopes, "purpose": purpose}
        once = {"Idempotency-Key": str(uuid.uuid4())}
        return self.call("POST", "/v1/access-requests", body, once)

    def wait(self, request_id, seconds=None):
        """Waits for the company's decision and returns the access request. Returns None if the time is over."""
        deadline = None if seconds is None else time.monotonic() + seconds
        attempt = 0
        while deadline is None or time.monotonic() < deadline:
            try:
                stream = {"Accept": "text/event-stream"}
                # The service sends a comment every 15 seconds, so a longer silence means a lost connection.
                with self._open("GET", "/v1/events", headers=stream, timeout=45) as answer:
                    # The stream doesn't report earlier decisions.
                    request = self.get(f"/v1/access-requests/{request_id}")
                    if request["status"] != "pending":
                        return request
                    attempt = 0
                    for event in events_of(answer):
                        request = (event or {}).get("data", {}).get("access_request", {})
                        if request.get("id") == request_id and request["status"] != "pending":
                            return request
                        if deadline is not None and time.monotonic() > deadline:
                            return None
            except (OSError, http.client.HTTPException, Refused) as error:
                pause_after(error, attempt)
            attempt += 1
        return None


def refusal_in(answer):
    try:
        error = json.loads(answer.read())["error"]
    except (ValueError, KeyError, TypeError):
        # A response that isn't JSON comes from a proxy, not from the service.
        code = "service_unavailable" if answer.code in (429, 502, 503, 504) else "unknown"
        error = {"code": code, "message": f"the answer is {answer.code}, and no JSON"}
    return Refused(error, answer.headers.get("Retry-After", ""))


def events_of(answer):
    """Yields each event of a stream. Yields None for each comment."""
    event, data = "", ""
    for line in answer:
        name, _, value = line.decode().rstrip("\n").partition(": ")
        if name == "event":
            event = value
        elif name == "data":
            data += value
        elif name == "" and value == "" and data:
            if event == "error":
                raise Refused(json.loads(data)["error"])
            yield json.loads(data, parse_float=Decimal)
            event, data = "", ""
        else:
            yield None
