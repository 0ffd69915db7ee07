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

interface ProfileNode {
  readonly id: number;
  readonly callFrame: {
    readonly functionName: string;
    readonly url: string;
    readonly lineNumber: number;
  };
  readonly children?: readonly number[];
}

interface Profile {
  readonly nodes: readonly ProfileNode[];
  readonly startTime: number;
  readonly endTime: number;
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

/** Of the time under load alone: the start of a program is another matter. */
function summarize({ nodes, startTime, endTime, samples, timeDeltas }: Profile): void {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map(
    nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)),
  );
  const totals = { package: new Map<string, number>(), function: new Map<string, number>() };
  const add = (times: Map<string, number>, name: string, time: number) =>
    times.set(name, (times.get(name) ?? 0) + time);
  let now = startTime;
  let busy = 0;
  for (const [index, id] of samples.entries()) {
    const time = timeDeltas[index] ?? 0;
    now += time;
    const node = byId.get(id);
    if (node === undefined || now < endTime - seconds * 1_000_000) continue;
    const { functionName, url, lineNumber } = node.callFrame;
    if (functionName === '(idle)') continue;
    busy += time;
    add(
      totals.function,
      `${functionName || '(anonymous)'} ${shorten(url)}:${lineNumber + 1}`,
      time,
    );
    add(totals.package, ownerOf(node, byId, parents), time);
  }
  for (const [title, times] of Object.entries(totals)) {
    say(`\nby ${title}, of the time that it was busy:`);
    const sorted = [...times].sort(([, one], [, other]) => other - one).slice(0, rows);
    for (const [name, time] of sorted) {
      say(`${((100 * time) / busy).toFixed(1).padStart(5)} %  ${name}`);
    }
  }
}

function shorten(url: string): string {
  return url.replace('file://', '').replace(root, '');
}

/** What Node itself does is put down to whoever had it done. */
function ownerOf(
  node: ProfileNode,
  byId: ReadonlyMap<number, ProfileNode>,
  parents: ReadonlyMap<number, number>,
): string {
  for (let at: ProfileNode | undefined = node; at !== undefined; ) {
    const { url } = at.callFrame;
    if (url !== '' && !url.startsWith('node:')) {
      const place = shorten(url);
      return (
        /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(place)?.[1] ?? place.split('/')[0] ?? place
      );
    }
    at = byId.get(parents.get(at.id) ?? -1);
  }
  const { functionName } = node.callFrame;
  return functionName.startsWith('(') ? functionName : 'Node, for nobody in particular';
}
