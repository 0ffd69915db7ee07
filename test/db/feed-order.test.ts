import { expect, test } from 'vitest';
import { createAccessEvent, operator } from '#core';
import { addPair, addRequests, anAccessRequest, at, freshId } from '../contracts/builders.ts';
import { describeOnPostgres, useDatabase } from '../support/databases.ts';

await describeOnPostgres('the order of the feed', (createDatabase) => {
  const database = useDatabase(createDatabase);

  /** Writes an event in a transaction that stays open until the test commits it. The event already has its number. */
  async function begin(request: ReturnType<typeof anAccessRequest>) {
    const { accessRequests } = database.repositories;
    const written = Promise.withResolvers<void>();
    const mayEnd = Promise.withResolvers<void>();
    const event = createAccessEvent(freshId('evt'), request, operator, at());
    const ended = accessRequests.transact(null, async (transaction) => {
      await transaction.addEvent(event, null);
      written.resolve();
      await mayEnd.promise;
    });
    await written.promise;
    return {
      id: event.id,
      commit() {
        mayEnd.resolve();
        return ended;
      },
    };
  }

  async function addRequest() {
    const request = anAccessRequest(await addPair(database.repositories));
    await addRequests(database.repositories, request);
    return request;
  }

  async function addRequestTo(companyId: string) {
    const request = { ...(await addRequest()), id: freshId('ar'), companyId };
    await addRequests(database.repositories, request);
    return request;
  }

  function createReader(companyId: string) {
    const seen: string[] = [];
    let after = '0';
    return {
      seen,
      async read(): Promise<void> {
        const query = { reader: { companyId }, after, since: null, limit: 10 };
        for (const { id, position } of await database.repositories.accessEvents.read(query)) {
          seen.push(id);
          after = position;
        }
      },
    };
  }

  test('a read from the start returns events by position, even if their times are in another order', async () => {
    const { accessRequests, accessEvents } = database.repositories;
    const request = await addRequest();
    const ids: string[] = [];
    for (const second of [1, 0]) {
      const event = createAccessEvent(
        freshId('evt'),
        request,
        operator,
        new Date(Date.UTC(2020, 0, 1, 0, 0, second)),
      );
      await accessRequests.transact(null, (transaction) => transaction.addEvent(event, null));
      await accessEvents.lastPosition();
      ids.push(event.id);
    }
    const { companyId } = request;
    const since = new Date('2019-12-31T00:00:00Z');
    const query = { reader: { companyId }, after: '0', since, limit: 10 };
    const events = await accessEvents.read(query);
    expect(events.map(({ id }) => id)).toEqual(ids);
  });

  test('a reader that continues after its last position gets both events of overlapping transactions once', async () => {
    // Transactions about the same request wait for each other, so the events need two requests.
    const request = await addRequest();
    const other = await addRequestTo(request.companyId);
    const reader = createReader(request.companyId);
    const first = await begin(request);
    const second = await begin(other);
    // The event with the higher number is committed first, and is read before the other one is committed.
    await second.commit();
    await reader.read();
    await first.commit();
    await reader.read();
    await reader.read();
    expect(reader.seen).toEqual([second.id, first.id]);
  });

  test('an open transaction with a written event blocks neither writers nor readers', async () => {
    const slow = await begin(await addRequest());
    const request = await addRequest();
    const reader = createReader(request.companyId);
    const quick = await begin(request);
    await quick.commit();
    await reader.read();
    expect(reader.seen).toEqual([quick.id]);
    await slow.commit();
  });

  test('the positions of events have no gaps, even after a rollback', async () => {
    const { accessEvents, accessRequests } = database.repositories;
    const request = await addRequest();
    const before = BigInt(await accessEvents.lastPosition());
    for (const isKept of [true, false, true]) {
      const event = createAccessEvent(freshId('evt'), request, operator, at());
      const work = accessRequests.transact(null, async (transaction) => {
        await transaction.addEvent(event, null);
        if (!isKept) throw new Error('no');
      });
      await work.catch(() => undefined);
    }
    const reader = { companyId: request.companyId };
    const events = await accessEvents.read({ reader, after: null, since: null, limit: 10 });
    expect(events.map(({ position }) => BigInt(position) - before)).toEqual([1n, 2n]);
  });
});
