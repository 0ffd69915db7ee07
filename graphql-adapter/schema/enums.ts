import type {
  CompanyAccess,
  Environment as EnvironmentName,
  GrantableScope as GrantableScopeName,
  Scope as ScopeName,
  AccessRequestStatus as Status,
} from '#core';
import { builder } from './builder.ts';

/** Adds the names of GraphQL enums: `METRICS_READ` for `metrics:read`, `CREATED` for `access_request.created`. */
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
  description: 'A scope of an API key.',
  values: valuesOf<ScopeName>({
    'companies:read':
      'List the companies of the portfolio. Needs no grant. A company can’t grant this scope.',
    'metrics:read': 'Read the metrics of a company. Can be granted.',
    'accounts:read': 'Read the financial accounts of a company. Can be granted.',
    'sources:read': 'Read the connected data sources of a company. Can be granted.',
    'reports:read': 'Announced, not used yet. A company can’t grant this scope.',
    'webhooks:manage': 'Manage webhook endpoints. A company can’t grant this scope.',
  }),
});

export const GrantableScope = builder.enumType('GrantableScope', {
  description: 'A scope that a company can grant.',
  values: valuesOf<GrantableScopeName>({
    'metrics:read': 'Read the metrics of a company.',
    'accounts:read': 'Read the financial accounts of a company.',
    'sources:read': 'Read the connected data sources of a company.',
  }),
});

export const AccessRequestStatus = builder.enumType('AccessRequestStatus', {
  description: 'The status of an access request.',
  values: valuesOf<Status>({
    pending: 'The company hasn’t decided yet.',
    approved: 'The company granted all requested scopes or a part.',
    declined: 'The company declined.',
    expired: 'The company didn’t decide in time, or the grant ended.',
    revoked: 'The company revoked the grant.',
  }),
});

export const CompanyAccessStatus = builder.enumType('CompanyAccessStatus', {
  description: 'Your access to a company’s data, from the newest access request.',
  values: valuesOf<CompanyAccess>({
    none: 'There is no request, or the newest request was declined or has expired.',
    pending: 'The company hasn’t decided yet.',
    approved: 'The company granted access to `approvedScopes`.',
    revoked: 'The company revoked the grant.',
  }),
});

export const Environment = builder.enumType('Environment', {
  description: 'Two separate environments.',
  values: valuesOf<EnvironmentName>({
    live: 'Real companies and their data. Keys begin with `svc_sk_live_`.',
    test: 'A sandbox. Keys begin with `svc_sk_test_`.',
  }),
});
