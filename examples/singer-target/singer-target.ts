// Pushes the output of a Singer tap to Portfolio Access.
// tap-ledger --config tap.json | node singer-target.ts > states.jsonl
import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { streams } from './streams.ts';

const maxRecords = 1_000;
const maxBytes = 1_048_576;
/** All waiting records are pushed if a STATE message arrives after the oldest record has waited longer. */
const maxWaitMilliseconds = 10_000;
const attempts = 10;

/** An error that a person must correct, so the program stops. */
class Stop extends Error {}

const { COMPANY_KEY, PORTFOLIO_ACCESS_URL = '' } = process.env;
if (!COMPANY_KEY || !URL.canParse(PORTFOLIO_ACCESS_URL)) {
  console.error('set PORTFOLIO_ACCESS_URL to the address of the service, and COMPANY_KEY');
  process.exit(2);
}

/** The records that wait for the next push, each with its line number in the tap's output. */
let waiting: { readonly json: string; readonly place: string }[] = [];
let waitingBytes = 0;
let waitingSince = 0;
let state: string | null = null;
const total: Record<string, number> = { created: 0, revised: 0, unchanged: 0 };
const warnings = new Set<string>();

function warnOnce(text: string): void {
  if (!warnings.has(text)) console.error(text);
  warnings.add(text);
}

/** Repeats the push until the service answers. With the idempotency key, the service applies the push only once. */
async function send(body: string): Promise<{ readonly status: number; readonly text: string }> {
  const headers = {
    authorization: `Bearer ${COMPANY_KEY}`,
    'content-type': 'application/x-ndjson',
    'idempotency-key': randomUUID(),
  };
  for (let attempt = 1; ; attempt += 1) {
    let problem: string;
    let seconds = Math.min(0.5 * 2 ** attempt, 60) * (0.5 + Math.random() / 2);
    try {
      const signal = AbortSignal.timeout(60_000);
      const url = new URL('/company/v1/data', PORTFOLIO_ACCESS_URL);
      const answer = await fetch(url, {
        method: 'POST',
        headers,
        body,
        redirect: 'manual',
        signal,
      });
      const text = await answer.text();
      // The status 409 means that the same push is still in progress.
      if (![409, 429].includes(answer.status) && answer.status < 500)
        return { status: answer.status, text };
      problem = `the service answers ${answer.status}`;
      seconds = Number(answer.headers.get('retry-after')) || seconds;
    } catch (error) {
      problem = `the service cannot be reached: ${(error as Error).cause ?? error}`;
    }
    if (attempt === attempts) throw new Stop(`${problem}, ${attempts} times`);
    console.error(`${problem}; the next attempt is in ${seconds.toFixed(1)} s`);
    await pause(seconds * 1_000);
  }
}

/** Writes the last state after the push. All records before a written state are stored. */
async function flush(): Promise<void> {
  const [batch, after] = [waiting, state];
  [waiting, state] = [[], null];
  waitingBytes = 0;
  if (batch.length > 0) {
    const { status, text } = await send(batch.map(({ json }) => `${json}\n`).join(''));
    if (status !== 200) throw new Stop(refusal(status, text, batch));
    const counts: Record<string, number> = JSON.parse(text);
    for (const name of Object.keys(total)) total[name] = (total[name] ?? 0) + (counts[name] ?? 0);
  }
  if (after !== null) process.stdout.write(`${after}\n`);
}

/** Names each invalid record with its line number in the tap's output. */
function refusal(status: number, text: string, batch: typeof waiting): string {
  if (!text.startsWith('{"error"')) return `the service answers ${status}: ${text}`;
  const { error } = JSON.parse(text);
  const details: { record: number; param?: string; message: string }[] = error.details ?? [];
  const lines = details.map(({ record, param, message }) =>
    [batch[record]?.place, param, message].filter(Boolean).join(': '),
  );
  return [`the service refuses these ${batch.length} records: ${error.message}`, ...lines].join(
    '\n',
  );
}

async function keep(stream: string, row: unknown, line: number): Promise<void> {
  const read = Object.hasOwn(streams, stream) ? streams[stream] : undefined;
  if (read === undefined) return warnOnce(`streams.ts has no stream "${stream}": it is left out`);
  for (const one of read(row as never)) {
    const json = JSON.stringify(one);
    const size = Buffer.byteLength(json) + 1;
    if (size > maxBytes) throw new Stop(`line ${line}: the record is longer than a push may be`);
    if (waiting.length === maxRecords || waitingBytes + size > maxBytes) await flush();
    if (waiting.length === 0) waitingSince = Date.now();
    waiting.push({ json, place: `stream "${stream}", line ${line}` });
    waitingBytes += size;
  }
}

const keepDigits = (_: string, value: unknown, { source }: { source?: string } = {}) =>
  typeof value === 'number' && source !== undefined ? JSON.rawJSON(source) : value;

async function take(text: string, line: number): Promise<void> {
  const message = JSON.parse(text, keepDigits);
  switch (message.type) {
    case 'SCHEMA':
      return;
    case 'RECORD':
      return keep(message.stream, message.record, line);
    case 'STATE': {
      state = JSON.stringify(message.value);
      const isOld = Date.now() - waitingSince > maxWaitMilliseconds;
      return waiting.length === 0 || isOld ? flush() : undefined;
    }
    case 'BATCH':
      // This message can't be skipped: its records would be lost, but the next state would claim that they are stored.
      throw new Stop('BATCH messages are not read: have the tap write RECORD messages');
    default:
      warnOnce(`messages of the type ${message.type} are left out`);
  }
}

try {
  let line = 0;
  for await (const text of createInterface({ input: process.stdin })) {
    line += 1;
    try {
      await take(text, line);
    } catch (error) {
      // The records from earlier lines are valid.
      await flush();
      throw error instanceof Stop ? error : new Stop(`line ${line} can't be read: ${error}`);
    }
  }
  await flush();
  const { created, revised, unchanged } = total;
  console.error(`${created} created, ${revised} revised, ${unchanged} unchanged`);
} catch (error) {
  console.error(error instanceof Stop ? error.message : error);
  process.exitCode = 1;
}
