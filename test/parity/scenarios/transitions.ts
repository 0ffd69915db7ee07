import { expect } from 'vitest';
import { AccessError, type AccessRequest } from '#core';
import type { Portfolio } from '../../support/fixtures.ts';
import { payloadOf } from '../../support/receipt-chain.ts';
import type { NormalizedEvent } from '../drivers/driver.ts';
import { dataOf, expectRefused, normalizeEvent, normalizeRequest } from '../outcomes.ts';
import type { Given, Scenario, Topic } from '../scenario.ts';
import {
  type Act,
  type Decision,
  decisions,
  expected,
  type Result,
  type StartingState,
  startingStates,
} from './transition-table.ts';

const hour = 3_600_000;
const day = 24 * hour;

interface Scene extends Portfolio {
  readonly id: string;
  readonly companyKey: string;
}

/** Brings a request to the state. The investor acts through the protocol, the company through its own API. */
async function bring(given: Given, state: StartingState): Promise<Scene> {
  const { driver, fixtures, operator, setClock } = given;
  const now = Date.now();
  setClock(new Date(now));
  const made = await fixtures.portfolio();
  const { id } = await fixtures.request(made.key, made.company.id, ['metrics:read']);
  const scene = { ...made, id, companyKey: (await fixtures.companyKey(made.company.id)).key };
  if (['approved', 'amended', 'revoked', 'withdrawn'].includes(state)) {
    await operator.approveAccessRequest({ id, expiresAt: new Date(now + 10 * day) });
  }
  if (state === 'amended') {
    dataOf(await driver.amendAccessRequest(made.key, id, { scopes: ['accounts:read'] }));
  }
  if (state === 'declined') await operator.declineAccessRequest({ id, reason: 'Not now.' });
  if (state === 'revoked') await operator.revokeAccessRequest({ id, reason: 'No longer.' });
  if (state === 'withdrawn') dataOf(await driver.withdrawAccessRequest(made.key, id));
  if (state === 'expired') setClock(new Date(now + day));
  return scene;
}

/** Returns the body of each decision. A repeated decision has the same body. */
const bodies = (): Record<Decision, object> => ({
  approve: {},
  decline: {},
  revoke: {},
  extend: { expires_at: new Date(Date.now() + 20 * day).toISOString() },
});

/** Performs the act. Returns the code of the refusal, or null. */
type Actor = (given: Given, scene: Scene, act: never) => Promise<string | null>;

/** The version that a decision must name. Empty if nothing was added to the first request. */
async function versionOf({ operator: side }: Given, id: string, act: Decision) {
  const { version, amendments } = (await side.showAccessRequest({ id })).accessRequest;
  return amendments > 0 && act !== 'revoke' ? { version } : {};
}

const company = async (given: Given, { id, companyKey }: Scene, act: Decision) => {
  const path = `/access-requests/${id}/${act}`;
  const body = { ...bodies()[act], ...(await versionOf(given, id, act)) };
  const answer = await given.asCompany('POST', path, { key: companyKey, body });
  return answer.status === 200 ? null : answer.body.error.code;
};

const operator = async (given: Given, { id }: Scene, act: Decision) => {
  const { operator: side } = given;
  const end = new Date(Date.now() + 20 * day);
  const decided = await versionOf(given, id, act);
  const acts: Record<Decision, () => Promise<unknown>> = {
    approve: () => side.approveAccessRequest({ id, ...decided }),
    decline: () => side.declineAccessRequest({ id, ...decided }),
    revoke: () => side.revokeAccessRequest({ id }),
    extend: () => side.extendAccessRequest({ id, expiresAt: end, ...decided }),
  };
  try {
    await acts[act]();
    return null;
  } catch (error) {
    if (error instanceof AccessError) return error.code;
    throw error;
  }
};

const investor = async ({ driver }: Given, { key, id }: Scene, act: 'amend' | 'withdraw') => {
  const outcome =
    act === 'withdraw'
      ? await driver.withdrawAccessRequest(key, id)
      : await driver.amendAccessRequest(key, id, { scopes: ['sources:read'] });
  return outcome.ok ? null : outcome.code;
};

const clock = async ({ operator: side, background, setClock }: Given, { id }: Scene, act: Act) => {
  const { accessRequest } = await side.showAccessRequest({ id });
  const end = accessRequest.expiresAt?.getTime() ?? Date.now() + day;
  setClock(new Date(act === 'expire' ? end : end - 7 * day));
  await (act === 'expire'
    ? background.expireAccessRequests()
    : background.announceExpiringGrants());
  return null;
};

const actors = {
  company: [company, decisions],
  operator: [operator, decisions],
  investor: [investor, ['amend', 'withdraw']],
  clock: [clock, ['expire', 'remind']],
} as const satisfies Record<string, readonly [Actor, readonly Act[]]>;

/** The operator's commands refuse a decision that was already made. Other actors may repeat a decision. */
function resultFor(actor: keyof typeof actors, state: StartingState, act: Act): Result {
  const result = expected[state][act] ?? 'illegal_transition';
  return actor === 'operator' && result === 'same' ? 'illegal_transition' : result;
}

const idOf = (actor: keyof typeof actors, { investor: { id } }: Scene) =>
  ({
    company: { type: 'company_key', id: expect.stringMatching(/^ck_/) },
    operator: { type: 'operator', id: null },
    investor: { type: 'investor', id },
    clock: { type: 'clock', id: null },
  })[actor];

const ofCompany = ({ createdAt, approvedScopes, expiresAt, ...event }: NormalizedEvent) => ({
  ...event,
  created_at: createdAt,
  approved_scopes: approvedScopes,
  expires_at: expiresAt,
});

/** The request in all views: the investor's through the protocol, the company's through its own API, the operator's. */
async function look({ driver, asCompany, operator: side }: Given, scene: Scene) {
  const { id, key, companyKey } = scene;
  const request = dataOf(await driver.readAccessRequest(key, id));
  const { accessRequest, history } = await side.showAccessRequest({ id });
  expect(request).toEqual(normalizeRequest(accessRequest));
  expect(dataOf(await driver.listAccessRequests(key))).toEqual([request]);
  const received = await asCompany('GET', `/access-requests/${id}`, { key: companyKey });
  expect(received.body).toMatchObject({
    status: request.status,
    approved_scopes: request.approvedScopes,
    history: history.map((event) => ofCompany(normalizeEvent(event))),
  });
  const receipts = dataOf(await driver.readReceipts(key, id));
  expect(receipts).toEqual((await side.listReceipts({ id })).items);
  expect(receipts.map((receipt) => payloadOf(receipt).event_id)).toEqual(
    history.map((event) => event.id),
  );
  const shown = await asCompany('GET', `/access-requests/${id}/receipts`, { key: companyKey });
  expect(shown.body.data).toEqual(
    receipts.map((receipt) => ({ ...receipt, object: 'consent_receipt' })),
  );
  if (driver.readHistory !== null) {
    expect(dataOf(await driver.readHistory(key, id))).toEqual(history.map(normalizeEvent));
  }
  return { request, last: history.at(-1), events: history.length };
}

const everyTransition: Scenario[] = startingStates.flatMap((state) =>
  (Object.keys(actors) as (keyof typeof actors)[]).flatMap((actor) => {
    const [perform, acts] = actors[actor];
    return acts
      .map((act) => ({ act, result: resultFor(actor, state, act) }))
      .filter(({ result }) => actor !== 'clock' || typeof result === 'object')
      .map(
        ({ act, result }): Scenario => ({
          name: `the ${actor} tries to ${act} a request that is ${state}: ${typeof result === 'object' ? result.event : result}`,
          ...(actor !== 'investor' && { isOfOthers: true }),
          async run(given) {
            const scene = await bring(given, state);
            const before = await look(given, scene);
            const refusal = await perform(given, scene, act as never);
            expect(refusal).toBe(result === 'illegal_transition' ? result : null);
            const after = await look(given, scene);
            if (typeof result !== 'object') {
              expect(after).toEqual(before);
              return;
            }
            expect(after.events).toBe(before.events + 1);
            expect(after.last).toMatchObject({
              type: `access_request.${result.event}`,
              actor: idOf(actor, scene),
            });
            expect(after.request.status).toBe(result.status);
            expect(after.request.pendingScopes).toEqual(result.pending);
          },
        }),
      );
  }),
);

export const transitions: Topic = {
  title: 'every transition of a request, by each actor',
  scenarios: everyTransition,
};

const seen = ({ requestedScopes, approvedScopes, pendingScopes, purpose }: AccessRequest) => ({
  requestedScopes,
  approvedScopes,
  pendingScopes,
  purpose,
});

/** Changes of a grant that the investor requests, from the request to the end of the grant. */
export const changes: Topic = {
  title: 'a grant that changes',
  scenarios: [
    {
      name: 'added scopes wait while the grant continues, are approved in part, and end with the grant',
      async run(given) {
        const { driver, asCompany, operator: side } = given;
        const { id, key, companyKey, company } = await bring(given, 'approved');
        const scopes = ['accounts:read', 'sources:read', 'accounts:read'];
        const asked = { scopes, purpose: 'The audit' };
        const amended = dataOf(await driver.amendAccessRequest(key, id, asked));
        expect(amended).toMatchObject({
          status: 'approved',
          approvedScopes: ['metrics:read'],
          pendingScopes: ['accounts:read', 'sources:read'],
          purpose: null,
          pendingPurpose: 'The audit',
        });
        expect(dataOf(await driver.amendAccessRequest(key, id, asked))).toEqual(amended);
        dataOf(await driver.readLatestMetrics(key, company.id));
        expectRefused(await driver.readAccounts(key, company.id), 'access_pending');
        const again = { companyId: company.id, scopes: ['metrics:read', 'sources:read'] };
        expect(dataOf(await driver.requestAccess(key, again)).outcome).toBe('existing');
        const { version } = (await side.showAccessRequest({ id })).accessRequest;
        for (const _time of ['once', 'and again']) {
          const path = `/access-requests/${id}/approve`;
          const body = { version, scopes: ['accounts:read'] };
          expect((await asCompany('POST', path, { key: companyKey, body })).status).toBe(200);
        }
        expect(seen((await side.showAccessRequest({ id })).accessRequest)).toEqual({
          requestedScopes: ['metrics:read', 'accounts:read'],
          approvedScopes: ['metrics:read', 'accounts:read'],
          pendingScopes: [],
          purpose: 'The audit',
        });
        dataOf(await driver.readAccounts(key, company.id));
        expectRefused(await driver.readSources(key, company.id), 'access_required');
        const withdrawn = dataOf(await driver.withdrawAccessRequest(key, id));
        expect(withdrawn.status).toBe('expired');
        expectRefused(await driver.readLatestMetrics(key, company.id), 'access_required');
        const { history } = await side.showAccessRequest({ id });
        expect(history.map(({ type }) => type.split('.')[1])).toEqual([
          'created',
          'approved',
          'amended',
          'approved',
          'withdrawn',
        ]);
      },
    },
    {
      name: 'the investor gets the reason and the time of a decision',
      async run(given) {
        const { driver } = given;
        const { id, key } = await bring(given, 'declined');
        const request = dataOf(await driver.readAccessRequest(key, id));
        expect(request.reason).toBe('Not now.');
        expect(request.decidedAt).toBe(new Date().toISOString());
      },
    },
    {
      name: 'requests of another investor and unknown requests can’t be changed',
      async run(given) {
        const { driver, fixtures, operator: side } = given;
        const { id } = await bring(given, 'approved');
        const { key } = await fixtures.portfolio();
        for (const foreign of [id, 'ar_none', 'impossible']) {
          const scopes = ['sources:read'];
          expectRefused(
            await driver.amendAccessRequest(key, foreign, { scopes }),
            'access_request_not_found',
          );
          expectRefused(
            await driver.withdrawAccessRequest(key, foreign),
            'access_request_not_found',
          );
        }
        expect((await side.showAccessRequest({ id })).history).toHaveLength(2);
      },
    },
    {
      name: 'an invalid amendment is refused before the owner of the request is checked',
      async run({ driver, fixtures }) {
        const { key } = await fixtures.portfolio();
        const attempt = (input: object) => driver.amendAccessRequest(key, 'ar_none', { ...input });
        expectRefused(await attempt({ scopes: [] }), 'missing_scopes');
        const code = driver.protocol === 'graphql' ? 'invalid_parameter' : 'invalid_scope';
        expectRefused(await attempt({ scopes: ['reports:read'] }), code);
        expectRefused(
          await attempt({ scopes: ['metrics:read'], purpose: 'p'.repeat(1001) }),
          'invalid_parameter',
        );
      },
    },
    {
      name: 'a grant of a company outside the portfolio can’t be amended, but it can be withdrawn',
      async run(given) {
        const { driver, operator: side } = given;
        const { id, key, company, investor: owner } = await bring(given, 'approved');
        await side.removeFromPortfolio({ investorId: owner.id, companyId: company.id });
        expectRefused(
          await driver.amendAccessRequest(key, id, { scopes: ['sources:read'] }),
          'company_not_found',
        );
        expect(dataOf(await driver.withdrawAccessRequest(key, id)).status).toBe('expired');
      },
    },
  ],
};
