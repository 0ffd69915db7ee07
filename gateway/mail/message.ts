import { linkMinutes, type Mail, type SignInMail } from '#core';
import { writeNotice } from './content.ts';
import { writeInvitation } from './invitation.ts';
import { type MailLinks, signInUrl } from './links.ts';
import type { OutgoingMail } from './mailer.ts';
import { type Block, renderHtml, renderText } from './render.ts';
import { writeSettingsNotice } from './settings-notice.ts';

/** The mail as it is sent: the same, however often it is asked for. */
export function createMessage(mail: Mail, links: MailLinks): OutgoingMail {
  const { subject, blocks } =
    mail.event !== null
      ? writeNotice(mail, links)
      : mail.kind === 'settings_changed'
        ? writeSettingsNotice(mail, links)
        : writeInvitation(mail, links);
  const occasion = mail.event === null ? mail.id : mail.event.id;
  return toMail(mail.to, subject, blocks, `${occasion}.${mail.contactId ?? mail.kind}`);
}

/** @param desk where the desk is */
export function createSignInMessage(
  { id, attempts, email, token }: SignInMail,
  desk: string,
): OutgoingMail {
  const blocks: Block[] = [
    {
      text: 'Somebody, probably you, asked to sign in with this address. Press the button here, and the one on the page that opens.',
    },
    { button: 'Sign in', to: signInUrl(desk, token) },
    { text: `The link is valid for ${linkMinutes} minutes and works once.` },
    { note: 'If it was not you who asked for it, do nothing: without this link nobody gets in.' },
  ];
  // Another attempt carries another link, so it is another mail.
  return toMail(email, 'Your link to sign in to Portfolio Access', blocks, `${id}.${attempts}`);
}

const toMail = (to: string, subject: string, blocks: readonly Block[], messageIdPart: string) => ({
  to,
  subject,
  text: renderText(blocks),
  html: renderHtml(subject, blocks),
  messageIdPart,
});
