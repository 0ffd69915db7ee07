import { questionAnswers, readAnswers, type SheetAnswers, type SheetQuestionId } from '#http';
import { oneOf, optional } from '../../options.ts';

const subjects: Readonly<Record<SheetQuestionId, string>> = {
  encoding: 'the encoding of a CSV file',
  dates: 'whether 03/04/2026 begins with the day or the month',
  numbers: 'whether 1.204 is 1204 or a little more than 1',
  dashes: 'whether a dash stands for zero or for no figure',
  keys: 'whether a key that differs slightly from an existing key means the existing key',
  first_days: 'whether the first day of a month stands for the month',
  percents: 'whether a new metric in per cent is stored in per cent or as a fraction',
  repeats: 'which line counts if several give a value for the same metric and period',
};

const toOptionName = (name: string): string => name.replaceAll('_', '-');

/** For example `--dates day-first`, or `--dates` without an answer. */
export const optionOf = (id: SheetQuestionId, answer?: string): string =>
  [`--${toOptionName(id)}`, ...(answer === undefined ? [] : [toOptionName(answer)])].join(' ');

const answerOption = (id: SheetQuestionId) =>
  oneOf(
    `--${toOptionName(id)} <reading>`,
    `for a table: ${subjects[id]}`,
    questionAnswers[id].map(toOptionName),
  );

export const sheetOptions = {
  companyId: optional(
    '--company <id>',
    'for a table without company_id: the company of the figures',
  ),
  sheet: optional(
    '--sheet <name>',
    'for a workbook: the sheet to read; the first one with a table by default',
  ),
  encoding: answerOption('encoding'),
  dates: answerOption('dates'),
  numbers: answerOption('numbers'),
  dashes: answerOption('dashes'),
  keys: answerOption('keys'),
  first_days: answerOption('first_days'),
  percents: answerOption('percents'),
  repeats: answerOption('repeats'),
} satisfies Readonly<Record<SheetQuestionId | 'companyId' | 'sheet', unknown>>;

export const answersOf = (
  options: Readonly<Partial<Record<SheetQuestionId, string | undefined>>>,
): SheetAnswers =>
  readAnswers((id) => questionAnswers[id].find((answer) => toOptionName(answer) === options[id]));
