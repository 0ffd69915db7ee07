import { type Invitation, isRoleOf, maxNameLength } from '#core';
import { maxSubjectNameLength } from './content.ts';
import type { Letter, MailContent } from './letter.ts';
import { byLink } from './links.ts';
import type { Block } from './render.ts';
import { toOneLine } from './safe-text.ts';

const maxActorLength = 254;

/** The link has no token, so the mail alone isn't enough to sign in later. */
export const writeInvitation =
  ({ owner, name, change }: Pick<Invitation, 'owner' | 'name' | 'change'>) =>
  ({ words: { invitation: words, roles }, links: { desk, signIn } }: Letter): MailContent => {
    const line = toOneLine(name, maxNameLength);
    const actor = change.actor.name ?? change.actor.id;
    const by = actor === null ? null : toOneLine(actor, maxActorLength);
    const newRole = change.changes.role?.to;
    const role = typeof newRole === 'string' && isRoleOf(owner, newRole) ? roles[newRole] : null;
    const about = 'companyId' in owner ? words.ofCompany : words.ofInvestor;
    const way: Block[] =
      desk === null
        ? [{ text: words.noDesk }]
        : [{ text: wayToSignIn(words, signIn) }, { button: words.open, to: desk }];
    return {
      subject: words.subject(toOneLine(name, maxSubjectNameLength)),
      blocks: [
        { text: `${words.added(by, line, role)} ${about(line)}` },
        ...way,
        { note: words.note(line) },
      ],
    };
  };

/** Explains how to sign in. The desk's address follows in the mail. */
function wayToSignIn(
  words: Letter['words']['invitation'],
  { hasLinks, providerName }: NonNullable<Letter['links']['signIn']> = byLink,
): string {
  if (providerName === null) return words.byLink;
  return words.byProvider(toOneLine(providerName, maxNameLength), hasLinks);
}
