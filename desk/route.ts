import type { SignedIn } from '#core';
import type { ContactContext, DeskContext, PageResult } from './context.ts';

interface RouteOf<Access, Context> {
  readonly method: 'GET' | 'POST';
  /** Below `/desk`. */
  readonly path: string;
  readonly access: Access;
  handle(context: Context): Promise<PageResult>;
}

export interface SignedInContext extends DeskContext {
  readonly signedIn: SignedIn;
}

/** A page or a form of the desk, and who may open it. */
export type Route =
  | RouteOf<'open', DeskContext>
  | RouteOf<'signed-in', SignedInContext>
  | RouteOf<'contact', ContactContext>;
