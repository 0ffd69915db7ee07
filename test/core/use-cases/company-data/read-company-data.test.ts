import { describe, expect, test, vi } from 'vitest';
import {
  AccessError,
  type GrantableScope,
  type InvestorCaller,
  type InvestorUseCases,
} from '#core';
import { aCall } from '../../../support/call.ts';
import { importLines, sampleData } from '../../../support/fixtures.ts';
import { metricLine } from '../../builders.ts';
import {
  aNewcomer,
  createWorld,
  day,
  expectRefusal,
  later,
  type Newcomer,
  type World,
} from '../../world.ts';

type Read = (world: World, caller: InvestorCaller, companyId: string) => Promise<unknown>;

const by =
  (name: `read${string}` & keyof InvestorUseCases, more: object = {}): Read =>
  ({ callers }, caller, companyId) => {
    const useCase = callers[name] as (caller: InvestorCaller, input: object) => Promise<unknown>;
    return useCase(caller, { companyId, ...more });
  };

const key = 'cash_balance';

const reads: [name: string, scope: GrantableScope, read: Read][] = [
  ['latest metrics', 'metrics:read', by('readLatestMetrics')],
  ['latest metric', 'metrics:read', by('readLatestMetric', { key })],
  ['history of a metric', 'metrics:read', by('readMetricHistory', { key })],
  [
    'histories of several metrics',
    'metrics:read',
    by('readMetricHistories', { keys: [key, 'headcount'] }),
  ],
  [
    'figures of several companies',
    'metrics:read',
    async ({ callers }, caller, companyId) => {
      const figures = await callers.readPortfolioFigures(caller, {
        ...{ companyIds: [companyId], metrics: 4, values: 12 },
      });
      const code = figures.refusals.get(companyId);
      if (code !== undefined) throw new AccessError(code);
      return figures.companies.get(companyId);
    },
  ],
  ['sources', 'sources:read', by('readSources')],
  ['accounts', 'accounts:read', by('readAccounts')],
];

async function newcomerWithData(
  world: World,
  options: Parameters<World['newcomer']>[0] = {},
): Promise<Newcomer> {
  const newcomer = await world.newcomer(options);
  await importLines(world.operator, sampleData(newcomer.companyId));
  return newcomer;
}

describe.each(reads)('a company’s data: %s', (_name, scope, read) => {
  const others = (['metrics:read', 'sources:read', 'accounts:read'] as const).filter(
    (other) => other !== scope,
  );

  async function aReader(options: Parameters<World['newcomer']>[0] = {}) {
    const world = createWorld();
    const newcomer = await newcomerWithData(world, options);
    const { caller, companyId } = newcomer;
    return { world, newcomer, attempt: (id = companyId) => read(world, caller, id), ...newcomer };
  }

  test('can be read if the grant and the key have only the scope of this data', async () => {
    const { world, newcomer, attempt } = await aReader({ scopes: [scope] });
    await world.grant(newcomer, [scope]);
    expect(await attempt()).toBeTruthy();
  });

  test('require an API key with the scope of this data, and the service checks the scope before it looks up the company', async () => {
    const { attempt, companyId } = await aReader({ scopes: others });
    for (const id of [companyId, 'co_none', 'impossible']) {
      const error = await expectRefusal(attempt(id), 'insufficient_scope');
      expect(error.message).toBe(`The API key lacks the scope ${scope}.`);
    }
  });

  test('are refused with company_not_found for a company outside the portfolio, whether or not the company exists', async () => {
    const { world, caller } = await aNewcomer();
    const stranger = await newcomerWithData(world);
    await world.grant(stranger);
    const messages = new Set<string>();
    for (const companyId of [stranger.companyId, 'co_none', 'impossible']) {
      const refusal = await expectRefusal(read(world, caller, companyId), 'company_not_found');
      messages.add(refusal.message);
    }
    expect(messages).toEqual(new Set(['The company isn’t in the portfolio of this API key.']));
  });

  test('can be read as long as the company consents, and each change of consent affects the next read', async () => {
    const { world, newcomer, attempt, key, companyId } = await aReader();
    const { operator } = world;
    const ask = async () => (await world.request(key, companyId)).id;
    await expectRefusal(attempt(), 'access_required');
    const declined = await ask();
    await expectRefusal(attempt(), 'access_pending');
    await operator.declineAccessRequest({ id: declined });
    await expectRefusal(attempt(), 'access_required');
    const id = await ask();
    await operator.approveAccessRequest({ id, scopes: others });
    await expectRefusal(attempt(), 'access_required');
    await operator.revokeAccessRequest({ id });
    await expectRefusal(attempt(), 'access_revoked');
    await world.grant(newcomer, [scope], later(day));
    world.clock.set(later(day - 1));
    expect(await attempt()).toBeTruthy();
    world.clock.set(later(day));
    await expectRefusal(attempt(), 'access_required');
  });

  test('are refused while the company is outside the portfolio, and after the revocation of the API key', async () => {
    const { world, newcomer, attempt, investor, companyId } = await aReader();
    await world.grant(newcomer);
    const pair = { investorId: investor.id, companyId };
    await world.operator.removeFromPortfolio(pair);
    await expectRefusal(attempt(), 'company_not_found');
    await world.operator.addToPortfolio(pair);
    expect(await attempt()).toBeTruthy();
    const gone = { ...newcomer.caller, credentialId: 'key_gone' };
    await expectRefusal(read(world, gone, companyId), 'invalid_api_key');
    await world.operator.revokeApiKey({ id: newcomer.keyId });
    await expectRefusal(attempt(), 'invalid_api_key');
  });

  test('are read from the database only after the access check', async () => {
    const world = createWorld(({ companyData }) => ({
      companyData: new Proxy(companyData, {
        get: () => () => Promise.reject(new Error('the data was read')),
      }),
    }));
    const newcomer = await world.newcomer();
    const attempt = () => read(world, newcomer.caller, newcomer.companyId);
    await expectRefusal(attempt, 'access_required');
    await world.grant(newcomer);
    await expect(attempt()).rejects.toThrow('the data was read');
  });

  test('cause no database query if the company id is malformed', async () => {
    const { world, caller, companyId } = await aNewcomer();
    const lookUp = vi.spyOn(world.ports.accessFacts, 'read');
    await expectRefusal(read(world, caller, 'impossible'), 'company_not_found');
    expect(lookUp).not.toHaveBeenCalled();
    await expectRefusal(read(world, caller, companyId), 'access_required');
    expect(lookUp).toHaveBeenCalled();
  });
});

describe('an API call that names a company at admission', () => {
  /** Creates a world that lists its access queries. By default, `read` reads the company named at admission. */
  async function createCountingWorld(options: Parameters<World['newcomer']>[0] = {}) {
    const world = createWorld();
    const { accessFacts } = world.ports;
    const queries = [vi.spyOn(accessFacts, 'authenticate'), vi.spyOn(accessFacts, 'read')] as const;
    const newcomer = await newcomerWithData(world, options);
    const call = async (companyId: string): Promise<InvestorCaller> => {
      for (const query of queries) query.mockClear();
      const admission = await world.callers.admitCaller(newcomer.key, 1, aCall, companyId);
      if ('refusal' in admission) throw admission.refusal;
      return admission.caller;
    };
    const read = async (companyId = newcomer.companyId, caller?: InvestorCaller) =>
      world.callers.readSources(caller ?? (await call(companyId)), { companyId });
    /** The companies queried since the last API call: first by the admission, then by reads. */
    const asked = () =>
      queries.map((query) => query.mock.calls.map(([{ companyId }]) => companyId));
    return { world, ...newcomer, newcomer, call, read, asked };
  }

  test('checks the API key and the access to the company with one query', async () => {
    const { world, key, companyId, read, asked } = await createCountingWorld();
    await expectRefusal(read(), 'access_required');
    const { id } = await world.request(key, companyId);
    await expectRefusal(read(), 'access_pending');
    await world.operator.approveAccessRequest({ id });
    expect(await read()).not.toEqual([]);
    expect(asked()).toEqual([[companyId], []]);
    await world.operator.revokeAccessRequest({ id });
    await expectRefusal(read(), 'access_revoked');
  });

  test('queries the access again if it reads a company with another id', async () => {
    const { world, newcomer, companyId, call, read, asked } = await createCountingWorld();
    await world.grant(newcomer);
    const stranger = await newcomerWithData(world);
    await expectRefusal(read(stranger.companyId, await call(companyId)), 'company_not_found');
    expect(asked()).toEqual([[companyId], [stranger.companyId]]);
  });

  test('queries the access again for its second read', async () => {
    const { world, newcomer, companyId, call, read, asked } = await createCountingWorld();
    const { id } = await world.grant(newcomer);
    const caller = await call(companyId);
    expect(await read(companyId, caller)).not.toEqual([]);
    await world.operator.revokeAccessRequest({ id });
    await expectRefusal(read(companyId, caller), 'access_revoked');
    expect(asked()).toEqual([[companyId], [companyId]]);
  });

  test('is admitted even with a malformed company id, but its read then fails with company_not_found', async () => {
    const { call, read, asked } = await createCountingWorld();
    const caller = await call('impossible');
    expect(asked()).toEqual([[null], []]);
    await expectRefusal(read('impossible', caller), 'company_not_found');
  });

  test.each([
    ['key', { expiresAt: later(day) }, undefined, 'invalid_api_key'],
    ['grant', {}, later(day), 'access_required'],
  ] as const)(
    'is refused if its %s ends between the admission and the read',
    async (_what, options, end, code) => {
      const { world, newcomer, companyId, call, read } = await createCountingWorld(options);
      await world.grant(newcomer, undefined, end);
      const caller = await call(companyId);
      world.clock.set(later(day));
      await expectRefusal(read(companyId, caller), code);
    },
  );
});

describe('a caller that reads metrics', () => {
  async function reader() {
    const world = createWorld();
    const newcomer = await newcomerWithData(world);
    await world.grant(newcomer);
    return { callers: world.callers, caller: newcomer.caller, companyId: newcomer.companyId };
  }

  test('gets the latest values of only the requested metrics', async () => {
    const { callers, caller, companyId } = await reader();
    const read = async (keys: string[] | null) =>
      (await callers.readLatestMetrics(caller, { companyId, keys })).map(({ key }) => key);
    expect(await read(['headcount', 'burn_rate'])).toEqual(['headcount']);
    expect(await read([])).toEqual([]);
    expect(await read(null)).toEqual(['cash_balance', 'headcount']);
  });

  test.each([
    [{ from: '2026-09-30' }, ['2026-09-30', '2026-10-31']],
    [{ to: '2026-09-30' }, ['2026-08-31', '2026-09-30']],
    [{ from: null, to: null }, ['2026-08-31', '2026-09-30', '2026-10-31']],
  ])(
    'gets a metric’s history, oldest first, within %j including these periods',
    async (periods, expected) => {
      const { callers, caller, companyId } = await reader();
      const history = await callers.readMetricHistory(caller, { companyId, key, ...periods });
      expect(history.map(({ period }) => period)).toEqual(expected);
    },
  );

  test('gets the latest value of one metric', async () => {
    const { callers, caller, companyId } = await reader();
    const metric = await callers.readLatestMetric(caller, { companyId, key });
    expect(metric).toMatchObject({ companyId, key, period: '2026-10-31', rawValue: '990000.25' });
  });

  test('gets up to twenty existing metric keys in the error message for an unknown metric', async () => {
    const world = createWorld();
    const newcomer = await newcomerWithData(world);
    const lines = Array.from({ length: 20 }, (_, index) =>
      metricLine(newcomer.companyId, { key: `m_${index}` }),
    );
    await importLines(world.operator, lines);
    await world.grant(newcomer);
    const { message } = await expectRefusal(
      world.callers.readLatestMetric(newcomer.caller, { ...newcomer, key: 'none' }),
      'metric_not_found',
    );
    expect(message).toMatch(/ and others\.$/);
  });

  test.each(['burn_rate', 'No such key!', '', '_x', 'x'.repeat(65)])(
    'gets metric_not_found for the latest value of a metric without data, but an empty history: %j',
    async (key) => {
      const { callers, caller, companyId } = await reader();
      const { message, details } = await expectRefusal(
        callers.readLatestMetric(caller, { companyId, key }),
        'metric_not_found',
      );
      const known = (await callers.readLatestMetrics(caller, { companyId })).map((one) => one.key);
      expect(message).toContain(`It has data for ${known.join(', ')}.`);
      expect(details).toEqual({ param: 'key', allowed: known });
      expect(await callers.readMetricHistory(caller, { companyId, key })).toEqual([]);
    },
  );

  test('causes no database query with a malformed metric key', async () => {
    const world = createWorld();
    const { companyData } = world.ports;
    const byKey = (['metricHistory', 'metricRevisions', 'metricHistories'] as const).map((query) =>
      vi.spyOn(companyData, query),
    );
    const newcomer = await world.newcomer();
    await world.grant(newcomer);
    const { caller, companyId } = newcomer;
    const longest = `x${'y'.repeat(63)}`;
    const good = ['a', '0', 'a.b-c_D', longest];
    for (const key of [...good, '', '.a', '-a', '_a', `${longest}z`, 'a b', 'a\n']) {
      const one = { companyId, key };
      await expectRefusal(world.callers.readLatestMetric(caller, one), 'metric_not_found');
      await world.callers.readMetricHistory(caller, one);
      await world.callers.readMetricRevisions(caller, one);
      await world.callers.readMetricHistories(caller, { companyId, keys: [key] });
    }
    // The latest values are read even for a malformed key, because the error lists the existing metrics.
    for (const query of byKey) {
      expect(query.mock.calls.flatMap(([, asked]) => asked)).toEqual(good);
    }
  });
});

test.each([
  ['reports:read', 'not_implemented', ''],
  ['metrics:read', 'insufficient_scope', /^The API key lacks the scope reports:read\.$/],
] as const)('reports are refused for a key with the scope %s: %s', async (scope, code, message) => {
  const { world, caller } = await aNewcomer({ scopes: [scope] });
  await expectRefusal(() => world.callers.readReports(caller), code, message);
});
