import { describe, expect, test } from 'vitest';
import { scopes } from '#core';
import { aCall } from '../../../support/call.ts';
import { createWorld, type World } from '../../world.ts';
import { open } from './sign-in-steps.ts';

const sides = ['company', 'investor'] as const;

/** An organisation with `count` people. Each person has a function that spends the person's points. */
async function anOrganisation(side: (typeof sides)[number], count: number) {
  const world = createWorld();
  const { id } = await world[side]();
  const owner = side === 'company' ? { companyId: id } : { investorId: id };
  const people = [];
  for (let number = 1; number <= count; number += 1) {
    people.push(await aPerson(world, owner, `person${number}@harbor.example`));
  }
  return { world, id, people };
}

async function aPerson(
  world: World,
  owner: { companyId: string } | { investorId: string },
  email: string,
) {
  await world.operator.addContact({ ...owner, email });
  const { token } = await world.operator.createSignInLink({ ...owner, email });
  const { session = '' } = (await open(world, token)) ?? {};
  return {
    session,
    admit: (points: number) => world.contacts.admitContact(session, points, aCall),
  };
}

const ofPerson = 'The rate limit of this person is exceeded.';
const ofPeople = "The rate limit of this organisation's people is exceeded.";

describe.each(sides)('the budgets of the people at one %s', (side) => {
  test('give each person a budget of the default size', async () => {
    const { people } = await anOrganisation(side, 2);
    const [one, other] = people;
    expect(await one?.admit(600)).toMatchObject({ rateLimit: { limit: 600, remaining: 0 } });
    expect(await one?.admit(1)).toMatchObject({ refusal: { message: ofPerson } });
    expect(await other?.admit(1)).toMatchObject({ rateLimit: { limit: 600, remaining: 599 } });
  });

  test('allow all people together five times the default budget', async () => {
    const { people } = await anOrganisation(side, 6);
    for (const person of people.slice(0, 5)) {
      expect(await person.admit(600)).toHaveProperty('caller');
    }
    expect(await people[5]?.admit(600)).toMatchObject({
      rateLimit: { limit: 3_000, remaining: 0, exceeded: true },
      refusal: { message: ofPeople, retryAfterSeconds: 60 },
    });
  });

  test('can’t be used up by the refused calls of another person', async () => {
    const { people } = await anOrganisation(side, 2);
    const [one, other] = people;
    for (let request = 0; request < 10; request += 1) await one?.admit(601);
    expect(await other?.admit(1)).toMatchObject({ rateLimit: { limit: 600, remaining: 599 } });
  });

  test('can’t be used up by the refused charges of another person', async () => {
    const { world, people } = await anOrganisation(side, 2);
    const [one, other] = people;
    const caller = await world.admitSession(one?.session ?? '');
    expect(await world.callers.chargeCaller(caller, 599)).toMatchObject({
      rateLimit: { limit: 600, remaining: 0 },
      refusal: null,
    });
    for (let charge = 0; charge < 10; charge += 1) {
      expect(await world.callers.chargeCaller(caller, 600)).toMatchObject({
        refusal: { message: ofPerson },
      });
    }
    expect(await other?.admit(1)).toMatchObject({ rateLimit: { limit: 600, remaining: 599 } });
  });

  test('refuse a charge after all people together have used up their limit', async () => {
    const { world, people } = await anOrganisation(side, 6);
    const caller = await world.admitSession(people[5]?.session ?? '');
    for (const person of people.slice(0, 4)) await person.admit(600);
    await people[4]?.admit(599);
    expect(await world.callers.chargeCaller(caller, 1)).toMatchObject({
      rateLimit: { limit: 3_000, remaining: 0 },
      refusal: { message: ofPeople, retryAfterSeconds: 60 },
    });
  });

  test('can’t be used up by calls with the organisation’s API keys', async () => {
    const { world, id, people } = await anOrganisation(side, 6);
    for (const person of people) await person.admit(600);
    const admitKey =
      side === 'company'
        ? async () => {
            const { secret } = await world.operator.createCompanyKey({ companyId: id });
            return world.companies.admitCompany(secret, 600, aCall);
          }
        : async () => {
            const { secret } = await world.operator.createApiKey({ investorId: id, scopes });
            return world.callers.admitCaller(secret, 600, aCall);
          };
    expect(await admitKey()).toMatchObject({
      rateLimit: { limit: 600, remaining: 0 },
      caller: { credentialId: expect.any(String) },
    });
  });

  test('report the remaining points of the person or of all people, whichever are fewer', async () => {
    const { people } = await anOrganisation(side, 6);
    for (const person of people.slice(0, 4)) await person.admit(600);
    expect(await people[4]?.admit(100)).toMatchObject({
      rateLimit: { limit: 600, remaining: 500 },
    });
    expect(await people[5]?.admit(1)).toMatchObject({
      rateLimit: { limit: 3_000, remaining: 499 },
    });
  });
});
