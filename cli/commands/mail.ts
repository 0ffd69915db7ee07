import { defaultMailCount, isNewsMail, type Mail, mailStates } from '#core';
import { type MailLinks, mailLinks } from '../../gateway/mail/links.ts';
import { createMessage } from '../../gateway/mail/message.ts';
import { command, group } from '../command.ts';
import { oneOf, parseCount, withDefault } from '../options.ts';
import { shorten } from '../table.ts';
import { showAll, view } from '../view.ts';

const failureWidth = 60;

const ownerOf = (mail: Mail): { readonly companyId?: string; readonly investorId?: string } =>
  mail.event === null ? mail.owner : { companyId: mail.event.accessRequest.companyId };

const mailView = (links: MailLinks) =>
  view({
    json(mail: Mail) {
      // A news mail has no text yet, because the service writes it only when it sends the mail.
      const { subject, text } = isNewsMail(mail)
        ? { subject: null, text: null }
        : createMessage(mail, links);
      return {
        id: mail.id,
        event_id: mail.event?.id ?? null,
        contact_id: mail.contactId,
        company_id: ownerOf(mail).companyId ?? null,
        investor_id: ownerOf(mail).investorId ?? null,
        access_request_id: mail.event?.accessRequest.id ?? null,
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
    },
    columns: {
      ID: 'id',
      STATE: 'state',
      KIND: 'kind',
      TO: 'to',
      REQUEST: 'access_request_id',
      CREATED: 'created_at',
      SENT: 'sent_at',
      ATTEMPTS: 'attempts',
      NEXT: 'next_attempt_at',
      FAILURE: ({ last_failure }) => last_failure && shorten(last_failure, failureWidth),
    },
    none: 'No mails.',
  });

export const commands = group(
  'mail',
  'mails to contacts',
  command('list', 'list mails, newest first; --json also shows their text', {
    examples: ['--state waiting', '--json'],
    parameters: {
      state: oneOf('--state <state>', 'only mails in this state', mailStates),
      limit: withDefault(
        '--limit <count>',
        'the maximum number of mails',
        parseCount,
        defaultMailCount,
      ),
    },
    async run({ operatorUseCases }, filter, { readConfig }) {
      const { mails, hasMore } = await operatorUseCases.listMails(filter);
      const more = 'There are older mails: show more with --limit.';
      return showAll(mailView(mailLinks(readConfig())), mails, { hasMore, more });
    },
  }),
);
