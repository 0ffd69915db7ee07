import { de } from './de.ts';
import { en, type SheetWords } from './en.ts';

/** Texts about uploaded files, for the desk and the command line. */
export const sheetWords: Readonly<Record<'en' | 'de', SheetWords>> = { en, de };
