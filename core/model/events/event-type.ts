import type { SignInWay } from '../sign-in/sign-in-way.ts';

export const accessEventTypes = [
  'access_request.created',
  'access_request.approved',
  'access_request.declined',
  'access_request.revoked',
  'access_request.expired',
  'access_request.extended',
  'access_request.amended',
  'access_request.amendment_declined',
  'access_request.withdrawn',
  'access_request.expiring',
  'access_request.narrowed',
  'access_request.paused',
  'access_request.resumed',
  'access_request.first_read',
  'access_request.approval_added',
  'access_request.review_due',
] as const;

export type AccessEventType = (typeof accessEventTypes)[number];

/** Events that leave the version of the request unchanged, because no decision depends on them. */
export const versionlessEventTypes = [
  'access_request.expiring',
  'access_request.review_due',
  'access_request.approval_added',
] as const satisfies readonly AccessEventType[];

export const dataEventTypes = [
  'company_data.updated',
  'source.failed',
  'source.recovered',
  'source.stale',
] as const;

export type DataEventType = (typeof dataEventTypes)[number];

export const eventTypes = [...accessEventTypes, ...dataEventTypes] as const;

export type EventType = (typeof eventTypes)[number];

export const isScopeRequest = (type: AccessEventType): boolean =>
  type === 'access_request.created' || type === 'access_request.amended';

export const isOfInvestor = (type: AccessEventType): boolean =>
  isScopeRequest(type) ||
  type === 'access_request.withdrawn' ||
  type === 'access_request.first_read';

export const actorTypes = [
  'investor',
  'company_key',
  'contact',
  'operator',
  'clock',
  'sandbox',
] as const;

/** The actor of a change. The clock, an operator and the sandbox have no ID. */
export type Actor =
  | { readonly type: 'contact'; readonly id: string; readonly signedInBy: SignInWay }
  | { readonly type: Exclude<(typeof actorTypes)[number], 'contact'>; readonly id: string | null };

export const operator: Actor = { type: 'operator', id: null };
export const clock: Actor = { type: 'clock', id: null };
export const sandbox: Actor = { type: 'sandbox', id: null };
