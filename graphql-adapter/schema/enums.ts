import type {
  CompanyAccess,
  Environment as EnvironmentName,
  GrantableScope as GrantableScopeName,
  Scope as ScopeName,
  AccessRequestStatus as Status,
} from '#core';
import { builder } from './builder.ts';

/**
 * Returns the values of an enum with their GraphQL names: metrics:read → METRICS_READ, access_request.created →
 * CREATED.
 */
export function valuesOf<Value extends string>(descriptions: Readonly<Record<Value, string>>) {
  const entries = Object.entries(descriptions) as [Value, string][];
  return Object.fromEntries(
    entries.map(([value, description]) => [
      value
        .replace(/^access_request\./, '')
        .replace(/[:.]/, '_')
        .toUpperCase(),
      { value, description },
    ]),
  ) as Record<string, { value: Value; description: string }>;
}

export const Scope = builder.enumType('Scope', {
  description: 'What an API key may do, and of that what a company can grant.',
  values: valuesOf<ScopeName>({
    'companies:read':
      'List the companies of the portfolio. Needs no grant, so none can be requested.',
    'metrics:read': 'Read the metrics of a company. Can be granted.',
    'accounts:read': 'Read the financial accounts of a company. Can be granted.',
    'sources:read': 'Read which data sources a company has connected. Can be granted.',
    'reports:read': 'Announced, without use yet. Cannot be granted.',
    'webhooks:manage': 'Manage webhook endpoints. Of keys alone: cannot be granted.',
  }),
});

export const GrantableScope = builder.enumType('GrantableScope', {
  description: 'A scope that a company can grant.',
  values: valuesOf<GrantableScopeName>({
    'metrics:read': 'Read the metrics of a company.',
    'accounts:read': 'Read the financial accounts of a company.',
    'sources:read': 'Read which data sources a company has connected.',
  }),
});

export const AccessRequestStatus = builder.enumType('AccessRequestStatus', {
  description: 'What has become of an access request.',
  values: valuesOf<Status>({
    pending: 'The company has not answered yet.',
    approved: 'The company has granted all or a part of what was asked.',
    declined: 'The company has said no.',
    expired: 'The company did not answer in time, or the grant has ended.',
    revoked: 'The company has taken the grant back.',
  }),
});

export const CompanyAccessStatus = builder.enumType('CompanyAccessStatus', {
  description: 'Whether the data of a company may be read, as its newest access request decides.',
  values: valuesOf<CompanyAccess>({
    none: 'Nothing was asked, or what was asked was declined or has expired.',
    pending: 'The company has not answered yet.',
    approved: 'The company has granted access; see `approvedScopes` for what.',
    revoked: 'The company has taken the grant back.',
  }),
});

export const Environment = builder.enumType('Environment', {
  description: 'Two worlds that cannot see each other.',
  values: valuesOf<EnvironmentName>({
    live: 'Real companies and their data. Keys begin with `svc_sk_live_`.',
    test: 'A sandbox. Keys begin with `svc_sk_test_`.',
  }),
});
