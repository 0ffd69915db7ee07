import assert from 'node:assert/strict';
import type { Json } from '../../support/http-client.ts';
import type {
  ToldAccessRequest,
  ToldAccount,
  ToldCompany,
  ToldEvent,
  ToldMetric,
  ToldOutcome,
} from './driver.ts';
import { withoutSignature } from './told-signature.ts';

/** METRICS_READ → metrics:read, PENDING → pending. */
const wordOf = (name: string) => name.toLowerCase().replace('_', ':');

/** Converts the scopes of an error into the form of the other protocols. */
export const inWords = (text: string) => text.replaceAll(/\b[A-Z]+_(?:READ|MANAGE)\b/g, wordOf);

/** metrics:read → METRICS_READ. */
export const nameOf = (word: unknown) =>
  typeof word === 'string' ? word.toUpperCase().replace(':', '_') : word;

export function toldCompany({ access, ...company }: Json): ToldCompany {
  const { status, approvedScopes, expiresAt, request } = access;
  const isApproved = status === 'APPROVED';
  assert.deepEqual([approvedScopes.length > 0, expiresAt !== null], [isApproved, isApproved]);
  return {
    ...company,
    access: wordOf(status),
    grant: isApproved ? { approvedScopes: approvedScopes.map(wordOf), expiresAt } : null,
    accessRequestId: request?.id ?? null,
  };
}

export function toldAccessRequest(request: Json): ToldAccessRequest {
  return {
    ...request,
    requestedScopes: request.requestedScopes.map(wordOf),
    approvedScopes: request.approvedScopes.map(wordOf),
    pendingScopes: request.pendingScopes.map(wordOf),
    status: wordOf(request.status),
  };
}

export function toldEvent({ type, actor, approvedScopes, ...event }: Json): ToldEvent {
  return {
    ...event,
    type: `access_request.${type.toLowerCase()}`,
    actor: { ...actor, type: actor.type.toLowerCase() },
    approvedScopes: approvedScopes.map(wordOf),
  };
}

export function toldOutcome({ outcome, accessRequest, ...rest }: Json): ToldOutcome {
  return { ...rest, outcome: wordOf(outcome), accessRequest: toldAccessRequest(accessRequest) };
}

/**
 * Removes the nulls of a metric: other protocols leave these fields out, while GraphQL always returns a selected field.
 */
export function toldMetric({ __typename: _, verification, ...metric }: Json): ToldMetric {
  const proof = Object.entries(verification).filter(([, value]) => value !== null);
  return withoutSignature({ ...metric, verification: Object.fromEntries(proof) }, 'shown');
}

/** A point of the history leaves out the fields that it shares with its metric. */
export function toldHistory({ __typename: _, history, ...metric }: Json): ToldMetric[] {
  return history.map((point: Json) => toldMetric({ ...metric, ...point }));
}

/** Converts a node into the form of its own query. Null if the node is missing. */
export function toldNode(node: Json): unknown {
  if (node === null) return null;
  const { __typename, id, accountId, ...rest } = node;
  switch (__typename) {
    case 'Company':
      return toldCompany({ id, ...rest });
    case 'AccessRequest':
      return toldAccessRequest({ id, ...rest });
    case 'Metric':
      return toldMetric(rest);
    case 'Account':
      return toldAccount({ id: accountId, ...rest });
    default:
      return rest;
  }
}

/** The values of all histories, as metrics. The signature of a value names its company. */
export const toldHistories = ({ histories }: Json): ToldMetric[] =>
  histories.flatMap(({ values, ...metric }: Json) =>
    values.map((value: Json) => {
      const [, payload] = value.verification.signature.split('.');
      const { company_id } = JSON.parse(Buffer.from(payload, 'base64url').toString());
      return toldMetric({ companyId: company_id, ...metric, ...value });
    }),
  );

/** Every value that a period has had, as a metric with its revision number. */
export interface ToldRevisions {
  readonly ofLatest: readonly ToldRevision[];
  /** One list per period of the history. */
  readonly ofHistory: readonly (readonly ToldRevision[])[];
}

type ToldRevision = ToldMetric & { readonly revision: number };

export function toldRevisions({
  __typename: _,
  revisions,
  history,
  ...metric
}: Json): ToldRevisions {
  const told = (all: Json): ToldRevision[] =>
    all.map((one: Json) => ({ ...toldMetric({ ...metric, ...one }), revision: one.revision }));
  return {
    ofLatest: told(revisions),
    ofHistory: history.map((point: Json) => told(point.revisions)),
  };
}

export function toldAccount(account: Json): ToldAccount {
  return { ...account, type: wordOf(account.type) };
}
