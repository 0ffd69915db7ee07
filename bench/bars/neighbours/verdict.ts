import { type Attack, type Check, happened, isAtMost, type Outcome } from './attack.ts';

const worstMilliseconds = 250;
const timesQuiet = 3;
const moreMemory = 200;
const longestAnswer = 1_000_000;

export function judge(attack: Attack, outcome: Outcome): Check[] {
  const { quiet, attacked, after, memory, crews } = outcome;
  const answers = crews.flatMap(({ statuses }) =>
    Object.entries(statuses).map(([status, count]) => (/^\d+$/.test(status) ? count : 0)),
  );
  return [
    isAtMost('times that the service ended by itself', outcome.survived ? 0 : 1, 0),
    happened(
      'answers to the attacker',
      answers.reduce((sum, count) => sum + count, 0),
    ),
    ofMachine(isAtMost('worst read of the neighbour, ms', attacked.worst, worstMilliseconds)),
    ofMachine(isAtMost('median read, to the quiet one', attacked.p50 / quiet.p50, timesQuiet)),
    ...[quiet, attacked, after].map(({ answers, reads }, phase) => ({
      ...isAtMost(
        `reads ${['before', 'during', 'after'][phase]} that were not answered with the data`,
        reads - (answers['200'] ?? 0),
        0,
      ),
      // The check also fails if there were no reads at all.
      passed: reads > 0 && answers['200'] === reads,
    })),
    ofMachine(isAtMost('memory beyond that before, MiB', memory.peak - memory.before, moreMemory)),
    ...(attack.asksForMuch
      ? []
      : [
          isAtMost(
            'longest answer, bytes',
            Math.max(...crews.map(({ largestAnswer }) => largestAnswer)),
            longestAnswer,
          ),
        ]),
    ...(attack.judge?.(outcome) ?? []),
  ];
}

const ofMachine = (check: Check): Check => ({ ...check, isOfMachine: true });
