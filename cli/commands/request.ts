import {
  type AccessEvent,
  type AccessRequest,
  type AccessTerms,
  accessRequestStatuses,
  answerBy,
  findEndedAt,
  type OperatorUseCases,
  type ReceivedRequest,
  readOwnPayload,
  type Scope,
  type TermsInput,
} from '#core';
import { presentReceipt, presentRequestDetails, presentVersionedRequest } from '#rest-adapter';
import { describeCompleteness, type HeadPayload, type ReceiptPayload } from '#verify';
import type { Composition } from '../../gateway/compose.ts';
import { describeError, exitCodes } from '../../gateway/describe-error.ts';
import { escapeControls } from '../../gateway/logs/escape-controls.ts';
import { command, freeCommand, group } from '../command.ts';
import type { CliContext } from '../context.ts';
import {
  argument,
  argumentOf,
  flag,
  oneOf,
  optional,
  parseInstant,
  parseScopes,
  required,
} from '../options.ts';
import { CommandError, type CommandResult, write } from '../output.ts';
import { type Columns, followedBy, renderTable, shorten } from '../table.ts';
import { toList } from '../view.ts';

const purposeWidth = 40;

const columns: Columns<AccessRequest> = {
  ID: 'id',
  INVESTOR: 'investorId',
  COMPANY: 'companyId',
  STATUS: 'status',
  REQUESTED: 'requestedScopes',
  APPROVED: 'approvedScopes',
  PENDING: ({ pendingScopes, pendingTerms }) =>
    pendingTerms === null
      ? pendingScopes
      : [...pendingScopes, describeTerms(pendingTerms) || 'no limits'],
  TERMS: ({ approvedTerms, requestedTerms, status }) =>
    describeTerms(status === 'pending' ? requestedTerms : approvedTerms),
  PAUSED: ({ pausedAt }) => pausedAt?.toISOString(),
  EXPIRES: ({ expiresAt }) => expiresAt?.toISOString(),
  'ANSWER BY': (request) => answerBy(request)?.toISOString(),
  ENDED: (request) => findEndedAt(request)?.toISOString(),
  CREATED: ({ createdAt }) => createdAt.toISOString(),
  VERSION: 'version',
  PURPOSE: ({ purpose }) => purpose && shorten(purpose, purposeWidth),
};

const describeTerms = (terms: AccessTerms | null): string | undefined =>
  terms === null
    ? undefined
    : [
        terms.metricKeys?.join(', '),
        terms.historyFrom === null ? undefined : `from ${terms.historyFrom}`,
        terms.use === 'once' ? 'once' : undefined,
      ]
        .filter((part) => part !== undefined)
        .join('; ');

const historyColumns: Columns<AccessEvent> = {
  EVENT: 'type',
  AT: ({ createdAt }) => createdAt.toISOString(),
  BY: ({ actor }) => (actor.id === null ? actor.type : `${actor.type} ${actor.id}`),
  APPROVED: ({ accessRequest }) => accessRequest.approvedScopes,
  TERMS: ({ accessRequest }) => describeTerms(accessRequest.approvedTerms),
  EXPIRES: ({ accessRequest }) => accessRequest.expiresAt?.toISOString(),
  REASON: 'reason',
};

const receiptColumns: Columns<ReceiptPayload> = {
  ID: 'receipt_id',
  EVENT: 'event_type',
  ISSUED: 'issued_at',
  BY: ({ actor }) => actor.id ?? actor.type,
  STATUS: 'status',
  APPROVED: 'approved_scopes',
  TERMS: (payload) => describeTerms(termsOf(payload)),
  PAUSED: (payload) => (payload.v === 3 ? payload.paused_at : null),
  'APPROVED BY': (payload) =>
    payload.v === 3 ? payload.approvals.map(({ type, id }) => id ?? type) : null,
  'VALID UNTIL': 'valid_until',
};

function termsOf(payload: ReceiptPayload): AccessTerms | null {
  if (payload.v !== 3) return null;
  const terms = payload.status === 'pending' ? payload.requested_terms : payload.approved_terms;
  if (terms === null) return null;
  return { metricKeys: terms.metric_keys, historyFrom: terms.history_from, use: terms.use };
}

function describeHead(head: string): string {
  const { receipts, issued_at, awaits_signature } = readOwnPayload<HeadPayload>(head);
  const state = awaits_signature === true ? 'awaits_signature' : 'complete';
  const complete = describeCompleteness({ state, asOf: issued_at, later: 0 });
  return `${receipts} ${receipts === 1 ? 'receipt' : 'receipts'}, ${complete}`;
}

const waiting =
  'the receipt of the next change is not signed yet, so the list ends before it; sign --missing signs it\n';

const unsigned =
  'the receipt has no signature, because no signing key can be used: set SIGNING_KEY_FILE, then run sign --missing\n';

const id = argument('<id>', 'id of the access request');
const reason = optional('--reason <text>', 'the reason of the company');
const version = optional(
  '--seen <version>',
  'the VERSION of the request that you have read; required after the investor has changed the request',
);

const termsOptions = {
  metricKeys: optional(
    '--metrics <list>',
    'only these metrics, separated by commas; default: as requested or granted',
    (text) => text.split(','),
  ),
  historyFrom: optional('--from <date>', 'only periods from this date on, such as 2026-01-01'),
  once: flag('--once', 'the grant ends 24 hours after its first read'),
};

interface TermsOptions {
  readonly metricKeys: string[] | undefined;
  readonly historyFrom: string | undefined;
  readonly once: boolean | undefined;
}

const withTerms = <Args extends TermsOptions>({
  metricKeys,
  historyFrom,
  once,
  ...args
}: Args) => ({
  ...args,
  terms: { metricKeys, historyFrom, ...(once === true && { use: 'once' as const }) },
});

async function warnIfUnsigned(signer: Composition['signer'], stderr: CliContext['stderr']) {
  const key = await signer.current().catch(() => null);
  if (key === null) await write(stderr, unsigned);
}

const answer =
  <Args>(decide: (operator: OperatorUseCases, args: Args) => Promise<ReceivedRequest>) =>
  async (
    { operatorUseCases, signer }: Composition,
    args: Args,
    { stderr }: CliContext,
  ): Promise<CommandResult> => {
    const { accessRequest: request } = await decide(operatorUseCases, args);
    await warnIfUnsigned(signer, stderr);
    return { json: presentVersionedRequest(request), text: renderTable(columns, [request]) };
  };

interface Approval {
  readonly ids: readonly string[];
  readonly scopes: readonly Scope[] | undefined;
  readonly expiresAt: Date | undefined;
  readonly version: string | undefined;
  readonly terms: TermsInput;
}

/** Prints the approved access requests first. Then throws an error if others were rejected. */
async function approve(
  { operatorUseCases, signer }: Composition,
  { ids, ...decision }: Approval,
  { stderr }: Pick<CliContext, 'stderr'>,
  show: (result: CommandResult) => Promise<void>,
): Promise<void> {
  if (ids.length > 1 && decision.version !== undefined) {
    throw new CommandError('--seen works with one request only', exitCodes.usage);
  }
  const approved: AccessRequest[] = [];
  const refused: string[] = [];
  for (const id of new Set(ids)) {
    try {
      const { accessRequest } = await operatorUseCases.approveAccessRequest({ id, ...decision });
      approved.push(accessRequest);
    } catch (error) {
      if (ids.length === 1) throw error;
      refused.push(escapeControls(`${id}: ${describeError(error).message}`));
    }
  }
  const [first] = approved;
  if (first !== undefined) await warnIfUnsigned(signer, stderr);
  await show({
    json:
      ids.length === 1 && first !== undefined
        ? presentVersionedRequest(first)
        : toList(approved.map(presentVersionedRequest)),
    text: renderTable(columns, approved, 'No request was approved.'),
  });
  if (refused.length > 0) {
    await write(stderr, `${refused.join('\n')}\n`);
    throw new CommandError(
      `${refused.length} of ${approved.length + refused.length} requests were not approved`,
    );
  }
}

export const commands = group(
  'request',
  'access requests, listed and answered for companies',
  command('list', 'list access requests, newest first, at most 10,000', {
    examples: ['--status pending', '--company co_harbor --json'],
    parameters: {
      companyId: optional('--company <id>', 'only the requests to this company'),
      status: oneOf('--status <status>', 'only requests with this status', accessRequestStatuses),
    },
    async run({ operatorUseCases }, filter) {
      const requests = await operatorUseCases.listCompanyAccessRequests(filter);
      return {
        json: toList(requests.map(presentVersionedRequest)),
        text: renderTable(columns, requests, 'No access requests.'),
      };
    },
  }),
  command('show', 'show an access request with its history', {
    examples: ['ar_0198c5c1 --json'],
    parameters: { id },
    async run({ operatorUseCases }, args) {
      const details = await operatorUseCases.showAccessRequest(args);
      const history = renderTable(historyColumns, details.history);
      return {
        json: presentRequestDetails(details),
        text: followedBy(renderTable(columns, [details.accessRequest]), followedBy('', history)),
      };
    },
  }),
  command('receipts', 'list the signed receipts of an access request, oldest first', {
    examples: ['ar_0198c5c1', 'ar_0198c5c1 --json > receipts.json'],
    parameters: { id },
    async run({ operatorUseCases }, args, { stderr }) {
      const { items, awaitsSignature, head } = await operatorUseCases.listReceipts(args);
      if (awaitsSignature) await write(stderr, waiting);
      const payloads = items.map(({ jws }) => readOwnPayload<ReceiptPayload>(jws));
      const table = renderTable(receiptColumns, payloads, 'No signed receipts.');
      return {
        json: { ...toList(items.map(presentReceipt)), ...(head !== null && { head }) },
        text: followedBy(
          table,
          head === null ? '' : `Signed by the service: ${describeHead(head)}`,
        ),
      };
    },
  }),
  freeCommand('approve', 'approve a request or an addition, completely or in part', {
    examples: [
      'ar_0198c5c1',
      'ar_0198c5c1 --scopes metrics:read --expires-at 2027-01-31',
      'ar_0198c5c1 --metrics arr,cash_balance --from 2026-01-01',
      'ar_0198c5c1 --seen ver_0198c5c3',
      'ar_0198c5c1 ar_0198c5c2 ar_0198c5c3',
    ],
    explanation:
      '\nSeveral requests are approved one by one. If one is refused, the command names it and approves the others.',
    parameters: {
      ids: argumentOf<readonly string[]>('<ids...>', 'ids of the access requests'),
      scopes: optional(
        '--scopes <list>',
        'the scopes to approve, separated by commas; default: all',
        parseScopes,
      ),
      expiresAt: optional(
        '--expires-at <when>',
        'end of the grant: a date (its start in UTC) or an RFC 3339 time',
        parseInstant,
      ),
      ...termsOptions,
      version,
    },
    act: (args, context, show) =>
      context.withComposition((composition) =>
        approve(composition, withTerms(args), context, show),
      ),
  }),
  command('narrow', 'take scopes, metrics or periods out of a grant, for every later read', {
    examples: ['ar_0198c5c1 --metrics arr,cash_balance', 'ar_0198c5c1 --from 2026-01-01'],
    parameters: {
      id,
      scopes: optional(
        '--scopes <list>',
        'the scopes that remain, separated by commas',
        parseScopes,
      ),
      ...termsOptions,
      version,
    },
    run: answer((operator, args) => operator.narrowAccessRequest(withTerms(args))),
  }),
  command('pause', 'refuse every later read under a grant, until it is resumed', {
    examples: ['ar_0198c5c1'],
    parameters: { id },
    run: answer((operator, args) => operator.pauseAccessRequest(args)),
  }),
  command('resume', 'allow reads under a paused grant again', {
    examples: ['ar_0198c5c1'],
    parameters: { id },
    run: answer((operator, args) => operator.resumeAccessRequest(args)),
  }),
  command('extend', 'change the end of a grant to a later time', {
    examples: ['ar_0198c5c1 --expires-at 2027-06-30'],
    parameters: {
      id,
      expiresAt: required(
        '--expires-at <when>',
        'the new end, later than the old one: a date (its start in UTC) or an RFC 3339 time',
        parseInstant,
      ),
      version,
    },
    run: answer((operator, args) => operator.extendAccessRequest(args)),
  }),
  command('decline', 'decline a pending request, or an addition to a grant', {
    examples: ['ar_0198c5c1 --reason "Not before the audit."'],
    parameters: { id, reason, version },
    run: answer((operator, args) => operator.declineAccessRequest(args)),
  }),
  command('revoke', 'revoke a grant: every later read is refused', {
    examples: ['ar_0198c5c1 --reason "The round is over."'],
    parameters: { id, reason },
    run: answer((operator, args) => operator.revokeAccessRequest(args)),
  }),
);
