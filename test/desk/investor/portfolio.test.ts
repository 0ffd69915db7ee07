import { expect, it } from 'vitest';
import { importLines } from '../../support/fixtures.ts';
import { aValue, describeDesk, plain, rowsOf } from '../desk.ts';
import { addShared, deskRecords, openPortfolio, openShared } from './portfolios.ts';

describeDesk('a portfolio', (given) => {
  it('shows of each company its access, what it shares and until when, and its last figures', async () => {
    const service = given();
    const opened = await openShared(service);
    const asked = await service.fixtures.companyOf(opened.investor, 'Birch');
    await service.fixtures.request(opened.key, asked.id);
    await service.fixtures.companyOf(opened.investor, 'Cedar');
    const { text, status, headers } = await opened.person.get('/desk/portfolio');
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('no-store');
    const rows = rowsOf(text);
    expect(rows).toHaveLength(3);
    expect(rows[0]).toMatch(/^Alder Shared until [A-Z].* Everything \$990,000\.25 -20\.8% 48 /);
    expect(rows[1]).toMatch(/^Birch Asked for – – –$/);
    expect(rows[2]).toMatch(/^Cedar No access – – –$/);
    expect(plain(text)).toContain('Figures of 2026-10-31 where no other day is named');
    // The three values of the cash balance, as a line.
    expect(text.match(/class="spark"/g)).toHaveLength(1);
  });

  it('names the day of a value that is not of the day of most others', async () => {
    const service = given();
    const opened = await openPortfolio(service);
    for (const name of ['Alder', 'Birch']) await addShared(service, opened, name);
    const late = await addShared(service, opened, 'Cedar', ['metrics:read']);
    await importLines(service.operator, [
      aValue(late.company.id, { key: 'headcount', raw_value: 50, period: '2026-11-30' }),
    ]);
    const rows = rowsOf((await opened.person.get('/desk/portfolio')).text);
    expect(rows[0]).not.toMatch(/2026-1\d-3\d/);
    expect(rows[2]).toMatch(/\$990,000\.25 -20\.8% 50 \+4\.2% 2026-11-30/);
  });

  it('leaves a record of each company whose figures it shows, with the person, and none of others', async () => {
    const service = given();
    const opened = await openShared(service);
    const partly = await addShared(service, opened, 'Birch', ['sources:read']);
    const none = await service.fixtures.companyOf(opened.investor, 'Cedar');
    await opened.person.get('/desk/portfolio');
    expect(await deskRecords(service, opened.company.id)).toMatchObject([
      {
        ...{ resource: 'metric_history', metricKey: null, outcome: 'allowed', keyId: null },
        ...{ grantId: opened.requestId, investorId: opened.investor.id, count: 1 },
      },
    ]);
    for (const { id } of [partly.company, none]) {
      expect(await deskRecords(service, id)).toEqual([]);
    }
  });

  it('shows the metrics that are chosen, four at most, and says so in its form', async () => {
    const service = given();
    const { company, person } = await openShared(service);
    const metrics = ['arr', 'mrr', 'seats', 'runway', 'churn'].map((key) =>
      aValue(company.id, { key, label: `The ${key}`, raw_value: 7 }),
    );
    await importLines(service.operator, metrics);
    const headings = async (query: string) => {
      const { text } = await person.get(`/desk/portfolio${query}`);
      return [...text.matchAll(/<th scope="col"[^>]*class="number"[^>]*>([^<]*)</g)].map(
        ([, name]) => name,
      );
    };
    expect(await headings('')).toHaveLength(4);
    expect(await headings('?metric=seats&metric=arr')).toEqual(['The seats', 'The arr']);
    expect(await headings('?metric=none')).toEqual(['none']);
    expect(
      await headings('?metric=seats&metric=arr&metric=mrr&metric=runway&metric=churn'),
    ).toEqual(['The seats', 'The arr', 'The mrr', 'The runway']);
    const { text } = await person.get('/desk/portfolio?metric=seats');
    expect(text).toMatch(/name="metric" value="seats" checked/);
    expect(text).not.toMatch(/name="metric" value="arr" checked/);
  });

  it('is searched, filtered by access, and put in order', async () => {
    const service = given();
    const opened = await openPortfolio(service);
    const { requestId: first } = await addShared(service, opened, 'Alder & Co');
    await addShared(service, opened, 'Birch');
    await service.fixtures.companyOf(opened.investor, 'Cedar');
    await service.operator.extendAccessRequest({
      id: first,
      expiresAt: new Date(Date.now() + 900 * 86_400_000),
    });
    const names = async (query: string) =>
      rowsOf((await opened.person.get(`/desk/portfolio?${query}`)).text).map(
        (row) => row.split(' ')[0],
      );
    expect(await names('search=alder+%26')).toEqual(['Alder']);
    expect(await names('access=none')).toEqual(['Cedar']);
    expect(await names('access=approved')).toEqual(['Alder', 'Birch']);
    expect(await names('order=addedAt')).toEqual(['Cedar', 'Birch', 'Alder']);
    expect(await names('order=endsAt')).toEqual(['Birch', 'Alder', 'Cedar']);
    expect(await names('order=size&access=all')).toEqual(['Alder', 'Birch', 'Cedar']);
    const { text } = await opened.person.get('/desk/portfolio?search=zzz');
    expect(plain(text)).toContain('No company is like this');
  });

  it('has pages, in each order, that go on and back where they ended', async () => {
    const service = given();
    const opened = await openPortfolio(service);
    const names = Array.from({ length: 30 }, (_, index) => `C${String(index).padStart(2, '0')}`);
    for (const name of names) await service.fixtures.companyOf(opened.investor, name);
    for (const order of ['name', 'endsAt']) {
      const first = await opened.person.get(`/desk/portfolio?order=${order}&search=c`);
      const [, next = ''] = /rel="next" href="([^"]*)"/.exec(first.text) ?? [];
      expect(rowsOf(first.text)).toHaveLength(25);
      expect(first.text).not.toContain('rel="prev"');
      const second = await opened.person.get(next.replaceAll('&amp;', '&'));
      expect(rowsOf(second.text)).toHaveLength(5);
      expect(second.text).not.toContain('rel="next"');
      const [, previous = ''] = /rel="prev" href="([^"]*)"/.exec(second.text) ?? [];
      const back = await opened.person.get(previous.replaceAll('&amp;', '&'));
      expect(rowsOf(back.text)).toEqual(rowsOf(first.text));
    }
  });

  it('costs a point for each company whose figures it shows', async () => {
    const service = given();
    const opened = await openPortfolio(service);
    for (const name of ['Alder', 'Birch', 'Cedar']) await addShared(service, opened, name);
    const left = async () =>
      Number((await opened.person.get('/desk/portfolio')).headers.get('ratelimit-remaining'));
    const before = await left();
    expect(before - (await left())).toBe(3);
  });
});
