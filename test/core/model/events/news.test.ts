import fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  choicesOf,
  createAccessEvent,
  type DataFeedEvent,
  type FeedEvent,
  isTimeZone,
  NewsGathering,
  type NewsKind,
  newsFrequencies,
  newsKindOf,
  newsKinds,
  nextDigestAt,
  operator,
  planNewsAt,
} from '#core';
import { approvedRequest } from '../../builders.ts';

const now = new Date('2026-11-22T10:00:00Z');
const hour = 3_600_000;

function requestEvent(type: string, overrides: Parameters<typeof approvedRequest>[0] = {}) {
  const request = approvedRequest({ lastEventType: type as never, ...overrides });
  return {
    ...createAccessEvent('evt_1', request, operator, now),
    position: '1',
    investorName: 'North Capital',
    companyName: 'Harbor',
    receipt: null,
  } satisfies FeedEvent;
}

const mapValues = <Value>(counts: Record<string, number> = {}, map: (count: number) => Value) =>
  Object.fromEntries(Object.entries(counts).map(([key, count]) => [key, map(count)]));

const dataEvent = (
  counts?: Record<string, number>,
  companyId = 'co_1',
  companyName = 'Harbor',
): DataFeedEvent => ({
  id: 'evt_2',
  type: 'company_data.updated',
  createdAt: now,
  companyId,
  companyName,
  position: '2',
  data: {
    metricKeys: Object.keys(counts ?? {}),
    latestPeriods: mapValues(counts, () => '2026-10-31'),
    ...(counts && { corrections: mapValues(counts, (count) => Array(count).fill('2026-10-31')) }),
    hasSources: false,
    hasAccounts: false,
    dataVersion: '1',
  },
});

describe('the topic of an investor’s mail', () => {
  test.each([
    ['access_request.approved', 'approved'],
    ['access_request.extended', 'approved'],
    ['access_request.declined', 'declined'],
    ['access_request.amendment_declined', 'declined'],
    ['access_request.revoked', 'revoked'],
    ['access_request.expiring', 'expiring'],
    ['access_request.expired', 'expiring'],
    ['access_request.created', null],
    ['access_request.amended', null],
    ['access_request.withdrawn', null],
  ])('is chosen by the event: %s gives %s', (type, kind) => {
    expect(newsKindOf(requestEvent(type))).toBe(kind);
  });

  test('is “corrected” if figures were corrected, and null if all figures are new', () => {
    expect(newsKindOf(dataEvent({ arr: 1 }))).toBe('corrected');
    expect(newsKindOf(dataEvent())).toBeNull();
  });

  test('is null for a sandbox company', () => {
    const companyId = 'co_test_approves';
    expect(newsKindOf(requestEvent('access_request.approved', { companyId }))).toBeNull();
    expect(newsKindOf(dataEvent({ arr: 1 }, companyId))).toBeNull();
  });
});

test('an admin gets daily mails by default, and other contacts get only the mails that they choose', () => {
  expect(new Set(Object.values(choicesOf('admin', {})))).toEqual(new Set(['daily']));
  for (const role of ['viewer', 'member'] as const)
    expect(new Set(Object.values(choicesOf(role, {})))).toEqual(new Set(['never']));
  expect(choicesOf('viewer', { late: 'at_once' })).toMatchObject({
    late: 'at_once',
    revoked: 'never',
  });
});

describe('a digest', () => {
  test.each([
    ['UTC', '2026-11-22T07:59:59Z', '2026-11-22T08:00:00.000Z'],
    ['UTC', '2026-11-22T08:00:00Z', '2026-11-23T08:00:00.000Z'],
    ['Europe/Berlin', '2026-11-22T06:00:00Z', '2026-11-22T07:00:00.000Z'],
    // Summer time begins in the night before the digest.
    ['Europe/Berlin', '2026-03-28T12:00:00Z', '2026-03-29T06:00:00.000Z'],
    ['Asia/Kolkata', '2026-11-22T10:00:00Z', '2026-11-23T02:30:00.000Z'],
  ])('is due at 8:00 in the time zone %s: after %s, at %s', (zone, instant, due) => {
    expect(nextDigestAt(new Date(instant), zone).toISOString()).toBe(due);
  });

  test('is due within 25 hours, at 8:00 local time, in any time zone', () => {
    fc.assert(
      fc.property(
        fc.date({
          min: new Date('2026-01-01'),
          max: new Date('2030-01-01'),
          noInvalidDate: true,
        }),
        fc.constantFrom(...Intl.supportedValuesOf('timeZone')),
        (instant, timeZone) => {
          const due = nextDigestAt(instant, timeZone);
          expect(due > instant).toBe(true);
          expect(due.getTime() - instant.getTime()).toBeLessThanOrEqual(25 * hour);
          const local = Temporal.Instant.from(due.toISOString()).toZonedDateTimeISO(timeZone);
          expect([local.hour, local.minute]).toEqual([8, 0]);
          expect(nextDigestAt(due, timeZone) > due).toBe(true);
        },
      ),
    );
  });
});

describe('the planned time of a mail', () => {
  const reader = (choices: object) => ({ role: 'viewer' as const, timeZone: null, choices });

  test('is immediate for a decision, and at most once per hour for corrected figures', () => {
    const choices = reader({ revoked: 'at_once', corrected: 'at_once' });
    const halfAnHourAgo = new Date(now.getTime() - hour / 2);
    expect(planNewsAt(now)('revoked', choices, halfAnHourAgo)).toEqual({
      kind: 'news',
      dueAt: now,
    });
    expect(planNewsAt(now)('corrected', choices, null)).toEqual({ kind: 'news', dueAt: now });
    expect(planNewsAt(now)('corrected', choices, halfAnHourAgo)).toEqual({
      kind: 'news',
      dueAt: new Date(now.getTime() + hour / 2),
    });
  });

  test('is 8:00 UTC if the time zone is unknown', () => {
    const unknown = { role: 'admin' as const, timeZone: 'Mars/Olympus', choices: {} };
    expect(planNewsAt(now)('late', unknown, null)?.dueAt.toISOString()).toBe(
      '2026-11-23T08:00:00.000Z',
    );
  });

  test('uses one calculation per time zone if many mails are planned together', () => {
    const calculated = vi.spyOn(Temporal.Instant, 'fromEpochMilliseconds');
    onTestFinished(() => calculated.mockRestore());
    const plan = planNewsAt(now);
    const dueIn = (timeZone: string) =>
      plan('late', { role: 'admin', timeZone, choices: {} }, null)?.dueAt.toISOString();
    const due = ['Asia/Kolkata', 'Europe/Berlin', 'Asia/Kolkata', 'Europe/Berlin'].map(dueIn);
    const [kolkata, berlin] = ['2026-11-23T02:30:00.000Z', '2026-11-23T07:00:00.000Z'];
    expect(due).toEqual([kolkata, berlin, kolkata, berlin]);
    expect(calculated).toHaveBeenCalledTimes(2);
  });

  test('follows the frequency that the person chose for the topic, and is never in the past', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...newsKinds),
        fc.constantFrom(...newsFrequencies),
        fc.option(fc.integer({ min: -10 * hour, max: 0 })),
        (kind, frequency, ago) => {
          const lastAt = ago === null ? null : new Date(now.getTime() + ago);
          const plan = planNewsAt(now)(kind, reader({ [kind]: frequency }), lastAt);
          const kindOfMail = { never: undefined, daily: 'digest', at_once: 'news' }[frequency];
          expect(plan?.kind).toBe(kindOfMail);
          if (plan !== null) expect(plan.dueAt >= now).toBe(true);
        },
      ),
    );
  });
});

describe('the items of a mail about many events', () => {
  const gather = (events: readonly FeedEvent[], wanted: readonly NewsKind[] = newsKinds) => {
    const gathering = new NewsGathering(new Set(wanted));
    for (const event of events) gathering.add(event);
    return gathering.list([]);
  };

  test('count ten thousand corrections of a company as one item', () => {
    const events = Array.from({ length: 10_000 }, (_, index) =>
      dataEvent({ [index % 2 === 0 ? 'arr' : 'headcount']: 1 }),
    );
    expect(gather(events)).toMatchObject([
      { corrections: 10_000, correctedKeys: new Set(['arr', 'headcount']), access: null },
    ]);
  });

  test('contain only the last change of a company’s access', () => {
    const events = [
      requestEvent('access_request.approved'),
      requestEvent('access_request.revoked'),
    ];
    expect(gather(events)).toMatchObject([{ access: { kind: 'revoked' } }]);
  });

  test('include the coming end of a grant only if the grant still ends at the announced time', () => {
    const ending = requestEvent('access_request.expiring');
    const gathering = new NewsGathering(new Set(newsKinds));
    gathering.add(ending);
    const request = ending.accessRequest;
    expect(gathering.endingRequestIds()).toEqual([request.id]);
    expect(gathering.list([request])).toMatchObject([{ access: { kind: 'expiring' } }]);
    expect(gathering.list([{ ...request, status: 'revoked' }])).toEqual([]);
    expect(gathering.list([{ ...request, deadlineAt: now }])).toEqual([]);
    expect(gathering.list([])).toEqual([]);
  });

  test('include only the topics that the person has chosen', () => {
    expect(gather([dataEvent({ arr: 1 })], ['late'])).toEqual([]);
  });

  test('are grouped by company and sorted by the name of the company', () => {
    const events = [dataEvent({ arr: 2 }, 'co_2', 'Tide'), dataEvent({ arr: 1 }, 'co_1', 'Harbor')];
    expect(gather(events).map(({ companyName }) => companyName)).toEqual(['Harbor', 'Tide']);
  });
});

test.each([
  ['Europe/Berlin', true],
  ['UTC', true],
  ['America/Argentina/Buenos_Aires', true],
  ['+01:00', false],
  ['Berlin', false],
  ['', false],
  ['Europe/Berlin\u200C', false],
])('%j is a valid time zone: %j', (text, isOne) => {
  expect(isTimeZone(text)).toBe(isOne);
});
