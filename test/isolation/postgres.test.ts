// @module-tag full
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { postgres } from '../support/backends.ts';
import { type Harness, openHarness } from './harness.ts';
import { lookUntil, timeLimit } from './look-until.ts';
import { plans } from './plan.ts';
import { throughAndThrough } from './property.ts';
import { createTally } from './tally.ts';

/**
 * With a real database, one statement can serve several reads, so a mistake could send an answer to
 * the wrong caller.
 */
describe.skipIf(postgres.isUnreachable)(`isolation on a real database (${postgres.name})`, () => {
  let harness: Harness;
  let release: () => Promise<void>;

  beforeAll(async () => {
    const opened = await postgres.open();
    release = opened.release;
    harness = await openHarness(opened.storage);
  });
  afterAll(async () => {
    await harness?.close();
    await release?.();
  });

  it('returns exactly what the policy in plain words allows, after each step and at the end', {
    timeout: timeLimit,
  }, async () => {
    const tally = createTally();
    await lookUntil(
      () => tally.count() > 1500,
      plans({ minSteps: 15, maxSteps: 25 }),
      (plan) => throughAndThrough(harness, plan, tally),
      { full: 3, few: 1 },
    );
    expect(tally.count()).toBeGreaterThan(1500);
  });
});
