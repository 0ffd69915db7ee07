import type { Asking } from '../chronicle.ts';
import { type Actor, type Decision, decide, type Named, unlessRefused } from '../decide.ts';
import { type Concerned, happen } from '../happen.ts';
import { metricKey, reading } from '../model.ts';
import type { Step } from '../plan.ts';
import type { Stage } from '../stage.ts';
import { at, coin, putUp, setClock } from '../world.ts';
import { type DeskWorld, isOpen, noteUse, type Session, sessionEnds } from './chronicle.ts';
import { turnedAway } from './model.ts';
import { addresses, type DeskPlan, type DeskStep } from './plan.ts';

export async function putUpDesk(stage: Stage, { cast }: DeskPlan): Promise<DeskWorld> {
  const world = await putUp(stage, cast);
  const mailbox = () => `${coin().toLowerCase()}@example.com`;
  return {
    ...world,
    desk: { contacts: [], sessions: [], endpoints: [], readings: [] },
    addresses: Array.from({ length: addresses }, mailbox),
  };
}

/** Lets a step happen in the service and writes its outcome into the chronicle. */
export async function happenAtDesk(world: DeskWorld, step: Step | DeskStep): Promise<Concerned> {
  return 'at' in step ? happenToContacts(world, step) : happen(world, step);
}

async function happenToContacts(world: DeskWorld, step: DeskStep): Promise<Concerned> {
  const { chronicle, desk } = world;
  const firmOf = (index: number) => at(chronicle.firms, index);
  const session = 'session' in step ? at(desk.sessions, step.session) : undefined;
  switch (step.do) {
    case 'add contact':
      await addContact(world, at(world.addresses, step.address), firmOf(step.company));
      break;
    case 'remove contact':
      await removeContact(world, step.contact);
      break;
    case 'sign in': {
      const contact = at(desk.contacts, step.contact);
      const previous = step.previous === null ? null : at(desk.sessions, step.previous);
      if (contact !== undefined) await signIn(world, contact, previous ?? null);
      break;
    }
    case 'read':
      await read(world, step);
      break;
    case 'add webhook':
      await addEndpoint(world, firmOf(step.company));
      break;
    case 'decide':
      return decideAtDesk(world, step);
    case 'choose':
      if (session) await choose(world, session, firmOf(step.company));
      break;
    case 'sign out':
      if (session) await signOut(world, session);
      break;
    case 'end session':
      if (session) await endSession(world, session, at(desk.sessions, step.other));
      break;
    case 'sit':
      if (session) sit(world, session, step.until);
      break;
  }
  return {};
}

type Firm = DeskWorld['chronicle']['firms'][number];
type Contact = DeskWorld['desk']['contacts'][number];

async function addContact(
  { stage, desk, words }: DeskWorld,
  email: string,
  firm: Firm,
): Promise<void> {
  const added = await unlessRefused(
    stage.service.operator.addContact({ companyId: firm.id, email }),
  );
  if (added === null) return;
  desk.contacts.push({ id: added.id, email, firm });
  words.add(added.id).add(email);
}

/** The sessions that acted as the contact have to choose anew, or are over when there is nothing to choose. */
async function removeContact({ stage, desk }: DeskWorld, index: number): Promise<void> {
  const contact = at(desk.contacts, index);
  if (contact === undefined) return;
  await stage.service.operator.removeContact({ id: contact.id });
  desk.contacts.splice(desk.contacts.indexOf(contact), 1);
  const isContactStill = desk.contacts.some(({ email }) => email === contact.email);
  for (const session of desk.sessions) {
    if (session.chosen === contact) session.chosen = null;
    if (session.email === contact.email && !isContactStill) session.isOver = true;
  }
}

/** With a link that was made for the company of the contact. */
export async function signIn(
  { stage, chronicle, desk, words }: DeskWorld,
  contact: Contact,
  previous: Session | null,
): Promise<void> {
  const { email, firm } = contact;
  const { operator, contacts } = stage.service;
  const { token } = await operator.createSignInLink({ companyId: firm.id, email });
  const outcome = await stage.browser.post(previous?.secret ?? '', '/desk/sign-in/confirm', {
    token,
  });
  const [secret] = /svc_ds_\w{32}/.exec(outcome.wire.headers['set-cookie']?.toString() ?? '') ?? [];
  if (secret === undefined) throw new Error(`the link did not sign in: ${outcome.wire.text}`);
  if (previous !== null) previous.isOver = true;
  const admission = await contacts.admitContact(secret, 0, { requestId: 'req_sign_in' });
  if ('refusal' in admission) throw admission.refusal;
  const { sessionId: id } = admission.caller;
  const { now } = chronicle;
  desk.sessions.push({
    id,
    secret,
    email,
    startedAt: now,
    lastSeenAt: now,
    chosen: contact,
    isOver: false,
  });
  words.add(id).add(secret).add(token);
}

/** @throws Error when a form is answered otherwise than it must be */
async function submit(
  { stage, chronicle }: DeskWorld,
  session: Session,
  path: string,
  fields: Readonly<Record<string, string | readonly string[]>>,
  expected: readonly string[],
): Promise<string> {
  noteUse(chronicle, session);
  // Also what is of another company is asked for as a page of the own one would.
  const for_company = session.chosen?.firm.id ?? '';
  const outcome = await stage.browser.post(session.secret, path, { for_company, ...fields });
  const code = outcome.ok ? 'shown' : outcome.code;
  if (expected.includes(code)) return code;
  throw new Error(
    `the desk: the form ${path} of ${session.email}: ${code}, not ${expected.join(' or ')}`,
  );
}

/** Only a company that has the address as a contact; where the browser is led then is remembered elsewhere. */
async function choose(world: DeskWorld, session: Session, firm: Firm): Promise<void> {
  const { chronicle, desk } = world;
  const contact = desk.contacts.find((one) => one.email === session.email && one.firm === firm);
  const fields = { company: firm.id };
  if (!isOpen(chronicle, session)) {
    await submit(world, session, '/desk/companies', fields, ['to /desk/sign-in?because=ended']);
  } else if (contact === undefined) {
    await submit(world, session, '/desk/companies', fields, ['status 404']);
  } else {
    await submit(world, session, '/desk/companies', fields, ['to /desk/']);
    session.chosen = contact;
  }
}

async function signOut(world: DeskWorld, session: Session): Promise<void> {
  const because = isOpen(world.chronicle, session) ? 'out' : 'ended';
  await submit(world, session, '/desk/sign-out', {}, [`to /desk/sign-in?because=${because}`]);
  session.isOver = true;
}

/** Of the same address only; the others go on, whatever is sent. */
async function endSession(world: DeskWorld, session: Session, other: Session): Promise<void> {
  const isHeard = isOpen(world.chronicle, session);
  const leads = isHeard ? 'to /desk/sessions?done=ended' : 'to /desk/sign-in?because=ended';
  await submit(world, session, '/desk/sessions/end', { id: other.id }, [leads]);
  if (isHeard && other.email === session.email) other.isOver = true;
}

/** Nobody changes the settings of another company; who may not is told nothing of what is there. */
export async function meddle(world: DeskWorld, session: Session): Promise<void> {
  const { chronicle, desk } = world;
  const away = turnedAway(chronicle, session);
  const isOther = (one: { readonly firm: Firm }) => one.firm !== session.chosen?.firm;
  const forms = [
    ...desk.contacts.filter(isOther).map(({ id }) => `contacts/${id}/remove`),
    ...chronicle.companyKeys.filter(isOther).map(({ id }) => `keys/${id}/revoke`),
    ...desk.endpoints
      .filter(isOther)
      .flatMap(({ id }) => [`webhooks/${id}/test`, `webhooks/${id}/remove`]),
  ];
  for (const form of forms) {
    const expected = [away?.refused ?? 'status 404'];
    await submit(world, session, `/desk/settings/${form}`, {}, expected);
  }
}

/** The clock goes on, to the very end of a session or to an instant before it. */
function sit(
  world: DeskWorld,
  session: Session,
  until: Extract<DeskStep, { do: 'sit' }>['until'],
): void {
  const { chronicle } = world;
  if (!isOpen(chronicle, session)) return;
  const { lastSeenAt, startedAt } = session;
  const end = Math.min(lastSeenAt + sessionEnds.idle, startedAt + sessionEnds.absolute);
  if (until === 'used again') setClock(world, Math.min(end - 1, chronicle.now + 50 * 60_000));
  else setClock(world, end - (until === 'almost' ? 1 : 0));
}

async function read(
  { stage, chronicle, desk }: DeskWorld,
  step: Extract<DeskStep, { do: 'read' }>,
): Promise<void> {
  const key = at(chronicle.keys, step.key);
  const firm = at(chronicle.firms, step.company);
  const verdict = reading(chronicle, key, firm, 'one metric');
  const outcome = await stage.drivers.rest.readLatestMetric(key.secret, firm.id, metricKey);
  const code = outcome.ok ? null : outcome.code;
  if ('told' in verdict ? code !== null : code !== verdict.refused) {
    throw new Error(`reading ${firm.name}: ${code ?? 'told'}, not ${JSON.stringify(verdict)}`);
  }
  const isAllowed = code === null || code === 'metric_not_found';
  if (code !== 'invalid_api_key') desk.readings.push({ reader: key.owner, firm, isAllowed });
}

async function addEndpoint({ stage, chronicle, desk, words }: DeskWorld, firm: Firm) {
  const key = chronicle.companyKeys.find((one) => one.firm === firm && !one.isRevoked);
  const url = `https://hooks.example/${coin()}`;
  const outcome = key && (await stage.company.post(key.secret, '/webhook-endpoints', { url }));
  if (!outcome?.ok) return;
  desk.endpoints.push({ id: outcome.data.id, url, firm });
  words.add(outcome.data.id).add(url).add(outcome.data.secret);
}

/** Whoever acts for another company, or for none, is refused, and changes nothing. */
async function decideAtDesk(
  world: DeskWorld,
  step: Extract<DeskStep, { do: 'decide' }>,
): Promise<Concerned> {
  const { chronicle, desk } = world;
  const asking = chronicle.askings.at(-1 - (step.request % (chronicle.askings.length || 1)));
  if (asking === undefined) return {};
  const own = desk.sessions.filter(
    (one) => isOpen(chronicle, one) && one.chosen?.firm === asking.firm,
  );
  const session = at(step.own && own.length > 0 ? own : desk.sessions, step.session);
  if (session === undefined) return {};
  const { type, scopes, span } = step;
  const decision: Decision =
    type === 'approve'
      ? { do: type, request: 0, scopes, endsAfter: span, by: 'company' }
      : type === 'extend'
        ? { do: type, request: 0, further: span, by: 'company' }
        : { do: type, request: 0, by: 'company' };
  await decide(world, asking, decision, (_world, _asking, _step, named) =>
    send(world, session, asking, type, named),
  );
  return { investor: asking.asker, firm: asking.firm };
}

async function send(
  world: DeskWorld,
  session: Session,
  asking: Asking,
  type: Decision['do'],
  { scopes, expiresAt, reason }: Named,
): Promise<Actor | null> {
  const { stage, chronicle } = world;
  const path = `/desk/requests/${asking.id}`;
  const { accessRequest } = await stage.service.operator.showAccessRequest({ id: asking.id });
  const fields = {
    decision: type,
    // Also who may not see the request is taken to have seen it as it is.
    version: accessRequest.version,
    scopes,
    expires_at: expiresAt.toISOString(),
    reason,
  };
  const away = turnedAway(chronicle, session);
  if (away !== null || session.chosen?.firm !== asking.firm) {
    const refused = [away?.refused ?? 'status 404'];
    await submit(world, session, `${path}/review`, fields, refused);
    await submit(world, session, `${path}/decide`, fields, refused);
    return null;
  }
  await submit(world, session, `${path}/review`, fields, ['shown', 'status 409', 'status 422']);
  const done = `to ${path}?done=${type}`;
  const code = await submit(world, session, `${path}/decide`, fields, [
    done,
    'status 409',
    'status 422',
  ]);
  return code === done ? { type: 'contact', id: session.chosen.id } : null;
}
