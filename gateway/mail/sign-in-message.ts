import { linkMinutes, type SignInMail } from '#core';
import { signInUrl } from './links.ts';
import type { OutgoingMail } from './mailer.ts';
import { type Block, renderHtml, renderText } from './render.ts';

const subject = 'Your link to sign in to Portfolio Access';

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
    subject,
    text: renderText(blocks),
    html: renderHtml(subject, blocks),
    // Another attempt carries another link, so it is another mail.
    messageIdPart: `${id}.${attempts}`,
  };
}
