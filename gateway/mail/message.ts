import { linkMinutes, type SignInMail, type WrittenMail } from '#core';
import { writeNotice } from './content.ts';
import { writeInvitation } from './invitation.ts';
import { type Letter, type MailContent, writeMail } from './letter.ts';
import { type MailLinks, signInUrl } from './links.ts';
import type { OutgoingMail } from './mailer.ts';
import { writeNews } from './news.ts';
import { renderHtml, renderText } from './render.ts';
import { writeSettingsNotice } from './settings-notice.ts';

/** Returns the mail for an event or a setting. Repeated calls return the same mail. */
export function createMessage(mail: WrittenMail, links: MailLinks): OutgoingMail {
  const content = writeMail(mail, links, writerOf(mail));
  const occasion = mail.event === null ? mail.id : mail.event.id;
  return toMail(mail.to, content, `${occasion}.${mail.contactId ?? mail.kind}`);
}

function writerOf(mail: WrittenMail): (letter: Letter) => MailContent {
  if (mail.event !== null) return writeNotice(mail);
  switch (mail.kind) {
    case 'settings_changed':
      return writeSettingsNotice(mail);
    case 'contact_invited':
      return writeInvitation(mail);
    default:
      return writeNews(mail);
  }
}

export function createSignInMessage(
  { id, attempts, email, token, language }: SignInMail,
  desk: string,
): OutgoingMail {
  const reader = { language, timeZone: null };
  const content = writeMail(reader, { docs: null, desk }, ({ words: { signIn: words } }) => ({
    subject: words.subject,
    blocks: [
      { text: words.text },
      { button: words.button, to: signInUrl(desk, token) },
      { text: words.valid(linkMinutes) },
      { note: words.note },
    ],
  }));
  // Each attempt contains a new link, so each attempt needs a new message ID.
  return toMail(email, content, `${id}.${attempts}`);
}

const toMail = (
  to: string,
  { subject, blocks, language }: ReturnType<typeof writeMail>,
  messageIdPart: string,
) => ({
  to,
  subject,
  text: renderText(blocks),
  html: renderHtml(subject, blocks, language),
  messageIdPart,
});
