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

/** Shorter than the usual timeout of hosts and proxies, one minute. */
export const maxWaitSeconds = 50;

/** The description of each argument, the same in all tools. An agent fills in arguments from this text alone. */
export const argumentDescriptions: Readonly<Record<string, string>> = {
  companyId:
    'Id of a company of the portfolio, exactly as list_companies gives it, as in co_harbor.',
  access: `Only companies to whose data you have this access now: one of ${companyAccesses.join(', ')}. Left out: all.`,
  keys: `Keys of metrics, as in ["cash_balance", "headcount"], at most ${maxMetricKeys}. Left out: all metrics.`,
  key: 'Key of a metric, exactly as read_metrics gives it, as in cash_balance.',
  from: 'The first period, included: a date YYYY-MM-DD, as in 2026-01-31. Left out: from the oldest.',
  to: 'The last period, included: a date YYYY-MM-DD, as in 2026-06-30. Left out: to the newest.',
  search: 'Only companies with this text in their name, in upper or lower case, as in energy.',
  limit: `How many at most: a whole number from 1 to ${maxPageSize}. Left out: the usual number of the list.`,
  includeSignatures:
    'true: each value comes with its signature, of about 600 characters, for a program that verifies it. Left out or false: without.',
  scopes: `What is asked for: a list of one or more of ${grantableScopes.join(', ')}, as in ["metrics:read"]. What is named twice counts once.`,
  purpose: `What the data is for, in plain text of at most ${maxPurposeLength} characters that people at the company read, as in "Quarterly reporting to our partners.".`,
  idempotencyKey: `Makes the call safe to repeat: text of your own, new for each request, of 1 to ${maxIdempotencyKeyLength} characters, as in a UUID. Within 24 hours the same key and arguments get the same answer, and are carried out once.`,
  id: 'Id of one of your access requests, exactly as request_access or list_access_requests gives it, as in ar_019aa1b2c3d47e5f8a9b0c1d2e3f4a5b.',
  status: `Only requests that have this status now: one of ${accessRequestStatuses.join(', ')}. Left out: all.`,
  since:
    'Only from this instant on, included: RFC 3339, as in 2026-01-31T00:00:00Z. Left out: from the oldest.',
  until:
    'Only up to this instant, included: RFC 3339, as in 2026-06-30T23:59:59Z. Left out: to the newest.',
  cursor:
    'Where to go on: nextCursor of the page before, exactly as it was given. Left out: from the beginning.',
  timeoutSeconds: `How long to wait: a whole number of seconds from 1 to ${maxWaitSeconds}. Left out: ${maxWaitSeconds}.`,
};

const includeSignatures = z.boolean().optional();

/** For tools that read metrics. */
export const signaturesInput = { includeSignatures };

/** @throws InputError */
export const wantsSignatures = (input: object): boolean =>
  readArgument(includeSignatures, input, 'includeSignatures') ?? false;

/**
 * Reads an argument that only the adapter knows.
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
