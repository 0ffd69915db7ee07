import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

const attemptMilliseconds = 10 * 60_000;
const clockToleranceMilliseconds = 60_000;

const secretPattern = /^[\w-]{43}$/;
const statePattern = /^([0-9a-z]{8,9})\.([\w-]{22})\.([\w-]{43})$/;

/** The values that must match when the browser returns. */
export interface Attempt {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
}

/** Returns the secret of the browser: the present one if it is valid, else a new one. */
export function keepSecret(kept: string | null): string {
  return kept !== null && secretPattern.test(kept) ? kept : randomBytes(32).toString('base64url');
}

/** Derives an attempt from the browser's secret, so no process stores it. Several tabs can sign in at the same time. */
export function beginAttempt(secret: string, now: Date): Attempt {
  const id = `${now.getTime().toString(36)}.${randomBytes(16).toString('base64url')}`;
  return attemptOf(secret, id);
}

/** Returns the attempt for the returned state. Null if this browser didn't start it, or started it too long ago. */
export function findAttempt(
  secret: string | null,
  state: string | null,
  now: Date,
): Attempt | null {
  const [, time = '', random] = statePattern.exec(state ?? '') ?? [];
  if (secret === null || state === null || random === undefined) return null;
  if (!secretPattern.test(secret)) return null;
  const attempt = attemptOf(secret, `${time}.${random}`);
  if (!timingSafeEqual(Buffer.from(attempt.state), Buffer.from(state))) return null;
  const age = now.getTime() - Number.parseInt(time, 36);
  return age >= -clockToleranceMilliseconds && age < attemptMilliseconds ? attempt : null;
}

function attemptOf(secret: string, id: string): Attempt {
  const derive = (use: string) =>
    createHmac('sha256', secret).update(`${use} ${id}`).digest('base64url');
  return {
    state: `${id}.${derive('state')}`,
    nonce: derive('nonce'),
    codeVerifier: derive('code verifier'),
  };
}
