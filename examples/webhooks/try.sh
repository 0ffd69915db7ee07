#!/bin/sh
# Tries a receiver on this machine. Adds a webhook endpoint, starts the receiver with the endpoint's secret and sends a
# test message. Removes the endpoint at the end.
# KEY=svc_sk_test_… sh try.sh node receiver.ts
set -eu
url=${PORTFOLIO_ACCESS_URL:-http://127.0.0.1:3000}/v1/webhook-endpoints
export PORT="${PORT:-8080}"

# All users of a machine can read command lines, so the key goes through stdin.
call() { printf 'header = "Authorization: Bearer %s"\n' "$KEY" | curl -sS --config - "$@"; }
member() { sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p"; }

endpoint=$(call --json "{\"url\":\"http://127.0.0.1:$PORT/\"}" "$url")
id=$(printf %s "$endpoint" | member id)
SECRET=$(printf %s "$endpoint" | member secret)
[ -n "$SECRET" ] || { echo "$endpoint" >&2; exit 1; }
export SECRET

"$@" &
receiver=$!
trap 'kill $receiver || true; call -X DELETE "$url/$id"' EXIT
trap 'exit 0' INT TERM
until call -X POST "$url/$id/test" | grep -q '"delivered":true'; do kill -0 $receiver; sleep 1; done
echo 'the test message has arrived; Ctrl-C ends it'
wait $receiver
