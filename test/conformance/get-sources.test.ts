import { afterEach, expect, it, vi } from 'vitest';
import { expectOk } from '../support/expectations.ts';
import { importLines } from '../support/fixtures.ts';
import { conformance, sharedPortfolio } from './conformance.ts';

conformance('GET /v1/companies/{id}/sources', (given) => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it('returns exactly the fields of the contract, and so no credential', async () => {
    const { get } = given();
    const { company, key } = await sharedPortfolio(given());
    const answer = await get(`/v1/companies/${company.id}/sources`, key);
    expectOk(answer);
    expect(answer.body.data).toHaveLength(2);
    expect(answer.body.data).toContainEqual({
      object: 'source',
      provider: 'mercury',
      status: 'connected',
      account_name: 'Operating account',
      last_synced_at: '2026-11-01T04:00:00.000Z',
    });
    expect(answer.body.data).toContainEqual({
      object: 'source',
      provider: 'gusto',
      status: 'error',
      account_name: 'Payroll',
      last_synced_at: '2026-11-01T04:00:00.000Z',
    });
  });

  it('says stale from the instant on by which a source was expected, under another tag', async () => {
    const { call, get, fixtures, operator } = given();
    const { company, key } = await fixtures.readablePortfolio();
    const path = `/v1/companies/${company.id}/sources`;
    const synced = Date.now();
    const setClock = (sinceSync: number) =>
      vi.useFakeTimers({ toFake: ['Date'], now: synced + sinceSync });
    const [hour, days] = [3_600_000, 7 * 86_400_000];
    const source = (provider: string, status: string, every: string, syncedAt = synced) => ({
      type: 'source',
      company_id: company.id,
      provider,
      status,
      account_name: 'Main',
      last_synced_at: new Date(syncedAt).toISOString(),
      expected_every: every,
    });
    await importLines(operator, [
      source('by the hour', 'connected', 'PT1H'),
      source('by the week', 'connected', 'P7D'),
      source('gone', 'failed', 'PT1H'),
    ]);
    const read = async () => {
      const answer = await get(path, key);
      expectOk(answer);
      const etag = String(answer.headers.etag);
      const headers = { 'if-none-match': etag };
      expect((await call('GET', path, { key, headers })).status).toBe(304);
      const all = answer.body.data.map((each: { provider: string; status: string }) => [
        each.provider,
        each.status,
      ]);
      const { mercury, gusto, ...statuses } = Object.fromEntries(all);
      expect([mercury, gusto]).toEqual(['connected', 'error']);
      return { etag, statuses: Object.values(statuses) };
    };
    setClock(hour - 1);
    const fresh = await read();
    expect(fresh.statuses).toEqual(['connected', 'connected', 'failed']);
    setClock(hour);
    const headers = { 'if-none-match': fresh.etag };
    const next = await call('GET', path, { key, headers });
    expectOk(next);
    expect(next.headers.etag).not.toBe(fresh.etag);
    expect(await read()).toEqual({
      etag: next.headers.etag,
      statuses: ['stale', 'connected', 'failed'],
    });
    setClock(days);
    expect((await read()).statuses).toEqual(['stale', 'stale', 'failed']);
    await importLines(operator, [source('by the hour', 'connected', 'PT1H', synced + days)]);
    expect((await read()).statuses).toEqual(['connected', 'stale', 'failed']);
    // A clock that is set back finds what was true then.
    setClock(hour);
    expect((await read()).statuses).toEqual(['connected', 'connected', 'failed']);
  });
});
