import { describe, expect, test } from 'vitest';
import type { Reading, Source } from '#core';
import { importLines } from '../../../support/fixtures.ts';
import { createWorld, day, later, start, type World } from '../../world.ts';

/** A company with a source that is expected every day, and one that every week. */
async function withExpectations(world: World) {
  const newcomer = await world.newcomer();
  const { companyId } = newcomer;
  await importLines(
    world.operator,
    ['P1D', 'P7D'].map((expected_every) => ({
      type: 'source',
      company_id: companyId,
      provider: expected_every,
      status: 'connected',
      account_name: 'Main',
      last_synced_at: start.toISOString(),
      expected_every,
    })),
  );
  await world.grant(newcomer);
  return newcomer;
}

describe('sources that are expected', () => {
  test('have another name, under which what is made of them is kept, in each state', async () => {
    const world = createWorld();
    const { caller, companyId } = await withExpectations(world);
    const readAt = async (milliseconds: number) => {
      world.clock.set(later(milliseconds));
      const keep = async (reading: Reading<readonly Source[]>) => ({
        name: reading.name,
        statuses: (await reading.load()).map(({ status }) => status),
      });
      return world.callers.readSources(caller, { companyId }, keep);
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

  test('are counted for the operator as they are now', async () => {
    const world = createWorld();
    await withExpectations(world);
    const none = { stale: 0, failed: 0 };
    expect(await world.background.countStoppedSources()).toEqual({ live: none, test: none });
    world.clock.set(later(day));
    expect(await world.background.countStoppedSources()).toEqual({
      live: { stale: 1, failed: 0 },
      test: none,
    });
  });
});
