import type { Outcome } from '../parity/drivers/driver.ts';
import {
  type Asking,
  type Chronicle,
  type Firm,
  type Key,
  type Organisation,
  pairOf,
} from './chronicle.ts';
import { bury, change, decide, note, unlessRefused } from './decide.ts';
import { newestOf, wordNow, works } from './model.ts';
import { pendingDays, type Step } from './plan.ts';
import { addCompanyKey, at, coin, importData, join, setClock, type World } from './world.ts';

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
    case 'revoke':
    case 'extend':
    case 'amend':
    case 'withdraw': {
      const asking = chronicle.askings.at(-1 - (step.request % (chronicle.askings.length || 1)));
      if (asking === undefined) return {};
      await (step.do === 'amend' || step.do === 'withdraw'
        ? change(world, asking, step)
        : decide(world, asking, step));
      return { investor: asking.asker, firm: asking.firm };
    }
    case 'replace company key': {
      const firm = firmOf(step.company);
      const key = chronicle.companyKeys.findLast((one) => one.firm === firm);
      if (key !== undefined) {
        await operator.revokeCompanyKey({ id: key.id });
        key.isRevoked = true;
      }
      await addCompanyKey(world, firm);
      return { firm };
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
      await unlessRefused(operator.revokeApiKey({ id: key.id }));
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
      for (const asking of chronicle.askings) bury(chronicle, asking);
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
    if (dead !== undefined) bury(chronicle, dead);
    const made: Asking = {
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
    };
    chronicle.askings.push(made);
    note(chronicle, made, 'created', { type: 'investor', id: key.owner.id });
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
  if (newest === undefined) return 'created';
  const word = wordNow(chronicle, newest);
  if (word !== 'pending' && word !== 'approved') return 'created';
  const { scopes: asked, granted, pending } = newest;
  const covering = word === 'pending' ? asked : [...granted, ...pending];
  const isRepeat = [...scopes].sort().join() === [...asked].sort().join();
  return isRepeat || scopes.every((scope) => covering.includes(scope))
    ? 'existing'
    : 'scope_conflict';
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
  const rotated = await unlessRefused(
    operator.rotateApiKey({ id: key.id, overlapMilliseconds: overlap }),
  );
  if (rotated !== null) {
    const { secret } = rotated;
    chronicle.keys.push({ ...key, id: rotated.key.id, secret });
    words.add(rotated.key.id).add(secret);
    key.endsAt = Math.min(key.endsAt ?? Number.POSITIVE_INFINITY, chronicle.now + overlap);
  }
  return { investor: key.owner };
}
