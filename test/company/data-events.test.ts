import { describe, expect, it } from 'vitest';
import type { GrantableScope } from '#core';
import { conformance } from '../conformance/conformance.ts';
import { openStream } from '../support/event-stream.ts';
import { expectOk, expectRefusal } from '../support/expectations.ts';
import type { Json } from '../support/http-client.ts';
import type { TestService } from '../support/service.ts';
import { base } from './company.ts';
import { account, dataPath, metric, requestWithPushKey, source } from './records.ts';

/** A company that pushes data, and an investor with a grant of these scopes. */
async function aPusher(service: TestService, ...scopes: GrantableScope[]) {
  const made = await requestWithPushKey(service, scopes);
  const id = made.requestId;
  await service.operator.approveAccessRequest({ id });
  const push = async (...records: object[]): Promise<Json> =>
    (await service.call('POST', dataPath, { key: made.pushKey, body: { records } })).body;
  const ofCompany = (query = '') => service.get(`${base}/events${query}`, made.companyKey);
  const ofInvestor = (query = '') => service.get(`/v1/events${query}`, made.key);
  const revoke = () => service.operator.revokeAccessRequest({ id });
  return { ...made, push, ofCompany, ofInvestor, revoke };
}

const ofData = '?types=company_data.updated,source.failed,source.recovered';
const shown = ({ body }: Json) => body.data.map(({ type, data }: Json) => [type, data]);

conformance('events about company data', (service) => {
  it('appear in the company’s feed: one per push, one for failed sources and one for recovered sources', async () => {
    const { push, ofCompany, company } = await aPusher(service, 'metrics:read');
    const { data_version } = await push(metric('arr', 1), source(), account({ raw_balance: 2 }));
    await push(metric('arr', 1));
    const failed = await push(source({ status: 'failed' }));
    const recovered = await push(source());
    const company_id = company.id;
    const updated = (version: string, fields: object) => [
      'company_data.updated',
      {
        company_id,
        metric_keys: [],
        has_sources: true,
        has_accounts: false,
        data_version: version,
        ...fields,
      },
    ];
    const ledger = { provider: 'QuickBooks', account_name: 'Ledger' };
    const ofSource = (type: string, data_version: string) => [
      type,
      { company_id, sources: [ledger], source_count: 1, ...ledger, data_version },
    ];
    const answer = await ofCompany(ofData);
    expectOk(answer);
    expect(shown(answer)).toEqual([
      updated(data_version, { metric_keys: ['arr'], has_accounts: true }),
      updated(failed.data_version, {}),
      ofSource('source.failed', failed.data_version),
      updated(recovered.data_version, {}),
      ofSource('source.recovered', recovered.data_version),
    ]);
  });

  it('show an investor only the data that its grant covers, and nothing after the grant is revoked', async () => {
    const { push, ofInvestor, revoke } = await aPusher(service, 'metrics:read');
    await push(account({ raw_balance: 1 }));
    await push(metric('arr', 1), source({ status: 'failed' }), account({ raw_balance: 2 }));
    const answer = await ofInvestor(ofData);
    expectOk(answer);
    expect(shown(answer)).toMatchObject([
      ['company_data.updated', { metric_keys: ['arr'], has_sources: false, has_accounts: false }],
    ]);
    const [{ id }] = answer.body.data;
    await revoke();
    expect(shown(await ofInvestor(ofData))).toEqual([]);
    const rest = await ofInvestor(`?after=${id}`);
    expect(rest.body.data.map(({ type }: Json) => type)).toEqual(['access_request.revoked']);
  });

  it('can’t be read if the parameter types has an invalid value', async () => {
    const { ofCompany, ofInvestor } = await aPusher(service, 'metrics:read');
    for (const types of ['', 'nonsense', 'company_data.updated,', 'access_request']) {
      for (const read of [ofCompany, ofInvestor]) {
        const answer = await read(`?types=${types}`);
        expectRefusal(answer, 'invalid_parameter');
        expect(answer.body.error.param).toMatch(/^types/);
      }
    }
  });

  describe('as streams', () => {
    it('are sent to the company, and also to the investor if its grant covers the changed data', async () => {
      const { push, key, companyKey, revoke } = await aPusher(service, 'sources:read');
      const streams = await Promise.all([
        openStream(`${service.url}/v1/events${ofData}`, { key }),
        openStream(`${service.url}${base}/events${ofData}`, { key: companyKey }),
      ]);
      await push(metric('arr', 1));
      await push(metric('arr', 2), source({ status: 'failed' }));
      const told = await Promise.all(
        streams.map((stream) => stream.find(({ event }) => event === 'source.failed')),
      );
      expect(told.map(({ data }) => JSON.parse(data).data.provider)).toEqual([
        'QuickBooks',
        'QuickBooks',
      ]);
      const [ofInvestor, ofCompany] = streams.map(({ events }) =>
        events
          .filter(({ event }) => event === 'company_data.updated')
          .map(({ data }) => JSON.parse(data).data.metric_keys),
      );
      expect(ofInvestor).toEqual([[]]);
      expect(ofCompany).toEqual([['arr'], ['arr']]);
      await revoke();
      await push(source());
      await streams[1]?.find(({ event }) => event === 'source.recovered');
      expect(streams[0]?.text()).not.toContain('source.recovered');
      for (const stream of streams) stream.leave();
    });

    it('are sent to GraphQL and tRPC subscriptions, which get no other events', async () => {
      const { push, key, company } = await aPusher(service, 'metrics:read', 'sources:read');
      const query = `subscription { companyDataChanged {
        type companyId metricKeys hasSources hasAccounts source { provider accountName }
        sources { provider accountName } sourceCount dataVersion } }`;
      const [graphql, trpc] = await Promise.all([
        openStream(`${service.url}/graphql`, { method: 'POST', key, body: { query } }),
        openStream(`${service.url}/trpc/companies.onDataChange`, { key }),
      ]);
      await trpc.find(({ event }) => event === 'connected');
      const { data_version: dataVersion } = await push(
        metric('arr', 1),
        source({ status: 'failed' }),
        account({ raw_balance: 3 }),
      );
      const ledger = { provider: 'QuickBooks', accountName: 'Ledger' };
      const expected = [
        { metricKeys: ['arr'], source: null, sources: [], sourceCount: 0 },
        { metricKeys: [], source: ledger, sources: [ledger], sourceCount: 1 },
      ].map((fields) => ({
        companyId: company.id,
        hasSources: true,
        hasAccounts: false,
        dataVersion,
        ...fields,
      }));
      await graphql.find(({ data }) => data.includes('SOURCE_FAILED'));
      await trpc.find(({ data }) => data.includes('source.failed'));
      const [, ...next] = graphql.events.filter(({ event }) => event === 'next');
      expect(next.map(({ data }) => JSON.parse(data).data.companyDataChanged)).toEqual([
        { type: 'COMPANY_DATA_UPDATED', ...expected[0] },
        { type: 'SOURCE_FAILED', ...expected[1] },
      ]);
      const changes = trpc.events.filter(({ data }) => data.includes(company.id));
      expect(changes.map(({ data }) => JSON.parse(data))).toMatchObject([
        { type: 'company_data.updated', ...expected[0] },
        { type: 'source.failed', ...expected[1] },
      ]);
      for (const stream of [graphql, trpc]) stream.leave();
    });
  });
});
