import { unzipSync } from 'fflate';
import { expect, it } from 'vitest';
import { importLines } from '../../support/fixtures.ts';
import type { TestService } from '../../support/service.ts';
import { aValue, describeDesk, deskCookie } from '../desk.ts';
import { deskRecords, openShared } from './portfolios.ts';

async function openHistory(service: TestService) {
  const opened = await openShared(service);
  await importLines(service.operator, [
    aValue(opened.company.id, {
      ...{ key: 'x', label: '=HYPERLINK("http://x")', value: '@SUM(1)' },
      raw_value: JSON.rawJSON('12345678901234567890'),
      source: { system: '+cmd', method: 'api', last_synced: '2026-11-01T00:00:00Z' },
    }),
  ]);
  return opened;
}

describeDesk('the file of a history', (given) => {
  it('has each value of the chosen metrics, and is one read', async () => {
    const service = given();
    const { person, company } = await openHistory(service);
    const { text, headers } = await person.get(
      `/desk/portfolio/${company.id}/history.csv?key=cash_balance&key=headcount`,
    );
    expect(headers.get('content-type')).toMatch(/^text\/csv/);
    expect(headers.get('cache-control')).toBe('no-store');
    const lines = text.trimEnd().split('\r\n');
    expect(lines).toHaveLength(5);
    expect(lines[0]).toMatch(/^company_id,key,label,currency,period,raw_value/);
    expect(lines[3]).toMatch(/,cash_balance,Cash balance,USD,2026-10-31,990000.25,/);
    expect(await deskRecords(service, company.id)).toMatchObject([
      { resource: 'metric_history', outcome: 'allowed', count: 1 },
    ]);
  });

  it('is a workbook, too, in which nothing that others wrote is a formula, and no digit is lost', async () => {
    const service = given();
    const { person, company } = await openHistory(service);
    const response = await fetch(
      `${service.url}/desk/portfolio/${company.id}/history.xlsx?key=x&key=cash_balance`,
      { headers: { cookie: `${deskCookie}=${person.session}` } },
    );
    expect(response.headers.get('content-type')).toMatch(/spreadsheetml/);
    expect(response.headers.get('content-disposition')).toContain(`history-${company.id}.xlsx`);
    const files = unzipSync(new Uint8Array(await response.arrayBuffer()));
    const texts = Object.entries(files).map(([name, bytes]) => [
      name,
      new TextDecoder().decode(bytes),
    ]);
    const sheet = texts.find(([name]) => /worksheets\/sheet1\.xml$/.test(name ?? ''))?.[1] ?? '';
    const everything = texts.map(([, text]) => text).join('');
    expect(sheet).not.toMatch(/<f[ >]/);
    expect(everything).toContain('=HYPERLINK(');
    expect(everything).toContain('12345678901234567890');
    // An amount that a spreadsheet holds exactly is a number there.
    expect(sheet).toMatch(/<v>990000\.25<\/v>/);
  });

  it('of no metric at all is refused', async () => {
    const { person, company } = await openHistory(given());
    expect((await person.get(`/desk/portfolio/${company.id}/history.csv`)).status).toBe(400);
  });
});
