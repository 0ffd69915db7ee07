import { getIntrospectionQuery } from 'graphql';
import { describe, expect, it } from 'vitest';
import { defaultBounds } from '../../graphql-adapter/settings.ts';
import type { Answer } from '../support/http-client.ts';
import { codesOf, serveGraphql } from './support.ts';

const { service, client } = await serveGraphql();
const { key } = await service.fixtures.portfolio({ environment: 'test', rateLimit: 1_000_000 });

/** All data of every company: the query in the documentation and more fields. */
const dashboard = `{
  viewer { investor { name } environment scopes rateLimit { limit remaining resetSeconds } }
  companies { nodes {
    id name
    access { status approvedScopes expiresAt request { id status purpose createdAt } }
    metrics {
      ... on CompanyMetrics { metrics {
        key label category currency period value rawValue confidence asOf
        source { system method lastSynced } verification { verified signed }
      } }
      ...refusal
    }
    sources { ... on CompanySources { sources { provider status accountName lastSyncedAt } } ...refusal }
    accounts {
      ... on CompanyAccounts { accounts { id provider name type currency balance rawBalance lastFour lastSyncedAt } }
      ...refusal
    }
  } }
  accessRequests { nodes { id status company { name } } }
}
fragment refusal on AccessRefusal { code message documentationUrl }`;

const times = (count: number, text: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => text(index)).join(' ');

function nest(levels: number): string {
  const path = `accessRequests nodes ${times(levels, () => 'company access request')}`.split(' ');
  const taken = path.slice(0, levels - 1);
  return `{ ${taken.map((name) => `${name} { `).join('')} __typename ${'}'.repeat(taken.length)} }`;
}

function expectBeyond(answer: Answer, code: string, limit: number): void {
  expect([answer.status, codesOf(answer)], answer.text.slice(0, 300)).toEqual([400, [code]]);
  expect(answer.body.errors[0].message).toContain(String(limit));
}

describe('the default bounds', () => {
  it('allow a dashboard with all data of every company', async () => {
    expect(codesOf(await client.ask(key, dashboard))).toEqual([]);
  });

  it('allow the introspection query of tools, although it is deeper than other queries may be', async () => {
    const everything = {
      descriptions: true,
      specifiedByUrl: true,
      directiveIsRepeatable: true,
      schemaDescription: true,
      inputValueDeprecation: true,
      oneOf: true,
    };
    const answer = await client.ask(key, getIntrospectionQuery(everything));
    expect(codesOf(answer)).toEqual([]);
    expect(answer.body.data.__schema.types.length).toBeGreaterThan(20);
  });

  it('allow one metric’s history for every company, and all metrics’ histories for one company', async () => {
    const points = '... on Metric { history { period value rawValue } }';
    const one = `{ companies { nodes { metric(key: "cash_balance") { ${points} } } } }`;
    expect(codesOf(await client.ask(key, one))).toEqual([]);
    const all = `{ accessRequest(id: "ar_0") { company { metrics { ... on CompanyMetrics {
      metrics { history { period value rawValue } } } } } } }`;
    expect(codesOf(await client.ask(key, all))).toEqual(['access_request_not_found']);
  });
});

describe('the depth of a query', () => {
  const { maxDepth } = defaultBounds;

  it('is refused above its bound', async () => {
    expect(codesOf(await client.ask(key, nest(maxDepth)))).toEqual([]);
    expectBeyond(await client.ask(key, nest(maxDepth + 1)), 'query_too_deep', maxDepth);
  });

  it('includes the depth of its fragments', async () => {
    const query = `{ accessRequests { nodes { ...a } } }
      fragment a on AccessRequest { company { ...b } }
      fragment b on Company { access { ... on CompanyAccess { request { ...c } } } }
      fragment c on AccessRequest { company { access { request { company { access { request { id } } } } } } }`;
    expectBeyond(await client.ask(key, query), 'query_too_deep', maxDepth);
  });

  it('is limited by the library graphql-js in an introspection query', async () => {
    const types = `{ __schema { types { fields { type { fields { type { fields { name } } } } } } } }`;
    const answer = await client.ask(key, types);
    expect([answer.status, codesOf(answer)]).toEqual([400, ['invalid_query']]);
  });
});

describe('aliases', () => {
  const { maxAliases } = defaultBounds;
  const aliased = (count: number) => `{ viewer { ${times(count, (i) => `a${i}: environment`)} } }`;

  it('are refused above their bound', async () => {
    expect(codesOf(await client.ask(key, aliased(maxAliases)))).toEqual([]);
    const answer = await client.ask(key, aliased(maxAliases + 1));
    expectBeyond(answer, 'query_too_many_aliases', maxAliases);
  });

  it.each([
    ['in a row', (count: number) => `{ ${times(count, () => 'viewer { scopes }')} }`],
    [
      'by fragments',
      (count: number) => `{ ${times(count, (i) => `...f${i}`)} }
      ${times(count, (i) => `fragment f${i} on Query { viewer { scopes } }`)}`,
    ],
    [
      'by nested fragments',
      (count: number) => `{ ...f0 }
      ${times(count, (i) => `fragment f${i} on Query { viewer { scopes } ${i + 1 < count ? `...f${i + 1}` : ''} }`)}`,
    ],
    [
      'one level down',
      (count: number) => `{ ${times(count / 2, () => 'viewer { scopes scopes }')} }`,
    ],
    [
      'in an unused fragment',
      (count: number) => `{ __typename }
      fragment f on Query { ${times(count, () => 'viewer { scopes }')} }`,
    ],
  ])(
    'count for each repeated field as well, because repeated fields are slow to validate: %s',
    async (_name, repeat) => {
      expect(codesOf(await client.ask(key, repeat(maxAliases)))).not.toContain(
        'query_too_many_aliases',
      );
      const answer = await client.ask(key, repeat(maxAliases + 2));
      expectBeyond(answer, 'query_too_many_aliases', maxAliases);
    },
  );

  it('count each time that their fragment is used', async () => {
    const spread = (count: number) =>
      `{ ${times(count, () => '...f')} } fragment f on Query { viewer { a: environment b: scopes } }`;
    expect(codesOf(await client.ask(key, spread(25)))).toEqual([]);
    expectBeyond(await client.ask(key, spread(26)), 'query_too_many_aliases', maxAliases);
  });

  it('also count in introspection queries', async () => {
    const query = `{ __schema { ${times(51, (i) => `a${i}: description`)} } }`;
    expectBeyond(await client.ask(key, query), 'query_too_many_aliases', maxAliases);
  });
});

describe('tokens', () => {
  const { maxTokens } = defaultBounds;
  const words = (count: number) => `{ viewer { ${times(count, () => 'environment')} } }`;

  it('are refused above their bound', async () => {
    // The document has five other tokens: four braces and the field viewer.
    expect(codesOf(await client.ask(key, words(maxTokens - 5)))).not.toContain('query_too_long');
    expectBeyond(await client.ask(key, words(maxTokens - 4)), 'query_too_long', maxTokens);
  });

  it('are limited before the document is parsed', async () => {
    for (const nested of [
      '{a'.repeat(20_000),
      `{ a(b: ${'['.repeat(60_000)}`,
      `{ a(b: ${'{c:'.repeat(20_000)}`,
    ]) {
      const answer = await client.ask(key, nested);
      expect(answer.status).toBe(400);
      // The code depends on the remaining size of the stack.
      expect(['query_too_long', 'query_too_deep']).toContain(codesOf(answer)[0]);
    }
  });

  it('include comments', async () => {
    const query = `${'#\n'.repeat(maxTokens + 1)}{ __typename }`;
    expectBeyond(await client.ask(key, query), 'query_too_long', maxTokens);
    const few = `${'#\n'.repeat(maxTokens)}{ __typename }`;
    expect(codesOf(await client.ask(key, few))).toEqual([]);
  });
});

describe('the cost of a query', () => {
  const { maxCost } = defaultBounds;

  it.each([
    [
      'the history of all metrics of all companies',
      `{ companies { nodes { metrics { ... on CompanyMetrics { metrics { history { period value } } } } } } }`,
    ],
    [
      'five copies of the whole schema',
      `{ ${times(5, (i) => `s${i}: __schema { types { ...FullType } }`)} }
       ${getIntrospectionQuery().replace(/^.*?(?=fragment FullType)/s, '')}`,
    ],
  ])('is too high for %s', async (_name, query) => {
    expectBeyond(await client.ask(key, query), 'query_too_costly', maxCost);
  });

  it('grows with lists within lists, but not with scalar fields', async () => {
    const short = '{ accessRequests { nodes { company { metrics { ...m } } } } }';
    const fragment = `fragment m on CompanyMetrics { metrics { history { ${times(40, () => 'period')} } } }`;
    expectBeyond(await client.ask(key, `${short} ${fragment}`), 'query_too_costly', maxCost);
  });
});

describe('fragments that each contain the next fragment twice', () => {
  const double = (steps: number, last: string) =>
    `{ ...f0 } ${times(steps, (i) => `fragment f${i} on Query { ...f${i + 1} ...f${i + 1} }`)}
     fragment f${steps} on Query { ${last} }`;

  it('are counted without being expanded', async () => {
    const fields = await client.ask(key, double(120, 'viewer { environment }'));
    expectBeyond(fields, 'query_too_long', defaultBounds.maxTokens);
    const aliases = await client.ask(key, double(120, 'viewer { a: environment }'));
    expectBeyond(aliases, 'query_too_many_aliases', defaultBounds.maxAliases);
  });

  it('make a document too long if the last fragment only contains many other fragments', async () => {
    const leaves = Array.from({ length: 8 }, (_, i) => `fragment g${i} on Query { __typename }`);
    const query = `${double(8, leaves.map((_, i) => `...g${i}`).join(' '))} ${leaves.join(' ')}`;
    expectBeyond(await client.ask(key, query), 'query_too_long', defaultBounds.maxTokens);
  });

  it('make a document invalid if they form a cycle', async () => {
    const round = `{ ...a } fragment a on Query { viewer { scopes } ...b ...b } fragment b on Query { ...a ...a }`;
    const answer = await client.ask(key, round);
    expect(answer.status).toBe(400);
    expect(new Set(codesOf(answer))).toEqual(new Set(['invalid_query']));
    const deep = `{ accessRequests { nodes { ...a } } } fragment a on AccessRequest { company { access { request { ...a } } } }`;
    expect(codesOf(await client.ask(key, deep))).toEqual(['invalid_query']);
  });
});

describe('a batch', () => {
  it('is refused above its bound', async () => {
    const { maxBatch } = defaultBounds;
    const send = (count: number) =>
      client.send('POST', '/graphql', {
        key,
        body: Array.from({ length: count }, () => ({ query: '{ __typename }' })),
      });
    expect((await send(maxBatch)).body).toHaveLength(maxBatch);
    expectBeyond(await send(maxBatch + 1), 'batch_too_large', maxBatch);
    expectBeyond(await send(1000), 'batch_too_large', maxBatch);
  });

  it('executes nothing if it is too large', async () => {
    const { company, key: writer } = await service.fixtures.portfolio();
    const query = `mutation { requestAccess(input: {companyId: "${company.id}", scopes: [METRICS_READ]}) { outcome } }`;
    const body = Array.from({ length: defaultBounds.maxBatch + 1 }, () => ({ query }));
    await client.send('POST', '/graphql', { key: writer, body });
    expect(await service.operator.listCompanyAccessRequests({ companyId: company.id })).toEqual([]);
  });
});

describe('the body of an HTTP request', () => {
  const { maxBodyBytes } = defaultBounds;
  const send = (bytes: number) => {
    const start = '{"query":"{ __typename }","extensions":{"x":"';
    const raw = `${start}${'x'.repeat(bytes - start.length - 3)}"}}`;
    return client.send('POST', '/graphql', {
      key,
      raw,
      headers: { 'content-type': 'application/json' },
    });
  };

  it('is refused above its bound', async () => {
    expect((await send(maxBodyBytes)).status).toBe(200);
    const answer = await send(maxBodyBytes + 1);
    expect([answer.status, codesOf(answer)]).toEqual([413, ['payload_too_large']]);
    expect(answer.body.errors[0].message).toContain(String(maxBodyBytes));
  });
});
