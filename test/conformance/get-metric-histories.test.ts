import { expect, it } from 'vitest';
import { expectOk, expectRefusal } from '../support/expectations.ts';
import { importLines, sampleData } from '../support/fixtures.ts';
import type { Json } from '../support/http-client.ts';
import { conformance } from './conformance.ts';

const path = '/v1/metric-history';
const bothKeys = 'cash_balance,headcount';

conformance('GET /v1/metric-history', (service) => {
  const { fixtures, operator } = service;

  /** A company grants access if `grants` returns true for its index. */
  async function companies(count: number, grants: (index: number) => boolean = () => true) {
    const investor = await fixtures.investor();
    const { key, keyId } = await fixtures.key(investor);
    const ids: string[] = [];
    for (let index = 0; index < count; index += 1) {
      const company = await fixtures.companyOf(investor);
      await importLines(operator, sampleData(company.id));
      if (grants(index)) await fixtures.grant({ key, company });
      ids.push(company.id);
    }
    const read = (companyIds: readonly string[], query = `keys=${bothKeys}`) =>
      service.get(`${path}?company_ids=${companyIds.join()}&${query}`, key);
    const recordsOf = async (companyId: string) =>
      (await operator.listCompanyAccessRecords({ companyId, limit: 100 })).records;
    return { investor, key, keyId, ids, read, recordsOf };
  }

  it('returns companies and metrics in the requested order, and each metric’s values oldest first', async () => {
    const { ids, key, read } = await companies(2);
    const answer = await read(ids.toReversed(), 'keys=headcount,cash_balance');
    expectOk(answer);
    const expected: Json[] = [];
    for (const id of ids.toReversed()) {
      for (const name of ['headcount', 'cash_balance']) {
        const { body } = await service.get(`/v1/companies/${id}/metrics/${name}/history`, key);
        expected.push(...body.data);
      }
    }
    expect(expected).toHaveLength(8);
    expect(answer.body).toEqual({
      object: 'list',
      data: expected,
      has_more: false,
      url: path,
      next_cursor: null,
      refusals: [],
    });
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  });

  it('limits all histories to the given periods', async () => {
    const { ids, read } = await companies(2);
    const { body } = await read(ids, `keys=${bothKeys}&from=2026-09-01&to=2026-09-30`);
    expect(body.data.map(({ company_id, period }: Json) => [company_id, period])).toEqual(
      ids.map((id) => [id, '2026-09-30']),
    );
  });

  it('returns an error for each company without access, and the values of the other companies', async () => {
    const { ids, key, read, investor } = await companies(3, (index) => index === 1);
    const pending = await fixtures.companyOf(investor);
    await fixtures.request(key, pending.id, ['metrics:read']);
    const revoked = await fixtures.companyOf(investor);
    const { id } = await fixtures.grant({ key, company: revoked });
    await operator.revokeAccessRequest({ id });
    const paused = await fixtures.companyOf(investor);
    await operator.pauseAccessRequest({ id: (await fixtures.grant({ key, company: paused })).id });
    const others = await fixtures.readablePortfolio();
    const asked = [
      ...ids,
      pending.id,
      revoked.id,
      paused.id,
      others.company.id,
      'co_none',
      'no-company',
    ];
    const { body } = await read(asked);
    expect(new Set(body.data.map((value: Json) => value.company_id))).toEqual(new Set([ids[1]]));
    expect(body.refusals).toEqual([
      { company_id: ids[0], code: 'access_required' },
      { company_id: ids[2], code: 'access_required' },
      { company_id: pending.id, code: 'access_pending' },
      { company_id: revoked.id, code: 'access_revoked' },
      { company_id: paused.id, code: 'access_paused' },
      { company_id: others.company.id, code: 'company_not_found' },
      { company_id: 'co_none', code: 'company_not_found' },
      { company_id: 'no-company', code: 'company_not_found' },
    ]);
  });

  it('returns an empty list for a metric without data', async () => {
    const { ids, read } = await companies(1);
    expect((await read(ids, 'keys=nothing,No%20Key')).body).toMatchObject({
      data: [],
      refusals: [],
    });
  });

  it('leaves one access record and costs one point per company, allowed or refused', async () => {
    const { ids, key, read, recordsOf } = await companies(3, (index) => index < 2);
    const remaining = async () =>
      Number((await service.get('/v1/api-key', key)).headers['ratelimit-remaining']);
    const before = await remaining();
    const answer = await read([...ids, ...ids]);
    expect(Number(answer.headers['ratelimit-remaining'])).toBe(before - 3);
    expect(await remaining()).toBe(before - 4);
    for (const [index, id] of ids.entries()) {
      await expect
        .poll(() => recordsOf(id))
        .toMatchObject([
          {
            requestId: answer.headers['svc-request-id'],
            resource: 'metric_history',
            metricKey: null,
            outcome: index < 2 ? 'allowed' : 'access_required',
          },
        ]);
    }
  });

  it('is refused before any read if it costs more points than the key has left', async () => {
    const { ids, investor, recordsOf } = await companies(3);
    const { key } = await service.fixtures.key(investor, { rateLimit: 1 });
    const answer = await service.get(`${path}?company_ids=${ids.join()}&keys=${bothKeys}`, key);
    expectRefusal(answer, 'rate_limit_exceeded');
    for (const id of ids) expect(await recordsOf(id)).toEqual([]);
  });

  it('accepts fifty companies and twelve metrics', async () => {
    const { key } = await service.fixtures.portfolio();
    const many = (count: number, prefix: string) =>
      Array.from({ length: count }, (_, index) => `${prefix}${index}`).join();
    const query = `company_ids=${many(50, 'co_')}&keys=${many(12, 'k')}`;
    const { status, body } = await service.get(`${path}?${query}`, key);
    expect([status, body.data, body.refusals.length]).toEqual([200, [], 50]);
  });
});
