// @module-tag full
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';
import {
  type PushReceiver,
  type Reply,
  refusalOf,
  startPushReceiver,
} from '../support/push-receiver.ts';

const program = fileURLToPath(
  new URL('../../examples/singer-target/singer-target.ts', import.meta.url),
);
const companyKey = `svc_ck_live_${'a'.repeat(32)}`;

let receiver: PushReceiver;
afterEach(() => receiver.close());

const row = (account: string, amount = '1.5') =>
  `{"type":"RECORD","stream":"balances","record":{"account":"${account}","as_of":"2026-09-30","balance":{"amount":${amount},"currency":"EUR"},"updated_at":"2026-11-01T04:00:00Z"}}`;
const state = (number: number) => `{"type":"STATE","value":${number}}`;

/** The target reads lines until its input ends. */
async function start(...replies: (Reply | undefined)[]) {
  receiver = await startPushReceiver(replies);
  const env = { ...process.env, COMPANY_KEY: companyKey, PORTFOLIO_ACCESS_URL: receiver.url };
  const child = spawn(process.execPath, [program], { env });
  const [stdout, stderr, exit] = [text(child.stdout), text(child.stderr), once(child, 'exit')];
  return {
    write: (...lines: string[]) => child.stdin.write(lines.map((line) => `${line}\n`).join('')),
    async end() {
      child.stdin.end();
      const [code] = await exit;
      return { code, states: (await stdout).split('\n').slice(0, -1), said: await stderr };
    },
  };
}

async function run(lines: readonly string[], ...replies: (Reply | undefined)[]) {
  const target = await start(...replies);
  target.write(...lines);
  return target.end();
}

test('the target pushes all records of a real tap with every digit, and then writes the tap’s state', async () => {
  const lines = (await readFile(new URL('recorded-tap.jsonl', import.meta.url), 'utf8')).trim();
  const { code, states, said } = await run(lines.split('\n'));
  expect(code).toBe(0);
  expect(receiver.received[0]?.headers.authorization).toBe(`Bearer ${companyKey}`);
  expect(receiver.received.flatMap(({ records }) => records)[0]).toBe(
    '{"type":"metric","key":"cash_operating","period":"2026-09-30","raw_value":1234567890123456789.12,"currency":"EUR","source":{"system":"DATEV","method":"api","last_synced":"2026-11-01T04:00:00.000000Z"}}',
  );
  expect(states.at(-1)).toContain('"last_id":9007199254740993');
  expect(said).not.toContain(companyKey);
});

test('a state is written only after all records before it are committed', async () => {
  const rows = Array.from({ length: 1_000 }, () => row('1810'));
  const { code, states } = await run([row('1800'), state(1), ...rows, state(2)], undefined, {
    status: 400,
  });
  expect(code).toBe(1);
  expect(states).toEqual(['1']);
});

test('a push has at most 1,000 records and 1 MiB', async () => {
  await run(Array.from({ length: 1_001 }, () => row('1800')));
  expect(receiver.received.map(({ records }) => records.length)).toEqual([1_000, 1]);
});

test('temporary failures are retried with the same idempotency key', async () => {
  const { code } = await run(
    [row('1800')],
    { status: 503, retryAfter: '0.01' },
    { status: 409, retryAfter: '0.01' },
  );
  expect(code).toBe(0);
  const keys = receiver.received.map(({ headers }) => headers['idempotency-key']);
  expect(keys).toHaveLength(3);
  expect(new Set(keys).size).toBe(1);
});

describe('the target', () => {
  const refused = refusalOf('invalid_request', 'nothing of this push was applied', {
    details: [{ record: 1, param: 'period', message: 'is in the future' }],
  });
  test.each([
    {
      why: 'if the service refuses a record, which is named by its stream and line',
      lines: [row('1800'), row('9999'), row('1810'), state(1)],
      replies: [{ status: 400, json: refused }],
      said: 'stream "balances", line 3: period: is in the future',
      states: [],
    },
    {
      why: 'if a line isn’t JSON, but pushes the earlier lines',
      lines: [row('1800'), state(1), 'tap started', state(2)],
      replies: [],
      said: "line 3 can't be read",
      states: ['1'],
    },
    {
      why: 'if the records are in files',
      lines: [state(1), '{"type":"BATCH","stream":"balances"}', state(2)],
      replies: [],
      said: 'BATCH messages are not read',
      states: ['1'],
    },
  ])(
    'exits with 1, and writes no state after the error, $why',
    async ({ lines, replies, said, states }) => {
      const result = await run(lines, ...replies);
      expect(result).toMatchObject({ code: 1, states });
      expect(result.said).toContain(said);
    },
  );
});

test('each unknown stream or message type is reported once', async () => {
  const unknown = '{"type":"RECORD","stream":"loans","record":{}}';
  const { code, said } = await run([unknown, unknown, '{"type":"ACTIVATE_VERSION"}', state(1)]);
  expect(code).toBe(0);
  expect(said.split('\n').slice(0, 2)).toEqual([
    'streams.ts has no stream "loans": it is left out',
    'messages of the type ACTIVATE_VERSION are left out',
  ]);
});
