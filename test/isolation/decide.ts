import { Refusal } from '#core';
import type { Asking, Chronicle, Happening, Key } from './chronicle.ts';
import { record, wordNow, works } from './model.ts';
import type { Side, Step } from './plan.ts';
import { at, coin, type World } from './world.ts';

export type Actor = Happening['actor'];
export type Decision = Extract<Step, { do: 'approve' | 'decline' | 'revoke' | 'extend' }>;
type Change = Extract<Step, { do: 'amend' | 'withdraw' }>;

/** What a company or the operator decides; what cannot be done any more is refused, and changes nothing. */
export async function decide<AnyWorld extends World>(
  world: AnyWorld,
  asking: Asking,
  step: Decision,
  /** How it is told to the service; answers null when it is refused, or has changed nothing. */
  tell: (
    world: AnyWorld,
    asking: Asking,
    step: Decision,
    named: Named,
  ) => Promise<Actor | null> = send,
): Promise<void> {
  const { chronicle, words } = world;
  const reason = coin();
  const scopes = step.do === 'approve' ? wanted(chronicle, asking, step.scopes) : [];
  const expiresAt = endOf(chronicle, asking, step);
  if (step.do === 'decline' || step.do === 'revoke') words.add(reason);
  const actor = await tell(world, asking, step, { scopes, expiresAt, reason });
  if (actor === null) return;
  const word = wordNow(chronicle, asking);
  const isGrant = word === 'approved';
  const decided = () => {
    asking.decidedAt = new Date(chronicle.now).toISOString();
  };
  const grantUntil = (end: Date) => {
    asking.deadline = end.getTime();
    asking.expiresAt = end.toISOString();
    decided();
  };
  switch (step.do) {
    case 'approve': {
      if (word !== 'pending' && !(isGrant && asking.pending.length > 0)) return;
      approve(asking, scopes);
      grantUntil(expiresAt);
      return note(chronicle, asking, 'approved', actor);
    }
    case 'decline': {
      if (word !== 'pending' && !(isGrant && asking.pending.length > 0)) return;
      if (word === 'pending') asking.word = 'declined';
      asking.reason = reason;
      drop(asking);
      decided();
      return note(chronicle, asking, isGrant ? 'amendment_declined' : 'declined', actor, reason);
    }
    case 'revoke': {
      if (!isGrant) return;
      asking.word = 'revoked';
      asking.reason = reason;
      drop(asking);
      decided();
      return note(chronicle, asking, 'revoked', actor, reason);
    }
    default: {
      if (!isGrant) return;
      grantUntil(expiresAt);
      return note(chronicle, asking, 'extended', actor);
    }
  }
}

/** A part of what waits for a decision; all of it when the plan names nothing of it. */
function wanted(all: Chronicle, asking: Asking, named: readonly string[]): readonly string[] {
  const waits = wordNow(all, asking) === 'pending' ? asking.scopes : asking.pending;
  const part = waits.filter((scope) => named.includes(scope));
  return part.length > 0 ? part : waits.length > 0 ? waits : asking.scopes;
}

function endOf({ now }: Chronicle, { expiresAt }: Asking, step: Decision): Date {
  if (step.do === 'approve') return new Date(now + step.endsAfter);
  const end = expiresAt === null ? now : Date.parse(expiresAt);
  return new Date(end + (step.do === 'extend' ? step.further : 0));
}

/** What was granted stays; what is approved of the addition joins it, and the rest is forgotten. */
function approve(asking: Asking, scopes: readonly string[]): void {
  const asked = [...new Set([...asking.scopes, ...asking.pending])];
  const isGranted = (scope: string) => asking.granted.includes(scope) || scopes.includes(scope);
  const requested = asked.filter((scope) => asking.scopes.includes(scope) || isGranted(scope));
  asking.granted = asked.filter(isGranted);
  asking.scopes = requested;
  asking.purpose = asking.pendingPurpose ?? asking.purpose;
  asking.word = 'approved';
  asking.reason = null;
  drop(asking);
}

function drop(asking: Asking): void {
  asking.pending = [];
  asking.pendingPurpose = null;
}

export interface Named {
  readonly scopes: readonly string[];
  readonly expiresAt: Date;
  readonly reason: string;
}

/** By whoever the step names. */
async function send(
  { stage, chronicle }: World,
  asking: Asking,
  step: Decision,
  { scopes, expiresAt, reason }: Named,
): Promise<Actor | null> {
  const { operator } = stage.service;
  const { version } = (await operator.showAccessRequest({ id: asking.id })).accessRequest;
  if (step.by === 'operator') {
    const sent = {
      approve: () => operator.approveAccessRequest({ id: asking.id, scopes, expiresAt, version }),
      decline: () => operator.declineAccessRequest({ id: asking.id, reason, version }),
      revoke: () => operator.revokeAccessRequest({ id: asking.id, reason }),
      extend: () => operator.extendAccessRequest({ id: asking.id, expiresAt, version }),
    };
    const changed = await unlessRefused(sent[step.do]());
    return changed && { type: 'operator', id: null };
  }
  const key = keyOf(chronicle, asking, step.by);
  const end = expiresAt.toISOString();
  const body = {
    approve: { version, scopes, expires_at: end },
    decline: { version, reason },
    revoke: { reason },
    extend: { version, expires_at: end },
  }[step.do];
  const path = `/access-requests/${asking.id}/${step.do}`;
  const outcome = await stage.company.post(key.secret, path, body);
  if (step.by === 'another company') {
    const code = outcome.ok ? 'nothing' : outcome.code;
    if (code !== 'access_request_not_found') {
      throw new Error(`company: another company’s decision is refused with ${code}`);
    }
    return null;
  }
  return outcome.ok ? { type: 'company_key', id: key.id } : null;
}

function keyOf({ companyKeys }: Chronicle, { firm }: Asking, by: Exclude<Side, 'operator'>) {
  const live = companyKeys.filter(({ isRevoked }) => !isRevoked);
  return at(
    live.filter((key) => (by === 'company') === (key.firm === firm)),
    0,
  );
}

/** What an investor changes of its own requests; of those of others it can change nothing. */
export async function change(world: World, asking: Asking, step: Change): Promise<void> {
  const { stage, chronicle, words } = world;
  const own = chronicle.keys.filter(({ owner }) => owner === asking.asker);
  const key = at(step.own && own.length > 0 ? own : chronicle.keys, step.key);
  const driver = stage.drivers[step.protocol];
  const purpose = `Purpose ${coin()}`;
  words.add(purpose);
  const expected = changing(chronicle, key, asking, step);
  const outcome =
    step.do === 'withdraw'
      ? await driver.withdrawAccessRequest(key.secret, asking.id)
      : await driver.amendAccessRequest(key.secret, asking.id, { scopes: step.scopes, purpose });
  const code = outcome.ok ? 'ok' : outcome.code;
  if (code !== expected) {
    throw new Error(`${step.do} by ${step.protocol}: ${code}, not ${expected}`);
  }
  const word = wordNow(chronicle, asking);
  if (!outcome.ok || word === 'expired') return;
  const actor = { type: 'investor', id: key.owner.id } as const;
  if (step.do === 'withdraw') {
    asking.word = 'expired';
    drop(asking);
    return note(chronicle, asking, 'withdrawn', actor);
  }
  const known = word === 'pending' ? asking.scopes : [...asking.granted, ...asking.pending];
  const added = step.scopes.filter((scope) => !known.includes(scope));
  if (added.length === 0) return;
  if (word === 'pending') {
    asking.scopes = [...asking.scopes, ...added];
    asking.purpose = purpose;
  } else {
    asking.pending = [...asking.pending, ...added];
    asking.pendingPurpose = purpose;
  }
  note(chronicle, asking, 'amended', actor);
}

/** What the one who asks for a change must be answered. */
function changing(all: Chronicle, key: Key, asking: Asking, step: Change): string {
  if (!works(all, key)) return 'invalid_api_key';
  if (key.owner !== asking.asker) return 'access_request_not_found';
  const word = wordNow(all, asking);
  const isLive = word === 'pending' || word === 'approved';
  if (step.do === 'withdraw') return isLive || word === 'expired' ? 'ok' : 'illegal_transition';
  if (!all.memberships.has(`${asking.asker.id} ${asking.firm.id}`)) return 'company_not_found';
  return isLive ? 'ok' : 'illegal_transition';
}

/** Writes down that a request has ended by itself, once. */
export function bury(chronicle: Chronicle, asking: Asking): void {
  if (wordNow(chronicle, asking) === asking.word) return;
  asking.word = 'expired';
  drop(asking);
  note(chronicle, asking, 'expired', { type: 'clock', id: null });
}

export function note(
  chronicle: Chronicle,
  asking: Asking,
  type: string,
  actor: Actor,
  reason: string | null = null,
): void {
  chronicle.events.push({
    asking,
    actor,
    reason,
    type: `access_request.${type}` as Happening['type'],
    at: chronicle.now,
    request: record(chronicle, asking),
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

/** What a step of a plan may be refused with: it does not know what the steps before it have come to. */
const expected: ReadonlySet<string> = new Set([
  'illegal_transition',
  'company_not_found',
  'api_key_conflict',
  'contact_exists',
  'contact_limit',
]);
