import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ProgramName, programs } from './catalogue.ts';
import { defaultSizes } from './data/sizes.ts';
import { runLoad } from './load/run.ts';
import { root } from './migrate.ts';
import { readOptions } from './options.ts';
import { startProgram } from './program.ts';
import { say, withSetting } from './setting.ts';
import { type WorkloadName, workloads } from './workloads.ts';

/** Where the time of a program goes under full load, by function and by package. Keeps the profile for a viewer. */
const { numbers, texts } = readOptions({ seconds: 5, connections: 64, rows: 30 }, {}, [
  'program',
  'workload',
]);
const { seconds, connections, rows } = numbers;
const program = (texts.program ?? 'ours') as ProgramName;
const workload = (texts.workload ?? 'metrics') as WorkloadName;
if (!(program in programs) || !(workload in workloads)) throw new Error('unknown name');

interface Profile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: {
      readonly functionName: string;
      readonly url: string;
      readonly lineNumber: number;
    };
  }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

const kept = mkdtempSync(join(tmpdir(), 'bench-profile-'));

await withSetting(defaultSizes, async (setting) => {
  const requestsFile = join(setting.folder, 'requests.json');
  writeFileSync(requestsFile, JSON.stringify(workloads[workload].requests(setting.world, program)));
  const running = await startProgram(program, {
    ...setting,
    nodeOptions: ['--cpu-prof', `--cpu-prof-dir=${kept}`],
  });
  const load = { port: running.port, requestsFile, connections, rate: null };
  const result = await runLoad({ ...load, warmupSeconds: 1, seconds });
  await running.stop();
  say(
    `${result.requestsPerSecond.toFixed(0)}/s while profiled, ${JSON.stringify(result.failures)}`,
  );
});

for (const file of readdirSync(kept)) {
  say(`\n${join(kept, file)}`);
  summarize(JSON.parse(readFileSync(join(kept, file), 'utf8')));
}

function summarize({ nodes, samples, timeDeltas }: Profile): void {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const byFunction = new Map<string, number>();
  const byPackage = new Map<string, number>();
  let busy = 0;
  for (const [index, id] of samples.entries()) {
    const frame = frames.get(id);
    if (frame === undefined || frame.functionName === '(idle)') continue;
    const time = timeDeltas[index] ?? 0;
    busy += time;
    const place = shorten(frame.url);
    const name = `${frame.functionName || '(anonymous)'} ${place}:${frame.lineNumber + 1}`;
    byFunction.set(name, (byFunction.get(name) ?? 0) + time);
    const owner = place === '' ? frame.functionName : ownerOf(place);
    byPackage.set(owner, (byPackage.get(owner) ?? 0) + time);
  }
  for (const [title, times] of [
    ['by package', byPackage],
    ['by function', byFunction],
  ] as const) {
    say(`\n${title}, of the time that it was busy:`);
    const sorted = [...times].sort(([, a], [, b]) => b - a).slice(0, rows);
    for (const [name, time] of sorted)
      say(`${((100 * time) / busy).toFixed(1).padStart(5)} %  ${name}`);
  }
}

const shorten = (url: string) => url.replace('file://', '').replace(root, '');

function ownerOf(place: string): string {
  const [, name] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(place) ?? [];
  return name ?? place.split('/')[0] ?? place;
}
