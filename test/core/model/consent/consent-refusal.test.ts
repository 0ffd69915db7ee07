import { describe, expect, test } from 'vitest';
import type { NewestRequest } from '#core';
import { refuseRead, scopeConflict } from '../../../../core/model/consent/consent-refusal.ts';
import { approvedRequest, arrTerms, newestRequest, pendingRequest } from '../../builders.ts';
import { day, later, start } from '../../world.ts';

type ConsentCode = 'access_required' | 'access_pending' | 'access_revoked';

const live = { accessRequestId: 'ar_1' };

describe('the error for a read without consent', () => {
  const partly = { approvedScopes: ['metrics:read'] } as const;
  const expired = 'The last access request has expired or was withdrawn.';
  const declined = `The company declined the last access request on ${later(-day).toISOString()}.`;
  const revoked = 'The company has revoked its grant.';
  test.each<[ConsentCode, Partial<NewestRequest>, message: string, nextStep: string]>([
    ['access_required', partly, 'The live grant ar_1 leaves out sources:read.', 'amend'],
    [
      'access_required',
      { ...partly, declinedAt: start },
      'The live grant ar_1 leaves out sources:read. The company declined the last addition to it.',
      'talk before amending',
    ],
    [
      'access_pending',
      { ...partly, pendingScopes: ['sources:read'] },
      'The company hasn’t decided yet whether to add sources:read to the grant ar_1.',
      'wait',
    ],
    [
      'access_pending',
      { status: 'pending' },
      'The company hasn’t answered the access request ar_1 yet.',
      'wait',
    ],
  ])('contains the ID of the live request: %s for %j', (code, newest, message, nextStep) => {
    const refusal = refuseRead(code, newestRequest(newest), { scope: 'sources:read' }, start);
    expect(refusal).toMatchObject({ code, message, nextStep });
    expect(refusal.details).toEqual(live);
  });

  const talk = 'talk before requesting';
  const never = 'You haven’t asked the company for access to this data.';
  test.each<[ConsentCode, Partial<NewestRequest> | null, message: string, nextStep: string]>([
    ['access_required', null, never, 'request'],
    ['access_required', { status: 'declined', declinedAt: later(-day) }, declined, talk],
    ['access_required', { status: 'declined' }, declined.replace(/ on .*/, '.'), talk],
    ['access_required', { status: 'expired' }, expired, 'request'],
    ['access_required', { deadlineAt: start }, expired, 'request'],
    ['access_revoked', { status: 'revoked' }, revoked, talk],
  ])('contains no ID if no request is live: %s for %j', (code, newest, message, nextStep) => {
    const request = newest && newestRequest(newest);
    const refusal = refuseRead(code, request, { scope: 'sources:read' }, start);
    expect(refusal).toMatchObject({ code, message, nextStep });
    expect(refusal.details).toEqual({});
  });

  test.each([
    ['invalid_api_key', /./],
    ['insufficient_scope', /lacks the scope sources:read/],
    ['company_not_found', /./],
    ['access_paused', /paused/],
  ] as const)(
    'doesn’t reveal the access request if the error is %s, because the caller may not know about it',
    (code, message) => {
      const refusal = refuseRead(code, newestRequest(), { scope: 'sources:read' }, start);
      expect(refusal).toMatchObject({ code, details: {}, message: expect.stringMatching(message) });
      expect(refusal.nextStep).toBeUndefined();
      expect(refusal.message).not.toContain('ar_1');
    },
  );
});

test('a refused read outside the terms names the metric and the way to ask for it', () => {
  const newest = newestRequest({ approvedTerms: arrTerms() });
  const needed = { scope: 'metrics:read', metricKey: 'cash' } as const;
  expect(refuseRead('access_required', newest, needed, start)).toMatchObject({
    message: 'The terms of the grant ar_1 leave out the metric cash.',
    nextStep: 'amend terms',
    details: live,
  });
  const long = { ...needed, metricKey: 'x'.repeat(10_000) };
  expect(refuseRead('access_required', newest, long, start)).toMatchObject({
    message: 'The terms of the grant ar_1 leave out this metric.',
  });
});

describe('a scope conflict', () => {
  test.each([
    ['pending access request', pendingRequest({ requestedTerms: arrTerms() })],
    ['live grant', approvedRequest({ approvedTerms: arrTerms() })],
  ])('names the terms of the %s if only they are too narrow', (whose, request) => {
    expect(scopeConflict(request, ['metrics:read'])).toMatchObject({
      code: 'scope_conflict',
      message: `The terms of the ${whose} ar_1 are narrower than the requested terms.`,
      nextStep: 'amend terms',
      details: live,
    });
  });

  test('names the open request and the missing scopes if the request is pending', () => {
    const request = pendingRequest({ requestedScopes: ['metrics:read'] });
    expect(scopeConflict(request, ['metrics:read', 'accounts:read', 'sources:read'])).toMatchObject(
      {
        code: 'scope_conflict',
        message: 'The pending access request ar_1 doesn’t include accounts:read, sources:read.',
        nextStep: 'amend',
        details: live,
      },
    );
  });

  test('contains the ID of the live grant and the missing scopes, even after a declined addition', () => {
    const granted = approvedRequest({ approvedScopes: ['metrics:read'] });
    const asked = ['accounts:read', 'metrics:read', 'sources:read'] as const;
    const leftOut = 'The live grant ar_1 leaves out accounts:read, sources:read.';
    expect(scopeConflict(granted, asked)).toMatchObject({
      message: leftOut,
      nextStep: 'amend',
      details: live,
    });
    expect(scopeConflict({ ...granted, additionDeclined: true }, asked)).toMatchObject({
      message: `${leftOut} The company declined the last addition to it.`,
      nextStep: 'talk before amending',
      details: live,
    });
  });
});
