// @module-tag full
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { backends } from '../support/backends.ts';
import type { Json } from '../support/http-client.ts';
import {
  type PushReceiver,
  type Reply,
  refusalOf,
  startPushReceiver,
} from '../support/push-receiver.ts';
import { startService, type TestService } from '../support/service.ts';

const folder = fileURLToPath(new URL('../../examples/connector/', import.meta.url));
const companyKey = `svc_ck_live_${'a'.repeat(32)}`;

const hasPython = spawnSync('python3', ['--version']).status === 0;
if (!hasPython) console.warn('SKIPPED: the connector in Python needs python3, which is missing');

const programs = [
  { language: 'TypeScript', command: [process.execPath, join(folder, 'connector.ts')] },
  ...(hasPython
    ? [{ language: 'Python', command: ['python3', join(folder, 'connector.py')] }]
    : []),
];

const [backend] = backends.toReversed();
let service: TestService;
let release: () => Promise<void>;
beforeAll(async () => {
  if (backend === undefined) throw new Error('there is no database');
  const opened = await backend.open();
  release = opened.release;
  service = await startService({ storage: opened.storage });
});
afterAll(async () => {
  await service.close();
  await release();
});

let ledgerUrl: string;
let ledger: ReturnType<typeof spawn>;
let own: string;
beforeAll(async () => {
  own = await mkdtemp(join(tmpdir(), 'connector-'));
  ledger = spawn(process.execPath, [join(folder, 'ledger-server.ts'), '0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (ledger.stdout === null) throw new Error('the ledger has no output');
  [ledgerUrl] = (await once(createInterface(ledger.stdout), 'line')) as [string];
});
afterAll(async () => {
  ledger.kill();
  await rm(own, { recursive: true });
});

const receivers: PushReceiver[] = [];
afterEach(async () => {
  for (const receiver of receivers.splice(0)) await receiver.close();
});

async function started(...replies: (Reply | undefined)[]): Promise<PushReceiver> {
  const receiver = await startPushReceiver(replies);
  receivers.push(receiver);
  return receiver;
}

/** The ledger's line with the total belongs to no account, so the connector leaves it out. */
const leftOut = '1 left out: mapping.json has no account ""\n';

let count = 0;

/** A folder for one test, with the connector's state and the test's ledger. */
async function aLedger(csv?: string) {
  count += 1;
  const path = join(own, `ledger${count}.csv`);
  await writeFile(path, csv ?? (await readFile(join(folder, 'ledger.csv'))));
  return { path, statePath: join(own, `state${count}.json`) };
}

function aLongLedger(lines: number, exportedAt = (_line: number) => '2026-11-02T08:00:00Z') {
  const day = (index: number) => new Date(Date.UTC(2000, 0, 1 + index)).toISOString().slice(0, 10);
  const rows = Array.from(
    { length: lines },
    (_, index) => `1800,Bank,${day(index)},${index}.5,${exportedAt(index)}`,
  );
  return `${['account,name,date,balance,exported_at', ...rows].join('\n')}\n`;
}

describe.each(programs)('the connector in $language', ({ command }) => {
  const [program = '', script = ''] = command;

  const start = (url: string, from: string, statePath: string, key = companyKey) =>
    spawn(program, [script, from], {
      env: {
        PATH: process.env.PATH,
        PORTFOLIO_ACCESS_URL: url,
        COMPANY_KEY: key,
        STATE_FILE: statePath,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });

  async function run(...parameters: Parameters<typeof start>) {
    const child = start(...parameters);
    const [[exitCode], stdout, stderr] = await Promise.all([
      once(child, 'close'),
      text(child.stdout),
      text(child.stderr),
    ]);
    return { exitCode, stdout, stderr };
  }

  const keysOf = ({ received }: PushReceiver) =>
    received.map(({ headers }) => headers['idempotency-key']);

  test('pushes the content of a CSV file with every digit', async () => {
    const { url, received } = await started();
    const { path, statePath } = await aLedger();
    expect(await run(`${url}/`, path, statePath)).toEqual({
      exitCode: 0,
      stdout: `4 created, 0 revised, 0 unchanged\n${leftOut}`,
      stderr: '',
    });
    expect(received).toHaveLength(1);
    expect(received[0]).toMatchObject({
      path: '/company/v1/data',
      headers: {
        authorization: `Bearer ${companyKey}`,
        'content-type': 'application/json',
        'idempotency-key': expect.stringMatching(/^[\w-]{36}$/),
      },
    });
    const { records } = JSON.parse(received[0]?.body ?? '');
    expect(records[0]).toEqual({
      type: 'metric',
      key: 'cash_operating',
      label: 'Cash, operating account',
      currency: 'EUR',
      category: 'liquidity',
      period: '2026-09-30',
      source: { system: 'Ledger', method: 'file', last_synced: '2026-11-02T08:00:00Z' },
      raw_value: 231004.1,
    });
    expect(received[0]?.records.map((one) => /"raw_value":([^}]+)/.exec(one)?.[1])).toEqual([
      '231004.10',
      '250718.05',
      '12345.67',
      '-21420.40',
    ]);
    await expect(access(statePath)).rejects.toThrow('ENOENT');
  });

  test('pushes data that an investor with a grant can read, and changes nothing in a second run', async () => {
    const { company, key } = await service.fixtures.portfolio();
    await service.fixtures.grant({ company, key });
    const { secret } = await service.operator.createCompanyKey({
      companyId: company.id,
      scopes: ['data:write'],
      source: 'Ledger',
    });
    const { path, statePath } = await aLedger();
    expect(await run(service.url, ledgerUrl, statePath, secret)).toEqual({
      exitCode: 0,
      stdout: `4 created, 0 revised, 0 unchanged\n${leftOut}`,
      stderr: '',
    });
    const { body } = await service.get(`/v1/companies/${company.id}/metrics`, key);
    expect(
      body.data.map(({ key: name, period, raw_value_text, verification }: Json) => [
        ...[name, period, raw_value_text, verification.signed],
      ]),
    ).toEqual([
      ['cash_operating', '2026-10-31', '250718.05', true],
      ['cash_savings', '2026-10-31', '12345.67', true],
      ['payables', '2026-10-31', '-21420.4', true],
    ]);
    expect((await run(service.url, ledgerUrl, statePath, secret)).stdout).toBe(
      `0 created, 0 revised, 4 unchanged\n${leftOut}`,
    );
    const csv = (await readFile(path, 'utf8')).replaceAll('2026-10-31', '2026-10-32');
    await writeFile(path, csv);
    const bad = await run(service.url, path, statePath, secret);
    expect({ exitCode: bad.exitCode, stdout: bad.stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(bad.stderr).toMatch(
      /^422 invalid_records: nothing of this push is taken\nrecord 2: period: /,
    );
    expect(bad.stderr).toContain('\nrecord 3: period: must be a date like 2026-11-02');
    expect(bad.stderr).not.toContain('record 1:');
  });

  test('retries temporary failures with the same idempotency key', async () => {
    const receiver = await started(
      { status: 429, json: refusalOf('rate_limit_exceeded', 'Too many.'), retryAfter: '0' },
      { status: 503, json: refusalOf('service_unavailable', 'Later.'), retryAfter: '0' },
      { status: 409, json: refusalOf('idempotency_key_in_use', 'In use.'), retryAfter: '0' },
      'break the connection',
    );
    const { path, statePath } = await aLedger();
    const { exitCode, stdout, stderr } = await run(receiver.url, path, statePath);
    expect({ exitCode, stdout }).toEqual({
      exitCode: 0,
      stdout: `4 created, 0 revised, 0 unchanged\n${leftOut}`,
    });
    expect(receiver.received).toHaveLength(5);
    expect(new Set(keysOf(receiver)).size).toBe(1);
    expect(stderr).toContain('answers 429; tried again in 0.0 s');
    expect(stderr).toContain('cannot be reached');
  });

  test('repeats an interrupted batch with its idempotency key, although it starts again with the first batch', async () => {
    const receiver = await started(undefined, () => undefined, undefined, 'break the connection');
    const { path, statePath } = await aLedger(aLongLedger(2_500));
    const child = start(receiver.url, path, statePath);
    await receiver.push(2);
    child.kill('SIGKILL');
    await once(child, 'close');
    expect((await run(receiver.url, path, statePath)).exitCode).toBe(0);
    const [first, killed, firstAgain, again, andAgain, last] = keysOf(receiver);
    expect([again, andAgain]).toEqual([killed, killed]);
    expect(receiver.received[3]?.body).toBe(receiver.received[1]?.body);
    // The first run has answered the first batch, so the second run uses a new idempotency key for it.
    expect(new Set([first, killed, firstAgain, last]).size).toBe(4);
    await expect(access(statePath)).rejects.toThrow('ENOENT');
  });

  test('uses another idempotency key if the data changed between a killed run and the next run', async () => {
    const receiver = await started(() => undefined);
    const { path, statePath } = await aLedger();
    const child = start(receiver.url, path, statePath);
    await receiver.push(1);
    child.kill('SIGKILL');
    await once(child, 'close');
    const changed = (await readFile(path, 'utf8')).replace('12345.67', '12345.68');
    await writeFile(path, changed);
    await run(receiver.url, path, statePath);
    const [killed, other] = keysOf(receiver);
    expect(other).not.toBe(killed);
  });

  test.each([200, 422])(
    'repeats a push with the same idempotency key if the connection breaks during a response with the status %i',
    async (status) => {
      const receiver = await started((response) => {
        response.writeHead(status, { 'content-length': '100' });
        response.write('{"', () => response.destroy());
      });
      const { path, statePath } = await aLedger();
      const { exitCode, stderr } = await run(receiver.url, path, statePath);
      expect(exitCode).toBe(0);
      expect(stderr).toContain('tried again in');
      const [broken, again] = keysOf(receiver);
      expect(again).toBe(broken);
    },
  );

  test('reports invalid records with their line number in the ledger, and exits with 1', async () => {
    const details = [{ record: 2, param: 'period', message: 'is not a date' }];
    const json = refusalOf('invalid_records', 'Bad records.', { details, bad_records: 1 });
    const { url } = await started({ status: 422, json });
    const csv = await readFile(join(folder, 'ledger.csv'), 'utf8');
    const lines = csv.split('\n');
    // The connector leaves lines out, so a record's number in the push differs from its line in the ledger.
    const { path, statePath } = await aLedger(
      [lines[0], lines[5], ...lines.slice(1, 5), ''].join('\n'),
    );
    const { exitCode, stdout, stderr } = await run(url, path, statePath);
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(stderr).toBe(
      '422 invalid_records: nothing of this push is taken\nrecord 4: period: is not a date\n',
    );
  });

  test('ends at once if its key is refused, and never prints the key', async () => {
    const { url, received } = await started({
      status: 401,
      json: refusalOf('invalid_api_key', 'The key does not work.'),
    });
    const { path, statePath } = await aLedger();
    const { exitCode, stderr } = await run(url, path, statePath);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr: '401 invalid_api_key: The key does not work.\n',
    });
    expect(received).toHaveLength(1);
  });

  test('doesn’t follow a redirect', async () => {
    const other = await started();
    const { url } = await started((response) => {
      response.writeHead(307, { location: `${other.url}/company/v1/data` }).end('elsewhere');
    });
    const { path, statePath } = await aLedger();
    expect(await run(url, path, statePath)).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: 'the service answers 307: elsewhere\n',
    });
    expect(other.received).toEqual([]);
  });

  test('pushes at most 1,000 records and 1 MiB at a time', async () => {
    const { url, received } = await started();
    // The long timestamp makes a thousand records larger than 1 MiB.
    const long = `2026-11-02T08:00:00.${'0'.repeat(1_500)}Z`;
    const { path, statePath } = await aLedger(
      aLongLedger(3_500, (line) => (line < 2_500 ? '2026-11-02T08:00:00Z' : long)),
    );
    expect((await run(url, path, statePath)).exitCode).toBe(0);
    expect(received.slice(0, 2).map(({ records }) => records.length)).toEqual([1_000, 1_000]);
    expect(received.reduce((sum, { records }) => sum + records.length, 0)).toBe(3_500);
    for (const { body, records } of received) {
      expect(Buffer.byteLength(body)).toBeLessThanOrEqual(1_048_576);
      expect(records.length).toBeLessThanOrEqual(1_000);
    }
    expect(new Set(received.map(({ headers }) => headers['idempotency-key'])).size).toBe(
      received.length,
    );
  });
});
