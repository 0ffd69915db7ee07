import { describe, expect, it } from 'vitest';
import { importLines } from '../support/fixtures.ts';
import { calls, readings } from './calls.ts';
import { givenData } from './company-data.ts';
import type { Outcome } from './drivers/driver.ts';
import type { Parts } from './parity.ts';
import { bring, everyState } from './states.ts';

/** The content of an answer, without the differences that protocols may have. */
function saying(outcome: Outcome<unknown>): unknown {
  if (outcome.ok) return outcome.data;
  const { code, message, details, documentationUrl } = outcome;
  return { code, message: message.replace(nextStep, ''), details, documentationUrl };
}

/** Each protocol words the next step after missing consent in its own way. */
const nextStep = / (?:Request it with|Wait for the answer|Talk to the company).*$/;

/** Compares four protocols with each other, for one key and one company, instead of with expected values. */
export function describeSideBySide(parts: () => Parts): void {
  describe('the protocols compared with each other', () => {
    it.each(everyState)('every call has the same result in four protocols if %s', async (state) => {
      const { service, drivers, given } = parts();
      const facts = await bring(given('rest'), state);
      await importLines(service.operator, givenData(facts.company.id).lines);
      const { key: narrow } = await service.fixtures.key(facts.investor, {
        scopes: ['sources:read'],
      });
      const { company: foreign } = await service.fixtures.readablePortfolio();
      for (const { name, ask } of [...readings, ...calls.slice(readings.length, -1)]) {
        for (const as of [facts.key, narrow, null, 'password']) {
          for (const id of [facts.company.id, foreign.id, 'co_none']) {
            const rest = saying(await ask(drivers.rest, as, id));
            const graphql = saying(await ask(drivers.graphql, as, id));
            const trpc = saying(await ask(drivers.trpc, as, id));
            const mcp = saying(await ask(drivers.mcp, as, id));
            const all = { name, graphql, trpc, mcp };
            expect(all).toEqual({ name, graphql: rest, trpc: rest, mcp: rest });
          }
        }
      }
    });
  });
}
