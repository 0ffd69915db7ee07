import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { endOfInterval, isInterval, type ReportedSource, sourceStatusAt, sourcesAt } from '#core';

const instant = new Date('2026-11-01T04:00:00.000Z');
const later = (milliseconds: number, from = instant) => new Date(from.getTime() + milliseconds);

const source = (changes: Partial<ReportedSource> = {}): ReportedSource => ({
  companyId: 'co_harbor',
  provider: 'mercury',
  status: 'connected',
  accountName: 'Operating account',
  lastSyncedAt: instant,
  expectedEvery: null,
  staleAt: null,
  ...changes,
});

const instants = fc.date({
  min: new Date('0001-01-01T00:00:00Z'),
  max: new Date('9989-12-31T00:00:00Z'),
  noInvalidDate: true,
});

describe('a sync interval', () => {
  test.each([
    'PT1S',
    'PT1H',
    'PT90M',
    'P1D',
    'P7D',
    'P1W',
    'P1M',
    'P1M15D',
    'P1Y',
    'P1DT12H',
    'PT86400.5S',
    'P10Y',
    'P120M',
    'P3653D',
  ])('can be %s', (text) => {
    expect(isInterval(text)).toBe(true);
  });

  test.each([
    ['zero seconds', 'PT0S'],
    ['zero days', 'P0D'],
    ['shorter than a second', 'PT0.999S'],
    ['negative', '-P1D'],
    ['longer than ten years', 'P10YT1S'],
    ['longer than ten years, counted in days', 'P3654D'],
    ['longer than the calendar', 'P300000Y'],
    ['a number of years that is too large to count', 'P99999999999Y'],
    ['a number of seconds that is too large to count', `PT${'9'.repeat(40)}S`],
    ['a text that isn’t a duration', 'a day'],
  ])('can’t be %s', (_what, text) => {
    expect(isInterval(text)).toBe(false);
  });

  test.each([
    ['an hour', 'PT1H', '2026-11-01T04:00:00.000Z', '2026-11-01T05:00:00.000Z'],
    ['a day', 'P1D', '2026-11-01T04:00:00.000Z', '2026-11-02T04:00:00.000Z'],
    ['a week', 'P7D', '2026-12-28T23:30:00.000Z', '2027-01-04T23:30:00.000Z'],
    ['a month', 'P1M', '2026-11-01T04:00:00.000Z', '2026-12-01T04:00:00.000Z'],
    [
      'a month that starts on the 31st and leads to February',
      'P1M',
      '2027-01-31T04:00:00.000Z',
      '2027-02-28T04:00:00.000Z',
    ],
    [
      'a month that leads to February of a leap year',
      'P1M',
      '2028-01-31T04:00:00.000Z',
      '2028-02-29T04:00:00.000Z',
    ],
    ['a year from a leap day', 'P1Y', '2028-02-29T04:00:00.000Z', '2029-02-28T04:00:00.000Z'],
    [
      'a month and a day, where the month is added first',
      'P1M1D',
      '2027-01-31T04:00:00.000Z',
      '2027-03-01T04:00:00.000Z',
    ],
    [
      'a day that has 25 hours in Berlin',
      'P1D',
      '2026-10-24T22:00:00.000Z',
      '2026-10-25T22:00:00.000Z',
    ],
    ['one and a half seconds', 'PT1.5S', '2026-11-01T04:00:00.250Z', '2026-11-01T04:00:01.750Z'],
  ])('ends at the right time of the UTC calendar if it is %s', (_what, interval, start, end) => {
    expect(endOfInterval(new Date(start), interval).toISOString()).toBe(end);
  });

  test('lasts at least one second and at most ten years if it is accepted', () => {
    const parts = fc.record({
      Y: fc.nat({ max: 11 }),
      M: fc.nat({ max: 130 }),
      D: fc.nat({ max: 4000 }),
      S: fc.nat({ max: 400_000_000 }),
    });
    fc.assert(
      fc.property(parts, instants, ({ Y, M, D, S }, start) => {
        const interval = `P${Y}Y${M}M${D}DT${S}S`;
        fc.pre(isInterval(interval));
        const milliseconds = endOfInterval(start, interval).getTime() - start.getTime();
        expect(milliseconds).toBeGreaterThanOrEqual(1000);
        // Ten years can last a few days longer from another start, because of leap years.
        expect(milliseconds).toBeLessThanOrEqual(3_660 * 86_400_000);
      }),
      { numRuns: 500 },
    );
  });
});

describe('the status of a source', () => {
  test('is the reported status until the next sync is due, and stale afterwards', () => {
    const expected = source({ expectedEvery: 'P1D', staleAt: later(86_400_000) });
    expect(sourceStatusAt(expected, later(86_399_999))).toBe('connected');
    expect(sourceStatusAt(expected, later(86_400_000))).toBe('stale');
    expect(sourceStatusAt(expected, later(1e12))).toBe('stale');
  });

  test('stays the reported status forever if the source has no sync interval', () => {
    expect(sourceStatusAt(source(), later(1e12))).toBe('connected');
  });

  test('is failed for an overdue source that reported a failure, and stale for any other overdue source', () => {
    const overdue = (status: string) =>
      sourceStatusAt(source({ status, expectedEvery: 'PT1S', staleAt: later(1000) }), later(2000));
    expect(overdue('failed')).toBe('failed');
    expect(overdue('reauthorization_required')).toBe('stale');
    expect(overdue('stale')).toBe('stale');
  });
});

describe('the list of sources at a given time', () => {
  const staleAfter = (milliseconds: number | null) =>
    source({
      provider: `after ${milliseconds}`,
      ...(milliseconds !== null && { expectedEvery: 'P1D', staleAt: later(milliseconds) }),
    });

  test('has all reported fields except expectedEvery and staleAt', () => {
    const { sources } = sourcesAt([staleAfter(1), staleAfter(null)], later(1));
    const { expectedEvery: _every, staleAt: _at, ...shown } = source();
    expect(sources).toStrictEqual([
      { ...shown, provider: 'after 1', status: 'stale' },
      { ...shown, provider: 'after null' },
    ]);
  });

  test('stays the same array until another source becomes stale', () => {
    const reported = [staleAfter(10), staleAfter(null), staleAfter(20)];
    const at = (milliseconds: number) => sourcesAt(reported, later(milliseconds)).sources;
    const [none, one] = [at(0), at(10)];
    expect(at(10)).toBe(one);
    expect(at(19)).toBe(one);
    expect(one).not.toBe(none);
    expect(at(20)).not.toBe(one);
    // Simulates a clock that was set back.
    expect(at(9)).toStrictEqual(none);
  });

  test('is equal for two times with the same number of stale sources', () => {
    const statuses = fc.constantFrom('connected', 'failed', 'paused');
    const reported = fc.array(
      fc.tuple(statuses, fc.option(fc.integer({ min: 1, max: 20 }))).map(([status, after]) => ({
        ...staleAfter(after),
        status,
      })),
      { maxLength: 6 },
    );
    const moments = fc.array(fc.nat({ max: 22 }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(reported, moments, (list, milliseconds) => {
        const seen = new Map<number, unknown>();
        for (const now of milliseconds.map((each) => later(each))) {
          const { stale, sources } = sourcesAt(list, now);
          expect(sources.map(({ status }) => status)).toEqual(
            list.map((each) => sourceStatusAt(each, now)),
          );
          if (seen.has(stale)) expect(sources).toStrictEqual(seen.get(stale));
          seen.set(stale, sources);
        }
      }),
      { numRuns: 300 },
    );
  });
});
