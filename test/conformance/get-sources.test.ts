import { afterEach, expect, it, vi } from 'vitest';
import { expectOk } from '../support/expectations.ts';
import { importLines } from '../support/fixtures.ts';
import { conformance, sharedPortfolio } from './conformance.ts';

conformance('GET /v1/companies/{id}/sources', (service) => {
  const { get, call, fixtures, operator } = service;

  afterEach(() => {
    vi.useRealTimers();
  });

  it('returns exactly the fields of the API contract, so it returns no credentials', async () => {
    const { company, key } = await sharedPortfolio(service);
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

  it('returns a new tag as soon as a source becomes stale', async () => {
    const { company, key } = await fixtures.readablePortfolio();
    const path = `/v1/companies/${company.id}/sources`;
    const synced = Date.now();
    const hour = 3_600_000;
    const setClock = (sinceSync: number) =>
      vi.useFakeTimers({ toFake: ['Date'], now: synced + sinceSync });
    await importLines(operator, [
      {
        type: 'source',
        company_id: company.id,
        provider: 'by the hour',
        status: 'connected',
        account_name: 'Main',
        last_synced_at: new Date(synced).toISOString(),
        expected_every: 'PT1H',
      },
    ]);
    setClock(hour - 1);
    const fresh = await get(path, key);
    const readAgain = () =>
      call('GET', path, { key, headers: { 'if-none-match': String(fresh.headers.etag) } });
    expect((await readAgain()).status).toBe(304);
    setClock(hour);
    const stale = await readAgain();
    expectOk(stale);
    expect(stale.headers.etag).not.toBe(fresh.headers.etag);
    expect(stale.text).toContain('"stale"');
    // If the clock is set back, the old state is valid again.
    setClock(hour - 1);
    expect((await readAgain()).status).toBe(304);
  });
});
