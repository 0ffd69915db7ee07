import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { readStreamMappings } from '../../cli/singer/mapping.ts';
import { SingerTarget } from '../../cli/singer/target.ts';
import { backends } from '../support/backends.ts';
import {
  type PushReceiver,
  type Reply,
  refusalOf,
  startPushReceiver,
} from '../support/push-receiver.ts';
import { startService } from '../support/service.ts';
import { type Json, runCommand } from './harness.ts';
import { spawnCli } from './spawn.ts';

const companyKey = `svc_ck_live_${'a'.repeat(32)}`;

const mapping = {
  streams: {
    balances: [
      {
        type: 'metric',
        fields: {
          key: { column: 'account', values: { 1800: 'cash_balance' }, others: 'skip' },
          currency: { column: 'balance.currency' },
          period: { column: 'as_of' },
          raw_value: { column: 'balance.amount' },
          'source.system': { value: 'DATEV' },
          'source.method': { value: 'api' },
          'source.last_synced': { column: '_sdc_extracted_at' },
          'verification.verified': { column: 'closed' },
        },
      },
    ],
    connections: [
      {
        type: 'source',
        fields: {
          provider: { column: 'bank' },
          status: { column: 'status', values: { OK: 'connected' }, others: 'keep' },
          account_name: { value: 'Operating account' },
          last_synced_at: { column: 'synced_at' },
        },
      },
    ],
  },
};

let folder: string;
let recorded: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'singer-'));
  recorded = await readFile(new URL('recorded-tap.jsonl', import.meta.url), 'utf8');
});
afterAll(() => rm(folder, { recursive: true }));

const receivers: PushReceiver[] = [];
afterEach(async () => {
  for (const receiver of receivers.splice(0)) await receiver.close();
});

async function started(...replies: Reply[]): Promise<PushReceiver> {
  const receiver = await startPushReceiver(replies);
  receivers.push(receiver);
  return receiver;
}

interface Given {
  readonly url: string;
  readonly stdin: Iterable<string>;
  readonly streams?: object;
  readonly key?: string;
  readonly signal?: AbortSignal;
}

async function target({ url, stdin, streams = mapping, key = companyKey, signal }: Given) {
  const path = join(folder, 'streams.json');
  await writeFile(path, JSON.stringify(streams));
  return runCommand(['singer-target', '--url', url, '--mapping', path], {
    stdin,
    environment: { COMPANY_KEY: key },
    ...(signal && { signal }),
  });
}

const states = (stdout: string) => stdout.split('\n').filter((line) => line !== '');

const schema = {
  type: 'SCHEMA',
  stream: 'balances',
  key_properties: ['account'],
  schema: {
    properties: {
      account: {},
      as_of: {},
      balance: { properties: { amount: {}, currency: {} } },
      closed: {},
    },
  },
};
const record = (amount: unknown = 1, more: object = {}) => ({
  type: 'RECORD',
  stream: 'balances',
  record: {
    account: '1800',
    as_of: '2026-10-31',
    balance: { amount, currency: 'EUR' },
    closed: false,
    ...more,
  },
  time_extracted: '2026-11-02T08:00:00Z',
});
const state = (value: unknown) => ({ type: 'STATE', value });
const lines = (...messages: object[]) => messages.map((one) => `${JSON.stringify(one)}\n`);

test('what a tap has read is pushed by the mapping, with every digit, and its states are written', async () => {
  const { url, received } = await started();
  const { exitCode, stdout, stderr } = await target({ url: `${url}/`, stdin: [recorded] });
  expect(stderr.split('\n')).toEqual([
    'messages of the type ACTIVATE_VERSION are left out',
    'the stream "employees" is not in the mapping, and is left out',
    '3 created, 0 revised, 0 unchanged',
    '',
  ]);
  expect(exitCode).toBe(0);
  const [push] = received;
  expect(received).toHaveLength(1);
  expect(push).toMatchObject({
    path: '/company/v1/data',
    headers: {
      authorization: `Bearer ${companyKey}`,
      'content-type': 'application/x-ndjson',
      'idempotency-key': expect.stringMatching(/^[\w-]{36}$/),
    },
  });
  expect(push?.records[0]).toContain('"raw_value":1234567890123456789.12');
  expect(push?.records[1]).toContain('"raw_value":250718.05');
  expect(push?.records.map((one) => JSON.parse(one))).toEqual([
    ...['2026-09-30', '2026-10-31'].map((period) => ({
      type: 'metric',
      key: 'cash_balance',
      currency: 'EUR',
      period,
      raw_value: expect.any(Number),
      source: { system: 'DATEV', method: 'api', last_synced: '2026-11-02T08:00:00.123Z' },
      verification: { verified: period === '2026-10-31' },
    })),
    {
      type: 'source',
      provider: 'Mercury',
      status: 'connected',
      account_name: 'Operating account',
      last_synced_at: '2026-11-02T08:00:00Z',
    },
  ]);
  const written = states(stdout);
  expect(written).toHaveLength(2);
  expect(written[0]).toContain('"last_id":9007199254740993}');
  expect(written[1]).toContain('"connections":{}');
});

test('the service takes what a recorded tap has read, and again it is unchanged', async () => {
  const [backend] = backends.toReversed();
  if (backend === undefined) throw new Error('there is no database');
  const { storage, release } = await backend.open();
  const service = await startService({ storage });
  try {
    const { company, key } = await service.fixtures.portfolio();
    await service.fixtures.grant({ company, key });
    const { secret } = await service.operator.createCompanyKey({
      companyId: company.id,
      scopes: ['data:write'],
    });
    const given = { url: service.url, stdin: [recorded], key: secret };
    const first = await target(given);
    expect(first.stderr).toMatch(/^3 created, 0 revised, 0 unchanged$/m);
    expect(states(first.stdout)).toHaveLength(2);
    expect((await target(given)).stderr).toMatch(/^0 created, 0 revised, 3 unchanged$/m);
    const { body } = await service.get(
      `/v1/companies/${company.id}/metrics/cash_balance/history`,
      key,
    );
    expect(body.data.map(({ raw_value_text }: Json) => raw_value_text)).toEqual([
      '1234567890123456789.12',
      '250718.05',
    ]);
    const bad = recorded.replace('"as_of": "2026-10-31"', '"as_of": "0000-10-31"');
    const refused = await target({ ...given, stdin: [bad] });
    expect(refused).toMatchObject({ exitCode: 1, stdout: '' });
    expect(refused.stderr).toMatch(/^stream "balances", record 2 \(line 3\): period: /m);
  } finally {
    await service.close();
    await release();
  }
});

test('a state is written when everything before it is committed, and not earlier', async () => {
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<void>();
  const { url, push } = await started((response) => {
    asked.resolve();
    void answer.promise.then(() =>
      response.end('{"object":"data_push","created":1,"revised":0,"unchanged":0}'),
    );
  });
  const stdout: string[] = [];
  const running = target({ url, stdin: lines(schema, state(0), record(), state(1)) });
  await asked.promise;
  expect((await push(1)).records).toHaveLength(1);
  stdout.push('answered');
  answer.resolve();
  expect(states((await running).stdout)).toEqual(['0', '1']);
});

test('batches have at most 1,000 records, and the states between them come in their order', async () => {
  const { url, received } = await started();
  const messages = Array.from({ length: 2_500 }, (_, index) => [record(index), state(index)]);
  const { stdout, stderr } = await target({ url, stdin: lines(schema, ...messages.flat()) });
  expect(stderr).toBe('2500 created, 0 revised, 0 unchanged\n');
  expect(received.map(({ records }) => records.length)).toEqual([1_000, 1_000, 500]);
  expect(states(stdout)).toEqual(Array.from({ length: 2_500 }, (_, index) => `${index}`));
  expect(new Set(received.map(({ headers }) => headers['idempotency-key'])).size).toBe(3);
});

test('batches have at most 1 MiB', async () => {
  const { url, received } = await started();
  const streams = structuredClone(mapping);
  Object.assign(streams.streams.balances[0]?.fields ?? {}, { label: { column: 'account_name' } });
  const long = {
    ...schema,
    schema: { properties: { ...schema.schema.properties, account_name: {} } },
  };
  const messages = Array.from({ length: 1_000 }, () =>
    record(1, { account_name: 'ä'.repeat(1_000) }),
  );
  await target({ url, streams, stdin: lines(long, ...messages) });
  expect(received.reduce((sum, { records }) => sum + records.length, 0)).toBe(1_000);
  expect(received.length).toBeGreaterThan(1);
  for (const { body } of received) {
    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(1_048_576);
  }
});

test('states that come without records are written at once, however many', async () => {
  const { url, received } = await started();
  const { stdout } = await target({ url, stdin: lines(...[1, 2, 3].map(state)) });
  expect(states(stdout)).toEqual(['1', '2', '3']);
  expect(received).toEqual([]);
});

test('states that wait for a batch to be full are bounded', async () => {
  const { url, received } = await started();
  const many = Array.from({ length: 1_000 }, (_, index) => state(index));
  await target({ url, stdin: lines(schema, record(), ...many, record(), state('end')) });
  expect(received.map(({ records }) => records.length)).toEqual([1, 1]);
});

test('a tap that goes on for hours gets its states while it does', async () => {
  const { url, received } = await started();
  const path = join(folder, 'slow.json');
  await writeFile(path, JSON.stringify(mapping));
  const written: string[] = [];
  let now = 0;
  const slow = new SingerTarget({
    mappings: await readStreamMappings(path),
    to: { url, companyKey, signal: AbortSignal.timeout(60_000), onRetry: () => undefined },
    writeState: async (value) => void written.push(value),
    tell: () => undefined,
    now: () => new Date(now),
  });
  const take = async (...messages: object[]) => {
    for (const line of lines(...messages)) await slow.take(line, 1);
  };
  await take(schema, record(), state(1));
  now = 10_000;
  await take(state(2));
  expect([received.length, written]).toEqual([0, []]);
  now = 10_001;
  await take(record(), state(3));
  expect([received.length, written]).toEqual([1, ['1', '2', '3']]);
  await take(record(), state(4));
  expect([received.length, written.length]).toEqual([1, 3]);
});

test('as a process it reads what a tap pipes into it, and tells the key nowhere', async () => {
  const { url, received } = await started();
  const path = join(folder, 'piped.json');
  await writeFile(path, JSON.stringify(mapping));
  const outcome = await spawnCli(['singer-target', '--url', url, '--mapping', path], {
    env: { COMPANY_KEY: companyKey },
    input: [recorded],
  });
  expect(outcome.exitCode).toBe(0);
  expect(states(outcome.stdout)).toHaveLength(2);
  expect(received).toHaveLength(1);
  expect(`${outcome.stdout}${outcome.stderr}`).not.toContain(companyKey);
});

test('what passes is tried again under the same key', async () => {
  const { url, received } = await started(
    { status: 429, json: refusalOf('rate_limit_exceeded', 'Too many.'), retryAfter: '0' },
    { status: 503, json: refusalOf('service_unavailable', 'Later.'), retryAfter: '0' },
    { status: 409, json: refusalOf('idempotency_key_in_use', 'In use.'), retryAfter: '0' },
    'break the connection',
  );
  const { exitCode, stdout, stderr } = await target({
    url,
    stdin: lines(schema, record(), state(1)),
  });
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: '1\n' });
  expect(received).toHaveLength(5);
  expect(new Set(received.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
  expect(new Set(received.map(({ body }) => body)).size).toBe(1);
  expect(stderr).toContain('the service answers 429 rate_limit_exceeded; tried again in 0 s\n');
  expect(stderr).toContain('the service cannot be reached (');
});

test('what does not pass ends it after ten attempts, and the state stays unwritten', async () => {
  const busy: Reply = { status: 500, retryAfter: '0' };
  const { url, received } = await started(...Array.from({ length: 20 }, () => busy));
  const outcome = await target({ url, stdin: lines(state(0), schema, record(), state(1)) });
  expect(outcome).toMatchObject({ exitCode: 1, stdout: '0\n' });
  expect(outcome.stderr).toMatch(/error: the service answers 500, 10 times; nothing of the push/);
  expect(received).toHaveLength(10);
});

test.each([
  [
    { status: 401, json: refusalOf('invalid_api_key', 'The key does not work.') },
    '401 invalid_api_key: The key',
  ],
  [
    { status: 403, json: refusalOf('insufficient_scope', 'Not allowed.') },
    '403 insufficient_scope',
  ],
  [{ status: 308 }, 'the service answers 308'],
  [{ status: 200, json: { hello: 'world' } }, 'takes no pushes: is it the service?'],
])('what no attempt would change ends it at once: %j', async (reply, reason) => {
  const { url, received } = await started(reply);
  const { exitCode, stdout, stderr } = await target({
    url,
    stdin: lines(schema, record(), state(1)),
  });
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
  expect(stderr).toContain(reason);
  expect(received).toHaveLength(1);
});

describe('a bad record ends it with exit code 1, and no state behind it is written', () => {
  test('when the mapping cannot read it; what stands before it is kept', async () => {
    const { url, received } = await started();
    const { exitCode, stdout, stderr } = await target({
      url,
      stdin: lines(schema, record(), state(1), record(2), record('three'), state(2), record()),
    });
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '1\n' });
    expect(stderr).toBe(
      'error: stream "balances", record 3 (line 5): raw_value in column "balance.amount": "three" is not a number like 1234567.89\n',
    );
    expect(received.map(({ records }) => records.length)).toEqual([2]);
  });

  test('when the service refuses it, named by its stream and number', async () => {
    const details = [
      { record: 1, param: 'period', message: 'lies outside the years 1 to 9999' },
      { record: 2, message: 'is not allowed' },
    ];
    const { url } = await started({
      status: 422,
      json: refusalOf('invalid_records', '3 records are bad.', { details, bad_records: 3 }),
    });
    const skipped = record(0, { account: '9999' });
    const { exitCode, stdout, stderr } = await target({
      url,
      stdin: lines(schema, state(0), record(), skipped, record(), state(1), record(), state(2)),
    });
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '0\n' });
    expect(stderr).toBe(
      [
        'stream "balances", record 3 (line 5): period: lies outside the years 1 to 9999',
        'stream "balances", record 4 (line 7): is not allowed',
        'and 1 more, which the service does not name',
        'error: the service refuses the last 3 records because of these\n',
      ].join('\n'),
    );
  });

  test.each([
    ['no JSON', ['{"type":\n'], 'line 1 is not JSON'],
    ['no message', ['[]\n'], 'line 1 is no Singer message'],
    ['half a message', lines({ type: 'STATE' }), 'line 1 is no STATE message: value'],
    ['a record before its schema', lines(record()), 'a record comes before its schema, in line 1'],
    ['records in files', lines({ type: 'BATCH', stream: 'balances' }), 'line 1 is a BATCH message'],
    [
      'an object where a value should be',
      lines(schema, record({ units: 1 })),
      'record 1 (line 2): "balance.amount" holds no single value',
    ],
    [
      'a property that the stream has not',
      lines({ ...schema, schema: { properties: { account: {} } } }),
      'the stream "balances" has no column "balance.currency"',
    ],
    ['a line without an end', ['x'.repeat(16_777_217)], 'line 1 is longer than 16 MiB'],
  ])('when it is %s', async (_what, stdin, reason) => {
    const { url, received } = await started();
    const outcome = await target({ url, stdin });
    expect(outcome).toMatchObject({ exitCode: 1, stdout: '' });
    expect(outcome.stderr).toContain(reason);
    expect(received).toEqual([]);
  });
});

test('an interruption ends it without the states of what is not committed', async () => {
  const interruption = new AbortController();
  const { url, push } = await started(() => undefined);
  const running = target({
    url,
    stdin: lines(state(0), schema, record(), state(1)),
    signal: interruption.signal,
  });
  await push(1);
  interruption.abort();
  expect(await running).toMatchObject({ exitCode: 130, stdout: '0\n' });
});

describe('a mapping of streams is refused', () => {
  const [balances] = mapping.streams.balances;
  test.each([
    ['without a field', [{ ...balances, fields: {} }], 'streams.balances.0.fields.key: is missing'],
    [
      'of what is not pushed',
      [{ type: 'portfolio', fields: { investor_id: { value: 'inv_1' } } }],
      'streams.balances.0.type: is pushed as metric, source, account only',
    ],
    [
      'by positions',
      [{ ...balances, fields: { ...balances?.fields, label: { column: 1 } } }],
      'streams.balances.0.fields.label: names a property, not a position',
    ],
    ['by columns of a file', [{ ...balances, period_columns: { days: {} } }], 'period_columns'],
  ])('%s', async (_what, records, reason) => {
    const outcome = await target({
      url: 'http://127.0.0.1:9',
      stdin: [],
      streams: { streams: { balances: records } },
    });
    expect(outcome.exitCode).toBe(1);
    expect(outcome.stderr).toContain(reason);
  });
});

test('a stream without records in the mapping is left out without a word', async () => {
  const { url, received } = await started();
  const { stderr } = await target({
    url,
    streams: { streams: { balances: [] } },
    stdin: lines(schema, record()),
  });
  expect(stderr).toBe('0 created, 0 revised, 0 unchanged\n');
  expect(received).toEqual([]);
});

test('amounts that are numbers are read whatever the decimal mark of texts is', async () => {
  const { url, received } = await started();
  const numbers = { decimal_mark: ',', thousands_separator: '.' };
  const stdin = lines(schema, record('1.234,5'), record(1234.5), record(1e-7), record(null));
  const streams = structuredClone({ ...mapping, numbers });
  Object.assign(streams.streams.balances[0]?.fields ?? {}, {
    raw_value: { column: 'balance.amount', empty: 'skip' },
  });
  await target({ url, stdin, streams });
  expect(received[0]?.records.map((one) => /"raw_value":([^,}]+)/.exec(one)?.[1])).toEqual([
    '1234.5',
    '1234.5',
    '0.0000001',
  ]);
});

test.each([
  [{ COMPANY_KEY: '' }, 'http://127.0.0.1:9', 'COMPANY_KEY must be set'],
  [{ COMPANY_KEY: companyKey }, 'ftp://127.0.0.1', '--url must be like'],
])('without a key and an address it is wrong usage: %j %s', async (environment, url, reason) => {
  const outcome = await runCommand(['singer-target', '--url', url, '--mapping', 'm.json'], {
    environment,
  });
  expect(outcome.exitCode).toBe(2);
  expect(outcome.stderr).toContain(reason);
});
