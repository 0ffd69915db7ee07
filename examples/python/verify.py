"""Verifies metrics of the REST API. Needs `cryptography` (Debian: python3-cryptography)."""

import base64
import json

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey


def decode(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def read_keys(jwks):
    """Returns the keys of the service. Read the keys from the service's own address, never from a URL in a metric."""
    return {
        key["kid"]: Ed25519PublicKey.from_public_bytes(decode(key["x"]))
        for key in jwks["keys"]
        if key["kty"] == "OKP" and key["crv"] == "Ed25519"
    }


def verify(metric, keys):
    """Returns the signed fields. Raises ValueError if a field of the metric differs or the signature is invalid."""
    try:
        head, body, signature = metric["verification"]["signature"].split(".")
        header = json.loads(decode(head))
        if header.get("alg") != "EdDSA" or header.get("typ") != "metric+jws":
            raise ValueError("a signature of another kind")
        keys[header["kid"]].verify(decode(signature), f"{head}.{body}".encode())
        signed = json.loads(decode(body))
        if signed["v"] != 1:
            raise ValueError("another version of the format")
        # The signature could belong to another metric.
        found = {**metric, "currency": metric.get("currency"), "raw_value": metric["raw_value_text"]}
        for name in ("company_id", "key", "period", "currency", "as_of", "raw_value"):
            if found[name] != signed[name]:
                raise ValueError(f"{name} differs from the signed value")
        for name in ("system", "method", "last_synced"):
            if metric["source"][name] != signed["source"][name]:
                raise ValueError(f"source.{name} differs from the signed value")
        return signed
    except KeyError as error:
        raise ValueError(f"{error} is missing or unknown") from None
    except InvalidSignature:
        raise ValueError("the signature does not fit") from None
