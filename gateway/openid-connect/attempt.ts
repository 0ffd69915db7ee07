import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

const attemptMilliseconds = 10 * 60_000;
const clockToleranceMilliseconds = 60_000;

const secretPattern = /^[\w-]{43}$/;
const statePattern = /^([0-9a-z]{8,9})\.([\w-]{22})\.([\w-]{43})$/;

/** The values of a sign-in attempt. They must be the same when the browser returns from the provider. */
export interface Attempt {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
}

/** Returns the browser's secret. If it isn't valid, returns a new secret. */
export function reuseSecret(browserSecret: string | null): string {
  return browserSecret !== null && secretPattern.test(browserSecret)
    ? browserSecret
    : randomBytes(32).toString('base64url');
}

/**
 * Derives an attempt to sign in from the browser's secret, so no process has to store the attempt. A person can sign in
 * with several tabs at the same time.
 */
export function beginAttempt(secret: string, now: Date): Attempt {
  const id = `${now.getTime().toString(36)}.${randomBytes(16).toString('base64url')}`;
  return attemptOf(secret, id);
}

/**
 * Returns the sign-in attempt for the `state` in the provider's response. Returns null if this browser didn't start the
 * attempt, or started it too long ago.
 */
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
