import { Refusal } from '#core';
import { hasEnded } from './company-model.ts';
import { knows, record, statusNow, works } from './model.ts';
import type { Side, Step } from './plan.ts';
import type { AccessRequest, Key, RecordedEvent, State } from './state.ts';
import { at, freshWord, type World } from './world.ts';

type Actor = RecordedEvent['actor'];
type Decision = Extract<Step, { do: 'approve' | 'decline' | 'revoke' | 'extend' }>;
type Change = Extract<Step, { do: 'amend' | 'withdraw' }>;

/**
 * Carries out a decision by a company or the operator. The service refuses an illegal decision, and then nothing
 * changes.
 */
export async function decide(
  world: World,
  accessRequest: AccessRequest,
  step: Decision,
): Promise<void> {
  const { state, words } = world;
  const reason = freshWord();
  const scopes = step.do === 'approve' ? wanted(state, accessRequest, step.scopes) : [];
  const expiresAt = endOf(state, accessRequest, step);
  if (step.do === 'decline' || step.do === 'revoke') words.add(reason);
  const actor = await send(world, accessRequest, step, { scopes, expiresAt, reason });
  if (actor === null) return;
  const status = statusNow(state, accessRequest);
  const isGrant = status === 'approved';
  const decided = () => {
    accessRequest.decidedAt = new Date(state.now).toISOString();
  };
  const grantUntil = (end: Date) => {
    accessRequest.deadline = end.getTime();
    accessRequest.expiresAt = end.toISOString();
    decided();
  };
  switch (step.do) {
    case 'approve': {
      if (status !== 'pending' && !(isGrant && accessRequest.pending.length > 0)) return;
      approve(accessRequest, scopes);
      grantUntil(expiresAt);
      return addEvent(state, accessRequest, 'approved', actor);
    }
    case 'decline': {
      if (status !== 'pending' && !(isGrant && accessRequest.pending.length > 0)) return;
      if (status === 'pending') accessRequest.status = 'declined';
      accessRequest.reason = reason;
      drop(accessRequest);
      decided();
      return addEvent(
        state,
        accessRequest,
        isGrant ? 'amendment_declined' : 'declined',
        actor,
        reason,
      );
    }
    case 'revoke': {
      if (!isGrant) return;
      accessRequest.status = 'revoked';
      accessRequest.reason = reason;
      drop(accessRequest);
      decided();
      return addEvent(state, accessRequest, 'revoked', actor, reason);
    }
    default: {
      if (!isGrant) return;
      grantUntil(expiresAt);
      return addEvent(state, accessRequest, 'extended', actor);
    }
  }
}

/** Returns those waiting scopes that the plan names. If the plan names none of them, returns all waiting scopes. */
function wanted(
  all: State,
  accessRequest: AccessRequest,
  named: readonly string[],
): readonly string[] {
  const waits =
    statusNow(all, accessRequest) === 'pending' ? accessRequest.scopes : accessRequest.pending;
  const part = waits.filter((scope) => named.includes(scope));
  return part.length > 0 ? part : waits.length > 0 ? waits : accessRequest.scopes;
}

function endOf({ now }: State, { expiresAt }: AccessRequest, step: Decision): Date {
  if (step.do === 'approve') return new Date(now + step.endsAfter);
  const end = expiresAt === null ? now : Date.parse(expiresAt);
  return new Date(end + (step.do === 'extend' ? step.further : 0));
}

/** Keeps the granted scopes, adds the approved scopes and drops all other waiting scopes. */
function approve(accessRequest: AccessRequest, scopes: readonly string[]): void {
  const asked = [...new Set([...accessRequest.scopes, ...accessRequest.pending])];
  const isGranted = (scope: string) =>
    accessRequest.granted.includes(scope) || scopes.includes(scope);
  const requested = asked.filter(
    (scope) => accessRequest.scopes.includes(scope) || isGranted(scope),
  );
  accessRequest.granted = asked.filter(isGranted);
  accessRequest.scopes = requested;
  accessRequest.purpose = accessRequest.pendingPurpose ?? accessRequest.purpose;
  accessRequest.status = 'approved';
  accessRequest.reason = null;
  drop(accessRequest);
}

function drop(accessRequest: AccessRequest): void {
  accessRequest.pending = [];
  accessRequest.pendingPurpose = null;
}

interface Named {
  readonly scopes: readonly string[];
  readonly expiresAt: Date;
  readonly reason: string;
}

/**
 * Sends the decision as the actor that the step defines. Returns null if the decision is refused or changes nothing.
 */
async function send(
  { harness, state }: World,
  accessRequest: AccessRequest,
  step: Decision,
  { scopes, expiresAt, reason }: Named,
): Promise<Actor | null> {
  const { operator } = harness.service;
  const { version } = (await operator.showAccessRequest({ id: accessRequest.id })).accessRequest;
  if (step.by === 'operator') {
    const sent = {
      approve: () =>
        operator.approveAccessRequest({ id: accessRequest.id, scopes, expiresAt, version }),
      decline: () => operator.declineAccessRequest({ id: accessRequest.id, reason, version }),
      revoke: () => operator.revokeAccessRequest({ id: accessRequest.id, reason }),
      extend: () => operator.extendAccessRequest({ id: accessRequest.id, expiresAt, version }),
    };
    const changed = await unlessRefused(sent[step.do]());
    return changed && { type: 'operator', id: null };
  }
  const key = keyOf(state, accessRequest, step.by);
  const end = expiresAt.toISOString();
  const body = {
    approve: { version, scopes, expires_at: end },
    decline: { version, reason },
    revoke: { reason },
    extend: { version, expires_at: end },
  }[step.do];
  const path = `/access-requests/${accessRequest.id}/${step.do}`;
  const outcome = await harness.company.post(key.secret, path, body);
  if (step.by === 'another company') {
    const code = outcome.ok ? 'nothing' : outcome.code;
    const expected = hasEnded(key) ? 'invalid_api_key' : 'access_request_not_found';
    if (code !== expected) {
      throw new Error(`company: another company’s decision is refused with ${code}`);
    }
    return null;
  }
  return outcome.ok ? { type: 'company_key', id: key.id } : null;
}

function keyOf({ companyKeys }: State, { company }: AccessRequest, by: Exclude<Side, 'operator'>) {
  const live = companyKeys.filter(({ isRevoked }) => !isRevoked);
  return at(
    live.filter((key) => (by === 'company') === (key.company === company)),
    0,
  );
}

/** Changes an access request as an investor. Only the investor that owns the request can change it. */
export async function change(
  world: World,
  accessRequest: AccessRequest,
  step: Change,
): Promise<void> {
  const { harness, state, words } = world;
  const own = state.keys.filter(({ owner }) => owner === accessRequest.investor);
  const key = at(step.own && own.length > 0 ? own : state.keys, step.key);
  const driver = harness.drivers[step.protocol];
  const purpose = `Purpose ${freshWord()}`;
  words.add(purpose);
  const expected = changing(state, key, accessRequest, step);
  const outcome =
    step.do === 'withdraw'
      ? await driver.withdrawAccessRequest(key.secret, accessRequest.id)
      : await driver.amendAccessRequest(key.secret, accessRequest.id, {
          scopes: step.scopes,
          purpose,
        });
  const code = outcome.ok ? 'ok' : outcome.code;
  if (code !== expected) {
    throw new Error(`${step.do} by ${step.protocol}: ${code}, not ${expected}`);
  }
  const status = statusNow(state, accessRequest);
  if (!outcome.ok || status === 'expired') return;
  const actor = { type: 'investor', id: key.owner.id } as const;
  if (step.do === 'withdraw') {
    accessRequest.status = 'expired';
    accessRequest.deadline = state.now;
    drop(accessRequest);
    return addEvent(state, accessRequest, 'withdrawn', actor);
  }
  const known =
    status === 'pending'
      ? accessRequest.scopes
      : [...accessRequest.granted, ...accessRequest.pending];
  const added = step.scopes.filter((scope) => !known.includes(scope));
  if (added.length === 0) return;
  if (status === 'pending') {
    accessRequest.scopes = [...accessRequest.scopes, ...added];
    accessRequest.purpose = purpose;
  } else {
    accessRequest.pending = [...accessRequest.pending, ...added];
    accessRequest.pendingPurpose = purpose;
  }
  addEvent(state, accessRequest, 'amended', actor);
}

/** Returns the answer that the service must give to the change. */
function changing(all: State, key: Key, accessRequest: AccessRequest, step: Change): string {
  if (!works(all, key)) return 'invalid_api_key';
  if (key.owner !== accessRequest.investor) return 'access_request_not_found';
  const status = statusNow(all, accessRequest);
  const isLive = status === 'pending' || status === 'approved';
  if (step.do === 'withdraw') return isLive || status === 'expired' ? 'ok' : 'illegal_transition';
  if (!knows(all, accessRequest.investor, accessRequest.company)) return 'company_not_found';
  return isLive ? 'ok' : 'illegal_transition';
}

/** Records that an access request has expired, unless this is recorded already. */
export function expire(state: State, accessRequest: AccessRequest): void {
  if (statusNow(state, accessRequest) === accessRequest.status) return;
  accessRequest.status = 'expired';
  drop(accessRequest);
  addEvent(state, accessRequest, 'expired', { type: 'clock', id: null });
}

export function addEvent(
  state: State,
  accessRequest: AccessRequest,
  type: string,
  actor: Actor,
  reason: string | null = null,
): void {
  state.events.push({
    accessRequest,
    actor,
    reason,
    type: `access_request.${type}` as RecordedEvent['type'],
    at: state.now,
    request: record(state, accessRequest),
  });
}

export async function unlessRefused<T>(act: Promise<T>): Promise<T | null> {
  try {
    return await act;
  } catch (error) {
    if (error instanceof Refusal && expected.has(error.code)) return null;
    throw error;
  }
}

/** Refusals that a planned step may cause, because a plan doesn't know the results of its earlier steps. */
const expected: ReadonlySet<string> = new Set([
  'illegal_transition',
  'company_not_found',
  'api_key_conflict',
]);
