import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { describeOnPostgres } from '../../support/databases.ts';
import { createRoles, type Roles } from '../../support/roles.ts';
import { companyContactActs, companyKeyActs } from './company.ts';
import { contactActs } from './contact.ts';
import { investorActs } from './investor.ts';
import { operatorActs } from './operator.ts';
import { serviceActs } from './service.ts';
import { createWorld, openSides, type Sides, type World } from './world.ts';

/** Removes ids, secrets and times, because they differ in each run. */
function shapeOf(value: unknown): unknown {
  if (typeof value === 'string')
    return /^[a-z_.: ]*$/.test(value) ? value : `${value.length} characters`;
  if (typeof value === 'function') return 'a function';
  if (value instanceof Date) return 'an instant';
  if (value instanceof Uint8Array) return `${value.length} bytes`;
  if (Array.isArray(value)) return value.map(shapeOf);
  if (value instanceof Map || value instanceof Set) return [...value].map(shapeOf);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !unsteady.includes(name))
      .map(([name, of]) => [name, shapeOf(of)]),
  );
}
const unsteady = ['resetSeconds', 'remaining', 'budget', 'prefetchedFacts', 'createdAt'];

/** They act one by one in each world, always in this order. */
const audiences = {
  'an investor': investorActs,
  'a company, by its key': companyKeyActs,
  'a company, by a person': companyContactActs,
  'a contact': contactActs,
  'an operator': operatorActs,
  'the service': serviceActs,
} as const;

await describeOnPostgres('each use case in the roles of roles.sql', (createDatabase) => {
  let roles: Roles;
  /** First the databases with the roles of roles.sql, then with a superuser as the only role. */
  let opened: readonly Sides[] = [];
  let least: World;
  let most: World;

  beforeAll(async () => {
    const [{ url }, { url: other }] = [await createDatabase(), await createDatabase()];
    roles = await createRoles(url);
    const sides = await openSides({
      service: roles.serviceUrl,
      operator: roles.operatorUrl,
      owner: url,
    });
    const ofOwner = await openSides({ service: other, operator: other, owner: other });
    opened = [sides, ofOwner];
    least = await createWorld(sides);
    most = await createWorld(ofOwner);
    expect(sides.refused).toEqual([]);
  });
  afterAll(async () => {
    for (const sides of opened) await sides.close();
    await roles?.drop();
  });

  describe.each(Object.entries(audiences))('by %s', (_audience, acts) => {
    test.each(Object.entries(acts) as [string, (world: World) => unknown][])(
      'has the same outcome as in a superuser’s role: %s',
      async (_name, act) => {
        const expected = await act(most);
        const outcome = await act(least);
        expect(shapeOf(outcome)).toEqual(shapeOf(expected));
        expect(least.refused.splice(0)).toEqual([]);
      },
    );
  });

  test('leaves no stored data that contradicts its history', async () => {
    for (const world of [least, most]) {
      expect(await operatorActs.findInconsistencies(world)).toEqual([]);
    }
  });
});
