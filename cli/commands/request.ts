import type { Command } from 'commander';
import {
  type AccessEvent,
  type AccessRequest,
  type AccessRequestStatus,
  type OperatorUseCases,
  type ReceivedRequest,
  readOwnPayload,
  type Scope,
} from '#core';
import { presentReceipt, presentRequestDetails, presentVersionedRequest } from '#rest-adapter';
import { describeCompleteness, type HeadPayload, type ReceiptPayload } from '#verify';
import type { Composition } from '../../gateway/compose.ts';
import type { CliContext } from '../context.ts';
import { addCommand, parseInstant, parseScopes, statusOption } from '../options.ts';
import { action, type CommandResult, toList, write } from '../output.ts';
import { type Column, followedBy, renderTable, shorten } from '../table.ts';

const purposeWidth = 40;

const columns: readonly Column<AccessRequest>[] = [
  ['ID', ({ id }) => id],
  ['INVESTOR', ({ investorId }) => investorId],
  ['COMPANY', ({ companyId }) => companyId],
  ['STATUS', ({ status }) => status],
  ['REQUESTED', ({ requestedScopes }) => requestedScopes.join(',')],
  ['APPROVED', ({ approvedScopes }) => approvedScopes.join(',') || null],
  ['PENDING', ({ pendingScopes }) => pendingScopes.join(',') || null],
  ['EXPIRES', ({ expiresAt }) => expiresAt?.toISOString() ?? null],
  ['CREATED', ({ createdAt }) => createdAt.toISOString()],
  ['VERSION', ({ version }) => version],
  ['PURPOSE', ({ purpose }) => (purpose === null ? null : shorten(purpose, purposeWidth))],
];

const seenOption = [
  '--seen <version>',
  'the VERSION of the request that you have read; needed once the investor has changed what it asks for',
] as const;

const historyColumns: readonly Column<AccessEvent>[] = [
  ['EVENT', ({ type }) => type],
  ['AT', ({ createdAt }) => createdAt.toISOString()],
  ['BY', ({ actor }) => (actor.id === null ? actor.type : `${actor.type} ${actor.id}`)],
  ['APPROVED', ({ accessRequest }) => accessRequest.approvedScopes.join(',') || null],
  ['EXPIRES', ({ accessRequest }) => accessRequest.expiresAt?.toISOString() ?? null],
  ['REASON', ({ reason }) => reason],
];

function describeHead(head: string): string {
  const { receipts, issued_at, awaits_signature } = readOwnPayload<HeadPayload>(head);
  const state = awaits_signature === true ? 'awaits_signature' : 'complete';
  const complete = describeCompleteness({ state, asOf: issued_at, later: 0 });
  return `${receipts} ${receipts === 1 ? 'receipt' : 'receipts'}, ${complete}`;
}

const receiptColumns: readonly Column<ReceiptPayload>[] = [
  ['ID', ({ receipt_id }) => receipt_id],
  ['EVENT', ({ event_type }) => event_type],
  ['ISSUED', ({ issued_at }) => issued_at],
  ['BY', ({ actor }) => actor.id ?? actor.type],
  ['STATUS', ({ status }) => status],
  ['APPROVED', ({ approved_scopes }) => approved_scopes.join(',') || null],
  ['VALID UNTIL', ({ valid_until }) => valid_until],
];

interface ListOptions {
  readonly company?: string;
  readonly status?: AccessRequestStatus;
}

interface ApproveOptions {
  readonly scopes?: Scope[];
  readonly expiresAt?: Date;
  readonly seen?: string;
}

interface ExtendOptions {
  readonly expiresAt: Date;
  readonly seen?: string;
}

export function addRequestCommands(program: Command, context: CliContext): void {
  const answer = createAnswer(context);
  const group = program
    .command('request')
    .description('access requests, as the companies see and answer them');

  addCommand(group, 'list', 'list access requests, newest first, at most 10,000', [
    '--status pending',
    '--company co_harbor --json',
  ])
    .option('--company <id>', 'only the requests to this company')
    .addOption(statusOption())
    .action(
      action(context, async ({ operatorUseCases }, { company, status }: ListOptions) => {
        const query = { companyId: company, status };
        const requests = await operatorUseCases.listCompanyAccessRequests(query);
        return {
          json: toList(requests.map(presentVersionedRequest)),
          text: renderTable(columns, requests, 'No access requests.'),
        };
      }),
    );

  addAnswer(group, 'show', 'show an access request with everything that happened to it', [
    'ar_0198c5c1 --json',
  ]).action(
    action(context, async ({ operatorUseCases }, id: string) => {
      const details = await operatorUseCases.showAccessRequest({ id });
      const { accessRequest, history } = details;
      return {
        json: presentRequestDetails(details),
        text: followedBy(
          renderTable(columns, [accessRequest]),
          followedBy(() => '', renderTable(historyColumns, history)),
        ),
      };
    }),
  );

  addAnswer(group, 'receipts', 'list the signed receipts of an access request, oldest first', [
    'ar_0198c5c1',
    'ar_0198c5c1 --json > receipts.json',
  ]).action(
    action(context, async ({ operatorUseCases }, id: string) => {
      const {
        items: receipts,
        awaitsSignature,
        head,
      } = await operatorUseCases.listReceipts({ id });
      if (awaitsSignature) await write(context.stderr, waiting);
      return {
        json: { ...toList(receipts.map(presentReceipt)), ...(head !== null && { head }) },
        text: followedBy(
          renderTable(
            receiptColumns,
            receipts.map(({ jws }) => readOwnPayload<ReceiptPayload>(jws)),
            'No signed receipts.',
          ),
          () => (head === null ? '' : `Signed by the service: ${describeHead(head)}`),
        ),
      };
    }),
  );

  addAnswer(
    group,
    'approve',
    'grant what was requested or is asked for in addition, or a part of it',
    [
      'ar_0198c5c1',
      'ar_0198c5c1 --scopes metrics:read --expires-at 2027-01-31',
      'ar_0198c5c1 --seen ver_0198c5c3',
    ],
  )
    .option(
      '--scopes <list>',
      'the part that is granted, separated by commas; all when absent',
      parseScopes,
    )
    .option(
      '--expires-at <when>',
      'end of the grant: a day (its start in UTC) or an RFC 3339 instant',
      parseInstant,
    )
    .option(...seenOption)
    .action(
      action(
        context,
        (composition, id: string, { scopes, expiresAt, seen: version }: ApproveOptions) =>
          answer(composition, (operator) =>
            operator.approveAccessRequest({ id, version, scopes, expiresAt }),
          ),
      ),
    );

  addExtension(group, context);

  const reason = ['--reason <text>', 'why, in the words of the company'] as const;

  addAnswer(group, 'decline', 'refuse a pending request for good, or an addition to a grant', [
    'ar_0198c5c1 --reason "Not before the audit."',
  ])
    .option(...reason)
    .option(...seenOption)
    .action(
      action(context, (composition, id: string, options: { reason?: string; seen?: string }) =>
        answer(composition, (operator) =>
          operator.declineAccessRequest({ id, reason: options.reason, version: options.seen }),
        ),
      ),
    );

  addAnswer(group, 'revoke', 'take a grant back: every read from now on is refused', [
    'ar_0198c5c1 --reason "The round is over."',
  ])
    .option(...reason)
    .action(
      action(context, (composition, id: string, options: { reason?: string }) =>
        answer(composition, (operator) =>
          operator.revokeAccessRequest({ id, reason: options.reason }),
        ),
      ),
    );
}

function addExtension(group: Command, context: CliContext): void {
  const answer = createAnswer(context);
  addAnswer(group, 'extend', 'let a grant end later', ['ar_0198c5c1 --expires-at 2027-06-30'])
    .requiredOption(
      '--expires-at <when>',
      'the new end, later than the old one: a day (its start in UTC) or an RFC 3339 instant',
      parseInstant,
    )
    .option(...seenOption)
    .action(
      action(context, (composition, id: string, { expiresAt, seen }: ExtendOptions) =>
        answer(composition, (operator) =>
          operator.extendAccessRequest({ id, expiresAt, version: seen }),
        ),
      ),
    );
}

function addAnswer(
  group: Command,
  name: string,
  description: string,
  examples: readonly string[],
): Command {
  return addCommand(group, name, description, examples).argument(
    '<id>',
    'id of the access request',
  );
}

const waiting =
  'the receipt of the next change is not signed yet, so it and all after it are not shown; sign --missing signs it\n';

const unsigned =
  'the receipt has no signature, because there is no signing key that can be used; once SIGNING_KEY_FILE names one, sign --missing signs it\n';

const createAnswer =
  ({ stderr }: CliContext) =>
  async (
    { operatorUseCases, signer }: Composition,
    decide: (operator: OperatorUseCases) => Promise<ReceivedRequest>,
  ): Promise<CommandResult> => {
    const { accessRequest: request } = await decide(operatorUseCases);
    const key = await signer.current().catch(() => null);
    if (key === null) await write(stderr, unsigned);
    return { json: presentVersionedRequest(request), text: renderTable(columns, [request]) };
  };
