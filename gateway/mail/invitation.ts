import { type Invitation, maxNameLength } from '#core';
import { type MailContent, maxSubjectNameLength } from './content.ts';
import type { MailLinks } from './links.ts';
import type { Block } from './render.ts';
import { toOneLine, toUnlinkedLine } from './safe-text.ts';

/** In both languages of the desk, because nobody knows yet which one the contact reads. */
export function writeInvitation(
  { company: { name } }: Pick<Invitation, 'company'>,
  { desk }: MailLinks,
): MailContent {
  const company = toUnlinkedLine(name, maxNameLength);
  const [english, german] = [inEnglish(company, desk), inGerman(company, desk)];
  return {
    subject: `You are a contact of ${toOneLine(name, maxSubjectNameLength)} now`,
    blocks: [
      ...english,
      ...german.map((block) => ('text' in block ? { ...block, language: 'de' as const } : block)),
    ],
  };
}

/** A link carries no token: whoever has the mail alone cannot sign in with it later. */
const inEnglish = (company: string, desk: string | null): Block[] => [
  {
    text: `You were added as a contact of ${company} at Portfolio Access. There investors ask to read data of ${company}, and its contacts decide who reads what, and for how long. A mail tells you when somebody asks.`,
  },
  ...(desk === null
    ? [{ text: 'You need to do nothing now: each mail says how to answer.' }]
    : [
        {
          text: 'To look around, open the desk and give this address. You get a link to sign in by mail, and need no password:',
        },
        { link: desk },
      ]),
  {
    text: `If you have nothing to do with ${company}, tell whoever runs this service. Nobody asks you for a key or a password by mail.`,
  },
];

const inGerman = (company: string, desk: string | null): Block[] => [
  {
    text: `Sie wurden bei Portfolio Access als Kontakt von ${company} eingetragen. Dort bitten Investoren darum, Daten von ${company} zu lesen, und die Kontakte entscheiden, wer was wie lange liest. Eine E-Mail sagt Ihnen, wenn jemand darum bittet.`,
  },
  ...(desk === null
    ? [{ text: 'Sie müssen jetzt nichts tun: In jeder E-Mail steht, wie man antwortet.' }]
    : [
        {
          text: 'Um sich umzusehen, öffnen Sie die Seiten Ihres Unternehmens und geben Sie diese Adresse an. Sie erhalten per E-Mail einen Link zum Anmelden und brauchen kein Passwort:',
        },
        { link: desk },
      ]),
  {
    text: `Wenn Sie mit ${company} nichts zu tun haben, sagen Sie es dem Betreiber dieses Dienstes. Niemand fragt Sie per E-Mail nach einem Schlüssel oder einem Passwort.`,
  },
];
