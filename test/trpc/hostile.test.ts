import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { CallOptions } from '../support/http-client.ts';
import { propertyRuns } from '../support/property-runs.ts';
import { outcomesOf, serveTrpc } from './support.ts';

const atOnce = 20;
const rounds = propertyRuns(200);
const mark = 'hostilemark';

const { service, client } = await serveTrpc({
  environment: { RATE_LIMIT_POINTS: '1000000' },
});

interface HostileRequest {
  readonly method: string;
  readonly path: string;
  readonly ask: CallOptions;
}

const name = fc.constantFrom(
  'companies.list',
  'companies.get',
  'metrics.latest',
  'metrics.byKey',
  'metrics.history',
  'sources.list',
  'accounts.list',
  ...Array<string>(4).fill('accessRequests.create'),
  'accessRequests.list',
  'accessRequests.get',
  'accessRequests.amend',
  'accessRequests.withdraw',
  'accessRequests.history',
  '__proto__',
  'constructor.prototype',
  '',
  '%00',
  '%zz',
  '%C3%28',
  '..',
  mark,
);

function hostileRequest(keys: readonly string[], companyIds: readonly string[]) {
  const text = fc.oneof(
    fc.constantFrom(...companyIds, '', '__proto__', 'metrics:read', 'pending', 'cash_balance'),
    fc.string({ unit: 'binary', maxLength: 20 }),
    fc.constantFrom('\u0000', '\ud800', '‮', mark.repeat(200), '2026-02-30', '9'.repeat(400)),
  );
  const value = fc.oneof(
    { weight: 4, arbitrary: text },
    fc.constantFrom(null, true, 0, -0, 1e308, -1, [], {}, [[]], { toString: 1 }),
    fc.array(text, { maxLength: 5 }),
    fc.jsonValue(),
  );
  const fields = fc.constantFrom(
    'companyId',
    'scopes',
    'purpose',
    'idempotencyKey',
    'key',
    'keys',
    'from',
    'to',
    'id',
    'status',
    'access',
    '__proto__',
    'constructor',
    'toJSON',
    '0',
    '1',
    'length',
  );
  // Written as text, so that __proto__ is a name in it.
  const object = fc.array(fc.tuple(fields, value), { maxLength: 6 }).map((entries) => {
    const written = entries.map(([field, item]) => `"${field}":${JSON.stringify(item)}`);
    return `{${written.join()}}`;
  });
  const plausible = fc
    .record(
      {
        companyId: fc.constantFrom(...companyIds),
        key: fc.constant('cash_balance'),
        scopes: fc.constantFrom(['metrics:read'], [], ['reports:read'], ['nonsense']),
        id: fc.constant('ar_1'),
      },
      { requiredKeys: [] },
    )
    .map((input) => JSON.stringify(input));
  const single = fc.oneof(
    object,
    { weight: 3, arbitrary: plausible },
    value.map((item) => JSON.stringify(item)),
  );
  const json = fc.oneof(
    { weight: 3, arbitrary: single },
    { weight: 3, arbitrary: fc.array(single, { maxLength: 4 }).map(byIndex) },
    fc.array(single, { maxLength: 4 }).map((items) => `[${items.join()}]`),
    fc.constantFrom('', '{', 'undefined', 'NaN', '\ufeff{}', '{"0":', `${'['.repeat(30_000)}`),
    fc.constantFrom(`"${'x'.repeat(65_600)}"`, '{"__proto__":{"polluted":true}}'),
  );
  const method = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom('GET', 'POST') },
    fc.constantFrom('HEAD', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'QUERY'),
  );
  const names = fc.oneof(
    { weight: 5, arbitrary: fc.array(name, { minLength: 1, maxLength: 5 }) },
    fc.tuple(name, fc.integer({ min: 10, max: 40 })).map(([one, count]) => Array(count).fill(one)),
  );
  const type = fc.oneof(
    { weight: 6, arbitrary: fc.constant('application/json') },
    fc.constantFrom('application/json; charset=utf-8', 'APPLICATION/JSON', 'text/plain', ''),
    fc.constantFrom('multipart/form-data', 'application/octet-stream', 'application/json, text/x'),
  );
  return fc
    .record({
      method,
      names,
      comma: fc.constantFrom(',', ',', '%2C', '%252C'),
      batch: fc.constantFrom('', 'batch=1', 'batch=1', 'batch=1&batch=1', 'batch[]=1', 'batch=2'),
      json,
      type,
      inUrl: fc.boolean(),
      key: fc.constantFrom(...keys),
      more: fc.constantFrom<Record<string, string>>(
        {},
        {},
        {},
        { 'trpc-accept': 'application/jsonl' },
        { 'x-trpc-source': mark },
        { accept: 'text/event-stream' },
      ),
    })
    .map(
      ({ names: all, comma, batch, json: raw, type: contentType, inUrl, key, more, ...rest }) => {
        // Longer headers are refused before tRPC sees the request.
        const input = inUrl ? `input=${encodeURIComponent(raw.slice(0, 2000).toWellFormed())}` : '';
        const query = [batch, input].filter((part) => part !== '').join('&');
        const hasBody = rest.method !== 'GET' && rest.method !== 'HEAD';
        return {
          method: rest.method,
          path: `/trpc/${all.join(comma)}${query === '' ? '' : `?${query}`}`,
          ask: {
            key,
            headers: { ...(contentType !== '' && { 'content-type': contentType }), ...more },
            ...(hasBody && { raw }),
          },
        } satisfies HostileRequest;
      },
    );
}

function byIndex(items: readonly string[]): string {
  return `{${items.map((item, index) => `"${index}":${item}`).join()}}`;
}

it('each of thousands of hostile requests gets an answer in the form of tRPC, and none gets a 500', async () => {
  const { fixtures } = service;
  const readable = await fixtures.readablePortfolio();
  const stranger = await fixtures.portfolio({ environment: 'test' });
  const limited = await fixtures.key(readable.investor, { rateLimit: 30 });
  const keys = [readable.key, readable.key, stranger.key, limited.key, 'nonsense'];
  const companyIds = [readable.company.id, stranger.company.id, 'co_none'];
  const seen = new Map<string, number>();

  const send = async ({ method, path, ask }: HostileRequest): Promise<void> => {
    const answer = await client.send(method, path, ask);
    const codes = method === 'HEAD' ? [] : outcomesOf(answer);
    for (const met of [String(answer.status), ...codes]) seen.set(met, (seen.get(met) ?? 0) + 1);
    expect(codes, `${method} ${path}`).not.toContain('internal_error');
    // IDs and keys may be part of returned data. A refused value is never repeated.
    if (answer.status >= 400) expect(answer.text).not.toContain(mark);
  };
  await fc.assert(
    fc.asyncProperty(
      fc.array(hostileRequest(keys, companyIds), { minLength: atOnce, maxLength: atOnce }),
      async (requests) => {
        await Promise.all(requests.map(send));
      },
    ),
    { numRuns: rounds, seed: 20_260_630, endOnFailure: true },
  );

  // Checks that the requests reach deep enough to be useful.
  for (const met of [
    ...['200', '207', '400', '401', '404', '405', '413', '415', '422', '429'],
    ...['ok', 'malformed_json', 'invalid_parameter', 'missing_company_id', 'missing_scopes'],
    ...['invalid_scope', 'company_not_found', 'access_required', 'batch_too_large'],
    ...['route_not_found', 'method_not_allowed', 'unsupported_media_type', 'payload_too_large'],
  ])
    expect(seen.get(met) ?? 0, met).toBeGreaterThan(0);
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();

  const log = service.log.join('');
  expect(log).not.toContain('unforeseen');
  expect(log).not.toContain('polluted');
  expect(log).not.toMatch(/svc_sk_(live|test)_[0-9A-Za-z]/);
}, 300_000);
