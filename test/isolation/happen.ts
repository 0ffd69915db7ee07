import { AccessError, OperatorError } from '#core';
import type { Outcome } from '../parity/drivers/driver.ts';
import {
  type Asking,
  type Chronicle,
  type Firm,
  type Key,
  type Organisation,
  pairOf,
} from './chronicle.ts';
import { newestOf, wordNow, works } from './model.ts';
import { pendingDays, type Step } from './plan.ts';
import { at, coin, importData, join, setClock, type World } from './world.ts';

const day = 86_400_000;

/** Whom a step concerns, and so where to look whether it has come through; absent: everyone and everything. */
export interface Concerned {
  readonly investor?: Organisation | undefined;
  readonly firm?: Firm | undefined;
}

/** Lets a step happen in the service and writes its outcome into the chronicle. */
export async function happen(world: World, step: Step): Promise<Concerned> {
  const { chronicle } = world;
  const { operator } = world.stage.service;
  const firmOf = (index: number) => at(chronicle.firms, index);
  switch (step.do) {
    case 'ask':
      return ask(world, at(chronicle.keys, step.key), step);
    case 'approve':
    case 'decline':
    case 'revoke': {
      const asking = chronicle.askings.at(-1 - (step.request % (chronicle.askings.length || 1)));
      if (asking !== undefined) await answer(world, asking, step);
      return { investor: asking?.asker, firm: asking?.firm };
    }
    case 'join': {
      const [investor, firm] = [at(chronicle.investors, step.investor), firmOf(step.company)];
      await join(world, investor, firm);
      return { investor, firm };
    }
    case 'leave': {
      const [investor, firm] = [at(chronicle.investors, step.investor), firmOf(step.company)];
      const pair = { investorId: investor.id, companyId: firm.id };
      await unlessRefused(operator.removeFromPortfolio(pair));
      chronicle.memberships.delete(pairOf(investor, firm));
      return { investor, firm };
    }
    case 'revoke key': {
      const key = at(chronicle.keys, step.key);
      await unlessRefused(operator.revokeApiKey(key.id));
      key.isRevoked ||= works(chronicle, key);
      return { investor: key.owner };
    }
    case 'rotate key':
      return rotate(world, at(chronicle.keys, step.key), step.overlap);
    case 'import':
      await importData(world, firmOf(step.company), step.data);
      return { firm: firmOf(step.company) };
    case 'wait':
      return wait(world, step.until);
    case 'sweep':
      await operator.expireAccessRequests();
      return { investor: chronicle.askings.at(-1)?.asker };
  }
}

/** Through the protocol of the step; what is answered must be what the chronicle leads one to expect. */
async function ask(
  { stage, chronicle, words }: World,
  key: Key,
  { protocol, scopes, company, inside }: Extract<Step, { do: 'ask' }>,
): Promise<Concerned> {
  const members = chronicle.firms.filter((one) =>
    chronicle.memberships.has(pairOf(key.owner, one)),
  );
  const firm = at(inside && members.length > 0 ? members : chronicle.firms, company);
  const expected = asking(chronicle, key, firm, scopes);
  const purpose = `Purpose ${coin()}`;
  const input = { companyId: firm.id, scopes, purpose };
  const outcome = await stage.drivers[protocol].requestAccess(key.secret, input);
  if (wordOf(outcome) !== expected) {
    throw new Error(`asking ${firm.name} by ${protocol}: ${wordOf(outcome)}, not ${expected}`);
  }
  if (outcome.ok && expected === 'created') {
    const { id, createdAt } = outcome.data.accessRequest;
    const dead = newestOf(chronicle, key.owner, firm);
    // The new request writes down that the old one has expired.
    if (dead !== undefined) dead.word = wordNow(chronicle, dead);
    chronicle.askings.push({
      id,
      createdAt,
      purpose,
      asker: key.owner,
      firm,
      scopes,
      granted: [],
      pending: [],
      pendingPurpose: null,
      reason: null,
      decidedAt: null,
      word: 'pending',
      deadline: chronicle.now + pendingDays * day,
      expiresAt: null,
    });
    words.add(id).add(purpose);
  }
  return { investor: key.owner, firm };
}

const wordOf = (outcome: Outcome<{ readonly outcome: string }>) =>
  outcome.ok ? outcome.data.outcome : outcome.code;

/** A request waits or is granted once for each company; what it does not cover must wait until it has ended. */
function asking(chronicle: Chronicle, key: Key, firm: Firm, scopes: readonly string[]): string {
  if (!works(chronicle, key)) return 'invalid_api_key';
  if (!chronicle.memberships.has(pairOf(key.owner, firm))) return 'company_not_found';
  const newest = newestOf(chronicle, key.owner, firm);
  const word = newest && wordNow(chronicle, newest);
  if (word !== 'pending' && word !== 'approved') return 'created';
  return scopes.every((scope) => newest?.scopes.includes(scope)) ? 'existing' : 'scope_conflict';
}

/** The company answers; what it cannot do any more is refused, and changes nothing. */
async function answer(
  { stage, chronicle, words }: World,
  asking: Asking,
  step: Extract<Step, { do: 'approve' | 'decline' | 'revoke' }>,
): Promise<void> {
  const { operator } = stage.service;
  const word = wordNow(chronicle, asking);
  if (step.do === 'approve') {
    const expiresAt = new Date(chronicle.now + step.endsAfter);
    const part = asking.scopes.filter((scope) => step.scopes.some((one) => one === scope));
    const scopes = part.length > 0 ? part : asking.scopes;
    await unlessRefused(operator.approveAccessRequest(asking.id, { scopes, expiresAt }));
    if (word !== 'pending') return;
    asking.word = 'approved';
    asking.granted = scopes;
    asking.decidedAt = new Date(chronicle.now).toISOString();
    asking.deadline = expiresAt.getTime();
    asking.expiresAt = expiresAt.toISOString();
    return;
  }
  const reason = coin();
  words.add(reason);
  await unlessRefused(operator[`${step.do}AccessRequest`](asking.id, reason));
  const [from, to] =
    step.do === 'decline' ? (['pending', 'declined'] as const) : (['approved', 'revoked'] as const);
  if (word !== from) return;
  asking.word = to;
  asking.reason = reason;
  asking.decidedAt = new Date(chronicle.now).toISOString();
}

/** The clock goes on, and what it ends is at its end: a request that waits or is granted, or a key. */
function wait(world: World, until: Extract<Step, { do: 'wait' }>['until']): Concerned {
  const { chronicle } = world;
  const { now, askings, keys } = chronicle;
  const ends = [
    ...askings
      .filter((asking) => ['pending', 'approved'].includes(wordNow(chronicle, asking)))
      .map(({ deadline, asker }) => ({ end: deadline, investor: asker })),
    ...keys
      .filter((key) => works(chronicle, key) && key.endsAt !== null)
      .map(({ endsAt, owner }) => ({ end: endsAt ?? 0, investor: owner })),
  ];
  const next = ends.toSorted((a, b) => a.end - b.end)[0];
  const moment = next === undefined || until === 'a moment';
  setClock(world, moment ? now + 1 : next.end - (until === 'almost' ? 1 : 0));
  return { investor: next?.investor ?? at(chronicle.investors, 0) };
}

/** The successor has the same rights and the same end; the old key works until the overlap is over, or its own end. */
async function rotate(
  { stage, chronicle, words }: World,
  key: Key,
  overlap: number,
): Promise<Concerned> {
  const { operator } = stage.service;
  const rotated = await unlessRefused(operator.rotateApiKey(key.id, overlap));
  if (rotated !== null) {
    const { secret } = rotated;
    chronicle.keys.push({ ...key, id: rotated.key.id, secret });
    words.add(rotated.key.id).add(secret);
    key.endsAt = Math.min(key.endsAt ?? Number.POSITIVE_INFINITY, chronicle.now + overlap);
  }
  return { investor: key.owner };
}

async function unlessRefused<T>(act: Promise<T>): Promise<T | null> {
  try {
    return await act;
  } catch (error) {
    const isIllegal = error instanceof AccessError && error.code === 'illegal_transition';
    if (isIllegal || error instanceof OperatorError) return null;
    throw error;
  }
}
