export { monthOf } from './dates.ts';
export { openSheet, type SheetFile } from './file.ts';
export type { KnownMetric } from './keys.ts';
export { companyOf } from './layout.ts';
export {
  type Answers,
  type Question,
  type QuestionId,
  questionAnswers,
  questionIds,
  readAnswers,
} from './questions.ts';
export {
  type ReadSheet,
  readSheet,
  type SheetFields,
  type SheetRecord,
} from './read-sheet.ts';
export { RefusedFile } from './refused-file.ts';
export type { Sheet } from './sheet.ts';
export { type SheetWords, sheetWords } from './words/index.ts';
