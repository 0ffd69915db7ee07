import { isUtf8 } from 'node:buffer';
import { type Encoding, readByteOrderMark } from '../csv/encoding.ts';
import { RefusedFile } from './refused-file.ts';
import type { EncodingExample } from './sheet.ts';

const sampleBytes = 1_048_576;

interface Detected {
  /** Undefined if the file has a byte-order mark, which then decides the encoding. */
  readonly encoding: Encoding | undefined;
  readonly example: EncodingExample | null;
}

/**
 * Finds the encoding of a text by its bytes.
 *
 * @param answer the person's choice, used if the bytes don't decide
 * @throws RefusedFile
 */
export function detectEncoding(
  bytes: Uint8Array,
  answer: 'macintosh' | 'windows-1252' | undefined,
): Detected {
  const marked = readByteOrderMark(bytes);
  if (marked === 'UTF-32') throw new RefusedFile({ code: 'utf_32' });
  if (marked !== undefined) return { encoding: undefined, example: null };
  const head = bytes.subarray(0, sampleBytes);
  const utf16 = findUtf16(head.subarray(0, 1_024));
  if (utf16 !== null) return { encoding: utf16, example: null };
  if (isUtf8(bytes) || isMostlyUtf8(head.subarray(0, 65_536)))
    return { encoding: 'utf-8', example: null };
  return detectOneByte(head, answer);
}

/** In UTF-16, every second byte of Latin text is NUL. */
function findUtf16(head: Uint8Array): Encoding | null {
  let even = 0;
  let odd = 0;
  for (const [at, byte] of head.entries()) {
    if (byte !== 0) continue;
    if (at % 2 === 0) even += 1;
    else odd += 1;
  }
  if (even + odd === 0) return null;
  if (odd > head.length / 4 && even === 0) return 'utf-16le';
  if (even > head.length / 4 && odd === 0) return 'utf-16be';
  throw new RefusedFile({ code: 'not_a_table' });
}

/** Ignores a few damaged bytes. They make only their own lines unreadable, and the file is still UTF-8. */
function isMostlyUtf8(head: Uint8Array): boolean {
  const text = new TextDecoder().decode(head, { stream: true });
  let wrong = 0;
  let right = 0;
  for (const [character] of text.matchAll(/[^\0-\x7f]/gu)) {
    if (character === '\ufffd') wrong += 1;
    else right += 1;
  }
  return right > wrong;
}

const isLetter = (byte: number | undefined): boolean =>
  byte !== undefined && ((byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a));

/** The bytes that aren't characters in Windows-1252. */
const undefinedBytes = new Set([0x81, 0x8d, 0x8f, 0x90, 0x9d]);
/** Apostrophes, quotation marks, dashes and signs of Windows-1252. These characters are often next to letters. */
const punctuation = new Set([
  0x80, 0x82, 0x84, 0x85, 0x91, 0x92, 0x93, 0x94, 0x95, 0x96, 0x97, 0x99,
]);

/**
 * Chooses between Windows-1252 and Macintosh. Windows-1252 has its accented letters from 0xC0 on. Macintosh has those
 * of western Europe from 0x80 to 0x9F. So a byte inside a word usually decides. If the byte could also be a rare letter
 * of the other encoding, the person's answer decides.
 */
function detectOneByte(
  head: Uint8Array,
  answer: 'macintosh' | 'windows-1252' | undefined,
): Detected {
  let low = -1;
  let isWindows = false;
  for (let at = 0; at < head.length; at += 1) {
    const byte = head[at] ?? 0;
    if (byte < 0x80) continue;
    if (undefinedBytes.has(byte)) return { encoding: 'macintosh', example: null };
    const isInWord = isLetter(head[at - 1]) || isLetter(head[at + 1]);
    if (!isInWord) continue;
    if (byte >= 0xc0) isWindows = true;
    else if (byte < 0xa0 && !punctuation.has(byte) && low === -1) low = at;
  }
  if (isWindows || low === -1) return { encoding: 'windows-1252', example: null };
  return { encoding: answer ?? 'windows-1252', example: answer ? null : exampleAt(head, low) };
}

function exampleAt(head: Uint8Array, at: number): EncodingExample {
  const isInWord = (byte: number | undefined) => isLetter(byte) || (byte ?? 0) >= 0x80;
  let start = at;
  let end = at + 1;
  while (start > at - 20 && isInWord(head[start - 1])) start -= 1;
  while (end < at + 20 && isInWord(head[end])) end += 1;
  const before = Buffer.from(head.subarray(0, start)).toString('latin1');
  const line = 1 + (before.match(/\r\n?|\n/g)?.length ?? 0);
  const as = (encoding: string) => new TextDecoder(encoding).decode(head.subarray(start, end));
  return { line, readings: { macintosh: as('macintosh'), 'windows-1252': as('windows-1252') } };
}
