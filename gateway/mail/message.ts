import { linkMinutes, type Mail, type SignInMail } from '#core';
import { writeMail } from './content.ts';
import { type MailLinks, signInUrl } from './links.ts';
import type { OutgoingMail } from './mailer.ts';
import { type Block, renderHtml, renderText } from './render.ts';

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

const signInSubject = 'Your link to sign in to Portfolio Access';

/** @param desk where the desk is */
export function createSignInMessage(
  { id, attempts, email, token }: SignInMail,
  desk: string,
): OutgoingMail {
  const blocks: Block[] = [
    { text: 'To sign in, open this link and press the button there:' },
    { link: signInUrl(desk, token) },
    { text: `It is valid for ${linkMinutes} minutes and works once.` },
    { text: 'If it was not you who asked for it, do nothing: without this link nobody gets in.' },
  ];
  return {
    to: email,
    subject: signInSubject,
    text: renderText(blocks),
    html: renderHtml(signInSubject, blocks),
    // Another attempt carries another link, so it is another mail.
    messageIdPart: `${id}.${attempts}`,
  };
}
