import { describe, expect, test } from 'vitest';
import { importLines, sampleData } from '../../../support/fixtures.ts';
import { pagesOf } from '../../pages.ts';
import { createWorld, later, start } from '../../world.ts';

/**
 * A company that two investors read. Each letter in `turns` is one read, one millisecond apart. `s`
 * is a read by the investor that reads seldom, `o` by the one that reads often.
 */
async function readInTurns(turns: string) {
  const world = createWorld(({ accessRecords }) => ({
    accessRecords: {
      ...accessRecords,
      findCursor: (company) => accessRecords.findCursor(company, 2),
    },
  }));
  const seldom = await world.newcomer();
  const { companyId } = seldom;
  await importLines(world.operator, sampleData(companyId));
  const often = await world.anotherInvestor(companyId);
  for (const investor of [seldom, often]) await world.grant({ ...seldom, ...investor });
  for (const turn of turns) {
    world.clock.advance(1);
    const caller = turn === 's' ? seldom.caller : often.caller;
    await world.callers.readLatestMetrics(caller, { companyId });
  }
  const self = await world.admitCompany(companyId);
  /** Returns the times of the reads, in milliseconds after the start, and the page's cursor. */
  return async (input: object = {}) => {
    const filter = { investorId: seldom.investor.id, ...input };
    const { items, nextCursor } = await world.companies.listReceivedRecords(self, filter);
    return {
      turns: items.map(({ occurredAt }) => occurredAt.getTime() - start.getTime()),
      nextCursor,
    };
  };
}

const often = (times: number) => 'o'.repeat(times);

const somewhere: unknown = expect.any(String);

describe('one investor’s access records among many others', () => {
  test('are found between many other records', async () => {
    const list = await readInTurns(`s${often(30)}s`);
    expect(await list()).toEqual({ turns: [32, 1], nextCursor: null });
  });

  test('come in a page that ends early if the search takes too long, and continue on the next page', async () => {
    const list = await readInTurns(`s${often(60)}s`);
    const first = await list();
    expect(first).toEqual({ turns: [62], nextCursor: somewhere });
    expect(await list({ cursor: first.nextCursor })).toEqual({ turns: [1], nextCursor: null });
  });

  test('are searched with at most twenty statements per page', async () => {
    const within = await readInTurns(`s${often(38)}s`);
    expect(await within()).toMatchObject({ turns: [40, 1] });
    const beyond = await readInTurns(`s${often(39)}s`);
    expect(await beyond()).toEqual({ turns: [41], nextCursor: somewhere });
  });

  test('are searched only back to the start of the requested period', async () => {
    const far = await readInTurns(`s${often(60)}s`);
    expect(await far({ since: later(61) })).toEqual({ turns: [62], nextCursor: null });
    expect(await far({ since: later(1) })).toEqual({ turns: [62], nextCursor: somewhere });
    const near = await readInTurns(`s${often(10)}s`);
    expect(await near({ since: later(1) })).toEqual({ turns: [12, 1], nextCursor: null });
    expect(await near({ since: later(2) })).toEqual({ turns: [12], nextCursor: null });
  });

  test('come in full pages without gaps or duplicates, however far apart the records are', async () => {
    const list = await readInTurns(`s${often(60)}ssos`);
    const pages = await pagesOf(async (cursor) => {
      const { turns: items, nextCursor } = await list({ limit: 1, cursor });
      return { items, nextCursor };
    });
    expect(pages).toEqual([[65], [63], [62], [1]]);
  });
});

describe('the access records of all investors', () => {
  test('come in one page of the requested size, but in more pages if they are filtered by scope', async () => {
    const list = await readInTurns(`s${often(60)}s`);
    const all = { investorId: null, limit: 200 };
    const whole = await list(all);
    expect([whole.turns.length, whole.nextCursor]).toEqual([62, null]);
    const some = await list({ ...all, scope: 'metrics:read' });
    expect([some.turns.length, some.nextCursor]).toEqual([40, somewhere]);
  });
});
