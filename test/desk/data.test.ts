import { expect, it } from 'vitest';
import { importLines, sampleData } from '../support/fixtures.ts';
import type { TestService } from '../support/service.ts';
import { aValue, correction, describeDesk, formTo, plain, rowsOf, signIn } from './desk.ts';

async function companyWithData(service: TestService) {
  const company = await service.fixtures.company();
  await importLines(service.operator, sampleData(company.id));
  return { company, contact: await signIn(service, company.id) };
}

describeDesk('the data page of a company', (given) => {
  it('shows each figure with its period, source and freshness, as an investor with access sees it', async () => {
    const { contact } = await companyWithData(given());
    const { status, text } = await contact.get('/desk/data');
    expect(status).toBe(200);
    const rows = rowsOf(text);
    expect(rows).toHaveLength(6);
    expect(rows[0]).toMatch(/^Cash balance \$990,000\.25 2026-10-31 Yes High mercury by API /);
    expect(rows[1]).toMatch(/^Headcount 48 2026-10-31 No Not stated gusto by API /);
    expect(text).toContain('<td class="number"><bdi>$990,000.25</bdi></td>');
    expect(text).toContain('datetime="2026-11-01T04:00:00.000Z"');
    expect(rows.filter((row) => /Connected|error/.test(row))).toHaveLength(2);
  });

  it('causes no access record, and shows no figures to another company', async () => {
    const service = given();
    const { contact } = await companyWithData(service);
    await contact.get('/desk/data');
    await contact.get('/desk/data/metrics/cash_balance');
    expect((await contact.get('/desk/activity')).text).not.toContain('class="timeline"');
    const other = await signIn(service, (await service.fixtures.company()).id);
    expect(rowsOf((await other.get('/desk/data')).text)).toEqual([]);
    expect((await other.get('/desk/data/metrics/cash_balance')).status).toBe(404);
  });

  it('plots the history of a metric by date, and lists its numbers newest first', async () => {
    const { contact } = await companyWithData(given());
    const { text } = await contact.get('/desk/data/metrics/cash_balance');
    expect(rowsOf(text)).toEqual([
      '2026-10-31 $990,000.25 1',
      '2026-09-30 $1,250,000.50 1',
      '2026-08-31 $1,500,000 1',
    ]);
    // September is one day shorter than October.
    expect(text).toContain('d="M0.5 100V0M1.5 100V16.7M2.53 100V34"');
    expect(text).toContain('From $1,500,000, 2026-08-31 to $990,000.25, 2026-10-31.');
    expect(text).toContain('No value was corrected.');
  });

  it('marks corrected and late values in the plot, its description and the table', async () => {
    const service = given();
    const { company, contact } = await companyWithData(service);
    await importLines(service.operator, [
      correction(company.id),
      aValue(company.id, {
        ...{ key: 'cash_balance', currency: 'USD', period: '2026-07-31', raw_value: 1_600_000 },
        source: { system: 'mercury', method: 'api', last_synced: '2027-03-01T04:00:00Z' },
      }),
    ]);
    const path = '/desk/data/metrics/cash_balance';
    const [history = ''] = (await contact.get(path)).text.split('id="revisions"');
    expect(rowsOf(history)).toEqual([
      '2026-10-31 $990,000.25 1',
      '2026-09-30 $1,250,000.50 1',
      '2026-08-31 $1,400,000 corrected 2',
      '2026-07-31 $1,600,000 late 1',
    ]);
    expect(history).toMatch(/<path class="mark corrected" d="M\S+ \S+h0"/);
    expect(history).toMatch(/<path class="mark late" d="M\S+ \S+h0"/);
    const legend = [
      'Corrected (1): the value replaced another one',
      'Late (1): the value arrived long after its period',
    ];
    expect(history).toContain(`The table below has all numbers. ${legend.join('. ')}.</desc>`);
    expect(plain(history.split('class="marks')[1] ?? '')).toContain(legend.join(' '));
    const german = await contact.get(path, { 'accept-language': 'de' });
    expect(plain(german.text)).toContain('Berichtigt (1): Der Wert hat einen anderen ersetzt');
    expect(rowsOf(german.text)).toContainEqual(expect.stringContaining('verspätet 1'));
  });

  it('voids a value with a reason, and then shows the voided value, its author and its time', async () => {
    const service = given();
    const { key, company } = await service.fixtures.readablePortfolio();
    const contact = await signIn(service, company.id);
    const path = '/desk/data/metrics/cash_balance';
    const entered = (await contact.get('/desk/data/template.csv')).text.replace(
      '990000.25',
      '990001',
    );
    const preview = await contact.upload(entered);
    await contact.submit(formTo(preview, '/desk/data/push'));
    const { text: uploaded } = await contact.get(path);
    expect(plain(uploaded)).toMatch(new RegExp(`Entered by ${contact.email} by upload, \\w+ \\d+`));
    const voided = await contact.fill(path, '/void', { period: '2026-10-31', reason: 'Wrong' });
    expect(voided).toMatchObject({ status: 303, location: `${path}?done=voided` });
    const { text } = await contact.get(`${path}?done=voided`);
    expect(plain(text)).toContain('The value was voided.');
    const [history = '', corrected = ''] = text.split('id="revisions"');
    expect(rowsOf(history).map((row) => row.slice(0, 10))).toEqual(['2026-09-30', '2026-08-31']);
    const rows = rowsOf(corrected);
    expect(
      rows.map((row) =>
        row.replace(/ mercury.*UTC (?=contact)/, ' … ').replace(/ \w+ \d+, \d{4}, .*UTC$/, ' …'),
      ),
    ).toEqual([
      `2026-10-31 Voided Wrong 3 … ${contact.email} by hand, …`,
      `2026-10-31 $990,001 2 … ${contact.email} by upload, …`,
      expect.stringMatching(/^2026-10-31 \$990,000\.25 1 mercury /),
    ]);
    const { text: log } = await contact.get('/desk/settings/log');
    const [latest = '', first = ''] = rowsOf(log).filter((row) => row.includes('Figures entered'));
    expect(latest).toMatch(/How: by hand ?Voided values: 1 ?Metrics: cash_balance ?Reason: Wrong$/);
    expect(first).toMatch(/How: by upload ?Corrected values: 1 ?Metrics: cash_balance$/);
    expect(latest).toContain(contact.email);

    const read = await service.get(`/v1/companies/${company.id}/metrics/cash_balance`, key);
    expect(read.body).toMatchObject({ period: '2026-09-30' });
    expect(read.text).not.toContain(contact.email);
  });

  it('explains why a value can’t be voided, and shows the form only to contacts who may change data', async () => {
    const service = given();
    const { company, contact } = await companyWithData(service);
    const path = '/desk/data/metrics/cash_balance';
    const refused = await contact.fill(path, '/void', { period: '2026-01-31', reason: 'Wrong' });
    expect(refused.status).toBe(422);
    expect(plain(refused.text)).toContain('The value wasn’t voided.');
    const viewer = await signIn(service, company.id, undefined, 'viewer');
    expect((await viewer.get(path)).text).not.toContain('/void');
  });

  it('draws negative values downwards, and escapes HTML in the label of a metric', async () => {
    const service = given();
    const company = await service.fixtures.company();
    const loss = (period: string, raw_value: number) =>
      aValue(company.id, {
        ...{ key: 'net_income', label: '<b>Net</b>' },
        period,
        raw_value,
        currency: 'USD',
      });
    await importLines(service.operator, [loss('2026-01-31', -50), loss('2026-02-28', 150)]);
    const contact = await signIn(service, company.id);
    const { text } = await contact.get('/desk/data/metrics/net_income');
    expect(text).toContain('d="M0.5 75V100M1.5 75V0"');
    expect(plain(/<ul class="axis".*?<\/ul>/s.exec(text)?.[0] ?? '')).toBe('$150 $100 $50 $0 -$50');
    expect(text).not.toContain('<b>Net');
    expect((await contact.get('/desk/data')).text).not.toContain('<b>Net');
  });
});
