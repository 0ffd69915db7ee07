import { describe, expect, it } from 'vitest';
import { writeNodeId } from '../../graphql-adapter/node-ids.ts';
import type { Json } from '../support/http-client.ts';
import { publicUrl } from '../support/service.ts';
import { callOf } from './drivers/mcp.ts';
import { dataOf, expectRefused } from './outcomes.ts';
import type { Parts } from './parity.ts';
import { limited } from './scenarios/terms.ts';

const repeat = (count: number, text: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => text(index)).join(' ');

const schemaOf = '{ __schema { queryType { name } } }';

/** Documents that exceed a default limit, each with its error code. */
const tooMuch = [
  ['invalid_query', '{ nothing }'],
  ['invalid_query', '{'],
  ['query_too_long', `{ ${repeat(2001, () => '__typename')} }`],
  [
    'query_too_deep',
    `{ accessRequests ${'{ company { access { request '.repeat(4)} { id }${' } } }'.repeat(4)} }`,
  ],
  ['query_too_many_aliases', `{ ${repeat(51, (index) => `a${index}: __typename`)} }`],
  [
    'query_too_costly',
    '{ accessRequests { nodes { company { metrics { ... on CompanyMetrics { metrics { history { source { system } period value rawValue } } } } } } } }',
  ],
  ['introspection_disabled', schemaOf],
] as const;

/** Tests error codes in a protocol that has them, and the shared rate limit. */
export function describeOwnCodes(given: () => Parts): void {
  describe('codes that only some protocols have', () => {
    it.each(tooMuch)('GraphQL returns %s for the document %s', async (code, query) => {
      const { service, drivers } = given();
      const { key } = await service.fixtures.portfolio();
      expectRefused(await drivers.graphql.ask(key, query), code);
      expectRefused(await drivers.graphql.ask(null, query), 'missing_api_key');
    });

    it('GraphQL returns persisted_query_not_found or persisted_query_mismatch for a wrong hash', async () => {
      const { service, drivers } = given();
      const { key } = await service.fixtures.portfolio();
      const [query, unknown] = ['{ viewer { scopes } }', '0'.repeat(64)];
      expectRefused(await drivers.graphql.askPersisted(key, unknown), 'persisted_query_not_found');
      const other = await drivers.graphql.askPersisted(key, unknown, query);
      expectRefused(other, 'persisted_query_mismatch');
      expectRefused(await drivers.graphql.askPersisted(null, unknown), 'missing_api_key');
    });

    it('GraphQL lets a key of the test environment read the schema', async () => {
      const { service, drivers } = given();
      const { key } = await service.fixtures.portfolio({ environment: 'test' });
      const data = dataOf(await drivers.graphql.ask(key, schemaOf));
      expect(data).toEqual({ __schema: { queryType: { name: 'Query' } } });
    });
  });

  describe('the rate limit of a key', () => {
    it('counts the calls in all protocols together', async () => {
      const { service, drivers } = given();
      const all = [drivers.rest, drivers.graphql, drivers.trpc, drivers.mcp];
      const { key } = await service.fixtures.portfolio({ rateLimit: all.length });
      for (const driver of all) dataOf(await driver.listCompanies(key));
      for (const driver of all)
        expectRefused(await driver.listCompanies(key), 'rate_limit_exceeded');
    });

    it('GraphQL returns batch_too_large for more than ten operations', async () => {
      const { service, drivers } = given();
      const { key } = await service.fixtures.portfolio();
      const queries = Array.from({ length: 11 }, () => '{ viewer { scopes } }');
      expectRefused(await drivers.graphql.askMany(key, queries), 'batch_too_large');
      expect(dataOf(await drivers.graphql.askMany(key, queries.slice(1)))).toHaveLength(10);
    });

    it('tRPC returns batch_too_large for more than twenty calls', async () => {
      const { service, drivers } = given();
      const { key } = await service.fixtures.portfolio();
      const calls = Array.from({ length: 21 }, () => ({ path: 'companies.list' }));
      for (const outcome of await drivers.trpc.batch(key, calls)) {
        expectRefused(outcome, 'batch_too_large');
      }
      for (const outcome of await drivers.trpc.batch(key, calls.slice(1))) dataOf(outcome);
    });

    it('MCP returns batch_too_large for two messages at once, and executes neither', async () => {
      const { service, drivers } = given();
      const { key, company } = await service.fixtures.portfolio();
      const input = { companyId: company.id, scopes: ['metrics:read'] };
      const messages = [callOf('request_access', input), callOf('list_companies')];
      expectRefused(await drivers.mcp.post(key, messages), 'batch_too_large');
      expect(dataOf(await drivers.mcp.listAccessRequests(key))).toEqual([]);
    });

    it('MCP returns origin_not_allowed for a page of another origin, even with a valid key', async () => {
      const { service, drivers } = given();
      const { key } = await service.fixtures.portfolio();
      const message = callOf('list_companies');
      for (const origin of ['https://evil.example', 'null', 'http://access.example']) {
        expectRefused(await drivers.mcp.post(key, message, { origin }), 'origin_not_allowed');
        expectRefused(await drivers.mcp.post(null, message, { origin }), 'missing_api_key');
      }
      dataOf(await drivers.mcp.post(key, message, { origin: publicUrl }));
    });

    it('REST returns event_expired after an unknown event or an event of another investor', async () => {
      const { service, drivers } = given();
      const { key, company } = await service.fixtures.portfolio();
      await service.fixtures.request(key, company.id);
      const other = await service.fixtures.portfolio();
      await service.fixtures.request(other.key, other.company.id);
      const [foreign] = (await service.get('/v1/events', other.key)).body.data;
      for (const after of [foreign.id, 'evt_none', 'nonsense']) {
        expectRefused(await drivers.rest.readEvents(key, after), 'event_expired');
      }
      const [own] = (await service.get('/v1/events', key)).body.data;
      expect(dataOf(await drivers.rest.readEvents(key, own.id))).toEqual([]);
    });

    it('REST returns not_implemented for the reports, which are announced for later', async () => {
      const { service, drivers } = given();
      const { key } = await service.fixtures.portfolio();
      expectRefused(await drivers.rest.readReports(key), 'not_implemented');
      const { key: without } = await service.fixtures.portfolio({ scopes: ['companies:read'] });
      expectRefused(await drivers.rest.readReports(without), 'insufficient_scope');
    });
  });

  describe('terms in reads that only some protocols have', () => {
    it('REST applies them to CSV, to histories of several companies and to the tags of cached bodies', async () => {
      const { service } = given();
      const { key, company, allowed, otherKey, all } = await limited(service);
      const path = `/v1/companies/${company.id}/metrics/cash_balance/history`;
      const linesOf = async (as: string) => {
        const headers = { authorization: `Bearer ${as}`, accept: 'text/csv' };
        const text = await (await fetch(service.url + path, { headers })).text();
        return text.trimEnd().split('\r\n').slice(1);
      };
      expect(await linesOf(otherKey)).toHaveLength(all.history.length);
      expect(await linesOf(key)).toHaveLength(allowed.history.length);

      const query = `company_ids=${company.id}&keys=cash_balance,headcount`;
      const { body } = await service.get(`/v1/metric-history?${query}`, key);
      expect(body.data.map(({ key: metric, period }: Json) => [metric, period])).toEqual(
        allowed.history.map(({ key: metric, period }) => [metric, period]),
      );

      const latest = `/v1/companies/${company.id}/metrics`;
      const { etag } = (await service.get(latest, otherKey)).headers;
      const headers = { 'if-none-match': String(etag) };
      expect((await service.call('GET', latest, { key: otherKey, headers })).status).toBe(304);
      expect((await service.call('GET', latest, { key, headers })).status).toBe(200);
    });

    it('GraphQL applies them to several histories, revisions and nodes', async () => {
      const { service, drivers } = given();
      const { key, company, allowed } = await limited(service);
      const keys = ['headcount', 'cash_balance'];
      const histories = await drivers.graphql.readMetricHistories(key, company.id, keys);
      expect(dataOf(histories)).toEqual(allowed.history);
      const revisions = await drivers.graphql.readMetricRevisions(key, company.id, 'cash_balance');
      expect(dataOf(revisions).ofHistory).toHaveLength(allowed.history.length);
      const left = await drivers.graphql.readMetricRevisions(key, company.id, 'headcount');
      expectRefused(left, 'access_required');
      const node = await drivers.graphql.readNode(
        key,
        writeNodeId('metric', company.id, 'headcount'),
      );
      expectRefused(node, 'access_required');
    });
  });
}
