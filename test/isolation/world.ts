import { vi } from 'vitest';
import type { Scope } from '#core';
import { linesOf } from '../parity/import-lines.ts';
import { importLines } from '../support/fixtures.ts';
import { type Chronicle, type Firm, type Key, type Organisation, pairOf } from './chronicle.ts';
import { dataOf, merge, noData } from './firm-data.ts';
import { type Cast, companies, type DataPlan, investors } from './plan.ts';
import type { Stage } from './stage.ts';

/** A world on a stage: the service has it in its store, the chronicle in plain words. */
export interface World {
  readonly stage: Stage;
  readonly chronicle: Chronicle;
  /** Every id, name and secret of it, none of them a part of another: what must not turn up where it doesn’t belong. */
  readonly words: Set<string>;
}

let count = 0;

/** A word that occurs nowhere else. */
export function coin(): string {
  count += 1;
  return `Q${count.toString(36).toUpperCase().padStart(6, '0')}Z`;
}

export function setClock({ chronicle }: World, instant: number): void {
  chronicle.now = instant;
  vi.useFakeTimers({ toFake: ['Date'], now: instant });
}

export async function putUp(stage: Stage, cast: Cast): Promise<World> {
  const chronicle: Chronicle = {
    now: 0,
    investors: [],
    firms: [],
    keys: [],
    askings: [],
    companyKeys: [],
    events: [],
    memberships: new Set(),
  };
  const world: World = { stage, chronicle, words: new Set() };
  vi.useRealTimers();
  setClock(world, Date.now());
  for (const environment of investors) await addInvestor(world, environment);
  for (const [index, environment] of companies.entries()) {
    await addFirm(world, environment, cast.data[index]);
  }
  for (const [investor, company] of cast.portfolios) {
    await join(world, at(chronicle.investors, investor), at(chronicle.firms, company));
  }
  for (const { investor, scopes, endsAfter } of cast.keys) {
    const owner = at(chronicle.investors, investor);
    const endsAt = endsAfter === null ? null : chronicle.now + endsAfter;
    await addKey(world, owner, scopes, endsAt);
  }
  return world;
}

export function at<T>(list: readonly T[], index: number): T {
  return list[index % list.length] as T;
}

export async function addInvestor(
  { stage, chronicle, words }: World,
  environment: 'live' | 'test',
): Promise<Organisation> {
  const { operator } = stage.service;
  const { id, name } = await operator.createInvestor({
    name: `${coin()} Capital`,
    environment,
    sandbox: false,
  });
  const investor = { id, name, environment };
  chronicle.investors.push(investor);
  words.add(id).add(name);
  return investor;
}

async function addFirm(
  world: World,
  environment: 'live' | 'test',
  data: DataPlan | undefined,
): Promise<void> {
  const { operator } = world.stage.service;
  const { id, name } = await operator.createCompany({ name: `${coin()} & Söhne`, environment });
  const firm: Firm = { id, name, environment, ...noData };
  world.chronicle.firms.push(firm);
  world.words.add(id).add(name);
  await addCompanyKey(world, firm);
  if (data) await importData(world, firm, data);
}

export async function addCompanyKey({ stage, chronicle, words }: World, firm: Firm): Promise<void> {
  const { operator } = stage.service;
  const { key, secret } = await operator.createCompanyKey({ companyId: firm.id });
  chronicle.companyKeys.push({ id: key.id, secret, firm, isRevoked: false });
  words.add(key.id).add(secret);
}

/** Two environments never authenticate: such a pair is refused, and the chronicle knows nothing of it. */
export async function join(
  { stage, chronicle }: World,
  investor: Organisation,
  firm: Firm,
): Promise<void> {
  if (investor.environment !== firm.environment) return;
  const pair = { investorId: investor.id, companyId: firm.id };
  await stage.service.operator.addToPortfolio(pair);
  chronicle.memberships.add(pairOf(investor, firm));
}

export async function addKey(
  { stage, chronicle, words }: World,
  owner: Organisation,
  scopes: readonly Scope[],
  endsAt: number | null,
): Promise<Key> {
  const { secret, key } = await stage.service.operator.createApiKey({
    investorId: owner.id,
    scopes,
    ...(endsAt !== null && { expiresAt: new Date(endsAt) }),
  });
  const made = { id: key.id, secret, owner, scopes, endsAt, isRevoked: false };
  chronicle.keys.push(made);
  words.add(key.id).add(secret);
  return made;
}

/** What an import brings takes the place of what was there; the rest stays. */
export async function importData(
  { stage, words }: World,
  firm: Firm,
  plan: DataPlan,
): Promise<void> {
  const word = coin();
  words.add(word);
  const brought = dataOf(firm, plan, word);
  await importLines(stage.service.operator, linesOf(firm.id, brought));
  Object.assign(firm, merge(firm, brought));
}
