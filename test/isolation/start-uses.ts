import type { Outcome } from '../parity/drivers/driver.ts';
import { addEvent } from './decide.ts';
import { ways } from './look.ts';
import { newestOf, reading, type Thing } from './model.ts';
import type { AccessRequest, Company, Key } from './state.ts';
import type { World } from './world.ts';

/** These reads need no metric key, so terms never refuse them. */
const startingThings = ['the latest metrics', 'the sources', 'the accounts'] as const;

/**
 * Reads once under each grant for one use, so later looks change nothing. Several reads start
 * together, and only one may be stored as the first read. Throws if a read is refused.
 */
export async function startUses(
  world: World,
  readers: readonly Key[] = world.state.keys,
  readAtOnce = readInEachProtocol(world),
): Promise<void> {
  const { state } = world;
  const uses = state.companies.flatMap((company) =>
    state.investors.flatMap((investor) => newestOf(state, investor, company) ?? []),
  );
  for (const grant of uses) {
    if (grant.terms?.use !== 'once' || grant.endOfUse !== null) continue;
    const { company, investor } = grant;
    const own = readers.filter(({ owner }) => owner === investor);
    const read = own
      .flatMap((key) => startingThings.map((thing) => ({ key, thing })))
      .find(({ key, thing }) => 'expected' in reading(state, key, company, thing));
    if (read === undefined) continue;
    const outcomes = await Promise.all(readAtOnce(read.key, company, read.thing));
    for (const outcome of outcomes) {
      if (!outcome.ok) throw new Error(`the first read of ${grant.id} is ${outcome.code}`);
    }
    start(world, grant);
  }
}

const day = 86_400_000;

/** The grant ends one day after its first read, unless it ends earlier. */
function start({ state }: World, grant: AccessRequest): void {
  grant.endOfUse = state.now + day;
  grant.deadline = Math.min(grant.deadline, grant.endOfUse);
  grant.expiresAt = new Date(grant.deadline).toISOString();
  addEvent(state, grant, 'first_read', { type: 'investor', id: grant.investor.id });
}

const readInEachProtocol =
  ({ harness: { drivers } }: World) =>
  ({ secret }: Key, { id }: Company, thing: Thing): Promise<Outcome<unknown>>[] =>
    [drivers.rest, drivers.graphql, drivers.trpc, drivers.mcp].map((driver) =>
      ways[thing](driver, secret, id),
    );
