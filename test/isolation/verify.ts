import { isDeepStrictEqual } from 'node:util';
import type { Outcome } from '../parity/drivers/driver.ts';
import type { Look } from './look.ts';
import type { Tally } from './tally.ts';
import type { World } from './world.ts';

const atOnce = 60;

/**
 * Sends all reads, many at once, so that the service could mix up two callers' answers. Throws an
 * error that explains the first unexpected answer.
 */
export async function verify(world: World, looks: readonly Look[], tally: Tally): Promise<void> {
  for (let start = 0; start < looks.length; start += atOnce) {
    const some = looks.slice(start, start + atOnce);
    const outcomes = await Promise.all(some.map((look) => look.ask()));
    for (const [index, look] of some.entries()) {
      verifyOne(world, look, outcomes[index] as Outcome<unknown>);
      const { driver, verdict } = look;
      tally.note(driver.name, 'expected' in verdict ? 'told' : verdict.refused);
    }
  }
}

function verifyOne(world: World, look: Look, outcome: Outcome<unknown>): void {
  const { who, driver, what, verdict } = look;
  const must = 'expected' in verdict ? JSON.stringify(verdict.expected) : verdict.refused;
  const explain = (wrong: string) =>
    new Error(
      `${driver.name}: ${what}, for ${who}\n` +
        `must be: ${must}\nbecause ${verdict.because}\n${wrong}`,
    );

  const isRight = outcome.ok
    ? 'expected' in verdict && isDeepStrictEqual(outcome.data, verdict.expected)
    : 'refused' in verdict && outcome.code === verdict.refused;
  if (!isRight) {
    throw explain(`but is: ${outcome.ok ? JSON.stringify(outcome.data) : outcome.code}`);
  }
  const under = 'refused' in verdict ? verdict.under : undefined;
  if (!outcome.ok && outcome.details.accessRequestId !== under) {
    throw explain(`but names the request ${outcome.details.accessRequestId} instead of ${under}`);
  }
  const word = foreignWord(world, outcome, must + look.named + (under ?? ''));
  if (word !== undefined) throw explain(`but the answer holds ${word}: ${wholeOf(outcome)}`);
}

const wholeOf = ({ wire: { text, headers } }: Outcome<unknown>) => text + JSON.stringify(headers);

/** Returns a word of the world that the answer must not contain. Undefined if the answer is correct. */
export function foreignWord(
  { words }: Pick<World, 'words'>,
  outcome: Outcome<unknown>,
  mayTurnUp: string,
): string | undefined {
  const whole = wholeOf(outcome);
  for (const word of words) if (whole.includes(word) && !mayTurnUp.includes(word)) return word;
  return undefined;
}
