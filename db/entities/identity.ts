import { defineEntity, p } from '@mikro-orm/core';
import type { Environment, Scope } from '#core';

export const InvestorEntity = defineEntity({
  name: 'Investor',
  properties: {
    id: p.text().primary(),
    name: p.text(),
    environment: p.text().$type<Environment>(),
    createdAt: p.datetime(3),
  },
  uniques: [{ name: 'investor_id_environment', properties: ['id', 'environment'] }],
});

export const CompanyEntity = defineEntity({
  name: 'Company',
  properties: {
    id: p.text().primary(),
    name: p.text(),
    environment: p.text().$type<Environment>(),
    createdAt: p.datetime(3),
  },
  uniques: [{ name: 'company_id_environment', properties: ['id', 'environment'] }],
});

const byCodePoint = { name: 'companyId', collation: 'C' };

/** Both foreign keys contain the environment, so no pair can be of two environments. */
export const PortfolioMembershipEntity = defineEntity({
  name: 'PortfolioMembership',
  properties: {
    investorId: p.text().primary(),
    companyId: p.text().primary(),
    environment: p.text().$type<Environment>(),
    addedAt: p.datetime(3),
    /** That of the company, which the database itself writes. */
    companyName: p.text().collation('C').default(''),
  },
  indexes: [
    {
      name: 'portfolio_membership_by_name',
      properties: ['investorId', 'companyName', 'companyId'],
      columns: [{ name: 'investorId' }, { name: 'companyName' }, byCodePoint],
    },
    {
      name: 'portfolio_membership_by_age',
      properties: ['investorId', 'addedAt', 'companyId'],
      columns: [{ name: 'investorId' }, { name: 'addedAt' }, byCodePoint],
    },
    { name: 'portfolio_membership_of_company', properties: ['companyId'] },
  ],
});

/** Holds the SHA-256 digest of the secret, never the secret itself. */
export const ApiKeyEntity = defineEntity({
  name: 'ApiKey',
  properties: {
    id: p.text().primary(),
    investorId: p.text(),
    environment: p.text().$type<Environment>(),
    digest: p.uint8array().unique('api_key_digest'),
    hint: p.text(),
    name: p.text().nullable(),
    scopes: p.array().columnType('text[]').$type<readonly Scope[]>(),
    rateLimit: p.integer().nullable(),
    createdAt: p.datetime(3),
    lastUsedAt: p.datetime(3).nullable(),
    expiresAt: p.datetime(3).nullable(),
    revokedAt: p.datetime(3).nullable(),
    replacedBy: p.text().nullable(),
  },
  indexes: [{ name: 'api_key_of_investor', properties: ['investorId', 'createdAt', 'id'] }],
});

/** Holds the SHA-256 digest of the secret, never the secret itself. */
export const CompanyKeyEntity = defineEntity({
  name: 'CompanyKey',
  properties: {
    id: p.text().primary(),
    companyId: p.text(),
    environment: p.text().$type<Environment>(),
    digest: p.uint8array().unique('company_key_digest'),
    hint: p.text(),
    name: p.text().nullable(),
    createdAt: p.datetime(3),
    lastUsedAt: p.datetime(3).nullable(),
    expiresAt: p.datetime(3).nullable(),
    revokedAt: p.datetime(3).nullable(),
    replacedBy: p.text().nullable(),
  },
  indexes: [{ name: 'company_key_of_company', properties: ['companyId', 'createdAt', 'id'] }],
});

export const CompanyContactEntity = defineEntity({
  name: 'CompanyContact',
  properties: {
    id: p.text().primary(),
    companyId: p.text(),
    email: p.text().index('company_contact_by_address'),
    createdAt: p.datetime(3),
  },
  uniques: [{ name: 'company_contact_once', properties: ['companyId', 'email'] }],
});
