import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { asOfNow } from '../support/call.ts';
import { closedAfterAll } from '../support/closed.ts';
import { openOwnDatabase } from './database.ts';
import { runCommand } from './harness.ts';

const own = await closedAfterAll(openOwnDatabase());
const composition = own.composition;

const company = (id: string) =>
  JSON.stringify({ type: 'company', id, name: `Company ${id}`, environment: 'test' });

const metric = (companyId: string, rawValue: string, period = '2026-10-31') =>
  `{"type":"metric","company_id":"${companyId}","key":"cash_balance","currency":"USD","period":"${period}",` +
  `"source":{"system":"Mercury","method":"api","last_synced":"2026-11-01T04:00:00Z"},"raw_value":${rawValue}}`;

const importLines = (lines: readonly (string | Uint8Array)[], ...options: string[]) =>
  runCommand(['import', '-', '--json', ...options], {
    composition,
    stdin: lines.flatMap((line) => [line, '\n']),
  });

async function latestCash(companyId: string) {
  const { companyData } = composition.database.repositories;
  const metrics = await companyData.latestMetrics(asOfNow(companyId));
  return metrics.find(({ key }) => key === 'cash_balance');
}

const nothing = {
  inserted: 0,
  updated: 0,
  unchanged: 0,
  bad_lines: 0,
  already_imported: 0,
  signed: 0,
  unsigned: 0,
};

describe('an import', () => {
  test('prints its counts for a file, and changes nothing if the same file is imported again', async () => {
    const path = join(own.folder, 'import.ndjson');
    await writeFile(path, `\ufeff${company('co_file')}\r\n\r\n${metric('co_file', '1')}\r\n`);
    const first = await runCommand(['import', path, '--json'], { composition });
    expect(first).toMatchObject({ exitCode: 0, stderr: '' });
    expect(first.json).toEqual({ ...nothing, inserted: 2, signed: 1 });
    const again = await runCommand(['import', path, '--json'], { composition });
    expect(again.json).toEqual({ ...nothing, unchanged: 2 });
    const forPeople = await runCommand(['import', path], { composition });
    expect(forPeople.stdout).toBe('0 inserted, 0 updated, 2 unchanged\n');
  });

  test('puts companies into portfolios', async () => {
    const { operatorUseCases, database } = composition;
    const investor = await operatorUseCases.createInvestor({
      name: 'I',
      environment: 'test',
      sandbox: false,
    });
    const membership = (companyId: string) =>
      JSON.stringify({ type: 'portfolio', investor_id: investor.id, company_id: companyId });
    const lines = [company('co_held'), membership('co_held')];
    expect((await importLines(lines)).json).toEqual({ ...nothing, inserted: 2 });
    expect((await importLines(lines)).json).toEqual({ ...nothing, unchanged: 2 });
    const held = await database.repositories.directory.readPortfolio(investor.id);
    expect(held.map((entry) => entry.company.id)).toEqual(['co_held']);
    const refused = await importLines([membership('co_nowhere'), membership('co_test_approves')]);
    expect(refused.exitCode).toBe(1);
    expect(refused.stderr).toContain('line 1: company_id: the company co_nowhere is unknown');
    expect(refused.stderr).toContain('line 2: company_id: is reserved for the sandbox');
  });

  test('succeeds if the file is empty', async () => {
    expect((await importLines([])).json).toEqual(nothing);
  });
});

describe('bad lines', () => {
  const bad = [
    company('co_bad'),
    '{"type":"metric"',
    metric('co_bad', '1'),
    Uint8Array.of(0x22, 0xff, 0x22),
    metric('co_nowhere', '1'),
    `"${'x'.repeat(1_048_576)}"`,
    metric('co_bad', '"many"'),
  ];

  test('are all reported in one run, and nothing is imported', async () => {
    const { exitCode, stdout, stderr } = await importLines(bad);
    expect(exitCode).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toMatch(/^line 2: is not valid JSON$/m);
    expect(stderr).toMatch(/^line 4: is not valid UTF-8$/m);
    expect(stderr).toMatch(/^line 5: .*co_nowhere/m);
    expect(stderr).toMatch(/^line 6: is longer than 1 MiB$/m);
    expect(stderr).toMatch(/^line 7: raw_value: is not a number$/m);
    expect(stderr).toMatch(/^error: 5 bad lines, so nothing was imported/m);
    expect(await latestCash('co_bad')).toBeUndefined();
  });

  test('are skipped with --skip-bad-lines, but still reported', async () => {
    const { exitCode, json, stderr } = await importLines(bad, '--skip-bad-lines');
    expect(exitCode).toBe(0);
    expect(json).toEqual({ ...nothing, inserted: 2, signed: 1, bad_lines: 5 });
    expect(stderr.trimEnd().split('\n')).toHaveLength(5);
    expect((await latestCash('co_bad'))?.rawValue).toBe('1');
  });
});

describe('very many bad lines', () => {
  const count = 20_000;
  const unreadable = Buffer.alloc(count * 2, Buffer.from([0xff, 0x0a]));

  test('are counted, and the first hundred are reported', async () => {
    const { exitCode, stderr } = await runCommand(['import', '-'], {
      composition,
      stdin: [unreadable],
    });
    const told = stderr.trimEnd().split('\n');
    expect(exitCode).toBe(1);
    expect(told.slice(99)).toEqual([
      'line 100: is not valid UTF-8',
      'and 19900 more bad lines',
      expect.stringMatching(/^error: 20000 bad lines, so nothing was imported/),
    ]);
  });
});

test('a file that can’t be read is rejected', async () => {
  for (const path of [join(own.folder, 'absent.ndjson'), own.folder]) {
    const { exitCode, stderr } = await runCommand(['import', path], { composition });
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^error: cannot read [^\n]+\n$/);
  }
});

test('an interrupted import changes nothing', async () => {
  const { exitCode, stdout, stderr } = await runCommand(['import', '-'], {
    composition,
    stdin: [company('co_interrupted')],
    signal: AbortSignal.abort(),
  });
  expect(exitCode).toBe(130);
  expect(stdout).toBe('');
  expect(stderr).toBe('error: interrupted; nothing was changed\n');
  const { directory } = composition.database.repositories;
  expect(await directory.findCompany('co_interrupted')).toBeNull();
});
