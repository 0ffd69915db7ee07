import { vi } from 'vitest';
import { companyScopes, type Scope } from '#core';
import { linesOf } from '../parity/import-lines.ts';
import { allScopes } from '../support/contract.ts';
import { importLines } from '../support/fixtures.ts';
import { dataOf, type Imported, merge, noData } from './company-data.ts';
import type { Harness } from './harness.ts';
import { companies, type DataPlan, type DataSide, investors, type Setup } from './plan.ts';
import { type Company, type Key, type Organisation, pairOf, type State } from './state.ts';
import { upload, uploadForAnother } from './upload.ts';

/** The service stores the organisations, keys and data, and `state` describes them in plain words. */
export interface World {
  readonly harness: Harness;
  readonly state: State;
  /**
   * All IDs, names and secrets. No word is part of another one, and none may appear in an answer
   * where it doesn't belong.
   */
  readonly words: Set<string>;
  readonly lastMetrics: Map<string, { readonly etag: string; readonly data: unknown }>;
}

let count = 0;

/** Returns a word that occurs nowhere else. */
export function freshWord(): string {
  count += 1;
  return `Q${count.toString(36).toUpperCase().padStart(6, '0')}Z`;
}

export function setClock({ state }: World, instant: number): void {
  state.now = instant;
  vi.useFakeTimers({ toFake: ['Date'], now: instant });
}

export async function createWorld(harness: Harness, setup: Setup): Promise<World> {
  const state: State = {
    now: 0,
    investors: [],
    companies: [],
    keys: [],
    accessRequests: [],
    companyKeys: [],
    events: [],
    dataChanges: [],
    memberships: new Set(),
  };
  const world: World = { harness, state, words: new Set(), lastMetrics: new Map() };
  vi.useRealTimers();
  setClock(world, Date.now());
  for (const environment of investors) await addInvestor(world, environment);
  for (const [index, environment] of companies.entries()) {
    await addCompany(world, environment, setup.data[index]);
  }
  for (const [investor, company] of setup.portfolios) {
    await join(world, at(state.investors, investor), at(state.companies, company));
  }
  for (const { investor, scopes, endsAfter } of setup.keys) {
    const owner = at(state.investors, investor);
    const endsAt = endsAfter === null ? null : state.now + endsAfter;
    await addKey(world, owner, scopes, endsAt);
  }
  return world;
}

export function at<T>(list: readonly T[], index: number): T {
  return list[index % list.length] as T;
}

async function addInvestor(
  { harness, state, words }: World,
  environment: 'live' | 'test',
): Promise<Organisation> {
  const { operator } = harness.service;
  const { id, name } = await operator.createInvestor({
    name: `${freshWord()} Capital`,
    environment,
    sandbox: false,
  });
  const investor = { id, name, environment, isSuspended: false };
  state.investors.push(investor);
  words.add(id).add(name);
  return investor;
}

async function addCompany(
  world: World,
  environment: 'live' | 'test',
  data: DataPlan | undefined,
): Promise<void> {
  const { operator } = world.harness.service;
  const { id, name } = await operator.createCompany({
    name: `${freshWord()} & Söhne`,
    environment,
  });
  const company: Company = { id, name, environment, isSuspended: false, ...noData };
  world.state.companies.push(company);
  world.words.add(id).add(name);
  await addCompanyKey(world, company);
  if (data) await importData(world, company, data);
}

export async function addCompanyKey(
  { harness, state, words }: World,
  company: Company,
): Promise<void> {
  const { operator } = harness.service;
  const { key, secret } = await operator.createCompanyKey({
    companyId: company.id,
    scopes: companyScopes,
  });
  state.companyKeys.push({ id: key.id, secret, company, isRevoked: false });
  words.add(key.id).add(secret);
}

/** Does nothing if the environments differ, because the service would refuse this. */
export async function join(
  { harness, state }: World,
  investor: Organisation,
  company: Company,
): Promise<void> {
  if (investor.environment !== company.environment) return;
  const pair = { investorId: investor.id, companyId: company.id };
  await harness.service.operator.addToPortfolio(pair);
  state.memberships.add(pairOf(investor, company));
}

export async function addKey(
  { harness, state, words }: World,
  owner: Organisation,
  scopes: readonly Scope[],
  endsAt: number | null,
): Promise<Key> {
  const isTokens = harness.issueToken !== null && state.keys.length % 3 === 1;
  const { secret, key } = await harness.service.operator.createApiKey({
    investorId: owner.id,
    scopes: isTokens ? allScopes : scopes,
    ...(endsAt !== null && !isTokens && { expiresAt: new Date(endsAt) }),
  });
  const given = { id: key.id, owner, scopes, endsAt, isRevoked: false, isTokens };
  const made = { ...given, secret: isTokens ? tokenFor(harness, given) : secret };
  state.keys.push(made);
  words.add(key.id).add(secret).add(made.secret);
  return made;
}

const neverYet = Date.parse('9999-12-31T00:00:00Z');

/** The token is used instead of the key, and has the key's scopes and end. */
export function tokenFor(
  { issueToken }: Harness,
  { id, scopes, endsAt }: Pick<Key, 'id' | 'scopes' | 'endsAt'>,
): string {
  if (issueToken === null) throw new Error('the service knows no tokens');
  return issueToken({ keyId: id, scopes, expiresAt: new Date(endsAt ?? neverYet) });
}

/** Imports, pushes or uploads data. New values replace old ones. An attempt by another company changes nothing. */
export async function importData(
  world: World,
  company: Company,
  plan: DataPlan,
  by: DataSide = 'operator',
): Promise<void> {
  const { state, words } = world;
  const word = freshWord();
  words.add(word);
  const brought = await bring(world, company, plan, dataOf(company, plan, word), by);
  if (brought === null) return;
  Object.assign(company, merge(company, brought));
  if (linesOf(company.id, brought).length === 0) return;
  // All data contains a new word, so every item counts as changed.
  state.dataChanges.push({
    company,
    at: state.now,
    values: [...new Set(brought.metrics.map(({ key }) => key))].toSorted().map((key) => ({
      key,
      period: company.metrics.findLast((metric) => metric.key === key)?.period as string,
    })),
    hasSources: brought.sources.length > 0,
    hasAccounts: brought.accounts.length > 0,
  });
}

/** Provides the data as `by`, or else as the operator. Returns null if the data is refused. */
async function bring(
  world: World,
  company: Company,
  plan: DataPlan,
  data: Imported,
  by: DataSide,
): Promise<Imported | null> {
  const { harness, state } = world;
  const lines = linesOf(company.id, data);
  const isOwn = by === 'company' || by === 'a contact';
  const key = state.companyKeys.find(
    ({ company: owner, isRevoked }) =>
      !isRevoked && !owner.isSuspended && (owner === company) === isOwn,
  );
  if (by === 'operator' || key === undefined || lines.length === 0) {
    await importLines(harness.service.operator, lines);
    return data;
  }
  // A dry run must be refused like a push. An accepted one must not store a value, revision or event.
  const tried = freshWord();
  if (by === 'a contact' || by === 'a contact of another company') {
    // An uploaded file can contain only figures.
    const { metrics } = data;
    if (metrics.length === 0) return null;
    if (!isOwn) {
      await uploadForAnother(world, key.company, dataOf(key.company, plan, tried).metrics, metrics);
      return null;
    }
    return { metrics: await upload(world, company, metrics), sources: [], accounts: [] };
  }
  const records = linesOf(company.id, dataOf(company, plan, tried));
  const trial = await harness.company.post(key.secret, '/data?dry_run=true', { records });
  const { ok } = await harness.company.post(key.secret, '/data', { records: lines });
  if (trial.ok !== ok) throw new Error(`a dry run of data of ${company.name} says another thing`);
  if (ok !== isOwn) {
    const became = ok ? 'taken' : 'refused';
    throw new Error(`data of ${company.name}, pushed by ${key.company.name}, was ${became}`);
  }
  return ok ? data : null;
}
