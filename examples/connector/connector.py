"""Reads the balances of a ledger, from a CSV file or an HTTP API, and pushes them to Portfolio Access.

python3 connector.py ledger.csv
python3 connector.py http://127.0.0.1:4010/balances
"""

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
    """What somebody has to correct before it can go on."""


# --- Reading


def read_ledger(where):
    if not where.startswith(("http://", "https://")):
        with open(where, newline="", encoding="utf-8") as file:
            yield from csv.DictReader(file)
        return
    following = 0
    while following is not None:
        status, text = request(f"{where}?from={following}")
        if status != 200:
            raise Stop(f"the ledger answers {status}: {text}")
        page = json.loads(text)
        yield from page["balances"]
        following = page["next"]


# --- Mapping


def to_record(row, number, mapping, method):
    """The record of a row as JSON; None for what is not pushed."""
    metric = mapping["accounts"].get(row["account"])
    if metric is None:
        return None
    if not re.fullmatch(r"-?[0-9]+(\.[0-9]+)?", row["balance"]):
        raise Stop(f'record {number}: "{row["balance"]}" is no amount')
    # When the ledger said so. Never the time of this run, or each run would push other values.
    source = {"system": mapping["system"], "method": method, "last_synced": row["exported_at"]}
    record = {"type": "metric", **metric, "period": row["date"], "source": source}
    # The amount is written as it is, so that no digit of it is lost in a float.
    amount = re.sub(r"^(-?)0+(?=[0-9])", r"\1", row["balance"])
    return f'{json.dumps(record)[:-1]},"raw_value":{amount}}}'


def to_batches(rows, mapping, method):
    """Batches of records: their numbers in the ledger, from 1, and the body of the push."""
    numbers, records, size = [], [], 0

    def batch():
        return numbers, ('{"records":[' + ",".join(records) + "]}").encode()

    for number, row in enumerate(rows, start=1):
        record = to_record(row, number, mapping, method)
        if record is None:
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
    """The key is sent to one address alone."""

    def redirect_request(self, *_):
        return None


opener = urllib.request.build_opener(NoRedirect)


def request(url, body=None, headers={}):
    """Tries again what passes: no network, too many requests, a service that is not there for a moment."""
    for attempt in range(1, ATTEMPTS + 1):
        seconds = None
        try:
            asked = urllib.request.Request(url, data=body, headers=headers)
            with opener.open(asked, timeout=60) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            is_in_use = error.code == 409 and body is not None
            with error:
                if error.code != 429 and error.code < 500 and not is_in_use:
                    return error.code, error.read().decode()
            problem = f"{url} answers {error.code}"
            retry_after = error.headers.get("Retry-After", "")
            if retry_after.isdigit():
                seconds = min(int(retry_after), 300)
        except (OSError, http.client.HTTPException) as error:
            problem = f"{url} cannot be reached: {getattr(error, 'reason', error)}"
        if attempt == ATTEMPTS:
            break
        if seconds is None:
            # Between half of it and all of it, so that many connectors do not come again together.
            seconds = min(0.5 * 2 ** (attempt - 1), 60) * random.uniform(0.5, 1)
        print(f"{problem}; tried again in {seconds:.1f} s", file=sys.stderr)
        time.sleep(seconds)
    raise Stop(f"{problem}, {ATTEMPTS} times")


def key_for(body, state_path):
    """The key under which a batch is pushed, kept before it is: whoever is killed in between sends the same again."""
    digest = hashlib.sha256(body).hexdigest()
    try:
        state = json.loads(state_path.read_text())
    except (OSError, ValueError):
        state = {}
    if state.get("digest") == digest:
        return state["key"]
    key = str(uuid.uuid4())
    new = Path(f"{state_path}.new")
    with open(new, "w") as file:
        file.write(json.dumps({"digest": digest, "key": key}))
        file.flush()
        os.fsync(file.fileno())
    new.replace(state_path)
    return key


def push(numbers, body, url, key, state_path):
    status, text = request(
        f"{url}/company/v1/data",
        body,
        {
            "Authorization": f"Bearer {key}",
            "Content-Type": "application/json",
            "Idempotency-Key": key_for(body, state_path),
        },
    )
    state_path.unlink(missing_ok=True)
    if status == 200:
        counts = json.loads(text)
        print("{created} created, {revised} revised, {unchanged} unchanged".format(**counts))
        return
    if not text.startswith('{"error"'):
        raise Stop(f"the service answers {status}: {text}")
    error = json.loads(text)["error"]
    details = error.get("details", [])
    # The message counts the records of the push, not those of the ledger.
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
    for numbers, body in to_batches(read_ledger(where), mapping, method):
        push(numbers, body, url, key, state_path)


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except Stop as stop:
        print(stop, file=sys.stderr)
        sys.exit(1)
