import { defineEntity, p } from '@mikro-orm/core';
import type { CompanyScope, Environment, NewsChoices, Role, Scope } from '#core';

const partyProperties = {
  id: p.text().primary(),
  name: p.text(),
  environment: p.text().$type<Environment>(),
  createdAt: p.datetime(3),
  suspendedAt: p.datetime(3).nullable(),
};

export const InvestorEntity = defineEntity({ name: 'Investor', properties: partyProperties });

export const CompanyEntity = defineEntity({ name: 'Company', properties: partyProperties });

/** Both foreign keys contain the environment, so that investor and company have the same environment. */
export const PortfolioMembershipEntity = defineEntity({
  name: 'PortfolioMembership',
  properties: {
    investorId: p.text().primary(),
    companyId: p.text().primary(),
    environment: p.text().$type<Environment>(),
    addedAt: p.datetime(3),
    companyName: p.text().collation('C').default(''),
    removedAt: p.datetime(3).nullable(),
  },
});

/** `digest` is the SHA-256 of the secret. The secret isn't stored. */
const keyProperties = {
  id: p.text().primary(),
  environment: p.text().$type<Environment>(),
  digest: p.uint8array(),
  hint: p.text(),
  name: p.text().nullable(),
  createdAt: p.datetime(3),
  lastUsedAt: p.datetime(3).nullable(),
  expiresAt: p.datetime(3).nullable(),
  revokedAt: p.datetime(3).nullable(),
  replacedBy: p.text().nullable(),
};

export const ApiKeyEntity = defineEntity({
  name: 'ApiKey',
  properties: {
    ...keyProperties,
    investorId: p.text(),
    scopes: p.array().columnType('text[]').$type<readonly Scope[]>(),
    rateLimit: p.integer().nullable(),
  },
});

export const CompanyKeyEntity = defineEntity({
  name: 'CompanyKey',
  properties: {
    ...keyProperties,
    companyId: p.text(),
    scopes: p.array().columnType('text[]').$type<readonly CompanyScope[]>(),
    source: p.text().nullable(),
  },
});

export const ContactEntity = defineEntity({
  name: 'Contact',
  properties: {
    id: p.text().primary(),
    companyId: p.text().nullable(),
    investorId: p.text().nullable(),
    email: p.text(),
    role: p.text().$type<Role>(),
    createdAt: p.datetime(3),
    language: p.text().nullable(),
    timeZone: p.text().nullable(),
    newsChoices: p.json().$type<Partial<NewsChoices>>().nullable(),
  },
});
