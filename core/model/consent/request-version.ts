import { AccessError } from '../errors.ts';
import { type AccessRequest, expiredVersion } from './access-request.ts';
import type { AccessRequestAction } from './transition.ts';

const eventPrefix = 'evt_';
const versionPrefix = 'ver_';

/** Each change leads to a version of its own, which has the id of its event but for the prefix. */
export const versionOf = (eventId: string): string =>
  versionPrefix + eventId.slice(eventPrefix.length);

export const eventIdOf = (version: string): string =>
  eventPrefix + version.slice(versionPrefix.length);

/**
 * A notice changes nothing that is decided on, so the version stays. An expired request has the same version before its
 * end is written down and after.
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

/**
 * The version that somebody has decided on, null when none is named; undefined for what may be done whatever the request
 * has become.
 */
export type ExpectedVersion = string | null | undefined;

/** Without a version there is but one that can have been read: what the investor asked for when it made the request. */
export const isExpectedVersion = (
  { version, amendments }: AccessRequest,
  decided: ExpectedVersion,
): boolean => decided === undefined || (decided === null ? amendments === 0 : decided === version);

/** @throws AccessError `request_changed` when the request, as it is now, is another one than was decided on */
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
