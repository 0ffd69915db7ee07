import { expect, test } from 'vitest';
import {
  type AccessEvent,
  type AccessEventType,
  type AccessRequest,
  createAccessEvent,
  type FeedQuery,
  maxHistory,
  operator,
  receiptIdOf,
} from '#core';
import {
  addCompany,
  addPair,
  addRequests,
  anAccessRequest,
  anEntry,
  at,
  freshId,
  readFeed,
} from './builders.ts';
import { contract } from './contract.ts';

export const accessEventsContract = contract('access events', (repositories) => {
  async function addRequest(pair?: Awaited<ReturnType<typeof addPair>>) {
    const made = pair ?? (await addPair(repositories));
    const request = anAccessRequest(made);
    await addRequests(repositories, request);
    return { ...made, request };
  }

  async function happen(
    request: AccessRequest,
    type: AccessEventType,
    createdAt = at(),
  ): Promise<AccessEvent> {
    const actor = { type: 'company_key', id: freshId('ck') } as const;
    const changed = { ...request, lastEventType: type, pendingPurpose: 'The audit “📈”' };
    const event = createAccessEvent(freshId('evt'), changed, actor, createdAt, 'Because.');
    await repositories.accessRequests.transact(null, (transaction) =>
      transaction.addEvent(event, null),
    );
    return event;
  }

  const read = (query?: Partial<FeedQuery>) => readFeed(repositories, query);

  test('an investor and a company get their own events in writing order, with the names of both parties', async () => {
    const { request, investor, company } = await addRequest();
    const { request: foreign } = await addRequest();
    const first = await happen(request, 'access_request.extended', at(9));
    await happen(foreign, 'access_request.extended');
    const second = await happen(request, 'access_request.amended', at(8));
    const names = { investorName: investor.name, companyName: company.name };
    const expected = [first, second].map((event, index) => ({
      ...event,
      ...names,
      receipt: {
        id: receiptIdOf(event.id),
        previousId: index === 0 ? null : receiptIdOf(first.id),
        issuedAt: event.createdAt,
        signedAt: null,
        environment: company.environment,
        ...names,
        signature: null,
      },
      position: expect.stringMatching(/^[1-9]\d*$/),
    }));
    expect(await read({ reader: { investorId: investor.id } })).toEqual(expected);
    expect(await read({ reader: { companyId: company.id } })).toEqual(expected);
  });

  test('positions of events increase and are never reused, and a read can begin after any position', async () => {
    const { request, company } = await addRequest();
    const before = BigInt(await repositories.accessEvents.lastPosition());
    const written = [];
    for (let count = 0; count < 5; count += 1) {
      written.push((await happen(request, 'access_request.extended')).id);
    }
    const reader = { companyId: company.id };
    const all = await read({ reader });
    expect(all.map(({ id }) => id)).toEqual(written);
    expect(all.every(({ position }) => BigInt(position) > before)).toBe(true);
    for (const [index, { position }] of all.entries()) {
      const rest = await read({ reader, after: position });
      expect(rest.map(({ id }) => id)).toEqual(written.slice(index + 1));
    }
    const page = await read({ reader, after: all[0]?.position ?? null, limit: 2 });
    expect(page.map(({ id }) => id)).toEqual(written.slice(1, 3));
    expect(await read({ after: await repositories.accessEvents.lastPosition() })).toEqual([]);
  });

  test('findLast returns the newest event of an investor or a company, or null without an event', async () => {
    const { request, investor, company } = await addRequest();
    const { request: foreign } = await addRequest();
    const { findLast } = repositories.accessEvents;
    const readers = [{ investorId: investor.id }, { companyId: company.id }] as const;
    for (const reader of readers) expect(await findLast(reader)).toBeNull();
    await happen(request, 'access_request.extended');
    const { id } = await happen(request, 'access_request.amended');
    await happen(foreign, 'access_request.extended');
    for (const reader of readers) {
      const { position } = (await findLast(reader)) ?? {};
      expect((await read({ reader })).at(-1)).toMatchObject({ id, position });
      expect(await findLast(reader)).toMatchObject({ id });
    }
  });

  test('a read of the feed since a given time includes the events of exactly that time', async () => {
    const { request, company } = await addRequest();
    const reader = { companyId: company.id };
    await happen(request, 'access_request.extended', at(1));
    const { id } = await happen(request, 'access_request.extended', at(2));
    expect((await read({ reader, since: at(2) })).map((event) => event.id)).toEqual([id]);
  });

  test('events of a company outside an investor’s portfolio go only to the company', async () => {
    const pair = await addPair(repositories);
    const { request, investor, company } = await addRequest(pair);
    const other = await addCompany(repositories);
    await repositories.directory.addToPortfolio(investor, other, at(), anEntry());
    const { request: kept } = await addRequest({ investor, company: other });
    const gone = await happen(request, 'access_request.extended');
    const stays = await happen(kept, 'access_request.extended');
    const idsOf = async (reader: FeedQuery['reader']) =>
      (await read({ reader })).map(({ id }) => id);
    await repositories.directory.removeFromPortfolio(investor.id, company.id, anEntry());
    expect(await idsOf({ investorId: investor.id })).toEqual([stays.id]);
    expect(await idsOf({ companyId: company.id })).toEqual([gone.id]);
    await repositories.directory.addToPortfolio(investor, company, at(), anEntry());
    expect(await idsOf({ investorId: investor.id })).toEqual([gone.id, stays.id]);
  });

  test('an event that an investor got from the feed can also be found by its id', async () => {
    const { request, company } = await addRequest();
    const { id } = await happen(request, 'access_request.extended');
    const [event] = await read({ reader: { companyId: company.id } });
    expect(await repositories.accessEvents.find(id)).toEqual(event);
    expect(await repositories.accessEvents.find(freshId('evt'))).toBeNull();
  });

  test('simultaneous reads of several histories each return the right history, oldest event first', async () => {
    const requests = [await addRequest(), await addRequest(), await addRequest()];
    const written = new Map<string, AccessEvent[]>();
    for (const type of ['access_request.extended', 'access_request.amended'] as const) {
      for (const { request } of requests.slice(0, 2)) {
        const events = written.get(request.id) ?? [];
        written.set(request.id, [...events, await happen(request, type, at())]);
      }
    }
    const ids = requests.map(({ request }) => request.id);
    const asked = [...ids, freshId('ar'), ...ids];
    const histories = await Promise.all(asked.map(repositories.accessEvents.history));
    expect(histories).toEqual(asked.map((id) => written.get(id) ?? []));
  });

  test('a read of a long history returns only its newest events', async () => {
    const { request } = await addRequest();
    await happen(request, 'access_request.created');
    const later = Array.from({ length: maxHistory }, () =>
      createAccessEvent(freshId('evt'), request, operator, at()),
    );
    await repositories.accessRequests.transact(null, async (transaction) => {
      for (const event of later) await transaction.addEvent(event, null);
    });
    expect(await repositories.accessEvents.history(request.id)).toEqual(later);
  });

  test('events written at the same time are all stored, and all reads return them in the same order', async () => {
    const { request, company } = await addRequest();
    const reader = { companyId: company.id };
    const writing = Array.from({ length: 30 }, () => happen(request, 'access_request.extended'));
    const reading = Array.from({ length: 10 }, () => read({ reader }));
    const written = (await Promise.all(writing)).map(({ id }) => id);
    const seen = (await Promise.all(reading)).map((events) => events.map(({ id }) => id));
    const all = (await read({ reader })).map(({ id }) => id);
    expect(all.toSorted()).toEqual(written.toSorted());
    for (const ids of seen) expect(ids).toEqual(all.slice(0, ids.length));
  });
});
