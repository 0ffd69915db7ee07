import { describe, expect, it } from 'vitest';
import { closedAfterAll } from '../support/closed.ts';
import { errorTable } from '../support/contract.ts';
import type { Answer, Json } from '../support/http-client.ts';
import { exchangeBytes, parseResponses } from '../support/raw-http.ts';
import { startService } from '../support/service.ts';

const service = await closedAfterAll(startService({ storage: { memory: true } }));
const made = await service.fixtures.readablePortfolio({ rateLimit: 100_000 });
const key = made.key;
const companyId = made.company.id;

async function send(head: readonly string[], body = ''): Promise<Answer> {
  const bytes = await exchangeBytes(
    service.url,
    `${[...head, 'Connection: close'].join('\r\n')}\r\n\r\n${body}`,
  );
  const [answer, ...more] = parseResponses(bytes);
  expect(more).toEqual([]);
  return answer as Answer;
}

/** Returns the error code in the format of each protocol. */
const codeIn: Readonly<Record<string, (body: Json) => unknown>> = {
  REST: (body) => body.error.code,
  GraphQL: (body) => body.errors[0].extensions.code,
  tRPC: (body) => body.error.data.code,
};
const codeOf = (protocol: string, { body }: Answer) => codeIn[protocol]?.(body);

const places = [
  ['REST', '/v1/companies'],
  ['REST', '/v1/openapi.json'],
  ['REST', '/v1/nothing'],
  ['REST', '/company/v1/openapi.json'],
  ['REST', '/healthz'],
  ['REST', '/docs/'],
  ['REST', '/docs/errors'],
  ['REST', '/nothing'],
  ['GraphQL', '/graphql?query={__typename}'],
  ['tRPC', '/trpc/companies.list'],
] as const;

describe.each(places)('%s at %s', (protocol, path) => {
  const authorization = () => `Authorization: Bearer ${key}`;

  async function expectInvalid(...head: string[]): Promise<void> {
    const answer = await send(head);
    expect([answer.status, codeOf(protocol, answer)], head.join()).toEqual([
      400,
      'invalid_parameter',
    ]);
    for (const name of ['svc-request-id', 'ratelimit-limit', 'ratelimit-remaining'])
      expect(answer.headers[name], name).toBeDefined();
    if (protocol === 'REST') service.check(answer);
  }

  it('refuses a request without a host, or with more than one', async () => {
    const line = `GET ${path} HTTP/1.1`;
    await expectInvalid(line, authorization());
    await expectInvalid(line, 'Host: a', 'Host: b', authorization());
    await expectInvalid(line, 'Host: a', 'hOST: a', authorization());
    await expectInvalid(`GET ${path} HTTP/1.0`, 'Host: a', 'Host: b', authorization());
    await expectInvalid(`GET http://a${path} HTTP/1.1`, authorization());
  });

  it.each(['a b', '][', '@', 'a:b', 'a/b', 'a, b', '[::1', 'é'])(
    'refuses the host “%s”',
    async (host) => {
      await expectInvalid(`GET ${path} HTTP/1.1`, `Host: ${host}`, authorization());
    },
  );

  it('refuses more than one Authorization header, even if one is valid', async () => {
    const line = `GET ${path} HTTP/1.1`;
    const wrong = `authorization: Bearer svc_sk_live_${'0'.repeat(32)}`;
    await expectInvalid(line, 'Host: a', authorization(), wrong);
    await expectInvalid(line, 'Host: a', wrong, authorization());
    await expectInvalid(line, 'Host: a', authorization(), authorization());
  });

  it.each([
    ['HTTP/1.1', 'Host:'],
    ['HTTP/1.1', 'Host: a'],
    ['HTTP/1.1', 'Host: a_b.example:443'],
    ['HTTP/1.1', 'Host: [::1]:3000'],
    ['HTTP/1.0', 'X: no host at all'],
  ])('reads a request of %s with %s', async (version, header) => {
    const answer = await send([`GET ${path} ${version}`, header, authorization()]);
    expect([200, 404]).toContain(answer.status);
  });
});

it('OPTIONS * with two Host headers is refused because of these headers', async () => {
  const answer = await send(['OPTIONS * HTTP/1.1', 'Host: a', 'Host: b']);
  service.check(answer);
  expect(codeOf('REST', answer)).toBe('invalid_parameter');
});

const bodies = [
  ['REST', '/v1/access-requests', () => ({ company_id: companyId, scopes: ['metrics:read'] })],
  ['GraphQL', '/graphql', () => ({ query: '{ __typename }' })],
  [
    'tRPC',
    '/trpc/accessRequests.create',
    () => ({ companyId, scopes: ['metrics:read'], purpose: 'Quarterly review' }),
  ],
] as const;

describe.each(bodies)('a body in %s', (protocol, path, body) => {
  const post = (...headers: string[]) => {
    const json = JSON.stringify(body());
    const head = ['Host: a', `Authorization: Bearer ${key}`, `Content-Length: ${json.length}`];
    return send([`POST ${path} HTTP/1.1`, ...head, ...headers], json);
  };
  const json = 'Content-Type: application/json';

  it.each([
    [json, 'Content-Encoding: gzip'],
    [json, 'Content-Encoding: br'],
    [json, 'Content-Encoding: x-unheard-of'],
    [json, 'Content-Encoding: identity, gzip'],
    [json, 'Content-Encoding: identity', 'Content-Encoding: gzip'],
    [`${json}; charset=utf-16`],
    [`${json};charset="UTF-16LE"`],
    [`${json}; charset=iso-8859-1`],
    [`${json}; a=b; CharSet=us-ascii`],
  ])('is refused with the headers %s, %s, %s', async (...headers) => {
    const answer = await post(...headers);
    expect([answer.status, codeOf(protocol, answer)]).toEqual([415, 'unsupported_media_type']);
    if (protocol === 'REST') service.check(answer);
  });

  it.each([
    [json],
    [json, 'Content-Encoding: identity'],
    [json, 'Content-Encoding: Identity, identity'],
    [`${json}; charset=utf-8`],
    [`${json}; charset="UTF-8"`],
    [`${json}; charset=utf8`],
  ])('is accepted with the headers %s, %s', async (...headers) => {
    expect((await post(...headers)).status).toBe(200);
  });

  it('is checked only after the key', async () => {
    const head = ['Host: a', json, 'Content-Encoding: gzip', 'Content-Length: 2'];
    const answer = await send([`POST ${path} HTTP/1.1`, ...head], '{}');
    expect([answer.status, codeOf(protocol, answer)]).toEqual([
      errorTable.missing_api_key[0],
      'missing_api_key',
    ]);
  });
});

it('a method that is not allowed is reported before an invalid body', async () => {
  const head = ['Host: a', `Authorization: Bearer ${key}`, 'Content-Encoding: gzip'];
  const answer = await send(['PUT /v1/companies HTTP/1.1', ...head, 'Content-Length: 2'], '{}');
  expect(codeOf('REST', answer)).toBe('method_not_allowed');
});

it('an invalid body is ignored if the request needs no body', async () => {
  const head = ['Host: a', `Authorization: Bearer ${key}`, 'Content-Encoding: gzip'];
  const answer = await send(['GET /v1/companies HTTP/1.1', ...head, 'Content-Length: 2'], '{}');
  expect(answer.status).toBe(200);
});
