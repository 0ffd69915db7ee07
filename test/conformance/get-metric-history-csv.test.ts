import { parse } from 'csv-parse/sync';
import { expect, it } from 'vitest';
import { importLines } from '../support/fixtures.ts';
import { conformance } from './conformance.ts';

const names = [
  'company_id',
  'key',
  'label',
  'currency',
  'period',
  'raw_value',
  'value',
  'category',
  'confidence',
  'as_of',
  'source.system',
  'source.method',
  'source.last_synced',
  'verification.verified',
  'verification.signed',
  'verification.signature',
  'verification.public_key_url',
  'verification.source_signature',
  'revision',
  'signed_at',
  'key_id',
];

conformance('a metric’s history as CSV', ({ app, fixtures, operator }) => {
  async function prepare() {
    const { company, key } = await fixtures.readablePortfolio();
    const read = (headers: Record<string, string> = {}, metric = 'cash_balance', more = {}) =>
      app.inject({
        url: `/v1/companies/${company.id}/metrics/${metric}/history`,
        headers: { host: 'a', authorization: `Bearer ${key}`, ...headers },
        ...more,
      });
    return { read, operator, company };
  }
  const csv = { accept: 'text/csv' };
  const rowsOf = (body: string): Record<string, string>[] =>
    parse(body, { columns: true, record_delimiter: '\r\n' });

  it('contains the same values in the same order as the JSON', async () => {
    const { read } = await prepare();
    const [json, answer] = [await read(), await read(csv)];
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['content-type']).toBe('text/csv; charset=utf-8; header=present');
    expect(answer.body.split('\r\n')[0]).toBe(names.join(','));
    const rows = rowsOf(answer.body);
    const { data } = json.json();
    expect(rows).toHaveLength(data.length);
    for (const [index, metric] of data.entries()) {
      const row = rows[index] ?? {};
      for (const name of names.slice(0, 18)) {
        const [parent = '', child] = name.split('.');
        const value = child === undefined ? metric[parent] : metric[parent][child];
        const text = name === 'raw_value' ? metric.raw_value_text : String(value ?? '');
        expect(row[name], name).toBe(text.startsWith('-$') ? `'${text}` : text);
      }
      const [header, payload] = metric.verification.signature
        .split('.')
        .slice(0, 2)
        .map((part: string) => JSON.parse(Buffer.from(part, 'base64url').toString()));
      expect(row.key_id).toBe(header.kid);
      expect([row.revision, row.signed_at]).toEqual([`${payload.revision}`, payload.signed_at]);
    }
  });

  it.each([
    ['text/csv', 'text/csv'],
    ['text/csv; charset=utf-8', 'text/csv'],
    ['text/*', 'text/csv'],
    ['text/csv, application/json;q=0.9', 'text/csv'],
    ['application/json;q=0.1, text/csv;q=0.2', 'text/csv'],
    ['application/json;q=0, */*', 'text/csv'],
    ['text/csv;q=0.5, application/json', 'application/json'],
    ['text/csv, application/json', 'text/csv'],
    ['application/json, text/csv', 'application/json'],
    ['text/csv;q=0', 'application/json'],
    ['text/csv; Q=0.5, application/json', 'application/json'],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'application/json'],
    ['*/*', 'application/json'],
    ['application/pdf', 'application/json'],
    ['nonsense;;q=x,,', 'application/json'],
    ['', 'application/json'],
  ])('is sent if the header Accept prefers it: %s returns %s', async (accept, type) => {
    const { read } = await prepare();
    const answer = await read({ accept });
    expect(answer.statusCode).toBe(200);
    expect(String(answer.headers['content-type']).split(';')[0]).toBe(type);
    expect(answer.headers.vary).toBe('Accept, Accept-Encoding');
    expect(answer.headers['cache-control']).toBe('private, no-cache');
  });

  it('has another ETag than the JSON, also for HEAD', async () => {
    const { read } = await prepare();
    const [json, answer] = [await read(), await read(csv)];
    const etag = String(answer.headers.etag);
    expect(etag).not.toBe(json.headers.etag);
    const same = await read({ ...csv, 'if-none-match': etag });
    expect([same.statusCode, same.body, same.headers.vary]).toEqual([
      304,
      '',
      'Accept, Accept-Encoding',
    ]);
    expect((await read({ 'if-none-match': etag })).statusCode).toBe(200);
    const head = await read(csv, 'cash_balance', { method: 'HEAD' });
    for (const name of ['etag', 'vary', 'content-length', 'content-type']) {
      expect(head.headers[name], name).toBe(answer.headers[name]);
    }
    const packed = await read({ ...csv, 'accept-encoding': 'gzip;q=1, identity;q=0' });
    expect(packed.headers['content-encoding']).toBe('gzip');
    expect(packed.headers.etag).not.toBe(etag);
  });

  it('is only a header line if the metric has no values, and an error is JSON', async () => {
    const { read } = await prepare();
    expect((await read(csv, 'no_data')).body).toBe(`${names.join(',')}\r\n`);
    const refused = await read({ ...csv, authorization: 'Bearer wrong' });
    expect(refused.statusCode).toBe(401);
    expect(refused.headers['content-type']).toMatch(/^application\/json/);
  });

  it('contains no formulas, because a text that looks like one gets an apostrophe in front', async () => {
    const { read, operator, company } = await prepare();
    const texts = [
      '=1+1',
      '+1 "x"',
      "-cmd|' /C calc'!A0",
      '@sum',
      '\t=1',
      "'quoted",
      '＝1',
      'two\r\nlines',
      'a,b',
      'plain',
    ];
    await importLines(
      operator,
      texts.map((confidence, index) => ({
        type: 'metric',
        company_id: company.id,
        key: 'hostile',
        currency: null,
        period: `2026-01-${String(index + 1).padStart(2, '0')}`,
        source: { system: confidence, method: 'api', last_synced: '2026-11-01T04:00:00Z' },
        raw_value: -12,
        confidence,
      })),
    );
    const { body } = await read(csv, 'hostile');
    const rows = rowsOf(body);
    for (const row of rows) {
      for (const cell of Object.values(row)) {
        if (cell !== '-12') expect(cell).not.toMatch(/^[=+\-@\t\r\n＝＋－＠]/);
      }
    }
    expect(rows.map((row) => row.confidence?.replace(/^'/, ''))).toEqual(texts);
    expect(rows.map((row) => row['source.system']?.replace(/^'/, ''))).toEqual(texts);
    expect(new Set(rows.map(({ raw_value }) => raw_value))).toEqual(new Set(['-12']));
  });
});
