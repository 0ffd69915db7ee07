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

const newForm = 'application/graphql-response+json';

export interface GraphqlClient {
  /** With the newer media type, every refusal has its own status. */
  ask(key: string | null, query: string, variables?: object): Promise<Answer>;
  /** Checks the answer of any HTTP request against the common rules. */
  send(method: string, path: string, ask?: CallOptions): Promise<Answer>;
  close(): void;
}

/** Checks every answer against the common rules before a test gets it. */
export function createGraphqlClient(url: string, publishedUrl = publicUrl): GraphqlClient {
  const http = createHttpClient(url);

  async function send(method: string, path: string, ask: CallOptions = {}): Promise<Answer> {
    const answer = await http.call(method, path, ask);
    const isJson = /^application\/(graphql-response\+)?json; charset=utf-8$/.test(
      answer.headers['content-type'] ?? '',
    );
    const body = isJson && answer.text !== '' ? JSON.parse(answer.text) : undefined;
    checkRules({ ...answer, body }, publishedUrl);
    return { ...answer, body: withoutCost(body) };
  }

  return {
    ask: (key, query, variables) =>
      send('POST', '/graphql', {
        key,
        headers: { accept: newForm },
        body: { query, ...(variables && { variables }) },
      }),
    send,
    close: http.close,
  };
}

/** Every executed operation returns its cost, but most tests don't compare it. */
function withoutCost(body: Json): Json {
  if (Array.isArray(body)) return body.map(withoutCost);
  if (body?.extensions === undefined) return body;
  const { extensions, ...rest } = body;
  const { cost: _cost, ...others } = extensions;
  return Object.keys(others).length === 0 ? rest : { ...rest, extensions: others };
}

export async function serveGraphql(options: Omit<ServiceOptions, 'storage'> = {}) {
  const service = await closedAfterAll(startService({ storage: { memory: true }, ...options }));
  return { service, client: await closedAfterAll(createGraphqlClient(service.url)) };
}

export function codesOf({ body }: Answer): RefusalCode[] {
  return (body?.errors ?? []).map(({ extensions }: Json) => extensions.code);
}

function checkRules(
  { method, path, status, headers, text, body }: Answer,
  publishedUrl: string,
): void {
  const where = `${method} ${path.slice(0, 100)} → ${status} ${text.slice(0, 300)}`;
  checkHeaders({ method, status, headers }, text.includes('missing_api_key'), where);
  assert.equal(headers['access-control-allow-origin'], undefined, where);
  assert.equal(headers['set-cookie'], undefined, where);
  assert.notEqual(status, 500, where);
  if (method === 'HEAD' || status === 204) assert.equal(text, '', where);
  else if (status >= 400) assert.ok(body?.errors.length > 0 && !('data' in body), where);
  for (const answer of [body].flat())
    checkErrors(answer?.errors, String(headers['svc-request-id']), publishedUrl);
}

function checkErrors(errors: Json[] | undefined, requestId: string, publishedUrl: string): void {
  if (errors === undefined) return;
  assert.ok(errors.length > 0);
  for (const { message, locations: _locations, path: _path, extensions, ...rest } of errors) {
    const { type, code, requestId: id, documentationUrl, retryAfterSeconds, ...more } = extensions;
    const { param: _param, allowed: _allowed, cost, accessRequestId: _request, ...others } = more;
    assert.deepEqual([rest, others], [{}, {}]);
    assert.ok(cost === undefined || code === 'query_too_costly', code);
    assert.equal(type, errorTable[code as RefusalCode]?.[1], code);
    const waits = ['rate_limit_exceeded', 'service_unavailable'].includes(code);
    assert.equal(Number.isInteger(retryAfterSeconds), waits, code);
    assert.equal(id, requestId);
    assert.equal(documentationUrl, `${publishedUrl}/docs/errors#${code}`);
    checkMessage(message, code);
  }
}
