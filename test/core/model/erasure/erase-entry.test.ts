import { describe, expect, test } from 'vitest';
import type { SettingsChange } from '#core';
import { eraseEntry } from '../../../../core/model/erasure/erase-entry.ts';

const ada = 'ada@example.com';
const harbor = { companyId: 'co_harbor' };

const entry = (overrides: Partial<SettingsChange>): SettingsChange => ({
  id: 'chg_1',
  type: 'contact.added',
  createdAt: new Date(0),
  companyId: 'co_harbor',
  investorId: null,
  actor: { type: 'operator', id: null, name: null },
  subject: { type: 'contact', id: 'ct_1', name: ada },
  changes: {},
  ...overrides,
});

const from = <Value>(value: Value) => ({ from: null, to: value });

describe('an entry in the settings log of an erased company', () => {
  test.each<[string, Partial<SettingsChange>, Partial<SettingsChange>]>([
    [
      'has the ID of a person instead of the email address',
      {
        actor: { type: 'contact', id: 'ct_2', name: 'bob@example.com' },
        changes: { email: from(ada), role: from('admin') },
      },
      {
        actor: { type: 'contact', id: 'ct_2', name: 'Erased person ct_2' },
        subject: { type: 'contact', id: 'ct_1', name: 'Erased person ct_1' },
        changes: { email: from('Erased person ct_1'), role: from('admin') },
      },
    ],
    [
      'has a pseudonym instead of each name of the company',
      {
        type: 'company.renamed',
        subject: { type: 'company', id: 'co_harbor', name: 'New' },
        changes: { name: { from: 'Old', to: 'New' } },
      },
      {
        subject: { type: 'company', id: 'co_harbor', name: 'Erased company co_harbor' },
        changes: { name: { from: 'Erased company co_harbor', to: 'Erased company co_harbor' } },
      },
    ],
    [
      'keeps the name of an investor',
      {
        type: 'portfolio.company_added',
        investorId: 'inv_1',
        subject: { type: 'company', id: 'co_harbor', name: 'Harbor' },
        changes: { portfolioOf: from('North Capital') },
      },
      {
        subject: { type: 'company', id: 'co_harbor', name: 'Erased company co_harbor' },
        changes: { portfolioOf: from('North Capital') },
      },
    ],
    [
      'keeps the scopes of a key, but not the name of the key',
      {
        type: 'company_key.created',
        subject: { type: 'company_key', id: 'ck_1', name: 'Notebook of Ada' },
        changes: {
          name: from('Notebook of Ada'),
          scopes: from(['data:write']),
          hint: from('svc…1'),
        },
      },
      {
        subject: { type: 'company_key', id: 'ck_1', name: '[erased]' },
        changes: { name: from('[erased]'), scopes: from(['data:write']), hint: from('svc…1') },
      },
    ],
    [
      'has no URL and no reason',
      {
        type: 'webhook_endpoint.changed',
        subject: { type: 'webhook_endpoint', id: 'we_1', name: 'https://ada.example' },
        changes: { url: from('https://ada.example'), reason: from('Ada asked for it') },
      },
      {
        subject: { type: 'webhook_endpoint', id: 'we_1', name: '[erased]' },
        changes: { url: from('[erased]'), reason: from('[erased]') },
      },
    ],
    [
      'keeps the date of deleted access records',
      {
        type: 'access_log.dropped',
        subject: { type: 'access_log', id: '2026-01-01', name: '2026-01-01' },
      },
      {},
    ],
  ])('%s', (_, before, after) => {
    expect(eraseEntry(harbor, entry(before))).toEqual({ ...entry(before), ...after });
  });
});

test('a log entry of an erased investor gets a pseudonym for the investor, and keeps the company’s name', () => {
  const added = entry({
    type: 'portfolio.company_added',
    investorId: 'inv_1',
    subject: { type: 'company', id: 'co_harbor', name: 'Harbor' },
    changes: { portfolioOf: from('North Capital') },
  });
  expect(eraseEntry({ investorId: 'inv_1' }, added)).toEqual({
    ...added,
    changes: { portfolioOf: from('Erased investor inv_1') },
  });
});

describe('a log entry about an erased person', () => {
  test('keeps other people’s email addresses and the names of companies', () => {
    const of = entry({
      actor: { type: 'contact', id: 'ct_2', name: 'bob@example.com' },
      changes: { email: from(ada), name: from('Harbor') },
    });
    expect(eraseEntry({ email: ada }, of)).toEqual({
      ...of,
      subject: { type: 'contact', id: 'ct_1', name: 'Erased person ct_1' },
      changes: { email: from('Erased person ct_1'), name: from('Harbor') },
    });
  });

  test('keeps the URL of an endpoint, because the endpoint still works', () => {
    const url = `https://hooks.example.com/${ada}`;
    const of = entry({
      type: 'webhook_endpoint.created',
      subject: { type: 'webhook_endpoint', id: 'we_1', name: url },
      changes: { url: from(url) },
    });
    expect(eraseEntry({ email: ada }, of)).toEqual(of);
  });

  test('gets “[erased]” in place of each text with the person’s email address', () => {
    const of = entry({
      type: 'company_data.entered',
      subject: { type: 'company', id: 'co_harbor', name: 'Harbor' },
      changes: { reason: from('ADA@example.com confirmed it') },
    });
    expect(eraseEntry({ email: ada }, of).changes).toEqual({ reason: from('[erased]') });
  });
});
