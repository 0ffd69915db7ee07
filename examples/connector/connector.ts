// Reads the balances of a ledger, from a CSV file or an HTTP API, and pushes them to Portfolio Access.
//   node connector.ts ledger.csv
//   node connector.ts http://127.0.0.1:4010/balances
import { createHash, randomUUID } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';

/** A line of the ledger. The balance is text, so that no digit of it is lost. */
export interface Row {
  readonly account: string;
  readonly date: string;
  readonly balance: string;
  /** When the ledger said so. Never the time of this run, or each run would push other values. */
  readonly exported_at: string;
}

interface Mapping {
  readonly system: string;
  /** What each account is; others are not pushed. */
  readonly accounts: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

interface Batch {
  /** The numbers of its records in the ledger, from 1. */
  readonly numbers: readonly number[];
  readonly body: string;
}

const maxRecords = 1_000;
const maxBytes = 1_048_576;
const attempts = 8;

/** What somebody has to correct before it can go on. */
class Stop extends Error {}

// --- Reading

export function rowsOf(csv: string): Row[] {
  const cells = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/y;
  const lines: string[][] = [[]];
  while (cells.lastIndex < csv.length) {
    const match = cells.exec(csv);
    if (match === null) throw new Stop(`line ${lines.length} has a broken quote`);
    lines.at(-1)?.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? '');
    if (match[3] !== ',') lines.push([]);
  }
  const [header = [], ...rows] = lines.filter((line) => line.length > 0);
  return rows.map(
    (row) => Object.fromEntries(header.map((name, at) => [name, row[at] ?? ''])) as unknown as Row,
  );
}

async function* readLedger(from: string): AsyncGenerator<Row> {
  if (!/^https?:/.test(from)) return yield* rowsOf(await readFile(from, 'utf8'));
  let next: number | null = 0;
  while (next !== null) {
    const answer = await request(`${from}?from=${next}`);
    const text = await answer.text();
    if (answer.status !== 200) throw new Stop(`the ledger answers ${answer.status}: ${text}`);
    const page: { balances: Row[]; next: number | null } = JSON.parse(text);
    yield* page.balances;
    next = page.next;
  }
}

// --- Mapping

/** The record of a row as JSON; null for what is not pushed. */
function toRecord(row: Row, number: number, mapping: Mapping, method: string): string | null {
  const metric = mapping.accounts[row.account];
  if (metric === undefined) return null;
  if (!/^-?\d+(\.\d+)?$/.test(row.balance)) {
    throw new Stop(`record ${number}: "${row.balance}" is no amount`);
  }
  const source = { system: mapping.system, method, last_synced: row.exported_at };
  const record = { type: 'metric', ...metric, period: row.date, source };
  const amount = row.balance.replace(/^(-?)0+(?=\d)/, '$1');
  return `${JSON.stringify(record).slice(0, -1)},"raw_value":${amount}}`;
}

async function* toBatches(
  rows: AsyncIterable<Row>,
  mapping: Mapping,
  method: string,
): AsyncGenerator<Batch> {
  let numbers: number[] = [];
  let records: string[] = [];
  let bytes = 0;
  const batch = () => ({ numbers, body: `{"records":[${records.join()}]}` });
  const empty = Buffer.byteLength('{"records":[]}');
  let number = 0;
  for await (const row of rows) {
    number += 1;
    const record = toRecord(row, number, mapping, method);
    if (record === null) continue;
    const size = Buffer.byteLength(record) + 1;
    if (records.length === maxRecords || (records.length > 0 && empty + bytes + size > maxBytes)) {
      yield batch();
      [numbers, records, bytes] = [[], [], 0];
    }
    numbers.push(number);
    records.push(record);
    bytes += size;
  }
  if (records.length > 0) yield batch();
}

// --- Pushing

/** Tries again what passes: no network, too many requests, a service that is not there for a moment. */
async function request(url: string, options: RequestInit = {}): Promise<Response> {
  for (let attempt = 1; ; attempt += 1) {
    let problem: string;
    let seconds: number | null = null;
    try {
      const answer = await fetch(url, {
        ...options,
        redirect: 'manual',
        signal: AbortSignal.timeout(60_000),
      });
      const isInUse = answer.status === 409 && options.method === 'POST';
      if (answer.status !== 429 && answer.status < 500 && !isInUse) return answer;
      problem = `${url} answers ${answer.status}`;
      const asked = Number.parseInt(answer.headers.get('retry-after') ?? '', 10);
      if (asked >= 0) seconds = Math.min(asked, 300);
      await answer.body?.cancel();
    } catch (error) {
      const { cause = error } = error as Error;
      problem = `${url} cannot be reached: ${cause instanceof Error ? cause.message : cause}`;
    }
    if (attempt === attempts) throw new Stop(`${problem}, ${attempts} times`);
    // Between half of it and all of it, so that many connectors do not come again together.
    seconds ??= Math.min(0.5 * 2 ** (attempt - 1), 60) * (0.5 + Math.random() / 2);
    console.error(`${problem}; tried again in ${seconds.toFixed(1)} s`);
    await pause(seconds * 1_000);
  }
}

/** The key under which a batch is pushed, kept before it is: whoever is killed in between sends the same again. */
async function keyFor(body: string, statePath: string): Promise<string> {
  const digest = createHash('sha256').update(body).digest('hex');
  const state = await readFile(statePath, 'utf8').then(JSON.parse, () => ({}));
  if (state.digest === digest) return state.key;
  const key = randomUUID();
  await writeFile(`${statePath}.new`, JSON.stringify({ digest, key }), { flush: true });
  await rename(`${statePath}.new`, statePath);
  return key;
}

async function push({ numbers, body }: Batch, { url, key, statePath }: Settings): Promise<void> {
  const answer = await request(`${url}/company/v1/data`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'idempotency-key': await keyFor(body, statePath),
    },
    body,
  });
  const text = await answer.text();
  await rm(statePath, { force: true });
  if (answer.status === 200) {
    const { created, revised, unchanged } = JSON.parse(text);
    console.log(`${created} created, ${revised} revised, ${unchanged} unchanged`);
    return;
  }
  if (!text.startsWith('{"error"')) throw new Stop(`the service answers ${answer.status}: ${text}`);
  const { error } = JSON.parse(text);
  const bad: { record: number; param?: string; message: string }[] = error.details ?? [];
  const lines = bad.map((one) =>
    [`record ${numbers[one.record]}`, one.param, one.message].filter(Boolean).join(': '),
  );
  // The message counts the records of the push, not those of the ledger.
  const message = lines.length > 0 ? 'nothing of this push is taken' : error.message;
  throw new Stop([`${answer.status} ${error.code}: ${message}`, ...lines].join('\n'));
}

// --- Running

interface Settings {
  readonly url: string;
  readonly key: string;
  readonly statePath: string;
}

function setting(name: string, otherwise?: string): string {
  const value = process.env[name] || otherwise;
  if (value === undefined) throw new Stop(`${name} must be set`);
  return value;
}

async function main([from]: readonly string[]): Promise<void> {
  if (from === undefined) throw new Stop('name a CSV file or the address of an API');
  const settings = {
    url: setting('PORTFOLIO_ACCESS_URL').replace(/\/+$/, ''),
    key: setting('COMPANY_KEY'),
    statePath: setting('STATE_FILE', 'connector-state.json'),
  };
  const mapping = JSON.parse(await readFile(new URL('mapping.json', import.meta.url), 'utf8'));
  const method = /^https?:/.test(from) ? 'api' : 'file';
  for await (const batch of toBatches(readLedger(from), mapping, method)) {
    await push(batch, settings);
  }
}

if (import.meta.main) {
  try {
    await main(process.argv.slice(2));
  } catch (error) {
    console.error(error instanceof Stop ? error.message : error);
    process.exitCode = 1;
  }
}
