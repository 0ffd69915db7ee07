import assert from 'node:assert/strict';
import type { Firm } from '../chronicle.ts';
import type { Tally } from '../tally.ts';
import { addInvestor, addKey, join } from '../world.ts';
import { type DeskWorld, isOpen, type Session } from './chronicle.ts';

/**
 * Something happens to every company, twice, while a contact of each watches: each is told of both that happened to its
 * company, and of nothing in between.
 */
export async function verifyLiveEvents(world: DeskWorld, tally: Tally): Promise<void> {
  const { chronicle, desk, stage } = world;
  const watchers = chronicle.firms.flatMap((firm) => {
    const session = desk.sessions.find(
      (one) => isOpen(chronicle, one) && one.chosen?.firm === firm,
    );
    return session === undefined ? [] : [{ firm, session }];
  });
  const leaving = new AbortController();
  try {
    const streams = await Promise.all(
      watchers.map(({ session }) => watch(world, session, leaving.signal)),
    );
    const happened = new Map<Firm, string[]>();
    for (const firm of [...chronicle.firms, ...chronicle.firms]) {
      happened.set(firm, [...(happened.get(firm) ?? []), await askAnew(world, firm)]);
    }
    await stage.service.eventFeed.poll();
    for (const [index, { firm, session }] of watchers.entries()) {
      const told = await streams[index]?.(2);
      assert.deepEqual(told, happened.get(firm), `the live events of ${session.email}`);
      tally.note('the desk', 'told live');
    }
  } finally {
    leaving.abort();
  }
}

/** @returns what reads the next events, and answers with the requests that they are about */
async function watch({ stage }: DeskWorld, { secret }: Session, signal: AbortSignal) {
  const call = { requestId: 'req_watch' };
  const admission = await stage.service.contacts.admitContact(secret, 0, call);
  if ('refusal' in admission || !('contactId' in admission.caller)) {
    throw new Error('a session that is open and has chosen is not admitted');
  }
  const { events } = await stage.companyUseCases.watchCompanyEvents(admission.caller, {}, signal);
  return async (count: number) => {
    const told: (string | undefined)[] = [];
    while (told.length < count) told.push((await events.next()).value?.accessRequest.id);
    return told;
  };
}

/** By an investor who has never asked before, so that it is an event whatever has happened. */
async function askAnew(world: DeskWorld, firm: Firm): Promise<string> {
  const investor = await addInvestor(world, firm.environment);
  await join(world, investor, firm);
  const key = await addKey(world, investor, ['companies:read'], null);
  const outcome = await world.stage.drivers.rest.requestAccess(key.secret, {
    companyId: firm.id,
    scopes: ['metrics:read'],
  });
  assert.ok(outcome.ok);
  return outcome.data.accessRequest.id;
}
