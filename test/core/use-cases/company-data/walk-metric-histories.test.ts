import { describe, expect, test, vi } from 'vitest';
import type { Metric, WalkMetricHistoriesInput } from '#core';
import { importLines, sampleData } from '../../../support/fixtures.ts';
import { createWorld, expectRefusal, later, type World } from '../../world.ts';

const keys = ['cash_balance', 'headcount'];

/** An investor, two companies that have granted access, and a counter of the database reads of histories. */
async function aWorld() {
  const world = createWorld();
  const read = vi.spyOn(world.ports.companyData, 'metricHistory');
  const newcomer = await world.newcomer();
  const second = await world.companyOf(newcomer.investor);
  for (const company of [newcomer.company, second]) {
    await importLines(world.operator, sampleData(company.id));
  }
  const grant = await world.grant(newcomer);
  await world.grant({ ...newcomer, company: second });
  const companyIds = [newcomer.companyId, second.id];
  const walk = (input: Partial<WalkMetricHistoriesInput> = {}) =>
    world.callers.walkMetricHistories(newcomer.caller, { companyIds, keys, ...input });
  return { world, ...newcomer, companyIds, grant, walk, reads: () => read.mock.calls.length };
}

const outcomesOf = async ({ operator }: World, companyId: string) =>
  (await operator.listCompanyAccessRecords({ companyId, limit: 10 })).records.map(
    ({ outcome }) => outcome,
  );

const periodsOf = (walked: unknown): string[] =>
  (walked as { history: Metric[] }).history.map(({ period }) => period);

describe('a walk, which returns the metric histories of several companies one by one', () => {
  test('reads each history from the database only when the caller requests it', async () => {
    const { world, walk, reads, companyIds } = await aWorld();
    const walked = walk();
    expect(periodsOf((await walked.next()).value)).toEqual([
      '2026-08-31',
      '2026-09-30',
      '2026-10-31',
    ]);
    expect(reads()).toBe(1);
    expect(await outcomesOf(world, companyIds[1] ?? '')).toEqual([]);
    expect(periodsOf((await walked.next()).value)).toEqual(['2026-10-31']);
    await walked.next();
    expect(reads()).toBe(3);
    for (const id of companyIds) expect(await outcomesOf(world, id)).toEqual(['allowed']);
  });

  test('is refused for a key without the scope, and leaves an access record for each company', async () => {
    const { world, investor, companyIds } = await aWorld();
    const { key } = await world.key(investor, { scopes: ['companies:read'] });
    const caller = await world.admit(key);
    const walked = world.callers.walkMetricHistories(caller, { companyIds, keys });
    await expectRefusal(walked.next(), 'insufficient_scope');
    for (const id of companyIds) {
      expect(await outcomesOf(world, id)).toEqual(['insufficient_scope']);
    }
  });

  test('reads a repeated company or metric only once', async () => {
    const { world, walk, reads, companyIds } = await aWorld();
    const items = await Array.fromAsync(
      walk({ companyIds: [...companyIds, ...companyIds], keys: [...keys, ...keys] }),
    );
    expect([items.length, reads()]).toEqual([4, 4]);
    for (const id of companyIds) expect(await outcomesOf(world, id)).toEqual(['allowed']);
  });

  test('applies a revocation to all companies that it reads afterwards', async () => {
    const { world, walk, companyIds, grant } = await aWorld();
    const walked = walk({ companyIds: companyIds.toReversed() });
    await walked.next();
    await world.operator.revokeAccessRequest({ id: grant.id });
    const rest = await Array.fromAsync(walked);
    expect(rest.at(-1)).toEqual({
      refusal: { companyId: companyIds[0], code: 'access_revoked' },
    });
  });

  test('checks the access again after one second, without a second access record', async () => {
    const { world, walk, reads, companyIds, grant } = await aWorld();
    const walked = walk({ keys: [...keys, 'none'] });
    await walked.next();
    await world.operator.revokeAccessRequest({ id: grant.id });
    world.clock.set(later(1_000));
    expect(periodsOf((await walked.next()).value)).toEqual(['2026-10-31']);
    world.clock.set(later(1_001));
    expect((await walked.next()).value).toEqual({
      refusal: { companyId: companyIds[0], code: 'access_revoked' },
    });
    expect(reads()).toBe(2);
    expect(await outcomesOf(world, companyIds[0] ?? '')).toEqual(['allowed']);
    await walked.next();
    world.clock.set(later(3_000));
    expect(periodsOf((await walked.next()).value)).toEqual(['2026-10-31']);
  });

  test('ends when the key is revoked', async () => {
    const { world, walk, keyId } = await aWorld();
    const walked = walk();
    await walked.next();
    await world.operator.revokeApiKey({ id: keyId });
    world.clock.set(later(1_001));
    await expectRefusal(walked.next(), 'invalid_api_key');
  });

  test('returns a company’s data only after its access record is committed', async () => {
    const { walk, world, companyIds } = await aWorld();
    const { record } = world.ports.accessRecords;
    const down = new Error('no record can be kept');
    world.ports.accessRecords.record = (read) =>
      read.companyId === companyIds[1] ? Promise.reject(down) : record(read);
    const walked = walk();
    for (const _ of keys) expect((await walked.next()).value).toHaveProperty('history');
    await expect(walked.next()).rejects.toBe(down);
  });

  test('throws an error if the database is down, instead of returning a refusal', async () => {
    const { walk, world } = await aWorld();
    const down = new Error('the database is away');
    world.ports.companyData.metricHistory = () => Promise.reject(down);
    await expect(walk().next()).rejects.toBe(down);
  });
});
