import type { AccessErrorCode, Key } from '#core';
import type { OwnerContext } from '../../context.ts';
import type { Html } from '../../html.ts';
import type { Messages } from '../../messages/index.ts';
import type { RouteMaker } from '../../route.ts';

/** A key, as the pages of both sides show it. */
export interface ScopedKey<Scope extends string> extends Key {
  readonly scopes: readonly Scope[];
}

interface NewKey<Scope extends string> {
  readonly name: string | undefined;
  readonly scopes: readonly Scope[];
  readonly expiresAt: Date | null;
}

/** What is done with the keys of a side. */
interface KeyActs<Scope extends string, K> {
  list(): Promise<readonly K[]>;
  create(key: NewKey<Scope>): Promise<{ readonly secret: string }>;
  rotate(rotation: {
    readonly id: string;
    readonly overlapMilliseconds: number;
  }): Promise<{ readonly secret: string }>;
  revoke(key: { readonly id: string }): Promise<unknown>;
}

/** What the keys of one side have of their own. */
export interface KeyKind<
  Context extends OwnerContext,
  Scope extends string,
  K extends ScopedKey<Scope>,
> {
  readonly routes: RouteMaker<Context>;
  acts(context: Context): KeyActs<Scope, K>;
  readonly scopes: readonly Scope[];
  /** What each scope lets a key do, in words. */
  scopeNames(m: Messages): Readonly<Record<Scope, string>>;
  /** What else is told of a key, below when it was last used. */
  more?(key: K, context: Context): Html | string;
  readonly codes: {
    readonly notFound: AccessErrorCode;
    readonly limit: AccessErrorCode;
    readonly conflict: AccessErrorCode;
  };
}
