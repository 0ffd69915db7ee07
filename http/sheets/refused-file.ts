import { UnreadableFile } from '../csv/encoding.ts';
import type { FileRefusal } from './refusal.ts';
import { sheetWords } from './words/index.ts';

/** The message is in English, for operators. The desk writes its own message from `refusal`. */
export class RefusedFile extends UnreadableFile {
  readonly refusal: FileRefusal;
  readonly otherSheets: readonly string[];

  constructor(refusal: FileRefusal, otherSheets: readonly string[] = []) {
    super(sheetWords.en.refusal(refusal));
    this.refusal = refusal;
    this.otherSheets = otherSheets;
  }
}
