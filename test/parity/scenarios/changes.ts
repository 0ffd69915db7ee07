import { expect } from 'vitest';
import { snakeCaseKeys } from '#http';
import type { Portfolio } from '../../support/fixtures.ts';
import { payloadOf } from '../../support/receipt-chain.ts';
import type { NormalizedAccessRequest, NormalizedEvent } from '../drivers/driver.ts';
import { dataOf, expectRefused, normalizeEvent, normalizeRequest } from '../outcomes.ts';
import type { Given, Topic } from '../scenario.ts';

interface Scene extends Portfolio {
  readonly id: string;
  readonly companyKey: string;
}

async function requested({ fixtures }: Given): Promise<Scene> {
  const { requestId, ...made } = await fixtures.asking(['metrics:read']);
  return { ...made, id: requestId };
}

/** Sends the company's decision with the current version of the request. */
async function decide(
  { asCompany, operator }: Given,
  { id, companyKey }: Scene,
  decision: 'approve' | 'decline' | 'extend' | 'narrow' | 'pause' | 'resume' | 'revoke',
  fields: object = {},
): Promise<void> {
  const { version } = (await operator.showAccessRequest({ id })).accessRequest;
  const hasVersion = !['pause', 'resume', 'revoke'].includes(decision);
  const body = { ...fields, ...(hasVersion && { version }) };
  const path = `/access-requests/${id}/${decision}`;
  expect((await asCompany('POST', path, { key: companyKey, body })).status).toBe(200);
}

const ofCompany = ({ createdAt, approvedScopes, expiresAt, ...event }: NormalizedEvent) => ({
  ...event,
  created_at: createdAt,
  approved_scopes: approvedScopes,
  expires_at: expiresAt,
});

/**
 * Reads a request as the investor, the company and the operator, and expects that all views agree.
 * Returns the request and the type of its last event.
 */
async function look(
  { driver, asCompany, operator }: Given,
  { id, key, companyKey }: Scene,
): Promise<NormalizedAccessRequest & { readonly last: string | undefined }> {
  const request = dataOf(await driver.readAccessRequest(key, id));
  const { accessRequest, history } = await operator.showAccessRequest({ id });
  expect(request).toEqual(normalizeRequest(accessRequest));
  expect(dataOf(await driver.listAccessRequests(key))).toEqual([request]);
  const received = await asCompany('GET', `/access-requests/${id}`, { key: companyKey });
  expect(received.body).toMatchObject({
    status: request.status,
    approved_scopes: request.approvedScopes,
    requested_terms: request.requestedTerms && snakeCaseKeys(request.requestedTerms),
    approved_terms: request.approvedTerms && snakeCaseKeys(request.approvedTerms),
    paused_at: request.pausedAt,
    approvals: [],
    history: history.map((event) => ofCompany(normalizeEvent(event))),
  });
  const receipts = dataOf(await driver.readReceipts(key, id));
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
  return { ...request, last: history.at(-1)?.type.split('.')[1] };
}

/** Tests of the core check the rules. These scenarios check that every view shows each change. */
export const changes: Topic = {
  title: 'a request that changes',
  scenarios: [
    {
      name: 'an amended grant looks the same to the investor, the company and the operator after each change',
      async run(given) {
        const { driver } = given;
        const scene = await requested(given);
        const { id, key, company } = scene;
        expect(await look(given, scene)).toMatchObject({ status: 'pending', last: 'created' });
        await decide(given, scene, 'approve');
        expect(await look(given, scene)).toMatchObject({ status: 'approved', last: 'approved' });
        const expires_at = new Date(Date.now() + 400 * 86_400_000).toISOString();
        await decide(given, scene, 'extend', { expires_at });
        expect(await look(given, scene)).toMatchObject({
          last: 'extended',
          expiresAt: expires_at,
        });

        const asked = {
          scopes: ['accounts:read', 'sources:read', 'accounts:read'],
          purpose: 'The audit',
        };
        const { last: _, ...before } = await look(given, scene);
        const amended = dataOf(await driver.amendAccessRequest(key, id, asked));
        expect(amended).toEqual({
          ...before,
          pendingScopes: ['accounts:read', 'sources:read'],
          pendingPurpose: 'The audit',
        });
        expect(await look(given, scene)).toMatchObject({ last: 'amended' });
        expect(dataOf(await driver.amendAccessRequest(key, id, asked))).toEqual(amended);
        dataOf(await driver.readLatestMetrics(key, company.id));
        expectRefused(await driver.readAccounts(key, company.id), 'access_pending');

        await decide(given, scene, 'approve', { scopes: ['accounts:read'] });
        expect(await look(given, scene)).toMatchObject({
          requestedScopes: ['metrics:read', 'accounts:read'],
          approvedScopes: ['metrics:read', 'accounts:read'],
          pendingScopes: [],
          purpose: 'The audit',
          last: 'approved',
        });
        dataOf(await driver.readAccounts(key, company.id));
        expectRefused(await driver.readSources(key, company.id), 'access_required');

        dataOf(await driver.amendAccessRequest(key, id, { scopes: ['sources:read'] }));
        await decide(given, scene, 'decline', { reason: 'Too much.' });
        expect(await look(given, scene)).toMatchObject({
          status: 'approved',
          pendingScopes: [],
          reason: 'Too much.',
          last: 'amendment_declined',
        });
        expect(dataOf(await driver.withdrawAccessRequest(key, id)).status).toBe('expired');
        expect(await look(given, scene)).toMatchObject({ status: 'expired', last: 'withdrawn' });
        expectRefused(await driver.readLatestMetrics(key, company.id), 'access_required');
      },
    },
    {
      name: 'a declined and a revoked request show their reason, and can’t be changed again',
      async run(given) {
        const { driver } = given;
        for (const decision of ['decline', 'revoke'] as const) {
          const scene = await requested(given);
          if (decision === 'revoke') await decide(given, scene, 'approve');
          await decide(given, scene, decision, { reason: 'Not now.' });
          const status = `${decision}d`;
          const before = await look(given, scene);
          expect(before).toMatchObject({ status, reason: 'Not now.', last: status });
          const { id, key } = scene;
          const amend = await driver.amendAccessRequest(key, id, { scopes: ['sources:read'] });
          expectRefused(amend, 'illegal_transition');
          expectRefused(await driver.withdrawAccessRequest(key, id), 'illegal_transition');
          expect(await look(given, scene)).toEqual(before);
        }
      },
    },
    {
      name: 'a grant with terms looks the same to the investor, the company and the operator after each change',
      async run(given) {
        const { driver, fixtures } = given;
        const made = await fixtures.portfolio();
        const { key, company } = made;
        const companyKey = (await fixtures.companyKey(company.id)).key;
        const scopes = ['metrics:read'];
        const terms = { metricKeys: ['arr', 'mrr'], historyFrom: '2026-01-01', use: 'ongoing' };
        const ask = (wanted?: object) =>
          driver.requestAccess(key, { companyId: company.id, scopes, terms: wanted });
        const { accessRequest } = dataOf(await ask(terms));
        const { id } = accessRequest;
        const scene = { ...made, id, companyKey };
        expect(await look(given, scene)).toMatchObject({ requestedTerms: terms, pausedAt: null });
        expect(dataOf(await ask(terms)).outcome).toBe('existing');
        expectRefused(await ask({ ...terms, metricKeys: ['cash'] }), 'scope_conflict');

        const approvedTerms = { ...terms, metricKeys: ['arr'] };
        await decide(given, scene, 'approve', { terms: { metric_keys: ['arr'] }, reason: 'Fine.' });
        expect(await look(given, scene)).toMatchObject({
          requestedTerms: terms,
          approvedTerms,
          reason: 'Fine.',
          last: 'approved',
        });

        await decide(given, scene, 'pause');
        expectRefused(await driver.readLatestMetrics(key, company.id), 'access_paused');
        expect(await look(given, scene)).toMatchObject({ last: 'paused', status: 'approved' });
        await decide(given, scene, 'resume');
        dataOf(await driver.readLatestMetrics(key, company.id));
        expect(await look(given, scene)).toMatchObject({ last: 'resumed', pausedAt: null });

        const noLimits = { metricKeys: null, historyFrom: null, use: 'ongoing' };
        const amended = dataOf(await driver.amendAccessRequest(key, id, { terms: noLimits }));
        expect(amended).toMatchObject({ approvedTerms, pendingTerms: noLimits, pendingScopes: [] });
        expect(await look(given, scene)).toMatchObject({ last: 'amended' });
        await decide(given, scene, 'approve');
        expect(await look(given, scene)).toMatchObject({
          requestedTerms: null,
          approvedTerms: null,
          pendingTerms: null,
        });

        await decide(given, scene, 'narrow', { terms: { use: 'once' } });
        expect(await look(given, scene)).toMatchObject({
          approvedTerms: { ...noLimits, use: 'once' },
          last: 'narrowed',
        });
        dataOf(await driver.readLatestMetrics(key, company.id));
        const { last, expiresAt } = await look(given, scene);
        expect(last).toBe('first_read');
        expect(Date.parse(expiresAt ?? '')).toBeLessThan(Date.now() + 25 * 3_600_000);
      },
    },
    {
      name: 'an expired grant looks the same to the investor, the company and the operator',
      async run(given) {
        const { background, operator, setClock } = given;
        const scene = await requested(given);
        const now = Date.now();
        setClock(new Date(now));
        const day = 86_400_000;
        const expiresAt = new Date(now + 10 * day);
        await operator.approveAccessRequest({ id: scene.id, expiresAt });
        setClock(new Date(now + 3 * day));
        await background.announceExpiringGrants();
        expect(await look(given, scene)).toMatchObject({ status: 'approved', last: 'expiring' });
        setClock(expiresAt);
        await background.expireAccessRequests();
        expect(await look(given, scene)).toMatchObject({ status: 'expired', last: 'expired' });
      },
    },
  ],
};
