import { expect, test } from 'vitest';
import type { GrantableScope } from '#core';
import { importLines } from '../../../support/fixtures.ts';
import { recordsIn } from '../../../support/records-in.ts';
import { aNewcomer, later, start, type World } from '../../world.ts';

const source = (companyId: string, fields: object) => ({
  ...{ type: 'source', company_id: companyId, provider: 'ledger', account_name: 'Books' },
  ...{ status: 'connected', last_synced_at: start.toISOString(), ...fields },
});

async function openPortfolio() {
  const { world, newcomer } = await aNewcomer();
  const add = async (name: string, scopes: readonly GrantableScope[] | null, fields: object) => {
    const { id } = await world.companyOf(newcomer.investor, name);
    await importLines(world.operator, [source(id, fields)]);
    if (scopes !== null) await grant(world, newcomer.key, id, scopes);
    return id;
  };
  const late = async (caller = newcomer.caller) => {
    const companies = await world.callers.readPortfolioOverview(caller);
    return companies.filter(({ isLate }) => isLate).map(({ name }) => name);
  };
  return { world, newcomer, add, late };
}

async function grant(world: World, key: string, id: string, scopes: readonly GrantableScope[]) {
  const request = await world.request(key, id);
  await world.operator.approveAccessRequest({ id: request.id, scopes });
  return request;
}

const all = ['metrics:read', 'sources:read'] as const;

test('a company is late while one of its sources has failed or is stale', async () => {
  const { world, add, late } = await openPortfolio();
  await add('Failed', all, { status: 'failed' });
  await add('Hourly', all, { expected_every: 'PT1H' });
  await add('Unknown', all, {});
  expect(await late()).toEqual(['Failed']);
  world.clock.set(later(3_600_000));
  expect(await late()).toEqual(['Failed', 'Hourly']);
});

test('a company isn’t late while it doesn’t share its sources with the investor', async () => {
  const { world, newcomer, add, late } = await openPortfolio();
  await add('Metrics alone', ['metrics:read'], { status: 'failed' });
  await add('None', null, { status: 'failed' });
  const revoked = await add('Revoked', all, { status: 'failed' });
  expect(await late()).toEqual(['Revoked']);
  const { newestRequestId } = await world.callers.readPortfolioCompany(newcomer.caller, {
    companyId: revoked,
  });
  const id = newestRequestId ?? '';
  await world.operator.pauseAccessRequest({ id });
  expect(await late()).toEqual([]);
  await world.operator.resumeAccessRequest({ id });
  expect(await late()).toEqual(['Revoked']);
  await world.operator.revokeAccessRequest({ id });
  expect(await late()).toEqual([]);
});

test('a key without sources:read sees no company as late', async () => {
  const { world, newcomer, add, late } = await openPortfolio();
  await add('Failed', all, { status: 'failed' });
  const { key } = await world.key(newcomer.investor, {
    scopes: ['companies:read', 'metrics:read'],
  });
  expect(await late(await world.admit(key))).toEqual([]);
});

test('the overview lists the portfolio’s companies by name and leaves no access record', async () => {
  const { world, newcomer, add } = await openPortfolio();
  await add('Beta', all, { status: 'failed' });
  await add('Alpha', null, {});
  const companies = await world.callers.readPortfolioOverview(newcomer.caller);
  expect(companies.map(({ isLate: _, ...company }) => company)).toEqual(
    await world.callers.listPortfolio(newcomer.caller),
  );
  expect(recordsIn(await world.callers.listAccessRecords(newcomer.caller))).toEqual([]);
});
