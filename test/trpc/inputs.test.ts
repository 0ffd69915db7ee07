import { describe, expect, it } from 'vitest';
import { maxMetricKeys } from '#core';
import { getPath, refusedAs, serveTrpc } from './support.ts';

const { service, client } = await serveTrpc({
  environment: { RATE_LIMIT_POINTS: '100000' },
});
const made = await service.fixtures.readablePortfolio();

/** Sends a query in every possible way, and expects the same outcome from each. */
async function query(name: string, input?: unknown): Promise<unknown> {
  const { key } = made;
  const list = `/trpc/${name}?batch=1`;
  const inList = encodeURIComponent(JSON.stringify({ 0: input }));
  const [first, ...others] = await Promise.all([
    client.ask(key, name, input),
    client.send('GET', getPath(name, input), { key }),
    client.send('GET', `${list}&input=${inList}`, { key }),
    client.batch(key, [name, input]),
  ]).then((answers) => answers.map(refusedAs));
  for (const other of others) expect(other).toEqual(first);
  return first;
}

const ofOneCompany = [
  'companies.get',
  'metrics.latest',
  'metrics.byKey',
  'metrics.history',
  'sources.list',
  'accounts.list',
] as const;
const nonObjects = [null, 'co_1', '', 7, true, [], [{ companyId: 'co_1' }]];

describe('the input', () => {
  it.each([...ofOneCompany, 'accessRequests.get', 'accessRequests.history'])(
    'is required for %s, and must be an object',
    async (name) => {
      for (const input of [undefined, ...nonObjects])
        expect(await query(name, input), JSON.stringify(input)).toEqual([400, 'invalid_parameter']);
    },
  );

  it.each(['companies.list', 'accessRequests.list'])(
    'may be missing for %s, but must otherwise be an object',
    async (name) => {
      expect(await query(name)).toEqual([200, 'ok']);
      expect(await query(name, {})).toEqual([200, 'ok']);
      for (const input of nonObjects)
        expect(await query(name, input), JSON.stringify(input)).toEqual([400, 'invalid_parameter']);
    },
  );

  it.each(ofOneCompany)('must contain a company’s ID for %s', async (name) => {
    const key = name.startsWith('metrics.') ? { key: 'cash_balance' } : {};
    expect(await query(name, key)).toEqual([422, 'missing_company_id']);
    expect(await query(name, { ...key, companyId: '' })).toEqual([422, 'missing_company_id']);
    for (const companyId of [null, 7, {}, ['co_1']])
      expect(await query(name, { ...key, companyId })).toEqual([400, 'invalid_parameter']);
  });

  it.each([
    ['companies.list', { access: 'unknown' }],
    ['accessRequests.list', { status: 'PENDING' }],
    ['accessRequests.get', { id: 7 }],
    ['metrics.byKey', { companyId: 'co_1' }],
    ['metrics.latest', { companyId: 'co_1', keys: 'cash_balance' }],
    ['metrics.latest', { companyId: 'co_1', keys: Array(maxMetricKeys + 1).fill('k') }],
    ['metrics.history', { companyId: 'co_1', key: 'k', from: 'yesterday' }],
    ['metrics.history', { companyId: 'co_1', key: 'k', to: '2026-02-30' }],
  ] as const)('is refused for %s if it has a wrong value: %j', async (name, input) => {
    expect(await query(name, input)).toEqual([400, 'invalid_parameter']);
  });

  it('may have unknown fields', async () => {
    const input = { companyId: made.company.id, unknown: true, __proto__: 'x', constructor: 1 };
    expect(await query('metrics.latest', input)).toEqual([200, 'ok']);
  });

  it('is refused if it is invalid, and the error spells the parameter’s name as tRPC does', async () => {
    const { body } = await client.ask(made.key, 'metrics.latest', { companyId: 7 });
    expect(body.error.message).toContain('companyId');
    const nested = await client.ask(made.key, 'accessRequests.create', {
      companyId: 'co_1',
      scopes: ['metrics:read', 'companies:read'],
    });
    expect(nested.body.error.message).toContain('scopes[1]');
  });
});
