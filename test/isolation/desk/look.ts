import type { Outcome } from '../../parity/drivers/driver.ts';
import { normalizeReceipts } from '../company-model.ts';
import type { Look } from '../look.ts';
import type { Verdict } from '../model.ts';
import type { AccessRequest } from '../state.ts';
import type { Shown } from './model.ts';
import * as model from './model.ts';
import { type Contact, type DeskWorld, noteUse, type Session } from './state.ts';

/** The contact's pages that show data, by path. */
const pages: Readonly<Record<string, (world: DeskWorld, contact: Contact) => Shown>> = {
  '/desk/': model.inbox,
  '/desk/requests': model.requests,
  '/desk/grants': model.grants,
  '/desk/activity': model.activity,
  '/desk/activity.csv': model.activityTable,
  '/desk/data': model.ownFigures,
  '/desk/data/template.csv': model.template,
  '/desk/settings': model.contacts,
  '/desk/settings/keys': model.keys,
  '/desk/settings/webhooks': model.endpoints,
};

/** Every page that the sessions can open, for their own company and with the ids of others. */
export function looksOfSessions(
  world: DeskWorld,
  sessions: readonly Session[],
  accessRequests: readonly AccessRequest[],
): Look[] {
  return sessions.flatMap((session) => [
    lookOfAnySession(world, session, '/desk/companies', model.companies),
    lookOfAnySession(world, session, '/desk/sessions', model.sessions),
    ...Object.entries(pages).map(([path, shown]) =>
      lookAt(world, session, path, (contact) => shown(world, contact)),
    ),
    ...lookAtEvents(world, session),
    ...accessRequests.flatMap((accessRequest) => looksAtRequest(world, session, accessRequest)),
  ]);
}

function looksAtRequest(world: DeskWorld, session: Session, accessRequest: AccessRequest): Look[] {
  const path = `/desk/requests/${accessRequest.id}`;
  return [
    lookAt(world, session, path, (contact) => model.request(world, contact, accessRequest)),
    lookAt(world, session, `${path}/receipts`, (contact) =>
      model.receipts(world, contact, accessRequest),
    ),
    lookAtFile(world, session, accessRequest, `${path}/receipts.json`),
  ];
}

function lookAtFile(
  world: DeskWorld,
  session: Session,
  accessRequest: AccessRequest,
  path: string,
): Look {
  const shown = lookAt(world, session, path, (contact) =>
    model.request(world, contact, accessRequest),
  );
  const { chosen } = session;
  if ('refused' in shown.verdict || chosen === null) return shown;
  const { browser } = world.harness;
  return {
    ...shown,
    verdict: model.receiptsFile(world, chosen, accessRequest),
    async ask() {
      noteUse(world.state, session);
      const outcome = await browser.get(session.secret, path);
      return outcome.ok
        ? { ...outcome, data: normalizeReceipts(JSON.parse(outcome.data).data) }
        : outcome;
    },
  };
}

/** Looks at a page that a session sees even before it has chosen a company. */
function lookOfAnySession(
  world: DeskWorld,
  session: Session,
  path: string,
  see: (world: DeskWorld, session: Session) => Shown,
): Look {
  const away = model.turnedAway(world.state, session);
  if (away?.because === 'the session has ended') return look(world, session, path, away);
  const { chosen, email } = session;
  const shown = see(world, session);
  const frame = [email, ...(chosen === null ? [] : [chosen.company.name])];
  return look(world, session, path, { ...shown, must: [...frame, ...shown.must] });
}

/** Contacts, keys and endpoints of all companies, by their ids. */
export function looksAtSettings(world: DeskWorld, sessions: readonly Session[]): Look[] {
  const { state, desk } = world;
  const things = [
    ...desk.contacts.map((one) => [one, `contacts/${one.id}/remove`, [one.email]] as const),
    ...state.companyKeys
      .filter(({ isRevoked }) => !isRevoked)
      .map((one) => [one, `keys/${one.id}/revoke`, []] as const),
    ...desk.endpoints.map((one) => [one, `webhooks/${one.id}`, [one.url]] as const),
  ];
  return sessions.flatMap((session) =>
    things.map(([thing, path, words]) =>
      lookAt(world, session, `/desk/settings/${path}`, (contact) =>
        model.belonging(contact, thing, words),
      ),
    ),
  );
}

/** Looks at the live events only if the session can't read them, because the stream never ends otherwise. */
function lookAtEvents(world: DeskWorld, session: Session): Look[] {
  const away = model.turnedAway(world.state, session);
  return away === null ? [] : [look(world, session, '/desk/events', away)];
}

/** @param see what the contact must see; null: the page doesn't exist */
function lookAt(
  world: DeskWorld,
  session: Session,
  path: string,
  see: (contact: Contact) => Shown | null,
): Look {
  const { chosen } = session;
  const away = model.turnedAway(world.state, session);
  if (away !== null || chosen === null) return look(world, session, path, away as Away);
  const shown = see(chosen);
  // Every page names the contact and the company, but a file doesn't.
  const isFile = path.endsWith('.csv');
  const frame = isFile ? [] : [session.email, chosen.company.name];
  // The forms of a page contain the id of the company that they act for.
  const named = isFile ? [] : [chosen.company.id];
  return look(
    world,
    session,
    path,
    shown === null
      ? { refused: 'status 404', because: 'it is of another company', may: frame }
      : { ...shown, must: [...frame, ...shown.must], may: [...named, ...shown.may] },
  );
}

interface Away {
  readonly refused: string;
  readonly because: string;
  readonly may?: readonly string[];
}

function look(
  { state, harness: { browser } }: DeskWorld,
  session: Session,
  path: string,
  expected: Shown | Away,
): Look {
  const must = 'must' in expected ? [...new Set(expected.must)].toSorted() : [];
  const verdict: Verdict =
    'must' in expected ? { expected: must, because: expected.because } : expected;
  return {
    what: path,
    who: `a session of ${session.email} (${session.chosen?.company.name ?? 'no company chosen'})`,
    driver: browser,
    // The link back after sign-in, or after a change of language, repeats the path.
    named: JSON.stringify([path, ...(expected.may ?? [])]),
    verdict,
    async ask() {
      noteUse(state, session);
      return seenIn(await browser.get(session.secret, path), must);
    },
  };
}

/** Returns the required words that the page contains. */
function seenIn(outcome: Outcome<string>, must: readonly string[]): Outcome<readonly string[]> {
  if (!outcome.ok) return outcome;
  return { ...outcome, data: must.filter((word) => outcome.data.includes(word)) };
}
