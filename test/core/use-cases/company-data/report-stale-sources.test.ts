import { describe, expect, test, vi } from 'vitest';
import { isRequestEvent } from '#core';
import { importLines } from '../../../support/fixtures.ts';
import { sourceLine } from '../../builders.ts';
import { createWorld, day, later, start, type World } from '../../world.ts';

const expected = (companyId: string, expected_every: string, synced = start) =>
  sourceLine(companyId, {
    ...{ provider: expected_every, expected_every, last_synced_at: synced.toISOString() },
  });

/** A company with two sources: one with a daily and one with a weekly sync interval. */
async function withExpectations(world: World) {
  const newcomer = await world.newcomer();
  const { companyId } = newcomer;
  await importLines(
    world.operator,
    ['P1D', 'P7D'].map((every) => expected(companyId, every)),
  );
  await world.grant(newcomer);
  return newcomer;
}

describe('sources with a sync interval', () => {
  test('have a different cache name after each change of their statuses', async () => {
    const world = createWorld();
    const { caller, companyId } = await withExpectations(world);
    const readAt = async (milliseconds: number) => {
      world.clock.set(later(milliseconds));
      const reading = await world.readers.readSources(caller, { companyId });
      const statuses = (await reading.load()).map(({ status }) => status);
      return { name: reading.name, statuses };
    };
    const fresh = await readAt(day - 1);
    expect(fresh.statuses).toEqual(['connected', 'connected']);
    const stale = await readAt(day);
    expect(stale.statuses).toEqual(['stale', 'connected']);
    const all = await readAt(7 * day);
    expect(all.statuses).toEqual(['stale', 'stale']);
    expect(new Set([fresh.name, stale.name, all.name]).size).toBe(3);
    expect(await readAt(0)).toEqual(fresh);
    expect(await readAt(7 * day - 1)).toEqual(stale);
  });

  test('are counted for the operator with their current status', async () => {
    const world = createWorld();
    await withExpectations(world);
    const none = { stale: 0, failed: 0 };
    expect(await world.background.countUnhealthySources()).toEqual({ live: none, test: none });
    world.clock.set(later(day));
    expect(await world.background.countUnhealthySources()).toEqual({
      live: { stale: 1, failed: 0 },
      test: none,
    });
  });
});

describe('stale sources', () => {
  async function toldTo(world: World, { caller }: Awaited<ReturnType<typeof withExpectations>>) {
    const { events } = await world.callers.readInvestorEvents(caller);
    return events.flatMap((event) =>
      isRequestEvent(event) || event.type === 'company_data.updated'
        ? []
        : [[event.type, event.data.provider, event.createdAt]],
    );
  }

  test('are reported once, and again if they become stale after a new sync', async () => {
    const world = createWorld();
    const newcomer = await withExpectations(world);
    const sweepAt = (milliseconds: number) => {
      world.clock.set(later(milliseconds));
      return world.background.reportStaleSources();
    };
    expect(await sweepAt(day - 1)).toBe(0);
    expect(await sweepAt(day)).toBe(1);
    expect(await sweepAt(2 * day)).toBe(0);
    await importLines(world.operator, [expected(newcomer.companyId, 'P1D', later(2 * day))]);
    expect(await sweepAt(3 * day)).toBe(1);
    expect(await toldTo(world, newcomer)).toEqual([
      ['source.stale', 'P1D', later(day)],
      ['source.recovered', 'P1D', later(2 * day)],
      ['source.stale', 'P1D', later(3 * day)],
    ]);
  });

  test('are reported in one event if several become stale between two sweeps', async () => {
    const world = createWorld();
    const { caller } = await withExpectations(world);
    world.clock.set(later(7 * day));
    expect(await world.background.reportStaleSources()).toBe(2);
    const { events } = await world.callers.readInvestorEvents(caller);
    const stale = events.flatMap((event) => (event.type === 'source.stale' ? [event.data] : []));
    expect(stale).toMatchObject([{ sourceCount: 2 }]);
  });

  test('are reported only to investors with a grant for sources', async () => {
    const world = createWorld();
    const newcomer = await withExpectations(world);
    const other = await world.newcomer();
    world.clock.set(later(day));
    await world.background.reportStaleSources();
    expect(await toldTo(world, newcomer)).toHaveLength(1);
    expect(await toldTo(world, { ...newcomer, caller: other.caller })).toEqual([]);
    const narrow = { ...newcomer.caller, scopes: ['companies:read', 'metrics:read'] as const };
    expect(await toldTo(world, { ...newcomer, caller: narrow })).toEqual([]);
  });

  test('are reported for all other companies if the sweep fails for one company and then throws', async () => {
    const broken = new Error('broken');
    const world = createWorld();
    const { companyId } = await withExpectations(world);
    const { writeStaleEvents } = world.ports.imports;
    const write = vi.spyOn(world.ports.imports, 'writeStaleEvents');
    write.mockImplementation((id, ...rest) =>
      id === companyId ? Promise.reject(broken) : writeStaleEvents(id, ...rest),
    );
    for (let count = 0; count < 201; count += 1) {
      const id = `co_many_${count}`;
      await importLines(world.operator, [
        { type: 'company', id, name: 'Many', environment: 'test' },
        expected(id, 'P1D'),
      ]);
    }
    world.clock.set(later(7 * day));
    await expect(world.background.reportStaleSources()).rejects.toMatchObject({
      message: 'the sweep skipped stale sources; companies: 1',
      cause: broken,
    });
    write.mockRestore();
    expect(await world.background.reportStaleSources()).toBe(2);
  });

  test('are left for the next sweep if the service shuts down', async () => {
    const world = createWorld();
    await withExpectations(world);
    world.clock.set(later(day));
    expect(await world.background.reportStaleSources({ isStopping: () => true })).toBe(0);
    expect(await world.background.reportStaleSources()).toBe(1);
  });
});
