import { describe, expect, test, vi } from 'vitest';
import {
  type Consistency,
  type ConsistencyCheck,
  type Inconsistency,
  type MetricClaims,
  parseDecimal,
  type StoredValue,
  signMetric,
} from '#core';
import { confirm } from '../../../support/receipt-chain.ts';
import { createWorld, later, start, type World } from '../../world.ts';
import { worldWithRequest, worldWithRequestAndKey } from '../consent/receipt-steps.ts';

async function find({ operator }: Pick<World, 'operator'>, check: ConsistencyCheck) {
  const found: Inconsistency[] = [];
  await operator.findInconsistencies(check, (one) => found.push(one));
  return found;
}

const worldWith = (given: Partial<Consistency>) =>
  createWorld(({ consistency }) => ({ consistency: { ...consistency, ...given } }));

describe('the stored consents', () => {
  test('are not reported if they have no inconsistency', async () => {
    const { world, id } = await worldWithRequest();
    await world.operator.approveAccessRequest({ id });
    expect(await find(world, 'consents')).toEqual([]);
  });

  const changing = (change: object) =>
    worldWithRequest(({ consistency }) => ({
      consistency: {
        ...consistency,
        async *walkConsents(which) {
          for await (const trails of consistency.walkConsents(which)) {
            yield trails.map((trail) => ({
              ...trail,
              receipts: trail.receipts.map((receipt) => ({ ...receipt, ...change })),
            }));
          }
        },
      },
    }));

  test.each([
    ['a signature of other content', { companyName: 'Other' }],
    [
      'a signature by an unknown key',
      { signature: { keyNumber: 9, kid: 'unknown', bytes: new Uint8Array(64) } },
    ],
  ])('are reported if a receipt has %s', async (_what, change) => {
    const { world, id } = await changing(change);
    const problem = expect.stringMatching(/^the signature of the receipt rcpt_\w+ is wrong$/);
    expect(await find(world, 'consents')).toEqual([{ check: 'consents', subject: id, problem }]);
  });

  test('are reported with only the first of several problems, here the wrong company id', async () => {
    const { world, id } = await changing({ companyId: 'co_other' });
    expect(await find(world, 'consents')).toMatchObject([
      { subject: id, problem: expect.stringContaining(': companyId') },
    ]);
  });

  test('are reported if a receipt belongs to another access request', async () => {
    const world = worldWith({ listStrayReceipts: async () => ['rcpt_stray'] });
    expect(await find(world, 'consents')).toEqual([
      {
        check: 'consents',
        subject: 'rcpt_stray',
        problem: 'the event of this receipt belongs to another request',
      },
    ]);
  });

  test('are reported for an unsigned receipt if there is a signing key, until sign --missing has run', async () => {
    const { world, id, key } = await worldWithRequestAndKey(false);
    expect(await find(world, 'consents')).toEqual([]);
    key.isThere = true;
    await world.ports.signer.current();
    expect(await find(world, 'consents')).toMatchObject([
      { subject: id, problem: expect.stringContaining("isn't signed; run sign --missing") },
    ]);
    await world.operator.signMissingReceipts({ confirm });
    expect(await find(world, 'consents')).toEqual([]);
  });
});

test('a gap in the positions of the event feed is reported', async () => {
  const since: Date[] = [];
  const world = worldWith({
    async readFeed(instant) {
      since.push(instant);
      const runs = [1n, 3n].map((position) => ({ first: position, last: position }));
      return { lastPosition: 3n, highestPosition: 3n, runs, consumers: [] };
    },
  });
  expect(await find(world, 'feed')).toEqual([
    { check: 'feed', subject: 'feed', problem: 'no event has the positions 2 to 2' },
  ]);
  expect(since).toEqual([later(-89 * 86_400_000)]);
});

test('companies with an outdated data version and outdated company names in portfolios are reported', async () => {
  const world = worldWith({
    async *listOutdatedVersions() {
      yield ['co_1'];
      yield ['co_2'];
    },
    listOutdatedNames: async () => ['co_3'],
  });
  expect((await find(world, 'versions')).map(({ subject }) => subject)).toEqual(['co_1', 'co_2']);
  expect(await find(world, 'names')).toEqual([
    { check: 'names', subject: 'co_3', problem: 'a portfolio has a different name for it' },
  ]);
});

test('settings without a log entry are reported with their owner', async () => {
  const settings = [{ type: 'contact', id: 'ct_1', state: {} }] as const;
  const world = worldWith({
    async *walkSettings() {
      yield [
        { owner: { companyId: 'co_1' }, settings, log: [] },
        { owner: { investorId: 'inv_1' }, settings, log: [] },
      ];
    },
  });
  const problem = "the contact ct_1 isn't in the log";
  expect(await find(world, 'settings')).toEqual([
    { check: 'settings', subject: 'co_1', problem },
    { check: 'settings', subject: 'inv_1', problem },
  ]);
});

test('values with a missing revision or an invalid signature are reported', async () => {
  const claims: MetricClaims = {
    ...{ environment: 'live', companyId: 'co_1', key: 'arr', period: '2026-10-31' },
    ...{ rawValue: parseDecimal('1'), currency: null, asOf: start, revision: 1 },
    source: { system: 'ledger', method: 'api', lastSynced: start },
  };
  const values: StoredValue[] = [];
  const world = worldWith({
    async *walkValues() {
      yield values;
    },
  });
  const identity = await world.ports.signer.current();
  if (identity === null) throw new Error('there is no key');
  const { signature: bytes, signedAt } = signMetric(identity, claims, start);
  const signature = { kid: identity.kid, signedAt, bytes };
  values.push(
    [{ claims, isNewest: true, signature }],
    [{ claims: { ...claims, key: 'mrr' }, isNewest: true, signature: null }],
    [{ claims: { ...claims, period: '2026-09-30' }, isNewest: true, signature }],
    [{ claims: { ...claims, revision: 2 }, isNewest: true, signature: null }],
  );
  expect(await find(world, 'values')).toEqual([
    {
      check: 'values',
      subject: 'co_1 arr 2026-09-30',
      problem: 'the signature of revision 1 is wrong',
    },
    {
      check: 'values',
      subject: 'co_1 arr 2026-10-31',
      problem: expect.stringContaining('its revisions are 2*'),
    },
  ]);
});

test('days whose counts differ from their access records are reported', async () => {
  const world = createWorld();
  const days = vi.spyOn(world.ports.accessStatistics, 'listMiscountedDays');
  days.mockResolvedValue(['2026-10-31']);
  expect(await find(world, 'counts')).toEqual([
    {
      check: 'counts',
      subject: '2026-10-31',
      problem: 'its counts differ from its access records',
    },
  ]);
});
