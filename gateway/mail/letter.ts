import { labelOf, timeZoneOf } from '#core';
import { translateMetricLabel } from '#http';
import type { MailLinks } from './links.ts';
import type { Block } from './render.ts';
import { de } from './words/de.ts';
import { en, type MailWords } from './words/en.ts';

export interface MailContent {
  readonly subject: string;
  readonly blocks: readonly Block[];
}

const languages: Readonly<Record<string, MailWords>> = { en, de };

/** Returns the texts, links and formats for a mail in the reader's language and time zone. */
function createLetter(words: MailWords, links: MailLinks, timeZone: string) {
  const { locale } = words;
  const date = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeStyle: 'short', timeZone });
  const day = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' });
  const zone = new Intl.DateTimeFormat(locale, { timeZoneName: 'short', timeZone });
  const zoneAt = (instant: Date) =>
    zone.formatToParts(instant).find(({ type }) => type === 'timeZoneName')?.value ?? timeZone;
  const number = new Intl.NumberFormat(locale);
  const list = new Intl.ListFormat(locale, { type: 'conjunction' });
  return {
    words,
    links,
    /** Includes the name of the time zone. */
    date: (instant: Date) => `${date.format(instant)} ${zoneAt(instant)}`,
    /** @param text a date, as `YYYY-MM-DD` */
    day: (text: string) => day.format(new Date(text)),
    number: (value: number) => number.format(value),
    metric: (key: string) => translateMetricLabel(labelOf(key), words.tag),
    list: (items: readonly string[]) => list.format(items),
  };
}

export type Letter = ReturnType<typeof createLetter>;

/** Writes a mail in the reader's language. If the language isn't known, writes the mail in English and German. */
export function writeMail(
  { language, timeZone }: { readonly language: string | null; readonly timeZone: string | null },
  links: MailLinks,
  write: (letter: Letter) => MailContent,
): MailContent & { readonly language: string } {
  const inWords = (words: MailWords) => write(createLetter(words, links, timeZoneOf(timeZone)));
  const preferredWords = languages[language ?? ''];
  if (preferredWords !== undefined)
    return { ...inWords(preferredWords), language: preferredWords.tag };
  const { subject, blocks } = inWords(en);
  const german = inWords(de).blocks.map((block) => ({ ...block, language: 'de' as const }));
  return { subject, blocks: [...blocks, ...german], language: 'en' };
}
