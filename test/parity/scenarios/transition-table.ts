/**
 * The states of a request before an act. In `amended`, metrics are granted and accounts
 * requested.
 */
export const startingStates = [
  'pending',
  'approved',
  'amended',
  'declined',
  'expired',
  'withdrawn',
  'revoked',
] as const;

export type StartingState = (typeof startingStates)[number];

export const decisions = ['approve', 'decline', 'revoke', 'extend'] as const;

export type Decision = (typeof decisions)[number];

/**
 * The actors and their acts: the company and the operator decide, the investor changes its request, the clock expires
 * it.
 */
export type Act = Decision | 'amend' | 'withdraw' | 'expire' | 'remind';

/** The result: the type of the last event after a change, `same` if nothing changes, or the code of the refusal. */
export type Result =
  | { readonly event: string; readonly status: string; readonly pending?: readonly string[] }
  | 'same'
  | 'illegal_transition';

const to = (event: string, status: string, pending: readonly string[] = []): Result => ({
  event,
  status,
  pending,
});

const whileGranted = {
  revoke: to('revoked', 'revoked'),
  withdraw: to('withdrawn', 'expired'),
  expire: to('expired', 'expired'),
};

/** The transition table of decisions.md. Transitions that aren't listed are refused or don't happen. */
export const expected: Readonly<Record<StartingState, Partial<Record<Act, Result>>>> = {
  pending: {
    approve: to('approved', 'approved'),
    decline: to('declined', 'declined'),
    amend: to('amended', 'pending'),
    withdraw: to('withdrawn', 'expired'),
    expire: to('expired', 'expired'),
  },
  approved: {
    ...whileGranted,
    approve: 'same',
    extend: to('extended', 'approved'),
    amend: to('amended', 'approved', ['sources:read']),
    remind: to('expiring', 'approved'),
  },
  amended: {
    ...whileGranted,
    approve: to('approved', 'approved'),
    decline: to('amendment_declined', 'approved'),
    extend: to('extended', 'approved', ['accounts:read']),
    amend: to('amended', 'approved', ['accounts:read', 'sources:read']),
    remind: to('expiring', 'approved', ['accounts:read']),
  },
  declined: { decline: 'same' },
  expired: { withdraw: 'same' },
  withdrawn: { withdraw: 'same' },
  revoked: { revoke: 'same' },
};
