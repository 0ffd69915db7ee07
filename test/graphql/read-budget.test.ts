import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PlacesOfKeys } from '../../graphql-adapter/places.ts';
import { ReadBudget } from '../../graphql-adapter/read-budget.ts';
import { importLines } from '../support/fixtures.ts';
import { startService, type TestService } from '../support/service.ts';
import { codesOf, createGraphqlClient, type GraphqlClient } from './support.ts';

describe('the rows that one operation may read', () => {
  let service: TestService;
  let client: GraphqlClient;

  beforeAll(async () => {
    service = await startService({
      storage: { memory: true },
      environment: { GRAPHQL_MAX_ROWS: '10' },
    });
    client = createGraphqlClient(service.url);
  });
  afterAll(async () => {
    client?.close();
    await service?.close();
  });

  /** A company with as many days of one metric as are asked for. */
  async function companyWith(days: number) {
    const { fixtures, operator } = service;
    const made = await fixtures.portfolio();
    await importLines(
      operator,
      Array.from({ length: days }, (_, index) => ({
        type: 'metric',
        company_id: made.company.id,
        key: 'cash_balance',
        period: `2026-01-${String(index + 1).padStart(2, '0')}`,
        source: { system: 'mercury', method: 'api', last_synced: '2026-11-01T04:00:00Z' },
        raw_value: index,
      })),
    );
    await fixtures.grant(made);
    return made;
  }

  const history = `query ($id: ID!) {
    company(id: $id) {
      name
      metric(key: "cash_balance") { ... on Metric { key history { period } } }
    }
  }`;

  it('are given as long as they are within the bound', async () => {
    const { company, key } = await companyWith(9);
    const { body } = await client.ask(key, history, { id: company.id });
    expect(body.errors).toBeUndefined();
    expect(body.data.company.metric.history).toHaveLength(9);
  });

  it('beyond it are refused where they are, and nothing beside them is touched', async () => {
    const { company, key } = await companyWith(10);
    const answer = await client.ask(key, history, { id: company.id });
    expect(codesOf(answer)).toEqual(['query_too_costly']);
    expect(answer.body.errors[0].message).toContain('10 rows');
    expect(answer.body.errors[0].path).toEqual(['company', 'metric', 'history']);
    expect(answer.body.data.company).toEqual({
      name: company.name,
      metric: { key: 'cash_balance', history: null },
    });
  });

  it('are counted over all operations of a batch', async () => {
    const { company, key } = await companyWith(6);
    const one = { query: history, variables: { id: company.id } };
    const { body } = await client.send('POST', '/graphql', { key, body: [one, one] });
    const codes = body.flatMap(({ errors = [] }: { errors?: { extensions: { code: string } }[] }) =>
      errors.map(({ extensions }) => extensions.code),
    );
    expect(codes).toEqual(['query_too_costly']);
  });

  it('are those of refusals and of access records, too', async () => {
    const { company, key } = await service.fixtures.portfolio();
    const alias = (index: number) => `a${index}: company(id: $id) { sources { __typename } }`;
    const refused = await client.ask(
      key,
      `query ($id: ID!) { ${Array.from({ length: 11 }, (_, index) => alias(index)).join(' ')} }`,
      { id: company.id },
    );
    expect(codesOf(refused)).toEqual(['query_too_costly']);
    const records = await client.ask(key, '{ accessRecords(limit: 20) { id } }');
    expect(codesOf(records)).toEqual(['query_too_costly']);
    const { body } = await client.ask(key, '{ accessRecords(limit: 10) { id } }');
    expect(body.data.accessRecords).toHaveLength(10);
  });

  it('are all counted, whatever they are', async () => {
    const { company, key } = await service.fixtures.readablePortfolio();
    const part = '{ __typename }';
    const answer = await client.ask(
      key,
      `query ($id: ID!) { ${['a', 'b'].map((name) => `${name}: company(id: $id) { metrics ${part} sources ${part} accounts ${part} }`).join(' ')} }`,
      { id: company.id },
    );
    expect(codesOf(answer)).toEqual(['query_too_costly']);
  });
});

describe('the reads that one request may make', () => {
  let service: TestService;
  let client: GraphqlClient;

  beforeAll(async () => {
    service = await startService({
      storage: { memory: true },
      environment: { GRAPHQL_MAX_READS: '6' },
    });
    client = createGraphqlClient(service.url);
  });
  afterAll(async () => {
    client?.close();
    await service?.close();
  });

  const times = (count: number, field: (index: number) => string) =>
    Array.from({ length: count }, (_, index) => field(index)).join(' ');

  const metricsOf = (id: string, count: number) =>
    `{ company(id: "${id}") { ${times(count, (index) => `a${index}: metrics { __typename }`)} } }`;

  it.each(['readablePortfolio', 'portfolio'] as const)(
    'are asked about and recorded, and those beyond the bound are not: %s',
    async (kind) => {
      const { company, key } = await service.fixtures[kind]();
      const answer = await client.ask(key, metricsOf(company.id, 9));
      expect(codesOf(answer)).toEqual(Array(4).fill('query_too_costly'));
      const { body } = await client.ask(key, '{ accessRecords { id } }');
      expect(body.data.accessRecords).toHaveLength(5);
    },
  );

  it.each([
    ['access requests by company', (field: string) => `{ companies { access { ${field} } } }`, 5],
    ['access requests', (field: string) => `{ ${field} }`, 6],
  ])('are those of look-ups, too: %s', async (_name, within, allowed) => {
    const made = await service.fixtures.readablePortfolio();
    const { body } = await client.ask(made.key, '{ accessRequests { id } }');
    const [{ id }] = body.data.accessRequests;
    const field = allowed === 6 ? `accessRequest(id: "${id}")` : 'request';
    const answer = await client.ask(
      made.key,
      within(times(9, (index) => `a${index}: ${field} { id }`)),
    );
    expect(codesOf(answer)).toEqual(Array(9 - allowed).fill('query_too_costly'));
  });

  it('are counted over all operations of a batch, lists among them', async () => {
    const { company, key } = await service.fixtures.portfolio();
    const lists = '{ companies { id } accessRequests { id } accessRecords { id } }';
    const { body } = await client.send('POST', '/graphql', {
      key,
      body: [{ query: lists }, { query: metricsOf(company.id, 3) }],
    });
    const count = body.map(({ errors = [] }: { errors?: unknown[] }) => errors.length);
    expect(count).toEqual([0, 1]);
  });
});

const bounds = { maxReads: 1000, maxRows: 1000 };
const atOnce = <T>(work: () => Promise<T>): Promise<T> => work();

describe('the places of keys', () => {
  /** A reading that goes on until it is told to end. */
  function createReading() {
    const ends: (() => void)[] = [];
    return { ends, read: () => new Promise<void>((resolve) => ends.push(resolve)) };
  }

  it('let one key read so much at a time, in all its requests together, and others beside it', async () => {
    const places = new PlacesOfKeys(3);
    const { ends, read } = createReading();
    const budgetOf = (keyId: string) =>
      new ReadBudget(bounds, { reads: (work) => places.within(keyId, work), lists: atOnce });
    const [first, second, other] = ['key_1', 'key_1', 'key_2'].map(budgetOf);
    const readings = [first, first, second, second, other].map((budget) =>
      budget?.read(read, () => 0),
    );
    await nextTurn();
    expect(ends).toHaveLength(4);
    ends[0]?.();
    await nextTurn();
    expect(ends).toHaveLength(5);
    for (const end of ends) end();
    await Promise.all(readings);
  });

  it('are free again after a read that fails', async () => {
    const places = new PlacesOfKeys(1);
    const fail = () => places.within('key_1', () => Promise.reject(new Error('down')));
    await Promise.allSettled([fail(), fail()]);
    expect(await places.within('key_1', async () => 'read')).toBe('read');
  });
});

it('lists are read a few at a time, and no further one once there are too many rows', async () => {
  const lists = new PlacesOfKeys(16);
  const budget = new ReadBudget(
    { maxReads: 1000, maxRows: 20 },
    { reads: atOnce, lists: (work) => lists.within('key_1', work) },
  );
  const ends: (() => void)[] = [];
  const read = () => new Promise<number[]>((resolve) => ends.push(() => resolve([1, 2, 3])));
  const readings = Array.from({ length: 40 }, () =>
    budget.readList(read).then(
      () => 'read',
      (error: { code: string }) => error.code,
    ),
  );
  await nextTurn();
  expect(ends).toHaveLength(16);
  for (let index = 0; index < ends.length; index += 1) {
    ends[index]?.();
    await nextTurn();
  }
  expect(ends.length).toBeLessThan(30);
  const outcomes = await Promise.all(readings);
  expect(outcomes.filter((outcome) => outcome === 'read')).toHaveLength(6);
  expect(outcomes.filter((outcome) => outcome === 'query_too_costly')).toHaveLength(34);
});
