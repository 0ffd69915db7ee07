import fc from 'fast-check';
import { expect, it } from 'vitest';
import { backends } from '../support/backends.ts';
import { closedAfterAll } from '../support/closed.ts';
import type { Json } from '../support/http-client.ts';
import { isFull } from '../support/property-runs.ts';
import { startServiceOn } from '../support/service-on.ts';
import { type HostileRequest, hostileRequest, mark } from './hostile-requests.ts';
import { codesOf, createGraphqlClient } from './support.ts';

const atOnce = 20;
const rounds = isFull ? 255 : 50;

const environment = { RATE_LIMIT_POINTS: '1000000' };
const service = await startServiceOn(backends[0], { environment });
const client = await closedAfterAll(createGraphqlClient(service.url));

it('each of thousands of hostile requests gets a valid answer, and none causes an unforeseen error', async () => {
  const { fixtures } = service;
  const readable = await fixtures.readablePortfolio();
  const newcomer = await fixtures.companyOf(readable.investor);
  const sandbox = await fixtures.portfolio({ environment: 'test' });
  const narrow = await fixtures.key(readable.investor, { scopes: ['metrics:read'] });
  const limited = await fixtures.key(readable.investor, { rateLimit: 50 });
  const keys = [readable.key, readable.key, sandbox.key, narrow.key, limited.key, null, 'nonsense'];
  const ids = [readable.company.id, newcomer.id, sandbox.company.id, 'co_none'];
  const seen = new Map<string | number, number>();
  const count = (what: string | number) => seen.set(what, (seen.get(what) ?? 0) + 1);

  const send = async ({ method, path, ask }: HostileRequest): Promise<void> => {
    const answer = await client.send(method, path, ask);
    count(answer.status);
    for (const body of [answer.body].flat())
      for (const code of codesOf({ ...answer, body })) count(code);
    if (!Array.isArray(answer.body) && answer.body?.data) count('data');
  };
  await fc.assert(
    fc.asyncProperty(
      fc.array(hostileRequest(keys, ids), { minLength: atOnce, maxLength: atOnce }),
      async (requests) => {
        await Promise.all(requests.map(send));
      },
    ),
    { numRuns: rounds, seed: 20_261_121, endOnFailure: true },
  );

  expect([seen.get('internal_error'), seen.get('service_unavailable')]).toEqual([
    undefined,
    undefined,
  ]);
  // Checks that the requests reach deep enough to be useful.
  for (const what of [
    ...[200, 204, 400, 401, 404, 405, 415, 429, 'data'],
    ...['invalid_query', 'invalid_parameter', 'malformed_json', 'query_too_deep'],
    ...['query_too_long', 'batch_too_large', 'company_not_found', 'introspection_disabled'],
    // No invalid_scope: the schema only has scopes that can be granted.
    ...['insufficient_scope', 'missing_scopes', 'missing_company_id'],
  ])
    expect(seen.get(what) ?? 0, `answers with ${what}`).toBeGreaterThan(0);

  const later = await fixtures.readablePortfolio();
  const { body } = await client.ask(
    later.key,
    '{ companies { nodes { metrics { __typename } } } }',
  );
  expect(body.data.companies.nodes).toEqual([{ metrics: { __typename: 'CompanyMetrics' } }]);
  expect(({} as Json).polluted).toBeUndefined();

  const log = service.log.join('');
  expect(service.log.length).toBeGreaterThan(0.98 * rounds * atOnce);
  expect(log).not.toContain('unforeseen');
  expect(log).not.toContain(mark);
  expect(log).not.toMatch(/svc_sk_(live|test)_[0-9A-Za-z]/);
}, 300_000);
