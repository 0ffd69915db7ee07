import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  AccessError,
  type AccessRequest,
  type AccessRequestAction,
  type Approval,
  allRequestedScopes,
  changesNothing,
  coveringTerms,
  endOfUse,
  fillTerms,
  grantableScopes,
  isSubset,
  isWithinTerms,
  maxTermKeys,
  noLimits,
  type PartialTerms,
  type RepeatableAction,
  transition,
  uniteTerms,
} from '#core';
import {
  anyTerms,
  approvedRequest,
  arrTerms,
  pendingRequest,
  termKeys,
  termPeriods,
} from '../../builders.ts';
import { day, expectRefusal, later } from '../../world.ts';

const now = later(2 * day);
const end = later(90 * day);
const [metrics, sources, accounts] = ['metrics:read', 'sources:read', 'accounts:read'] as const;

const both = arrTerms({ metricKeys: ['arr', 'cash'] });
const onceArr = arrTerms({ use: 'once' });
const only = (...metricKeys: string[]) => ({ metricKeys });
const three = arrTerms(only('arr', 'cash', 'mrr'));
const january = { historyFrom: '2026-01-01' };
const pending = pendingRequest({ requestedTerms: both });
const open = approvedRequest({ reviewAt: later(91 * day) });
const grant = approvedRequest({ requestedTerms: both, approvedTerms: arrTerms() });
const widening: AccessRequest = { ...grant, pendingTerms: both, pendingPurpose: 'The audit' };
const used = { ...grant, approvedTerms: onceArr, firstReadAt: later(day) };
const paused = { ...grant, pausedAt: later(day) };
const approval: Approval = {
  ...{ actor: { type: 'company_key', id: 'ck_1' }, createdAt: now.toISOString() },
  ...{ scopes: [metrics, sources], terms: both, expiresAt: null },
};
const approvals = [approval];

type Changes = Partial<AccessRequest>;
const approve = (more: object = {}) => ({ type: 'approve', expiresAt: end, ...more }) as const;
const amend = (terms: PartialTerms | undefined, more: object = {}) =>
  ({ type: 'amend', scopes: [], terms, purpose: null, ...more }) as const;
const narrow = (more: object) => ({ type: 'narrow', ...more }) as const;
const confirm = { type: 'confirm', approval } as const;
const decline = { type: 'decline', reason: null } as const;
const event = (type: string) => ({
  lastEventType: `access_request.${type}` as AccessRequest['lastEventType'],
});
const ending = (expiresAt: Date) => ({ expiresAt, deadlineAt: expiresAt, expiringAt: null });

function expectChanges(request: AccessRequest, action: AccessRequestAction, changes: Changes) {
  expect(transition(Object.freeze(request), action, now)).toEqual({ ...request, ...changes });
}

test.each<[what: string, named: object, changes: Changes]>([
  ['grants the requested terms', {}, {}],
  ['can narrow the terms', { terms: onceArr }, { approvedTerms: onceArr }],
  ['can narrow one of the terms', { terms: only('arr') }, { approvedTerms: arrTerms() }],
  ['stores approvals and reason', { approvals, reason: 'Yes.' }, { approvals, reason: 'Yes.' }],
])('an approval of a request %s', (_what, named, changes) => {
  expectChanges(pending, approve(named), {
    ...{ ...event('approved'), ...ending(end), expiringAt: later(83 * day), status: 'approved' },
    ...{ decidedAt: now, approvedScopes: [metrics, sources], approvedTerms: both, ...changes },
  });
});

const answered = { pendingTerms: null, pendingPurpose: null, decidedAt: now };
test.each<[what: string, AccessRequest, named: object, changes: Changes]>([
  ['replaces the terms', widening, {}, {}],
  [
    'can take metrics out',
    widening,
    { terms: only('cash') },
    { approvedTerms: arrTerms(only('cash')) },
  ],
  ['can narrow', widening, { terms: onceArr }, { approvedTerms: onceArr }],
  [
    'widens the request',
    { ...widening, pendingTerms: noLimits },
    {},
    { requestedTerms: null, approvedTerms: null },
  ],
  [
    'starts with one use',
    { ...used, pendingTerms: both, pendingPurpose: 'The audit' },
    {},
    { firstReadAt: null },
  ],
])('an approval of added terms %s', (_what, request, named, changes) => {
  const common = { ...event('approved'), ...answered, purpose: 'The audit', approvedTerms: both };
  const previousScopes = [metrics, sources];
  expectChanges(request, approve(named), { ...common, previousScopes, ...changes });
});

test.each<[what: string, AccessRequest, input: object, changes: Changes]>([
  ['takes out scopes', open, { scopes: [metrics] }, { approvedScopes: [metrics] }],
  [
    'takes them out of the earlier ones',
    { ...open, previousScopes: [sources] },
    { scopes: [metrics] },
    { approvedScopes: [metrics], previousScopes: [] },
  ],
  ['adds limits', grant, { terms: { use: 'once' } }, { approvedTerms: onceArr }],
  [
    'keeps what an addition asks for',
    widening,
    { terms: { use: 'once' } },
    { approvedTerms: onceArr, pendingTerms: { ...both, use: 'once' } },
  ],
  [
    'takes metrics and periods out of an addition, too',
    { ...grant, approvedTerms: both, pendingTerms: three },
    { terms: { ...only('arr'), ...january } },
    {
      approvedTerms: arrTerms(january),
      pendingTerms: arrTerms({ ...only('arr', 'mrr'), ...january }),
    },
  ],
  [
    'limits the metrics of an addition that asks only for another use',
    { ...grant, approvedTerms: { ...noLimits, use: 'once' }, pendingTerms: noLimits },
    { terms: only('arr') },
    { approvedTerms: onceArr, pendingTerms: arrTerms() },
  ],
  ['keeps the first read', used, { scopes: [metrics] }, { approvedScopes: [metrics] }],
])('a narrowing %s', (_what, request, input, changes) => {
  const common = { ...event('narrowed'), decidedAt: now };
  expectChanges(request, narrow(input), { ...common, ...changes });
});

test.each<[what: string, AccessRequest, ReturnType<typeof amend>, changes: Changes]>([
  ['adds terms to a grant', grant, amend(arrTerms(only('cash'))), { pendingTerms: both }],
  ['joins waiting terms', widening, amend(arrTerms(only('mrr'))), { pendingTerms: three }],
  [
    'leaves the members that it doesn’t contain, and lifts a limit with null',
    { ...grant, approvedTerms: arrTerms({ historyFrom: '2026-01-01' }) },
    amend({ metricKeys: null }),
    { pendingTerms: { use: 'ongoing', metricKeys: null, historyFrom: '2026-01-01' } },
  ],
  ['can ask for no limits', grant, amend(noLimits), { pendingTerms: noLimits }],
  [
    'within the terms adds only scopes',
    grant,
    amend(onceArr, { scopes: [accounts] }),
    { pendingScopes: [accounts] },
  ],
  ['widens a pending request', pending, amend(noLimits), { requestedTerms: null }],
  ['can leave the terms', pending, amend(undefined, { purpose: 'New' }), { purpose: 'New' }],
])('an amendment %s, and drops the first approval', (_what, request, action, changes) => {
  const common = { ...event('amended'), amendments: 1, approvals: [] };
  expectChanges({ ...request, approvals }, action, { ...common, ...changes });
});

const noGrant = { expiringAt: null, pausedAt: null, reviewAt: null };
test.each<[what: string, AccessRequest, AccessRequestAction, changes: Changes]>([
  [
    'a first approval leaves a request pending',
    pending,
    confirm,
    { ...event('approval_added'), approvals },
  ],
  [
    'a first approval leaves an addition',
    widening,
    confirm,
    { ...event('approval_added'), approvals },
  ],
  [
    'a decline leaves the grant',
    { ...widening, approvals },
    decline,
    { ...event('amendment_declined'), ...answered, additionDeclined: true, approvals: [] },
  ],
  [
    'an end drops what only a grant has',
    { ...widening, pausedAt: now, reviewAt: end },
    { type: 'revoke', reason: null },
    { ...event('revoked'), ...answered, ...noGrant, status: 'revoked' },
  ],
  ['a pause stores its time', grant, { type: 'pause' }, { ...event('paused'), pausedAt: now }],
  ['a second pause keeps the time', paused, { type: 'pause' }, event('paused')],
  ['a pause ends', paused, { type: 'resume' }, { ...event('resumed'), pausedAt: null }],
  [
    'the first read ends the grant a day later',
    { ...grant, reviewAt: end },
    { type: 'startUse' },
    { ...event('first_read'), ...ending(later(day, now)), firstReadAt: now, reviewAt: null },
  ],
  [
    'the first read keeps an earlier end',
    { ...grant, ...ending(later(1, now)) },
    { type: 'startUse' },
    { ...event('first_read'), firstReadAt: now },
  ],
  [
    'an extension is a review',
    open,
    { type: 'extend', expiresAt: later(99 * day) },
    {
      ...event('extended'),
      ...ending(later(99 * day)),
      expiringAt: later(92 * day),
      decidedAt: now,
      reviewAt: null,
    },
  ],
])('%s', (_what, ...given) => expectChanges(...given));

describe('the review of a grant', () => {
  test.each([
    ['after 90 days if the company chose no end', false, 365, later(90 * day, now)],
    ['never if the company chose the end', true, 365, null],
    ['never if the notice of the end comes first', false, 97, null],
    ['one day before the notice of the end', false, 98, later(90 * day, now)],
  ])('is due %s', (_when, isEndChosen, days, reviewAt) => {
    const approval = approve({ isEndChosen, expiresAt: later(days * day, now) });
    expect(transition(pending, approval, now).reviewAt).toEqual(reviewAt);
  });

  test('is announced once, when the review is due', async () => {
    const due = later(91 * day);
    const long = { ...open, ...ending(later(365 * day)) };
    const review = (request: AccessRequest, at: Date) =>
      transition(request, { type: 'review' }, at);
    expect(review(long, due)).toEqual({ ...long, ...event('review_due'), reviewAt: null });
    for (const [request, at] of [
      [long, later(-1, due)],
      [review(long, due), due],
      [open, end],
    ] as const) {
      await expectRefusal(() => review(request, at), 'illegal_transition');
    }
  });
});

const terms = { param: 'terms' };
const fromTheSecond = { ...pending, requestedTerms: { ...noLimits, historyFrom: '2026-01-02' } };
test.each<[what: string, AccessRequest, named: object, details: object]>([
  ['another metric', pending, { terms: only('mrr') }, terms],
  ['every metric', pending, { terms: noLimits }, terms],
  ['longer use', { ...pending, requestedTerms: onceArr }, { terms: { use: 'ongoing' } }, terms],
  ['an earlier period', fromTheSecond, { terms: { historyFrom: '2026-01-01' } }, terms],
  ['a third metric', widening, { terms: only('arr', 'mrr') }, terms],
  ['more than added scopes', { ...grant, pendingScopes: [accounts] }, { terms: both }, terms],
  ['no scope', widening, { scopes: [] }, { param: 'scopes', allowed: [] }],
])('an approval of %s is refused', async (_what, request, named, details) => {
  const attempt = () => transition(request, approve(named), now);
  expect((await expectRefusal(attempt, 'invalid_decision')).details).toEqual(details);
});

const scopes = { param: 'scopes', allowed: [metrics, sources] };
test.each<[what: string, input: object, details: object]>([
  ['another metric', { terms: only('mrr') }, terms],
  ['no limits', { terms: noLimits }, terms],
  ['added terms that wait', { terms: both }, terms],
  ['another scope', { scopes: [metrics, accounts] }, scopes],
  ['no scope', { scopes: [] }, scopes],
])('a narrowing to %s is refused', async (_what, input, details) => {
  const attempt = () => transition(widening, narrow(input), now);
  expect((await expectRefusal(attempt, 'invalid_decision')).details).toEqual(details);
});

test.each([pending, grant])(
  'terms can’t grow beyond 200 metrics by amendments of %j',
  async (request) => {
    const keys = Array.from({ length: maxTermKeys }, (_, index) => `k${index}`);
    const attempt = () => transition(request, amend(arrTerms(only(...keys))), now);
    const { details } = await expectRefusal(attempt, 'invalid_parameter', 'at most 200 metrics');
    expect(details).toEqual(terms);
  },
);

describe('a grant in its 24 hours of one use', () => {
  const lastEnd = later(2.5 * day);
  const inUse = { ...used, ...ending(later(1, now)), firstReadAt: later(1.5 * day) };
  const addition = { ...inUse, pendingTerms: both };
  const onceAgain = { terms: { use: 'once' as const } };

  test('can be extended or approved again until the end of the 24 hours', () => {
    const last = { expiresAt: lastEnd };
    const { deadlineAt } = transition(inUse, { type: 'extend', ...last }, now);
    expect(deadlineAt).toEqual(last.expiresAt);
    expect(transition(addition, approve({ ...onceAgain, ...last }), now)).toMatchObject(last);
  });

  test.each<[string, AccessRequest, (late: { expiresAt: Date }) => AccessRequestAction]>([
    ['extended', inUse, (late) => ({ type: 'extend', ...late })],
    ['approved again', addition, (late) => approve({ ...onceAgain, ...late })],
  ])('can’t be %s beyond the 24 hours', async (_how, request, action) => {
    const attempt = () => transition(request, action({ expiresAt: later(1, lastEnd) }), now);
    const { details } = await expectRefusal(attempt, 'invalid_decision', 'one use');
    expect(details).toEqual({ param: 'expiresAt' });
  });
});

const someScopes = fc.option(fc.subarray([...grantableScopes]), { nil: undefined });
const someTerms = fc.option(
  fc.record(
    {
      use: fc.constantFrom('ongoing' as const, 'once' as const),
      metricKeys: fc.subarray(termKeys, { minLength: 1 }),
      historyFrom: fc.constantFrom(...termPeriods),
    },
    { requiredKeys: [] },
  ),
  { nil: undefined },
);
const expiresAt = fc.integer({ min: 3, max: 400 }).map((days) => later(days * day));
const purpose = fc.option(fc.constant('Why'));
const newTerms = fc.option(anyTerms, { nil: undefined });
const act = (type: string, model: Readonly<Record<string, fc.Arbitrary<unknown>>>) =>
  fc.record({ type: fc.constant(type), ...model }) as fc.Arbitrary<AccessRequestAction>;
const simpleActs = (['pause', 'resume', 'startUse', 'review'] as const).map((type) => ({ type }));
const anyAction: fc.Arbitrary<AccessRequestAction> = fc.oneof(
  { weight: 4, arbitrary: act('approve', { scopes: someScopes, terms: someTerms, expiresAt }) },
  {
    weight: 4,
    arbitrary: act('amend', {
      scopes: fc.subarray([...grantableScopes]),
      terms: newTerms,
      purpose,
    }),
  },
  { weight: 3, arbitrary: act('narrow', { scopes: someScopes, terms: someTerms }) },
  { weight: 1, arbitrary: act('extend', { expiresAt }) },
  fc.constantFrom<AccessRequestAction>(
    confirm,
    decline,
    { type: 'revoke', reason: null },
    ...simpleActs,
  ),
);

function perform(request: AccessRequest, action: AccessRequestAction): AccessRequest | null {
  try {
    const isDone = changesNothing(request, action as RepeatableAction, now);
    return action.type !== 'withdraw' && isDone ? null : transition(request, action, now);
  } catch (error) {
    if (!(error instanceof AccessError)) throw error;
    return null;
  }
}

test('no sequence of actions grants more than the investor requested, and only an approval widens a grant', () => {
  fc.assert(
    fc.property(anyTerms, fc.array(anyAction, { maxLength: 20 }), (requestedTerms, story) => {
      let request: AccessRequest = pendingRequest({ requestedTerms });
      let asked = requestedTerms;
      for (const action of story) {
        const after = perform(request, action);
        if (after === null) continue;
        if (action.type === 'amend' && action.terms !== undefined) {
          asked = uniteTerms(asked, fillTerms(action.terms, coveringTerms(request)));
        }
        const isApproval = action.type === 'approve';
        const terms = isApproval ? coveringTerms(request) : request.approvedTerms;
        const scopes = isApproval ? allRequestedScopes(request) : request.approvedScopes;
        expect(isWithinTerms(after.approvedTerms, terms)).toBe(true);
        expect(isSubset(after.approvedScopes, scopes)).toBe(true);
        if (after.status === 'approved') {
          expect(isWithinTerms(after.approvedTerms, asked)).toBe(true);
          expect(isWithinTerms(coveringTerms(after), asked)).toBe(true);
        }
        const canLengthen = isApproval || action.type === 'extend';
        if (!canLengthen) expect(after.deadlineAt <= request.deadlineAt).toBe(true);
        const lastEnd = after.status === 'approved' ? endOfUse(after) : null;
        if (lastEnd !== null) expect(after.deadlineAt <= lastEnd).toBe(true);
        expectWhole(after);
        request = after;
      }
    }),
    { numRuns: 2000 },
  );
});

/** The same rules as the constraints of the table. */
function expectWhole(request: AccessRequest) {
  const { status, approvedScopes, previousScopes, pendingScopes, pendingTerms } = request;
  const isAmended = pendingScopes.length > 0 || pendingTerms !== null;
  expect(isSubset(previousScopes, approvedScopes)).toBe(true);
  expect(pendingScopes.some((scope) => approvedScopes.includes(scope))).toBe(false);
  if (status !== 'approved') {
    const { expiringAt, reviewAt, pausedAt } = request;
    expect([isAmended, expiringAt, reviewAt, pausedAt]).toEqual([false, null, null, null]);
  } else expect(approvedScopes).not.toEqual([]);
  if (!isAmended) expect(request.pendingPurpose).toBeNull();
  if (pendingTerms !== null) expect(isWithinTerms(pendingTerms, request.approvedTerms)).toBe(false);
  if (request.additionDeclined) expect([status, isAmended]).toEqual(['approved', false]);
}
