import { expect, it } from 'vitest';
import { conformance, operationsOf } from '../conformance/conformance.ts';
import { expectOk, expectRefusal } from '../support/expectations.ts';
import type { CallOptions, Json } from '../support/http-client.ts';
import type { TestService } from '../support/service.ts';
import { base, requestsPath } from './company.ts';
import { account, dataPath, metric, requestWithPushKey, source } from './records.ts';

const three = [metric('arr', 1_824_000.5), source(), account()];

/** A key that pushes data of a company, and an investor that may read everything. */
async function aPusher(service: TestService) {
  const made = await requestWithPushKey(service);
  await service.operator.approveAccessRequest({ id: made.requestId });
  const push = (records: readonly unknown[], query = '', ask: CallOptions = {}) =>
    service.call('POST', dataPath + query, { key: made.pushKey, body: { records }, ...ask });
  const read = async (what: string): Promise<Json[]> =>
    (await service.get(`/v1/companies/${made.company.id}/${what}`, made.key)).body.data;
  return { ...made, push, read };
}

const lines = (records: readonly unknown[]): CallOptions => ({
  body: undefined,
  raw: records.map((each) => JSON.stringify(each)).join('\n'),
  headers: { 'content-type': 'application/x-ndjson' },
});

conformance('a push of data', (service) => {
  it('makes the data readable for an investor at once, signed and with every digit', async () => {
    const { push, read, company } = await aPusher(service);
    const answer = await push([
      metric('arr', JSON.rawJSON('1824000.123456789012')),
      ...three.slice(1),
    ]);
    expectOk(answer);
    expect(answer.body).toEqual({
      object: 'data_push',
      created: 3,
      revised: 0,
      unchanged: 0,
      data_version: expect.stringMatching(/^[1-9]\d*$/),
    });
    expect(await read('metrics')).toMatchObject([
      {
        company_id: company.id,
        key: 'arr',
        raw_value_text: '1824000.123456789012',
        verification: { verified: true, signed: true, signature: expect.any(String) },
      },
    ]);
    expect(await read('sources')).toMatchObject([{ provider: 'QuickBooks', status: 'connected' }]);
    expect(await read('accounts')).toMatchObject([{ name: 'Main', raw_balance_text: '10.25' }]);
  });

  it('can be sent as text with one record per line', async () => {
    const { push, read } = await aPusher(service);
    const answer = await push([], '', { ...lines(three), raw: `\n${lines(three).raw}\r\n\n` });
    expect(answer.body).toMatchObject({ created: 3 });
    expect(await read('metrics')).toHaveLength(1);
  });

  it('reports each invalid record in JSON or in text lines, and stores nothing', async () => {
    const { push, read, company } = await aPusher(service);
    const records = [
      metric('arr', 1),
      metric('M R R', 'many'),
      { type: 'company', id: company.id, name: 'Mine', environment: 'live' },
      metric('nrr', 1, { company_id: 'co_other' }),
      'nonsense',
      {},
      source(),
    ];
    const answer = await push(records);
    expectRefusal(answer, 'invalid_records');
    expect(answer.body.error).toMatchObject({
      type: 'invalid_request_error',
      bad_records: 5,
      details: [
        { record: 1, param: 'key', message: 'is not a metric key' },
        { record: 1, param: 'raw_value', message: 'is not a number' },
        { record: 2, param: 'type', message: 'is not one of metric, source, account, void' },
        {
          record: 3,
          param: 'company_id',
          message: `must be ${company.id}, or be left out`,
        },
        { record: 4, param: null, message: 'is not an object' },
        { record: 5, param: 'type', message: 'is missing' },
      ],
    });
    const again = await push([], '', lines(records));
    expect(again.body.error.details).toEqual(answer.body.error.details);
    const broken = await push([], '', {
      ...lines([]),
      raw: `${JSON.stringify(source())}\n{"type":`,
    });
    expect(broken.body.error.details).toEqual([
      { record: 1, param: null, message: 'is not valid JSON' },
    ]);
    expect(await read('metrics')).toEqual([]);
    expect(await read('sources')).toEqual([]);
  });

  it('returns the same result in a dry run, but stores nothing', async () => {
    const { push, read } = await aPusher(service);
    const dry = await push(three, '?dry_run=true');
    expectOk(dry);
    expect(dry.body).toMatchObject({ object: 'data_push', created: 3, revised: 0, unchanged: 0 });
    expect(await read('metrics')).toEqual([]);
    expectRefusal(await push([{ type: 'metric' }], '?dry_run=true'), 'invalid_records');
    expect((await push(three, '?dry_run=false')).body).toMatchObject({ created: 3 });
    expectRefusal(await push(three, '?dry_run=yes'), 'invalid_parameter');
  });

  it('runs only once if it is repeated with the same idempotency key', async () => {
    const { push } = await aPusher(service);
    const keyed: CallOptions = { headers: { 'idempotency-key': 'night of 1 November' } };
    const first = await push(three, '', keyed);
    expect(first.headers).not.toHaveProperty('idempotent-replayed');
    const again = await push(three, '', keyed);
    expect(again.body).toEqual(first.body);
    expect(again.headers['idempotent-replayed']).toBe('true');
    expectRefusal(await push([metric('arr', 3)], '', keyed), 'idempotency_key_reused');
    const long: CallOptions = { headers: { 'idempotency-key': 'k'.repeat(256) } };
    expectRefusal(await push(three, '', long), 'invalid_parameter');
  });

  it('is refused if it has no record, more than 1,000 records or more than 1 MiB', async () => {
    const { push, pushKey } = await aPusher(service);
    expectRefusal(await push([]), 'invalid_parameter');
    const many = Array.from({ length: 1_001 }, (_, index) => metric(`m${index}`, index));
    expectRefusal(await push(many), 'invalid_parameter');
    expectRefusal(await push([], '', lines(many)), 'invalid_parameter');
    expectOk(await push(many.slice(0, 1_000)));
    expectRefusal(
      await push([metric('arr', 1, { label: 'x'.repeat(1024 * 1024) })]),
      'payload_too_large',
    );
    for (const body of [{ records: {} }, {}, [], { records: [], more: 1 }]) {
      expectRefusal(
        await service.call('POST', dataPath, { key: pushKey, body }),
        'invalid_parameter',
      );
    }
    const asText = { ...lines(three), headers: { 'content-type': 'text/csv' } };
    expectRefusal(await push([], '', asText), 'unsupported_media_type');
    const elsewhere = { key: pushKey, ...lines(three) };
    expectRefusal(
      await service.call('POST', `${base}/webhook-endpoints`, elsewhere),
      'unsupported_media_type',
    );
  });

  it('is refused if it has over 50,000 JSON elements, and isn’t parsed if the key may not push', async () => {
    const { push, companyKey } = await aPusher(service);
    const more = (count: number) => push([metric('arr', 1, { more: Array(count).fill(1) })]);
    expectOk(await more(49_900));
    expectRefusal(await more(50_001), 'payload_too_large');
    const body = { records: [metric('arr', 1, { more: Array(50_001).fill(1) })] };
    expectRefusal(
      await service.call('POST', dataPath, { key: companyKey, body }),
      'insufficient_scope',
    );
  });

  it('has a separate rate limit, so other calls of the company keep their points', async () => {
    const { push, companyKey } = await aPusher(service);
    const left = async () =>
      Number((await service.get(requestsPath, companyKey)).headers['ratelimit-remaining']);
    const before = await left();
    expectOk(await push(three));
    expect(await left()).toBe(before - 1);
  });

  it('costs one point per hundred records, rounded up', async () => {
    const { push } = await aPusher(service);
    const left = async (count: number) => {
      const records = Array.from({ length: count }, (_, index) => metric(`m${index}`, index));
      return Number((await push(records)).headers['ratelimit-remaining']);
    };
    const before = await left(100);
    expect(await left(101)).toBe(before - 2);
    expect(await left(1)).toBe(before - 3);
  });
});

conformance('a key that only pushes data', (service) => {
  it('is refused for every read and every decision', async () => {
    const { pushKey, requestId } = await aPusher(service);
    const reads = operationsOf(service.companyDocument).filter(({ method }) => method === 'GET');
    expect(reads.length).toBeGreaterThan(10);
    for (const { path } of reads) {
      expectRefusal(await service.get(path, pushKey), 'insufficient_scope');
    }
    for (const action of ['approve', 'decline', 'revoke']) {
      const path = `${requestsPath}/${requestId}/${action}`;
      expectRefusal(await service.post(path, pushKey, {}), 'insufficient_scope');
    }
  });
});

conformance('a company that reads its own data', (service) => {
  it('gets the same data as an investor with a grant, but its reads leave no access record', async () => {
    const made = await service.fixtures.readablePortfolio();
    const { secret } = await service.operator.createCompanyKey({ companyId: made.company.id });
    for (const what of ['metrics', 'metrics/cash_balance/history', 'sources', 'accounts']) {
      const own = await service.get(`${base}/${what}`, secret);
      expectOk(own);
      const seen = await service.get(`/v1/companies/${made.company.id}/${what}`, made.key);
      expect(own.body).toEqual({ ...seen.body, url: `${base}/${what}` });
      expect(own.headers.etag).toEqual(expect.any(String));
      const unchanged = await service.call('GET', `${base}/${what}`, {
        key: secret,
        headers: { 'if-none-match': String(own.headers.etag) },
      });
      expect(unchanged.status).toBe(304);
    }
    const { data } = (await service.get(`${base}/access-records`, secret)).body;
    expect(data).toHaveLength(4);
    const { body } = await service.get(`${base}/metrics?keys=headcount`, secret);
    expect(body.data.map(({ key }: Json) => key)).toEqual(['headcount']);
    const history = `${base}/metrics/cash_balance/history`;
    const part = await service.get(`${history}?from=2026-09-01&to=2026-09-30`, secret);
    expect(part.body.data).toHaveLength(1);
  });
});
