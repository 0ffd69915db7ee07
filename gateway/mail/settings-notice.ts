import { maxNameLength, type SettingsNotice } from '#core';
import { type MailContent, maxSubjectNameLength, toDate } from './content.ts';
import type { MailLinks } from './links.ts';
import type { Block } from './render.ts';
import { toOneLine } from './safe-text.ts';

type Type = SettingsNotice['change']['type'];

const english: Partial<Record<Type, string>> = {
  'contact.added': 'A person was added',
  'contact.removed': 'A person was removed',
  'contact.role_changed': 'The role of a person was changed',
  'api_key.created': 'An API key was made',
  'api_key.rotated': 'An API key was replaced by a new one',
  'company_key.created': 'A company key was made',
  'company_key.rotated': 'A company key was replaced by a new one',
  'webhook_endpoint.created': 'A webhook was added',
  'webhook_endpoint.changed': 'A webhook was changed',
};

const german: Partial<Record<Type, string>> = {
  'contact.added': 'Eine Person wurde hinzugefügt',
  'contact.removed': 'Eine Person wurde entfernt',
  'contact.role_changed': 'Die Rolle einer Person wurde geändert',
  'api_key.created': 'Ein API-Schlüssel wurde erzeugt',
  'api_key.rotated': 'Ein API-Schlüssel wurde durch einen neuen ersetzt',
  'company_key.created': 'Ein Unternehmensschlüssel wurde erzeugt',
  'company_key.rotated': 'Ein Unternehmensschlüssel wurde durch einen neuen ersetzt',
  'webhook_endpoint.created': 'Ein Webhook wurde hinzugefügt',
  'webhook_endpoint.changed': 'Ein Webhook wurde geändert',
};

/** In both languages of the desk, because the reader may be somebody who is no contact any more. */
export function writeSettingsNotice(
  { change, name }: Pick<SettingsNotice, 'change' | 'name'>,
  { desk }: MailLinks,
): MailContent {
  const { type, subject, actor, createdAt, id } = change;
  const what = toOneLine(subject.name, maxSubjectLength);
  const owner = toOneLine(name, maxNameLength);
  const by = (operator: string, key: string) =>
    actor.name !== null
      ? toOneLine(actor.name, maxSubjectLength)
      : actor.id === null
        ? operator
        : `${key} ${actor.id}`;
  const button = (words: string): Block[] =>
    desk === null ? [] : [{ button: words, to: `${desk}/settings/log` }];
  return {
    subject: `${english[type] ?? type}: ${toOneLine(name, maxSubjectNameLength)}`,
    blocks: [
      { text: `${english[type] ?? type} at ${owner}: ${what}.` },
      { text: `By ${by('whoever runs this service', 'the key')}, on ${toDate(createdAt)}.` },
      {
        text: 'If you know of this, you need to do nothing. If not, somebody else may be in: sign in, remove what should not be there, revoke keys that you do not know, and tell whoever runs this service at once. The settings log shows everything that was changed.',
      },
      ...button('Open the log'),
      { text: `${german[type] ?? type}, bei ${owner}: ${what}.`, language: 'de' },
      {
        text: `Durch ${by('den Betreiber dieses Dienstes', 'den Schlüssel')}, am ${toDate(createdAt, 'de')}.`,
        language: 'de',
      },
      {
        text: 'Wenn Sie davon wissen, müssen Sie nichts tun. Wenn nicht, ist vielleicht jemand Fremdes eingedrungen: Melden Sie sich an, entfernen Sie, was nicht da sein soll, widerrufen Sie unbekannte Schlüssel, und sagen Sie es sofort dem Betreiber dieses Dienstes. Das Protokoll der Einstellungen zeigt alles, was geändert wurde.',
        language: 'de',
      },
      ...button('Protokoll öffnen').map((block) => ({ ...block, language: 'de' as const })),
      { note: `Change ${id}` },
    ],
  };
}

const maxSubjectLength = 254;
