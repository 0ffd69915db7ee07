import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  AccessError,
  type AccessRequest,
  type AccessTerms,
  type CompanyCaller,
  coveringTerms,
  grantableScopes,
  isWithinTerms,
  simplifyTerms,
  type TermsInput,
  uniteTerms,
} from '#core';
import { propertyRuns } from '../../../support/property-runs.ts';
import { payloadOf, type ReceiptPayload } from '../../../support/receipt-chain.ts';
import { anyTerms } from '../../builders.ts';
import { aNewcomer, day, later, type Newcomer, type World } from '../../world.ts';

/** Two colleagues and the operator decide on a request. Each sends the version that they read last, or no version. */
const people = ['key', 'contact', 'operator'] as const;

type Person = (typeof people)[number];
/** Actions that take access away or give it back need no version. */
const simple = ['narrow', 'pause', 'resume'] as const;
type Simple = (typeof simple)[number];
type Verb = 'approve' | 'decline' | 'extend' | 'revoke' | Simple;

type Step =
  | { readonly do: 'amend'; readonly scopes: readonly string[]; readonly terms: TermsInput | null }
  | { readonly do: 'withdraw' | 'notice' | 'use' }
  | { readonly do: 'read'; readonly who: Person }
  | {
      readonly do: Verb;
      readonly who: Person;
      readonly names: 'version' | 'nothing';
      readonly scopes: readonly string[] | null;
      readonly terms: TermsInput | null;
      readonly ends: number | null;
    };

const scopes = fc.subarray([...grantableScopes], { minLength: 1 });
const who = fc.constantFrom(...people);
const terms: fc.Arbitrary<TermsInput | null> = fc.option(
  anyTerms.map((each) => ({ ...each, metricKeys: each?.metricKeys?.slice() })),
);
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ do: fc.constant('amend' as const), scopes, terms }) },
    {
      weight: 1,
      arbitrary: fc.record({
        do: fc.constantFrom('withdraw' as const, 'notice' as const, 'use' as const),
      }),
    },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('read' as const), who }) },
    {
      weight: 6,
      arbitrary: fc.record({
        do: fc.constantFrom<Verb>(
          ...(['approve', 'approve', 'approve', 'decline', 'extend', 'revoke', ...simple] as const),
        ),
        who,
        names: fc.constantFrom('version' as const, 'version' as const, 'nothing' as const),
        scopes: fc.option(scopes),
        terms,
        ends: fc.option(fc.integer({ min: 8, max: 400 })),
      }),
    },
  ),
  { minLength: 4, maxLength: 24 },
);

interface Scene {
  readonly world: World;
  readonly newcomer: Newcomer;
  readonly id: string;
  readonly callers: Readonly<Record<'key' | 'contact', CompanyCaller>>;
  readonly views: Map<Person, AccessRequest>;
  readonly created: AccessRequest;
}

async function begin(required: number, terms: TermsInput | null): Promise<Scene> {
  const { world, newcomer, companyId, caller } = await aNewcomer();
  const scopes = ['metrics:read' as const];
  const asked = { companyId, scopes, terms, purpose: 'Purpose 0' };
  const { accessRequest: created } = await world.callers.requestAccess(caller, asked);
  await world.operator.setApprovalsRequired({ companyId, required });
  const callers = {
    key: await world.admitCompany(companyId),
    contact: await world.admitContact(companyId),
  };
  const views = new Map(people.map((person) => [person, created]));
  return { world, newcomer, id: created.id, callers, views, created };
}

async function read({ world, callers, id }: Scene, person: Person): Promise<AccessRequest> {
  const details =
    person === 'operator'
      ? await world.operator.showAccessRequest({ id })
      : await world.companies.readReceivedRequest(callers[person], { id });
  return details.accessRequest;
}

async function decide(
  scene: Scene,
  step: Extract<Step, { do: Verb }>,
  version: string | undefined,
): Promise<AccessRequest | null> {
  const { world, callers, id } = scene;
  const { operator, companies } = world;
  const expiresAt = step.ends === null ? undefined : later(step.ends * day);
  const end = expiresAt ?? later(500 * day);
  const scopes = step.scopes === null ? undefined : [...step.scopes];
  const content = { id, scopes, terms: step.terms };
  const named = { ...content, version, expiresAt };
  const asOperator = {
    approve: () => operator.approveAccessRequest(named),
    decline: () => operator.declineAccessRequest({ id, version }),
    extend: () => operator.extendAccessRequest({ id, expiresAt: end, version }),
    revoke: () => operator.revokeAccessRequest({ id }),
    narrow: () => operator.narrowAccessRequest(content),
    pause: () => operator.pauseAccessRequest({ id }),
    resume: () => operator.resumeAccessRequest({ id }),
  };
  const asColleague = (self: CompanyCaller) => ({
    approve: () => companies.approveRequest(self, named),
    decline: () => companies.declineRequest(self, { id, version }),
    extend: () => companies.extendRequest(self, { id, version, expiresAt: end }),
    revoke: () => companies.revokeRequest(self, { id }),
    narrow: () => companies.narrowRequest(self, content),
    pause: () => companies.pauseRequest(self, { id }),
    resume: () => companies.resumeRequest(self, { id }),
  });
  try {
    const decide = step.who === 'operator' ? asOperator : asColleague(callers[step.who]);
    return (await decide[step.do]()).accessRequest;
  } catch (error) {
    if (!(error instanceof AccessError)) throw error;
    expect(['request_changed', 'illegal_transition', 'invalid_decision']).toContain(error.code);
    return null;
  }
}

const receiptsOf = async ({ world, id }: Scene) =>
  (await world.operator.listReceipts({ id })).items.map(payloadOf);

/** Gives each amendment its own purpose, so that a receipt shows which amendment it is based on. */
async function change(
  { world, newcomer, id }: Scene,
  step: Exclude<Step, { do: Verb | 'read' }>,
  purpose: string,
): Promise<void> {
  const { caller } = newcomer;
  try {
    if (step.do === 'notice') await world.background.announceExpiringGrants();
    else if (step.do === 'withdraw') await world.callers.withdrawAccessRequest(caller, { id });
    else if ('terms' in step) {
      const { scopes, terms } = step;
      const amendment = { id, scopes: [...scopes] as never, terms, purpose };
      await world.callers.amendAccessRequest(caller, amendment);
    } else await world.callers.readLatestMetrics(caller, { companyId: newcomer.companyId });
  } catch (error) {
    expect((error as AccessError).code).toMatch(/^illegal_transition$|^access_/);
  }
}

const termsIn = ({ approved_terms: terms = null }: ReceiptPayload): AccessTerms | null =>
  terms &&
  simplifyTerms({ use: terms.use, metricKeys: terms.metric_keys, historyFrom: terms.history_from });

const shown = ({ requestedScopes, pendingScopes, purpose, pendingPurpose }: AccessRequest) => ({
  scopes: [...requestedScopes, ...pendingScopes] as readonly string[],
  purposes: [purpose, pendingPurpose],
});

test('no receipt contains a purpose or scope that the deciding person hasn’t read, in any order of decisions', async () => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(1, 2), terms, steps, async (required, asked, story) => {
      const scene = await begin(required, asked);
      let agreedTerms: AccessTerms | null | undefined;
      /** Scopes and purposes that the company has approved. Only these may be in the receipt of a revocation. */
      const agreed = new Set<unknown>();
      for (const [index, step] of story.entries()) {
        if (step.do === 'read') {
          scene.views.set(step.who, await read(scene, step.who));
          continue;
        }
        if (!('who' in step)) {
          await change(scene, step, `Purpose ${index + 1}`);
          continue;
        }
        const view = scene.views.get(step.who) ?? scene.created;
        const before = await receiptsOf(scene);
        const stood = await read(scene, 'operator');
        const isNamed = step.names === 'version';
        const answer = await decide(scene, step, isNamed ? view.version : undefined);
        const after = await receiptsOf(scene);
        if (answer === null || after.length === before.length) {
          expect(await read(scene, 'operator')).toEqual(stood);
          expect(answer === null || answer.version === stood.version).toBe(true);
          continue;
        }
        expect(after).toHaveLength(before.length + 1);
        const receipt = after.at(-1) ?? {};
        const approvedTerms = termsIn(receipt);
        if (step.do === 'revoke' || simple.some((verb) => verb === step.do)) {
          if (step.do === 'revoke') expect(agreed).toContain(receipt.purpose);
          expect(isWithinTerms(approvedTerms, agreedTerms ?? null)).toBe(true);
          for (const scope of receipt.approved_scopes) expect(agreed).toContain(scope);
          continue;
        }
        const { scopes: known, purposes } = shown(isNamed ? view : scene.created);
        expect(purposes).toContain(receipt.purpose);
        expect(known).toEqual(expect.arrayContaining(receipt.requested_scopes));
        expect(known).toEqual(expect.arrayContaining(receipt.approved_scopes));
        if (receipt.event_type !== 'access_request.approved') continue;
        const shownTerms = coveringTerms(isNamed ? view : scene.created);
        expect(isWithinTerms(approvedTerms, shownTerms)).toBe(true);
        expect(receipt.approvals?.length ?? 0).toBe(required === 2 ? 2 : 0);
        agreedTerms =
          agreedTerms === undefined ? approvedTerms : uniteTerms(agreedTerms, approvedTerms);
        agreed.add(receipt.purpose);
        for (const scope of receipt.approved_scopes) agreed.add(scope);
      }
      const fail = (found: object) => expect.fail(JSON.stringify(found));
      await scene.world.operator.findInconsistencies('consents', fail);
    }),
    { numRuns: propertyRuns(400) },
  );
});
