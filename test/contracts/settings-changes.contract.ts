import { expect, test } from 'vitest';
import type { Owner, SettingsChange } from '#core';
import { addCompany, addInvestor, anApiKey, at, freshId, keyChanges } from './builders.ts';
import { contract } from './contract.ts';

const key = { type: 'api_key', id: 'key_1', name: 'Nightly' } as const;

export const settingsChangesContract = contract('the log of settings changes', (repositories) => {
  const aChange = (overrides: Partial<SettingsChange>): SettingsChange => ({
    id: freshId('chg'),
    type: 'api_key.created',
    createdAt: at(),
    companyId: null,
    investorId: null,
    actor: { type: 'contact', id: 'ct_1', name: 'cfo@fund.example' },
    subject: key,
    changes: {},
    ...overrides,
  });

  /** Writes each log entry together with a change. */
  async function write(...changes: readonly SettingsChange[]): Promise<void> {
    const investor = await addInvestor(repositories);
    for (const change of changes)
      await keyChanges(repositories.apiKeys).add(anApiKey(investor), change);
  }

  const list = (owner: Owner | null, more: object = {}) =>
    repositories.settingsChanges.list({ owner, before: null, limit: 100, ...more });

  test('an entry is written together with its change and read back unchanged', async () => {
    const { id: investorId } = await addInvestor(repositories);
    const changes = {
      scopes: { from: null, to: ['metrics:read', 'accounts:read'] },
      rate_limit: { from: 600, to: null },
      name: { from: '', to: '’é😀' },
    };
    const change = aChange({ investorId, changes });
    await write(change);
    expect(await list({ investorId })).toEqual([change]);
  });

  test('entries are listed newest first, for one owner or, for an operator, for all owners', async () => {
    const { id: investorId } = await addInvestor(repositories);
    const { id: companyId } = await addCompany(repositories);
    const [other, foreign] = [await addInvestor(repositories), await addCompany(repositories)];
    const early = aChange({ investorId, createdAt: at(1) });
    const ofBoth = aChange({ investorId, companyId, createdAt: at(2) });
    const ofCompany = aChange({ companyId, createdAt: at(3) });
    const others = [aChange({ investorId: other.id }), aChange({ companyId: foreign.id })];
    await write(ofCompany, early, ...others, ofBoth);
    expect(await list({ investorId })).toEqual([ofBoth, early]);
    expect(await list({ companyId })).toEqual([ofCompany, ofBoth]);
    expect(await list(null, { limit: 10_000 })).toEqual(
      expect.arrayContaining([early, ofBoth, ofCompany, ...others]),
    );
    expect(await list({ investorId: freshId('inv') })).toEqual([]);
  });

  test('a page continues after any entry, even if several entries have the same time', async () => {
    const { id: investorId } = await addInvestor(repositories);
    const entries = [aChange({ investorId }), aChange({ investorId }), aChange({ investorId })];
    await write(...entries);
    const newest = entries.toReversed();
    const [first, ...others] = newest as [SettingsChange, ...SettingsChange[]];
    expect(await list({ investorId }, { limit: 1 })).toEqual([first]);
    const before = { instant: first.createdAt, id: first.id };
    expect(await list({ investorId }, { before })).toEqual(others);
  });

  test('a change without effect leaves no entry', async () => {
    const { id: investorId } = await addInvestor(repositories);
    const { apiKeys } = repositories;
    expect(await keyChanges(apiKeys).rename(freshId('key'), 'New', aChange({ investorId }))).toBe(
      false,
    );
    expect(await list({ investorId })).toEqual([]);
  });

  test('a change that is rolled back leaves no entry', async () => {
    const investor = await addInvestor(repositories);
    const investorId = investor.id;
    const undone = repositories.apiKeys.transact(investorId, null, async (keys) => {
      await keys.add(anApiKey(investor), aChange({ investorId }));
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    expect(await list({ investorId })).toEqual([]);
  });
});
