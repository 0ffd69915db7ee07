import { protocols } from '#core';
import type { Key } from './chronicle.ts';
import { looksOfCompanies } from './company-look.ts';
import { type Concerned, happen } from './happen.ts';
import { type Look, looksOf } from './look.ts';
import { histories, oneCompany, revisions, things } from './model.ts';
import type { Plan } from './plan.ts';
import type { Stage } from './stage.ts';
import type { Tally } from './tally.ts';
import { verify } from './verify.ts';
import { addKey, putUp, type World } from './world.ts';

/** Everything has happened; then everything is looked at with every key. */
export async function everythingInTheEnd(
  stage: Stage,
  { cast, steps }: Plan,
  tally: Tally,
): Promise<void> {
  const world = await putUp(stage, cast);
  for (const step of steps) await happen(world, step);
  await verifyAll(world, tally);
}

/** After each thing that happens, what it concerned is looked at at once. */
export async function eachStepAtOnce(
  stage: Stage,
  { cast, steps }: Plan,
  tally: Tally,
): Promise<void> {
  const world = await putUp(stage, cast);
  for (const step of steps) {
    const concerned = await happen(world, step);
    await verify(world, looksAround(world, concerned), tally);
  }
}

/** Both in one world, which takes less time because the protocols take turns after each step. */
export async function throughAndThrough(
  stage: Stage,
  { cast, steps }: Plan,
  tally: Tally,
): Promise<void> {
  const world = await putUp(stage, cast);
  for (const [index, step] of steps.entries()) {
    const looks = looksAround(world, await happen(world, step));
    const turn = protocols[index % protocols.length];
    await verify(
      world,
      looks.filter(({ driver }) => driver.protocol === turn),
      tally,
    );
  }
  await verifyAll(world, tally);
}

async function verifyAll(world: World, tally: Tally): Promise<void> {
  const { keys, firms, askings, companyKeys } = world.chronicle;
  await verify(world, looksOf(world, keys, [...firms, null], [...askings, null]), tally);
  await verify(world, looksOfCompanies(world, companyKeys, askings), tally);
  await verify(world, looksOf(world, keys.map(twinOf), [], []), tally);
  await verify(world, looksOfCompanies(world, companyKeys.map(twinOf), []), tally);
  await verifyMidway(world, tally);
}

/** The same secret under the prefix of the other environment is no key. */
function twinOf<AnyKey extends { readonly secret: string }>(key: AnyKey) {
  const [from, to] = key.secret.includes('_live_') ? ['_live_', '_test_'] : ['_test_', '_live_'];
  return { ...key, secret: key.secret.replace(from, to), isRevoked: true };
}

function looksAround(world: World, { investor, firm }: Concerned): Look[] {
  const { keys, firms, askings, companyKeys } = world.chronicle;
  const around = askings.filter((asking) => asking.firm === firm);
  return [
    ...looksOf(
      world,
      keys.filter(({ owner }) => investor === undefined || owner === investor),
      firm === undefined ? firms : [firm],
      around,
    ),
    ...looksOfCompanies(world, companyKeys, around),
  ];
}

/** The ways in that only GraphQL has among them. */
const graphqlThings = [...things, revisions, histories, ...['a metric', 'a source', 'an account']];

/**
 * A key that is revoked after it was let in and before the decision reads nothing of any company. Not by REST, where
 * what a decision rests on is read as the caller is let in.
 */
async function verifyMidway(world: World, tally: Tally): Promise<void> {
  const { chronicle, stage } = world;
  const { operator } = stage.service;
  const firmOf = (key: Key) =>
    chronicle.firms.find((firm) => 'told' in oneCompany(chronicle, key, firm));
  const key = chronicle.keys.find((one) => firmOf(one) !== undefined);
  const firm = key && firmOf(key);
  if (key === undefined || firm === undefined) return;
  for (const driver of [stage.drivers.graphql, stage.drivers.trpc, stage.drivers.mcp]) {
    for (const thing of driver === stage.drivers.graphql ? graphqlThings : things) {
      const midway = await addKey(world, key.owner, key.scopes, null);
      midway.isRevoked = true;
      const look = looksOf(world, [midway], [firm], []).find(
        (one) => one.driver === driver && one.what.startsWith(thing),
      );
      stage.afterAdmission(() => operator.revokeApiKey({ id: midway.id }));
      if (look !== undefined) await verify(world, [look], tally);
    }
  }
}
