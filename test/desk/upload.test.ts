import { parse } from 'csv-parse/sync';
import { expect, it } from 'vitest';
import { importLines, sampleData } from '../support/fixtures.ts';
import type { TestService } from '../support/service.ts';
import { aValue, describeDesk, formTo, plain, rowsOf, type Seen, signIn } from './desk.ts';

const rowsBelow = (text: string, id: string): string[] =>
  rowsOf(new RegExp(`<section aria-labelledby="${id}">(.*?)</section>`, 's').exec(text)?.[1] ?? '');

const countsOf = (text: string) =>
  Object.fromEntries(
    [
      ...(/<dl class="facts counts">(.*?)<\/dl>/s.exec(text)?.[1] ?? '').matchAll(
        /<dt>(.*?)<\/dt><dd>(.*?)<\/dd>/g,
      ),
    ].map(([, name, count]) => [name, count]),
  );

const header = 'key,label,currency,period,raw_value,source.system,source.method,source.last_synced';
const row = (period: string, amount: string, key = 'arr') =>
  `${key},ARR,USD,${period},${amount},Ledger,file,2026-11-02T08:00:00Z`;
const file = (...rows: string[]) => [header, ...rows, ''].join('\r\n');

const day = (at: number) => new Date(Date.UTC(2018, 0, 1 + at)).toISOString().slice(0, 10);

describeDesk('an upload', (given) => {
  async function withContact(service: TestService, sample = false) {
    const company = await service.fixtures.company();
    if (sample) await importLines(service.operator, sampleData(company.id));
    return { company, contact: await signIn(service, company.id) };
  }

  const pushForm = (page: Seen) => formTo(page, '/desk/data/push');

  it('shows its new, changed and unchanged rows, and one click accepts them all', async () => {
    const service = given();
    const { contact } = await withContact(service);
    const first = await contact.upload(file(row('2026-09-30', '100'), row('2026-10-31', '200')));
    expect(first.status).toBe(200);
    expect(countsOf(first.text)).toEqual({ New: '2', Changed: '0', Unchanged: '0', Errors: '0' });
    expect((await contact.get('/desk/data')).text).toContain('No metrics yet');
    const pushed = await contact.submit(pushForm(first));
    expect(pushed).toMatchObject({ status: 303, location: '/desk/data?done=2-0-0' });
    expect((await contact.submit(pushForm(first))).location).toBe('/desk/data?done=2-0-0');
    expect((await contact.get('/desk/data?done=2-0-0')).text).toContain('2 new, 0 changed');

    const next = await contact.upload(
      file(row('2026-09-30', '100'), row('2026-10-31', '250.5'), row('2026-08-31', '300')),
    );
    expect(countsOf(next.text)).toEqual({ New: '1', Changed: '1', Unchanged: '1', Errors: '0' });
    expect(rowsBelow(next.text, 'revised')).toEqual(['ARR arr 3 2026-10-31 200 USD 250.5 USD']);
    expect(rowsBelow(next.text, 'created')).toEqual(['ARR arr 4 2026-08-31 300 USD']);
    const again = await contact.submit(pushForm(next));
    expect(again.location).toBe('/desk/data?done=1-1-1');
    const { text } = await contact.get('/desk/data/metrics/arr');
    expect(text.split('id="revisions"')[1]).toContain('$200');
  });

  it('appears with signatures in an investor’s next read, and as a correction at the desk', async () => {
    const service = given();
    const { key, company } = await service.fixtures.readablePortfolio();
    const contact = await signIn(service, company.id);
    const { text } = await contact.get('/desk/data/template.csv');
    const corrected = text.replace('990000.25', '990001.25');
    await contact.submit(pushForm(await contact.upload(corrected)));
    const read = await service.get(`/v1/companies/${company.id}/metrics/cash_balance`, key);
    expect(read.body).toMatchObject({
      raw_value: 990001.25,
      value: '$990,001.25',
      verification: { signed: true },
    });
    const { text: shown } = await contact.get('/desk/data/metrics/cash_balance');
    expect(plain(shown.split('id="revisions"')[1] ?? '')).toContain('2026-10-31 $990,001.25 2');
  });

  it('changes nothing if the file is the unchanged template, because it contains the current figures', async () => {
    const service = given();
    const { company, contact } = await withContact(service, true);
    await importLines(service.operator, [
      aValue(company.id, {
        ...{ key: 'risk', label: '=1+1', value: 'about -4', raw_value: -4 },
        source: { system: '@risk', method: 'api', last_synced: '2026-11-01T04:00:00Z' },
      }),
    ]);
    const { text, headers } = await contact.get('/desk/data/template.csv');
    expect(headers.get('content-disposition')).toBe('attachment; filename="metrics.csv"');
    const rows = parse(text, { columns: true, bom: true }) as Record<string, string>[];
    expect(rows).toMatchObject([
      { key: 'cash_balance', raw_value: '990000.25', 'verification.verified': 'true' },
      { key: 'headcount', raw_value: '48', currency: '', as_of: '' },
      { key: 'risk', label: "'=1+1", raw_value: '-4', 'source.system': "'@risk" },
    ]);
    expect(rows[0]).not.toHaveProperty('value');
    const seen = await contact.upload(text);
    expect(countsOf(seen.text)).toMatchObject({ Changed: '0', Unchanged: '3', Errors: '0' });
    expect(seen.text).toContain('There is nothing to do');
    expect(() => pushForm(seen)).toThrow();
  });

  it('shows the line number of each invalid row, and stores the other rows', async () => {
    const { contact } = await withContact(given());
    const rows = [row('2026-09-30', '1,5'), row('2026-10-31', 'many'), 'a,b'];
    const seen = await contact.upload(
      file(...rows, row('2026-08-31', '100'), row('2062-08-31', '9')),
    );
    expect(seen.status).toBe(200);
    expect(rowsBelow(seen.text, 'wrong')).toEqual([
      '2 The row has 9 cells under 8 headings. Delete the extra cell, or put quotes around a number with a comma.',
      '3 raw_value “many” isn’t a number such as 1234.56.',
      '4 The row has no period. Enter a date, a month or a quarter.',
    ]);
    expect(countsOf(seen.text)).toMatchObject({ New: '1', 'To check': '1', Errors: '3' });
    const pushed = await contact.submit(pushForm(seen), { tick: ['1'] });
    expect(pushed.location).toBe('/desk/data?done=2-0-0');
  });

  it('stores the valid rows, even if the use case rejects other rows', async () => {
    const { contact } = await withContact(given());
    const long = row('2026-09-30', '1').replace('ARR', 'x'.repeat(201));
    const seen = await contact.upload(file(long, row('2026-10-31', '2'), row('2062-10-31', '3')));
    expect(rowsBelow(seen.text, 'wrong')).toEqual([
      '2 label A name has 1 to 200 characters, and no invisible or control characters.',
    ]);
    const other = await contact.submit(pushForm(seen), { wrong: '0' });
    expect(other.status).toBe(409);
    const pushed = await contact.submit(pushForm(seen), { tick: ['2'] });
    expect(pushed.location).toBe('/desk/data?done=2-0-0');
  });

  const pointForm = (page: Seen) => formTo(page, '/desk/data/preview');

  it('causes a question if a number is ambiguous, and is accepted only with an answer', async () => {
    const { contact } = await withContact(given());
    const asked = await contact.upload(
      file(row('2026-01-02', '1.234'), row('2026-02-02', '-12.345')),
    );
    expect(asked.status).toBe(200);
    expect(rowsOf(asked.text)).toEqual(['1.234 arr 2 1234 1.234', '-12.345 arr 3 -12345 -12.345']);
    expect(() => pushForm(asked)).toThrow();
    const forced = await contact.submit({ ...pointForm(asked), action: '/desk/data/push' });
    for (const { text } of [asked, await contact.submit(pointForm(asked)), forced]) {
      expect(text).toContain('Does 1.234 mean 1234?');
    }
    expect((await contact.get('/desk/data/metrics/arr')).status).toBe(404);
    const answered = await contact.submit(pointForm(asked), { numbers: 'thousands' });
    expect(rowsBelow(answered.text, 'created')).toEqual([
      'ARR arr 2 2026-01-02 1,234 USD In the file: 1.234',
      'ARR arr 3 2026-02-02 -12,345 USD In the file: -12.345',
    ]);
    expect((await contact.submit(pushForm(answered))).location).toBe('/desk/data?done=2-0-0');
    expect((await contact.get('/desk/data/metrics/arr')).text).toContain('$12,345');
  });

  it.each(['1.2340', '0.125', '1234.567', '-1.5'])(
    'causes no question about a point if the amount %s shows that it is a decimal point',
    async (proof) => {
      const { contact } = await withContact(given());
      const rows = [row('2026-09-30', '1.204'), row('2026-10-31', proof)];
      const seen = await contact.upload(file(...rows).replaceAll(',', ';'));
      expect(rowsBelow(seen.text, 'created')[0]).toBe('ARR arr 2 2026-09-30 1.204 USD');
    },
  );

  it('shows up to 200 rows of a list, and the number of hidden rows', async () => {
    const { contact } = await withContact(given());
    const rows = Array.from({ length: 210 }, (_, at) => row(day(at), String(at)));
    const seen = await contact.upload(file(...rows));
    expect(countsOf(seen.text)).toMatchObject({ New: '210' });
    expect(seen.text).toContain('and 10 more');
  });

  it('accepts an unusual row only if the row is ticked, and explains the reason', async () => {
    const service = given();
    const { contact } = await withContact(service);
    const named = (...given: Parameters<typeof row>) => row(...given).replace('ARR', 'Recurring');
    await contact.submit(pushForm(await contact.upload(file(named('2026-09-30', '100')))));
    const rows = [
      named('2026-10-31', '110'),
      named('2062-10-31', '120'),
      named('2026-09-30', '100000'),
      named('2026-08-31', '90').replace('USD', 'EUR'),
      named('2015-08-31', '1', 'Arr'),
    ];
    const upload = async () =>
      contact.submit(pointForm(await contact.upload(file(...rows))), { keys: 'new' });
    const seen = await upload();
    expect(countsOf(seen.text)).toEqual({
      ...{ New: '1', Changed: '0', Unchanged: '0', 'To check': '4', Errors: '0' },
    });
    expect(rowsBelow(seen.text, 'marked')).toEqual([
      'Recurring arr 3 2062-10-31 100 USD 2026-09-30 120 USD The period is in the future.',
      'Recurring arr 4 2026-09-30 100 USD 100,000 USD At least 50 times larger or smaller than before.',
      'Recurring arr 5 2026-08-31 100 USD 2026-09-30 90 EUR Different currency than before.',
      'Recurring Arr 6 2015-08-31 1 USD The period is more than ten years ago. New name that differs from a known one only in capital letters.',
    ]);
    const pushed = await contact.submit(pushForm(seen), { tick: ['3'] });
    expect(pushed.location).toBe('/desk/data?done=2-0-0-3');
    const done = await contact.get(pushed.location ?? '');
    expect(plain(done.text)).toContain('2 new, 0 changed, 0 unchanged. 3 values were left out');
    const next = await upload();
    expect(countsOf(next.text)).toMatchObject({ Unchanged: '2', 'To check': '3' });
    const all = await contact.submit(pushForm(next), { tick: 'all' });
    expect(all.location).toBe('/desk/data?done=2-1-2');
    const one = await contact.upload(file(named('2061-10-31', '1')));
    const none = await contact.submit(pushForm(one));
    expect(none.location).toBe('/desk/data?done=0-0-0-1');
    expect((await contact.get(none.location ?? '')).text).toContain('1 value was left out');
  });

  it('shows a value as corrected if its number has changed, but not if only its format has changed', async () => {
    const service = given();
    const { company, contact } = await withContact(service);
    const bring = (raw_value: number, value: string) =>
      importLines(service.operator, [aValue(company.id, { raw_value, value })]);
    const seen = async () => (await contact.get('/desk/data/metrics/arr')).text;
    await bring(81.2, '81.2');
    await bring(81.2, '81%');
    expect(await seen()).toContain('No value was corrected.');
    await bring(81.4, '81%');
    expect(await seen()).not.toContain('No value was corrected.');
  });

  it.each([
    ['C:\\reports\\q3.csv', 'q3.csv'],
    ['\u202eq3.csv', 'upload'],
    ['', 'upload'],
  ])(
    'takes its source from the file name, and ignores a future upload time from the form: %j becomes %s',
    async (name, system) => {
      const { contact } = await withContact(given());
      const form = pushForm(await contact.upload('key,period,raw_value\narr,2026-10-31,1\n'));
      await contact.submit(form, { name, uploaded_at: '2999-01-01T00:00:00Z' });
      const { text } = await contact.get('/desk/data/metrics/arr');
      expect(plain(text)).toContain(`Source ${system} by upload`);
      expect(text).not.toContain('2999');
    },
  );

  it.each([
    ['no file is chosen', '', 'Choose a file that isn’t empty.'],
    ['the file has no heading row', 'a,1\r\nb,2\r\n', 'no heading row'],
    ['the file has no rows', `${header}\r\n`, 'no row below the headings'],
    [
      'a column is twice in the file',
      'key,key,period,raw_value\r\na,b\r\n',
      'two columns &quot;key&quot;',
    ],
  ])('is rejected with an error at its field if %s', async (_name, content, reason) => {
    const { contact } = await withContact(given());
    const { status, text } = await contact.upload(content);
    expect(status).toBe(422);
    expect(text).toContain(reason);
    expect(text).toContain('aria-describedby="file-error file-hint" aria-invalid="true"');
  });

  it('is rejected with the line number of a byte that is invalid in its encoding', async () => {
    const { contact } = await withContact(given());
    const good = row('2026-09-30', '1').replace('ARR', 'Größe');
    const bad = Buffer.from(row('2026-10-31', '1').replace('ARR', 'ä'), 'latin1');
    const bytes = Buffer.concat([Buffer.from(`${file(good)}`), bad]);
    expect(rowsBelow((await contact.upload(bytes)).text, 'wrong')).toEqual([
      '3 The row has a character that can’t be read. Save the file as UTF-8.',
    ]);
  });

  it('changes nothing if the data has changed since the preview, and shows a new preview', async () => {
    const service = given();
    const { company, contact } = await withContact(service);
    const seen = await contact.upload(file(row('2026-09-30', '100')));
    await importLines(service.operator, sampleData(company.id));
    const refused = await contact.submit(pushForm(seen));
    expect(refused.status).toBe(409);
    expect(refused.text).toContain('Nothing was changed');
    expect((await contact.get('/desk/data/metrics/arr')).status).toBe(404);
    expect((await contact.submit(pushForm(refused))).location).toBe('/desk/data?done=1-0-0');
  });

  it('is checked again when the contact accepts it, whatever the form contains', async () => {
    const service = given();
    const { contact } = await withContact(service);
    const other = await service.fixtures.company();
    const form = pushForm(await contact.upload(file(row('2026-09-30', '100'))));
    const { deflateRawSync } = await import('node:zlib');
    const pack = (text: string) => deflateRawSync(text).toString('base64url');
    const foreign = `company_id,${header}\r\n${other.id},${row('2026-09-30', '1')}\r\n`;
    const changed = await contact.submit(form, { kept: pack(foreign) });
    expect(changed.status).toBe(409);
    expect(rowsBelow(changed.text, 'wrong')).toEqual([
      '2 company_id The row belongs to another company. Leave the column out.',
    ]);
    const unreadable = await contact.submit(form, { kept: pack('a') });
    expect(unreadable.status).toBe(422);
    const bomb = await contact.submit(form, { kept: pack('0'.repeat(11 * 1024 * 1024)) });
    expect(bomb.status).toBe(422);
    expect((await contact.submit(form, { kept: '' })).status).toBe(422);
    expect((await contact.get('/desk/data/metrics/arr')).status).toBe(404);
  });

  it('may have only a limited number of bytes and rows', async () => {
    const { contact } = await withContact(given());
    const large = await contact.upload('x'.repeat(10 * 1024 * 1024 + 70_000));
    expect(large.status).toBe(413);
    const rows = Array.from({ length: 10_001 }, () => row('2026-09-30', '1'));
    const many = await contact.upload(file(...rows));
    expect(many.status).toBe(422);
    expect(many.text).toContain('more than 10000 rows');
  });

  it('costs points for its size before it is read, and for its invalid rows', async () => {
    const service = given();
    const { contact } = await withContact(service);
    const form = pushForm(await contact.upload(file(row('2026-09-30', '100'))));
    const { deflateRawSync } = await import('node:zlib');
    const kept = deflateRawSync('"'.repeat(1_000_000)).toString('base64url');
    const spentAtLeast = (points: number, reason: string, seen: Seen) => {
      const { status, text, headers } = seen;
      expect(status).toBe(422);
      expect(text).toContain(reason);
      const [limit, left] = ['limit', 'remaining'].map((of) => headers.get(`ratelimit-${of}`));
      // Tolerates one point, because a new minute may start after the request itself was charged.
      expect(Number(limit) - Number(left)).toBeGreaterThanOrEqual(points - 1);
    };
    spentAtLeast(16, 'can’t be used', await contact.submit(form, { kept }));
    const fill = (length: number, line: string) => `${header}\n`.padEnd(length, line);
    const blank = await contact.upload(fill(2 ** 20, '\n'));
    spentAtLeast(16, 'more than 10000 blank rows', blank);
    spentAtLeast(25, 'no period', await contact.upload(fill(10_100, 'x,y\n')));
    const broken = await contact.upload(fill(39_000, 'x"\n'));
    spentAtLeast(1, 'more than 1000 rows have broken quotes', broken);
  });
});
