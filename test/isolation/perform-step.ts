import { isDeepStrictEqual } from 'node:util';
import type { Outcome } from '../parity/drivers/driver.ts';
import { addEvent, change, coveringTerms, decide, expire, unlessRefused } from './decide.ts';
import { knows, newestOf, statusNow, works } from './model.ts';
import { pendingDays, type Step } from './plan.ts';
import {
  type AccessRequest,
  type Company,
  type Key,
  type Organisation,
  pairOf,
  type State,
} from './state.ts';
import { isWithin, type Terms, termsOf } from './terms.ts';
import {
  addCompanyKey,
  at,
  freshWord,
  importData,
  join,
  setClock,
  tokenFor,
  type World,
} from './world.ts';

const day = 86_400_000;

/**
 * The investor and the company that a step affects, whose data is checked next. If one is missing,
 * all of that kind are checked.
 */
export interface Concerned {
  readonly investor?: Organisation | undefined;
  readonly company?: Company | undefined;
}

export async function performStep(world: World, step: Step): Promise<Concerned> {
  const { state } = world;
  const { operator, background } = world.harness.service;
  const companyOf = (index: number) => at(state.companies, index);
  switch (step.do) {
    case 'ask':
      return ask(world, at(state.keys, step.key), step);
    case 'approve':
    case 'decline':
    case 'narrow':
    case 'pause grant':
    case 'resume grant':
    case 'revoke':
    case 'extend':
    case 'amend':
    case 'withdraw': {
      const possible = requestsFor(state, step.do);
      const accessRequest = possible.at(-1 - (step.request % (possible.length || 1)));
      if (accessRequest === undefined) return {};
      await (step.do === 'amend' || step.do === 'withdraw'
        ? change(world, accessRequest, step)
        : decide(world, accessRequest, step));
      return { investor: accessRequest.investor, company: accessRequest.company };
    }
    case 'replace company key': {
      const company = companyOf(step.company);
      const key = state.companyKeys.findLast((one) => one.company === company);
      if (key !== undefined) {
        await operator.revokeCompanyKey({ id: key.id });
        key.isRevoked = true;
      }
      await addCompanyKey(world, company);
      return { company };
    }
    case 'join': {
      const [investor, company] = [at(state.investors, step.investor), companyOf(step.company)];
      await join(world, investor, company);
      return { investor, company };
    }
    case 'leave': {
      const [investor, company] = [at(state.investors, step.investor), companyOf(step.company)];
      const pair = { investorId: investor.id, companyId: company.id };
      await unlessRefused(operator.removeFromPortfolio(pair));
      state.memberships.delete(pairOf(investor, company));
      return { investor, company };
    }
    case 'suspend':
    case 'resume':
      return suspendOrResume(world, step);
    case 'revoke key': {
      const key = at(state.keys, step.key);
      const revoked = await unlessRefused(operator.revokeApiKey({ id: key.id }));
      key.isRevoked ||= revoked !== null;
      return { investor: key.owner };
    }
    case 'rotate key':
      return rotate(world, at(state.keys, step.key), step.overlap);
    case 'import':
      await importData(world, companyOf(step.company), step.data, step.by);
      return { company: companyOf(step.company) };
    case 'wait':
      return wait(world, step.until);
    case 'sweep':
      await background.expireAccessRequests();
      for (const accessRequest of state.accessRequests) expire(state, accessRequest);
      return { investor: state.accessRequests.at(-1)?.investor };
  }
}

function requestsFor(state: State, act: Step['do']): readonly AccessRequest[] {
  const { accessRequests } = state;
  if (act !== 'narrow' && act !== 'pause grant' && act !== 'resume grant') return accessRequests;
  const grants = accessRequests.filter((one) => statusNow(state, one) === 'approved');
  return grants.length > 0 ? grants : accessRequests;
}

async function suspendOrResume(
  { harness, state }: World,
  { do: act, whom, index }: Extract<Step, { do: 'suspend' | 'resume' }>,
): Promise<Concerned> {
  const { operator } = harness.service;
  const isInvestor = whom === 'investor';
  const organisation = at(isInvestor ? state.investors : state.companies, index);
  const { id } = organisation;
  if (act === 'suspend') {
    await (isInvestor ? operator.suspendInvestor({ id }) : operator.suspendCompany({ id }));
  } else {
    await (isInvestor ? operator.resumeInvestor({ id }) : operator.resumeCompany({ id }));
  }
  organisation.isSuspended = act === 'suspend';
  return isInvestor ? { investor: organisation } : { company: organisation as Company };
}

/** Expects the answer that follows from the state. */
async function ask(
  { harness, state, words }: World,
  key: Key,
  { protocol, scopes, terms, company: index, inside }: Extract<Step, { do: 'ask' }>,
): Promise<Concerned> {
  const members = state.companies.filter((one) => knows(state, key.owner, one));
  const company = at(inside && members.length > 0 ? members : state.companies, index);
  const expected = expectedOutcome(state, key, company, scopes, termsOf(terms));
  const purpose = `Purpose ${freshWord()}`;
  const input = { companyId: company.id, scopes, purpose, ...(terms && { terms }) };
  const outcome = await harness.drivers[protocol].requestAccess(key.secret, input);
  if (resultOf(outcome) !== expected) {
    throw new Error(
      `a request to ${company.name} by ${protocol}: ${resultOf(outcome)}, not ${expected}`,
    );
  }
  if (outcome.ok && expected === 'created') {
    const { id, createdAt } = outcome.data.accessRequest;
    const dead = newestOf(state, key.owner, company);
    // The new request also makes the service record that the old one has expired.
    if (dead !== undefined) expire(state, dead);
    const made: AccessRequest = {
      id,
      createdAt,
      purpose,
      investor: key.owner,
      company,
      scopes,
      granted: [],
      pending: [],
      pendingPurpose: null,
      requestedTerms: termsOf(terms),
      terms: null,
      pendingTerms: null,
      pausedAt: null,
      endOfUse: null,
      reason: null,
      decidedAt: null,
      status: 'pending',
      deadline: state.now + pendingDays * day,
      expiresAt: null,
    };
    state.accessRequests.push(made);
    addEvent(state, made, 'created', { type: 'investor', id: key.owner.id });
    words.add(id).add(purpose);
  }
  return { investor: key.owner, company };
}

const resultOf = (outcome: Outcome<{ readonly outcome: string }>) =>
  outcome.ok ? outcome.data.outcome : outcome.code;

/** A company has one open access request per investor. Until it ends, one with other scopes is refused. */
function expectedOutcome(
  state: State,
  key: Key,
  company: Company,
  scopes: readonly string[],
  terms: Terms,
): string {
  if (!works(state, key)) return 'invalid_api_key';
  if (!knows(state, key.owner, company)) return 'company_not_found';
  const newest = newestOf(state, key.owner, company);
  if (newest === undefined) return 'created';
  const status = statusNow(state, newest);
  if (status !== 'pending' && status !== 'approved') return 'created';
  const { scopes: asked, granted, pending } = newest;
  const covering = status === 'pending' ? asked : [...granted, ...pending];
  const isRepeat = [...scopes].sort().join() === [...asked].sort().join();
  const coversTerms =
    isDeepStrictEqual(terms, newest.requestedTerms) ||
    isWithin(terms, coveringTerms(state, newest));
  return (isRepeat || scopes.every((scope) => covering.includes(scope))) && coversTerms
    ? 'existing'
    : 'scope_conflict';
}

/** Moves the clock to the next end of a request or key, or to just before it. */
function wait(world: World, until: Extract<Step, { do: 'wait' }>['until']): Concerned {
  const { state } = world;
  const { now, accessRequests, keys } = state;
  const ends = [
    ...accessRequests
      .filter((accessRequest) => ['pending', 'approved'].includes(statusNow(state, accessRequest)))
      .map(({ deadline, investor }) => ({ end: deadline, investor: investor })),
    ...keys
      .filter((key) => works(state, key) && key.endsAt !== null)
      .map(({ endsAt, owner }) => ({ end: endsAt ?? 0, investor: owner })),
  ];
  const next = ends.toSorted((a, b) => a.end - b.end)[0];
  const moment = next === undefined || until === 'a moment';
  setClock(world, moment ? now + 1 : next.end - (until === 'almost' ? 1 : 0));
  return { investor: next?.investor ?? at(state.investors, 0) };
}

/** The new key has the same scopes and end. The old key works until the overlap or the key itself ends. */
async function rotate(
  { harness, state, words }: World,
  key: Key,
  overlap: number,
): Promise<Concerned> {
  const { operator } = harness.service;
  const rotated = await unlessRefused(
    operator.rotateApiKey({ id: key.id, overlapMilliseconds: overlap }),
  );
  if (rotated !== null) {
    const successor = { ...key, id: rotated.key.id };
    const secret = key.isTokens ? tokenFor(harness, successor) : rotated.secret;
    state.keys.push({ ...successor, secret });
    words.add(rotated.key.id).add(rotated.secret).add(secret);
    key.endsAt = Math.min(key.endsAt ?? Number.POSITIVE_INFINITY, state.now + overlap);
  }
  return { investor: key.owner };
}
