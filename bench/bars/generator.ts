import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { LoadRequest } from '../load/requests.ts';
import { runLoad } from '../load/run.ts';
import { describeMachine } from '../machine.ts';
import { readOptions } from '../options.ts';
import { startProgram } from '../program.ts';
import { writeReport } from '../report/index.ts';
import { type Generator, writeResult } from '../results.ts';
import { say } from '../setting.ts';
import { redisUrl } from '../settings.ts';

/**
 * Whether our load generator can be believed: beside others on a constant answer, and on a server that stands still
 * now and then.
 */
const { numbers, out, isSmoke } = readOptions({ seconds: 9, connections: 64 }, { seconds: 6 });
const { seconds, connections } = numbers;
const stallMilliseconds = 500;
const stallRate = 500;

type Comparison = Generator['comparisons'][number];

const folder = mkdtempSync(join(tmpdir(), 'bench-'));
const requestsFile = join(folder, 'requests.json');
const request: LoadRequest = { method: 'GET', path: '/', key: 'none', minBytes: 1 };
writeFileSync(requestsFile, JSON.stringify([request]));
const start = (program: 'static' | 'stalling') =>
  startProgram(program, { databaseUrl: '', redisUrl, role: '', logFolder: folder });

try {
  const machine = await describeMachine();
  const constant = await start('static');
  const comparisons: Comparison[] = [];
  for (const compare of [askByOurs, askByAutocannon, askByWrk]) {
    const comparison = await compare(constant.port);
    if (comparison !== null) comparisons.push(comparison);
    say(JSON.stringify(comparison));
  }
  await constant.stop();
  writeResult(out, 'generator', {
    machine,
    command: ['node bench/bars/generator.ts', ...process.argv.slice(2)].join(' '),
    isSmoke,
    comparisons,
    stall: await askWhatStalls(),
  });
  say(`the report is in ${writeReport(out)}`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function askByOurs(port: number): Promise<Comparison> {
  const load = { port, requestsFile, connections, rate: null, warmupSeconds: 1, seconds };
  const { requestsPerSecond, latency } = await runLoad(load);
  return { tool: 'ours', requestsPerSecond, p50: latency.p50, p99: latency.p99 };
}

async function askByAutocannon(port: number): Promise<Comparison> {
  const program = fileURLToPath(import.meta.resolve('autocannon'));
  const { stdout } = spawnSync(
    process.execPath,
    [program, '--json', '-c', `${connections}`, '-d', `${seconds}`, `http://127.0.0.1:${port}/`],
    { encoding: 'utf8' },
  );
  const { requests, latency } = JSON.parse(stdout);
  return {
    tool: 'autocannon',
    requestsPerSecond: requests.average,
    p50: latency.p50,
    p99: latency.p99,
  };
}

/** Null where it is not installed; nothing else needs it. */
async function askByWrk(port: number): Promise<Comparison | null> {
  const { status, stdout } = spawnSync(
    'wrk',
    ['-t1', `-c${connections}`, `-d${seconds}`, '--latency', `http://127.0.0.1:${port}/`],
    { encoding: 'utf8' },
  );
  if (status !== 0) return null;
  const milliseconds = (share: string) => {
    const [, value, unit] = new RegExp(`${share}%\\s+([\\d.]+)(us|ms|s)`).exec(stdout) ?? [];
    return Number(value) * { us: 0.001, ms: 1, s: 1_000 }[unit as 'us' | 'ms' | 's'];
  };
  const requestsPerSecond = Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]);
  return { tool: 'wrk', requestsPerSecond, p50: milliseconds('50'), p99: milliseconds('99') };
}

async function askWhatStalls(): Promise<Generator['stall']> {
  const load = { requestsFile, connections, warmupSeconds: 0, seconds };
  const run = async (rate: number | null) => {
    const stalling = await start('stalling');
    const result = await runLoad({ ...load, port: stalling.port, rate });
    await stalling.stop();
    return result;
  };
  const open = await run(stallRate);
  const closed = await run(null);
  const stall = {
    milliseconds: stallMilliseconds,
    rate: stallRate,
    seconds,
    openLoopP99: open.latency.p99,
    openLoopRequests: open.requests,
    closedLoopP99: closed.latency.p99,
  };
  say(JSON.stringify(stall));
  return stall;
}
