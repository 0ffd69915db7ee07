import { isUtf8 } from 'node:buffer';
import type { Encoding } from '../csv/encoding.ts';
import { RefusedFile } from './refused-file.ts';
import type { EncodingExample } from './sheet.ts';

/** The bytes that prove an encoding are usually near the start. */
const sampleBytes = 1_048_576;

interface Detected {
  /** Undefined: the byte-order mark decides. */
  readonly encoding: Encoding | undefined;
  readonly example: EncodingExample | null;
}

/**
 * Finds the encoding of a text by its bytes.
 *
 * @param answer the person's answer, which counts if the bytes don't decide
 * @throws RefusedFile
 */
export function detectEncoding(
  bytes: Uint8Array,
  answer: 'macintosh' | 'windows-1252' | undefined,
): Detected {
  const [a = 0, b = 0, c = 0, d = 0] = bytes;
  const isUtf32 =
    bytes.length >= 4 &&
    ((a === 0xff && b === 0xfe && c + d === 0) || (a + b === 0 && c === 0xfe && d === 0xff));
  if (isUtf32) throw new RefusedFile({ code: 'utf_32' });
  const isMarked = (a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff);
  if (isMarked || (a === 0xef && b === 0xbb && c === 0xbf))
    return { encoding: undefined, example: null };
  const head = bytes.subarray(0, sampleBytes);
  const utf16 = findUtf16(head.subarray(0, 1_024));
  if (utf16 !== null) return { encoding: utf16, example: null };
  if (isUtf8(bytes) || isMostlyUtf8(head.subarray(0, 65_536)))
    return { encoding: 'utf-8', example: null };
  return detectOneByte(head, answer);
}

/** UTF-16 without a mark has a NUL in every other byte where it has Latin letters. */
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

/** A damaged byte makes a line of UTF-8 unreadable. It doesn't change the encoding of the file. */
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

/** Bytes without a character in Windows-1252. */
const undefinedBytes = new Set([0x81, 0x8d, 0x8f, 0x90, 0x9d]);
/** Apostrophes, quotation marks, dashes and signs, which are next to letters in any text. */
const punctuation = new Set([
  0x80, 0x82, 0x84, 0x85, 0x91, 0x92, 0x93, 0x94, 0x95, 0x96, 0x97, 0x99,
]);

/**
 * Windows-1252 has its letters from 0xC0 on. The Macintosh encoding has the letters of western Europe from 0x80 to 0x9F. So a
 * letter decides, unless it could be a rare letter of the other encoding.
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
