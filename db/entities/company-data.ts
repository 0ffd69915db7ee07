import { defineEntity, p } from '@mikro-orm/core';
import type { AccountType } from '#core';

export const MetricSeriesEntity = defineEntity({
  name: 'MetricSeries',
  properties: {
    id: p.bigint('string').primary().autoincrement().generated('identity'),
    companyId: p.text(),
    key: p.text(),
    label: p.text(),
    category: p.text(),
  },
});

const valueProperties = {
  currency: p.text().nullable(),
  rawValue: p.decimal('string').columnType('numeric').nullable(),
  value: p.text().nullable(),
  asOf: p.datetime(3),
  confidence: p.text(),
  sourceSystem: p.text(),
  sourceMethod: p.text(),
  lastSynced: p.datetime(3),
  verified: p.boolean(),
  sourceSignature: p.text().nullable(),
  voidReason: p.text().nullable(),
};

const proofProperties = {
  signedAt: p.datetime(3).nullable(),
  signature: p.uint8array().nullable(),
  signingKey: p.smallint().nullable(),
  /** The ID of the settings log entry that names the person who entered the value. */
  settingsChangeId: p.text().nullable(),
};

/** The latest revision of each period's value. A history is read in the order of the primary key. */
export const MetricPointEntity = defineEntity({
  name: 'MetricPoint',
  properties: {
    seriesId: p.bigint('string').primary(),
    period: p.date().primary(),
    ...valueProperties,
    revision: p.integer().default(1),
    ...proofProperties,
  },
});

export const MetricRevisionEntity = defineEntity({
  name: 'MetricRevision',
  properties: {
    seriesId: p.bigint('string').primary(),
    period: p.date().primary(),
    revision: p.integer().primary(),
    ...valueProperties,
    ...proofProperties,
  },
});

export const SourceEntity = defineEntity({
  name: 'Source',
  properties: {
    companyId: p.text().primary(),
    provider: p.text().primary(),
    accountName: p.text().primary(),
    status: p.text(),
    lastSyncedAt: p.datetime(3),
    expectedEvery: p.text().nullable(),
    staleAt: p.datetime(3).nullable(),
    isStaleReported: p.boolean().default(false),
  },
});

export const AccountEntity = defineEntity({
  name: 'Account',
  properties: {
    companyId: p.text().primary(),
    id: p.text().primary(),
    provider: p.text(),
    name: p.text(),
    type: p.text().$type<AccountType>(),
    currency: p.text(),
    balance: p.text(),
    rawBalance: p.decimal('string').columnType('numeric'),
    lastFour: p.text().nullable(),
    lastSyncedAt: p.datetime(3),
  },
});

export const CompanyDataVersionEntity = defineEntity({
  name: 'CompanyDataVersion',
  properties: {
    companyId: p.text().primary(),
    version: p.bigint('string'),
  },
});

export const IdempotentPushEntity = defineEntity({
  name: 'IdempotentPush',
  properties: {
    companyId: p.text().primary(),
    key: p.text().primary(),
    fingerprint: p.uint8array(),
    pushedAt: p.datetime(3),
    expiresAt: p.datetime(3),
    created: p.integer(),
    revised: p.integer(),
    unchanged: p.integer(),
    dataVersion: p.bigint('string'),
  },
});
