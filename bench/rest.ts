import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { processorTime } from './cpu.ts';
import { type RunningProgram, type StartOptions, startProgram } from './program.ts';
import { readPeakResidentSize, readResidentSizes } from './resident-size.ts';
import { type Setting, say } from './setting.ts';

interface Rest {
  readonly mebibytes: number;
  /** The busy time as a percentage of one core. */
  readonly busyPercent: number;
}

export interface AtRest {
  /** For comparison: a Node process that does nothing but wake up ten times a second. */
  readonly control: Rest;
  readonly postgres: Rest;
  readonly embedded: Rest;
  /** The first start without a data folder, which also creates the demo. */
  readonly firstStart: { readonly seconds: number; readonly mebibytes: number };
}

export async function measureAtRest(
  setting: Setting,
  settleSeconds: number,
  seconds: number,
): Promise<AtRest> {
  const rest = async ({ pid }: Pick<RunningProgram, 'pid'>): Promise<Rest> => {
    await setTimeout(settleSeconds * 1_000);
    const before = processorTime(pid);
    await setTimeout(seconds * 1_000);
    const busyPercent = (processorTime(pid) - before) / seconds / 10_000;
    return { mebibytes: readResidentSizes(pid), busyPercent };
  };
  const bare = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 100)']);
  const control = await rest({ pid: bare.pid ?? 0 }).finally(() => bare.kill());

  const onPostgres = await startProgram('ours', setting);
  const postgres = await rest(onPostgres);
  await onPostgres.stop();

  const dataDir = join(setting.folder, 'embedded');
  const { serviceUrl: _, ...plain } = setting;
  const options: StartOptions = {
    ...plain,
    environment: { DATABASE_URL: '', REDIS_URL: '', DEMO: '', DATA_DIR: dataDir },
  };
  const startedAt = performance.now();
  const onEmbedded = await startProgram('ours', options);
  while ((await fetch(`http://127.0.0.1:${onEmbedded.port}/readyz`)).status !== 200) {
    await setTimeout(20);
  }
  const firstStart = {
    seconds: (performance.now() - startedAt) / 1_000,
    mebibytes: readPeakResidentSize(onEmbedded.pid),
  };
  const embedded = await rest(onEmbedded);
  await onEmbedded.stop();
  rmSync(dataDir, { recursive: true, force: true });
  const result = { control, postgres, embedded, firstStart };
  say(`at rest: ${JSON.stringify(result)}`);
  return result;
}
