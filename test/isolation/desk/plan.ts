import fc from 'fast-check';
import type { grantable } from '../../support/contract.ts';
import {
  askStep,
  company,
  few,
  likely,
  type Setup,
  type Step,
  scopes,
  setup,
  some,
  span,
  step,
} from '../plan.ts';

/** A step at the desk. Indexes of contacts and sessions wrap around. */
export type DeskStep =
  | {
      readonly at: 'desk';
      readonly do: 'add contact';
      readonly address: number;
      readonly company: number;
    }
  | { readonly at: 'desk'; readonly do: 'remove contact'; readonly contact: number }
  | {
      readonly at: 'desk';
      readonly do: 'sign in';
      readonly contact: number;
      /** The session that the browser had before; null: none. */
      readonly previous: number | null;
    }
  | {
      readonly at: 'desk';
      readonly do: 'choose';
      readonly session: number;
      readonly company: number;
    }
  | { readonly at: 'desk'; readonly do: 'sign out'; readonly session: number }
  | {
      readonly at: 'desk';
      readonly do: 'end session';
      readonly session: number;
      readonly other: number;
    }
  | {
      readonly at: 'desk';
      readonly do: 'decide';
      readonly session: number;
      /** Whether only a contact of the receiving company decides, if one is signed in. */
      readonly own: boolean;
      readonly type: 'approve' | 'decline' | 'revoke' | 'extend';
      readonly request: number;
      readonly scopes: readonly (typeof grantable)[number][];
      readonly span: number;
    }
  /** Waits until just before or after the end of a session, or for less time, so that the session can be used again. */
  | {
      readonly at: 'desk';
      readonly do: 'sit';
      readonly session: number;
      readonly until: 'used again' | 'almost' | 'just';
    }
  | { readonly at: 'desk'; readonly do: 'read'; readonly key: number; readonly company: number }
  | { readonly at: 'desk'; readonly do: 'add webhook'; readonly company: number };

export interface DeskPlan {
  readonly setup: Setup;
  readonly steps: readonly (Step | DeskStep)[];
}

export const addresses = 3;

const address = fc.nat({ max: addresses - 1 });
const atDesk = { at: fc.constant('desk' as const) };

const deskStep: fc.Arbitrary<DeskStep> = fc.oneof(
  likely(6, fc.record({ ...atDesk, do: fc.constant('add contact' as const), address, company })),
  likely(4, fc.record({ ...atDesk, do: fc.constant('remove contact' as const), contact: some })),
  likely(
    12,
    fc.record({
      ...atDesk,
      do: fc.constant('sign in' as const),
      contact: some,
      previous: fc.option(some, { freq: 3 }),
    }),
  ),
  likely(6, fc.record({ ...atDesk, do: fc.constant('choose' as const), session: some, company })),
  likely(2, fc.record({ ...atDesk, do: fc.constant('sign out' as const), session: some })),
  likely(
    3,
    fc.record({ ...atDesk, do: fc.constant('end session' as const), session: some, other: some }),
  ),
  likely(
    12,
    fc.record({
      ...atDesk,
      do: fc.constant('decide' as const),
      session: some,
      own: fc.boolean(),
      type: fc.constantFrom('approve', 'approve', 'decline', 'revoke', 'extend'),
      request: few,
      scopes,
      span,
    }),
  ),
  likely(
    5,
    fc.record({
      ...atDesk,
      do: fc.constant('sit' as const),
      session: some,
      until: fc.constantFrom('used again', 'used again', 'almost', 'just'),
    }),
  ),
  likely(6, fc.record({ ...atDesk, do: fc.constant('read' as const), key: some, company })),
  likely(2, fc.record({ ...atDesk, do: fc.constant('add webhook' as const), company })),
);

/** First adds contacts, signs them in and requests access, before anything else happens. */
const beginning: fc.Arbitrary<readonly (Step | DeskStep)[]> = fc
  .tuple(
    fc.array(fc.record({ ...atDesk, do: fc.constant('add contact' as const), address, company }), {
      minLength: 4,
      maxLength: 6,
    }),
    fc.array(
      fc.record({
        ...atDesk,
        do: fc.constant('sign in' as const),
        contact: some,
        previous: fc.constant(null),
      }),
      { minLength: 2, maxLength: 4 },
    ),
    fc.array(askStep, { minLength: 2, maxLength: 4 }),
  )
  .map((parts) => parts.flat());

export const deskPlans = (limits: { readonly minSteps: number; readonly maxSteps: number }) =>
  fc
    .record({
      setup,
      beginning,
      steps: fc.array(fc.oneof(step, deskStep), {
        minLength: limits.minSteps,
        maxLength: limits.maxSteps,
        size: 'max',
      }),
    })
    .map(({ setup, beginning, steps }): DeskPlan => ({ setup, steps: [...beginning, ...steps] }));
