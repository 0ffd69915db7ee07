import { AccessError, companyRoles, investorRoles, type Role, type SignInWay } from '#core';
import type { Fields } from '../../desk/desk.ts';
import { aCall } from '../../support/call.ts';
import type { Harness } from '../harness.ts';
import { companyActs, type Form, investorActs } from './acts.ts';
import { createWorld, everything, type World } from './world.ts';

export type Side = 'company' | 'investor';

/** The contact's current role, or what has happened to the contact since sign-in. */
type State = Role | 'removed' | 'suspended';

const rolesOf: Readonly<Record<Side, readonly Role[]>> = {
  company: companyRoles,
  investor: investorRoles,
};

export const statesOf = (side: Side): readonly State[] => [
  ...rolesOf[side],
  'removed',
  'suspended',
];

/** Either a call of the core's use case, or a request to the desk. */
interface Attempt {
  readonly name: string;
  readonly may: readonly Role[];
  readonly outcome: (given: Harness, world: World) => Promise<string>;
}

function attemptsOf(side: Side): Attempt[] {
  const acts: readonly {
    readonly name: string;
    readonly may: readonly Role[];
    readonly form?: (world: World) => Form;
  }[] = side === 'company' ? companyActs : investorActs;
  return acts.flatMap(({ name, may, form }, index) => {
    const ofCore: Attempt = {
      name: `${name} (core)`,
      may,
      outcome: (given, world) => outcomeOf(() => ask(given, world, side, index)),
    };
    if (form === undefined) return [ofCore];
    const ofDesk: Attempt = {
      name: `${name} (desk)`,
      may,
      outcome: (given, world) => send(given, world, side, form(world)),
    };
    return [ofCore, ofDesk];
  });
}

/**
 * Signs a contact in, changes its state, and then tries every action. Throws if the outcome differs
 * from the table of actions, or if a refused action changed anything.
 */
export async function holds(
  given: Harness,
  side: Side,
  signedInBy: SignInWay,
  state: State,
): Promise<void> {
  const begin = async () => {
    const world = await createWorld(
      given,
      side,
      state === 'admin' ? 'viewer' : 'admin',
      signedInBy,
    );
    // Opens a page first, so the session is in use when the role or the right of the contact changes.
    await given.browser.get(world.session, '/desk/sessions');
    await change(given, world, side, state);
    return world;
  };
  const check = async ({ name, outcome }: Attempt, world: World, expected: string) => {
    const found = await outcome(given, world);
    if (found !== expected) throw new Error(`${state}, ${name}: ${found}, not ${expected}`);
  };
  const world = await begin();
  const before = JSON.stringify(await everything(given, world));
  const isAllowed = ({ may }: Attempt) => may.some((role) => role === state);
  const { allowed = [], refused = [] } = Object.groupBy(attemptsOf(side), (attempt) =>
    isAllowed(attempt) ? 'allowed' : 'refused',
  );
  const refusal = state === 'removed' || state === 'suspended' ? 'signed out' : 'refused';
  for (const attempt of refused) await check(attempt, world, refusal);
  const after = JSON.stringify(await everything(given, world));
  if (after !== before) throw new Error(`${state}: a refused action left a trace`);
  for (const attempt of allowed) {
    // A read can use the same world. Each change needs a new world.
    const isRead = attempt.may.length === rolesOf[side].length;
    await check(attempt, isRead ? world : await begin(), 'done');
  }
}

async function change(
  { service: { operator } }: Harness,
  { person: { id }, companyId, investorId }: World,
  side: Side,
  state: State,
): Promise<void> {
  if (state === 'removed') await operator.removeContact({ id });
  else if (state !== 'suspended') await operator.changeContactRole({ id, role: state });
  else if (side === 'company') await operator.suspendCompany({ id: companyId });
  else await operator.suspendInvestor({ id: investorId });
}

/** Calls the use case directly, as the caller that the session belongs to. */
async function ask(given: Harness, world: World, side: Side, index: number): Promise<unknown> {
  const admission = await given.service.contacts.admitContact(world.session, 1, aCall);
  if ('refusal' in admission) throw admission.refusal;
  const { caller } = admission;
  if (side === 'company' && caller.kind === 'contact')
    return companyActs[index]?.ask(given.companyUseCases, caller, world);
  if (side === 'investor' && caller.kind === 'investor_contact')
    return investorActs[index]?.ask(given.investorUseCases, caller, world);
  throw new Error('the caller acts for another owner');
}

/** Sends the form as a browser would, even if no page offers it. `given` replaces fields and headers. */
export async function send(
  { browser }: Harness,
  { session, companyId, investorId }: World,
  side: Side,
  { path, fields, file }: Form,
  given: { readonly fields?: Fields; readonly headers?: Record<string, string> } = {},
): Promise<string> {
  const ofSide = side === 'company' ? { for_company: companyId } : { for_investor: investorId };
  const all = { ...ofSide, ...fields, ...given.fields };
  const outcome = await (fields === undefined
    ? browser.get(session, path)
    : file === undefined
      ? browser.post(session, path, all, given.headers)
      : browser.upload(session, path, all, file, given.headers));
  if (outcome.ok) return 'done';
  if (outcome.code.startsWith('to /desk/sign-in')) return 'signed out';
  if (outcome.code.startsWith('to ')) return 'done';
  return outcome.wire.status === 403 ? 'refused' : outcome.code;
}

async function outcomeOf(attempt: () => Promise<unknown>): Promise<string> {
  try {
    await attempt();
    return 'done';
  } catch (error) {
    if (!(error instanceof AccessError)) throw error;
    if (error.code === 'insufficient_role') return 'refused';
    return error.code === 'invalid_api_key' ? 'signed out' : error.code;
  }
}
