import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { demoCompanies } from '../../demo/companies.ts';
import { demoLines } from '../../demo/records.ts';
import { closedAfterAll } from '../support/closed.ts';
import { openOwnDatabase } from './database.ts';
import { runCommand } from './harness.ts';

const { composition } = await closedAfterAll(openOwnDatabase());
const { operatorUseCases } = composition;
const companyId = 'co_juniper';
const folder = new URL('../http/sheets/files/', import.meta.url).pathname;

beforeAll(async () => {
  const companies = demoCompanies.filter(({ id }) => id === companyId);
  await operatorUseCases.createCompany({ id: companyId, name: 'Juniper', environment: 'test' });
  await operatorUseCases.importRecords(demoLines(companies, new Date('2026-11-29T12:00:00Z')), {
    onProblem: ({ reason }) => {
      throw new Error(reason);
    },
  });
});

const importFile = (file: string, ...options: string[]) =>
  runCommand(['import', `${folder}${file}`, '--company', companyId, ...options], { composition });

const latest = async (key: string) =>
  (await operatorUseCases.readLatestOfCompany({ companyId })).find((metric) => metric.key === key);

describe('a table', () => {
  test('is imported from a workbook with exact numbers, each shown with its unit', async () => {
    const { stdout, stderr } = await importFile('z-xlsx-wide-months.xlsx', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ inserted: 8, updated: 2, unchanged: 78 });
    expect(stderr).toContain('Left out: columns Unit, 2026-12.\n');
    expect(await latest('gross_margin')).toMatchObject({
      ...{ period: '2026-11-30', rawValue: '78.1', value: '78.1%', currency: null },
      source: { system: 'z-xlsx-wide-months.xlsx', method: 'file' },
    });
    expect(await latest('arr')).toMatchObject({ rawValue: '3374449.2', currency: 'EUR' });
  });

  test('isn’t imported if a date is ambiguous, and the error suggests the option --dates', async () => {
    const file = 'f30-ambiguous-day-03-04.csv';
    const asked = await importFile(file);
    expect(asked.exitCode).not.toBe(0);
    expect(asked.stderr).toBe(
      [
        'Is 3/4/2026 the 3rd of April 2026 or the 4th of March 2026?',
        '  --dates day-first: The 3rd of April 2026: the day comes first',
        '  --dates month-first: The 4th of March 2026: the month comes first',
        '  line 2: arr, 3/4/2026: 2026-04-03 or 2026-03-04',
        'error: the table can be read in two ways, so nothing was imported. Add --dates',
        '',
      ].join('\n'),
    );
    expect((await importFile(file, '--dates', 'day-first')).stdout).toContain('1 inserted');
  });

  test('is rejected if it has bad lines, and imported without them with --skip-bad-lines', async () => {
    const file = 'f31-currency-parentheses-percent.csv';
    const refused = await importFile(file, '--dashes', 'none');
    expect(refused.stderr).toContain('line 5: raw_value: Write all digits of USD 1.2M.\n');
    expect(refused.stderr).toContain('2 bad lines, so nothing was imported');
    const { exitCode } = await importFile(file, '--dashes', 'none', '--skip-bad-lines');
    expect(exitCode).toBe(0);
  });

  test('is read from the given sheet', async () => {
    await importFile('z-xlsx-two-sheets.xlsx', '--sheet', 'Budget');
    expect(await latest('headcount')).toMatchObject({ period: '2026-11-30', rawValue: '41' });
    const { stderr } = await importFile('z-xlsx-two-sheets.xlsx', '--sheet', 'Plan');
    expect(stderr).toBe('error: it has no sheet "Plan"\n');
  });

  test('needs a company, from --company or from a column', async () => {
    const bytes = await readFile(`${folder}f34-capitals-and-notes.csv`);
    const importBytes = (text: string) =>
      runCommand(['import', '-', '--format', 'csv'], { composition, stdin: [text] });
    expect((await importBytes(bytes.toString())).stderr).toContain(
      'Name the company with --company',
    );
    const rows = `company_id,key,period,raw_value\n${companyId},m_x,2026-10-31,5\nco_other,m_x,2026-10-31,5\n`;
    expect((await importBytes(rows)).stderr).toContain(
      'line 3: company_id: is co_other, not co_juniper',
    );
  });
});
