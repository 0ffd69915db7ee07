import assert from 'node:assert/strict';
import { checkHeaders, checkMessage } from '../support/answer-rules.ts';
import { closedAfterAll } from '../support/closed.ts';
import { errorTable, type RefusalCode } from '../support/contract.ts';
import {
  type Answer,
  type CallOptions,
  createHttpClient,
  type Json,
} from '../support/http-client.ts';
import { publicUrl, type ServiceOptions, startService } from '../support/service.ts';

/** Sends plain HTTP requests, without tRPC's client. */
export interface TrpcClient {
  ask(key: string | null, name: string, input?: unknown): Promise<Answer>;
  /** Sends several calls in one POST. */
  batch(key: string | null, ...calls: readonly (readonly [string, unknown?])[]): Promise<Answer>;
  /** Checks the answer of any HTTP request against the common rules. */
  send(method: string, path: string, ask?: CallOptions): Promise<Answer>;
  close(): void;
}

/** Checks every answer against the common rules before a test gets it. */
export function createTrpcClient(url: string, publishedUrl = publicUrl): TrpcClient {
  const http = createHttpClient(url);
  const call: TrpcClient['send'] = async (...asked) => {
    const answer = await http.call(...asked);
    const shown = isStream(answer) ? { ...answer, body: readStream(answer.text) } : answer;
    checkRules(shown, publishedUrl);
    return shown;
  };
  const json = { 'content-type': 'application/json' };
  return {
    ask: (key, name, input) =>
      call('POST', `/trpc/${name}`, {
        key,
        ...(input === undefined ? { headers: json } : { body: input }),
      }),
    batch: (key, ...calls) =>
      call('POST', `/trpc/${calls.map(([name]) => name).join()}?batch=1`, {
        key,
        body: Object.fromEntries(calls.map(([, input], index) => [index, input])),
      }),
    send: call,
    close: http.close,
  };
}

export async function serveTrpc(options: Omit<ServiceOptions, 'storage'> = {}) {
  const service = await closedAfterAll(startService({ storage: { memory: true }, ...options }));
  return { service, client: await closedAfterAll(createTrpcClient(service.url)) };
}

export const getPath = (name: string, input?: unknown): string =>
  `/trpc/${name}${input === undefined ? '' : `?input=${encodeURIComponent(JSON.stringify(input))}`}`;

const isStream = ({ headers }: Answer) => headers['content-type'] === 'application/jsonl';

/** The stream has the line format that httpBatchStreamLink reads. */
export function readStream(text: string): Json[] {
  const [head, ...chunks] = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  const encoded = new Map<number, Json>(
    chunks.map(([id, status, value]: Json) => {
      assert.equal(status, 0, 'an answer that did not come');
      return [id, value];
    }),
  );
  function decode([[value], ...promised]: Json): Json {
    for (const [key, , id] of promised) {
      const inner = decode(encoded.get(id));
      if (key === null) return inner;
      value[key] = inner;
    }
    return value;
  }
  return Object.values(head).map(decode);
}

export function outcomesOf({ body }: Answer): (RefusalCode | 'ok')[] {
  return [body].flat().map((one: Json) => one.error?.data.code ?? 'ok');
}

export function refusedAs(answer: Answer): [number, ...(RefusalCode | 'ok')[]] {
  return [answer.status, ...outcomesOf(answer)];
}

/** tRPC's number for each kind of error, by status, from the table at trpc.io/docs/rpc. */
const numbers: Readonly<Record<number, number>> = {
  400: -32600,
  401: -32001,
  403: -32003,
  404: -32004,
  405: -32005,
  409: -32009,
  413: -32013,
  415: -32015,
  422: -32022,
  429: -32029,
  500: -32603,
  501: -32603,
  503: -32603,
};

function checkRules(answer: Answer, publishedUrl: string): void {
  const { method, path, status, headers, text, body } = answer;
  const where = `${method} ${path.slice(0, 100)} → ${status} ${text.slice(0, 300)}`;
  const requestId = String(headers['svc-request-id']);
  checkHeaders(answer, text.includes('missing_api_key'), where);
  assert.equal(headers['cache-control'], 'no-store', where);
  assert.equal(headers['x-content-type-options'], 'nosniff', where);
  assert.equal(headers['access-control-allow-origin'], undefined, where);
  if (!isStream(answer)) {
    assert.equal(headers['content-type'], 'application/json; charset=utf-8', where);
  }
  if (method === 'HEAD') {
    assert.equal(text, '', where);
    return;
  }
  const statuses = new Set(
    [body].flat().map((one) => checkCall(one, requestId, where, publishedUrl)),
  );
  // A stream begins before any of its calls has a result, so its status is always 200.
  if (isStream(answer)) assert.equal(status, 200, where);
  else assert.equal(status, statuses.size === 1 ? [...statuses][0] : 207, where);
}

/** @returns the HTTP status that belongs to the call's outcome */
function checkCall(call: Json, requestId: string, where: string, publishedUrl: string): number {
  if (!('error' in call)) {
    assert.deepEqual(Object.keys(call), ['result'], where);
    assert.deepEqual(Object.keys(call.result), ['data'], where);
    return 200;
  }
  assert.deepEqual(Object.keys(call), ['error'], where);
  const { message, code: number, data, ...more } = call.error;
  const { type, code, requestId: id, documentationUrl, retryAfterSeconds, ...rest } = data;
  const waits = ['rate_limit_exceeded', 'service_unavailable'].includes(code);
  assert.equal(Number.isInteger(retryAfterSeconds), waits, where);
  const { param: _param, allowed: _allowed, accessRequestId: _request, ...others } = rest;
  assert.deepEqual([more, others], [{}, {}], where);
  const known = errorTable[code as RefusalCode];
  assert.ok(known, `${where}: the code ${code} is in no table`);
  const [status, knownType] = known;
  assert.equal(type, knownType, where);
  assert.equal(number, code === 'malformed_json' ? -32700 : numbers[status], where);
  assert.equal(id, requestId, where);
  assert.equal(documentationUrl, `${publishedUrl}/docs/errors#${code}`, where);
  checkMessage(message, where);
  return status;
}
