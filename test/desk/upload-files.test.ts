import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { demoCompanies } from '../../demo/companies.ts';
import { demoLines } from '../../demo/records.ts';
import type { TestService } from '../support/service.ts';
import { describeDesk, formTo, plain, type Seen, signIn, type Visitor } from './desk.ts';

const folder = new URL('../http/sheets/files/', import.meta.url);
const now = new Date('2026-11-29T12:00:00Z');
const companyId = 'co_juniper';

describeDesk('an uploaded file', (given) => {
  async function upload(service: TestService, file: string, headers = {}) {
    const { operator } = service;
    const companies = demoCompanies.filter(({ id }) => id === companyId);
    const isThere = (await operator.listCompanies()).some(({ id }) => id === companyId);
    if (!isThere) {
      await operator.createCompany({ id: companyId, name: 'Juniper', environment: 'test' });
      await operator.importRecords(demoLines(companies, now), { onProblem: () => undefined });
    }
    const contact = await signIn(service, companyId);
    const seen = await contact.upload(await readFile(new URL(file, folder)), headers, file);
    return { contact, seen };
  }

  const next = (page: Seen) => formTo(page, '/desk/data/preview');
  const pushForm = (page: Seen) => formTo(page, '/desk/data/push');
  const latest = async ({ operator }: TestService, key: string) =>
    (await operator.readLatestOfCompany({ companyId })).find((metric) => metric.key === key);

  it('is read from the sheet that the contact chooses', async () => {
    const { contact, seen } = await upload(given(), 'z-xlsx-two-sheets.xlsx');
    expect(plain(seen.text)).toContain('Read from the sheet Actuals');
    expect(plain(seen.text)).toContain('3,310,000 EUR');
    const other = await contact.submit(next(seen), { sheet: 'Budget' });
    expect(plain(other.text)).toContain('Read from the sheet Budget');
    await contact.submit(pushForm(other), { tick: 'all' });
    expect(await latest(given(), 'headcount')).toMatchObject({
      ...{ rawValue: '41', period: '2026-11-30' },
      source: { system: 'z-xlsx-two-sheets.xlsx', method: 'upload' },
    });
  });

  it('shows in the preview how a percentage is written and stored', async () => {
    const { contact, seen } = await upload(given(), 'z-xlsx-percent-cells.xlsx');
    expect(plain(seen.text)).toContain('Should 2.4% be stored in per cent or as a fraction?');
    const answered = await contact.submit(next(seen), { percents: 'percent' });
    expect(plain(answered.text)).toContain('78.1 78.1% In the file: 78.1%');
    await contact.submit(pushForm(answered), { tick: 'all' });
    expect(await latest(given(), 'churn_rate')).toMatchObject({ rawValue: '2.4', value: '2.4%' });
    expect(await latest(given(), 'gross_margin')).toMatchObject({ value: '78.1%' });
  });

  it('causes only one question about all its percentages', async () => {
    const september = 'key,period,raw_value\nwin_rate,2026-09-30,31.5%\n';
    const { contact } = await upload(given(), 'f35-two-heading-rows.csv');
    const answered = await contact.submit(next(await contact.upload(september)), {
      percents: 'fraction',
    });
    await contact.submit(pushForm(answered));
    expect(await latest(given(), 'win_rate')).toMatchObject({ rawValue: '0.315', value: '31.5%' });
    const seen = await contact.upload(september.replace('09-30,31.5', '10-31,32'));
    await contact.submit(pushForm(seen));
    expect(await latest(given(), 'win_rate')).toMatchObject({ rawValue: '0.32', value: '32%' });
  });

  it('sets the unit of a metric without a unit to the contact’s answer', async () => {
    const { contact } = await upload(given(), 'f35-two-heading-rows.csv');
    const rows = (amount: string) => `key,period,raw_value\nnps_share,2026-10-31,${amount}\n`;
    await contact.submit(pushForm(await contact.upload(rows('40'))));
    const asked = await contact.upload(rows('41%'));
    const answered = await contact.submit(next(asked), { percents: 'percent' });
    await contact.submit(pushForm(answered));
    expect(await latest(given(), 'nps_share')).toMatchObject({ rawValue: '41', value: '41%' });
  });

  it('is rejected with one sentence if it has the old Excel format', async () => {
    const { seen } = await upload(given(), 'z-old-excel-97.xls');
    expect(seen.status).toBe(422);
    expect(plain(seen.text)).toContain(
      'The file can’t be used: it is an old Excel file (.xls), so open it in Excel and save it as .xlsx.',
    );
  });

  const german = { 'accept-language': 'de' };

  async function postInGerman(contact: Visitor, file: string, bytes: Uint8Array<ArrayBuffer>) {
    const form = formTo(await contact.get('/desk/data/upload', german), '/upload');
    const body = new FormData();
    for (const [name, [value = '']] of Object.entries(form.fields)) body.append(name, value);
    body.append('file', new Blob([bytes]), file);
    return contact.postForm(form.action, body, german);
  }

  it('gets a German message for each invalid field', async () => {
    const { contact } = await upload(given(), 'f35-two-heading-rows.csv');
    const invalid = [
      ['raw_value', '9'.repeat(26), 'Ein Wert hat höchstens 25 Ziffern vor und 25 nach dem Komma.'],
      ['label', 'x'.repeat(201), 'Ein Name hat 1 bis 200 Zeichen'],
      ['category', '\u200b', 'Eine Kategorie hat 1 bis 200 Zeichen'],
      ['source.system', 'x'.repeat(201), 'Eine Quelle hat 1 bis 200 Zeichen'],
      ['company_id', 'co_other', 'Die Zeile gehört zu einem anderen Unternehmen.'],
      ['verification.source_signature', 'a.b.c', 'Die Signatur passt nicht zum Wert'],
    ] as const;
    const columns = ['key', 'period', ...invalid.map(([name]) => name)];
    const rows = invalid.map(([name, value], at) => {
      const usual = [
        ['key', `seats_${at}`],
        ['period', '2026-10-31'],
        ['raw_value', '1'],
      ] as const;
      const row = new Map<string, string>([...usual, [name, value]]);
      return columns.map((column) => row.get(column) ?? '');
    });
    const text = [columns, ...rows].join('\r\n');
    const seen = await postInGerman(contact, 'seats.csv', new TextEncoder().encode(text));
    for (const [, , words] of invalid) expect(plain(seen.text)).toContain(words);
    expect(seen.text).not.toContain('<bdi lang="en">');
  });

  it('gets questions and row errors in German if the contact’s language is German', async () => {
    const { contact } = await upload(given(), 'f35-two-heading-rows.csv');
    const post = async (file: string) =>
      postInGerman(contact, file, new Uint8Array(await readFile(new URL(file, folder))));
    expect(plain((await post('f30-ambiguous-day-03-04.csv')).text)).toContain(
      'Ist 3/4/2026 der 3. April 2026 oder der 4. März 2026?',
    );
    const rows = 'key,period,raw_value\nrenewal_rate,2026-10-31,2.4%\n';
    const percents = await postInGerman(contact, 'rate.csv', new TextEncoder().encode(rows));
    expect(plain(percents.text)).toContain('In Prozent: 2,4');
    expect(plain(percents.text)).toMatch(/renewal_rate \d+ 2,4 0,024/);
    const changed = await post('x-template-value-text-left-when-number-corrected.csv');
    expect(plain(changed.text)).toMatch(/Bruttomarge gross_margin \d+ \S+ 77,3 77,3\s%/);
    expect(plain(changed.text)).toContain('Verlässlichkeit, ');
    expect(plain(changed.text)).not.toContain('confidence');
    expect(plain((await post('y-excel-error-cells.csv')).text)).toContain(
      '#DIV/0! ist der Fehler einer Formel. Berichtigen Sie die Formel, und speichern Sie die Datei noch einmal.',
    );
  });
});
