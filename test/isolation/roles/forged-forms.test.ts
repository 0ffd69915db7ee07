import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AccessError } from '#core';
import { csrfTokenOf } from '../../../desk/security.ts';
import { aCall } from '../../support/call.ts';
import { loadingReads } from '../../support/loading-reads.ts';
import type { Harness } from '../harness.ts';
import { companyActs, type Form, investorActs } from './acts.ts';
import { send } from './property.ts';
import { createWorld, everything, open, type World } from './world.ts';

const sides = [
  ['company', companyActs],
  ['investor', investorActs],
] as const;

/** Forms that act for no organisation. */
const ofWhoeverIsSignedIn: readonly Form[] = [
  '/desk/sessions/end',
  '/desk/sessions/end-others',
  '/desk/companies',
  '/desk/sign-out',
].map((path) => ({ path, fields: {} }));

let given: Harness;
beforeAll(async () => {
  given = await open();
});
afterAll(() => given?.close());

describe.each(sides)('an admin of a %s', (side, acts) => {
  it('changes nothing with a form that no desk page sent', async () => {
    const world = await createWorld(given, side, 'admin', 'link');
    const other = await createWorld(given, side, 'admin', 'link');
    const forged = {
      'without the token': { fields: { csrf: '' } },
      'with the token of another session': {
        fields: { csrf: csrfTokenOf(other.session) },
      },
      'of another origin': { headers: { origin: 'https://evil.example' } },
      'of no origin': { headers: { origin: 'null' } },
      'of another site': { headers: { 'sec-fetch-site': 'cross-site' } },
    };
    const before = JSON.stringify(await everything(given, world));
    const isSent = ({ fields }: Form) => fields !== undefined;
    const forms = acts.flatMap(({ form }) => form?.(world) ?? []).filter(isSent);
    expect(forms.length).toBeGreaterThan(10);
    for (const made of [...forms, ...ofWhoeverIsSignedIn]) {
      for (const [how, changed] of Object.entries(forged)) {
        const outcome = await send(given, world, side, made, changed);
        expect(outcome, `${made.path} ${how}`).toBe('refused');
      }
    }
    for (const made of forms) {
      const elsewhere = { for_company: other.companyId, for_investor: other.investorId };
      const outcome = await send(given, world, side, made, { fields: elsewhere });
      expect(outcome, `${made.path} for another organisation`).toBe('status 409');
    }
    expect(JSON.stringify(await everything(given, world))).toBe(before);
  });

  it('neither sees nor changes another organisation’s data, whichever ids the forms contain', async () => {
    const own = await createWorld(given, side, 'admin', 'link');
    const others = await createWorld(given, side, 'admin', 'link');
    const before = JSON.stringify(await everything(given, others));
    for (const { name, form } of acts) {
      const foreign = form?.(others);
      if (foreign === undefined || foreign.path === form?.(own).path) continue;
      const outcome = await send(given, own, side, foreign);
      // The comparison leaves out companies outside the portfolio.
      const expected = foreign.path.startsWith('/desk/compare') ? 'done' : 'status 404';
      expect(outcome, `${name}: ${foreign.path}`).toBe(expected);
    }
    for (const { name, ask } of acts) {
      const { world, isForeign } = watched(own, others);
      const outcome = await outcomeOf(async () => ask(useCasesOf(side), await admit(own), world));
      if (isForeign()) expect(outcome, name).toMatch(/_not_found$|^nothing$/);
    }
    expect(JSON.stringify(await everything(given, others))).toBe(before);
  });
});

const useCasesOf = (side: 'company' | 'investor') =>
  loadingReads(side === 'company' ? given.companyUseCases : given.investorUseCases) as never;

async function admit({ session }: World): Promise<never> {
  const admission = await given.service.contacts.admitContact(session, 1, aCall);
  if ('refusal' in admission) throw admission.refusal;
  return admission.caller as never;
}

/** Returns a world with the ids of the others, and a function that reports whether an action has used one. */
function watched(own: World, others: World) {
  let looked = false;
  const world = new Proxy(own, {
    get(_, name: keyof World) {
      if (name === 'record') return own.record;
      looked = true;
      return others[name];
    },
  });
  return { world, isForeign: () => looked };
}

/** Returns the code of the refusal, or `nothing` if the answer leaves out the requested data. */
async function outcomeOf(act: () => Promise<unknown>): Promise<string> {
  try {
    const answer = JSON.stringify(await act(), (_, value) =>
      value instanceof Map ? [...value] : value,
    );
    return /"rawValue"|"reads"/.test(answer) ? answer : 'nothing';
  } catch (error) {
    if (error instanceof AccessError) return error.code;
    throw error;
  }
}
