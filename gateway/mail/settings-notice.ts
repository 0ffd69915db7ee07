import { maxNameLength, type Role, type SettingsNotice } from '#core';
import { maxSubjectNameLength } from './content.ts';
import type { Letter, MailContent } from './letter.ts';
import { toOneLine } from './safe-text.ts';

const maxTextLength = 254;

export const writeSettingsNotice =
  ({ change, name }: Pick<SettingsNotice, 'change' | 'name'>) =>
  ({ words: { settings: words, roles }, links: { desk }, date }: Letter): MailContent => {
    const { type, subject, actor, createdAt, id } = change;
    const changed = words.changed[type] ?? type;
    const by =
      actor.name !== null
        ? toOneLine(actor.name, maxTextLength)
        : actor.id === null
          ? words.operator
          : words.key(actor.id);
    const owner = toOneLine(name, maxNameLength);
    const newRole = change.changes.role?.to;
    const role = typeof newRole === 'string' && Object.hasOwn(roles, newRole) ? newRole : null;
    const named = toOneLine(subject.name, maxTextLength);
    const what = role === null ? named : `${named} (${roles[role as Role]})`;
    return {
      subject: `${changed}: ${toOneLine(name, maxSubjectNameLength)}`,
      blocks: [
        { text: words.text(changed, owner, what) },
        { text: words.by(by, date(createdAt)) },
        { text: words.todo },
        ...(desk === null ? [] : [{ button: words.open, to: `${desk}/settings/log` }]),
        { note: words.note(id) },
      ],
    };
  };
