import { mkdtemp, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { closedAfterAll } from '../support/closed.ts';
import { createFixtures, sampleData } from '../support/fixtures.ts';
import { openOwnDatabase } from './database.ts';
import { runCommand } from './harness.ts';

const own = await closedAfterAll(openOwnDatabase());
const composition = own.composition;
const { operatorUseCases, investorUseCases } = composition;
const fixtures = createFixtures(operatorUseCases, investorUseCases);
const company = (await fixtures.readablePortfolio()).company.id;
const [line] = sampleData(company);
const amounts = ['7', '12345678901234567890123.123456789012', '-0.5'];
for (const amount of amounts) {
  const text = JSON.stringify({ ...line, raw_value: 0, confidence: '=1+1' });
  await runCommand(['import', '-'], {
    composition,
    stdin: [text.replace('"raw_value":0', `"raw_value":${amount}`)],
  });
}

const headOf = (text: string) => /"head":"([^"]+)"/.exec(text)?.[1] ?? '';

const run = (...args: string[]) => runCommand(['export', ...args], { composition });

describe('an export', () => {
  test('is newline-delimited JSON that verify accepts as a whole', async () => {
    const { exitCode, stdout, stderr } = await run('--company', company);
    expect([exitCode, stderr]).toEqual([0, '']);
    const types = stdout
      .trimEnd()
      .split('\n')
      .map((text) => JSON.parse(text).type);
    expect(types).toEqual([
      'company',
      ...Array(2).fill('source'),
      ...Array(2).fill('account'),
      ...Array(7).fill('metric'),
      ...Array(2).fill('consent_receipt'),
      'consent_receipts_head',
    ]);
    expect(stdout).toContain('"raw_value":12345678901234567890123.123456789012,');
    const verified = await runCommand(['verify', '-', '--json'], { composition, stdin: [stdout] });
    expect(verified.json).toMatchObject({ metrics: 7, receipts: 2, inexact: 0, failed: 0 });
    expect(verified.json.complete).toEqual({
      [`complete as of ${JSON.parse(Buffer.from(headOf(stdout).split('.')[1] ?? '', 'base64url').toString()).issued_at}`]: 1,
    });
    const cut = stdout.replace(
      /^\{"type":"consent_receipt",.*\n(?=\{"type":"consent_receipts_head)/m,
      '',
    );
    const incomplete = await runCommand(['verify', '-', '--json'], { composition, stdin: [cut] });
    expect(incomplete.json).toMatchObject({
      receipts: 1,
      failed: 1,
      failures: [{ reason: 'receipts_missing' }],
    });
    const forged = stdout.replace('"raw_value_text":"7"', '"raw_value_text":"8"');
    const refused = await runCommand(['verify', '-', '--json'], { composition, stdin: [forged] });
    expect(refused.json).toMatchObject({ metrics: 6, failed: 1 });
  });

  test('contains all revisions of the metrics and all receipts if its format is CSV', async () => {
    const { stdout } = await run('--company', company, '--format', 'csv');
    const all: Record<string, string>[] = parse(stdout, { columns: true });
    const rows = all.filter(({ key }) => key !== '');
    const receipts = all.filter((row) => row['receipt.jws'] !== '');
    const heads = all.filter((row) => row['receipts.head'] !== '');
    expect(heads).toHaveLength(1);
    expect(all).toEqual([...rows, ...receipts, ...heads]);
    const ids = receipts.map((row) => row['receipt.id']);
    expect(ids).toEqual([...stdout.matchAll(/rcpt_\w+/g)].map(String));
    expect(ids).toHaveLength(2);
    expect(
      rows.map(({ key, period, revision, raw_value }) => [key, period, revision, raw_value]),
    ).toEqual([
      ['cash_balance', '2026-08-31', '1', '1500000'],
      ['cash_balance', '2026-09-30', '1', '1250000.5'],
      ['cash_balance', '2026-09-30', '2', '7'],
      ['cash_balance', '2026-09-30', '3', '12345678901234567890123.123456789012'],
      ['cash_balance', '2026-09-30', '4', '-0.5'],
      ['cash_balance', '2026-10-31', '1', '990000.25'],
      ['headcount', '2026-10-31', '1', '48'],
    ]);
    expect(rows.every((row) => row['verification.signature']?.split('.').length === 3)).toBe(true);
    expect(rows.some(({ confidence }) => confidence === "'=1+1")).toBe(true);
  });

  test('writes nothing to stdout or the disk if it is interrupted', async () => {
    const folder = await mkdtemp(join(own.folder, 'tmp'));
    vi.stubEnv('TMPDIR', folder);
    onTestFinished(() => void vi.unstubAllEnvs());
    const { exitCode, stdout } = await runCommand(['export', '--company', company], {
      composition,
      signal: AbortSignal.abort(),
    });
    expect([exitCode, stdout]).toEqual([130, '']);
    expect(await readdir(folder)).toEqual([]);
  });
});
