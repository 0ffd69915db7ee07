import fc from 'fast-check';
import {
  AccessError,
  companyRoles,
  investorRoles,
  type Role,
  type SignInWay,
  signInWays,
} from '#core';
import type { Fields } from '../../desk/desk.ts';
import { aCall } from '../../support/call.ts';
import type { Harness } from '../harness.ts';
import { companyActs, type Form, investorActs } from './acts.ts';
import { createWorld, everything, type World } from './world.ts';

/**
 * A contact with a role signs in. Then the role may change, or the contact may be gone. Then the contact tries an
 * action.
 */
export interface Case {
  readonly side: 'company' | 'investor';
  readonly role: number;
  readonly signedInBy: SignInWay;
  readonly afterwards: 'stays' | 'removed' | 'suspended' | number;
  readonly act: number;
  readonly way: 'core' | 'desk';
}

const number = fc.nat({ max: 59_999 });

export const casesOf = (...sides: readonly Case['side'][]): fc.Arbitrary<Case> =>
  fc.record({
    side: fc.constantFrom(...sides),
    role: number,
    signedInBy: fc.constantFrom(...signInWays),
    afterwards: fc.oneof(
      { weight: 3, arbitrary: fc.constant('stays' as const) },
      { weight: 1, arbitrary: fc.constantFrom('removed' as const, 'suspended' as const) },
      { weight: 3, arbitrary: number },
    ),
    act: number,
    way: fc.constantFrom('core', 'desk'),
  });

const at = <Item>(list: readonly Item[], index: number): Item => list[index % list.length] as Item;

/** Tries the case, and throws unless the outcome matches the table. */
export async function holds(given: Harness, tried: Case): Promise<string> {
  const { side } = tried;
  const roles: readonly Role[] = side === 'company' ? companyRoles : investorRoles;
  const first = at(roles, tried.role);
  const world = await createWorld(given, side, first, tried.signedInBy);
  // The contact is already signed in when the change happens.
  await given.browser.get(world.session, '/desk/sessions');
  const role = await change(given, world, tried, first);
  const { name, may, attempt } = actOf(given, world, tried);
  const expected = role === null ? 'signed out' : may.includes(role) ? 'done' : 'refused';
  const before = expected === 'done' ? null : await everything(given, world);
  const outcome = await attempt();
  const what = `${first}, then ${tried.afterwards}, ${name} (${side}, ${tried.way}, ${tried.signedInBy})`;
  if (outcome !== expected) throw new Error(`${what}: ${outcome}, not ${expected}`);
  if (before !== null) {
    const after = await everything(given, world);
    if (JSON.stringify(before) !== JSON.stringify(after)) throw new Error(`${what}: left a trace`);
  }
  return `${expected} ${tried.way} ${side} ${tried.signedInBy}`;
}

/** @returns the contact's role after the change; null: none */
async function change(
  { service: { operator } }: Harness,
  { person: { id }, companyId, investorId }: World,
  { side, afterwards }: Case,
  first: Role,
): Promise<Role | null> {
  if (afterwards === 'stays') return first;
  if (afterwards === 'removed') await operator.removeContact({ id });
  else if (afterwards === 'suspended' && side === 'company')
    await operator.suspendCompany({ id: companyId });
  else if (afterwards === 'suspended') await operator.suspendInvestor({ id: investorId });
  else {
    const role = at<Role>(side === 'company' ? companyRoles : investorRoles, afterwards);
    await operator.changeContactRole({ id, role });
    return role;
  }
  return null;
}

interface Tried {
  readonly name: string;
  readonly may: readonly Role[];
  readonly attempt: () => Promise<string>;
}

function actOf(given: Harness, world: World, tried: Case): Tried {
  const { side, act, way } = tried;
  const { name, may, form } = side === 'company' ? at(companyActs, act) : at(investorActs, act);
  if (way === 'desk' && form !== undefined) {
    return { name, may, attempt: () => send(given, world, side, form(world)) };
  }
  return { name, may, attempt: () => outcomeOf(() => ask(given, world, tried)) };
}

/** Calls the use case directly as the caller that the session is admitted for. */
async function ask(given: Harness, world: World, { side, act }: Case): Promise<unknown> {
  const admission = await given.service.contacts.admitContact(world.session, 1, aCall);
  if ('refusal' in admission) throw admission.refusal;
  const { caller } = admission;
  if (side === 'company' && caller.kind === 'contact')
    return at(companyActs, act).ask(given.companyUseCases, caller, world);
  if (side === 'investor' && caller.kind === 'investor_contact')
    return at(investorActs, act).ask(given.investorUseCases, caller, world);
  throw new Error('the caller acts for another owner');
}

/** Sends the form as a browser, whatever the page shows. `given` replaces what the browser would send. */
export async function send(
  { browser }: Harness,
  { session, companyId, investorId }: World,
  side: Case['side'],
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
