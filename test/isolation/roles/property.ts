import fc from 'fast-check';
import { AccessError, companyRoles, investorRoles, type Role } from '#core';
import { csrfTokenOf } from '../../../desk/security.ts';
import { aCall } from '../../support/call.ts';
import { companyActs, investorActs } from './acts.ts';
import { createStage, everything, type Given, type Stage } from './stage.ts';

/** Somebody signs in with a role, may get another one or be removed, and tries something in one of the ways. */
export interface Case {
  readonly side: 'company' | 'investor';
  readonly role: number;
  readonly afterwards: 'stays' | 'removed' | number;
  readonly act: number;
  readonly way: 'core' | 'desk';
}

const number = fc.nat({ max: 59 });

export const cases: fc.Arbitrary<Case> = fc.record({
  side: fc.constantFrom('company', 'company', 'investor'),
  role: number,
  afterwards: fc.oneof(
    { weight: 3, arbitrary: fc.constant('stays' as const) },
    { weight: 1, arbitrary: fc.constant('removed' as const) },
    { weight: 3, arbitrary: number },
  ),
  act: number,
  way: fc.constantFrom('core', 'desk'),
});

const at = <Item>(list: readonly Item[], index: number): Item => list[index % list.length] as Item;

/** Tries the case, and fails unless what comes of it is what the table says. */
export async function holds(given: Given, tried: Case): Promise<string> {
  const { side } = tried;
  const roles: readonly Role[] = side === 'company' ? companyRoles : investorRoles;
  const first = at(roles, tried.role);
  const stage = await createStage(given, side, first);
  const { id } = stage.person;
  // The person is in already when something changes.
  await stage.visitor.get('/desk/sessions');
  if (tried.afterwards === 'removed') await given.service.operator.removeContact({ id });
  const role = typeof tried.afterwards === 'number' ? at(roles, tried.afterwards) : first;
  if (role !== first) await given.service.operator.changeContactRole({ id, role });
  const { name, may, attempt } = actOf(given, stage, tried);
  const expected =
    tried.afterwards === 'removed' ? 'signed out' : may.includes(role) ? 'done' : 'refused';
  const before = await everything(given, stage);
  const outcome = await attempt();
  const what = `${first}, then ${tried.afterwards}, ${name} (${side}, ${tried.way})`;
  if (outcome !== expected) throw new Error(`${what}: ${outcome}, not ${expected}`);
  if (outcome !== 'done') {
    const after = await everything(given, stage);
    if (JSON.stringify(before) !== JSON.stringify(after)) throw new Error(`${what}: left a trace`);
  }
  return `${expected} ${tried.way} ${side}`;
}

interface Tried {
  readonly name: string;
  readonly may: readonly Role[];
  readonly attempt: () => Promise<string>;
}

function actOf(given: Given, stage: Stage, { side, act, way }: Case): Tried {
  const { visitor } = stage;
  const admit = async () => {
    const admission = await given.service.contacts.admitContact(visitor.session, 1, aCall);
    if ('refusal' in admission) throw admission.refusal;
    return admission.caller;
  };
  if (side === 'investor') {
    const { name, may, ask } = at(investorActs, act);
    const attempt = async () => {
      const caller = await admit();
      if (caller.kind !== 'investor_contact') throw new Error('acts for somebody else');
      return ask(given.investor, caller, stage);
    };
    return { name, may, attempt: () => outcomeOf(attempt) };
  }
  const { name, may, ask, form } = at(companyActs, act);
  if (way === 'desk' && form !== undefined) {
    const { path, fields } = form(stage);
    const csrf = csrfTokenOf(visitor.session);
    const own = { csrf, for_company: stage.companyId };
    return {
      name,
      may,
      async attempt() {
        const { status, location } = await visitor.post(path, { ...own, ...fields });
        if (location?.startsWith('/desk/sign-in')) return 'signed out';
        if (status === 403) return 'refused';
        return status === 303 || status === 200 ? 'done' : `status ${status}`;
      },
    };
  }
  const attempt = async () => {
    const caller = await admit();
    if (caller.kind !== 'contact') throw new Error('acts for somebody else');
    return ask(given.company, caller, stage);
  };
  return { name, may, attempt: () => outcomeOf(attempt) };
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
