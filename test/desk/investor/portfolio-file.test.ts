import { expect, it } from 'vitest';
import { importLines } from '../../support/fixtures.ts';
import { aValue, describeDesk } from '../desk.ts';
import { readWorkbook } from './files.ts';
import { addShared, deskRecords, openPortfolio, openStates } from './portfolios.ts';

const linesOf = (text: string) =>
  text
    .replace(/^\ufeff/, '')
    .trimEnd()
    .split('\r\n');

describeDesk('the file of a portfolio', (given) => {
  it('contains each company of the current view with its latest values, as a workbook and as CSV', async () => {
    const service = given();
    const { person, shared } = await openStates(service);
    const [onTime = '', overdue = '', failed = ''] = shared;
    const rows = await readWorkbook(service, person, '/desk/portfolio.xlsx?access=shared');
    const values = {
      ...{ access: 'approved', approved_scopes: 'metrics:read accounts:read sources:read' },
      ...{ 'metric.cash_balance': 990_000.25, 'currency.cash_balance': 'USD' },
      ...{ 'period.cash_balance': new Date('2026-10-31'), 'metric.headcount': 48 },
      last_synced: new Date('2026-11-01T04:00:00Z'),
    };
    expect(rows).toMatchObject([
      { company_id: failed, company_name: 'Failed', access_paused: false, late: true, ...values },
      { company_id: onTime, company_name: 'On time', late: false, ...values },
      { company_id: overdue, company_name: 'Overdue', late: true, ...values },
    ]);
    const { text, headers } = await person.get('/desk/portfolio.csv?access=shared');
    expect(headers.get('content-type')).toMatch(/^text\/csv/);
    expect(headers.get('content-disposition')).toContain('portfolio.csv');
    const lines = linesOf(text);
    expect(lines).toHaveLength(4);
    expect(lines[0]).toMatch(
      /^company_id,company_name,access,access_paused,late,approved_scopes,access_expires_at,metric\.cash_balance,/,
    );
    expect(lines[1]).toMatch(
      new RegExp(`^${failed},Failed,approved,false,true,.*,990000\\.25,USD,2026-10-31,`),
    );
  });

  it('uses the filters, sorting and columns of the address, and contains all pages', async () => {
    const service = given();
    const opened = await openPortfolio(service);
    for (let at = 0; at < 101; at += 1) await service.fixtures.companyOf(opened.investor, `C${at}`);
    const { company } = await addShared(service, opened, 'Czz');
    await importLines(service.operator, [aValue(company.id, { key: 'access', raw_value: 7 })]);
    await service.fixtures.companyOf(opened.investor, 'Other');
    const { text } = await opened.person.get(
      '/desk/portfolio.csv?search=c&sort=company&dir=desc&page=2&metric=access',
    );
    const [heading = '', ...rows] = linesOf(text);
    expect(heading.split(',')).toContain('metric.access');
    expect(rows).toHaveLength(102);
    expect(rows[0]).toMatch(/,Czz,approved,.*,7,,2026-10-31,/);
    expect(rows.at(-1)).toMatch(/,C0,none,/);
  });

  it('shows amounts with the decimals of their currency', async () => {
    const service = given();
    const opened = await openPortfolio(service);
    for (const currency of ['JPY', 'USD']) {
      const { company } = await addShared(service, opened, currency);
      await importLines(service.operator, [aValue(company.id, { raw_value: 5_000, currency })]);
    }
    const path = '/desk/portfolio.xlsx?metric=arr';
    const rows = await readWorkbook(service, opened.person, path, false);
    expect(rows.map((row) => row['metric.arr'])).toEqual(['5,000', '5,000.00']);
  });

  it('has a separate column for a metric with the name of another metric’s currency or period column', async () => {
    const service = given();
    const opened = await openPortfolio(service);
    const { company } = await addShared(service, opened, 'Dotted');
    await importLines(
      service.operator,
      [
        { key: 'arr', raw_value: 5_000, currency: 'JPY' },
        { key: 'arr.currency', raw_value: 7, currency: 'USD' },
        { key: 'arr.period', raw_value: 9, currency: 'EUR' },
      ].map((each) => aValue(company.id, each)),
    );
    const path = '/desk/portfolio.xlsx?metric=arr&metric=arr.currency&metric=arr.period';
    const [row] = await readWorkbook(service, opened.person, path, false);
    expect(row).toMatchObject({
      ...{ 'metric.arr': '5,000', 'currency.arr': 'JPY' },
      ...{ 'metric.arr.currency': '7.00', 'currency.arr.currency': 'USD' },
      ...{ 'metric.arr.period': '9.00', 'currency.arr.period': 'EUR' },
    });
  });

  it('causes one access record for each company whose figures it contains', async () => {
    const service = given();
    const { person, shared, asked } = await openStates(service);
    await person.get('/desk/portfolio.csv?sort=metric:cash_balance');
    for (const id of shared) expect(await deskRecords(service, id)).toHaveLength(1);
    expect(await deskRecords(service, asked)).toEqual([]);
  });
});
