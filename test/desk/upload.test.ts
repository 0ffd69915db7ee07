import { parse } from 'csv-parse/sync';
import { expect, it } from 'vitest';
import { importLines, sampleData } from '../support/fixtures.ts';
import type { TestService } from '../support/service.ts';
import { aValue, describeDesk, formTo, plain, rowsOf, type Seen, signIn } from './desk.ts';

/** The rows of a part of a page, by its heading. */
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
const german = file('umsatz,Erlöse,EUR,2026-09-30,1,L,f,2026-11-02T08:00:00Z');

const day = (at: number) => new Date(Date.UTC(2000, 0, 1 + at)).toISOString().slice(0, 10);

describeDesk('an upload', (given) => {
  async function withContact(service: TestService, sample = false) {
    const company = await service.fixtures.company();
    if (sample) await importLines(service.operator, sampleData(company.id));
    return { company, contact: await signIn(service, company.id) };
  }

  const pushForm = (page: Seen) => formTo(page, '/desk/data/push');

  it('says by row what would be new, changed and unchanged, and one click takes it over', async () => {
    const service = given();
    const { contact } = await withContact(service);
    const first = await contact.upload(file(row('2026-09-30', '100'), row('2026-10-31', '200')));
    expect(first.status).toBe(200);
    expect(countsOf(first.text)).toEqual({ New: '2', Changed: '0', Unchanged: '0', Wrong: '0' });
    expect((await contact.get('/desk/data')).text).toContain('There are no metrics yet');
    const pushed = await contact.submit(pushForm(first));
    expect(pushed).toMatchObject({ status: 303, location: '/desk/data?done=2-0-0' });
    expect((await contact.get('/desk/data?done=2-0-0')).text).toContain('2 new, 0 changed');

    const next = await contact.upload(
      file(row('2026-09-30', '100'), row('2026-10-31', '250.5'), row('2026-11-30', '300')),
    );
    expect(countsOf(next.text)).toEqual({ New: '1', Changed: '1', Unchanged: '1', Wrong: '0' });
    expect(rowsBelow(next.text, 'revised')).toEqual([
      'ARR arr 3 2026-10-31 $200 $250.50 raw_value, value',
    ]);
    expect(rowsBelow(next.text, 'created')).toEqual(['ARR arr 4 2026-11-30 $300']);
    const again = await contact.submit(pushForm(next));
    expect(again.location).toBe('/desk/data?done=1-1-1');
    const { text } = await contact.get('/desk/data/metrics/arr');
    expect(text.split('id="revisions"')[1]).toContain('$200');
  });

  it('is seen by the next read of an investor, signed, with what it replaced', async () => {
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

  it('has a template with the figures that are there, which changes nothing as it is', async () => {
    const service = given();
    const { company, contact } = await withContact(service, true);
    await importLines(service.operator, [
      aValue(company.id, {
        ...{ key: 'risk', label: '=1+1', value: 'about "4", at most', raw_value: -4 },
        source: { system: '@risk', method: 'api', last_synced: '2026-11-01T04:00:00Z' },
      }),
    ]);
    const { text, headers } = await contact.get('/desk/data/template.csv');
    expect(headers.get('content-disposition')).toBe('attachment; filename="metrics.csv"');
    const rows = parse(text, { columns: true, bom: true }) as Record<string, string>[];
    expect(rows).toMatchObject([
      { key: 'cash_balance', raw_value: '990000.25', value: '', 'verification.verified': 'true' },
      { key: 'headcount', raw_value: '48', currency: '', as_of: '' },
      { key: 'risk', label: "'=1+1", raw_value: '-4', 'source.system': "'@risk" },
    ]);
    const seen = await contact.upload(text);
    expect(countsOf(seen.text)).toMatchObject({ Changed: '0', Unchanged: '3', Wrong: '0' });
    expect(seen.text).toContain('there is nothing to do');
    expect(() => pushForm(seen)).toThrow();
  });

  it('names each wrong row by its line in the words of an import, and takes nothing', async () => {
    const { contact } = await withContact(given());
    const seen = await contact.upload(
      file(row('2026-09-30', '100'), row('2026-02-30', '1,5'), row('2026-10-31', 'many'), 'a,b'),
    );
    expect(seen.status).toBe(422);
    expect(rowsBelow(seen.text, 'wrong')).toEqual([
      '3 has 9 cells, but the header has 8',
      '4 raw_value is not a number like 1234.56, with a point before the decimals and nothing between thousands',
      '5 has 2 cells, but the header has 8',
    ]);
    expect(countsOf(seen.text)).toMatchObject({ New: '1', Wrong: '3' });
    expect(() => pushForm(seen)).toThrow();
  });

  it('takes no number that is written otherwise, whatever divides the cells', async () => {
    const { contact } = await withContact(given());
    const amounts = ['1,5', '1.234,56', '1,234.56', '1 234', "1'234", '1.234.567', '007', '5.'];
    for (const mark of [';', '\t', ',']) {
      const quoted = amounts.map((amount) => (mark === ',' ? `"${amount}"` : amount));
      const text = file(...amounts.map((_, at) => row(day(at), `AMOUNT${at}`)));
      const seen = await contact.upload(
        text.replaceAll(',', mark).replaceAll(/AMOUNT(\d)/g, (_, at) => quoted[at] ?? ''),
      );
      expect(rowsBelow(seen.text, 'wrong')).toEqual(
        amounts.map(
          (_, at) =>
            `${at + 2} raw_value is not a number like 1234.56, with a point before the decimals and nothing between thousands`,
        ),
      );
      expect(() => pushForm(seen)).toThrow();
    }
  });

  it('does not guess what a point before three digits is where decimals may have a comma', async () => {
    const { contact } = await withContact(given());
    const rows = ['1.234', '-12.345', '1.2340', '0.125', '1234.567', '1234'].map((amount, index) =>
      row(`2026-0${index + 1}-01`, amount),
    );
    const seen = await contact.upload(file(...rows).replaceAll(',', ';'));
    expect(rowsBelow(seen.text, 'wrong')).toEqual([
      '2 raw_value is 1234 to some and 1.234 to others: write 1234 or 1.2340',
      '3 raw_value is -12345 to some and -12.345 to others: write -12345 or -12.3450',
    ]);
    expect(countsOf(seen.text)).toMatchObject({ New: '4', Wrong: '2' });
    expect(() => pushForm(seen)).toThrow();
    const plain = await contact.upload(file(...rows));
    expect(countsOf(plain.text)).toMatchObject({ New: '6', Wrong: '0' });
  });

  it('of rows about the same value says which one counts', async () => {
    const { contact } = await withContact(given());
    const seen = await contact.upload(file(row('2026-09-30', '1'), row('2026-09-30', '2')));
    expect(countsOf(seen.text)).toMatchObject({ New: '1', 'Said again further down': '1' });
    expect(rowsBelow(seen.text, 'created')).toEqual(['ARR arr 3 2026-09-30 $2']);
  });

  it.each([
    ['another header', 'name,amount\r\na,1\r\n', 'a column &quot;name&quot;'],
    [
      'no column that is needed',
      'key,period\r\na,2026-09-30\r\n',
      'no column &quot;raw_value&quot;',
    ],
    ['no rows', `${header}\r\n`, 'no row below its header'],
    ['nothing but space', '\r\n\r\n', 'no header row'],
    ['a column twice', 'key,key\r\na,b\r\n', 'two columns &quot;key&quot;'],
  ])('with %s is refused as a whole, beside the field', async (_name, content, reason) => {
    const { contact } = await withContact(given());
    const { status, text } = await contact.upload(content);
    expect(status).toBe(422);
    expect(text).toContain(reason);
    expect(text).toContain('aria-describedby="file-error file-hint" aria-invalid="true"');
  });

  it('without a file asks for one', async () => {
    const { contact } = await withContact(given());
    const { status, text } = await contact.upload('');
    expect(status).toBe(422);
    expect(text).toContain('Choose a file that is not empty.');
  });

  it.each([
    ['UTF-16 with its mark', Buffer.from(`\ufeff${german}`, 'utf16le'), ''],
    ['Windows-1252 when it is said', Buffer.from(german, 'latin1'), 'windows-1252'],
    ['semicolons', Buffer.from(german.replaceAll(',', ';')), ''],
  ])('is read in %s', async (_name, bytes, encoding) => {
    const { contact } = await withContact(given());
    const seen = await contact.upload(bytes, { encoding });
    expect(rowsBelow(seen.text, 'created')).toEqual(['Erlöse umsatz 2 2026-09-30 €1']);
    expect((await contact.submit(pushForm(seen))).location).toBe('/desk/data?done=1-0-0');
  });

  it('that is not in UTF-8 says in which line', async () => {
    const { contact } = await withContact(given());
    const bytes = Buffer.from(file(row('2026-09-30', '1', 'arr').replace('ARR', 'ä')), 'latin1');
    expect(rowsBelow((await contact.upload(bytes)).text, 'wrong')[0]).toMatch(
      /^2 is not valid UTF-8/,
    );
  });

  it('changes nothing when the data has changed since it was looked at, and shows how it stands', async () => {
    const service = given();
    const { company, contact } = await withContact(service);
    const seen = await contact.upload(file(row('2026-09-30', '100')));
    await importLines(service.operator, sampleData(company.id));
    const refused = await contact.submit(pushForm(seen));
    expect(refused.status).toBe(409);
    expect(refused.text).toContain('Nothing was changed by your click');
    expect((await contact.get('/desk/data/metrics/arr')).status).toBe(404);
    expect((await contact.submit(pushForm(refused))).location).toBe('/desk/data?done=1-0-0');
  });

  it('is taken over once, however often its form is sent', async () => {
    const service = given();
    const { contact } = await withContact(service);
    const form = pushForm(await contact.upload(file(row('2026-09-30', '100'))));
    const [one, two] = await Promise.all([contact.submit(form), contact.submit(form)]);
    expect([one.location, two.location]).toEqual(Array(2).fill('/desk/data?done=1-0-0'));
    expect((await contact.submit(form)).location).toBe('/desk/data?done=1-0-0');
    expect((await contact.get('/desk/data/metrics/arr')).text).toContain('No value was corrected.');
  });

  it('is checked once more at the push, whatever the form brings', async () => {
    const service = given();
    const { company, contact } = await withContact(service);
    const other = await service.fixtures.company();
    const form = pushForm(await contact.upload(file(row('2026-09-30', '100'))));
    const { deflateRawSync } = await import('node:zlib');
    const pack = (text: string) => deflateRawSync(text).toString('base64url');
    const foreign = `company_id,${header}\r\n${other.id},${row('2026-09-30', '1')}\r\n`;
    const changed = await contact.submit(form, { kept: pack(foreign) });
    expect(changed.status).toBe(409);
    expect(rowsBelow(changed.text, 'wrong')).toEqual([
      `2 company_id must be ${company.id}, or be left out`,
    ]);
    const unreadable = await contact.submit(form, { kept: pack('a') });
    expect(unreadable.status).toBe(422);
    const bomb = await contact.submit(form, { kept: pack('0'.repeat(11 * 1024 * 1024)) });
    expect(bomb.status).toBe(422);
    expect((await contact.submit(form, { kept: '' })).status).toBe(422);
    expect((await contact.get('/desk/data/metrics/arr')).status).toBe(404);
  });

  it('is bounded in bytes and rows', async () => {
    const { contact } = await withContact(given());
    const large = await contact.upload('x'.repeat(10 * 1024 * 1024 + 70_000));
    expect(large.status).toBe(413);
    const rows = Array.from({ length: 10_001 }, () => row('2026-09-30', '1'));
    const many = await contact.upload(file(...rows));
    expect(many.status).toBe(422);
    expect(many.text).toContain('more than 10000 rows');
  });

  it('of more rows than a statement brings comes to what was told', async () => {
    const { contact } = await withContact(given());
    const rows = (count: number, label: string, amount: (at: number) => number) =>
      Array.from({ length: count }, (_, at) =>
        row(day(at % 1_200), String(amount(at)), `metric_${at % 2}`).replace('ARR', label),
      );
    const before = rows(1_200, 'A', (at) => at);
    await contact.submit(pushForm(await contact.upload(file(...before))));
    // Names change in the middle and at the end, and values are said again.
    const after = [
      ...rows(1_300, 'B', (at) => (at % 3 === 0 ? -1 : at % 1_200)),
      ...rows(7, 'C', (at) => at),
    ];
    const seen = await contact.upload(file(...after));
    const { New, Changed, Unchanged } = countsOf(seen.text);
    const told = [New, Changed, Unchanged].map((count) => count?.replace(',', '')).join('-');
    expect(told).toMatch(/^0-[1-9]\d*-[1-9]\d*$/);
    const pushed = await contact.submit(pushForm(seen));
    expect(pushed.location).toBe(`/desk/data?done=${told}`);
    expect((await contact.get('/desk/data')).text).toContain('<bdi>C</bdi>');
  });

  it('of ten thousand rows is looked through and taken over as one', async () => {
    const service = given();
    const { contact } = await withContact(service);
    const rows = Array.from({ length: 10_000 }, (_, at) =>
      row(day(at % 2_500), String(at), `metric_${Math.floor(at / 2_500)}`),
    );
    const seen = await contact.upload(file(...rows));
    expect(countsOf(seen.text)).toMatchObject({ New: '10,000' });
    expect(seen.text).toContain('and 9,800 more');
    expect(seen.text.length).toBeLessThan(400_000);
    const pushed = await contact.submit(pushForm(seen));
    expect(pushed.location).toBe('/desk/data?done=10000-0-0');
    // Each costs a point for a hundred rows, one of them with the request, whenever the minute began.
    for (const { headers } of [seen, pushed]) {
      expect(
        Number(headers.get('ratelimit-limit')) - Number(headers.get('ratelimit-remaining')),
      ).toBeGreaterThanOrEqual(99);
    }
  });
});
