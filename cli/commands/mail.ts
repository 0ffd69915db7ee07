import { type Command, Option } from 'commander';
import { defaultMailCount, type Mail, type MailState, mailStates } from '#core';
import { type MailLinks, mailLinks } from '../../gateway/mail/links.ts';
import { createMessage } from '../../gateway/mail/message.ts';
import type { CliContext } from '../context.ts';
import { addCommand, parseCount } from '../options.ts';
import { action, toList } from '../output.ts';
import { type Column, followedBy, renderTable, shorten } from '../table.ts';

const failureWidth = 60;

const columns: readonly Column<Mail>[] = [
  ['ID', ({ id }) => id],
  ['STATE', ({ state }) => state],
  ['KIND', ({ kind }) => kind],
  ['TO', ({ to }) => to],
  ['REQUEST', ({ event }) => event.accessRequest.id],
  ['CREATED', ({ createdAt }) => createdAt.toISOString()],
  ['SENT', ({ sentAt }) => sentAt?.toISOString() ?? null],
  ['ATTEMPTS', ({ attempts }) => String(attempts)],
  ['NEXT', ({ nextAttemptAt }) => nextAttemptAt?.toISOString() ?? null],
  [
    'FAILURE',
    ({ lastFailure }) => (lastFailure === null ? null : shorten(lastFailure, failureWidth)),
  ],
];

interface Options {
  readonly state?: MailState;
  readonly limit: number;
}

export function addMailCommands(program: Command, context: CliContext): void {
  const group = program.command('mail').description('the mails to the contacts of companies');
  addCommand(group, 'list', 'list mails, newest first; --json shows their text too', [
    '--state waiting',
    '--json',
  ])
    .addOption(new Option('--state <state>', 'only those in this state').choices(mailStates))
    .option('--limit <count>', 'at most so many, the newest', parseCount, defaultMailCount)
    .action(
      action(context, async ({ operatorUseCases }, { state, limit }: Options) => {
        const { mails, hasMore } = await operatorUseCases.listMails({ state, limit });
        const links = mailLinks(context.readConfig());
        const table = renderTable(columns, mails, 'No mails.');
        return {
          json: toList(
            mails.map((mail) => mailJson(mail, links)),
            hasMore,
          ),
          text: hasMore
            ? followedBy(table, 'There are older ones: show more with --limit.')
            : table,
        };
      }),
    );
}

/** With its text as the contact gets it. */
function mailJson(mail: Mail, links: MailLinks) {
  const { subject, text } = createMessage(mail, links);
  return {
    id: mail.id,
    event_id: mail.event.id,
    contact_id: mail.contactId,
    company_id: mail.event.accessRequest.companyId,
    access_request_id: mail.event.accessRequest.id,
    kind: mail.kind,
    to: mail.to,
    subject,
    text,
    state: mail.state,
    attempts: mail.attempts,
    next_attempt_at: mail.nextAttemptAt?.toISOString() ?? null,
    last_failure: mail.lastFailure,
    created_at: mail.createdAt.toISOString(),
    sent_at: mail.sentAt?.toISOString() ?? null,
  };
}
