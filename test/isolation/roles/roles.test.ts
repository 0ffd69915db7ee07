import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type CallingSession,
  type CompanyUseCases,
  type InvestorUseCases,
  signInWays,
} from '#core';
import { someCases } from '../../support/property-runs.ts';
import type { Breakage, Harness } from '../harness.ts';
import { unchecked } from '../unchecked.ts';
import { companyActs, investorActs } from './acts.ts';
import { holds, statesOf } from './attempts.ts';
import { open } from './world.ts';

const minutes = 60_000;

const cases = (['company', 'investor'] as const).flatMap((side) =>
  signInWays.flatMap((way) => statesOf(side).map((state) => [side, way, state] as const)),
);

describe('a contact', () => {
  let given: Harness;
  beforeAll(async () => {
    given = await open();
  });
  afterAll(() => given?.close());

  it.each(cases)(
    'of the %s (signed in by %s, now “%s”) can do exactly what this role or state allows',
    { timeout: minutes },
    (side, way, state) => holds(given, side, way, state),
  );

  const ofNobody = ['admitCompany', 'admitCaller', 'chargeCaller'];
  /** Only an API key can call these use cases, and no caller can call readReports yet. */
  const ofKeys = ['readCallingKey', 'rotateCallingKey', 'readReports'];

  it.each([
    ['company', companyActs, () => given.companyUseCases, []],
    ['investor', investorActs, () => given.investorUseCases, ofKeys],
  ] as const)('is tested with every use case of the %s', (_side, acts, all, others) => {
    const tried = new Set<string>(acts.map(({ of }) => of));
    const left = Object.keys(all()).filter((name) => !tried.has(name) && !ofNobody.includes(name));
    expect(left.toSorted()).toEqual(others.toSorted());
  });
});

type UseCases = Readonly<Record<string, (caller: object, ...given: unknown[]) => unknown>>;

/** Changes one use case so that it treats every caller as an admin. */
const asAdmin =
  (name: string) =>
  <Side>(useCases: Side): Side => {
    const act = (useCases as UseCases)[name];
    if (act === undefined) throw new Error(`nobody can ${name}`);
    return {
      ...useCases,
      [name]: (caller: object, ...given: unknown[]) => act({ ...caller, role: 'admin' }, ...given),
    };
  };
/** The second check, in the transaction of a change, would hide each of these faults, so it is off. */
const company = (name: keyof CompanyUseCases): Breakage => ({
  interposeCompanies: asAdmin(name),
  replace: unchecked,
});
const investor = (name: keyof InvestorUseCases): Breakage => ({
  interpose: asAdmin(name),
  replace: unchecked,
});

const remembering =
  (
    keep: (first: CallingSession, found: CallingSession | null) => CallingSession | null,
  ): NonNullable<Breakage['replace']> =>
  ({ deskSessions }) => {
    const first = new Map<string, CallingSession>();
    return {
      deskSessions: {
        ...deskSessions,
        async authenticate(digest) {
          const found = await deskSessions.authenticate(digest);
          const known = first.get(digest) ?? found;
          if (known === null) return null;
          first.set(digest, known);
          return keep(known, found);
        },
      },
    };
  };

const leaks: Readonly<Record<string, Breakage>> = {
  'a viewer can approve a request': company('approveRequest'),
  'a viewer can revoke a grant': company('revokeRequest'),
  'a viewer can pause a grant': company('pauseRequest'),
  'an approver can change the number of approvals': company('setApprovalsRequired'),
  'an approver can create keys': company('createOwnKey'),
  'every role can change roles': company('changeOwnContactRole'),
  'every role can upload data': company('pushRecords'),
  'a viewer can preview an upload': company('previewPush'),
  'every role can test webhooks': company('testWebhookEndpoint'),
  'a member of an investor can create keys': investor('createOwnKey'),
  'a member of an investor can rotate keys': investor('rotateOwnKey'),
  'a viewer of an investor can replay webhooks': investor('replayWebhook'),
  'a viewer of an investor can withdraw a request': investor('withdrawAccessRequest'),
  'a person who signed in through a provider keeps a former role': {
    replace: remembering((first, found) =>
      found && first.signedInBy === 'oidc' ? { ...found, chosen: first.chosen } : found,
    ),
  },
  'a viewer of an investor can request access': investor('requestAccess'),
  'a member of an investor can invite contacts': investor('addOwnContact'),
  'a session keeps the role that the contact had at its start': {
    replace: remembering(
      (first, found) => found && { ...found, chosen: found.chosen && first.chosen },
    ),
  },
  'a removed contact can continue': { replace: remembering((first) => first) },
  'only an admin can read the requests': {
    replace: unchecked,
    interposeCompanies: (useCases) => ({
      ...useCases,
      listReceivedRequests: (caller) =>
        useCases.addOwnContact(caller, { email: 'nobody' }) as never,
    }),
  },
  'an action is refused only after it has taken effect': {
    replace: unchecked,
    interposeCompanies: (useCases) => ({
      ...useCases,
      async revokeOwnKey(caller, input) {
        await useCases.revokeOwnKey({ ...caller, role: 'admin' } as typeof caller, input);
        return useCases.revokeOwnKey(caller, input);
      },
    }),
  },
};

describe('the test of roles', () => {
  it.each(someCases(Object.entries(leaks)))(
    'finds the fault that %s',
    { timeout: 5 * minutes },
    async (_, leak) => {
      const given = await open(leak);
      try {
        const fault = await findFault(given);
        expect(fault).toMatch(/, not (done|refused|signed out)$|left a trace$/);
      } finally {
        await given.close();
      }
    },
  );
});

async function findFault(given: Harness): Promise<string> {
  for (const one of cases) {
    try {
      await holds(given, ...one);
    } catch (error) {
      return String(error);
    }
  }
  return 'none';
}
