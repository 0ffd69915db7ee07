// Reads the balances of a ledger and pushes them to Portfolio Access. The ledger is a CSV file or an HTTP API.
//   node connector.ts ledger.csv
//   node connector.ts http://127.0.0.1:4010/balances
import { createHash, randomUUID } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';

/** A row of the ledger. The balance is text, so that it keeps all digits. */
export interface Row {
  readonly account: string;
  readonly date: string;
  readonly balance: string;
  /**
   * The time at which the ledger exported the row. With the time of this run instead, each run would push changed
   * values.
   */
  readonly exported_at: string;
}

interface Mapping {
  readonly system: string;
  /** For each account, the fields of the record to push. Rows of other accounts aren't pushed. */
  readonly accounts: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

interface Batch {
  /** For each record, its row number in the ledger, starting at 1. */
  readonly numbers: readonly number[];
  readonly body: string;
}

const maxRecords = 1_000;
const maxBytes = 1_048_576;
const attempts = 8;

/** An error that a person must correct, so the connector stops. */
class Stop extends Error {}

// --- Reading

const columns = ['account', 'date', 'balance', 'exported_at'] as const;

/** Without this check, a ledger with a renamed column would look empty. */
function requireColumns(header: readonly string[], where = 'the first line'): void {
  const missing = columns.filter((name) => !header.includes(name));
  if (missing.length === 0) return;
  throw new Stop(`${where} has no ${missing.join(', ')}, but ${header.join(', ') || 'nothing'}`);
}

export function rowsOf(text: string): Row[] {
  // Removes the byte-order mark that spreadsheet programs write at the start of a file.
  const csv = text.replace(/^\ufeff/, '');
  const cells = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/y;
  const lines: string[][] = [[]];
  while (cells.lastIndex < csv.length) {
    const match = cells.exec(csv);
    if (match === null) throw new Stop(`line ${lines.length} has a broken quote`);
    lines.at(-1)?.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? '');
    if (match[3] !== ',') lines.push([]);
  }
  const [header = [], ...rows] = lines.filter((line) => line.length > 0);
  requireColumns(header);
  return rows.map(
    (row) => Object.fromEntries(header.map((name, at) => [name, row[at] ?? ''])) as unknown as Row,
  );
}

async function* readLedger(from: string): AsyncGenerator<Row> {
  if (!/^https?:/.test(from)) return yield* rowsOf(await readFile(from, 'utf8'));
  let next: number | null = 0;
  while (next !== null) {
    const { status, text } = await request(`${from}?from=${next}`);
    if (status !== 200) throw new Stop(`the ledger answers ${status}: ${text}`);
    const page: { balances: Row[]; next: number | null } = JSON.parse(text);
    for (const row of page.balances) {
      requireColumns(Object.keys(row), 'a balance');
      yield row;
    }
    next = page.next;
  }
}

// --- Mapping

/** Returns JSON, or null for a row that isn't pushed. */
function toRecord(row: Row, number: number, mapping: Mapping, method: string): string | null {
  const metric = mapping.accounts[row.account];
  if (metric === undefined) return null;
  if (!/^-?\d+(\.\d+)?$/.test(row.balance)) {
    throw new Stop(`record ${number}: "${row.balance}" is not an amount`);
  }
  const source = { system: mapping.system, method, last_synced: row.exported_at };
  const record = { type: 'metric', ...metric, period: row.date, source };
  const amount = row.balance.replace(/^(-?)0+(?=\d)/, '$1');
  return `${JSON.stringify(record).slice(0, -1)},"raw_value":${amount}}`;
}

/** Counts rows that aren't pushed in `leftOut`, by account. */
async function* toBatches(
  rows: AsyncIterable<Row>,
  mapping: Mapping,
  method: string,
  leftOut: Map<string, number>,
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
    if (record === null) {
      leftOut.set(row.account, (leftOut.get(row.account) ?? 0) + 1);
      continue;
    }
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

/** Repeats the request after a temporary error: no network, too many requests, or an unavailable service. */
async function request(
  url: string,
  options: RequestInit = {},
): Promise<{ readonly status: number; readonly text: string }> {
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
      if (answer.status !== 429 && answer.status < 500 && !isInUse) {
        // The connection can also break during the response.
        return { status: answer.status, text: await answer.text() };
      }
      problem = `${url} answers ${answer.status}`;
      const asked = Number.parseInt(answer.headers.get('retry-after') ?? '', 10);
      if (asked >= 0) seconds = Math.min(asked, 300);
      await answer.body?.cancel();
    } catch (error) {
      const { cause = error } = error as Error;
      problem = `${url} cannot be reached: ${cause instanceof Error ? cause.message : cause}`;
    }
    if (attempt === attempts) throw new Stop(`${problem}, ${attempts} times`);
    // A random delay, so that many connectors don't retry at the same time.
    seconds ??= Math.min(0.5 * 2 ** (attempt - 1), 60) * (0.5 + Math.random() / 2);
    console.error(`${problem}; tried again in ${seconds.toFixed(1)} s`);
    await pause(seconds * 1_000);
  }
}

/** Batches that were sent but have no response yet. The key is the row number of a batch's first record. */
type State = Record<string, { readonly digest: string; readonly key: string }>;

const readState = (path: string): Promise<State> =>
  readFile(path, 'utf8').then(JSON.parse, () => ({}));

async function writeState(path: string, state: State): Promise<void> {
  await writeFile(`${path}.new`, JSON.stringify(state), { flush: true });
  await rename(`${path}.new`, path);
}

/**
 * Stores the key before the push. After a crash, the next run sends the same batch with the same key, so the service
 * doesn't apply the batch twice.
 */
async function keyFor({ numbers: [first = 0], body }: Batch, statePath: string): Promise<string> {
  const digest = createHash('sha256').update(body).digest('hex');
  const state = await readState(statePath);
  const kept = state[first];
  if (kept?.digest === digest) return kept.key;
  const key = randomUUID();
  await writeState(statePath, { ...state, [first]: { digest, key } });
  return key;
}

async function forgetKey({ numbers: [first = 0] }: Batch, statePath: string): Promise<void> {
  const { [first]: _, ...others } = await readState(statePath);
  await writeState(statePath, others);
}

async function push(batch: Batch, { url, key, statePath }: Settings): Promise<void> {
  const { numbers, body } = batch;
  const { status, text } = await request(`${url}/company/v1/data`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'idempotency-key': await keyFor(batch, statePath),
    },
    body,
  });
  await forgetKey(batch, statePath);
  if (status === 200) {
    const { created, revised, unchanged } = JSON.parse(text);
    console.log(`${created} created, ${revised} revised, ${unchanged} unchanged`);
    return;
  }
  if (!text.startsWith('{"error"')) throw new Stop(`the service answers ${status}: ${text}`);
  const { error } = JSON.parse(text);
  const bad: { record: number; param?: string; message: string }[] = error.details ?? [];
  const lines = bad.map((one) =>
    [`record ${numbers[one.record]}`, one.param, one.message].filter(Boolean).join(': '),
  );
  // The service's message counts the records in this push, but the user needs the rows of the ledger.
  const message = lines.length > 0 ? 'nothing of this push is taken' : error.message;
  throw new Stop([`${status} ${error.code}: ${message}`, ...lines].join('\n'));
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
  const leftOut = new Map<string, number>();
  for await (const batch of toBatches(readLedger(from), mapping, method, leftOut)) {
    await push(batch, settings);
  }
  await rm(settings.statePath, { force: true });
  for (const [account, count] of leftOut) {
    console.log(`${count} left out: mapping.json has no account "${account}"`);
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
