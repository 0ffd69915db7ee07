import { expect, it } from 'vitest';
import { walk } from '../company/company.ts';
import { expectOk, expectRefusal } from '../support/expectations.ts';
import type { Json } from '../support/http-client.ts';
import { conformance } from './conformance.ts';

const path = '/v1/access-records';

conformance('GET /v1/access-records', (service) => {
  const { get, fixtures, operator } = service;

  const records = async (key: string, query = ''): Promise<Json[]> =>
    (await get(path + query, key)).body.data;

  it('returns each field of the record of an allowed read', async () => {
    const { company, key, investor } = await fixtures.readablePortfolio();
    const read = await get(`/v1/companies/${company.id}/metrics/cash_balance/history`, key);
    expectOk(read);
    const { body } = await get(path, (await fixtures.key(investor)).key);
    expect(body).toEqual({
      object: 'list',
      data: [
        {
          id: expect.stringMatching(/^rec_/),
          object: 'access_record',
          occurred_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
          request_id: read.headers['svc-request-id'],
          protocol: 'rest',
          company: { id: company.id, name: company.name },
          key_hint: `svc_sk_live_…${key.slice(-4)}`,
          scope: 'metrics:read',
          resource: 'metric_history',
          metric_key: 'cash_balance',
          grant_id: expect.stringMatching(/^ar_/),
          outcome: 'allowed',
        },
      ],
      has_more: false,
      url: path,
      next_cursor: null,
    });
  });

  it('lists refused reads, and names the company if it is in the portfolio', async () => {
    const { company, key } = await fixtures.portfolio();
    const refused = await get(`/v1/companies/${company.id}/sources`, key);
    expectRefusal(refused, 'access_required');
    await expect
      .poll(() => records(key))
      .toMatchObject([
        {
          request_id: refused.headers['svc-request-id'],
          outcome: 'access_required',
          company: { id: company.id, name: company.name },
          grant_id: null,
        },
      ]);
  });

  it.each([
    ['another investor’s company', (others: string) => others],
    ['a company that does not exist', () => 'co_none'],
    ['an invalid company id', () => 'no-company'],
  ])('doesn’t name %s in the record of a refused read', async (_name, idOf) => {
    const { key, investor } = await fixtures.portfolio();
    const others = await fixtures.readablePortfolio();
    const id = idOf(others.company.id);
    expectRefusal(await get(`/v1/companies/${id}/metrics`, key), 'company_not_found');
    const narrow = await fixtures.key(investor, { scopes: ['companies:read'] });
    expectRefusal(await get(`/v1/companies/${id}/metrics`, narrow.key), 'insufficient_scope');
    await expect.poll(() => records(key)).toHaveLength(2);
    const text = (await get(path, key)).text;
    expect((await records(key)).map(({ company }) => company)).toEqual([null, null]);
    expect(text).not.toContain(id);
    expect(text).not.toContain(others.company.name);
  });

  it('names a company that left the portfolio in records from before, but not in later refusals', async () => {
    const { company, key, investor } = await fixtures.readablePortfolio();
    const shown = { id: company.id, name: company.name };
    expectOk(await get(`/v1/companies/${company.id}/metrics`, key));
    await operator.removeFromPortfolio({ investorId: investor.id, companyId: company.id });
    expectRefusal(await get(`/v1/companies/${company.id}/metrics`, key), 'company_not_found');
    await expect
      .poll(() => records(key))
      .toMatchObject([
        { outcome: 'company_not_found', company: null },
        { outcome: 'allowed', company: shown },
      ]);
  });

  it('filters the records by company and by time, and includes records at both limits', async () => {
    const { company, key, investor } = await fixtures.readablePortfolio();
    const other = await fixtures.companyOf(investor);
    await fixtures.grant({ key, company: other });
    for (const id of [company.id, other.id, company.id]) {
      expectOk(await get(`/v1/companies/${id}/metrics`, key));
    }
    const idsOf = async (query: string) => (await records(key, query)).map(({ id }) => id);
    const all = await records(key);
    expect(all).toHaveLength(3);
    expect(await idsOf(`?company_id=${company.id}`)).toEqual([all[0]?.id, all[2]?.id]);
    expect(await idsOf('?company_id=no-company')).toEqual([]);
    const [newest, , oldest] = all.map(({ occurred_at }) => occurred_at);
    expect(await idsOf(`?since=${newest}`)).toContain(all[0]?.id);
    expect(await idsOf(`?until=${oldest}`)).toContain(all[2]?.id);
    expect(await idsOf('?until=2020-01-01T00:00:00Z')).toEqual([]);
    expect(await idsOf('?since=2036-01-01T00:00:00Z')).toEqual([]);
    await operator.removeFromPortfolio({ investorId: investor.id, companyId: other.id });
    expect(await idsOf(`?company_id=${other.id}`)).toEqual([all[1]?.id]);
  });

  it('can be read page by page without gaps or duplicates while new records are written', async () => {
    const { company, key } = await service.fixtures.readablePortfolio();
    const read = async () =>
      expectOk(await service.get(`/v1/companies/${company.id}/metrics`, key));
    for (let count = 0; count < 5; count += 1) await read();
    const before = (await records(key)).map(({ id }) => id);
    const walked = await walk(service, `${path}?limit=2`, key, read);
    expect(walked.map(({ id }) => id)).toEqual(before);
  });

  it.each(['limit=0', 'limit=201', 'cursor=x', 'since=yesterday', 'until=1', 'company=co_none'])(
    'refuses the query ?%s, and the error names the parameter',
    async (query) => {
      const { key } = await fixtures.portfolio();
      const answer = await get(`${path}?${query}`, key);
      expectRefusal(answer, 'invalid_parameter');
      expect(answer.body.error.param).toBe(query.split('=')[0]);
    },
  );
});
