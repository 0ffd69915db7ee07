import { expect, it } from 'vitest';
import { importLines } from '../../support/fixtures.ts';
import { aValue, describeDesk, plain, rowsOf } from '../desk.ts';
import { openView } from './portfolio-page.ts';
import {
  addShared,
  deskRecords,
  failedSource,
  openPortfolio,
  openShared,
  openStates,
} from './portfolios.ts';

describeDesk('a portfolio', (given) => {
  it('shows each company’s access status, scopes, end of access and latest figures', async () => {
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
    expect(rows[0]).toMatch(/^Alder Shared Everything [A-Z].* \$990,000\.25 -20\.8% 48 /);
    expect(rows[1]).toMatch(/^Birch Waiting – – – –$/);
    expect(rows[2]).toMatch(/^Cedar No access – – – –$/);
    expect(plain(text)).toContain('Figures are as of 2026-10-31 unless another date is shown.');
    // Only the cash balance has several values, so only it has a small plot.
    expect(text.match(/class="spark"/g)).toHaveLength(1);
  });

  it('shows a value’s date only if most other values have another date', async () => {
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

  it('causes an access record for each company whose figures it shows, but for no other company', async () => {
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

  it('shows up to four chosen metrics, and lists them in its form', async () => {
    const service = given();
    const { company, person } = await openShared(service);
    const metrics = ['arr', 'mrr', 'seats', 'runway', 'churn'].map((key) =>
      aValue(company.id, { key, label: `The ${key}`, raw_value: 7 }),
    );
    await importLines(service.operator, metrics);
    const headings = async (query: string) =>
      [...(await openView(person, query)).headings.keys()].slice(3, -1);
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

  it('counts the companies of each status, and can show one status only', async () => {
    const service = given();
    const { person } = await openStates(service);
    const all = await openView(person);
    expect(all.totals).toEqual({ All: 6, Shared: 3, Late: 2, Waiting: 1, 'No access': 2 });
    expect(all.state).toBe('All');
    const namesOf = async (state: string) => {
      const view = await openView(person, all.addressOf(`${state} ${all.totals[state]}`) ?? '');
      expect(view.state).toBe(state);
      expect(view.totals).toEqual(all.totals);
      return view.names;
    };
    expect(await namesOf('Shared')).toEqual(['Failed', 'On time', 'Overdue']);
    expect(await namesOf('Late')).toEqual(['Failed', 'Overdue']);
    expect(await namesOf('Waiting')).toEqual(['Asked']);
    expect(await namesOf('No access')).toEqual(['Revoked', 'Never asked']);
    const late = all.rows.filter((row) => row.includes('Late'));
    expect(late.map((row) => row.split(' ')[0])).toEqual(['Failed', 'Overdue']);
  });

  it('shows no late data for a company that doesn’t share its sources', async () => {
    const service = given();
    const opened = await openPortfolio(service);
    const { company } = await addShared(service, opened, 'Alder', ['metrics:read']);
    await importLines(service.operator, [failedSource(company.id)]);
    const { totals, rows } = await openView(opened.person);
    expect(totals.Late).toBe(0);
    expect(rows[0]).not.toContain('Late');
  });

  it('lists companies that share data first, and can be sorted by each column in both directions', async () => {
    const service = given();
    const opened = await openPortfolio(service);
    for (const [name, seats, currency, days] of [
      ['C 10', 5, 'USD', 30],
      ['C 2', 900, 'EUR', 10],
      ['D', 40, 'USD', 20],
    ] as const) {
      const { company, requestId } = await addShared(service, opened, name);
      await importLines(service.operator, [
        aValue(company.id, {
          ...{ key: 'seats', label: 'Seats', raw_value: seats, currency },
          source: {
            ...{ system: 'ledger', method: 'api' },
            last_synced: `2026-11-${10 + days / 10}T00:00:00Z`,
          },
        }),
      ]);
      await service.operator.extendAccessRequest({
        id: requestId,
        expiresAt: new Date(Date.now() + (900 + days) * 86_400_000),
      });
    }
    await service.fixtures.companyOf(opened.investor, 'Alder');
    const view = await openView(opened.person, '?metric=seats');
    expect(view.names).toEqual(['C 2', 'C 10', 'D', 'Alder']);
    expect(view.sortedBy).toEqual(['Access', 'ascending']);
    const sorted = async (heading: string) => {
      const once = await openView(opened.person, view.headings.get(heading));
      const twice = await openView(opened.person, once.headings.get(heading));
      expect(once.sortedBy).toEqual([heading, 'ascending']);
      expect(twice.sortedBy).toEqual([heading, 'descending']);
      return [once.names, twice.names];
    };
    expect(await sorted('Company')).toEqual([
      ['Alder', 'C 2', 'C 10', 'D'],
      ['D', 'C 10', 'C 2', 'Alder'],
    ]);
    expect(await sorted('Until')).toEqual([
      ['C 2', 'D', 'C 10', 'Alder'],
      ['C 10', 'D', 'C 2', 'Alder'],
    ]);
    expect(await sorted('Seats')).toEqual([
      ['C 2', 'C 10', 'D', 'Alder'],
      ['C 2', 'D', 'C 10', 'Alder'],
    ]);
    expect(await sorted('Delivered')).toEqual([
      ['C 2', 'D', 'C 10', 'Alder'],
      ['C 10', 'D', 'C 2', 'Alder'],
    ]);
    const [descending] = [await openView(opened.person, '?dir=desc')];
    expect(descending.names).toEqual(['Alder', 'C 2', 'C 10', 'D']);
    expect(descending.sortedBy).toEqual(['Access', 'descending']);
  });

  it('has pages of 100 companies, which keep the filters and the sorting', async () => {
    const service = given();
    const opened = await openPortfolio(service);
    const names = Array.from({ length: 103 }, (_, at) => `C${String(at).padStart(3, '0')}`);
    for (const name of names) await service.fixtures.companyOf(opened.investor, name);
    const first = await openView(opened.person, '?sort=company&dir=desc&search=c&access=none');
    expect(first.names).toEqual(names.toReversed().slice(0, 100));
    expect(first.addressOf('prev')).toBeNull();
    expect(plain(first.seen.text)).toContain('Page 1 of 2');
    const second = await openView(opened.person, first.addressOf('next') ?? '');
    expect(second.names).toEqual(['C002', 'C001', 'C000']);
    expect(second.addressOf('next')).toBeNull();
    const back = await openView(opened.person, second.addressOf('prev') ?? '');
    expect(back.names).toEqual(first.names);
    const beyond = await openView(opened.person, '?page=900');
    expect(plain(beyond.seen.text)).toContain('Page 2 of 2');
  });

  it('ignores invalid parameters in the address', async () => {
    const service = given();
    const opened = await openShared(service);
    const usual = (await openView(opened.person)).rows;
    for (const query of [
      'sort=size',
      'sort=metric:%2f..%2f&dir=up',
      'access=approved',
      'access=__proto__',
      'page=-1',
      'page=1e9',
      'metric=%3Cscript%3E',
      'sort=company&sort=access',
    ]) {
      const { rows, seen } = await openView(opened.person, `?${query}`);
      expect(seen.status, query).toBe(200);
      expect(rows, query).toEqual(usual);
    }
    const { seen, rows } = await openView(opened.person, `?search=${'z'.repeat(3_000)}`);
    expect(seen.status).toBe(200);
    expect(rows).toEqual([]);
    expect(plain(seen.text)).toContain('No companies match your filters');
  });
});
