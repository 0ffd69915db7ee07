import { describe, expect, it } from 'vitest';
import { importLines } from '../../support/fixtures.ts';
import type { TestService } from '../../support/service.ts';
import { aValue, describeDesk, plain, rowsOf } from '../desk.ts';
import { readWorkbook } from './files.ts';
import { openView } from './portfolio-page.ts';
import { addShared, deskRecords, openPortfolio, openShared } from './portfolios.ts';

const value = (companyId: string, period: string, raw_value: number, currency = 'USD') =>
  aValue(companyId, { period, raw_value, currency });

async function openTwo(service: TestService, otherCurrency = 'USD') {
  const opened = await openShared(service);
  const { company: alder } = opened;
  const { company: birch, requestId } = await addShared(service, opened, 'Birch');
  await importLines(service.operator, [
    value(alder.id, '2026-08-31', 10),
    value(alder.id, '2026-09-30', 20),
    value(birch.id, '2026-09-30', 400, otherCurrency),
    value(birch.id, '2026-10-31', 300, otherCurrency),
  ]);
  const query = `metric=arr&company=${alder.id}&company=${birch.id}`;
  return { ...opened, alder, birch, requestId, query };
}

interface Line {
  readonly colour: string;
  readonly dash: string;
  readonly parts: number;
}

const lineIn = (markup: string): Line => ({
  colour: /hue-\d/.exec(markup)?.[0] ?? '',
  dash: /stroke-dasharray="([^"]*)"/.exec(markup)?.[1] ?? '',
  parts: (/ d="([^"]*)"/.exec(markup)?.[1] ?? '').split('M').length - 1,
});

/** Leaves out points without a line. */
const linesOf = (text: string): Line[] =>
  [...text.matchAll(/<svg class="plot".*?<\/svg>/gs)]
    .flatMap(([plot]) => [...plot.matchAll(/<path class="line hue[^>]*>/g)])
    .map(([path]) => lineIn(path));

const keysOf = (text: string): Line[] =>
  [...text.matchAll(/<svg class="key".*?<\/svg>/gs)].map(([key]) => lineIn(key));

describeDesk('comparing companies', (given) => {
  it('shows one metric with a row for each period and a line for each company', async () => {
    const { person, query } = await openTwo(given());
    const { text, status, headers } = await person.get(`/desk/compare?${query}`);
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(rowsOf(text)).toEqual(['2026-10-31 – $300', '2026-09-30 $20 $400', '2026-08-31 $10 –']);
    expect(linesOf(text)).toHaveLength(2);
    expect(plain(text)).not.toContain('several currencies');
  });

  it('never draws two currencies on one scale, and explains why', async () => {
    const { person, query } = await openTwo(given(), 'EUR');
    const { text } = await person.get(`/desk/compare?${query}`);
    expect(plain(text)).toContain('several currencies');
    const [, dollars = '', euros = ''] = text.split('<h2 id="group-');
    expect(rowsOf(dollars)).toEqual(['2026-09-30 $20', '2026-08-31 $10']);
    expect(rowsOf(euros)).toEqual(['2026-10-31 €300', '2026-09-30 €400']);
  });

  it('stores one access record per company, but none for a company that doesn’t share the metric', async () => {
    const service = given();
    const { person, query, alder, investor } = await openTwo(service);
    const cedar = await service.fixtures.companyOf(investor, 'Cedar');
    const { text } = await person.get(`/desk/compare?${query}&company=${cedar.id}`);
    expect(plain(text)).toContain('Not shared with you now: Cedar.');
    expect(await deskRecords(service, alder.id)).toHaveLength(1);
    expect(await deskRecords(service, cedar.id)).toEqual([]);
  });

  it('doesn’t read a company whose access is one-off, and doesn’t offer it', async () => {
    const service = given();
    const { person, query, birch, requestId: id } = await openTwo(service);
    await service.operator.narrowAccessRequest({ id, terms: { use: 'once' } });
    const { text } = await person.get(`/desk/compare?${query}`);
    expect(plain(text)).toContain('starts its 24 hours: Birch.');
    expect(await deskRecords(service, birch.id)).toEqual([]);
    expect((await person.get('/desk/compare')).text).not.toContain(birch.id);
  });

  it('shows nothing of companies in another portfolio, not even that they exist', async () => {
    const service = given();
    const other = await openTwo(service);
    const { person } = await openTwo(service);
    const { text } = await person.get(`/desk/compare?${other.query}`);
    expect(rowsOf(text)).toEqual([]);
    expect(plain(text)).toContain('Choose companies to compare');
    expect(await deskRecords(service, other.alder.id)).toEqual([]);
  });

  it('shows the chosen periods, and lists companies without values in these periods', async () => {
    const { person, query } = await openTwo(given());
    const one = await person.get(`/desk/compare?${query}&from=2026-09-01&to=2026-09-30`);
    expect(rowsOf(one.text)).toEqual(['2026-09-30 $20 $400']);
    const other = await person.get(`/desk/compare?${query}&from=2026-10-01`);
    expect(rowsOf(other.text)).toEqual(['2026-10-31 $300']);
    expect(plain(other.text)).toContain('Without this metric in these periods: Alder.');
    const wrong = await person.get(`/desk/compare?${query}&from=yesterday`);
    expect(rowsOf(wrong.text)).toHaveLength(3);
  });

  describe('with years of daily values', () => {
    const dayOf = (at: number) =>
      new Date(Date.UTC(2025, 0, 1 + at)).toISOString().slice(0, 'yyyy-mm-dd'.length);

    let opened: ReturnType<typeof openTwo> | undefined;

    /** One of the two companies has a value for each of 410 days. All tests share them. */
    function openDaily() {
      opened ??= openTwo(given()).then(async (made) => {
        const days = Array.from({ length: 410 }, (_, at) =>
          value(made.alder.id, dayOf(at), 10 + at),
        );
        await importLines(given().operator, days);
        return made;
      });
      return opened;
    }

    it('can show periods that are older than the newest 400 values', async () => {
      const { person, query } = await openDaily();
      const early = `${query}&from=2025-01-01&to=2025-01-02`;
      const { text } = await person.get(`/desk/compare?${early}`);
      expect(rowsOf(text)).toEqual(['2025-01-02 $11', '2025-01-01 $10']);
      expect(plain(text)).toContain('Without this metric in these periods: Birch.');
      expect(plain(text)).not.toContain('Only the newest');
      const file = await person.get(`/desk/compare.csv?${early}`);
      expect(file.text.split('\r\n')).toHaveLength(4);
    });

    it('shows a note about a company with more than 400 values, and doesn’t index these values to 100', async () => {
      const { person, query } = await openDaily();
      const amounts = await person.get(`/desk/compare?${query}`);
      expect(plain(amounts.text)).toMatch(/Only the newest 400 values are shown\. .*: Alder\./);
      const indexed = await person.get(`/desk/compare?${query}&scale=index`);
      expect(rowsOf(indexed.text)).toEqual(['2026-10-31 75.0', '2026-09-30 100.0']);
      expect(plain(indexed.text)).toMatch(/Not indexed, .* more than 400 values\. .*: Alder\./);
      const file = await person.get(`/desk/compare.csv?${query}&scale=index&to=2026-08-31`);
      expect(file.text).toMatch(/,\$10,\r\n$/);
      const part = await person.get(`/desk/compare?${query}&scale=index&from=2025-06-01`);
      expect(plain(part.text)).not.toContain('Not indexed');
    });

    it('shows up to 400 rows in the table, and all rows in the file', async () => {
      const { person, query } = await openDaily();
      const { text } = await person.get(`/desk/compare?${query}`);
      expect(rowsOf(text)).toHaveLength(400);
      expect(plain(text)).toContain('The table has the newest 400 rows.');
      const file = await person.get(`/desk/compare.csv?${query}`);
      // The heading, 400 values of the company Alder, 2 of Birch, and the empty end.
      expect(file.text.split('\r\n')).toHaveLength(1 + 400 + 2 + 1);
    });
  });

  it('can be downloaded as a file', async () => {
    const { person, query, alder } = await openTwo(given());
    const { text, headers } = await person.get(`/desk/compare.csv?${query}&to=2026-08-31`);
    expect(headers.get('content-type')).toMatch(/^text\/csv/);
    expect(text.split('\r\n')).toEqual([
      'company_id,company_name,key,period,currency,raw_value,value',
      `${alder.id},Alder,arr,2026-08-31,USD,10,$10`,
      '',
    ]);
  });

  it('compares all comparable companies at first, and opens from the portfolio', async () => {
    const { person, alder, birch } = await openTwo(given());
    const { text } = await person.get('/desk/compare?search=ald');
    expect(text).toContain(`name="company" value="${alder.id}"`);
    expect(text).not.toContain(`name="company" value="${birch.id}"`);
    const portfolio = await openView(person, '?metric=arr');
    expect(portfolio.seen.text).toContain('formaction="/desk/compare"');
    const led = await person.get(`/desk/compare?${portfolio.choose(['Alder', 'Birch'])}`);
    expect(rowsOf(led.text)).toHaveLength(3);
  });

  it('draws 20 companies, each with its own colour and dash, and a note that others are left out', async () => {
    const service = given();
    const opened = await openPortfolio(service);
    const ids: string[] = [];
    for (let at = 0; at < 21; at += 1) {
      const { company } = await addShared(service, opened, `C${String(at).padStart(2, '0')}`);
      ids.push(company.id);
    }
    const query = `metric=cash_balance&${ids.map((id) => `company=${id}`).join('&')}`;
    const { text } = await opened.person.get(`/desk/compare?${query}`);
    const styles = (lines: readonly Line[]) => lines.map(({ colour, dash }) => `${colour} ${dash}`);
    expect(new Set(styles(linesOf(text))).size).toBe(20);
    expect(styles(keysOf(text))).toEqual(styles(linesOf(text)));
    expect(plain(text)).toContain('The first 20 companies are compared.');
    expect(text).not.toContain('C20</bdi></a>');
  });

  it('breaks a line where a period is missing', async () => {
    const { person, query, alder } = await openTwo(given());
    await importLines(given().operator, [
      ...['2026-01-31', '2026-02-28', '2026-05-31', '2026-06-30', '2026-07-31'].map((period) =>
        value(alder.id, period, 5),
      ),
    ]);
    const { text } = await person.get(`/desk/compare?${query}`);
    expect(linesOf(text).map(({ parts }) => parts)).toEqual([2, 1]);
  });

  it('shows several currencies in one plot by indexing the values to 100', async () => {
    const { person, query } = await openTwo(given(), 'EUR');
    const { text } = await person.get(`/desk/compare?${query}&scale=index`);
    expect(rowsOf(text)).toEqual([
      '2026-10-31 – 75.0',
      '2026-09-30 200.0 100.0',
      '2026-08-31 100.0 –',
    ]);
    expect(plain(text)).not.toContain('several currencies');
    expect(text).toMatch(/name="scale" value="index" checked/);
  });

  it('shows a note about a company whose values can’t be indexed', async () => {
    const { person, query, alder } = await openTwo(given());
    await importLines(given().operator, [value(alder.id, '2026-07-31', 0)]);
    const { text } = await person.get(`/desk/compare?${query}&scale=index`);
    expect(rowsOf(text)).toEqual(['2026-10-31 75.0', '2026-09-30 100.0']);
    expect(plain(text)).toMatch(/Not indexed, .*: Alder\./);
  });

  it('can be downloaded as a workbook, with indexed values if the page shows them', async () => {
    const { person, query, alder, birch } = await openTwo(given());
    const sheet = await readWorkbook(given(), person, `/desk/compare.xlsx?${query}&scale=index`);
    expect(sheet).toMatchObject([
      { company_id: alder.id, period: new Date('2026-08-31'), raw_value: 10, index: 100 },
      { company_id: alder.id, period: new Date('2026-09-30'), raw_value: 20, index: 200 },
      { company_id: birch.id, period: new Date('2026-09-30'), raw_value: 400, index: 100 },
      { company_id: birch.id, period: new Date('2026-10-31'), raw_value: 300, index: 75 },
    ]);
  });

  it('ignores invalid parameters in the address', async () => {
    const { person, query } = await openTwo(given());
    const usual = rowsOf((await person.get(`/desk/compare?${query}`)).text);
    const more = Array.from({ length: 200 }, (_, at) => `company=co_none${at}`).join('&');
    for (const odd of ['scale=log', 'scale=index&scale=amount', more, 'from=tomorrow']) {
      const { status, text } = await person.get(`/desk/compare?${query}&${odd}`);
      expect(status, odd).toBe(200);
      expect(rowsOf(text), odd).toEqual(usual);
    }
  });
});
