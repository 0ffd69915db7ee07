import type { Mail } from '#core';
import { writeMail } from './content.ts';
import type { MailLinks } from './links.ts';
import type { OutgoingMail } from './mailer.ts';
import { renderHtml, renderText } from './render.ts';

/** The mail as it is sent: the same, however often it is asked for. */
export function createMessage(mail: Mail, links: MailLinks): OutgoingMail {
  const { subject, blocks } = writeMail(mail, links);
  return {
    to: mail.to,
    subject,
    text: renderText(blocks),
    html: renderHtml(subject, blocks),
    messageIdPart: `${mail.event.id}.${mail.contactId}`,
  };
}
