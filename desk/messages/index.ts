import { readdirSync } from 'node:fs';
import Negotiator from 'negotiator';
import { createFormat, type Format } from '../format.ts';
import { en, type Messages } from './en.ts';

export type { Messages } from './en.ts';

export interface Language {
  readonly tag: string;
  readonly m: Messages;
  readonly format: Format;
}

const defaultLanguage: Language = { tag: 'en', m: en, format: createFormat('en') };

/** Loads each file of this folder whose name is a language tag. */
async function loadLanguages(): Promise<ReadonlyMap<string, Language>> {
  const files = readdirSync(import.meta.dirname).filter((name) => /^[a-z]{2}\.[jt]s$/.test(name));
  const loaded = await Promise.all(
    files.sort().map(async (file): Promise<[string, Language]> => {
      const tag = file.slice(0, 2);
      const catalogue: Readonly<Record<string, Messages>> = await import(`./${file}`);
      const m = catalogue[tag];
      if (m === undefined) throw new Error(`desk/messages/${file} exports no ${tag}`);
      return [tag, { tag, m, format: createFormat(tag) }];
    }),
  );
  // The order matters: if a browser prefers several languages equally, the first one in this map is used.
  return new Map([[defaultLanguage.tag, defaultLanguage], ...loaded]);
}

export const languages = await loadLanguages();

/** The user's choice comes first, then the browser's preferred language, then English. */
export function findLanguage(
  chosen: string | undefined,
  acceptLanguage: string | undefined,
): Language {
  const wanted = languages.get(chosen ?? '');
  if (wanted !== undefined) return wanted;
  const negotiator = new Negotiator({ headers: { 'accept-language': acceptLanguage ?? '' } });
  return languages.get(negotiator.language([...languages.keys()]) ?? '') ?? defaultLanguage;
}
