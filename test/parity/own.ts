import { describe, expect, it } from 'vitest';
import { publicUrl } from '../support/service.ts';
import { callOf } from './drivers/mcp.ts';
import { dataOf, expectRefused } from './outcomes.ts';
import type { Parts } from './parity.ts';

const repeat = (count: number, text: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => text(index)).join(' ');

const schemaOf = '{ __schema { queryType { name } } }';

/** Above the default limits of the service. */
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

/** Tests of codes that only some protocols have, each in a protocol that has it. */
export function describeOwnCodes(given: () => Parts): void {
  describe('requests that only some protocols have', () => {
    it.each(tooMuch)('%s (GraphQL): %s', async (code, query) => {
      const { service, drivers } = given();
      const { key } = await service.fixtures.portfolio();
      expectRefused(await drivers.graphql.ask(key, query), code);
      expectRefused(await drivers.graphql.ask(null, query), 'missing_api_key');
    });

    it('persisted_query_not_found, persisted_query_mismatch (GraphQL)', async () => {
      const { service, drivers } = given();
      const { key } = await service.fixtures.portfolio();
      const [query, unknown] = ['{ viewer { scopes } }', '0'.repeat(64)];
      expectRefused(await drivers.graphql.askPersisted(key, unknown), 'persisted_query_not_found');
      const other = await drivers.graphql.askPersisted(key, unknown, query);
      expectRefused(other, 'persisted_query_mismatch');
      expectRefused(await drivers.graphql.askPersisted(null, unknown), 'missing_api_key');
    });

    it('a key of the test environment reads the schema (GraphQL)', async () => {
      const { service, drivers } = given();
      const { key } = await service.fixtures.portfolio({ environment: 'test' });
      const data = dataOf(await drivers.graphql.ask(key, schemaOf));
      expect(data).toEqual({ __schema: { queryType: { name: 'Query' } } });
    });

    it('batch_too_large (GraphQL)', async () => {
      const { service, drivers } = given();
      const { key } = await service.fixtures.portfolio();
      const queries = Array.from({ length: 11 }, () => '{ viewer { scopes } }');
      expectRefused(await drivers.graphql.askMany(key, queries), 'batch_too_large');
      expect(dataOf(await drivers.graphql.askMany(key, queries.slice(1)))).toHaveLength(10);
    });

    it('batch_too_large (tRPC)', async () => {
      const { service, drivers } = given();
      const { key } = await service.fixtures.portfolio();
      const calls = Array.from({ length: 21 }, () => ({ path: 'companies.list' }));
      for (const outcome of await drivers.trpc.batch(key, calls)) {
        expectRefused(outcome, 'batch_too_large');
      }
      for (const outcome of await drivers.trpc.batch(key, calls.slice(1))) dataOf(outcome);
    });

    it('batch_too_large (MCP): two messages are refused, and neither is executed', async () => {
      const { service, drivers } = given();
      const { key, company } = await service.fixtures.portfolio();
      const input = { companyId: company.id, scopes: ['metrics:read'] };
      const messages = [callOf('request_access', input), callOf('list_companies')];
      expectRefused(await drivers.mcp.post(key, messages), 'batch_too_large');
      expect(dataOf(await drivers.mcp.listAccessRequests(key))).toEqual([]);
    });

    it('origin_not_allowed (MCP): a page of another origin gets no access, even with a valid key', async () => {
      const { service, drivers } = given();
      const { key } = await service.fixtures.portfolio();
      const message = callOf('list_companies');
      for (const origin of ['https://evil.example', 'null', 'http://access.example']) {
        expectRefused(await drivers.mcp.post(key, message, { origin }), 'origin_not_allowed');
        expectRefused(await drivers.mcp.post(null, message, { origin }), 'missing_api_key');
      }
      dataOf(await drivers.mcp.post(key, message, { origin: publicUrl }));
    });

    it('event_expired (REST)', async () => {
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

    it('not_implemented (REST)', async () => {
      const { service, drivers } = given();
      const { key } = await service.fixtures.portfolio();
      expectRefused(await drivers.rest.readReports(key), 'not_implemented');
      const { key: without } = await service.fixtures.portfolio({ scopes: ['companies:read'] });
      expectRefused(await drivers.rest.readReports(without), 'insufficient_scope');
    });
  });
}
