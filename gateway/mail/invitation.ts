import { type Invitation, maxNameLength } from '#core';
import { type MailContent, maxSubjectNameLength } from './content.ts';
import { byLink, type MailLinks } from './links.ts';
import type { Block } from './render.ts';
import { toOneLine } from './safe-text.ts';

/** In both languages of the desk, because nobody knows yet which one the contact reads. */
export function writeInvitation(
  { owner, name }: Pick<Invitation, 'owner' | 'name'>,
  links: MailLinks,
): MailContent {
  const line = toOneLine(name, maxNameLength);
  const side = 'companyId' in owner ? ofCompany : ofInvestor;
  const [english, german] = [
    inEnglish(line, side.english, links),
    inGerman(line, side.german, links),
  ];
  return {
    subject: `You are a contact of ${toOneLine(name, maxSubjectNameLength)} now`,
    blocks: [...english, ...german.map((block) => ({ ...block, language: 'de' as const }))],
  };
}

/** What happens there, by the side on which the contact is. */
interface Words {
  readonly english: (name: string) => string;
  readonly german: (name: string) => string;
}

const ofCompany: Words = {
  english: (company) =>
    `There investors ask to read data of ${company}, and its contacts decide who reads what, and for how long. A mail tells you when somebody asks.`,
  german: (company) =>
    `Dort bitten Investoren darum, Daten von ${company} zu lesen, und die Kontakte entscheiden, wer was wie lange liest. Eine E-Mail sagt Ihnen, wenn jemand darum bittet.`,
};

const ofInvestor: Words = {
  english: (investor) =>
    `There ${investor} reads what the companies of its portfolio share with it, and asks them for more. A company sees who has read its data: your address, too.`,
  german: (investor) =>
    `Dort liest ${investor}, was die Unternehmen des Portfolios freigegeben haben, und bittet sie um mehr. Ein Unternehmen sieht, wer seine Daten gelesen hat: auch Ihre Adresse.`,
};

/** A link carries no token: whoever has the mail alone cannot sign in with it later. */
const inEnglish = (name: string, words: Words['english'], { desk, signIn }: MailLinks): Block[] => [
  {
    text: `You were added as a contact of ${name} at Portfolio Access. ${words(name)}`,
  },
  ...(desk === null
    ? [{ text: 'You need to do nothing now: each mail says how to answer.' }]
    : [{ text: wordsFor(signIn).english }, { button: 'Open the desk', to: desk }]),
  {
    note: `If you have nothing to do with ${name}, tell whoever runs this service. Nobody asks you for a key or a password by mail.`,
  },
];

const inGerman = (name: string, words: Words['german'], { desk, signIn }: MailLinks): Block[] => [
  {
    text: `Sie wurden bei Portfolio Access als Kontakt von ${name} eingetragen. ${words(name)}`,
  },
  ...(desk === null
    ? [{ text: 'Sie müssen jetzt nichts tun: In jeder E-Mail steht, wie man antwortet.' }]
    : [{ text: wordsFor(signIn).german }, { button: 'Seiten öffnen', to: desk }]),
  {
    note: `Wenn Sie mit ${name} nichts zu tun haben, sagen Sie es dem Betreiber dieses Dienstes. Niemand fragt Sie per E-Mail nach einem Schlüssel oder einem Passwort.`,
  },
];

/** How one signs in, before the address of the desk. */
function wordsFor({ hasLinks, providerName }: NonNullable<MailLinks['signIn']> = byLink) {
  if (providerName === null) {
    return {
      english:
        'To look around, open the desk and give this address. You get a link to sign in by mail, and need no password.',
      german:
        'Um sich umzusehen, öffnen Sie die Seiten und geben Sie diese Adresse an. Sie erhalten per E-Mail einen Link zum Anmelden und brauchen kein Passwort.',
    };
  }
  const provider = toOneLine(providerName, maxNameLength);
  const [orLink, oderLink] = hasLinks
    ? [
        ', or give this address and get a link by mail',
        ', oder geben Sie diese Adresse an und erhalten Sie einen Link per E-Mail',
      ]
    : ['', ''];
  return {
    english: `To look around, open the desk and sign in with ${provider}, by the account that has this address${orLink}.`,
    german: `Um sich umzusehen, öffnen Sie die Seiten und melden Sie sich mit ${provider} an, mit dem Konto, das diese Adresse hat${oderLink}.`,
  };
}
