import { describe, expect, test } from 'vitest';
import {
  type AccessEvent,
  type Approval,
  createAccessEvent,
  createDataEvents,
  isUnanswered,
  mailKindOf,
  noLimits,
  operator,
  type RequestFeedEvent,
} from '#core';
import { approvedRequest, arrTerms, pendingRequest } from '../../builders.ts';
import { start } from '../../world.ts';

function eventOf(type: string, accessRequest = approvedRequest()): RequestFeedEvent {
  const lastEventType = `access_request.${type}` as AccessEvent['type'];
  const event = createAccessEvent('evt_1', { ...accessRequest, lastEventType }, operator, start);
  return { ...event, position: '1', investorName: 'North', companyName: 'Harbor', receipt: null };
}

describe('the type of a company’s mail', () => {
  test.each([
    ['created', 'request_received'],
    ['amended', 'request_received'],
    ['expiring', 'grant_ending'],
    ['review_due', 'review_due'],
    ['approval_added', 'approval_needed'],
    ['expired', 'grant_ended'],
    ['withdrawn', 'grant_ended'],
    ['approved', null],
    ['declined', null],
    ['revoked', null],
    ['extended', null],
    ['amendment_declined', null],
    ['narrowed', null],
    ['paused', null],
    ['resumed', null],
    ['first_read', null],
  ])('is chosen by the event: access_request.%s gives %s', (type, kind) => {
    expect(mailKindOf(eventOf(type))).toBe(kind);
  });

  test.each(['expired', 'withdrawn'])(
    'is null if an access request is %s without a grant',
    (type) => {
      expect(mailKindOf(eventOf(type, pendingRequest()))).toBeNull();
    },
  );

  test('is null for an event about changed data', () => {
    const change = {
      companyId: 'co_1',
      dataVersion: '1',
      metricKeys: ['arr'],
      latestPeriods: { arr: '2026-10-31' },
      hasSources: false,
      hasAccounts: false,
      failedSources: [],
      recoveredSources: [],
      added: { metrics: [], sources: [], accounts: [] },
      totals: { metrics: 0, sources: 0, accounts: 0 },
    };
    const [event] = createDataEvents(change, () => 'evt_1', start);
    const place = { position: '1', companyName: 'Harbor' };
    expect(event && mailKindOf({ ...event, ...place })).toBeNull();
  });

  test('is null for a sandbox company', () => {
    const request = pendingRequest({ companyId: 'co_test_approves' });
    expect(mailKindOf(eventOf('created', request))).toBeNull();
  });
});

describe('a mail about a new request', () => {
  test('is sent for an addition only while the company hasn’t decided on it', () => {
    const grant = approvedRequest();
    const amended = { ...grant, pendingScopes: ['accounts:read'] as const };
    const event = eventOf('amended', amended);
    expect(isUnanswered(event, amended)).toBe(true);
    expect(isUnanswered(event, grant)).toBe(false);
    expect(isUnanswered(eventOf('created', pendingRequest()), amended)).toBe(false);
    expect(isUnanswered(eventOf('amended', pendingRequest()), pendingRequest())).toBe(true);
  });

  test('is sent for added terms only while the company hasn’t decided on them', () => {
    const grant = approvedRequest({ approvedTerms: arrTerms() });
    const widening = { ...grant, pendingTerms: noLimits };
    expect(isUnanswered(eventOf('amended', widening), widening)).toBe(true);
    expect(isUnanswered(eventOf('amended', widening), grant)).toBe(false);
  });

  test('is sent for a first approval only while the second approval is missing', () => {
    const approvals = [{ createdAt: start.toISOString() }] as unknown as readonly Approval[];
    for (const request of [
      pendingRequest(),
      approvedRequest({ pendingScopes: ['accounts:read'] }),
    ]) {
      const waiting = { ...request, approvals };
      const event = eventOf('approval_added', waiting);
      expect(isUnanswered(event, waiting)).toBe(true);
      expect(isUnanswered(event, request)).toBe(false);
      expect(isUnanswered(event, approvedRequest({ approvals }))).toBe(false);
    }
  });
});
