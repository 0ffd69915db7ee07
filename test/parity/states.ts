import type { AccessRequest } from '#core';
import { importLines, type Portfolio, sampleData } from '../support/fixtures.ts';
import type { Given } from './scenario.ts';

const hour = 3_600_000;
const day = 24 * hour;

export const states = {
  'nothing was asked': { refusal: 'access_required', access: 'none', status: null },
  'the request is pending': { refusal: 'access_pending', access: 'pending', status: 'pending' },
  'the request was approved': { refusal: null, access: 'approved', status: 'approved' },
  'the grant is paused': { refusal: 'access_paused', access: 'approved', status: 'approved' },
  'the request was declined': { refusal: 'access_required', access: 'none', status: 'declined' },
  'the request was not answered in time': {
    refusal: 'access_required',
    access: 'none',
    status: 'expired',
  },
  'the grant has expired': { refusal: 'access_required', access: 'none', status: 'expired' },
  'the sweeper has written the expiry down': {
    refusal: 'access_required',
    access: 'none',
    status: 'expired',
  },
  'the grant was revoked': { refusal: 'access_revoked', access: 'revoked', status: 'revoked' },
} as const;

export type State = keyof typeof states;

export const everyState = Object.keys(states) as State[];

export interface AccessFacts extends Portfolio {
  /** Null if no access was requested. */
  readonly request: AccessRequest | null;
}

export async function bring(given: Given, state: State): Promise<AccessFacts> {
  const { fixtures, operator } = given;
  const made = await fixtures.portfolio();
  await importLines(operator, sampleData(made.company.id));
  if (state === 'nothing was asked') return { ...made, request: null };
  return { ...made, request: await ask(given, state, made) };
}

async function ask(
  { fixtures, operator, background, setClock }: Given,
  state: Exclude<State, 'nothing was asked'>,
  { key, company }: Portfolio,
): Promise<AccessRequest> {
  const now = Date.now();
  setClock(new Date(now));
  const pending = await fixtures.request(key, company.id);
  const approve = async () => {
    const expiresAt = new Date(now + hour);
    return (await operator.approveAccessRequest({ id: pending.id, expiresAt })).accessRequest;
  };
  switch (state) {
    case 'the request is pending':
      return pending;
    case 'the request was approved':
      return approve();
    case 'the grant is paused':
      await approve();
      return (await operator.pauseAccessRequest({ id: pending.id })).accessRequest;
    case 'the request was declined':
      return (await operator.declineAccessRequest({ id: pending.id, reason: 'Not now.' }))
        .accessRequest;
    case 'the request was not answered in time':
      setClock(new Date(now + day));
      return pending;
    case 'the grant has expired': {
      const request = await approve();
      setClock(new Date(now + hour));
      return request;
    }
    case 'the sweeper has written the expiry down': {
      const request = await approve();
      setClock(new Date(now + hour));
      await background.expireAccessRequests();
      return request;
    }
    case 'the grant was revoked':
      await approve();
      return (await operator.revokeAccessRequest({ id: pending.id, reason: 'No longer.' }))
        .accessRequest;
  }
}
