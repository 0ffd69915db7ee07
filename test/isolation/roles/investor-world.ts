import fc from 'fast-check';
import { AccessError, type GrantableScope, grantableScopes, type InvestorUseCases } from '#core';
import { signInFor, type Visitor } from '../../desk/desk.ts';
import { aCall } from '../../support/call.ts';
import { importLines, sampleData } from '../../support/fixtures.ts';
import type { Given } from './world.ts';

const few = fc.nat({ max: 2 });
const who = fc.nat({ max: 1 });
const scopes = fc.subarray([...grantableScopes], { minLength: 1 });

type Step =
  | {
      readonly do: 'put in' | 'take out' | 'ask' | 'revoke';
      readonly who: number;
      readonly of: number;
    }
  | {
      readonly do: 'grant';
      readonly who: number;
      readonly of: number;
      readonly scopes: readonly GrantableScope[];
    }
  | { readonly do: 'remove' | 'end'; readonly who: number };

const pairs = [0, 1].flatMap((who) => [0, 1, 2].map((of) => ({ who, of })));

/** Some companies are in portfolios and asked before anything else happens. */
const beginning: fc.Arbitrary<readonly Step[]> = fc
  .subarray(pairs, { minLength: 2 })
  .map((chosen) =>
    chosen.flatMap((pair) => [
      { do: 'put in' as const, ...pair },
      { do: 'ask' as const, ...pair },
    ]),
  );

const later: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    {
      weight: 8,
      arbitrary: fc.record({ do: fc.constant('grant' as const), who, of: few, scopes }),
    },
    {
      weight: 8,
      arbitrary: fc.record({
        do: fc.constantFrom('put in', 'put in', 'take out', 'ask', 'revoke'),
        who,
        of: few,
      }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('remove', 'end'), who }) },
  ),
  { minLength: 3, maxLength: 12 },
);

/** What happens between two investors, each with a person, and three companies. */
export const plans: fc.Arbitrary<readonly Step[]> = fc
  .tuple(beginning, later)
  .map((parts) => parts.flat());

interface Investor {
  readonly id: string;
  readonly key: string;
  readonly contactId: string;
  readonly visitor: Visitor;
  isOut: boolean;
  /** What each company of the portfolio grants it; null: asked, and not answered. */
  readonly portfolio: Map<string, readonly GrantableScope[] | 'none' | 'pending' | 'revoked'>;
}

const reads: Readonly<Record<GrantableScope, keyof InvestorUseCases & `read${string}`>> = {
  'metrics:read': 'readLatestMetrics',
  'accounts:read': 'readAccounts',
  'sources:read': 'readSources',
};

/** Plays the plan, and looks after each step at what both people get of all companies. */
export async function nobodySeesMore(given: Given, plan: readonly Step[]): Promise<number> {
  const { fixtures, operator } = given.service;
  const companies = [await fixtures.company(), await fixtures.company(), await fixtures.company()];
  for (const { id } of companies) await importLines(operator, sampleData(id));
  const investors: Investor[] = [];
  for (let count = 0; count < 2; count += 1) {
    const { id } = await fixtures.investor();
    const { key } = await fixtures.key({ id });
    const owner = { investorId: id };
    const visitor = await signInFor(given.service, owner, undefined, 'viewer');
    const [contact] = await operator.listContacts(owner);
    investors.push({
      ...{ id, key, visitor, contactId: contact?.id ?? '', isOut: false },
      portfolio: new Map(),
    });
  }
  let looks = 0;
  for (const step of plan) {
    const investor = investors[step.who] as Investor;
    await happen(given, step, investor, companies[('of' in step && step.of) || 0]?.id ?? '');
    for (const each of investors) looks += await look(given, each, companies, step);
  }
  return looks;
}

async function happen(
  { service: { operator, fixtures } }: Given,
  step: Step,
  investor: Investor,
  companyId: string,
): Promise<void> {
  const { id: investorId, portfolio, key } = investor;
  const access = portfolio.get(companyId);
  const requestOf = async () =>
    (await operator.listCompanyAccessRequests({ companyId })).find(
      (one) => one.investorId === investorId && ['pending', 'approved'].includes(one.status),
    )?.id ?? '';
  switch (step.do) {
    case 'put in':
      if (access !== undefined) return;
      await operator.addToPortfolio({ investorId, companyId });
      // What was granted before holds again.
      portfolio.set(companyId, investor.portfolio.get(`left ${companyId}`) ?? 'none');
      return;
    case 'take out':
      if (access === undefined) return;
      await operator.removeFromPortfolio({ investorId, companyId });
      portfolio.set(`left ${companyId}`, access);
      portfolio.delete(companyId);
      return;
    case 'ask':
      if (access !== 'none' && access !== 'revoked') return;
      await fixtures.request(key, companyId, [...grantableScopes]);
      portfolio.set(companyId, 'pending');
      return;
    case 'grant':
      if (access !== 'pending') return;
      await operator.approveAccessRequest({ id: await requestOf(), scopes: step.scopes });
      portfolio.set(companyId, step.scopes);
      return;
    case 'revoke':
      if (!Array.isArray(access)) return;
      await operator.revokeAccessRequest({ id: await requestOf() });
      portfolio.set(companyId, 'revoked');
      return;
    case 'remove':
      if (investor.isOut) return;
      await operator.removeContact({ id: investor.contactId, lastAdmin: true });
      investor.isOut = true;
      return;
    case 'end': {
      const [session] = investor.isOut ? [] : await operator.listContactSessions({ investorId });
      if (session === undefined) return;
      await operator.endContactSession({ id: session.id });
      investor.isOut = true;
    }
  }
}

function expectedOf(investor: Investor, companyId: string, scope: GrantableScope): string {
  const access = investor.portfolio.get(companyId);
  if (access === undefined) return 'company_not_found';
  if (access === 'pending') return 'access_pending';
  if (access === 'revoked') return 'access_revoked';
  return access !== 'none' && access.includes(scope) ? 'read' : 'access_required';
}

async function look(
  { service, investor: useCases }: Given,
  investor: Investor,
  companies: readonly { readonly id: string; readonly name: string }[],
  after: Step,
): Promise<number> {
  const { visitor } = investor;
  const admission = await service.contacts.admitContact(visitor.session, 1, aCall);
  const page = await visitor.get('/desk/portfolio');
  const what = `after ${JSON.stringify(after)}`;
  if ('refusal' in admission || admission.caller.kind !== 'investor_contact') {
    if (investor.isOut && page.location?.startsWith('/desk/sign-in')) return 1;
    throw new Error(`${what}: somebody is out who is not`);
  }
  if (investor.isOut) throw new Error(`${what}: somebody is in who is out`);
  let looks = 1;
  for (const { id: companyId, name } of companies) {
    const isShown = page.text.includes(name);
    if (isShown !== investor.portfolio.has(companyId)) {
      throw new Error(`${what}: the portfolio shows ${name}: ${isShown}`);
    }
    for (const scope of grantableScopes) {
      const expected = expectedOf(investor, companyId, scope);
      const read = useCases[reads[scope]] as (...given: unknown[]) => Promise<unknown>;
      const outcome = await read(admission.caller, { companyId }).then(
        () => 'read',
        (error) => (error instanceof AccessError ? error.code : Promise.reject(error)),
      );
      if (outcome !== expected) {
        throw new Error(`${what}: ${scope} of ${name}: ${outcome}, not ${expected}`);
      }
      looks += 1;
    }
  }
  return looks;
}
