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

describe('the comparison of settings with their log', () => {
  const end = '2026-12-01T00:00:00.000Z';
  test.each([
    ['a key', [key('key_1')], [made('key_1')]],
    [
      'a renamed key',
      [key('key_1', { name: 'New' })],
      [made('key_1'), change('api_key.renamed', 'key_1', { name: 'New' })],
    ],
    [
      'a revoked key',
      [key('key_1', { isRevoked: true })],
      [made('key_1'), change('api_key.revoked', 'key_1', { name: null, scopes: null })],
    ],
    [
      'a rotated key and its successor',
      [key('key_1', { expiresAt: end, replacedBy: 'key_2' }), key('key_2')],
      [made('key_1'), change('api_key.rotated', 'key_1', { expiresAt: end, replacedBy: 'key_2' })],
    ],
    [
      'a rotated key whose expiry stayed the same',
      [key('key_1', { replacedBy: 'key_2' }), key('key_2')],
      [made('key_1'), change('api_key.rotated', 'key_1', { replacedBy: 'key_2' })],
    ],
    [
      'a key that expires earlier than the log says',
      [key('key_1', { expiresAt: end })],
      [made('key_1')],
    ],
    [
      'a removed contact',
      [],
      [change('contact.added', 'ct_1', { role: 'admin' }), change('contact.removed', 'ct_1')],
    ],
    [
      'an erased contact',
      [],
      [change('contact.added', 'ct_1', { role: 'admin' }), change('contact.erased', 'ct_1')],
    ],
    [
      'an erased investor, whose contacts and endpoints are gone and whose keys have ended',
      [
        { type: 'investor', id: 'inv_1', state: { name: 'Erased', suspendedAt: end } },
        key('key_1', { isRevoked: true }),
        { type: 'portfolio', id: 'co_1', state: {} },
      ],
      [
        change('investor.created', 'inv_1', { name: 'Erased' }),
        change('portfolio.company_added', 'co_1'),
        change('contact.added', 'ct_1', { role: 'admin' }),
        change('webhook_endpoint.created', 'we_1'),
        made('key_1'),
        change('investor.erased', 'inv_1', { suspendedAt: end }),
      ],
    ],
    [
      'a company in the portfolio',
      [{ type: 'portfolio', id: 'co_1', state: {} }],
      [change('portfolio.company_added', 'co_1')],
    ],
    [
      'a company that was removed from the portfolio',
      [],
      [change('portfolio.company_added', 'co_1'), change('portfolio.company_removed', 'co_1')],
    ],
  ] as const)('finds no problem for %s', (_what, settings, log) => {
    expect(find(settings, log)).toEqual([]);
  });

  test('ignores a portfolio entry in a company’s log, because portfolios are checked with their investor', () => {
    expect(find([], [change('portfolio.company_added', 'co_1')], { companyId: 'co_1' })).toEqual(
      [],
    );
  });
});

describe('the comparison of settings with their log', () => {
  test.each([
    [
      'a key without an entry in the log',
      [key('key_1')],
      [],
      ["the api_key key_1 isn't in the log"],
    ],
    [
      'a key that is in the log but isn’t stored',
      [],
      [made('key_1')],
      ["the api_key key_1 is in the log, and isn't stored"],
    ],
    [
      'a key with more scopes than the log says',
      [key('key_1', { scopes: ['metrics:read', 'accounts:read'] })],
      [made('key_1')],
      ["the api_key key_1 isn't what the log says: scopes"],
    ],
    [
      'a revoked key that works again',
      [key('key_1')],
      [made('key_1'), change('api_key.revoked', 'key_1')],
      ["the api_key key_1 isn't what the log says: isRevoked"],
    ],
    [
      'a key that expires later than the log says',
      [key('key_1', { expiresAt: '2027-01-01T00:00:00.000Z' })],
      [
        change('api_key.created', 'key_1', {
          name: 'CI',
          scopes: ['metrics:read'],
          expiresAt: '2026-12-01T00:00:00.000Z',
        }),
      ],
      ["the api_key key_1 isn't what the log says: expiresAt"],
    ],
    [
      'a key without an expiry although the log has an expiry',
      [key('key_1')],
      [made('key_1'), change('api_key.rotated', 'key_1', { expiresAt: '2026', replacedBy: 'x' })],
      [
        "the api_key key_1 isn't what the log says: expiresAt",
        "the api_key x is in the log, and isn't stored",
      ],
    ],
    [
      'a company in the portfolio without an entry in the log',
      [{ type: 'portfolio', id: 'co_1', state: {} }],
      [],
      ["the portfolio co_1 isn't in the log"],
    ],
    [
      'a rotation of a key that doesn’t exist',
      [],
      [change('api_key.rotated', 'key_1', { replacedBy: 'key_2' })],
      [
        "the api_key key_2 is in the log, and isn't stored",
        "the api_key key_1 is in the log, and isn't stored",
      ],
    ],
  ] as const)('reports a problem for %s', (_what, settings, log, problems) => {
    expect(find(settings, log)).toEqual(problems);
  });
});
