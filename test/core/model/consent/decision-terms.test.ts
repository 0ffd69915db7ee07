import { describe, expect, test } from 'vitest';
import {
  type AccessRequest,
  type Actor,
  approvalOf,
  changesNothing,
  noLimits,
  type PartialTerms,
  type RepeatableAction,
  transition,
} from '#core';
import { approvalOfTwo, isOwnConfirmation } from '../../../../core/model/consent/decision.ts';
import { approvedRequest, arrTerms, pendingRequest } from '../../builders.ts';
import { day, expectRefusal, later, start } from '../../world.ts';

const both = arrTerms({ metricKeys: ['arr', 'cash'] });
const grant = approvedRequest({ approvedTerms: arrTerms(), reason: 'Yes.' });
const widening: AccessRequest = { ...grant, pendingTerms: both };
const open = approvedRequest();
const paused = { ...grant, pausedAt: start };
const approve = (more: object = {}) => ({ type: 'approve', ...more }) as const;
const narrow = (more: object = {}) => ({ type: 'narrow', ...more }) as const;
const [pause, resume] = [{ type: 'pause' }, { type: 'resume' }] as const;
const amend = (terms: PartialTerms) =>
  ({ type: 'amend', scopes: ['metrics:read'], terms, purpose: null }) as const;

type Case = readonly [what: string, AccessRequest, RepeatableAction];

describe('the check for repeated actions under terms', () => {
  test.each<Case>([
    ['approving the same terms', grant, approve({ terms: { metricKeys: ['arr'] } })],
    ['approving with the same reason', grant, approve({ reason: 'Yes.' })],
    ['approving without a reason', grant, approve({ reason: null })],
    ['narrowing to the same scopes', grant, narrow({ scopes: ['sources:read', 'metrics:read'] })],
    ['narrowing to the same terms', grant, narrow({ terms: { metricKeys: ['arr'] } })],
    ['narrowing without content', grant, narrow()],
    ['pausing a paused grant', paused, pause],
    ['resuming a running grant', grant, resume],
    ['requesting the granted terms', grant, amend(arrTerms())],
    ['requesting terms that wait', widening, amend(both)],
    ['requesting narrower terms', widening, amend(arrTerms({ use: 'once' }))],
    ['requesting terms for an unlimited grant', open, amend(both)],
  ])('recognises a repetition: %s', (_what, request, action) => {
    expect(changesNothing(request, action, start)).toBe(true);
  });

  test.each<Case>([
    ['approving narrower terms', grant, approve({ terms: { use: 'once' } })],
    ['approving no limits', grant, approve({ terms: noLimits })],
    ['approving with another reason', grant, approve({ reason: 'No.' })],
    ['approving added terms', widening, approve()],
    [
      'approving the scopes while added terms wait',
      widening,
      approve({ scopes: open.approvedScopes }),
    ],
    ['narrowing scopes', grant, narrow({ scopes: ['metrics:read'] })],
    ['narrowing terms', open, narrow({ terms: { metricKeys: ['arr'] } })],
    ['narrowing a pending request', pendingRequest(), narrow()],
    ['pausing a running grant', grant, pause],
    ['pausing a pending request', pendingRequest(), pause],
    ['resuming a paused grant', paused, resume],
    ['resuming a revoked grant', { ...grant, status: 'revoked' }, resume],
    ['requesting wider terms', grant, amend(both)],
    ['requesting no limits', widening, amend(noLimits)],
    [
      'requesting wider terms of a pending request',
      pendingRequest({ requestedTerms: both }),
      amend(noLimits),
    ],
  ])('recognises a new action: %s', (_what, request, action) => {
    expect(changesNothing(request, action, start)).toBe(false);
  });
});

describe('an approval at a company that requires two approvals', () => {
  const first: Actor = { type: 'contact', id: 'ct_1', signedInBy: 'link' };
  const second: Actor = { type: 'company_key', id: 'ct_1' };
  const pending = pendingRequest({ requestedTerms: both });

  function act(request: AccessRequest, actor: Actor, named: object = {}, now = start) {
    const action = approvalOfTwo(approvalOf(named, request, 90, now), request, actor, now);
    const isRepeated = action.type === 'confirm' && isOwnConfirmation(request, action);
    return { isRepeated, type: action.type, after: transition(request, action, now) };
  }
  const waiting = act(pending, first).after;

  test.each<[string, AccessRequest, object, object]>([
    ['a request', pending, { scopes: ['metrics:read'] }, { scopes: ['metrics:read'], terms: both }],
    ['an addition', widening, {}, { scopes: grant.approvedScopes, terms: both }],
    [
      'a request until a chosen end',
      pending,
      { expiresAt: later(day) },
      { expiresAt: later(day).toISOString() },
    ],
  ])('first stores its whole content: of %s', (_of, request, named, content) => {
    const { type, after } = act(request, first, named);
    expect([type, after.status]).toEqual(['confirm', request.status]);
    const fields = { actor: first, createdAt: start.toISOString(), ...content };
    expect(after.approvals).toMatchObject([fields]);
    expect(after).toMatchObject({
      approvedTerms: request.approvedTerms,
      decidedAt: request.decidedAt,
    });
  });

  test('is completed by a second actor who approves the same content in other words', () => {
    const named = {
      scopes: ['sources:read', 'metrics:read'],
      terms: { metricKeys: ['arr', 'cash'] },
    };
    const { type, after } = act(waiting, second, named, later(day));
    expect([type, after.status]).toEqual(['approve', 'approved']);
    expect(after).toMatchObject({ approvedTerms: both, expiresAt: later(91 * day) });
    expect(after.approvals.map(({ actor }) => actor)).toEqual([first, second]);
  });

  test('isn’t completed by the same person, who repeats it without a change', () => {
    expect(act(waiting, first)).toMatchObject({ type: 'confirm', isRepeated: true });
    expect(act(waiting, first, { scopes: ['metrics:read'] }).isRepeated).toBe(false);
    expect(act(pending, first).isRepeated).toBe(false);
  });

  test.each([
    { scopes: ['metrics:read'] },
    { terms: { use: 'once' as const } },
    { expiresAt: later(90 * day) },
  ])('starts again if its content differs: %j', (named) => {
    const { type, isRepeated, after } = act(waiting, second, named);
    expect([type, isRepeated, after.status]).toEqual(['confirm', false, 'pending']);
    expect(after.approvals.map(({ actor }) => actor)).toEqual([second]);
    expect(act(after, first, named).type).toBe('approve');
  });

  test('starts again after an amendment', () => {
    const amended = transition(waiting, amend(noLimits), start);
    expect(act(amended, second)).toMatchObject({ type: 'confirm' });
  });

  test('starts again if an addition was narrowed', () => {
    const asked = act({ ...open, pendingScopes: ['accounts:read'] }, first).after;
    const narrowed = transition(asked, narrow({ scopes: ['metrics:read'] }), start);
    expect(act(narrowed, second).type).toBe('confirm');
  });

  test('is refused for the same reasons as a single approval', async () => {
    await expectRefusal(() => act(pending, first, { scopes: ['x'] }), 'invalid_decision');
    await expectRefusal(() => act(grant, first), 'illegal_transition');
  });
});
