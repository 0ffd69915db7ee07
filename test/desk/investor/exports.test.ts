import { unzipSync } from 'fflate';
import { expect, it } from 'vitest';
import { importLines } from '../../support/fixtures.ts';
import { isFull } from '../../support/property-runs.ts';
import { aValue, describeDesk, deskCookie } from '../desk.ts';
import { openShared } from './portfolios.ts';

/** The number of daily values of the metric. */
const days = isFull ? 2_000 : 500;

const dayOf = (index: number) => new Date(Date.UTC(2015, 0, 1 + index)).toISOString().slice(0, 10);

const daily = (companyId: string) =>
  Array.from({ length: days }, (_, index) =>
    aValue(companyId, { period: dayOf(index), raw_value: index }),
  );

describeDesk('100 files that one investor requests at once', (given) => {
  it('are complete or refused, and don’t delay other investors', async () => {
    const service = given();
    const { company, person } = await openShared(service);
    await importLines(service.operator, daily(company.id));
    const other = await openShared(service);
    let asked = 0;
    const ask = async (form: 'csv' | 'xlsx') => {
      const path = `/desk/portfolio/${company.id}/history.${form}?key=arr`;
      const headers = { cookie: `${deskCookie}=${person.session}` };
      const answer = await fetch(service.url + path, { headers });
      const bytes = new Uint8Array(await answer.arrayBuffer());
      asked -= 1;
      return { form, status: answer.status, headers: answer.headers, bytes };
    };
    const files = Array.from({ length: 100 }, (_, index) => {
      asked += 1;
      return ask(index % 2 === 0 ? 'csv' : 'xlsx');
    });
    const page = await other.person.get(`/desk/portfolio/${other.company.id}`);
    expect(page.status).toBe(200);
    expect(asked).toBeGreaterThan(0);
    const made = { csv: 0, xlsx: 0 };
    for (const { form, status, headers, bytes } of await Promise.all(files)) {
      if (status === 503) {
        expect(headers.get('retry-after')).toMatch(/^\d+$/);
        expect(new TextDecoder().decode(bytes)).toContain('<h1>');
        continue;
      }
      expect(status).toBe(200);
      made[form] += 1;
      if (form === 'xlsx') expect(Object.keys(unzipSync(bytes))).toContain('xl/workbook.xml');
      else expect(new TextDecoder().decode(bytes).split('\r\n')).toHaveLength(days + 2);
    }
    expect(made.csv).toBeGreaterThan(0);
    expect(made.xlsx).toBeGreaterThan(0);
    // After these files, the next file is complete again.
    expect((await ask('csv')).status).toBe(200);
  });
});
