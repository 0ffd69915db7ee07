import { apiProtocols } from '#core';
import { looksOfCompanies } from './company-look.ts';
import type { Harness } from './harness.ts';
import { type Look, looksOf } from './look.ts';
import { histories, oneCompany, revisions, things } from './model.ts';
import { type Concerned, performStep } from './perform-step.ts';
import type { Plan } from './plan.ts';
import { startUses } from './start-uses.ts';
import type { Key } from './state.ts';
import type { Tally } from './tally.ts';
import { verify } from './verify.ts';
import { addKey, createWorld, type World } from './world.ts';

/**
 * After each step, sends all affected reads in one protocol, and the protocols take turns. At the
 * end, sends all reads in every protocol.
 */
export async function throughAndThrough(
  harness: Harness,
  { setup, steps }: Plan,
  tally: Tally,
): Promise<void> {
  const world = await createWorld(harness, setup);
  for (const [index, step] of steps.entries()) {
    const concerned = await performStep(world, step);
    await startUses(world);
    const looks = looksAround(world, concerned);
    const turn = apiProtocols[index % apiProtocols.length];
    await verify(
      world,
      looks.filter(({ driver }) => driver.protocol === turn),
      tally,
    );
  }
  await verifyAll(world, tally);
}

async function verifyAll(world: World, tally: Tally): Promise<void> {
  const { keys, companies, accessRequests, companyKeys } = world.state;
  await verify(world, looksOf(world, keys, [...companies, null], [...accessRequests, null]), tally);
  await verify(world, looksOfCompanies(world, companyKeys, accessRequests), tally);
  await verify(world, looksOf(world, keys.map(twinOf), [], []), tally);
  await verify(world, looksOfCompanies(world, companyKeys.map(twinOf), []), tally);
  await verifyMidway(world, tally);
}

/** With the other environment's prefix, the secret is never valid. */
function twinOf<AnyKey extends { readonly secret: string }>(key: AnyKey) {
  const [from, to] = key.secret.includes('_live_') ? ['_live_', '_test_'] : ['_test_', '_live_'];
  return { ...key, secret: key.secret.replace(from, to), isRevoked: true };
}

function looksAround(world: World, { investor, company }: Concerned): Look[] {
  const { keys, companies, accessRequests, companyKeys } = world.state;
  const around = accessRequests.filter((accessRequest) => accessRequest.company === company);
  return [
    ...looksOf(
      world,
      keys.filter(({ owner }) => investor === undefined || owner === investor),
      company === undefined ? companies : [company],
      around,
    ),
    ...looksOfCompanies(world, companyKeys, around),
  ];
}

/** Includes data that only GraphQL can read. */
const graphqlThings = [...things, revisions, histories, ...['a metric', 'a source', 'an account']];

/**
 * Checks that a key reads nothing if it is revoked between admission and access decision. REST
 * reads the access facts at admission, so it is left out.
 */
async function verifyMidway(world: World, tally: Tally): Promise<void> {
  const { state, harness } = world;
  const { operator } = harness.service;
  const companyOf = (key: Key) =>
    state.companies.find((company) => 'expected' in oneCompany(state, key, company));
  const key = state.keys.find((one) => companyOf(one) !== undefined);
  const company = key && companyOf(key);
  if (key === undefined || company === undefined) return;
  for (const driver of [harness.drivers.graphql, harness.drivers.trpc, harness.drivers.mcp]) {
    for (const thing of driver === harness.drivers.graphql ? graphqlThings : things) {
      const midway = await addKey(world, key.owner, key.scopes, null);
      midway.isRevoked = true;
      const look = looksOf(world, [midway], [company], []).find(
        (one) => one.driver === driver && one.what.startsWith(thing),
      );
      harness.afterAdmission(() => operator.revokeApiKey({ id: midway.id }));
      if (look !== undefined) await verify(world, [look], tally);
    }
  }
}
