import fc from 'fast-check';
import { AccessError, type InvestorContactCaller, type InvestorUseCases } from '#core';
import { signInFor } from '../desk/desk.ts';
import type { Outcome } from '../parity/drivers/driver.ts';
import { aCall } from '../support/call.ts';
import { allScopes, type RefusalCode } from '../support/contract.ts';
import { loadingReads } from '../support/loading-reads.ts';
import type { Harness } from './harness.ts';
import type { Look } from './look.ts';
import { companyList, metricKey, reading, type Thing, things, type Verdict } from './model.ts';
import { performStep } from './perform-step.ts';
import { likely, type Setup, type Step, setup, some, step } from './plan.ts';
import { startUses } from './start-uses.ts';
import type { Company, Key, Organisation } from './state.ts';
import type { Tally } from './tally.ts';
import { verify } from './verify.ts';
import { at, createWorld, freshWord, type World } from './world.ts';

type PersonStep = { readonly do: 'remove person' | 'end sessions'; readonly person: number };

interface PeoplePlan {
  readonly setup: Setup;
  readonly steps: readonly (Step | PersonStep)[];
}

/** Each investor has a signed-in contact. Some steps remove the contact or end its sessions. */
export const plansWithPeople = (limits: { readonly minSteps: number; readonly maxSteps: number }) =>
  fc.record({
    setup,
    steps: fc.array(
      fc.oneof(
        likely(30, step),
        likely(
          1,
          fc.record({
            do: fc.constantFrom<PersonStep['do']>('remove person', 'end sessions'),
            person: some,
          }),
        ),
      ),
      { minLength: limits.minSteps, maxLength: limits.maxSteps, size: 'max' },
    ),
  });

/**
 * A contact may read the same data as a key with all scopes, so a key describes its access. The
 * key's secret is the session.
 */
interface Person {
  readonly email: string;
  as: Key;
  signedInAt: number;
}

/** After each step, each contact reads all companies. */
export async function everyPerson(harness: Harness, plan: PeoplePlan, tally: Tally): Promise<void> {
  const world = await createWorld(harness, plan.setup);
  const people: Person[] = [];
  for (const owner of world.state.investors) {
    const email = `${freshWord()}@example.com`.toLowerCase();
    people.push({ email, as: await signIn(world, owner, email), signedInAt: world.state.now });
  }
  for (const step of plan.steps) {
    if ('person' in step) {
      await leave(world, at(people, step.person), step.do);
    } else await performStep(world, step);
    for (const person of people) await comeBack(world, person);
    await startUses(
      world,
      people.map(({ as }) => as),
      (as, company, thing) => [read(world, as, thing, company.id)],
    );
    await verify(
      world,
      people.flatMap((person) => looksOf(world, person)),
      tally,
    );
  }
}

async function signIn({ harness }: World, owner: Organisation, email: string): Promise<Key> {
  const { session } = await signInFor(harness.service, { investorId: owner.id }, email, 'viewer');
  const whole = { scopes: allScopes, endsAt: null, isRevoked: false, isTokens: false };
  return { id: email, secret: session, owner, ...whole };
}

/** These tests don't cover timeouts, so this signs the contact in again before the session times out. */
async function comeBack(world: World, person: Person): Promise<void> {
  const { now } = world.state;
  if (person.as.isRevoked || now - person.signedInAt < 1_800_000) return;
  person.as = await signIn(world, person.as.owner, person.email);
  person.signedInAt = now;
}

async function leave(
  { harness }: World,
  { as, email }: Person,
  how: PersonStep['do'],
): Promise<void> {
  const { operator } = harness.service;
  const owner = { investorId: as.owner.id };
  if (how === 'remove person') {
    const contact = (await operator.listContacts(owner)).find((one) => one.email === email);
    if (contact !== undefined) await operator.removeContact({ id: contact.id, lastAdmin: true });
  } else {
    for (const { id } of await operator.listContactSessions(owner)) {
      await operator.endContactSession({ id });
    }
  }
  as.isRevoked = true;
}

const driver = { protocol: 'rest', name: 'the people of investors' } as const;

function looksOf(world: World, { as, email }: Person): Look[] {
  const { state } = world;
  const look = (what: string, verdict: Verdict, ask: Look['ask']): Look => ({
    ...{ what, who: `${email} of ${as.owner.name}`, driver, verdict, named: '', ask },
  });
  const shown = (verdict: Verdict) =>
    'expected' in verdict ? { ...verdict, expected: 'shown' } : verdict;
  const companies: (Company | null)[] = [...state.companies, null];
  return [
    look('the page of the portfolio', namesOf(companyList(state, as)), () =>
      seePortfolio(world, as),
    ),
    ...companies.flatMap((company) =>
      things.map((thing) =>
        look(`${thing} of ${company?.name}`, shown(reading(state, as, company, thing)), () =>
          read(world, as, thing, company?.id ?? 'co_none'),
        ),
      ),
    ),
  ];
}

const namesOf = (verdict: Verdict): Verdict =>
  'expected' in verdict
    ? {
        ...verdict,
        expected: (verdict.expected as readonly Company[]).map(({ name }) => name).toSorted(),
      }
    : verdict;

const wire = { status: 200, headers: {}, text: '' };

const refused = (code: RefusalCode, details = {}): Outcome<never> => ({
  ...{ ok: false, code, details, message: '', documentationUrl: '', envelope: null, wire },
});

async function seePortfolio({ harness, state }: World, { secret }: Key): Promise<Outcome<unknown>> {
  const page = await harness.browser.get(secret, '/desk/portfolio');
  if (!page.ok) return page.code.startsWith('to /desk/sign-in') ? refused('invalid_api_key') : page;
  const names = state.companies.map(({ name }) => name).filter((name) => page.data.includes(name));
  return { ok: true, data: names.toSorted(), wire };
}

const ways: Record<
  Thing,
  (
    useCases: Pick<
      ReturnType<typeof loadingReads<InvestorUseCases>>,
      `read${string}` & keyof InvestorUseCases
    >,
    caller: InvestorContactCaller,
    companyId: string,
  ) => Promise<unknown>
> = {
  'the latest metrics': (useCases, caller, companyId) =>
    useCases.readLatestMetrics(caller, { companyId }),
  'one metric': (useCases, caller, companyId) =>
    useCases.readLatestMetric(caller, { companyId, key: metricKey }),
  'the history of a metric': (useCases, caller, companyId) =>
    useCases.readMetricHistory(caller, { companyId, key: metricKey }),
  'the sources': (useCases, caller, companyId) => useCases.readSources(caller, { companyId }),
  'the accounts': (useCases, caller, companyId) => useCases.readAccounts(caller, { companyId }),
};

async function read(
  { harness }: World,
  { secret }: Key,
  thing: Thing,
  companyId: string,
): Promise<Outcome<unknown>> {
  const admission = await harness.service.contacts.admitContact(secret, 1, aCall);
  if ('refusal' in admission) return refused(admission.refusal.code as RefusalCode);
  const { caller } = admission;
  if (caller.kind !== 'investor_contact') throw new Error(`${caller.email} acts for nobody`);
  try {
    await ways[thing](loadingReads(harness.investorUseCases), caller, companyId);
    return { ok: true, data: 'shown', wire };
  } catch (error) {
    if (!(error instanceof AccessError)) throw error;
    return refused(error.code as RefusalCode, error.details);
  }
}
