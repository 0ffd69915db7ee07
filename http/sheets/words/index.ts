import { de } from './de.ts';
import { en, type SheetWords } from './en.ts';

export type { SheetWords };

/** The words about files, which the desk and the command line share. */
export const sheetWords: Readonly<Record<'en' | 'de', SheetWords>> = { en, de };
