import assert from 'node:assert/strict';
import type { Json } from '../../support/http-client.ts';
import type {
  NormalizedAccessRequest,
  NormalizedAccount,
  NormalizedCompany,
  NormalizedEvent,
  NormalizedMetric,
  NormalizedOutcome,
} from './driver.ts';
import { withoutSignature } from './signature.ts';

/** METRICS_READ → metrics:read, PENDING → pending. */
const wordOf = (name: string) => name.toLowerCase().replace('_', ':');

/** Converts the names of scopes in an error into the form of other protocols. */
export const inWords = (text: string) => text.replaceAll(/\b[A-Z]+_(?:READ|MANAGE)\b/g, wordOf);

/** metrics:read → METRICS_READ. */
export const nameOf = (word: unknown) =>
  typeof word === 'string' ? word.toUpperCase().replace(':', '_') : word;

export function normalizeCompany({ access, ...company }: Json): NormalizedCompany {
  const { status, accessPaused, approvedScopes, expiresAt, request } = access;
  const isApproved = status === 'APPROVED';
  assert.deepEqual([approvedScopes.length > 0, expiresAt !== null], [isApproved, isApproved]);
  return {
    ...company,
    access: wordOf(status),
    accessPaused,
    grant: isApproved ? { approvedScopes: approvedScopes.map(wordOf), expiresAt } : null,
    accessRequestId: request?.id ?? null,
  };
}

export function normalizeAccessRequest(request: Json): NormalizedAccessRequest {
  return {
    ...request,
    requestedScopes: request.requestedScopes.map(wordOf),
    approvedScopes: request.approvedScopes.map(wordOf),
    pendingScopes: request.pendingScopes.map(wordOf),
    status: wordOf(request.status),
    requestedTerms: normalizeTerms(request.requestedTerms),
    approvedTerms: normalizeTerms(request.approvedTerms),
    pendingTerms: normalizeTerms(request.pendingTerms),
  };
}

const normalizeTerms = (terms: Json) => terms && { ...terms, use: wordOf(terms.use) };

export function normalizeEvent({ type, actor, approvedScopes, ...event }: Json): NormalizedEvent {
  return {
    ...event,
    type: `access_request.${type.toLowerCase()}`,
    actor: { ...actor, type: actor.type.toLowerCase() },
    approvedScopes: approvedScopes.map(wordOf),
  };
}

export function normalizeOutcome({ outcome, accessRequest, ...rest }: Json): NormalizedOutcome {
  return {
    ...rest,
    outcome: wordOf(outcome),
    accessRequest: normalizeAccessRequest(accessRequest),
  };
}

/** GraphQL returns every selected field, but other protocols leave out fields without a value. */
export function normalizeMetric({
  __typename: _,
  verification,
  ...metric
}: Json): NormalizedMetric {
  const proof = Object.entries(verification).filter(([, value]) => value !== null);
  return withoutSignature({ ...metric, verification: Object.fromEntries(proof) }, 'shown');
}

/** Values in a history lack the fields of their metric, so this adds them. */
export function normalizeHistory({ __typename: _, history, ...metric }: Json): NormalizedMetric[] {
  return history.map((point: Json) => normalizeMetric({ ...metric, ...point }));
}

/** Converts a node into the form that its own query returns. Null stays null. */
export function normalizeNode(node: Json): unknown {
  if (node === null) return null;
  const { __typename, id, accountId, ...rest } = node;
  switch (__typename) {
    case 'Company':
      return normalizeCompany({ id, ...rest });
    case 'AccessRequest':
      return normalizeAccessRequest({ id, ...rest });
    case 'Metric':
      return normalizeMetric(rest);
    case 'Account':
      return normalizeAccount({ id: accountId, ...rest });
    default:
      return rest;
  }
}

export const normalizeHistories = ({ histories }: Json): NormalizedMetric[] =>
  histories.flatMap(({ values, ...metric }: Json) =>
    values.map((value: Json) => {
      const [, payload] = value.verification.signature.split('.');
      const { company_id } = JSON.parse(Buffer.from(payload, 'base64url').toString());
      return normalizeMetric({ companyId: company_id, ...metric, ...value });
    }),
  );

/** All values that a period has had, each as a metric with its revision number. */
export interface NormalizedRevisions {
  readonly ofLatest: readonly NormalizedRevision[];
  readonly ofHistory: readonly (readonly NormalizedRevision[])[];
}

type NormalizedRevision = NormalizedMetric & { readonly revision: number };

export function normalizeRevisions({
  __typename: _,
  revisions,
  history,
  ...metric
}: Json): NormalizedRevisions {
  const told = (all: Json): NormalizedRevision[] =>
    all.map((one: Json) => ({ ...normalizeMetric({ ...metric, ...one }), revision: one.revision }));
  return {
    ofLatest: told(revisions),
    ofHistory: history.map((point: Json) => told(point.revisions)),
  };
}

export function normalizeAccount(account: Json): NormalizedAccount {
  return { ...account, type: wordOf(account.type) };
}
