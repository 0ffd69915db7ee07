import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** The time for signing in at the provider. */
const attemptMilliseconds = 10 * 60_000;
/** The tolerated difference between two machines' clocks. */
const clockToleranceMilliseconds = 60_000;

const secretPattern = /^[\w-]{43}$/;
const statePattern = /^([0-9a-z]{8,9})\.([\w-]{22})\.([\w-]{43})$/;

/** The values that a returning browser is checked against. */
export interface Attempt {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
}

/** The secret that a browser keeps during the sign-in: its present one, else a new one. */
export function keepSecret(kept: string | null): string {
  return kept !== null && secretPattern.test(kept) ? kept : randomBytes(32).toString('base64url');
}

/** Derives an attempt from the browser's secret, so that no process must store it, and several tabs can sign in at once. */
export function beginAttempt(secret: string, now: Date): Attempt {
  const id = `${now.getTime().toString(36)}.${randomBytes(16).toString('base64url')}`;
  return attemptOf(secret, id);
}

/** Finds the attempt for the returned state. Null if the browser didn't start it, or started it too long ago. */
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
