import { describe, expect, test, vi } from 'vitest';
import { type Metric, type MetricRevision, metricHeader, metricPayload } from '#core';
import { importLines, sampleData } from '../../../support/fixtures.ts';
import { recordsIn } from '../../../support/records-in.ts';
import { withoutKey } from '../../builders.ts';
import { aNewcomer, createWorld, expectRefusal, start, type World } from '../../world.ts';
import { importIn } from './push-steps.ts';

const company = { type: 'company', id: 'co_harbor', name: 'Harbor', environment: 'test' };
async function historyIn(world: World, withRevisions = false): Promise<readonly MetricRevision[]> {
  const query = { companyId: 'co_harbor', key: 'cash_balance', withRevisions };
  return world.operator.showMetricHistory(query);
}

const isSigned = ({ verification }: MetricRevision) => verification.signed;

const amounts = (...values: readonly number[]) =>
  values.map((raw_value) => ({ ...sampleData('co_harbor')[0], raw_value }));

async function importAll(world: World, ...records: readonly object[]) {
  const { result, reasons } = await importIn(world, [company, ...records]);
  expect(reasons).toEqual([]);
  return result;
}

describe('an import', () => {
  test('signs each value, and the signature contains the time of signing', async () => {
    const world = createWorld();
    expect(await importAll(world, ...sampleData('co_harbor'))).toMatchObject({
      signed: 4,
      unsigned: 0,
    });
    const [metric] = await historyIn(world);
    expect(metric?.verification).toMatchObject({
      verified: true,
      signed: true,
      signature: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]{86}$/),
      publicKeyUrl: 'https://access.example/.well-known/jwks.json',
      signedAt: start,
      revision: 1,
    });
    expect(metric?.verification).not.toHaveProperty('sourceSignature');
  });
});

describe('a value without a signature', () => {
  async function createUnsigned() {
    const unsigned = createWorld(withoutKey);
    expect(await importAll(unsigned, ...amounts(1))).toMatchObject({ signed: 0, unsigned: 1 });
    await importAll(unsigned, ...amounts(2));
    const world = createWorld(({ signer: _, ...memory }) => ({
      ...unsigned.ports,
      signer: {
        reload: async () => false,
        rotate: () => Promise.reject(),
        register: () => Promise.reject(),
        async current() {
          const { number, kid } = await unsigned.ports.signingKeys.register(
            { kid: 'kid_1', x: 'x' },
            memory.clock.now(),
          );
          return { keyNumber: number, kid, sign: () => new Uint8Array(64) };
        },
      },
    }));
    return { world, unsigned };
  }

  test('is signed by a later run, including its earlier revisions, and only once', async () => {
    const { world } = await createUnsigned();
    expect(await world.operator.signMissingMetrics()).toBe(2);
    expect((await historyIn(world, true)).map(isSigned)).toEqual([true, true]);
    expect(await world.operator.signMissingMetrics()).toBe(0);
  });

  test('stays unsigned until the service has a signing key', async () => {
    const { unsigned } = await createUnsigned();
    await expectRefusal(
      unsigned.operator.signMissingMetrics(),
      'signing_key_missing',
      /SIGNING_KEY_FILE/,
    );
    expect((await historyIn(unsigned, true)).some(isSigned)).toBe(false);
  });
});

describe('the history of a metric for an operator', () => {
  test('shows the newest revision of each value, or all revisions', async () => {
    const world = createWorld();
    await importAll(world, ...amounts(1));
    await importAll(world, ...amounts(2));
    const shown = async (withRevisions: boolean) =>
      (await historyIn(world, withRevisions)).map(({ revision, rawValue }) => [revision, rawValue]);
    expect(await shown(false)).toEqual([[2, '2']]);
    expect(await shown(true)).toEqual([
      [1, '1'],
      [2, '2'],
    ]);
  });

  test('shows the current data, in the environment of the company', async () => {
    const world = createWorld();
    const read = vi.spyOn(world.ports.companyData, 'metricHistory');
    await importAll(world, ...amounts(1));
    await historyIn(world);
    const impossible = world.operator.showMetricHistory({ companyId: 'co_harbor', key: '½' });
    await expectRefusal(impossible, 'metric_not_found', /no data for ½/);
    const publicKeyUrl = 'https://access.example/.well-known/jwks.json';
    expect(read.mock.calls.map(([company]) => company)).toEqual([
      { companyId: 'co_harbor', environment: 'test', dataVersion: '1', publicKeyUrl, terms: null },
    ]);
  });

  test('is refused for an unknown company or metric', async () => {
    const world = createWorld();
    await importAll(world);
    const show = (companyId: string, key: string) =>
      world.operator.showMetricHistory({ companyId, key });
    await expectRefusal(show('co_nobody', 'mrr'), 'company_not_found', /company/);
    await expectRefusal(show('co_harbor', 'mrr'), 'metric_not_found', /no data for mrr/);
  });
});

describe('the revisions of a metric', () => {
  test.each([
    [{ from: '2026-09-30' }, ['2026-09-30', '2026-09-30', '2026-10-31']],
    [{ to: '2026-09-30' }, ['2026-08-31', '2026-09-30', '2026-09-30']],
  ])('are read within %j, and both end dates are included', async (periods, expected) => {
    const { world, newcomer, companyId, caller } = await aNewcomer();
    const data = sampleData(companyId);
    await importLines(world.operator, data);
    await importLines(world.operator, [{ ...data[0], raw_value: 7 }]);
    await world.grant(newcomer);
    const query = { companyId, key: 'cash_balance', ...periods };
    const revisions = await world.callers.readMetricRevisions(caller, query);
    expect(revisions.map(({ period }) => period)).toEqual(expected);
  });

  test('are read after the access check, with an access record for metric_history', async () => {
    const { world, newcomer, companyId, caller } = await aNewcomer();
    await importLines(world.operator, sampleData(companyId));
    await world.grant(newcomer);
    const read = (key: string) => world.callers.readMetricRevisions(caller, { companyId, key });
    expect((await read('cash_balance')).length).toBeGreaterThan(0);
    expect(await read('½')).toEqual([]);
    const records = recordsIn(await world.callers.listAccessRecords(caller));
    expect(records.map(({ resource, metricKey }) => [resource, metricKey])).toContainEqual([
      'metric_history',
      'cash_balance',
    ]);
  });
});

test('the signed text of a value never changes', () => {
  const header = Buffer.from(metricHeader('kid_1'), 'base64url').toString();
  expect(header).toBe('{"alg":"EdDSA","kid":"kid_1","typ":"metric+jws"}');
  const claims = {
    environment: 'live',
    companyId: 'co_harbor',
    key: 'cash_balance',
    period: '2026-10-31',
    rawValue: '4182300.55' as Metric['rawValue'],
    currency: null,
    asOf: new Date('2026-10-31T23:59:59.000Z'),
    source: {
      system: 'Größe “\\” 🏦',
      method: 'api',
      lastSynced: new Date('2026-11-01T04:00:00.000Z'),
    },
    revision: 2,
  } as const;
  expect(metricPayload(claims, start)).toBe(
    '{"v":1,"environment":"live","company_id":"co_harbor","key":"cash_balance","period":"2026-10-31","raw_value":"4182300.55","currency":null,"as_of":"2026-10-31T23:59:59.000Z","source":{"system":"Größe “\\\\” 🏦","method":"api","last_synced":"2026-11-01T04:00:00.000Z"},"revision":2,"signed_at":"2026-11-02T09:30:00.000Z"}',
  );
});
