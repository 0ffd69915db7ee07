import { isDeepStrictEqual } from 'node:util';
import { Refusal } from '#core';
import { hasEnded } from './company-model.ts';
import { knows, record, statusNow, works } from './model.ts';
import type { Side, Step } from './plan.ts';
import type { AccessRequest, Key, RecordedEvent, State } from './state.ts';
import {
  isWithin,
  narrowTo,
  noLimits,
  type Terms,
  termsOf,
  unite,
  withoutRemoved,
} from './terms.ts';
import { at, freshWord, type World } from './world.ts';

type Actor = RecordedEvent['actor'];
type Decision = Extract<
  Step,
  {
    do: 'approve' | 'decline' | 'narrow' | 'pause grant' | 'resume grant' | 'revoke' | 'extend';
  }
>;
type Change = Extract<Step, { do: 'amend' | 'withdraw' }>;

/** Carries out a decision by a company or the operator. An illegal decision is refused and changes nothing. */
export async function decide(
  world: World,
  accessRequest: AccessRequest,
  step: Decision,
): Promise<void> {
  const { state, words } = world;
  const reason = freshWord();
  const scopes = 'scopes' in step ? wanted(state, accessRequest, step) : [];
  const terms =
    'terms' in step ? narrowTo(askedTerms(state, accessRequest, step), step.terms) : null;
  const expiresAt = endOf(state, accessRequest, step);
  if (step.do === 'decline' || step.do === 'revoke') words.add(reason);
  const actor = await send(world, accessRequest, step, { scopes, terms, expiresAt, reason });
  if (actor === null) return;
  const status = statusNow(state, accessRequest);
  const isGrant = status === 'approved';
  const decided = () => {
    accessRequest.decidedAt = new Date(state.now).toISOString();
  };
  const grantUntil = (end: Date) => {
    if (end.getTime() > endOfUse(accessRequest)) {
      throw new Error(
        `${step.do}: a grant for one use lasts longer than a day after its first read`,
      );
    }
    accessRequest.deadline = end.getTime();
    accessRequest.expiresAt = end.toISOString();
    decided();
  };
  const isWaiting = status === 'pending' || (isGrant && hasAddition(accessRequest));
  switch (step.do) {
    case 'approve': {
      if (!isWaiting) return;
      approve(accessRequest, scopes, terms);
      grantUntil(expiresAt);
      return addEvent(state, accessRequest, 'approved', actor);
    }
    case 'decline': {
      if (!isWaiting) return;
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
    case 'narrow': {
      const { granted } = accessRequest;
      const isSame =
        scopes.length === granted.length && isDeepStrictEqual(terms, accessRequest.terms);
      if (!isGrant || isSame) return;
      accessRequest.granted = scopes;
      accessRequest.pendingTerms &&= withoutRemoved(
        accessRequest.pendingTerms,
        accessRequest.terms,
        terms,
      );
      setTerms(accessRequest, terms);
      decided();
      return addEvent(state, accessRequest, 'narrowed', actor);
    }
    case 'pause grant':
    case 'resume grant': {
      const isPause = step.do === 'pause grant';
      if (!isGrant || isPause === (accessRequest.pausedAt !== null)) return;
      accessRequest.pausedAt = isPause ? new Date(state.now).toISOString() : null;
      return addEvent(state, accessRequest, isPause ? 'paused' : 'resumed', actor);
    }
    default: {
      if (!isGrant) return;
      grantUntil(expiresAt);
      return addEvent(state, accessRequest, 'extended', actor);
    }
  }
}

const hasAddition = ({ pending, pendingTerms }: AccessRequest) =>
  pending.length > 0 || pendingTerms !== null;

type WithScopes = Extract<Decision, { do: 'approve' | 'narrow' }>;

/**
 * The scopes that the plan names, among the waiting ones (approval) or the granted ones
 * (narrowing). All, if the plan names none.
 */
function wanted(
  all: State,
  accessRequest: AccessRequest,
  { do: act, ...step }: WithScopes,
): readonly string[] {
  const named: readonly string[] = step.scopes;
  const { scopes, granted, pending } = accessRequest;
  const waits =
    act === 'narrow' ? granted : statusNow(all, accessRequest) === 'pending' ? scopes : pending;
  const part = waits.filter((scope) => named.includes(scope));
  return part.length > 0 ? part : waits.length > 0 ? waits : scopes;
}

const askedTerms = (all: State, accessRequest: AccessRequest, { do: act }: WithScopes): Terms =>
  act === 'narrow' ? accessRequest.terms : coveringTerms(all, accessRequest);

/** The terms that a pending request asks for, or else those of the grant or its addition. */
export const coveringTerms = (all: State, accessRequest: AccessRequest): Terms => {
  const { requestedTerms, terms, pendingTerms } = accessRequest;
  if (statusNow(all, accessRequest) === 'pending') return requestedTerms;
  return pendingTerms === null ? terms : termsOf(pendingTerms);
};

const endOfUse = ({ endOfUse: end }: AccessRequest) => end ?? Number.POSITIVE_INFINITY;

/** A grant for one use stays in use only while it stays for one use. */
function setTerms(accessRequest: AccessRequest, terms: Terms): void {
  if (accessRequest.terms?.use !== 'once' || terms?.use !== 'once') accessRequest.endOfUse = null;
  accessRequest.terms = terms;
}

function endOf({ now }: State, { expiresAt }: AccessRequest, step: Decision): Date {
  if (step.do === 'approve') return new Date(now + step.endsAfter);
  const end = expiresAt === null ? now : Date.parse(expiresAt);
  return new Date(end + (step.do === 'extend' ? step.further : 0));
}

function approve(accessRequest: AccessRequest, scopes: readonly string[], terms: Terms): void {
  const asked = [...new Set([...accessRequest.scopes, ...accessRequest.pending])];
  const isGranted = (scope: string) =>
    accessRequest.granted.includes(scope) || scopes.includes(scope);
  const requested = asked.filter(
    (scope) => accessRequest.scopes.includes(scope) || isGranted(scope),
  );
  accessRequest.granted = asked.filter(isGranted);
  accessRequest.scopes = requested;
  accessRequest.purpose = accessRequest.pendingPurpose ?? accessRequest.purpose;
  if (accessRequest.status === 'approved') {
    accessRequest.requestedTerms = unite(accessRequest.requestedTerms, terms);
  }
  setTerms(accessRequest, terms);
  accessRequest.status = 'approved';
  accessRequest.reason = null;
  drop(accessRequest);
}

/** Drops an addition that waits for a decision. */
function drop(accessRequest: AccessRequest): void {
  accessRequest.pending = [];
  accessRequest.pendingPurpose = null;
  accessRequest.pendingTerms = null;
}

interface Named {
  readonly scopes: readonly string[];
  readonly terms: Terms;
  readonly expiresAt: Date;
  readonly reason: string;
}

/** Sends the decision as the step's actor. Returns null if it is refused or changes nothing. */
async function send(
  { harness, state }: World,
  accessRequest: AccessRequest,
  step: Decision,
  { scopes, terms, expiresAt, reason }: Named,
): Promise<Actor | null> {
  const isOnce = step.do === 'approve' ? terms?.use === 'once' : step.do === 'extend';
  const outlastsUse = isOnce && expiresAt.getTime() > endOfUse(accessRequest);
  const { operator } = harness.service;
  const { id } = accessRequest;
  const { version } = (await operator.showAccessRequest({ id: accessRequest.id })).accessRequest;
  if (step.by === 'operator') {
    const sent = {
      approve: () => operator.approveAccessRequest({ id, scopes, terms, expiresAt, version }),
      decline: () => operator.declineAccessRequest({ id, reason, version }),
      narrow: () => operator.narrowAccessRequest({ id, scopes: [...scopes], terms }),
      'pause grant': () => operator.pauseAccessRequest({ id }),
      'resume grant': () => operator.resumeAccessRequest({ id }),
      revoke: () => operator.revokeAccessRequest({ id, reason }),
      extend: () => operator.extendAccessRequest({ id, expiresAt, version }),
    };
    const changed = await unlessRefused(sent[step.do](), outlastsUse);
    return changed && { type: 'operator', id: null };
  }
  const key = keyOf(state, accessRequest, step.by);
  const end = expiresAt.toISOString();
  const body = {
    approve: { version, scopes, terms: inRest(terms), expires_at: end },
    decline: { version, reason },
    narrow: { version, scopes, terms: inRest(terms) },
    'pause grant': undefined,
    'resume grant': undefined,
    revoke: { reason },
    extend: { version, expires_at: end },
  }[step.do];
  const path = `/access-requests/${id}/${step.do.replace(' grant', '')}`;
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

const inRest = (terms: Terms) =>
  terms && { use: terms.use, metric_keys: terms.metricKeys, history_from: terms.historyFrom };

function keyOf({ companyKeys }: State, { company }: AccessRequest, by: Exclude<Side, 'operator'>) {
  const live = companyKeys.filter(({ isRevoked }) => !isRevoked);
  return at(
    live.filter((key) => (by === 'company') === (key.company === company)),
    0,
  );
}

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
          ...(step.terms && { terms: step.terms }),
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
  const isCovered =
    step.terms === null || isWithin(termsOf(step.terms), coveringTerms(state, accessRequest));
  if (added.length === 0 && isCovered) return;
  const wider = isCovered
    ? coveringTerms(state, accessRequest)
    : unite(coveringTerms(state, accessRequest), termsOf(step.terms));
  if (status === 'pending') {
    accessRequest.scopes = [...accessRequest.scopes, ...added];
    accessRequest.requestedTerms = wider;
    accessRequest.purpose = purpose;
  } else {
    accessRequest.pending = [...accessRequest.pending, ...added];
    if (!isCovered) accessRequest.pendingTerms = wider ?? noLimits;
    accessRequest.pendingPurpose = purpose;
  }
  addEvent(state, accessRequest, 'amended', actor);
}

function changing(all: State, key: Key, accessRequest: AccessRequest, step: Change): string {
  if (!works(all, key)) return 'invalid_api_key';
  if (key.owner !== accessRequest.investor) return 'access_request_not_found';
  const status = statusNow(all, accessRequest);
  const isLive = status === 'pending' || status === 'approved';
  if (step.do === 'withdraw') return isLive || status === 'expired' ? 'ok' : 'illegal_transition';
  if (!knows(all, accessRequest.investor, accessRequest.company)) return 'company_not_found';
  return isLive ? 'ok' : 'illegal_transition';
}

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

export async function unlessRefused<T>(
  act: Promise<T>,
  isInvalidDecision = false,
): Promise<T | null> {
  try {
    return await act;
  } catch (error) {
    const isExpected = (code: string) =>
      expected.has(code) || (isInvalidDecision && code === 'invalid_decision');
    if (error instanceof Refusal && isExpected(error.code)) return null;
    throw error;
  }
}

/** Refusals that a planned step may cause, because a plan doesn't know the results of earlier steps. */
const expected: ReadonlySet<string> = new Set([
  'illegal_transition',
  'company_not_found',
  'api_key_conflict',
]);
