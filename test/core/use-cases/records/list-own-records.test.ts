import { expect, test, vi } from 'vitest';
import type { SearchOwnRecordsInput } from '#core';
import { createWorld, day, expectRefusal, later, newcomerIn, start } from '../../world.ts';

/** An API request's id from this instant. It consists of the time and a random part. */
const requestIdAt = (instant: Date): string =>
  `req_${instant.getTime().toString(16).padStart(12, '0')}7abc8def0123456789ab`;

const minute = 60_000;

/** An investor that reads a company twice with its API key, ten minutes apart, and once as a contact. */
async function readThrice(replace?: Parameters<typeof createWorld>[0]) {
  const { world, newcomer } = await newcomerIn(createWorld(replace));
  await world.grant(newcomer);
  const { companyId, investor } = newcomer;
  const read = (caller: Parameters<typeof world.callers.readLatestMetrics>[0]) =>
    world.callers.readLatestMetrics(caller, { companyId });
  await read({ ...newcomer.caller, requestId: requestIdAt(start) });
  world.clock.advance(10 * minute);
  const person = await world.admitInvestorContact(investor.id);
  await read({ ...newcomer.caller, requestId: requestIdAt(world.clock.now()) });
  await read(person);
  const find = async (input: SearchOwnRecordsInput = {}) => {
    const { items } = await world.callers.listOwnRecords(newcomer.caller, input);
    return items.map(({ record, keyHint, contactEmail, company }) => ({
      at: (record.occurredAt.getTime() - start.getTime()) / minute,
      who: keyHint === null ? contactEmail : 'key',
      company: company?.id,
    }));
  };
  return { world, ...newcomer, person, find };
}

test('the list of an investor’s reads contains the reader and the company', async () => {
  const { find, companyId: company, person } = await readThrice();
  expect(await find()).toEqual([
    { at: 10, who: person.email, company },
    { at: 10, who: 'key', company },
    { at: 0, who: 'key', company },
  ]);
});

test('the list of reads can be filtered by key, person, protocol and outcome', async () => {
  const { find, person, caller } = await readThrice();
  expect(await find({ keyId: caller.credentialId })).toHaveLength(2);
  expect(await find({ contactId: person.contactId })).toMatchObject([{ who: person.email }]);
  expect(await find({ protocol: 'desk' })).toMatchObject([{ who: person.email }]);
  expect(await find({ outcome: 'refused' })).toEqual([]);
});

test('a read can be found by its API request’s id within the requested period', async () => {
  const { find } = await readThrice();
  const requestId = requestIdAt(start);
  const found = [{ at: 0, who: 'key' }];
  expect(await find({ requestId })).toMatchObject(found);
  const since = (minutes: number) => later(minutes * minute).toISOString();
  expect(await find({ requestId, since: since(-60), until: since(60) })).toMatchObject(found);
  expect(await find({ requestId, since: since(-0.5), until: since(1) })).toMatchObject(found);
  expect(await find({ requestId, since: since(5) })).toEqual([]);
  expect(await find({ requestId, until: since(-0.5) })).toEqual([]);
  expect(await find({ requestId: requestIdAt(later(1)) })).toEqual([]);
});

async function watched() {
  const read = await readThrice();
  const { accessRecords } = read.world.ports;
  const lists = vi.spyOn(accessRecords, 'listOfInvestor');
  const cursors = vi.spyOn(accessRecords, 'findCursor');
  const of = (spied: typeof lists | typeof cursors) => spied.mock.calls.map(([query]) => query);
  return { ...read, lists: () => of(lists), cursors: () => of(cursors) };
}

test.each([
  ['a company', { companyId: 'none' }],
  ['a key', { keyId: '\0' }],
  ['a person', { contactId: '\0' }],
  ['a request', { requestId: '\ud800' }],
])('the malformed id of %s finds no read and causes no database query', async (_, input) => {
  const { find, lists } = await watched();
  expect(await find(input)).toEqual([]);
  expect(lists()).toEqual([]);
});

test('an API request’s id is looked up only near the time that it contains, and only within the requested period', async () => {
  const { find, lists } = await watched();
  const requestId = requestIdAt(start);
  const [early, late] = [later(-day), later(day)];
  await find({ requestId });
  const { since, until } = lists()[0] as { since: Date; until: Date };
  expect([since < start, until > start]).toEqual([true, true]);
  expect(until.getTime() - since.getTime()).toBeLessThan(60 * minute);
  await find({ requestId, since: early.toISOString(), until: late.toISOString() });
  await find({ requestId, since: late.toISOString(), until: early.toISOString() });
  await find({ since: early.toISOString(), until: late.toISOString() });
  expect(lists()).toMatchObject([
    { requestId, since, until },
    { requestId, since, until },
    { requestId, since: late, until: early },
    { requestId: undefined, since: early, until: late },
  ]);
});

test('a filtered list of reads is searched in parts, and only among the records that the caller may see', async () => {
  const { find, lists, cursors, companyId, caller } = await watched();
  const { investorId, scopes } = caller;
  await find();
  await find({ since: start.toISOString(), until: later(day).toISOString() });
  expect(cursors()).toEqual([]);
  expect(await find({ companyId })).toHaveLength(3);
  expect(lists().at(-1)).toMatchObject({ companyId, investorId, scopes });
  expect(cursors()).toEqual([{ investorId, scopes, before: null }]);
});

test('the name of a company that has left the portfolio is shown for an allowed read, but not for a refused one', async () => {
  const { world, investor, companyId, caller } = await readThrice();
  const [grant] = (await world.callers.listAccessRequests(caller)).items;
  await world.operator.revokeAccessRequest({ id: grant?.id ?? '' });
  const refused = world.callers.readLatestMetrics(caller, { companyId });
  await expectRefusal(refused, 'access_revoked');
  await world.leave({ investor, companyId });
  const { items } = await world.callers.listOwnRecords(caller);
  const named = items.map(({ record, company }) => [record.outcome, company?.id]);
  expect(named.toSorted()).toEqual([
    ['access_revoked', undefined],
    ...Array(3).fill(['allowed', companyId]),
  ]);
});

test('the record of a refused read doesn’t reveal whether a company outside the portfolio exists', async () => {
  const { world, caller, find } = await readThrice();
  const stranger = await world.company();
  const read = world.callers.readLatestMetrics(caller, { companyId: stranger.id });
  await expectRefusal(read, 'company_not_found');
  expect(await find({ outcome: 'company_not_found' })).toMatchObject([{ company: undefined }]);
});

test('a walk returns all reads that match its filter, in several parts', async () => {
  const { world, person, companyId } = await readThrice();
  const pieces = await Array.fromAsync(world.callers.walkOwnRecords(person, { companyId }));
  expect(pieces.flat()).toHaveLength(3);
  expect(pieces.flat()[0]).toMatchObject({ contactEmail: person.email });
  const { contactId } = person;
  const own = await Array.fromAsync(world.callers.walkOwnRecords(person, { contactId }));
  expect(own.flat()).toHaveLength(1);
});

test('equal refusals within one API request share one access record, even for a contact', async () => {
  const { world, investor, person, find } = await readThrice();
  const { id: companyId } = await world.companyOf(investor);
  for (const _ of [1, 2]) {
    const read = world.callers.readLatestMetrics(person, { companyId });
    await expectRefusal(read, 'access_required');
  }
  expect(await find({ outcome: 'refused' })).toEqual([
    { at: 10, who: person.email, company: companyId },
  ]);
});

test('an investor’s contacts see how many points they have used, and how often each key and contact has read', async () => {
  const { world, person, caller } = await readThrice();
  world.clock.advance(minute / 2);
  const { defaultLimit, uses, desk, isCut } = await world.callers.readOwnUsage(person);
  expect(desk).toMatchObject({ limit: defaultLimit, spent: 1 });
  expect(isCut).toBe(false);
  expect(uses).toHaveLength(2);
  expect(uses).toContainEqual(
    expect.objectContaining({
      keyId: caller.credentialId,
      outcome: 'allowed',
      count: 2,
      recentCount: 1,
    }),
  );
  expect(uses).toContainEqual(
    expect.objectContaining({ contactId: person.contactId, outcome: 'allowed', count: 1 }),
  );
});

test('a contact sees the limit that all contacts share if it leaves fewer points than the contact’s own', async () => {
  const { world, person } = await readThrice();
  const { points } = world.ports.rateLimiter.policy;
  for (let number = 1; number <= 4; number += 1) {
    const other = await world.admitInvestorContact(
      person.investorId,
      `${number}@northwind.example`,
    );
    await world.callers.chargeCaller(other, points);
  }
  const { desk, defaultLimit } = await world.callers.readOwnUsage(person);
  expect(desk).toMatchObject({ limit: 5 * defaultLimit, spent: 4 * points + 5 });
});

test('a contact whose points aren’t counted has used no points', async () => {
  const { world, person } = await readThrice();
  const { desk, defaultLimit } = await world.callers.readOwnUsage({ ...person, budget: null });
  expect(desk).toMatchObject({ limit: defaultLimit, spent: 0 });
});
