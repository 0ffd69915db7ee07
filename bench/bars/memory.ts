import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { defaultSizes } from '../data/sizes.ts';
import { runLoad } from '../load/run.ts';
import { describeMachine } from '../machine.ts';
import { readOptions } from '../options.ts';
import { startProgram } from '../program.ts';
import { growthOf, markSeconds } from '../report/bars.ts';
import { writeReport } from '../report/index.ts';
import { writeResult } from '../results.ts';
import { say, withSetting } from '../setting.ts';
import { workloads } from '../workloads.ts';

/** Ten minutes at full load; the resident size of the service, once a second. */
const { numbers, out, isSmoke } = readOptions(
  { seconds: 600, connections: 64 },
  { seconds: 5, connections: 16 },
);
const { seconds, connections } = numbers;
const run = promisify(execFile);

await withSetting(defaultSizes, async (setting) => {
  const machine = await describeMachine();
  const requestsFile = join(setting.folder, 'requests.json');
  writeFileSync(requestsFile, JSON.stringify(workloads.metrics.requests(setting.world, 'ours')));
  const service = await startProgram('ours', setting);
  const samples: number[] = [];
  const timer = setInterval(() => {
    readResidentSize(service.pid).then((size) => samples.push(size), say);
  }, 1_000);
  const load = { port: service.port, requestsFile, connections, rate: null };
  // A second more than is measured: the timer is late a little each time.
  const result = await runLoad({ ...load, warmupSeconds: 0, seconds: seconds + 1 });
  clearInterval(timer);
  await service.stop();
  writeResult(out, 'memory', {
    machine,
    command: ['node bench/bars/memory.ts', ...process.argv.slice(2)].join(' '),
    isSmoke,
    seconds,
    connections,
    requestsPerSecond: result.requestsPerSecond,
    failures: result.failures,
    samples,
  });
  say(`${result.requestsPerSecond.toFixed(0)}/s, MiB: ${samples.join(' ')}`);
  if (samples.length > markSeconds) say(`${growthOf(samples)}× of minute 2`);
  say(`the report is in ${writeReport(out)}`);
  if (Object.keys(result.failures).length > 0) process.exitCode = 1;
});

/** In MiB. */
async function readResidentSize(pid: number): Promise<number> {
  const { stdout } = await run('ps', ['-o', 'rss=', '-p', String(pid)]);
  return Math.round(Number(stdout) / 1_024);
}
