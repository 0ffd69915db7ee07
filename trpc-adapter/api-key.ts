import { callingKeyInput, type Environment, rotateCallingKeyInput, type Scope } from '#core';
import { presentApiKey } from '#http';
import { procedure, showInput } from './procedures.ts';

/** The calling key, without its secret. */
export interface ApiKey {
  /** ID of the key, of the form `key_…`. */
  readonly id: string;
  /** Name of the key. Null if the key has no name. */
  readonly name: string | null;
  /** The prefix and the last four characters of the key. */
  readonly hint: string;
  /** The environment of the key. */
  readonly environment: Environment;
  /** The scopes of the key. */
  readonly scopes: Scope[];
  /** Points per window. */
  readonly rateLimit: number;
  /** Time of creation, in RFC 3339. */
  readonly createdAt: string;
  /** The key is invalid from this time on, in RFC 3339. Null if it doesn’t expire. */
  readonly expiresAt: string | null;
  /** Time of the last use, accurate to ten minutes, in RFC 3339. Null if the key was never used. */
  readonly lastUsedAt: string | null;
  /** The organisation of the key. */
  readonly investor: { readonly id: string; readonly name: string };
}

/** An API key with its secret, which is shown only once. */
export interface ApiKeyWithSecret extends ApiKey {
  readonly secret: string;
}

export const apiKeyProcedures = {
  /** Returns the API key of this call, with its scopes and its expiry time. */
  get: procedure
    .input(showInput(callingKeyInput.optional()))
    .query(
      async ({ ctx: { useCases, caller }, input }): Promise<ApiKey> =>
        presentApiKey(await useCases.readCallingKey(caller, input)),
    ),

  /**
   * Replaces the API key of this call with a new key that has the same name, scopes, rate limit and expiry time. The
   * secret of the new key is shown only once. The old key works for another `overlapSeconds`, by default one day. A key
   * can be replaced only once.
   */
  rotate: procedure
    .input(showInput(rotateCallingKeyInput.optional()))
    .mutation(async ({ ctx: { useCases, caller }, input }): Promise<ApiKeyWithSecret> => {
      const minted = await useCases.rotateCallingKey(caller, input);
      return { ...presentApiKey(minted), secret: minted.secret };
    }),
};
