import { describe, expect, test } from 'vitest';
import { createDataEvents, createStaleEvents, type DataChange, type SourceName } from '#core';

const now = new Date('2026-11-29T10:00:00Z');

const change: DataChange = {
  companyId: 'co_1',
  dataVersion: '7',
  metricKeys: [],
  latestPeriods: {},
  hasSources: true,
  hasAccounts: false,
  failedSources: [],
  recoveredSources: [],
  added: { metrics: [], sources: [], accounts: [] },
  totals: { metrics: 0, sources: 0, accounts: 0 },
};

const nextId = () => 'evt_1';

const stripe = { provider: 'stripe', accountName: 'Payouts' };
const mercury = { provider: 'mercury', accountName: 'Operating' };
const ledger = { provider: 'mercury', accountName: 'Ledger' };

const sourcesOf = (count: number, characters: number): SourceName[] =>
  Array.from({ length: count }, (_, index) => ({
    provider: 'p',
    accountName: `${index}`.padStart(characters - 1, '0'),
  }));

function staleOf(sources: readonly SourceName[]) {
  const [event] = createStaleEvents({ companyId: 'co_1', dataVersion: '7', sources }, nextId, now);
  if (event?.type !== 'source.stale') throw new Error('no event');
  return event.data;
}

describe('the events about changed company data', () => {
  test('are one event about the data, one about failed sources and one about recovered sources', () => {
    const both = { failedSources: [stripe, mercury], recoveredSources: [ledger] };
    const events = createDataEvents({ ...change, ...both }, nextId, now);
    expect(events.map(({ type, data }) => [type, data])).toMatchObject([
      ['company_data.updated', { hasSources: true }],
      ['source.failed', { sources: [mercury, stripe], sourceCount: 2, dataVersion: '7' }],
      ['source.recovered', { sources: [ledger], sourceCount: 1, dataVersion: '7' }],
    ]);
  });

  test('contain no source event if no source has failed or recovered', () => {
    expect(createDataEvents(change, nextId, now).map(({ type }) => type)).toEqual([
      'company_data.updated',
    ]);
  });
});

describe('an event about sources', () => {
  test('lists each source once, in sorted order, and also contains the first source in separate fields', () => {
    expect(staleOf([stripe, mercury, ledger, stripe])).toEqual({
      ...ledger,
      sources: [ledger, mercury, stripe],
      sourceCount: 3,
      dataVersion: '7',
    });
  });

  test('lists up to 500 sources of 64 characters each, and counts the sources that don’t fit', () => {
    expect(staleOf(sourcesOf(500, 64)).sources).toHaveLength(500);
    const { sources, sourceCount } = staleOf(sourcesOf(500, 400));
    expect([sources.length, sourceCount]).toEqual([80, 500]);
  });
});
