import { expect, it } from 'vitest';
import { conformance } from '../conformance/conformance.ts';
import { expectOk, expectRefusal } from '../support/expectations.ts';
import type { Json } from '../support/http-client.ts';
import { base, decide } from './company.ts';

const path = `${base}/access-records`;

conformance('GET /company/v1/access-records', (service) => {
  const { get, fixtures } = service;

  /** Creates a company that has granted its metrics, and a function with which the investor reads them. */
  async function readable() {
    const made = await service.fixtures.asking(['metrics:read']);
    await decide(service, made, 'approve');
    const read = (key = made.key) => service.get(`/v1/companies/${made.company.id}/metrics`, key);
    return { service, ...made, read };
  }

  it('returns each field of the record of an allowed read', async () => {
    const { service, company, companyKey, investor, key, requestId } = await readable();
    const read = await service.get(`/v1/companies/${company.id}/metrics/cash_balance/history`, key);
    const { body } = await service.get(path, companyKey);
    expect(body).toEqual({
      object: 'list',
      data: [
        {
          id: expect.stringMatching(/^rec_/),
          object: 'access_record',
          occurred_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
          request_id: read.headers['svc-request-id'],
          protocol: 'rest',
          investor: { id: investor.id, name: investor.name },
          key_hint: `svc_sk_live_…${key.slice(-4)}`,
          scope: 'metrics:read',
          resource: 'metric_history',
          metric_key: 'cash_balance',
          grant_id: requestId,
          outcome: 'allowed',
        },
      ],
      has_more: false,
      url: path,
      next_cursor: null,
    });
  });

  it('shows refused reads, but no reads of another company', async () => {
    const { service, company, companyKey, key } = await readable();
    const other = await readable();
    await other.read();
    const refused = await service.get(`/v1/companies/${company.id}/sources`, key);
    expectRefusal(refused, 'access_required');
    await expect
      .poll(async () => (await service.get(path, companyKey)).body.data)
      .toMatchObject([
        { outcome: 'access_required', scope: 'sources:read', metric_key: null, grant_id: null },
      ]);
  });

  it('filters the records by investor and by time, and includes records at both limits', async () => {
    const { service, company, companyKey, investor, read } = await readable();
    await read();
    const second = await service.fixtures.investor();
    await service.operator.addToPortfolio({ investorId: second.id, companyId: company.id });
    const { key } = await service.fixtures.key(second);
    const { id } = await service.fixtures.request(key, company.id, ['metrics:read']);
    await decide(service, { requestId: id, companyKey }, 'approve');
    expectOk(await read(key));
    await read();

    const list = async (query: string) =>
      (await service.get(`${path}?${query}`, companyKey)).body.data.map(({ id }: Json) => id);
    const { data } = (await service.get(path, companyKey)).body;
    expect(data).toHaveLength(3);
    const [newest, middle, oldest] = data;
    expect(await list(`investor_id=${second.id}`)).toEqual([middle.id]);
    expect(await list(`investor_id=${investor.id}`)).toEqual([newest.id, oldest.id]);
    expect(await list('investor_id=inv_none')).toEqual([]);
    const within = (since: Json, until: Json) =>
      data
        .filter((record: Json) => record.occurred_at >= since && record.occurred_at <= until)
        .map((record: Json) => record.id);
    for (const [since, until] of [
      [oldest, newest],
      [middle, middle],
      [newest, newest],
      [newest, oldest],
    ].map((ends) => ends.map((record) => record.occurred_at))) {
      expect(await list(`since=${since}&until=${until}`)).toEqual(within(since, until));
    }
    const inOtherOffset = encodeURIComponent(middle.occurred_at.replace('Z', '+00:00'));
    expect(await list(`until=${inOtherOffset}&investor_id=${second.id}`)).toEqual([middle.id]);
  });

  it.each([
    ['since', 'since=yesterday'],
    ['since', 'since='],
    ['since', 'since=2026-01-01'],
    ['since', 'since=2026-01-01T00:00:00'],
    ['until', 'until=2026-13-01T00:00:00Z'],
    ['until', 'until=2026-01-01T00:00:00Z&until=2026-01-01T00:00:00Z'],
    ['limit', 'limit=0'],
    ['limit', 'limit=201'],
    ['limit', 'limit=1e2'],
    ['limit', 'limit='],
    ['cursor', 'cursor=x'],
    ['investor_id', 'investor_id=a&investor_id=b'],
    ['investorId', 'investorId=inv_1'],
    ['key_id', 'key_id=key_1'],
  ])('returns an error that names the parameter %s if the query is ?%s', async (name, query) => {
    const { companyKey } = await fixtures.asking();
    const answer = await get(`${path}?${query}`, companyKey);
    expectRefusal(answer, 'invalid_parameter');
    expect(answer.body.error.message).toContain(`The parameter ${name} `);
  });

  it.each(['%00', 'inv_%F0%9F%92%A9', '__proto__', 'x'.repeat(4000)])(
    'returns no records for the unknown investor %s',
    async (id) => {
      const { companyKey } = await fixtures.asking();
      const answer = await get(`${path}?investor_id=${id}`, companyKey);
      expectOk(answer);
      expect(answer.body.data).toEqual([]);
    },
  );
});
