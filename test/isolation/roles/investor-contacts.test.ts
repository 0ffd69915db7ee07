import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ContactAccessFacts, ContactAccessQuestion, Ports } from '#core';
import { propertyRuns } from '../../support/property-runs.ts';
import { nobodySeesMore, plans } from './investor-world.ts';
import { type Given, type Leak, open } from './world.ts';

const minutes = 60_000;

describe('a contact of an investor', () => {
  let given: Given;
  beforeAll(async () => {
    given = await open();
  });
  afterAll(() => given?.service.close());

  it('sees what companies grant that investor now, and nothing of another', {
    timeout: 10 * minutes,
  }, async () => {
    let looks = 0;
    await fc.assert(
      fc.asyncProperty(plans, async (plan) => {
        looks += await nobodySeesMore(given, plan);
      }),
      { numRuns: propertyRuns(100) },
    );
    expect(looks).toBeGreaterThan(2_000);
  });
});

/** Every read of a person rests on something that is not so. */
const facts =
  (
    lie: (
      found: ContactAccessFacts,
      question: ContactAccessQuestion,
      ports: Ports,
    ) => ContactAccessFacts | Promise<ContactAccessFacts>,
  ): NonNullable<Leak['replace']> =>
  (ports) => ({
    accessFacts: {
      ...ports.accessFacts,
      readOfContact: async (question) =>
        lie(await ports.accessFacts.readOfContact(question), question, ports),
    },
  });

const leaks: Readonly<Record<string, Leak>> = {
  'reads companies outside the portfolio': {
    replace: facts((found) => ({ ...found, inPortfolio: true })),
  },
  'reads by the grant of another investor': {
    replace: facts(async (found, { companyId }, { accessRequests }) => {
      const all = await accessRequests.list({ companyId, now: new Date(), limit: 100 });
      const granted = all.find(({ status }) => status === 'approved');
      return granted ? { ...found, newestRequest: { ...granted, declinedAt: null } } : found;
    }),
  },
  'reads what was granted once': {
    replace: facts((found) => ({
      ...found,
      newestRequest: found.newestRequest && { ...found.newestRequest, status: 'approved' },
    })),
  },
  'reads more than was granted': {
    replace: facts((found) => ({
      ...found,
      newestRequest: found.newestRequest && {
        ...found.newestRequest,
        approvedScopes: ['metrics:read', 'accounts:read', 'sources:read'],
      },
    })),
  },
  'goes on without its session': {
    replace({ deskSessions }) {
      const known = new Map<string, Awaited<ReturnType<typeof deskSessions.authenticate>>>();
      return {
        deskSessions: {
          ...deskSessions,
          async authenticate(digest) {
            const found = (await deskSessions.authenticate(digest)) ?? known.get(digest) ?? null;
            known.set(digest, found);
            return found;
          },
        },
      };
    },
  },
};

describe('a hole is found through which somebody', () => {
  it.each(Object.entries(leaks))('%s', { timeout: 5 * minutes }, async (_, leak) => {
    const given = await open(leak);
    try {
      const property = fc.asyncProperty(
        plans,
        async (plan) => void (await nobodySeesMore(given, plan)),
      );
      const { failed, errorInstance } = await fc.check(property, {
        seed: 1,
        numRuns: 200,
        endOnFailure: true,
      });
      expect(failed).toBe(true);
      expect(String(errorInstance)).toMatch(/after \{/);
    } finally {
      await given.service.close();
    }
  });
});
