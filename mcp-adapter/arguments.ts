import { z } from 'zod';
import {
  accessRequestStatuses,
  companyAccesses,
  grantableScopes,
  InputError,
  maxIdempotencyKeyLength,
  maxMetricKeys,
  maxPageSize,
  maxPurposeLength,
} from '#core';

/** Below one minute, because hosts and proxies usually time out after a minute. */
export const maxWaitSeconds = 50;

/** All tools share these descriptions. Agents use only this text to choose an argument's value. */
export const argumentDescriptions: Readonly<Record<string, string>> = {
  companyId:
    'ID of a company in the portfolio, exactly as list_companies returns it, for example co_harbor.',
  access: `Returns only companies with this access: ${companyAccesses.join(', ')}. Default: companies with any access.`,
  keys: `Keys of metrics, for example ["cash_balance", "headcount"], at most ${maxMetricKeys}. Default: all metrics.`,
  key: 'Key of a metric, exactly as read_metrics returns it, for example cash_balance.',
  from: 'The first period, included: a date YYYY-MM-DD, for example 2026-01-31. Default: the oldest.',
  to: 'The last period, included: a date YYYY-MM-DD, for example 2026-06-30. Default: the newest.',
  search: 'Only companies whose name contains this text, ignoring case, for example energy.',
  limit: `The page size: a whole number from 1 to ${maxPageSize}. Each list has its own default.`,
  includeSignatures:
    'true: each value includes its signature of about 600 characters, for a program that verifies signatures. Default: false.',
  scopes: `The requested scopes: one or more of ${grantableScopes.join(', ')}, for example ["metrics:read"]. Duplicates count once.`,
  purpose: `The use of the data, for people at the company: plain text of at most ${maxPurposeLength} characters, for example "Quarterly reporting to our partners".`,
  terms:
    'The limits of the access, in addition to its scopes, for example {"metricKeys": ["arr"], "historyFrom": "2026-01-01", "use": "once"}. A new request has no limit that you leave out. If you amend a request, limits that you leave out stay, and null lifts a limit.',
  idempotencyKey: `Makes the call safe to repeat: 1 to ${maxIdempotencyKeyLength} characters, for example a UUID, new for each request. Within 24 hours, calls with the same key and arguments are carried out once.`,
  id: 'ID of one of your access requests, exactly as request_access or list_access_requests returns it, for example ar_019aa1b2c3d47e5f8a9b0c1d2e3f4a5b.',
  status: `Only requests with this status: ${accessRequestStatuses.join(', ')}. Default: all.`,
  since:
    'The start of the period, included: RFC 3339, for example 2026-01-31T00:00:00Z. Default: the oldest.',
  until:
    'The end of the period, included: RFC 3339, for example 2026-06-30T23:59:59Z. Default: the newest.',
  cursor: 'The nextCursor of the previous page, unchanged. Default: the first page.',
  timeoutSeconds: `Seconds to wait: a whole number from 1 to ${maxWaitSeconds}. Default: ${maxWaitSeconds}.`,
};

const includeSignatures = z.boolean().optional();

export const signaturesInput = { includeSignatures };

/** @throws InputError */
export const wantsSignatures = (input: object): boolean =>
  readArgument(includeSignatures, input, 'includeSignatures') ?? false;

/**
 * Reads an argument that belongs only to the tool, not to its use case.
 *
 * @throws InputError
 */
export function readArgument<Schema extends z.ZodType>(
  schema: Schema,
  input: object,
  name: string,
): z.output<Schema> {
  const { success, data } = schema.safeParse((input as Record<string, unknown>)[name]);
  if (!success) throw new InputError('invalid_parameter', name);
  return data as z.output<Schema>;
}
