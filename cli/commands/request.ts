import type { Command } from 'commander';
import type { AccessRequest, AccessRequestStatus, Scope } from '#core';
import { presentAccessRequest } from '#rest-adapter';
import { type Answer, answering, listOf } from '../answer.ts';
import type { Host } from '../host.ts';
import { addCommand, statusOption } from '../options.ts';
import { type Column, renderTable, shorten } from '../table.ts';
import { parseInstant, parseScopes } from '../values.ts';

const purposeWidth = 40;

const columns: readonly Column<AccessRequest>[] = [
  ['ID', ({ id }) => id],
  ['INVESTOR', ({ investorId }) => investorId],
  ['COMPANY', ({ companyId }) => companyId],
  ['STATUS', ({ status }) => status],
  ['REQUESTED', ({ requestedScopes }) => requestedScopes.join(',')],
  ['APPROVED', ({ approvedScopes }) => approvedScopes.join(',') || null],
  ['EXPIRES', ({ expiresAt }) => expiresAt?.toISOString() ?? null],
  ['CREATED', ({ createdAt }) => createdAt.toISOString()],
  ['PURPOSE', ({ purpose }) => (purpose === null ? null : shorten(purpose, purposeWidth))],
];

export function addRequestCommands(program: Command, host: Host): void {
  const group = program
    .command('request')
    .description('access requests, as the companies see and answer them');
  addList(group, host);
  addApprove(group, host);
  addDecline(group, host);
  addRevoke(group, host);
}

function addList(group: Command, host: Host): void {
  addCommand(group, {
    name: 'list',
    description: 'list access requests, newest first',
    examples: [
      'portfolio-access request list --status pending',
      'portfolio-access request list --company co_harbor --json',
    ],
  })
    .option('--company <id>', 'only the requests to this company')
    .addOption(statusOption())
    .action(
      answering(
        host,
        async (
          { operatorUseCases },
          { company: companyId, status }: { company?: string; status?: AccessRequestStatus },
        ) => {
          const requests = await operatorUseCases.listCompanyAccessRequests({ companyId, status });
          return {
            json: listOf(requests.map(presentAccessRequest)),
            text: renderTable(columns, requests, 'No access requests.'),
          };
        },
      ),
    );
}

function addApprove(group: Command, host: Host): void {
  addCommand(group, {
    name: 'approve',
    description: 'grant what was requested, or a part of it',
    examples: [
      'portfolio-access request approve ar_0198c5c1',
      'portfolio-access request approve ar_0198c5c1 --scopes metrics:read --expires-at 2027-01-31',
    ],
  })
    .argument('<id>', 'id of the access request')
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
    .action(
      answering(
        host,
        async ({ operatorUseCases }, id: string, options: { scopes?: Scope[]; expiresAt?: Date }) =>
          show(await operatorUseCases.approveAccessRequest(id, options)),
      ),
    );
}

function addDecline(group: Command, host: Host): void {
  addCommand(group, {
    name: 'decline',
    description: 'refuse a pending request, for good',
    examples: ['portfolio-access request decline ar_0198c5c1 --reason "Not before the audit."'],
  })
    .argument('<id>', 'id of the access request')
    .option('--reason <text>', 'why, in the words of the company')
    .action(
      answering(host, async ({ operatorUseCases }, id: string, options: { reason?: string }) =>
        show(await operatorUseCases.declineAccessRequest(id, options.reason)),
      ),
    );
}

function addRevoke(group: Command, host: Host): void {
  addCommand(group, {
    name: 'revoke',
    description: 'take a grant back: every read from now on is refused',
    examples: ['portfolio-access request revoke ar_0198c5c1 --reason "The round is over."'],
  })
    .argument('<id>', 'id of the access request')
    .option('--reason <text>', 'why, in the words of the company')
    .action(
      answering(host, async ({ operatorUseCases }, id: string, options: { reason?: string }) =>
        show(await operatorUseCases.revokeAccessRequest(id, options.reason)),
      ),
    );
}

function show(request: AccessRequest): Answer {
  return { json: presentAccessRequest(request), text: renderTable(columns, [request], '') };
}
