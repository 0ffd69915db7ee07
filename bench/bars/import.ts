import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { finished } from 'node:stream/promises';
import { defaultSizes } from '../data/sizes.ts';
import type { LoadRequest } from '../load/requests.ts';
import { root } from '../migrate.ts';
import { readOptions } from '../options.ts';
import { startProgram } from '../program.ts';
import { readPeakResidentSize } from '../resident-size.ts';
import { say, withSetting } from '../setting.ts';
import { plainEnvironment } from '../settings.ts';
import { workloads } from '../workloads.ts';

/**
 * What signing costs an import of so many values: how long it takes with a signing key and without, how large the
 * process becomes, and what a reader of the service feels of it. Then the same lines with other amounts: each is a new
 * revision.
 */
const { numbers } = readOptions(
  { lines: 1_000_000, rounds: 1, quietSeconds: 20, readsPerSecond: 50 },
  { lines: 20_000, quietSeconds: 3 },
);
const bars = { ratio: 3, mebibytes: 300 };
const keysOfCompany = 10;
const periods = 1_000;
const lookMilliseconds = 100;

/** The key of RFC 8037, which is no secret. */
const privateKey = {
  kty: 'OKP',
  crv: 'Ed25519',
  d: 'nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A',
  x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
};

interface Import {
  readonly seconds: number;
  readonly mebibytes: number;
  readonly reads: string;
}

const sizes = { ...defaultSizes, companies: 60, requests: 6_000, points: 20_000, longHistories: 0 };
await withSetting(sizes, async (setting) => {
  const keyFile = join(setting.folder, 'signing-key.json');
  writeFileSync(keyFile, JSON.stringify(privateKey), { mode: 0o600 });
  const service = await startProgram('ours', setting);
  const requests = workloads.metrics.requests(setting.world, 'ours');

  async function runImport(name: string, amount: number, isSigned: boolean): Promise<Import> {
    const file = join(setting.folder, 'lines.ndjson');
    await writeLines(file, name, amount);
    const startedAt = performance.now();
    // As `npm run cli` starts it.
    const command = ['cli/main.ts', 'import', file, '--json'];
    const child = spawn(process.execPath, command, {
      cwd: root,
      env: {
        ...plainEnvironment,
        DATABASE_URL: setting.databaseUrl,
        ...(isSigned && { SIGNING_KEY_FILE: keyFile }),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const mebibytes = watchPeak(child);
    const { code, reads } = await readUntil(service.port, requests, ended(child));
    if (code !== 0) throw new Error(`the import ended with ${code}`);
    const seconds = (performance.now() - startedAt) / 1_000;
    const result: Import = { seconds, mebibytes: mebibytes(), reads };
    say(`${name}: ${seconds.toFixed(1)} s, ${result.mebibytes} MiB, reads meanwhile: ${reads}`);
    return result;
  }

  const quiet = new Promise<number>((resolve) =>
    setTimeout(resolve, numbers.quietSeconds * 1_000, 0),
  );
  say(`reads while nothing is imported: ${(await readUntil(service.port, requests, quiet)).reads}`);
  for (let round = 1; round <= numbers.rounds; round += 1) {
    // Whoever comes second finds larger tables, so they take turns.
    const order = round % 2 === 1 ? [false, true] : [true, false];
    const first = new Map<boolean, Import>();
    const changed = new Map<boolean, Import>();
    for (const isSigned of order) {
      const name = `${isSigned ? 'signed' : 'unsigned'}_${round}`;
      first.set(isSigned, await runImport(name, 1, isSigned));
    }
    for (const isSigned of order) {
      const name = `${isSigned ? 'signed' : 'unsigned'}_${round}`;
      changed.set(isSigned, await runImport(name, 2, isSigned));
    }
    for (const [what, imports] of Object.entries({ 'new values': first, corrections: changed })) {
      const [without, having] = [imports.get(false), imports.get(true)];
      if (!without || !having) throw new Error('both were imported');
      const ratio = having.seconds / without.seconds;
      say(`${what}: ${ratio.toFixed(2)} times the time without signing (bar ${bars.ratio})`);
      if (ratio > bars.ratio || having.mebibytes > bars.mebibytes) process.exitCode = 1;
    }
  }
  await service.stop();
});

async function writeLines(file: string, name: string, amount: number): Promise<void> {
  const stream = createWriteStream(file);
  const companies = Math.ceil(numbers.lines / (keysOfCompany * periods));
  let left = numbers.lines;
  for (let company = 0; company < companies; company += 1) {
    const id = `co_${name}_${company}`;
    const lines = [JSON.stringify({ type: 'company', id, name: id, environment: 'live' })];
    for (let key = 0; key < keysOfCompany; key += 1) {
      for (let day = 0; day < periods && left > 0; day += 1, left -= 1) {
        const period = new Date(Date.UTC(2020, 0, 1 + day)).toISOString().slice(0, 10);
        lines.push(
          JSON.stringify({
            type: 'metric',
            company_id: id,
            key: `metric_${key}`,
            label: `Metric ${key}`,
            currency: 'USD',
            period,
            source: { system: 'Mercury', method: 'api', last_synced: `${period}T23:59:59Z` },
            verification: { verified: true },
            confidence: 'high',
            raw_value: amount + day + key / 100,
            category: 'liquidity',
            as_of: `${period}T23:59:59Z`,
          }),
        );
      }
    }
    if (!stream.write(`${lines.join('\n')}\n`)) await once(stream, 'drain');
  }
  stream.end();
  await finished(stream);
}

async function ended(child: ChildProcess): Promise<number | null> {
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const [code] = await once(child, 'close');
  say(output.trim());
  return code;
}

/** The largest that the process was, in MiB. */
function watchPeak({ pid = 0 }: ChildProcess): () => number {
  let peak = 0;
  const timer = setInterval(() => {
    peak = Math.max(peak, readPeakResidentSize(pid));
  }, lookMilliseconds);
  return () => {
    clearInterval(timer);
    return peak;
  };
}

/** Reads so many times a second, whatever becomes of those before, and tells how long they took. */
async function readUntil(
  port: number,
  requests: readonly LoadRequest[],
  end: Promise<number | null>,
): Promise<{ readonly code: number | null; readonly reads: string }> {
  const times: number[] = [];
  const under = new Set<Promise<void>>();
  const read = async ({ path, key }: LoadRequest): Promise<void> => {
    const startedAt = performance.now();
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      headers: { authorization: `Bearer ${key}` },
    });
    await answer.arrayBuffer();
    if (answer.status !== 200) throw new Error(`a read was answered with ${answer.status}`);
    times.push(performance.now() - startedAt);
  };
  let next = 0;
  const timer = setInterval(() => {
    const reading = read(requests[next % requests.length] as LoadRequest);
    next += 1;
    under.add(reading);
    void reading.finally(() => under.delete(reading));
  }, 1_000 / numbers.readsPerSecond);
  const code = await end;
  clearInterval(timer);
  await Promise.all(under);
  times.sort((a, b) => a - b);
  const at = (share: number) => (times[Math.floor(share * (times.length - 1))] ?? 0).toFixed(1);
  const text = `${times.length}, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, worst ${at(1)} ms`;
  return { code, reads: text };
}
