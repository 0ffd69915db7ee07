import { afterEach, expect, it, vi } from 'vitest';
import { gatedEndpoints } from '../support/contract.ts';
import { expectOk, expectRefusal } from '../support/expectations.ts';
import { importLines, sampleData } from '../support/fixtures.ts';
import { conformance } from './conformance.ts';

conformance(
  'a caller that sends the ETag of its last read',
  ({ call, get, fixtures, operator }) => {
    afterEach(() => void vi.useRealTimers());

    it.each(gatedEndpoints)('gets 304 if the data is unchanged: $name', async ({ path }) => {
      const { company, key } = await fixtures.readablePortfolio();
      const first = await get(path(company.id), key);
      const etag = String(first.headers.etag);
      expect(etag).toMatch(/^"[\w-]{43}"$/);
      expect((await get(path(company.id), key)).headers.etag).toBe(etag);
      for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
        const headers = { 'if-none-match': known };
        const answer = await call('GET', path(company.id), { key, headers });
        expect(answer.status).toBe(304);
        expect(answer.headers.etag).toBe(etag);
      }
      for (const other of ['"other"', 'nonsense', etag.slice(1, -1), '']) {
        const headers = { 'if-none-match': other };
        const answer = await call('GET', path(company.id), { key, headers });
        expectOk(answer);
        expect(answer.text).toBe(first.text);
      }
    });

    it('is refused like any other caller after its access has ended', async () => {
      const made = await fixtures.portfolio();
      await importLines(operator, sampleData(made.company.id));
      const { id } = await fixtures.grant(made);
      const path = `/v1/companies/${made.company.id}/metrics`;
      const { headers } = await get(path, made.key);
      const ask = { key: made.key, headers: { 'if-none-match': String(headers.etag) } };
      expect((await call('GET', path, ask)).status).toBe(304);
      await operator.revokeAccessRequest({ id });
      const refusal = await call('GET', path, ask);
      expectRefusal(refusal, 'access_revoked');
      expect(refusal.headers.etag).toBeUndefined();
      expect(refusal.headers['cache-control']).toBe('no-store');
    });

    it('leaves an access record if it gets 304', async () => {
      const { company, key } = await fixtures.readablePortfolio();
      const path = `/v1/companies/${company.id}/sources`;
      const first = await get(path, key);
      const headers = { 'if-none-match': String(first.headers.etag) };
      const second = await call('GET', path, { key, headers });
      const { records } = await operator.listCompanyAccessRecords({
        companyId: company.id,
        limit: 10,
      });
      expect(records.map(({ requestId, outcome }) => [requestId, outcome])).toEqual([
        [second.headers['svc-request-id'], 'allowed'],
        [first.headers['svc-request-id'], 'allowed'],
      ]);
    });

    it('gets the new body and a new ETag right after an import of new values', async () => {
      const { company, key } = await fixtures.readablePortfolio();
      const path = `/v1/companies/${company.id}/metrics`;
      const before = await get(path, key);
      const lines = sampleData(company.id).map((line) =>
        'raw_value' in line ? { ...line, raw_value: 7 } : line,
      );
      await importLines(operator, lines);
      const headers = { 'if-none-match': String(before.headers.etag) };
      const after = await call('GET', path, { key, headers });
      expectOk(after);
      expect(after.body.data[0].raw_value).toBe(7);
      expect(after.headers.etag).not.toBe(before.headers.etag);
    });

    it('gets the new body as soon as a source becomes stale', async () => {
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
      // If the clock is set back, the source is fresh again, and so is the old ETag.
      setClock(hour - 1);
      expect((await readAgain()).status).toBe(304);
    });
  },
);
