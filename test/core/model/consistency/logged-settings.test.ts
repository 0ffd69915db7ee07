import { describe, expect, test } from 'vitest';
import type { OwnedSettings, SettingsChange, StoredSetting } from '#core';
import { findUnloggedSettings } from '../../../../core/model/consistency/logged-settings.ts';

const change = (
  type: SettingsChange['type'],
  id: string,
  to: Readonly<Record<string, unknown>> = {},
) =>
  ({
    type,
    subject: { type: type.replace(/\..*|^portfolio/, ''), id, name: 'A' },
    changes: Object.fromEntries(
      Object.entries(to).map(([name, value]) => [name, { from: null, to: value }]),
    ),
  }) as unknown as SettingsChange;

const key = (id: string, state: Readonly<Record<string, unknown>> = {}): StoredSetting => ({
  type: 'api_key',
  id,
  state: { name: 'CI', scopes: ['metrics:read'], expiresAt: null, isRevoked: null, ...state },
});

const made = (id: string) =>
  change('api_key.created', id, { name: 'CI', scopes: ['metrics:read'] });

const find = (
  settings: readonly StoredSetting[],
  log: readonly SettingsChange[],
  owner: OwnedSettings['owner'] = { investorId: 'inv_1' },
) => findUnloggedSettings({ owner, settings, log });

const log = {
  renamed: change('api_key.renamed', 'key_1', { name: 'New' }),
  revoked: change('api_key.revoked', 'key_1', { name: null, scopes: null }),
  rotated: (to: object) => change('api_key.rotated', 'key_1', { replacedBy: 'key_2', ...to }),
  person: change('contact.added', 'ct_1', { role: 'admin' }),
  added: change('portfolio.company_added', 'co_1'),
};
const inPortfolio: StoredSetting = { type: 'portfolio', id: 'co_1', state: {} };
const end = '2026-12-01T00:00:00.000Z';

type Compared = [what: string, settings: readonly StoredSetting[], log: readonly SettingsChange[]];

describe('the comparison of settings with their log', () => {
  const rotated = key('key_1', { replacedBy: 'key_2' });
  test.each<Compared>([
    ['a key', [key('key_1')], [made('key_1')]],
    ['a renamed key', [key('key_1', { name: 'New' })], [made('key_1'), log.renamed]],
    ['a revoked key', [key('key_1', { isRevoked: true })], [made('key_1'), log.revoked]],
    [
      'a rotated key and its successor',
      [key('key_1', { expiresAt: end, replacedBy: 'key_2' }), key('key_2')],
      [made('key_1'), log.rotated({ expiresAt: end })],
    ],
    ['a rotated key that keeps its end', [rotated, key('key_2')], [made('key_1'), log.rotated({})]],
    [
      'a key that ends earlier than in the log',
      [key('key_1', { expiresAt: end })],
      [made('key_1')],
    ],
    ['a removed contact', [], [log.person, change('contact.removed', 'ct_1')]],
    ['an erased contact', [], [log.person, change('contact.erased', 'ct_1')]],
    [
      'an erased investor, whose contacts and endpoints are gone and whose keys have ended',
      [
        { type: 'investor', id: 'inv_1', state: { name: 'Erased', suspendedAt: end } },
        key('key_1', { isRevoked: true }),
        inPortfolio,
      ],
      [
        change('investor.created', 'inv_1', { name: 'Erased' }),
        log.added,
        log.person,
        change('webhook_endpoint.created', 'we_1'),
        made('key_1'),
        change('investor.erased', 'inv_1', { suspendedAt: end }),
      ],
    ],
    ['a company in the portfolio', [inPortfolio], [log.added]],
    [
      'a company that was removed from the portfolio',
      [],
      [log.added, change('portfolio.company_removed', 'co_1')],
    ],
  ])('finds no problem for %s', (_what, settings, entries) => {
    expect(find(settings, entries)).toEqual([]);
  });

  test('ignores a portfolio entry in a company’s log, because portfolios are checked per investor', () => {
    expect(find([], [log.added], { companyId: 'co_1' })).toEqual([]);
  });

  const isMissing = (setting: string) => `the ${setting} isn't in the log`;
  const isGone = (id: string) => `the api_key ${id} is in the log, and isn't stored`;
  const differs = (field: string) => `the api_key key_1 isn't what the log says: ${field}`;
  const wide = key('key_1', { scopes: ['metrics:read', 'accounts:read'] });
  const ending = change('api_key.created', 'key_1', {
    ...{ name: 'CI', scopes: ['metrics:read'], expiresAt: end },
  });
  test.each<[...Compared, problems: string[]]>([
    ['a key without an entry', [key('key_1')], [], [isMissing('api_key key_1')]],
    ['a key that isn’t stored', [], [made('key_1')], [isGone('key_1')]],
    ['a key with more scopes', [wide], [made('key_1')], [differs('scopes')]],
    [
      'a revoked key that works again',
      [key('key_1')],
      [made('key_1'), change('api_key.revoked', 'key_1')],
      [differs('isRevoked')],
    ],
    [
      'a key that expires later',
      [key('key_1', { expiresAt: '2027-01-01T00:00:00.000Z' })],
      [ending],
      [differs('expiresAt')],
    ],
    [
      'a key without an expiry although the log has an expiry',
      [key('key_1')],
      [made('key_1'), log.rotated({ expiresAt: '2026', replacedBy: 'x' })],
      [differs('expiresAt'), isGone('x')],
    ],
    ['a company without an entry', [inPortfolio], [], [isMissing('portfolio co_1')]],
    ['a rotation of an unknown key', [], [log.rotated({})], [isGone('key_2'), isGone('key_1')]],
  ])('reports a problem for %s', (_what, settings, entries, problems) => {
    expect(find(settings, entries)).toEqual(problems);
  });
});
