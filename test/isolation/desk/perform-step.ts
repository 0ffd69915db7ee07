import { type Actor, type Decision, decide, type Named, unlessRefused } from '../decide.ts';
import type { Harness } from '../harness.ts';
import { metricKey, reading } from '../model.ts';
import { type Concerned, performStep } from '../perform-step.ts';
import type { Step } from '../plan.ts';
import type { AccessRequest } from '../state.ts';
import { openSession } from '../upload.ts';
import { at, createWorld, freshWord, setClock } from '../world.ts';
import { turnedAway } from './model.ts';
import { addresses, type DeskPlan, type DeskStep } from './plan.ts';
import { type DeskWorld, isOpen, noteUse, type Session, sessionEnds } from './state.ts';

export async function createDeskWorld(harness: Harness, { setup }: DeskPlan): Promise<DeskWorld> {
  const world = await createWorld(harness, setup);
  const mailbox = () => `${freshWord().toLowerCase()}@example.com`;
  return {
    ...world,
    desk: { contacts: [], sessions: [], endpoints: [], readings: [] },
    addresses: Array.from({ length: addresses }, mailbox),
  };
}

/** Performs a step in the service and records its outcome in the state. */
export async function happenAtDesk(world: DeskWorld, step: Step | DeskStep): Promise<Concerned> {
  return 'at' in step ? happenToContacts(world, step) : performStep(world, step);
}

async function happenToContacts(world: DeskWorld, step: DeskStep): Promise<Concerned> {
  const { state, desk } = world;
  const companyOf = (index: number) => at(state.companies, index);
  const session = 'session' in step ? at(desk.sessions, step.session) : undefined;
  switch (step.do) {
    case 'add contact':
      await addContact(world, at(world.addresses, step.address), companyOf(step.company));
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
      await addEndpoint(world, companyOf(step.company));
      break;
    case 'decide':
      return decideAtDesk(world, step);
    case 'choose':
      if (session) await choose(world, session, companyOf(step.company));
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

type Company = DeskWorld['state']['companies'][number];
type Contact = DeskWorld['desk']['contacts'][number];

async function addContact(
  { harness, desk, words }: DeskWorld,
  email: string,
  company: Company,
): Promise<void> {
  const added = await unlessRefused(
    harness.service.operator.addContact({ companyId: company.id, email, role: 'admin' }),
  );
  if (added === null) return;
  desk.contacts.push({ id: added.id, email, company });
  words.add(added.id).add(email);
}

/** The contact's sessions must choose a company again. They end if no company is left. */
async function removeContact({ harness, desk }: DeskWorld, index: number): Promise<void> {
  const contact = at(desk.contacts, index);
  if (contact === undefined) return;
  await harness.service.operator.removeContact({ id: contact.id, lastAdmin: true });
  desk.contacts.splice(desk.contacts.indexOf(contact), 1);
  const isContactStill = desk.contacts.some(({ email }) => email === contact.email);
  for (const session of desk.sessions) {
    if (session.chosen === contact) session.chosen = null;
    if (session.email === contact.email && !isContactStill) session.isOver = true;
  }
}

/** Signs in with a link made for the contact's company. */
export async function signIn(
  { harness, state, desk, words }: DeskWorld,
  contact: Contact,
  previous: Session | null,
): Promise<void> {
  const { email, company } = contact;
  const { contacts } = harness.service;
  const { secret, token } = await openSession(harness, email, company, previous?.secret);
  if (previous !== null) previous.isOver = true;
  const admission = await contacts.admitContact(secret, 0, { requestId: 'req_sign_in' });
  if ('refusal' in admission) throw admission.refusal;
  const { credentialId: id } = admission.caller;
  const { now } = state;
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

/** @throws Error if the desk answers a form in an unexpected way */
async function submit(
  { harness, state }: DeskWorld,
  session: Session,
  path: string,
  fields: Readonly<Record<string, string | readonly string[]>>,
  expected: readonly string[],
): Promise<string> {
  noteUse(state, session);
  // The form names the session's own company even if the target belongs to another company.
  const for_company = session.chosen?.company.id ?? '';
  const outcome = await harness.browser.post(session.secret, path, { for_company, ...fields });
  const code = outcome.ok ? 'shown' : outcome.code;
  if (expected.includes(code)) return code;
  throw new Error(
    `the desk: the form ${path} of ${session.email}: ${code}, not ${expected.join(' or ')}`,
  );
}

/** Chooses a company. The address must be a contact there. */
async function choose(world: DeskWorld, session: Session, company: Company): Promise<void> {
  const { state, desk } = world;
  const contact = desk.contacts.find(
    (one) => one.email === session.email && one.company === company,
  );
  const fields = { organisation: company.id };
  if (!isOpen(state, session)) {
    await submit(world, session, '/desk/companies', fields, ['to /desk/sign-in?because=ended']);
  } else if (contact === undefined) {
    await submit(world, session, '/desk/companies', fields, ['status 404']);
  } else {
    await submit(world, session, '/desk/companies', fields, ['to /desk/']);
    session.chosen = contact;
  }
}

async function signOut(world: DeskWorld, session: Session): Promise<void> {
  const because = isOpen(world.state, session) ? 'out' : 'ended';
  await submit(world, session, '/desk/sign-out', {}, [`to /desk/sign-in?because=${because}`]);
  session.isOver = true;
}

/** Ends a session of the same address. Sessions of other addresses stay open, whatever the form contains. */
async function endSession(world: DeskWorld, session: Session, other: Session): Promise<void> {
  const isHeard = isOpen(world.state, session);
  const leads = isHeard ? 'to /desk/sessions?done=ended' : 'to /desk/sign-in?because=ended';
  await submit(world, session, '/desk/sessions/end', { id: other.id }, [leads]);
  if (isHeard && other.email === session.email) other.isOver = true;
}

/** Tries to change the settings of other companies. Each form is refused, and the answer reveals nothing. */
export async function tryOtherSettings(world: DeskWorld, session: Session): Promise<void> {
  const { state, desk } = world;
  const away = turnedAway(state, session);
  const isOther = (one: { readonly company: Company }) => one.company !== session.chosen?.company;
  const forms = [
    ...desk.contacts.filter(isOther).map(({ id }) => `contacts/${id}/remove`),
    ...state.companyKeys.filter(isOther).map(({ id }) => `keys/${id}/revoke`),
    ...desk.endpoints
      .filter(isOther)
      .flatMap(({ id }) => [`webhooks/${id}/test`, `webhooks/${id}/remove`]),
  ];
  for (const form of forms) {
    const expected = [away?.refused ?? 'status 404'];
    await submit(world, session, `/desk/settings/${form}`, {}, expected);
  }
}

/** Moves the clock to the end of a session, or to just before it. */
function sit(
  world: DeskWorld,
  session: Session,
  until: Extract<DeskStep, { do: 'sit' }>['until'],
): void {
  const { state } = world;
  if (!isOpen(state, session)) return;
  const { lastSeenAt, startedAt } = session;
  const end = Math.min(lastSeenAt + sessionEnds.idle, startedAt + sessionEnds.absolute);
  if (until === 'used again') setClock(world, Math.min(end - 1, state.now + 50 * 60_000));
  else setClock(world, end - (until === 'almost' ? 1 : 0));
}

async function read(
  { harness, state, desk }: DeskWorld,
  step: Extract<DeskStep, { do: 'read' }>,
): Promise<void> {
  const key = at(state.keys, step.key);
  const company = at(state.companies, step.company);
  const verdict = reading(state, key, company, 'one metric');
  const outcome = await harness.drivers.rest.readLatestMetric(key.secret, company.id, metricKey);
  const code = outcome.ok ? null : outcome.code;
  if ('expected' in verdict ? code !== null : code !== verdict.refused) {
    throw new Error(`reading ${company.name}: ${code ?? 'told'}, not ${JSON.stringify(verdict)}`);
  }
  const isAllowed = code === null || code === 'metric_not_found';
  if (code !== 'invalid_api_key') desk.readings.push({ reader: key.owner, company, isAllowed });
}

async function addEndpoint({ harness, state, desk, words }: DeskWorld, company: Company) {
  const key = state.companyKeys.find((one) => one.company === company && !one.isRevoked);
  const url = `https://hooks.example/${freshWord()}`;
  const outcome = key && (await harness.company.post(key.secret, '/webhook-endpoints', { url }));
  if (!outcome?.ok) return;
  desk.endpoints.push({ id: outcome.data.id, url, company });
  words.add(outcome.data.id).add(url).add(outcome.data.secret);
}

/** Decides at the desk. A contact of another company, or without a company, is refused and changes nothing. */
async function decideAtDesk(
  world: DeskWorld,
  step: Extract<DeskStep, { do: 'decide' }>,
): Promise<Concerned> {
  const { state, desk } = world;
  const accessRequest = state.accessRequests.at(
    -1 - (step.request % (state.accessRequests.length || 1)),
  );
  if (accessRequest === undefined) return {};
  const own = desk.sessions.filter(
    (one) => isOpen(state, one) && one.chosen?.company === accessRequest.company,
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
  await decide(world, accessRequest, decision, (_world, _accessRequest, _step, named) =>
    send(world, session, accessRequest, type, named),
  );
  return { investor: accessRequest.investor, company: accessRequest.company };
}

async function send(
  world: DeskWorld,
  session: Session,
  accessRequest: AccessRequest,
  type: Decision['do'],
  { scopes, expiresAt, reason }: Named,
): Promise<Actor | null> {
  const { harness, state } = world;
  const path = `/desk/requests/${accessRequest.id}`;
  const shown = await harness.service.operator.showAccessRequest({ id: accessRequest.id });
  const { version } = shown.accessRequest;
  const fields = {
    decision: type,
    // The form contains the current version even if the contact can't see the request.
    version,
    scopes,
    expires_at: expiresAt.toISOString(),
    reason,
  };
  const away = turnedAway(state, session);
  if (away !== null || session.chosen?.company !== accessRequest.company) {
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
  return code === done ? { type: 'contact', id: session.chosen.id, signedInBy: 'link' } : null;
}
