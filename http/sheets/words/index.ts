import { de } from './de.ts';
import { en, type SheetWords } from './en.ts';

/** For the desk and the command line. */
export const sheetWords: Readonly<Record<'en' | 'de', SheetWords>> = { en, de };
