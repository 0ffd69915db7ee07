import { describe, expect, test } from 'vitest';
import {
  type AccessTerms,
  type FeedEvent,
  type GrantableScope,
  grantableScopes,
  isFailing,
  isWanted,
  noLimits,
  recordAttempt,
  signingSecrets,
  type WebhookDelivery,
  type WebhookEndpoint,
  type WebhookOutcome,
  webhookRetrySeconds,
} from '#core';
import { narrowDataEvent } from '../../../../core/model/events/data-event.ts';
import { arrTerms, newestRequest } from '../../builders.ts';
import { day, later, start } from '../../world.ts';

const delivery: WebhookDelivery = {
  endpointId: 'we_1',
  eventId: 'evt_1',
  eventType: 'access_request.created',
  state: 'pending',
  attempts: 0,
  nextAttemptAt: start,
  lastAttemptAt: null,
  lastStatus: null,
  lastFailure: null,
  createdAt: start,
};

const endpoint: WebhookEndpoint = {
  id: 'we_1',
  owner: { companyId: 'co_1' },
  url: 'https://example.com/',
  types: [],
  secret: 'whsec_new',
  previousSecret: 'whsec_old',
  previousSecretUntil: later(day),
  createdAt: start,
  disabledAt: null,
  droppedDataEvents: 0,
  disabledReason: null,
};

const updated: Extract<FeedEvent, { type: 'company_data.updated' }> = {
  ...{ id: 'evt_1', type: 'company_data.updated', createdAt: start, position: '1' },
  ...{ companyId: 'co_1', companyName: 'Harbor' },
  data: {
    ...{ metricKeys: ['arr'], latestPeriods: { arr: '2026-03-31' } },
    ...{ hasSources: true, hasAccounts: true, dataVersion: '2' },
  },
};

const answered = (status: number, retryAfterSeconds: number | null = null): WebhookOutcome => ({
  status,
  retryAfterSeconds,
});

const after = (attempts: number, outcome: WebhookOutcome) =>
  recordAttempt({ ...delivery, attempts }, outcome, start, webhookRetrySeconds);

describe('a webhook endpoint', () => {
  const failed = { ...delivery, lastAttemptAt: start, lastFailure: 'timeout' } as const;
  const arrived = { ...delivery, lastAttemptAt: start, state: 'delivered' } as const;
  const withheld = { ...failed, state: 'failed', lastFailure: 'withheld' } as const;

  test.each([
    ['is failing if its last three deliveries failed', [failed, failed, failed, arrived], true],
    [
      'isn’t failing if one of its last three deliveries arrived',
      [failed, arrived, failed, failed],
      false,
    ],
    [
      'is failing if the last sent delivery failed and the newest delivery isn’t sent yet',
      [delivery, failed],
      true,
    ],
    ['isn’t failing if no delivery was sent yet', [delivery], false],
    [
      'isn’t failing if its last three deliveries were withheld and never sent',
      [withheld, withheld, withheld, arrived],
      false,
    ],
  ])('%s', (_, deliveries, expected) => {
    expect(isFailing(deliveries)).toBe(expected);
  });
});

describe('the schedule of a delivery', () => {
  test('starts at once, then retries after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h', () => {
    const minutes = (seconds: number) => seconds / 60;
    const waits: (number | null)[] = [];
    let now = start;
    let current = delivery;
    while (current.nextAttemptAt !== null) {
      now = current.nextAttemptAt;
      current = recordAttempt(current, { failure: 'timeout' }, now, webhookRetrySeconds);
      const next = current.nextAttemptAt;
      waits.push(next === null ? null : minutes((next.getTime() - now.getTime()) / 1000));
    }
    expect(waits).toEqual([5 / 60, 5, 30, 120, 300, 600, 840, 1200, 1440, null]);
    expect(current).toMatchObject({ state: 'failed', attempts: 10, lastFailure: 'timeout' });
    expect((now.getTime() - start.getTime()) / 3_600_000).toBeCloseTo(75.6, 1);
  });

  test.each([200, 204, 299])('ends if the endpoint answers with the status %i', (status) => {
    expect(after(3, answered(status))).toEqual({
      ...delivery,
      state: 'delivered',
      attempts: 4,
      nextAttemptAt: null,
      lastAttemptAt: start,
      lastStatus: status,
    });
  });

  test.each([199, 300, 301, 307, 400, 404, 410, 429, 500])(
    'continues if the endpoint answers with the status %i',
    (status) => {
      expect(after(0, answered(status))).toMatchObject({
        state: 'pending',
        nextAttemptAt: later(5_000),
        lastStatus: status,
      });
    },
  );

  test.each([
    ['is not shortened', 1, 5],
    ['is made longer', 600, 600],
    ['is made longer by at most one day', 1_000_000, 86_400],
  ])('follows Retry-After: the delay %s', (_name, asked, waited) => {
    expect(after(0, answered(503, asked)).nextAttemptAt).toEqual(later(waited * 1000));
  });
});

describe('a webhook endpoint', () => {
  test('signs with the new and the previous secret until the previous secret expires', () => {
    expect(signingSecrets(endpoint, later(day - 1))).toEqual(['whsec_new', 'whsec_old']);
    expect(signingSecrets(endpoint, later(day))).toEqual(['whsec_new']);
    const fresh = { ...endpoint, previousSecret: null, previousSecretUntil: null };
    expect(signingSecrets(fresh, start)).toEqual(['whsec_new']);
    expect(signingSecrets({ ...endpoint, previousSecret: null }, start)).toEqual(['whsec_new']);
  });

  const event = {
    type: 'access_request.created',
    accessRequest: { companyId: 'co_1', investorId: 'inv_1' },
  } as Parameters<typeof isWanted>[1];

  test.each([
    [{ companyId: 'co_1' }, [], true],
    [{ companyId: 'co_2' }, [], false],
    [{ investorId: 'inv_1' }, [], true],
    [{ investorId: 'co_1' }, [], false],
    [{ companyId: 'co_1' }, ['access_request.created'] as const, true],
    [{ companyId: 'co_1' }, ['access_request.approved'] as const, false],
  ])(
    'gets an access_request.created event of co_1 and inv_1 only if its owner and its event types match: %o, %o: %s',
    (owner, types, wanted) => {
      expect(isWanted({ owner, types }, event, new Map(), start)).toBe(wanted);
    },
  );

  const granted = (scopes: readonly GrantableScope[]) => {
    const grant = newestRequest({ approvedScopes: scopes, deadlineAt: later(day) });
    return new Map([['co_1', [{ companyId: 'co_1', investorId: 'inv_1', newestRequest: grant }]]]);
  };
  const failed = { type: 'source.failed', companyId: 'co_1' } as Parameters<typeof isWanted>[1];

  test('gets an event about changed data for an investor if a grant covers a part of the data', () => {
    const ofInvestor = { owner: { investorId: 'inv_1' }, types: [] };
    expect(isWanted(ofInvestor, updated, granted(['sources:read']), start)).toBe(true);
  });

  test.each([
    [
      'gets a source event if its grant has the scope sources:read',
      'inv_1',
      ['sources:read'] as const,
      start,
      true,
    ],
    [
      'gets no source event if its grant has only other scopes',
      'inv_1',
      ['metrics:read', 'accounts:read'] as const,
      start,
      false,
    ],
    [
      'gets no source event if its grant has passed its end',
      'inv_1',
      ['sources:read'] as const,
      later(day),
      false,
    ],
    [
      'gets no source event if only another investor has a grant',
      'inv_2',
      ['sources:read'] as const,
      start,
      false,
    ],
  ])('%s (its owner is an investor)', (_, investorId, scopes, now, wanted) => {
    const endpointOf = { owner: { investorId }, types: [] };
    expect(isWanted(endpointOf, failed, granted(scopes), now)).toBe(wanted);
  });
});

const covering = (...scopes: GrantableScope[]) => ({ scopes, terms: null });

describe('a data event', () => {
  test('is reduced to the parts that the scopes cover', () => {
    expect(narrowDataEvent(updated, covering('sources:read'))).toEqual({
      ...updated,
      data: {
        ...{ metricKeys: [], latestPeriods: {} },
        ...{ hasSources: true, hasAccounts: false, dataVersion: '2' },
      },
    });
  });

  test('keeps its corrections only if the scopes include metrics:read', () => {
    const corrections = { arr: ['2026-03-31'] };
    const corrected = { ...updated, data: { ...updated.data, corrections } };
    expect(narrowDataEvent(corrected, covering('metrics:read'))).toMatchObject({
      data: { corrections },
    });
    expect(narrowDataEvent(corrected, covering('sources:read'))).not.toHaveProperty(
      'data.corrections',
    );
  });

  describe('under terms', () => {
    const data = {
      ...updated.data,
      metricKeys: ['arr', 'cash'],
      latestPeriods: { arr: '2026-03-31', cash: '2025-12-31' },
      corrections: { arr: ['2025-12-31', '2026-03-31'], cash: ['2025-12-31'] },
    };
    const corrected = { ...updated, data };
    const within = (
      terms: Partial<AccessTerms>,
      scopes: readonly GrantableScope[] = grantableScopes,
    ) => narrowDataEvent(corrected, { scopes, terms: { ...noLimits, ...terms } });

    test('names only the metrics and corrections within the terms', () => {
      expect(within({ metricKeys: ['arr', 'cash'] })?.data).toEqual(data);
      const arr = { metricKeys: ['arr'], latestPeriods: { arr: '2026-03-31' } };
      const all = { ...data, ...arr, corrections: { arr: ['2025-12-31', '2026-03-31'] } };
      expect(within({ metricKeys: ['arr'] })?.data).toEqual(all);
      const recent = { ...data, ...arr, corrections: { arr: ['2026-03-31'] } };
      expect(within({ historyFrom: '2026-01-01' })?.data).toEqual(recent);
      expect(within({ historyFrom: '2025-12-31' })?.data).toEqual(data);
      const { corrections: _, ...others } = data;
      const none = { ...others, metricKeys: [], latestPeriods: {} };
      expect(within({ metricKeys: ['mrr'] })?.data).toEqual(none);
      expect(within({ historyFrom: '2026-04-01' })?.data).toEqual(none);
    });

    test('isn’t sent if only the scope metrics:read is granted and all changes are outside the terms', () => {
      expect(within({ metricKeys: ['mrr'] }, ['metrics:read'])).toBeNull();
      expect(within({ historyFrom: '2026-04-01' }, ['metrics:read'])).toBeNull();
    });

    test('is the same object if it is about sources', () => {
      const failed = { type: 'source.failed', companyId: 'co_1' } as unknown as typeof updated;
      const coverage = { scopes: grantableScopes, terms: arrTerms() };
      expect(narrowDataEvent(failed, coverage)).toBe(failed);
    });
  });

  test('stays the same object if the scopes cover it completely, so it is serialised only once', () => {
    expect(narrowDataEvent(updated, covering(...grantableScopes))).toBe(updated);
  });
});
