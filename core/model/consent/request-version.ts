import { AccessError } from '../errors.ts';
import { type AccessRequest, expiredVersion } from './access-request.ts';
import type { AccessRequestAction } from './transition.ts';

export const versionOf = (eventId: string): string => eventId.replace(/^evt_/, 'ver_');

export const eventIdOf = (version: string): string => version.replace(/^ver_/, 'evt_');

/**
 * Returns the version of a request after an event. Reminders and the first of two approvals keep the version, because
 * no decision depends on them. Storing an expiry keeps the version, too.
 */
export function versionAfter(
  request: AccessRequest,
  { type }: Pick<AccessRequestAction, 'type'>,
  eventId: string,
): string {
  switch (type) {
    case 'remind':
    case 'review':
    case 'confirm':
      return request.version;
    case 'expire':
      return expiredVersion(request);
    default:
      return versionOf(eventId);
  }
}

/** The version that the company saw. Null if it's missing. Undefined if the action is allowed in any version. */
export type ExpectedVersion = string | null | undefined;

/** Returns true if the company saw this version. Null is accepted only for a request that was never amended. */
export const isExpectedVersion = (
  { version, amendments }: AccessRequest,
  decided: ExpectedVersion,
): boolean => decided === undefined || (decided === null ? amendments === 0 : decided === version);

/** @throws AccessError `request_changed` if the request changed after the company saw it */
export function checkVersion(request: AccessRequest, decided: ExpectedVersion): void {
  if (isExpectedVersion(request, decided)) return;
  const { id, status } = request;
  throw new AccessError('request_changed', {
    message:
      decided === null
        ? `The investor has changed the access request ${id} since it was made. It is ${status} now: send the version that you have read.`
        : `The access request ${id} has changed since it was read: it is ${status} now.`,
  });
}
