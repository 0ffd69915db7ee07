import { describe, expect, test } from 'vitest';
import type { NewestRequest } from '#core';
import { refuseRead, scopeConflict } from '../../../../core/model/consent/consent-refusal.ts';
import { approvedRequest, newestRequest, pendingRequest } from '../../builders.ts';
import { day, later, start } from '../../world.ts';

type ConsentCode = 'access_required' | 'access_pending' | 'access_revoked';

const live = { accessRequestId: 'ar_1' };

describe('a read that is refused without consent', () => {
  const required = 'access_required';
  test.each<[string, ConsentCode, NewestRequest | null, string, string, object]>([
    [
      'the investor hasn’t requested access',
      required,
      null,
      'You haven’t asked the company for access to this data.',
      'request',
      {},
    ],
    [
      'the grant leaves out the scope',
      required,
      newestRequest({ approvedScopes: ['metrics:read'] }),
      'The live grant ar_1 leaves out sources:read.',
      'amend',
      live,
    ],
    [
      'the company declined the last addition',
      required,
      newestRequest({ approvedScopes: ['metrics:read'], declinedAt: start }),
      'The live grant ar_1 leaves out sources:read. The company declined the last addition to it.',
      'talk before amending',
      live,
    ],
    [
      'the company declined the request',
      required,
      newestRequest({ status: 'declined', declinedAt: later(-day) }),
      `The company declined the last access request on ${later(-day).toISOString()}.`,
      'talk before requesting',
      {},
    ],
    [
      'the company declined the request at an unknown time',
      required,
      newestRequest({ status: 'declined' }),
      'The company declined the last access request.',
      'talk before requesting',
      {},
    ],
    [
      'the request was withdrawn',
      required,
      newestRequest({ status: 'expired' }),
      'The last access request has expired or was withdrawn.',
      'request',
      {},
    ],
    [
      'the deadline of the request has passed',
      required,
      newestRequest({ deadlineAt: start }),
      'The last access request has expired or was withdrawn.',
      'request',
      {},
    ],
    [
      'the company hasn’t decided on an addition',
      'access_pending',
      newestRequest({ approvedScopes: ['metrics:read'], pendingScopes: ['sources:read'] }),
      'The company hasn’t decided yet whether to add sources:read to the grant ar_1.',
      'wait',
      live,
    ],
    [
      'the company hasn’t answered the request',
      'access_pending',
      newestRequest({ status: 'pending' }),
      'The company hasn’t answered the access request ar_1 yet.',
      'wait',
      live,
    ],
    [
      'the company revoked the grant',
      'access_revoked',
      newestRequest({ status: 'revoked' }),
      'The company has revoked its grant.',
      'talk before requesting',
      {},
    ],
  ])(
    'explains the state of the request if %s',
    (_state, code, newest, message, nextStep, details) => {
      const refusal = refuseRead(code, newest, 'sources:read', start);
      expect(refusal).toMatchObject({ code, message, nextStep });
      expect(refusal.details).toEqual(details);
    },
  );

  test.each([
    ['invalid_api_key', /./],
    ['insufficient_scope', /lacks the scope sources:read/],
    ['company_not_found', /./],
  ] as const)(
    'doesn’t reveal the request if the error is %s, because the caller may not know about the request',
    (code, message) => {
      const refusal = refuseRead(code, newestRequest(), 'sources:read', start);
      expect(refusal).toMatchObject({ code, details: {}, message: expect.stringMatching(message) });
      expect(refusal.nextStep).toBeUndefined();
      expect(refusal.message).not.toContain('ar_1');
    },
  );
});

describe('a scope conflict', () => {
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

  test('names the live grant and the missing scopes, with or without a declined addition', () => {
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
