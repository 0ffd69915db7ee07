import { describe, expect, test } from 'vitest';
import type { NewestRequest } from '#core';
import { refuseRead, scopeConflict } from '../../../../core/model/consent/consent-refusal.ts';
import { approvedRequest, newestRequest, pendingRequest } from '../../builders.ts';
import { day, later, start } from '../../world.ts';

const read = (
  code: 'access_required' | 'access_pending' | 'access_revoked',
  newest: NewestRequest | null,
) => refuseRead(code, newest, 'sources:read', start);

const live = { accessRequestId: 'ar_1' };

describe('a read that is refused for want of consent says how it stands', () => {
  test.each<[string, NewestRequest | null, string, string, object]>([
    [
      'nobody asked',
      null,
      'The company has not been asked for access to this data.',
      'request',
      {},
    ],
    [
      'left out of the grant',
      newestRequest({ approvedScopes: ['metrics:read'] }),
      'The live grant ar_1 leaves sources:read out.',
      'amend',
      live,
    ],
    [
      'the last addition was declined',
      newestRequest({ approvedScopes: ['metrics:read'], declinedAt: start }),
      'The live grant ar_1 leaves sources:read out. The company declined the last addition to it.',
      'talk before amending',
      live,
    ],
    [
      'declined',
      newestRequest({ status: 'declined', declinedAt: later(-day) }),
      `The company declined the last access request on ${later(-day).toISOString()}.`,
      'talk before requesting',
      {},
    ],
    [
      'declined, nobody knows when',
      newestRequest({ status: 'declined' }),
      'The company declined the last access request.',
      'talk before requesting',
      {},
    ],
    [
      'withdrawn',
      newestRequest({ status: 'expired' }),
      'The last access request has ended: it expired, or was withdrawn.',
      'request',
      {},
    ],
    [
      'expired by the clock',
      newestRequest({ deadlineAt: start }),
      'The last access request has ended: it expired, or was withdrawn.',
      'request',
      {},
    ],
  ])('%s', (_state, newest, message, nextStep, details) => {
    const refusal = read('access_required', newest);
    expect(refusal).toMatchObject({ code: 'access_required', message, nextStep });
    expect(refusal.details).toEqual(details);
  });

  test('an addition is not decided on', () => {
    const newest = newestRequest({
      approvedScopes: ['metrics:read'],
      pendingScopes: ['sources:read'],
    });
    expect(read('access_pending', newest)).toMatchObject({
      code: 'access_pending',
      message: 'The company has not answered yet whether it adds sources:read to the grant ar_1.',
      nextStep: 'wait',
      details: live,
    });
  });

  test('the request is not answered', () => {
    expect(read('access_pending', newestRequest({ status: 'pending' }))).toMatchObject({
      message: 'The company has not answered the access request ar_1 yet.',
      nextStep: 'wait',
      details: live,
    });
  });

  test('the grant was revoked', () => {
    const refusal = read('access_revoked', newestRequest({ status: 'revoked' }));
    expect(refusal).toMatchObject({
      code: 'access_revoked',
      message: 'The company has revoked its grant.',
      nextStep: 'talk before requesting',
    });
    expect(refusal.details).toEqual({});
  });

  test.each(['invalid_api_key', 'insufficient_scope', 'company_not_found'] as const)(
    'and nothing of it to who may not know: %s',
    (code) => {
      const refusal = refuseRead(code, newestRequest(), 'sources:read', start);
      expect(refusal).toMatchObject({ code, details: {} });
      expect(refusal.nextStep).toBeUndefined();
      expect(refusal.message).not.toContain('ar_1');
    },
  );
});

describe('a conflict of scopes names the live request and what it lacks', () => {
  test('while it is pending', () => {
    const request = pendingRequest({ requestedScopes: ['metrics:read'] });
    expect(scopeConflict(request, ['metrics:read', 'sources:read'])).toMatchObject({
      code: 'scope_conflict',
      message: 'The pending access request ar_1 does not ask for sources:read.',
      nextStep: 'amend',
      details: live,
    });
  });

  test('under a grant, and after an addition to it was declined', () => {
    const granted = approvedRequest({ approvedScopes: ['metrics:read'] });
    const asked = ['accounts:read', 'metrics:read', 'sources:read'] as const;
    const leftOut = 'The live grant ar_1 leaves accounts:read, sources:read out.';
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
