import { describe, expect, test } from 'vitest';
import {
  AccessError,
  type GrantableScope,
  type InvestorCaller,
  type InvestorUseCases,
} from '#core';
import { aCall } from '../../../support/call.ts';
import { importLines, sampleData } from '../../../support/fixtures.ts';
import { aNewcomer, metricLine } from '../../builders.ts';
import { createWorld, day, expectRefusal, later, type Newcomer, type World } from '../../world.ts';

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

describe.each(reads)('the %s of a company', (_name, scope, read) => {
  const others = (['metrics:read', 'sources:read', 'accounts:read'] as const).filter(
    (other) => other !== scope,
  );

  /** A newcomer to a company with data, and a function that tries to read. */
  async function aReader(options: Parameters<World['newcomer']>[0] = {}) {
    const world = createWorld();
    const newcomer = await newcomerWithData(world, options);
    const { caller, companyId } = newcomer;
    return { world, newcomer, attempt: (id = companyId) => read(world, caller, id), ...newcomer };
  }

  test('can be read with a grant and a key that both have exactly this scope', async () => {
    const { world, newcomer, attempt } = await aReader({ scopes: [scope] });
    await world.grant(newcomer, [scope]);
    expect(await attempt()).toBeTruthy();
  });

  test('require a key with this scope, which is checked before the company is looked up', async () => {
    const { attempt, companyId } = await aReader({ scopes: others });
    for (const id of [companyId, 'co_none', 'impossible']) {
      const error = await expectRefusal(attempt(id), 'insufficient_scope');
      expect(error.message).toBe(`The API key lacks the scope ${scope}.`);
    }
  });

  test('aren’t found for a company outside the portfolio, whether the company exists or not', async () => {
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

  test('can be read only while a request is approved, not before the approval or after a revocation', async () => {
    const { world, attempt, key, companyId } = await aReader();
    await expectRefusal(attempt(), 'access_required');
    const { id } = await world.request(key, companyId);
    await expectRefusal(attempt(), 'access_pending');
    await world.operator.approveAccessRequest({ id });
    expect(await attempt()).toBeTruthy();
    await world.operator.revokeAccessRequest({ id });
    await expectRefusal(attempt(), 'access_revoked');
    await world.request(key, companyId);
    await expectRefusal(attempt(), 'access_pending');
  });

  test('can’t be read after the request was declined', async () => {
    const { world, attempt, key, companyId } = await aReader();
    const { id } = await world.request(key, companyId);
    await world.operator.declineAccessRequest({ id });
    await expectRefusal(attempt(), 'access_required');
  });

  test('can’t be read if the grant has only the other scopes', async () => {
    const { world, attempt, key, companyId } = await aReader();
    const { id } = await world.request(key, companyId);
    await world.operator.approveAccessRequest({ id, scopes: others });
    await expectRefusal(attempt(), 'access_required');
  });

  test('can be read until one millisecond before the grant ends', async () => {
    const { world, newcomer, attempt } = await aReader();
    await world.grant(newcomer, [scope], later(day));
    world.clock.set(later(day - 1));
    expect(await attempt()).toBeTruthy();
    world.clock.set(later(day));
    await expectRefusal(attempt(), 'access_required');
  });

  test('can’t be read while the company is outside the portfolio, even with a grant', async () => {
    const { world, newcomer, attempt, investor, companyId } = await aReader();
    await world.grant(newcomer);
    const pair = { investorId: investor.id, companyId };
    await world.operator.removeFromPortfolio(pair);
    await expectRefusal(attempt(), 'company_not_found');
    await world.operator.addToPortfolio(pair);
    expect(await attempt()).toBeTruthy();
  });

  test('are refused for a caller whose key was revoked after the call was admitted', async () => {
    const { world, newcomer, attempt } = await aReader();
    await world.grant(newcomer);
    await world.operator.revokeApiKey({ id: newcomer.keyId });
    await expectRefusal(attempt(), 'invalid_api_key');
    const gone = { ...newcomer.caller, credentialId: 'key_gone' };
    await expectRefusal(read(world, gone, newcomer.companyId), 'invalid_api_key');
  });

  test('are read from the database only after the access check', async () => {
    const touched = () => Promise.reject(new Error('the data was read'));
    const world = createWorld(() => ({
      companyData: {
        version: touched,
        latestMetrics: touched,
        metricHistory: touched,
        metricHistories: touched,
        nearestValues: touched,
        recentValues: touched,
        metricRevisions: touched,
        metricNames: touched,
        metricEntries: touched,
        sources: touched,
        accounts: touched,
        countStopped: touched,
        findStopped: touched,
      },
    }));
    const newcomer = await world.newcomer();
    const attempt = () => read(world, newcomer.caller, newcomer.companyId);
    await expectRefusal(attempt, 'access_required');
    await world.grant(newcomer);
    await expect(attempt()).rejects.toThrow('the data was read');
  });

  test('aren’t looked up if the company id is malformed', async () => {
    const world = createWorld(({ accessFacts }) => ({
      accessFacts: { ...accessFacts, read: () => Promise.reject(new Error('asked')) },
    }));
    const { caller, companyId } = await world.newcomer();
    await expectRefusal(read(world, caller, 'impossible'), 'company_not_found');
    await expect(read(world, caller, companyId)).rejects.toThrow('asked');
  });
});

describe('a call that names its company at admission', () => {
  /** Creates a world that lists its access queries. Its `call` names the company at admission. */
  function createCountingWorld() {
    const asked: string[] = [];
    const world = createWorld(({ accessFacts }) => ({
      accessFacts: {
        ...accessFacts,
        authenticate(question) {
          asked.push(`authenticate ${question.companyId}`);
          return accessFacts.authenticate(question);
        },
        read(question) {
          asked.push(`read ${question.companyId}`);
          return accessFacts.read(question);
        },
      },
    }));
    async function call(secret: string, companyId: string): Promise<InvestorCaller> {
      asked.length = 0;
      const admission = await world.callers.admitCaller(secret, 1, aCall, companyId);
      if ('refusal' in admission) throw admission.refusal;
      return admission.caller;
    }
    return { ...world, asked, call };
  }

  test('is decided with one query for both the key and the access', async () => {
    const world = createCountingWorld();
    const { key, companyId } = await newcomerWithData(world);
    const attempt = async () => {
      const caller = await world.call(key, companyId);
      return world.callers.readSources(caller, { companyId });
    };
    await expectRefusal(attempt, 'access_required');
    const { id } = await world.request(key, companyId);
    await expectRefusal(attempt, 'access_pending');
    await world.operator.approveAccessRequest({ id });
    expect(await attempt()).not.toEqual([]);
    expect(world.asked).toEqual([`authenticate ${companyId}`]);
    await world.operator.revokeAccessRequest({ id });
    await expectRefusal(attempt, 'access_revoked');
  });

  test('doesn’t use its access facts for another company', async () => {
    const world = createCountingWorld();
    const newcomer = await newcomerWithData(world);
    await world.grant(newcomer);
    const stranger = await newcomerWithData(world);
    const caller = await world.call(newcomer.key, newcomer.companyId);
    await expectRefusal(
      world.callers.readSources(caller, { companyId: stranger.companyId }),
      'company_not_found',
    );
    expect(world.asked).toEqual([
      `authenticate ${newcomer.companyId}`,
      `read ${stranger.companyId}`,
    ]);
  });

  test('checks the access again for its second read', async () => {
    const world = createCountingWorld();
    const newcomer = await newcomerWithData(world);
    const { id } = await world.request(newcomer.key, newcomer.companyId);
    await world.operator.approveAccessRequest({ id });
    const caller = await world.call(newcomer.key, newcomer.companyId);
    expect(await world.callers.readSources(caller, { companyId: newcomer.companyId })).not.toEqual(
      [],
    );
    await world.operator.revokeAccessRequest({ id });
    await expectRefusal(
      world.callers.readSources(caller, { companyId: newcomer.companyId }),
      'access_revoked',
    );
    expect(world.asked).toEqual([
      `authenticate ${newcomer.companyId}`,
      `read ${newcomer.companyId}`,
    ]);
  });

  test('is admitted even with a malformed company id, but a read then returns company_not_found', async () => {
    const world = createCountingWorld();
    const { key } = await world.newcomer();
    const caller = await world.call(key, 'impossible');
    expect(world.asked).toEqual(['authenticate null']);
    await expectRefusal(
      world.callers.readSources(caller, { companyId: 'impossible' }),
      'company_not_found',
    );
  });

  test('is refused if its key or grant ends during the call', async () => {
    const world = createCountingWorld();
    const { key } = await world.newcomer({ expiresAt: later(day) });
    const ending = await newcomerWithData(world);
    await world.grant(ending, undefined, later(day));
    const callers = [
      [await world.call(key, 'co_any'), 'co_any', 'invalid_api_key'],
      [await world.call(ending.key, ending.companyId), ending.companyId, 'access_required'],
    ] as const;
    world.clock.set(later(day));
    for (const [caller, companyId, code] of callers) {
      await expectRefusal(world.callers.readSources(caller, { companyId }), code);
    }
  });
});

describe('a reader', () => {
  async function reader() {
    const world = createWorld();
    const newcomer = await newcomerWithData(world);
    await world.grant(newcomer);
    return { callers: world.callers, caller: newcomer.caller, companyId: newcomer.companyId };
  }

  test('gets the latest value of each metric, sorted by key', async () => {
    const { callers, caller, companyId } = await reader();
    const metrics = await callers.readLatestMetrics(caller, { companyId });
    expect(metrics.map(({ key, period, rawValue }) => [key, period, rawValue])).toEqual([
      ['cash_balance', '2026-10-31', '990000.25'],
      ['headcount', '2026-10-31', '48'],
    ]);
  });

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
    [{ from: '2026-09-01', to: '2026-10-30' }, ['2026-09-30']],
    [{ from: '2026-10-31', to: '2026-08-31' }, []],
    [{ from: null, to: null }, ['2026-08-31', '2026-09-30', '2026-10-31']],
  ])('gets the history of a metric within %j, both ends included', async (periods, expected) => {
    const { callers, caller, companyId } = await reader();
    const key = 'cash_balance';
    const history = await callers.readMetricHistory(caller, { companyId, key, ...periods });
    expect(history.map(({ period }) => period)).toEqual(expected);
  });

  test('gets the latest value of one metric', async () => {
    const { callers, caller, companyId } = await reader();
    expect(
      await callers.readLatestMetric(caller, { companyId, key: 'cash_balance' }),
    ).toMatchObject({
      companyId,
      key: 'cash_balance',
      period: '2026-10-31',
      rawValue: '990000.25',
    });
  });

  test('gets the history of a metric, oldest first', async () => {
    const { callers, caller, companyId } = await reader();
    const history = await callers.readMetricHistory(caller, { companyId, key: 'cash_balance' });
    expect(history.map(({ period }) => period)).toEqual(['2026-08-31', '2026-09-30', '2026-10-31']);
  });

  test('gets the sources, sorted by provider', async () => {
    const { callers, caller, companyId } = await reader();
    const sources = await callers.readSources(caller, { companyId });
    expect(sources.map(({ provider, status }) => [provider, status])).toEqual([
      ['gusto', 'error'],
      ['mercury', 'connected'],
    ]);
  });

  test('gets the accounts, sorted by provider', async () => {
    const { callers, caller, companyId } = await reader();
    const accounts = await callers.readAccounts(caller, { companyId });
    expect(accounts.map(({ provider, balance }) => [provider, balance])).toEqual([
      ['brex', '-$1,200'],
      ['mercury', '$990,000.25'],
    ]);
  });

  test('gets twenty of the existing metric keys in the error for an unknown metric', async () => {
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
    'gets an error for a single metric %j without data, but an empty history',
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

  test('can’t make the database look up a metric with a malformed key', async () => {
    const asked: string[] = [];
    const world = createWorld(({ companyData }) => ({
      companyData: {
        ...companyData,
        latestMetrics: async () => {
          asked.push('the latest');
          return [];
        },
        metricHistory: async (_company, key) => {
          asked.push(key);
          return [];
        },
        metricRevisions: async (_company, key) => {
          asked.push(`revisions of ${key}`);
          return [];
        },
        metricHistories: async (_company, keys) => {
          asked.push(...keys);
          return [];
        },
      },
    }));
    const newcomer = await world.newcomer();
    await world.grant(newcomer);
    const longest = `x${'y'.repeat(63)}`;
    for (const key of [
      'a',
      '0',
      'a.b-c_D',
      longest,
      '',
      '.a',
      '-a',
      '_a',
      `${longest}z`,
      'a b',
      'a\n',
    ]) {
      await world.callers
        .readLatestMetric(newcomer.caller, { companyId: newcomer.companyId, key })
        .catch(() => undefined);
      const read = { companyId: newcomer.companyId, key };
      await world.callers.readMetricHistory(newcomer.caller, read);
      await world.callers.readMetricRevisions(newcomer.caller, read);
      const several = { companyId: newcomer.companyId, keys: [key] };
      await world.callers.readMetricHistories(newcomer.caller, several);
    }
    const good = ['a', '0', 'a.b-c_D', longest];
    // The latest values are read without the key, because the refusal lists the existing metrics.
    const byKey = asked.filter((question) => question !== 'the latest');
    expect(byKey).toEqual(good.flatMap((key) => [key, `revisions of ${key}`, key]));
  });
});

describe('reports', () => {
  test('return not_implemented if the key has their scope', async () => {
    const { world, caller } = await aNewcomer({ scopes: ['reports:read'] });
    await expectRefusal(() => world.callers.readReports(caller), 'not_implemented');
  });

  test('are refused with insufficient_scope if the key lacks their scope', async () => {
    const { world, caller } = await aNewcomer({ scopes: ['metrics:read'] });
    const error = await expectRefusal(
      () => world.callers.readReports(caller),
      'insufficient_scope',
    );
    expect(error.message).toBe('The API key lacks the scope reports:read.');
  });
});
