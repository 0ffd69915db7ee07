import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { isRequestEvent } from '#core';
import { describeOnPostgres, withClient } from '../support/databases.ts';
import { type OperatorSide, openOperatorSide } from '../support/operator.ts';
import { allEvents } from '../support/operator-events.ts';

const day = 86_400_000;

await describeOnPostgres('the sweeps of two processes', (createDatabase) => {
  let url: string;
  let sides: readonly [OperatorSide, OperatorSide];

  beforeAll(async () => {
    ({ url } = await createDatabase());
    const open = () => openOperatorSide({ DATABASE_URL: url });
    sides = [await open(), await open()];
  });
  afterEach(() => vi.useRealTimers());
  afterAll(async () => {
    for (const side of sides) await side.close();
  });

  async function addGrants(count: number): Promise<string[]> {
    const { fixtures } = sides[0];
    const ids: string[] = [];
    for (let index = 0; index < count; index += 1) {
      const expiresAt = new Date(Date.now() + 30 * day);
      ids.push((await fixtures.grant(await fixtures.portfolio(), ['metrics:read'], expiresAt)).id);
    }
    return ids;
  }

  const setClock = (days: number) =>
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + days * day });

  async function countEvents(ids: readonly string[], type: string): Promise<number> {
    const events = (await allEvents(sides[0].operator)).filter(isRequestEvent);
    return events.filter(
      (event) => event.type.endsWith(type) && ids.includes(event.accessRequest.id),
    ).length;
  }

  test('send one notice per grant and expire each grant once, however often both processes run', async () => {
    const ids = await addGrants(3);
    setClock(24);
    for (let turn = 0; turn < 5; turn += 1) {
      await Promise.all(sides.map(({ background }) => background.announceExpiringGrants()));
    }
    expect(await countEvents(ids, '.expiring')).toBe(3);
    setClock(7);
    for (let turn = 0; turn < 5; turn += 1) {
      await Promise.all(sides.map(({ background }) => background.expireAccessRequests()));
    }
    expect(await countEvents(ids, '.expired')).toBe(3);
  });

  test('skip a locked grant, and the next sweep expires it', async () => {
    const ids = await addGrants(3);
    setClock(31);
    const [{ background }] = sides;
    await withClient(url, async (client) => {
      await client.query('begin');
      await client.query('select from access_request where id = $1 for update', [ids[0]]);
      expect(await background.expireAccessRequests()).toBe(2);
      await client.query('rollback');
      expect(await background.expireAccessRequests()).toBe(1);
    });
    expect(await countEvents(ids, '.expired')).toBe(3);
  });
});
