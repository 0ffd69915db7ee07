// @module-tag full
import { describe, expect, it } from 'vitest';
import { brokenPolicies, dataBreakages } from './breakages.ts';
import { companyBreakages } from './company-breakages.ts';
import { type BrokenPolicy, findFault, type Isolation } from './find-fault.ts';
import { everyPerson, plansWithPeople } from './people.ts';
import { peopleBreakages } from './people-breakages.ts';
import { plans, plansWithData, plansWithSuspensions } from './plan.ts';
import { throughAndThrough } from './property.ts';
import { suspensionBreakages } from './suspension-breakages.ts';
import { termsBreakages } from './terms-breakages.ts';

const minutes = 60_000;
const steps = { minSteps: 15, maxSteps: 30 };

describeProperty(
  'with keys',
  { plans: plans(steps), holds: throughAndThrough },
  { ...brokenPolicies, ...companyBreakages, ...termsBreakages },
);
describeProperty(
  'with keys while an organisation is suspended',
  { plans: plansWithSuspensions(steps), holds: throughAndThrough },
  suspensionBreakages,
);
describeProperty(
  'with keys while data changes',
  { plans: plansWithData(steps), holds: throughAndThrough },
  dataBreakages,
);
describeProperty(
  'with the contacts of investors',
  { plans: plansWithPeople(steps), holds: everyPerson },
  peopleBreakages,
);

function describeProperty<Plan>(
  where: string,
  isolation: Isolation<Plan>,
  breakages: Readonly<Record<string, BrokenPolicy>>,
): void {
  describe(`the isolation property ${where}`, () => {
    it('finds no fault in the correct policy', {
      timeout: 10 * minutes,
    }, async () => {
      expect(await findFault(isolation, {}, 3)).toBeNull();
    });

    it.for(Object.entries(breakages))(
      'catches a policy that %s',
      { timeout: 10 * minutes },
      async ([, { explanation, world, ...broken }], { annotate }) => {
        const fault = await findFault(isolation, broken, 30, world);
        expect(fault).toMatch(explanation);
        await annotate(String(fault).slice(0, 500));
      },
    );
  });
}
