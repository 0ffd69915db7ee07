import assert from 'node:assert/strict';
import { isRequestEvent } from '#core';
import type { Company } from '../state.ts';
import type { Tally } from '../tally.ts';
import { addInvestor, addKey, join } from '../world.ts';
import { type DeskWorld, isOpen, type Session } from './state.ts';

/**
 * Causes two events for every company while a contact of each company watches. Each contact must get both events of its
 * company, and no others in between.
 */
export async function verifyLiveEvents(world: DeskWorld, tally: Tally): Promise<void> {
  const { state, desk, harness } = world;
  const watchers = state.companies.flatMap((company) => {
    const session = desk.sessions.find(
      (one) => isOpen(state, one) && one.chosen?.company === company,
    );
    return session === undefined ? [] : [{ company, session }];
  });
  const leaving = new AbortController();
  try {
    const streams = await Promise.all(
      watchers.map(({ session }) => watch(world, session, leaving.signal)),
    );
    const happened = new Map<Company, string[]>();
    for (const company of [...state.companies, ...state.companies]) {
      happened.set(company, [...(happened.get(company) ?? []), await askAnew(world, company)]);
    }
    await harness.service.eventFeed.poll();
    for (const [index, { company, session }] of watchers.entries()) {
      const told = await streams[index]?.(2);
      assert.deepEqual(told, happened.get(company), `the live events of ${session.email}`);
      tally.note('the desk', 'told live');
    }
  } finally {
    leaving.abort();
  }
}

/** @returns a function that reads the next events and returns the requests they are about */
async function watch({ harness }: DeskWorld, { secret }: Session, signal: AbortSignal) {
  const call = { requestId: 'req_watch' };
  const admission = await harness.service.contacts.admitContact(secret, 0, call);
  if ('refusal' in admission || admission.caller.kind !== 'contact') {
    throw new Error('a session that is open and has chosen is not admitted');
  }
  const { events } = await harness.companyUseCases.watchCompanyEvents(admission.caller, {}, signal);
  return async (count: number) => {
    const told: (string | undefined)[] = [];
    while (told.length < count) {
      const { value } = await events.next();
      if (value === undefined || isRequestEvent(value)) told.push(value?.accessRequest.id);
    }
    return told;
  };
}

/** Requests access as a new investor, so this is an event whatever happened before. */
async function askAnew(world: DeskWorld, company: Company): Promise<string> {
  const investor = await addInvestor(world, company.environment);
  await join(world, investor, company);
  const key = await addKey(world, investor, ['companies:read'], null);
  const outcome = await world.harness.drivers.rest.requestAccess(key.secret, {
    companyId: company.id,
    scopes: ['metrics:read'],
  });
  assert.ok(outcome.ok);
  return outcome.data.accessRequest.id;
}
