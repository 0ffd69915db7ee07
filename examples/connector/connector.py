"""Reads the balances of a ledger, from a CSV file or an HTTP API, and pushes them to Portfolio Access.

python3 connector.py ledger.csv
python3 connector.py http://127.0.0.1:4010/balances
"""

import collections
import csv
import hashlib
import http.client
import json
import os
import random
import re
import sys
import time
import urllib.error
import urllib.request
import uuid
from pathlib import Path

MAX_RECORDS = 1_000
MAX_BYTES = 1_048_576
ATTEMPTS = 8


class Stop(Exception):
    """An error that a person must fix."""


# --- Reading


COLUMNS = ("account", "date", "balance", "exported_at")


def require_columns(header, where="the first line"):
    """Rejects a ledger without these columns, because a renamed column would look like an empty ledger."""
    missing = [name for name in COLUMNS if name not in header]
    if missing:
        raise Stop(f"{where} has no {', '.join(missing)}, but {', '.join(header) or 'nothing'}")


def read_ledger(where):
    if not where.startswith(("http://", "https://")):
        # utf-8-sig removes the byte-order mark that spreadsheets write at the start of a file.
        with open(where, newline="", encoding="utf-8-sig") as file:
            rows = csv.DictReader(file, restval="")
            require_columns(rows.fieldnames or [])
            yield from rows
        return
    following = 0
    while following is not None:
        status, text = request(f"{where}?from={following}")
        if status != 200:
            raise Stop(f"the ledger answers {status}: {text}")
        page = json.loads(text)
        for row in page["balances"]:
            require_columns(list(row), "a balance")
            yield row
        following = page["next"]


# --- Mapping


def to_record(row, number, mapping, method):
    """Returns the record of a row as JSON. Returns None for rows that aren't pushed."""
    metric = mapping["accounts"].get(row["account"])
    if metric is None:
        return None
    if not re.fullmatch(r"-?[0-9]+(\.[0-9]+)?", row["balance"]):
        raise Stop(f'record {number}: "{row["balance"]}" is not an amount')
    # With the time of this run instead, each run would push changed values.
    source = {"system": mapping["system"], "method": method, "last_synced": row["exported_at"]}
    record = {"type": "metric", **metric, "period": row["date"], "source": source}
    # A float would lose digits.
    amount = re.sub(r"^(-?)0+(?=[0-9])", r"\1", row["balance"])
    return f'{json.dumps(record)[:-1]},"raw_value":{amount}}}'


def to_batches(rows, mapping, method, left_out):
    """Yields batches. A batch has the row numbers of its records, starting at 1, and the body of the push.

    Counts the rows that aren't pushed in `left_out`, by account.
    """
    numbers, records, size = [], [], 0

    def batch():
        return numbers, ('{"records":[' + ",".join(records) + "]}").encode()

    for number, row in enumerate(rows, start=1):
        record = to_record(row, number, mapping, method)
        if record is None:
            left_out[row["account"]] += 1
            continue
        length = len(record.encode()) + 1
        if records and (len(records) == MAX_RECORDS or 14 + size + length > MAX_BYTES):
            yield batch()
            numbers, records, size = [], [], 0
        numbers.append(number)
        records.append(record)
        size += length
    if records:
        yield batch()


# --- Pushing


class NoRedirect(urllib.request.HTTPRedirectHandler):
    """Refuses redirects, so that the key is sent only to one address."""

    def redirect_request(self, *_):
        return None


opener = urllib.request.build_opener(NoRedirect)


def answer_to(asked):
    try:
        return opener.open(asked, timeout=60)
    except urllib.error.HTTPError as answer:
        return answer


def request(url, body=None, headers={}):
    """Sends the request again after a temporary error: no network, too many requests, or an unavailable service."""
    for attempt in range(1, ATTEMPTS + 1):
        seconds = None
        asked = urllib.request.Request(url, data=body, headers=headers)
        try:
            # The connection can also break during the response.
            with answer_to(asked) as answer:
                status = answer.status
                is_in_use = status == 409 and body is not None
                if status != 429 and status < 500 and not is_in_use:
                    return status, answer.read().decode()
                problem = f"{url} answers {status}"
                retry_after = answer.headers.get("Retry-After", "")
                if retry_after.isdigit():
                    seconds = min(int(retry_after), 300)
        except (OSError, http.client.HTTPException) as error:
            problem = f"{url} cannot be reached: {getattr(error, 'reason', error)}"
        if attempt == ATTEMPTS:
            break
        if seconds is None:
            # A random delay, so that many connectors don't retry at the same time.
            seconds = min(0.5 * 2 ** (attempt - 1), 60) * random.uniform(0.5, 1)
        print(f"{problem}; tried again in {seconds:.1f} s", file=sys.stderr)
        time.sleep(seconds)
    raise Stop(f"{problem}, {ATTEMPTS} times")


def read_state(path):
    """Returns the batches that were sent but have no response yet, by the number of the batch's first record."""
    try:
        return json.loads(path.read_text())
    except (OSError, ValueError):
        return {}


def write_state(path, state):
    new = Path(f"{path}.new")
    with open(new, "w") as file:
        file.write(json.dumps(state))
        file.flush()
        os.fsync(file.fileno())
    new.replace(path)


def key_for(first, body, state_path):
    """Returns the idempotency key of a batch. Stores the key before the push.

    After a crash, the next run sends the same batch with the same key, so the batch isn't applied twice.
    """
    digest = hashlib.sha256(body).hexdigest()
    state = read_state(state_path)
    kept = state.get(first)
    if kept and kept["digest"] == digest:
        return kept["key"]
    key = str(uuid.uuid4())
    write_state(state_path, {**state, first: {"digest": digest, "key": key}})
    return key


def forget_key(first, state_path):
    state = read_state(state_path)
    state.pop(first, None)
    write_state(state_path, state)


def push(numbers, body, url, key, state_path):
    first = str(numbers[0])
    status, text = request(
        f"{url}/company/v1/data",
        body,
        {
            "Authorization": f"Bearer {key}",
            "Content-Type": "application/json",
            "Idempotency-Key": key_for(first, body, state_path),
        },
    )
    forget_key(first, state_path)
    if status == 200:
        counts = json.loads(text)
        print("{created} created, {revised} revised, {unchanged} unchanged".format(**counts))
        return
    if not text.startswith('{"error"'):
        raise Stop(f"the service answers {status}: {text}")
    error = json.loads(text)["error"]
    details = error.get("details", [])
    # The service's message counts records within this push, not rows of the ledger.
    message = "nothing of this push is taken" if details else error["message"]
    lines = [f"{status} {error['code']}: {message}"]
    for bad in details:
        parts = [f"record {numbers[bad['record']]}", bad.get("param"), bad["message"]]
        lines.append(": ".join(part for part in parts if part))
    raise Stop("\n".join(lines))


# --- Running


def setting(name, otherwise=None):
    value = os.environ.get(name) or otherwise
    if value is None:
        raise Stop(f"{name} must be set")
    return value


def main(parameters):
    if not parameters:
        raise Stop("name a CSV file or the address of an API")
    where = parameters[0]
    url = setting("PORTFOLIO_ACCESS_URL").rstrip("/")
    key = setting("COMPANY_KEY")
    state_path = Path(setting("STATE_FILE", "connector-state.json"))
    mapping = json.loads(Path(__file__).with_name("mapping.json").read_text(encoding="utf-8"))
    method = "api" if where.startswith(("http://", "https://")) else "file"
    left_out = collections.Counter()
    for numbers, body in to_batches(read_ledger(where), mapping, method, left_out):
        push(numbers, body, url, key, state_path)
    state_path.unlink(missing_ok=True)
    for account, count in left_out.items():
        print(f'{count} left out: mapping.json has no account "{account}"')


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except Stop as stop:
        print(stop, file=sys.stderr)
        sys.exit(1)
