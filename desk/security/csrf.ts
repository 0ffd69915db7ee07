import { hash, timingSafeEqual } from 'node:crypto';

/** What every form of a session carries. It is made from the session's secret, which it does not give away. */
export function csrfTokenOf(session: string): string {
  return hash('sha256', `csrf ${session}`, 'base64url');
}

export function isCsrfToken(session: string, token: string | undefined): boolean {
  const expected = Buffer.from(csrfTokenOf(session));
  const given = Buffer.from(token ?? '');
  return given.length === expected.length && timingSafeEqual(given, expected);
}
