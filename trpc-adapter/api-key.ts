import {
  type CallingApiKey,
  callingKeyInput,
  type Environment,
  rotateCallingKeyInput,
  type Scope,
} from '#core';
import { procedure, shown } from './procedures.ts';

/** The key that calls, never its secret. */
export interface ApiKey {
  readonly id: string;
  /** What those who manage it call it. */
  readonly name: string | null;
  /** The beginning of the key and its last four characters. */
  readonly hint: string;
  readonly environment: Environment;
  readonly scopes: Scope[];
  /** Points a window. */
  readonly rateLimit: number;
  /** RFC 3339. */
  readonly createdAt: string;
  /** From then on it works no more, in RFC 3339; null: it has no end. */
  readonly expiresAt: string | null;
  /** Up to ten minutes too early, in RFC 3339; null while no use is written down. */
  readonly lastUsedAt: string | null;
  readonly investor: { readonly id: string; readonly name: string };
}

/** A key at the one moment when its secret is shown. */
export interface ApiKeyWithSecret extends ApiKey {
  readonly secret: string;
}

function presentKey({ key, investor, rateLimit }: CallingApiKey): ApiKey {
  return {
    id: key.id,
    name: key.name,
    hint: key.hint,
    environment: key.environment,
    scopes: [...key.scopes],
    rateLimit,
    createdAt: key.createdAt.toISOString(),
    expiresAt: key.expiresAt?.toISOString() ?? null,
    lastUsedAt: key.lastUsedAt?.toISOString() ?? null,
    investor: { id: investor.id, name: investor.name },
  };
}

export const apiKeyProcedures = {
  /** The key that you call with: what it may do, and until when. */
  get: procedure
    .input(shown(callingKeyInput.optional()))
    .query(
      async ({ ctx: { useCases, caller }, input }): Promise<ApiKey> =>
        presentKey(await useCases.readCallingKey(caller, input)),
    ),

  /**
   * Replaces the key that you call with by one with the same name, scopes, limit and end, whose secret is shown this once.
   * The calling key still works for `overlapSeconds`, a day when nothing is said. A key can be replaced once.
   */
  rotate: procedure
    .input(shown(rotateCallingKeyInput.optional()))
    .mutation(async ({ ctx: { useCases, caller }, input }): Promise<ApiKeyWithSecret> => {
      const minted = await useCases.rotateCallingKey(caller, input);
      return { ...presentKey(minted), secret: minted.secret };
    }),
};
