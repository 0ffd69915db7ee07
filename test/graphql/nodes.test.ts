import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type NamedThing, readNodeId, writeNodeId } from '../../graphql-adapter/node-ids.ts';
import { importLines, type Portfolio, sampleData } from '../support/fixtures.ts';
import type { Json } from '../support/http-client.ts';
import { codesOf, serveGraphql } from './support.ts';

const { service, client } = await serveGraphql();

const things = `query ($id: ID!) {
  viewer { investor { id } }
  accessRequests { nodes { id } }
  company(id: $id) {
    id
    metrics { ... on CompanyMetrics { metrics { __typename id } } }
    sources { ... on CompanySources { sources { __typename id } } }
    accounts { ... on CompanyAccounts { accounts { __typename id } } }
  }
}`;

async function idsOf({ key, company }: Portfolio): Promise<[id: string, type: string][]> {
  const {
    viewer,
    accessRequests,
    company: read,
  } = (await client.ask(key, things, { id: company.id })).body.data;
  const { metrics, sources, accounts } = read;
  return [
    [viewer.investor.id, 'Investor'],
    [accessRequests.nodes[0].id, 'AccessRequest'],
    [read.id, 'Company'],
    ...[...metrics.metrics, ...sources.sources, ...accounts.accounts].map(
      ({ __typename, id }: Json): [string, string] => [id, __typename],
    ),
  ];
}

const node = 'query ($id: ID!) { node(id: $id) { __typename id } }';

async function granted(options: { readonly environment?: 'test' } = {}): Promise<Portfolio> {
  const made = await service.fixtures.portfolio(options);
  await importLines(service.operator, sampleData(made.company.id));
  await service.fixtures.grant(made);
  return made;
}

describe('the field node', () => {
  it('finds every object with an ID, and no two objects have the same ID', async () => {
    const [made, other] = [await granted(), await granted()];
    const ids = [...(await idsOf(made)), ...(await idsOf(other))];
    expect(new Set(ids.map(([id]) => id)).size).toBe(2 * (3 + 2 + 2 + 2));
    for (const [id, __typename] of await idsOf(made)) {
      const { body } = await client.ask(made.key, node, { id });
      expect(body).toEqual({ data: { node: { __typename, id } } });
    }
  });

  it('returns null for malformed IDs, unknown IDs, and IDs from other investors or environments', async () => {
    const made = await granted();
    const outside = [
      ...(await idsOf(await granted())),
      ...(await idsOf(await granted({ environment: 'test' }))),
    ];
    const unknown = [
      ...['co_none', 'ar_none', 'inv_none', '', 'nothing', 'co_', 'metric_', 'metric_e30', 'x_W10'],
      writeNodeId('metric', 'co_none', 'cash_balance'),
      writeNodeId('metric', made.company.id, 'no_such_metric'),
      writeNodeId('metric', made.company.id, '½'),
      writeNodeId('source', made.company.id, 'mercury', 'No such account'),
      writeNodeId('account', made.company.id, 'none'),
      writeNodeId('account', '../x', 'none'),
    ];
    for (const id of [...outside.map(([foreign]) => foreign), ...unknown]) {
      expect(JSON.stringify((await client.ask(made.key, node, { id })).body), id).toBe(
        '{"data":{"node":null}}',
      );
    }
  });

  it('returns the reason if the object can’t be read because of a revoked grant or a missing scope', async () => {
    const made = await granted();
    const ids = await idsOf(made);
    const { id } = (await service.get('/v1/access-requests', made.key)).body.data[0];
    await service.operator.revokeAccessRequest({ id });
    const narrow = await service.fixtures.key(made.investor, { scopes: ['reports:read'] });
    const foreign = await granted();
    for (const [own, type] of ids) {
      const answer = await client.ask(made.key, node, { id: own });
      const isGated = ['Metric', 'Source', 'Account'].includes(type);
      expect(codesOf(answer), type).toEqual(isGated ? ['access_revoked'] : []);
      if (isGated) expect(answer.body.data).toEqual({ node: null });
    }
    // A key without the scope gets the same answer for existing and unknown companies.
    for (const [id] of [...ids, ...(await idsOf(foreign))]) {
      const answer = await client.ask(narrow.key, node, { id });
      const isFree = id.startsWith('ar_') || id.startsWith('inv_');
      expect(codesOf(answer), id).toEqual(isFree ? [] : ['insufficient_scope']);
    }
  });

  it('records each read of company data, and charges a point for each read', async () => {
    const made = await granted();
    const ids = (await idsOf(made)).filter(([id]) => /^(metric|source|account)_/.test(id));
    const fresh = await service.fixtures.key(made.investor);
    const query = `{ ${ids.map(([id], index) => `n${index}: node(id: "${id}") { id }`).join(' ')} }`;
    const { headers } = await client.ask(fresh.key, query);
    expect(Number(headers['ratelimit-remaining'])).toBe(6_000 - ids.length);
    const records = `{ accessRecords(first: ${ids.length}) { nodes { resource keyId outcome } } }`;
    const { body } = await client.ask(made.key, records);
    expect(body.data.accessRecords.nodes.map(({ resource }: Json) => resource).toSorted()).toEqual([
      'ACCOUNTS',
      'ACCOUNTS',
      'METRIC',
      'METRIC',
      'SOURCES',
      'SOURCES',
    ]);
    for (const record of body.data.accessRecords.nodes) {
      expect(record).toMatchObject({ keyId: fresh.keyId, outcome: 'ALLOWED' });
    }
  });
});

describe('the ID of a metric', () => {
  it('stays the same if the metric gets a new value or a new period', async () => {
    const made = await granted();
    const read = async () =>
      (await client.ask(made.key, things, { id: made.company.id })).body.data.company.metrics;
    const before = await read();
    const [line] = sampleData(made.company.id);
    await importLines(service.operator, [
      { ...line, raw_value: 7 },
      { ...line, period: '2026-11-30', raw_value: 8 },
    ]);
    expect(await read()).toEqual(before);
  });
});

describe('the ID of an object', () => {
  const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 200 });
  const named: fc.Arbitrary<NamedThing> = fc.oneof(
    fc.tuple(fc.constantFrom('metric' as const, 'account' as const), text, text),
    fc.tuple(fc.constant('source' as const), text, text, text),
  );

  it('leads back to the object that it was written for', () => {
    fc.assert(
      fc.property(named, fc.string(), (thing, more) => {
        const id = writeNodeId(...thing);
        expect(id).toMatch(/^(metric|source|account)_[\w-]+$/);
        fc.pre(id.length <= 4_000);
        expect(readNodeId(id)).toEqual(thing);
        if (more !== '') expect(readNodeId(id + more)).toBeNull();
        expect(readNodeId(`${id}=`)).toBeNull();
      }),
    );
  });

  it('is rejected if the service can’t have written it', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 60 }), (id) => {
        expect(readNodeId(id)).toBeNull();
      }),
    );
    expect(readNodeId(writeNodeId('metric', 'co_1', 'x'.repeat(4_000)))).toBeNull();
  });
});
