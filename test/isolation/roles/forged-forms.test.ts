import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { csrfTokenOf } from '../../../desk/security.ts';
import type { Harness } from '../harness.ts';
import { companyActs, type Form, investorActs } from './acts.ts';
import { send } from './attempts.ts';
import { createWorld, everything, open } from './world.ts';

const sides = [
  ['company', companyActs],
  ['investor', investorActs],
] as const;

/** Forms that act for the session, not for an organisation. */
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

describe.each(sides)('an admin of the %s', (side, acts) => {
  it('changes nothing with a form that no page of the desk has sent', async () => {
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
});
