import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** How long somebody may take to sign in at the provider. */
const attemptMilliseconds = 10 * 60_000;
/** The clocks of two machines may differ by so much. */
const clockToleranceMilliseconds = 60_000;

const secretPattern = /^[\w-]{43}$/;
const statePattern = /^([0-9a-z]{8,9})\.([\w-]{22})\.([\w-]{43})$/;

/** What one attempt to sign in is checked by when its browser comes back. */
export interface Attempt {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
}

/** What a browser keeps while its user is at the provider: the secret that it has, else a new one. */
export function keepSecret(kept: string | null): string {
  return kept !== null && secretPattern.test(kept) ? kept : randomBytes(32).toString('base64url');
}

/**
 * All that an attempt needs is made from the browser's secret, so no process keeps anything of it, and a browser may have
 * several attempts in several tabs.
 */
export function beginAttempt(secret: string, now: Date): Attempt {
  const id = `${now.getTime().toString(36)}.${randomBytes(16).toString('base64url')}`;
  return attemptOf(secret, id);
}

/** The attempt that came back with the state; null when the browser has not begun it, or too long ago. */
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
