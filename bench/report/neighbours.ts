import type { Neighbours } from '../results.ts';
import type { Bar } from './bars.ts';
import { formatNumber, table } from './format.ts';

type Attack = Neighbours['attacks'][number];

/** A bar for each attack. */
export function judgeNeighbours(neighbours: Neighbours | undefined): Bar[] {
  const asked =
    'worst read at most 250 ms, median at most 3× the quiet one, always the data; at most 200 MiB more; what the attack must not get';
  if (neighbours === undefined) {
    const what = 'A neighbour while somebody attacks';
    return [{ what, asked, measured: 'not measured', passed: null }];
  }
  return neighbours.attacks.map((attack) => ({
    what: `A neighbour while somebody attacks: ${attack.name}`,
    asked,
    measured: describeMeasured(attack),
    passed: attack.checks.every(({ passed }) => passed),
  }));
}

function describeMeasured({ quiet, attacked, memory, checks }: Attack): string {
  const missed = checks.filter(({ passed }) => !passed).map(describeCheck);
  return [
    `worst ${formatNumber(attacked.worst)} ms, median ${formatNumber(attacked.p50 / quiet.p50)}×`,
    `${formatNumber(memory.peak - memory.before)} MiB more`,
    ...(missed.length === 0 ? [] : [`missed: ${missed.join('; ')}`]),
  ].join('; ');
}

const describeCheck = ({ what, measured, most }: Attack['checks'][number]) =>
  `${what}: ${formatNumber(measured)}${most === null ? '' : ` of at most ${formatNumber(most)}`}`;

export function describeNeighbours({ attacks, rate }: Neighbours): string[] {
  const head = [
    'attack',
    'what it does',
    'quiet: p50, worst, ms',
    'attacked: p50, p99, worst, ms',
    'reads without the data',
    'memory before, peak, after, MiB',
    'longest answer, bytes',
    'answers to the attacker',
    'points',
    'records, mutations',
    'warnings in the log',
  ];
  return [
    '## Neighbours',
    `Each attack has a service of its own, while another investor reads the latest metrics of its companies by REST, ${formatNumber(rate)} reads a second, whatever becomes of those before. Points are those that the attacker's first key was charged, as its next answer shows, at most its limit; records and mutations are what this key left in the tables.`,
    table(head, attacks.map(describeAttack)),
  ];
}

function describeAttack(attack: Attack): string[] {
  const { quiet, attacked, after, memory, crews, rows, warnings } = attack;
  const list = (...values: readonly number[]) => values.map(formatNumber).join(', ');
  const without = (phase: Attack['quiet']) => phase.reads - (phase.answers['200'] ?? 0);
  return [
    attack.name,
    attack.what,
    list(quiet.p50, quiet.worst),
    list(attacked.p50, attacked.p99, attacked.worst),
    `${formatNumber(without(attacked) + without(after))} of ${formatNumber(attacked.reads + after.reads)}`,
    list(memory.before, memory.peak, memory.after) + (attack.survived ? '' : ', then it ended'),
    formatNumber(Math.max(...crews.map(({ largestAnswer }) => largestAnswer))),
    crews.map(describeCrew).join('; '),
    formatNumber(attack.points),
    list(rows.records, rows.mutations),
    `${formatNumber(warnings.lines)} lines, ${formatNumber(warnings.bytes)} bytes`,
  ];
}

const describeCrew = ({ name, statuses }: Attack['crews'][number]) =>
  `${name}: ${Object.entries(statuses)
    .map(([status, count]) => `${formatNumber(count)} × ${status}`)
    .join(', ')}`;
