import { expect, it } from 'vitest';
import { importLines } from '../../support/fixtures.ts';
import type { TestService } from '../../support/service.ts';
import { aValue, describeDesk, plain, rowsOf } from '../desk.ts';
import { addShared, deskRecords, openShared } from './portfolios.ts';

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

describeDesk('comparing companies', (given) => {
  it('shows one metric over them, each period in a row, and a line for each', async () => {
    const { person, query } = await openTwo(given());
    const { text, status, headers } = await person.get(`/desk/compare?${query}`);
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(rowsOf(text)).toEqual(['2026-10-31 – $300', '2026-09-30 $20 $400', '2026-08-31 $10 –']);
    expect([...text.matchAll(/class="line line-\d" d="(M[^"]*L[^"]*)"/g)]).toHaveLength(2);
    expect(plain(text)).not.toContain('several currencies');
  });

  it('never puts amounts of two currencies on one scale, and says so', async () => {
    const { person, query } = await openTwo(given(), 'EUR');
    const { text } = await person.get(`/desk/compare?${query}`);
    expect(plain(text)).toContain('several currencies');
    const [, dollars = '', euros = ''] = text.split('<h2 id="group-');
    expect(rowsOf(dollars)).toEqual(['2026-09-30 $20', '2026-08-31 $10']);
    expect(rowsOf(euros)).toEqual(['2026-10-31 €300', '2026-09-30 €400']);
  });

  it('leaves one record of each company, and none of one that does not share', async () => {
    const service = given();
    const { person, query, alder, investor } = await openTwo(service);
    const cedar = await service.fixtures.companyOf(investor, 'Cedar');
    const { text } = await person.get(`/desk/compare?${query}&company=${cedar.id}`);
    expect(plain(text)).toContain('Not shared with you now: Cedar.');
    expect(await deskRecords(service, alder.id)).toHaveLength(1);
    expect(await deskRecords(service, cedar.id)).toEqual([]);
  });

  it('of a company of another portfolio shows nothing, and not that it is there', async () => {
    const service = given();
    const other = await openTwo(service);
    const { person } = await openTwo(service);
    const { text } = await person.get(`/desk/compare?${other.query}`);
    expect(rowsOf(text)).toEqual([]);
    expect(plain(text)).toContain('Choose companies to compare');
    expect(await deskRecords(service, other.alder.id)).toEqual([]);
  });

  it('is of the periods that were chosen, and says who has no value in them', async () => {
    const { person, query } = await openTwo(given());
    const one = await person.get(`/desk/compare?${query}&from=2026-09-01&to=2026-09-30`);
    expect(rowsOf(one.text)).toEqual(['2026-09-30 $20 $400']);
    const other = await person.get(`/desk/compare?${query}&from=2026-10-01`);
    expect(rowsOf(other.text)).toEqual(['2026-10-31 $300']);
    expect(plain(other.text)).toContain('Without this metric in these periods: Alder.');
    const wrong = await person.get(`/desk/compare?${query}&from=yesterday`);
    expect(rowsOf(wrong.text)).toHaveLength(3);
  });

  it('shows no more of a company that has taken its access back', async () => {
    const service = given();
    const { person, query, requestId } = await openTwo(service);
    await service.operator.revokeAccessRequest({ id: requestId });
    const { text } = await person.get(`/desk/compare?${query}`);
    expect(rowsOf(text)).toEqual(['2026-09-30 $20', '2026-08-31 $10']);
    expect(plain(text)).toContain('Not shared with you now: Birch.');
  });

  it('can be taken along as a file', async () => {
    const { person, query, alder } = await openTwo(given());
    const { text, headers } = await person.get(`/desk/compare.csv?${query}&to=2026-08-31`);
    expect(headers.get('content-type')).toMatch(/^text\/csv/);
    expect(text.split('\r\n')).toEqual([
      'company_id,company_name,key,period,currency,raw_value,value',
      `${alder.id},Alder,arr,2026-08-31,USD,10,$10`,
      '',
    ]);
  });

  it('begins with what could be compared, and is led to from the portfolio', async () => {
    const { person, alder, birch } = await openTwo(given());
    const { text } = await person.get('/desk/compare?search=ald');
    expect(text).toContain(`name="company" value="${alder.id}"`);
    expect(text).not.toContain(`name="company" value="${birch.id}"`);
    const portfolio = await person.get('/desk/portfolio?metric=arr');
    const [, link = ''] = /href="(\/desk\/compare\?[^"]*)"/.exec(portfolio.text) ?? [];
    const led = await person.get(link.replaceAll('&amp;', '&'));
    expect(rowsOf(led.text)).toHaveLength(3);
  });
});
