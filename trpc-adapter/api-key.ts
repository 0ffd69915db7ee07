import {
  type CallingApiKey,
  callingKeyInput,
  type Environment,
  rotateCallingKeyInput,
  type Scope,
} from '#core';
import { procedure, shown } from './procedures.ts';

/** The calling key, without its secret. */
export interface ApiKey {
  readonly id: string;
  /** The name given by those who manage the key. Null without a name. */
  readonly name: string | null;
  /** The prefix and the last four characters of the key. */
  readonly hint: string;
  readonly environment: Environment;
  readonly scopes: Scope[];
  /** Points per window. */
  readonly rateLimit: number;
  /** RFC 3339. */
  readonly createdAt: string;
  /** The key is invalid from this time on, in RFC 3339. Null if it doesn't expire. */
  readonly expiresAt: string | null;
  /** Time of the last use, accurate to ten minutes, in RFC 3339. Null if the key was never used. */
  readonly lastUsedAt: string | null;
  readonly investor: { readonly id: string; readonly name: string };
}

/** A key with its secret, which is shown once. */
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
  /** Returns the calling key: its rights and its end. */
  get: procedure
    .input(shown(callingKeyInput.optional()))
    .query(
      async ({ ctx: { useCases, caller }, input }): Promise<ApiKey> =>
        presentKey(await useCases.readCallingKey(caller, input)),
    ),

  /**
   * Replaces the calling key by one with the same name, scopes, limit and end. Its secret is shown once. The calling
   * key
   * works for another `overlapSeconds`, by default one day. A key can be replaced once.
   */
  rotate: procedure
    .input(shown(rotateCallingKeyInput.optional()))
    .mutation(async ({ ctx: { useCases, caller }, input }): Promise<ApiKeyWithSecret> => {
      const minted = await useCases.rotateCallingKey(caller, input);
      return { ...presentKey(minted), secret: minted.secret };
    }),
};
