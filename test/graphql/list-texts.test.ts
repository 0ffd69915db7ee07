import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Fixtures, importLines, sampleData } from '../support/fixtures.ts';
import type { Json } from '../support/http-client.ts';
import { isFull } from '../support/property-runs.ts';
import { WatchedMetrics } from '../support/watched-metrics.ts';
import { codesOf, serveGraphql } from './support.ts';

const watched = new WatchedMetrics();
const { service, client } = await serveGraphql({
  environment: { RATE_LIMIT_POINTS: '1000000' },
  bounds: { graphql: { maxCost: 10_000_000, maxReads: 100_000 } },
  replace: ({ companyData }) => ({ companyData: watched.of(companyData) }),
});

afterEach(() => {
  vi.useRealTimers();
});

let made: Awaited<ReturnType<Fixtures['readablePortfolio']>>;
beforeEach(async () => {
  made = await service.fixtures.readablePortfolio();
  watched.looks = 0;
});

async function read(query: string, variables?: object): Promise<Json> {
  const answer = await client.ask(made.key, query, variables);
  expect(codesOf(answer), answer.text).toEqual([]);
  return answer.body.data;
}

let documents = 0;

async function readAnew(query: string, variables?: object): Promise<Json> {
  documents += 1;
  return read(`${query} # ${documents}`, variables);
}

const labels =
  '{ companies { nodes { metrics { ... on CompanyMetrics { metrics { key label } } } } } }';

describe('a list of company data', () => {
  it('is serialised once for repeated responses to the same document', async () => {
    const first = await read(labels);
    expect(first.companies.nodes[0].metrics.metrics).toHaveLength(2);
    expect(await read(labels)).toEqual(first);
    const before = watched.looks;
    expect(await read(labels)).toEqual(first);
    expect(watched.looks).toBe(before);
    expect(await readAnew(labels)).toEqual(first);
    expect(watched.looks).toBe(before + 2);
  });

  it('is serialised again after an import', async () => {
    await read(labels);
    await read(labels);
    const [metric] = sampleData(made.company.id);
    await importLines(service.operator, [{ ...metric, label: 'Money "at" hand — €' }]);
    const after = await read(labels);
    expect(after.companies.nodes[0].metrics.metrics[0].label).toBe('Money "at" hand — €');
    expect(after).toEqual(await readAnew(labels));
  });

  it('is serialised again when a source becomes stale, although the stored data doesn’t change', async () => {
    const hour = 3_600_000;
    const start = Date.now();
    const setClock = (now: number) => vi.useFakeTimers({ toFake: ['Date'], now });
    const query =
      '{ companies { nodes { sources { ... on CompanySources { sources { provider status } } } } } }';
    await importLines(service.operator, [
      {
        type: 'source',
        company_id: made.company.id,
        provider: 'brex',
        status: 'connected',
        account_name: 'Cards',
        last_synced_at: new Date(start).toISOString(),
        expected_every: 'PT1H',
      },
    ]);
    const statusOf = async () => {
      const { companies } = await read(query);
      return companies.nodes[0].sources.sources.find(({ provider }: Json) => provider === 'brex')
        .status;
    };
    const thrice = async () => [await statusOf(), await statusOf(), await statusOf()];
    setClock(start + hour - 1);
    expect(await thrice()).toEqual(['connected', 'connected', 'connected']);
    setClock(start + hour);
    expect(await thrice()).toEqual(['stale', 'stale', 'stale']);
    setClock(start + hour - 1);
    expect(await thrice()).toEqual(['connected', 'connected', 'connected']);
  });

  it('isn’t returned from the cache after the grant is revoked', async () => {
    const { fixtures, operator } = service;
    made = await fixtures.portfolio();
    await importLines(operator, sampleData(made.company.id));
    const { id } = await fixtures.grant(made);
    await read(labels);
    expect((await read(labels)).companies.nodes[0].metrics.metrics).toHaveLength(2);
    await operator.revokeAccessRequest({ id });
    expect((await read(labels)).companies.nodes[0].metrics).toEqual({});
  });

  it('isn’t cached if one of its fields fails, so the next response is complete', async () => {
    const query = labels.replace('label', 'currency');
    await read(labels);
    watched.isBroken = true;
    const broken = await client.ask(made.key, query);
    watched.isBroken = false;
    expect(codesOf(broken)).toEqual(['internal_error', 'internal_error']);
    const whole = await read(query);
    expect(whole.companies.nodes[0].metrics.metrics[0].currency).toBe('USD');
    expect(whole).toEqual(await readAnew(query));
  });

  it('isn’t cached if it contains a further read, because the read costs a point in each response', async () => {
    const query = labels.replace('key label', 'key revisions { revision }');
    const remaining: number[] = [];
    for (let round = 0; round < 4; round += 1) {
      const answer = await client.ask(made.key, query);
      expect(answer.body.data.companies.nodes[0].metrics.metrics[0].revisions).toEqual([
        { revision: 1 },
      ]);
      remaining.push(Number(answer.headers['ratelimit-remaining']));
    }
    const [first = 0, second = 0, third = 0, fourth = 0] = remaining;
    // One point for the list, and one for the revisions of each of its two metrics.
    expect([first - second, second - third, third - fourth]).toEqual([3, 3, 3]);
  });

  it('is the same in a batch as in a single operation', async () => {
    const other = labels.replace('key label', 'label key');
    const alone = [await readAnew(labels), await readAnew(other), await readAnew(labels)];
    for (let round = 0; round < 2; round += 1) {
      const answer = await client.send('POST', '/graphql', {
        key: made.key,
        body: [{ query: labels }, { query: other }, { query: labels }],
      });
      expect(answer.body.map(({ data }: Json) => data)).toEqual(alone);
    }
  });
});

/** A cached text also depends on the fields' arguments, variables and fragments. */
const selections = fc.constantFrom(
  'key',
  'label',
  '__typename',
  'name: label',
  'source { system lastSynced }',
  '... on Metric { rawValue asOf }',
  '...Whole',
  'value @include(if: $detailed)',
  'category @skip(if: true)',
  '...Whole @include(if: $detailed)',
  'verification { signed signature @skip(if: $detailed) }',
  'history { period value }',
  'past: history(from: $from) { period rawValue }',
  'revisions { revision value }',
);
const lists = fc.oneof(
  fc
    .record({
      alias: fc.constantFrom('', 'a: ', 'b: '),
      keys: fc.constantFrom('', '(keys: ["cash_balance"])', '(keys: [])'),
      inner: fc.constantFrom('', 'inner: '),
      fields: fc.uniqueArray(selections, { minLength: 1, maxLength: 5 }),
    })
    .map(({ alias, keys, inner, fields }) => {
      const name = `${alias || 'c: '}metrics${keys}`;
      return `${name} { ... on CompanyMetrics { ${inner}metrics { ${fields.join(' ')} } } }`;
    }),
  fc.constantFrom(
    'sources { ... on CompanySources { sources { provider status } } }',
    'accounts { __typename ... on CompanyAccounts { accounts { id type rawBalance } } }',
    'd: metric(key: "cash_balance") { ... on Metric { label history { period } } }',
    'e: metrics { ...Keys } f: metrics { ...Keys ...Labels } g: metrics { ...Labels }',
  ),
);
const questions = fc.record({
  fields: fc.uniqueArray(lists, {
    minLength: 1,
    maxLength: 3,
    selector: (field) => field.split(/[ ({]/)[0],
  }),
  variables: fc.array(
    fc.record({
      detailed: fc.boolean(),
      from: fc.constantFrom(null, '2026-09-01', '2026-10-01'),
    }),
    { minLength: 1, maxLength: 3 },
  ),
});

const fragments = {
  Whole: 'fragment Whole on Metric { key currency confidence }',
  Keys: 'fragment Keys on CompanyMetrics { metrics { key } }',
  Labels: 'fragment Labels on CompanyMetrics { metrics { label } }',
};

/** GraphQL requires that a document uses every variable and every fragment. */
function write(fields: readonly string[]): string {
  const text = fields.join('\n');
  const used = Object.entries(fragments).filter(([name]) => text.includes(`...${name}`));
  return `query ($detailed: Boolean!, $from: Date) { companies { nodes { id @include(if: $detailed)
    since: metric(key: "headcount") { ... on Metric { history(from: $from) { period } } }
    ${text} } } } ${used.map(([, fragment]) => fragment).join(' ')}`;
}

it('a repeated query gets the same response as a new document with the same query, which isn’t cached', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(questions, { minLength: 1, maxLength: 3 }), async (asked) => {
      for (const { fields, variables } of [...asked, ...asked, ...asked.toReversed()]) {
        const query = write(fields);
        for (const one of variables) {
          expect(await read(query, one)).toEqual(await readAnew(query, one));
        }
      }
    }),
    { numRuns: isFull ? 60 : 6 },
  );
});
