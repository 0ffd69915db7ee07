import { type Invitation, isRoleOf, maxNameLength } from '#core';
import { maxSubjectNameLength, waysToSignIn } from './content.ts';
import type { Letter, MailContent } from './letter.ts';
import type { Block } from './render.ts';
import { toOneLine } from './safe-text.ts';

const maxActorLength = 254;

/** The link contains no token, so a person who gets a forwarded mail can't sign in with it. */
export const writeInvitation =
  ({ owner, name, change }: Pick<Invitation, 'owner' | 'name' | 'change'>) =>
  ({ words: { invitation: words, roles }, links }: Letter): MailContent => {
    const line = toOneLine(name, maxNameLength);
    const actor = change.actor.name ?? change.actor.id;
    const by = actor === null ? null : toOneLine(actor, maxActorLength);
    const newRole = change.changes.role?.to;
    const role = typeof newRole === 'string' && isRoleOf(owner, newRole) ? roles[newRole] : null;
    const about = 'companyId' in owner ? words.ofCompany : words.ofInvestor;
    const way: Block[] =
      links.desk === null
        ? [{ text: words.noDesk }]
        : [{ text: waysToSignIn(links, words.ways) }, { button: words.open, to: links.desk }];
    return {
      subject: words.subject(toOneLine(name, maxSubjectNameLength)),
      blocks: [
        { text: `${words.added(by, line, role)} ${about(line)}` },
        ...way,
        { note: words.note(line) },
      ],
    };
  };
