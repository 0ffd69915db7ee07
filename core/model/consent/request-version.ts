import { AccessError } from '../errors.ts';
import { type AccessRequest, expiredVersion } from './access-request.ts';
import type { AccessRequestAction } from './transition.ts';

const eventPrefix = 'evt_';
const versionPrefix = 'ver_';

/** Derives the version after a change from the ID of its event. */
export const versionOf = (eventId: string): string =>
  versionPrefix + eventId.slice(eventPrefix.length);

export const eventIdOf = (version: string): string =>
  eventPrefix + version.slice(versionPrefix.length);

/**
 * Returns the version after an event. Notices keep the version, because they change nothing that a decision depends on.
 * An expired request has the same version before and after its end is stored.
 */
export function versionAfter(
  request: AccessRequest,
  { type }: Pick<AccessRequestAction, 'type'>,
  eventId: string,
): string {
  switch (type) {
    case 'remind':
      return request.version;
    case 'expire':
      return expiredVersion(request);
    default:
      return versionOf(eventId);
  }
}

/** The version that the company saw. Null if none is given. Undefined for actions that are allowed in any version. */
export type ExpectedVersion = string | null | undefined;

/** Returns true if the version matches. Without a version, only a request without changes matches. */
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
        ? `The investor has changed the access request ${id}, which is ${status}, since it was made: name the version that you decide on.`
        : `The access request ${id} has changed since it was read: it is ${status} now.`,
  });
}
