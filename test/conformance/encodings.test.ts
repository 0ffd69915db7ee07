import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { importLines, sampleData } from '../support/fixtures.ts';
import { conformance } from './conformance.ts';

const decoders = {
  br: brotliDecompressSync,
  gzip: gunzipSync,
  identity: (bytes: Buffer) => bytes,
};

/** Metrics for enough days to make compression worthwhile. */
const daily = (companyId: string, days: number) => {
  const [line] = sampleData(companyId);
  return Array.from({ length: days }, (_, day) => ({
    ...line,
    period: new Date(Date.UTC(2022, 0, 1 + day)).toISOString().slice(0, 10),
  }));
};

const year = (companyId: string) => daily(companyId, 365);

conformance('the encoding of a body', (service) => {
  const { app, fixtures, operator } = service;

  let prepared: ReturnType<typeof create> | undefined;
  /** All cases only read, so they share the data. */
  const prepare = () => {
    prepared ??= create();
    return prepared;
  };

  async function create() {
    const { company, key } = await fixtures.readablePortfolio();
    await importLines(operator, year(company.id));
    async function read(headers: Record<string, string> = {}, more: object = {}) {
      const answer = await app.inject({
        url: `/v1/companies/${company.id}/metrics/cash_balance/history`,
        headers: { host: 'a', authorization: `Bearer ${key}`, ...headers },
        ...more,
      });
      return { status: answer.statusCode, headers: answer.headers, bytes: answer.rawPayload };
    }
    return { company, key, read, operator };
  }

  it.each([
    ['gzip', 'gzip'],
    ['br', 'br'],
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip, deflate', 'gzip'],
    ['br;q=0.1, gzip;q=0.9', 'gzip'],
    ['gzip;q=0', 'identity'],
    ['gzip;q=0, *', 'br'],
    ['br;Q=0, gzip', 'gzip'],
    ['identity, gzip;q=0.5', 'identity'],
    ['identity;q=0, gzip', 'gzip'],
    ['*;q=0, gzip', 'gzip'],
    ['*', 'br'],
    ['', 'identity'],
    ['zstd', 'identity'],
    // The plain body is sent even if the caller accepts no encoding.
    ['identity;q=0', 'identity'],
    ['*;q=0', 'identity'],
    ['nonsense;;q=x,,', 'identity'],
  ] as const)(
    'depends on the header Accept-Encoding for a history: %s gets %s',
    async (accept, encoding) => {
      const { read } = await prepare();
      const plain = await read();
      const answer = await read({ 'accept-encoding': accept });
      expect(answer.status).toBe(200);
      expect(answer.headers['content-encoding'] ?? 'identity').toBe(encoding);
      expect(decoders[encoding](answer.bytes).equals(plain.bytes)).toBe(true);
      expect(answer.headers['content-length']).toBe(String(answer.bytes.length));
      expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
      expect([plain.headers.vary, answer.headers.vary]).toEqual(
        Array(2).fill('Accept, Accept-Encoding'),
      );
      expect(answer.headers.etag === plain.headers.etag).toBe(encoding === 'identity');
      if (encoding !== 'identity')
        expect(answer.bytes.length).toBeLessThan(plain.bytes.length / 10);
    },
  );

  it('has its own ETag, and a caller that sends it gets 304', async () => {
    const { read } = await prepare();
    const tags = new Set<string>();
    for (const accept of ['br', 'gzip', 'identity']) {
      const headers = { 'accept-encoding': accept };
      const etag = String((await read(headers)).headers.etag);
      tags.add(etag);
      for (const known of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
        const again = await read({ ...headers, 'if-none-match': known });
        expect([again.status, again.bytes.length]).toEqual([304, 0]);
        expect(again.headers.etag).toBe(etag);
        expect(again.headers.vary).toBe('Accept, Accept-Encoding');
        expect(again.headers['cache-control']).toBe('private, no-cache');
        expect(again.headers['content-encoding']).toBeUndefined();
      }
      const other = { 'accept-encoding': accept === 'br' ? 'gzip' : 'br' };
      expect((await read({ ...other, 'if-none-match': etag })).status).toBe(200);
    }
    expect(tags.size).toBe(3);
  });

  it.each(['br', 'gzip', 'identity'])(
    '%s has the same headers for HEAD as for GET',
    async (accept) => {
      const { read } = await prepare();
      const headers = { 'accept-encoding': accept };
      const [got, head] = [await read(headers), await read(headers, { method: 'HEAD' })];
      expect([head.status, head.bytes.length]).toEqual([200, 0]);
      for (const name of ['etag', 'vary', 'content-length', 'content-encoding', 'content-type'])
        expect(head.headers[name], name).toBe(got.headers[name]);
    },
  );

  it('decodes a long history to exactly the plain body', async () => {
    const { company, operator, read, key } = await create();
    await importLines(operator, daily(company.id, 1_500));
    const get = (url: string) => read({}, { url: `/v1/companies/${company.id}/metrics${url}` });
    const plain = await get('/cash_balance/history');
    const zipped = await read({ 'accept-encoding': 'gzip' });
    expect(plain.bytes.length).toBeGreaterThan(256 * 1024);
    expect(gunzipSync(zipped.bytes).equals(plain.bytes)).toBe(true);
    expect(plain.headers['content-length']).toBe(String(plain.bytes.length));
    expect(plain.headers.etag).not.toBe(zipped.headers.etag);
    const { etag } = plain.headers;
    expect((await read({ 'if-none-match': String(etag) })).status).toBe(304);
    const { data } = JSON.parse(String(plain.bytes));
    expect(data.length).toBeGreaterThan(1_500);
    const path = `/v1/metric-history?company_ids=${company.id}&keys=cash_balance`;
    expect((await service.get(path, key)).body.data).toEqual(data);
  });

  it('applies to the whole body, because the header Range is ignored', async () => {
    const { read } = await prepare();
    const whole = await read({ 'accept-encoding': 'gzip' });
    const answer = await read({ 'accept-encoding': 'gzip', range: 'bytes=0-9' });
    expect(answer.status).toBe(200);
    expect(answer.bytes.equals(whole.bytes)).toBe(true);
  });

  it('isn’t used for a short body, unless the caller refuses a plain body', async () => {
    const { company, key } = await fixtures.readablePortfolio();
    const read = (accept: string) =>
      app.inject({
        url: `/v1/companies/${company.id}/sources`,
        headers: { host: 'a', authorization: `Bearer ${key}`, 'accept-encoding': accept },
      });
    const short = await read('gzip');
    expect(short.rawPayload.length).toBeLessThan(1_024);
    expect(short.headers['content-encoding']).toBeUndefined();
    expect(short.headers.vary).toBe('Accept-Encoding');
    const only = await read('gzip, identity;q=0');
    expect(only.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(only.rawPayload).equals(short.rawPayload)).toBe(true);
  });
});
