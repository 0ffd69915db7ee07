"""Requests access to a company, waits for the decision, and then reads and verifies the figures.

portfolio.py [COMPANY]

The default is a company of the sandbox, which approves within two seconds.
"""

import os
import sys

from client import Client, Refused

try:
    from verify import read_keys, verify
except ImportError:
    verify = None
    print("SKIPPED: nothing is verified: cryptography is not installed", file=sys.stderr)


def main(company_id="co_test_approves"):
    client = Client(os.environ.get("PORTFOLIO_ACCESS_URL", "http://127.0.0.1:3000"), os.environ["KEY"])
    request = client.ask(company_id, ["metrics:read"], "Quarterly review")
    print(f"asked {company_id}: {request['status']}", flush=True)
    request = client.wait(request["id"])
    print(f"the company has answered: {request['status']}", flush=True)
    metrics = client.get(f"/v1/companies/{company_id}/metrics")["data"]
    keys = read_keys(client.get("/.well-known/jwks.json")) if verify else None
    for metric in metrics:
        if verify:
            verify(metric, keys)
        print(f"{metric['label']:26} {metric['value']:>16}  {metric['period']}")
    print(f"{len(metrics)} figures" + (", each as it was signed" if verify else ""))
    reads = client.items("/v1/access-records", company_id=company_id, limit=100)
    print(f"reads of this company on record: {sum(1 for _ in reads)}")


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except Refused as refused:
        sys.exit(f"{refused.code}: {refused}")
    except KeyError as missing:
        sys.exit(f"{missing} must be set: an API key, as npm start prints it")
