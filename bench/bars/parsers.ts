import { readOptions } from '../options.ts';
import { median } from '../statistics.ts';
import { createParsers, type Parser } from './parsers/parsers.ts';
import { type Shape, shapes } from './parsers/shapes.ts';

/**
 * Measures the processor time of all parsers that read callers' input, with hostile input of many shapes. If the input
 * is twice as long, a parser may need at most 2.3 times as long. If one doubling exceeds this limit, the mean ratio of
 * six doublings around it counts. The reason: a single doubling takes about three times as long when the text outgrows
 * a processor cache. With quadratic time, each doubling takes four times as long.
 */
const { numbers, texts, isSmoke } = readOptions(
  { bytes: 1_048_576, runs: 4, milliseconds: 60 },
  { bytes: 16_384, runs: 1, milliseconds: 0 },
  ['only', 'shape'],
);

const bar = 2.3;
/** The minimum time for a reliable ratio, in milliseconds. A garbage collection can take as long as a shorter time. */
const shortest = 2;

interface Cost {
  readonly shape: string;
  readonly milliseconds: number;
  /** The ratio to the time for half of the input. Null if the time is too short for a reliable ratio. */
  readonly ratio: number | null;
}

async function attempt(parse: Parser, bytes: Buffer): Promise<void> {
  try {
    await parse(bytes);
  } catch {
    // Ignores the error: the parser rejects most of the input, and only the time matters.
  }
}

/** Returns milliseconds. Repeats the run, because some systems count processor time in coarse ticks. */
async function measure(parse: Parser, bytes: Buffer): Promise<number> {
  const startedAt = performance.now();
  const before = process.threadCpuUsage();
  let count = 0;
  while (count === 0 || performance.now() - startedAt < numbers.milliseconds) {
    await attempt(parse, bytes);
    count += 1;
  }
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000 / count;
}

/** Returns true if one run takes long enough for a ratio. The first run also compiles the code, so it isn't used. */
async function isLong(parse: Parser, bytes: Buffer): Promise<boolean> {
  await attempt(parse, bytes);
  const startedAt = performance.now();
  await attempt(parse, bytes);
  return performance.now() - startedAt >= shortest;
}

async function costOf(parse: Parser, name: string, shape: Shape): Promise<Cost> {
  const [half, whole] = [shape(numbers.bytes / 2), shape(numbers.bytes)];
  let [short, long] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  if (!(await isLong(parse, whole))) return { shape: name, milliseconds: 0, ratio: null };
  for (let run = 0; run < numbers.runs && (run === 0 || long / short > bar); run += 1) {
    short = Math.min(short, await measure(parse, half));
    long = Math.min(long, await measure(parse, whole));
  }
  const milliseconds = long;
  if (long / short <= bar) return { shape: name, milliseconds, ratio: long / short };
  const [first, last] = [shape(numbers.bytes / 16), shape(numbers.bytes * 4)];
  [short, long] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let run = 0; run < numbers.runs; run += 1) {
    short = Math.min(short, await measure(parse, first));
    long = Math.min(long, await measure(parse, last));
  }
  return { shape: name, milliseconds, ratio: (long / short) ** (1 / 6) };
}

const columns = [32, 8, 46, 8, 46];
const line = (...cells: string[]) =>
  process.stdout.write(
    `${cells
      .map((cell, at) => cell.padEnd(columns[at] ?? 0))
      .join(' ')
      .trimEnd()}\n`,
  );
const ratioOf = ({ ratio }: Cost) => (ratio === null ? '–' : `${ratio.toFixed(2)}×`);

line('parser', 'ms', 'of the slowest shape', 'ratio', 'of the worst shape');
const all: Cost[] = [];
for (const [name, parse] of Object.entries(await createParsers())) {
  if (texts.only !== undefined && !name.includes(texts.only)) continue;
  const costs: Cost[] = [];
  for (const [shapeName, shape] of Object.entries(shapes)) {
    if (texts.shape !== undefined && shapeName !== texts.shape) continue;
    costs.push(await costOf(parse, shapeName, shape));
  }
  const slowest = costs.reduce((one, other) =>
    other.milliseconds > one.milliseconds ? other : one,
  );
  const worst = costs.reduce((one, other) => ((other.ratio ?? 0) > (one.ratio ?? 0) ? other : one));
  line(
    name,
    slowest.milliseconds.toFixed(1),
    slowest.shape,
    ratioOf(worst),
    worst.ratio === null ? '' : worst.shape,
  );
  for (const cost of costs)
    if ((cost.ratio ?? 0) > bar)
      line('  not linear', cost.milliseconds.toFixed(1), cost.shape, ratioOf(cost));
  all.push(...costs);
}
const ratios = all.flatMap(({ ratio }) => ratio ?? []);
line(
  `${all.length} pairs, ${ratios.length} of them long enough, median ${median(ratios).toFixed(2)}×, bar ${bar}×`,
);
if (!isSmoke && ratios.some((ratio) => ratio > bar)) process.exitCode = 1;
