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
      ...{ key: 'x', label: '=HYPERLINK("http://x")', value: '@12345678901234567890' },
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
    // The days since 1900 of 2026-10-31 and 2026-11-01T04:00:00Z, shown as dates.
    expect(sheet).toMatch(/<c r="[A-Z]+\d+" s="\d+"><v>46326<\/v>/);
    expect(sheet).toMatch(/<c r="[A-Z]+\d+" s="\d+"><v>46327\.1666\d+<\/v>/);
    expect(everything).toContain('formatCode="yyyy-mm-dd"');
    expect(everything).toContain('formatCode="yyyy-mm-dd hh:mm:ss"');
    expect(everything).not.toContain('2026-1');
  });

  it('has a sheet with a name that Excel accepts, in each language', async () => {
    const { person, company } = await openHistory(given());
    for (const language of ['en', 'de']) {
      const response = await fetch(
        `${given().url}/desk/portfolio/${company.id}/history.xlsx?key=cash_balance`,
        { headers: { cookie: `${deskCookie}=${person.session}`, 'accept-language': language } },
      );
      const files = unzipSync(new Uint8Array(await response.arrayBuffer()));
      const workbook = new TextDecoder().decode(files['xl/workbook.xml']);
      const names = [...workbook.matchAll(/<sheet [^>]*name="([^"]*)"/g)].map(([, name]) => name);
      expect(names).toHaveLength(1);
      expect(names[0]).toMatch(/^(?!history$)(?!')[^:\\/?*[\]]{1,31}(?<!')$/i);
    }
  });

  it('of no metric at all is refused', async () => {
    const { person, company } = await openHistory(given());
    expect((await person.get(`/desk/portfolio/${company.id}/history.csv`)).status).toBe(400);
  });
});
