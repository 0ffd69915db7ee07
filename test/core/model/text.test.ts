import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isName, isPlainLine, isPlainText, isStorable } from '../../../core/model/text.ts';

/** Format characters that are allowed: visible ones, and ones that scripts, emoji and hyphens need. */
const written =
  /[\u00ad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u200c-\u200f\u{110bd}\u{110cd}\u{13430}-\u{1343f}\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}]/u;

const isDeceptive = (character: string): boolean =>
  /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u.test(character) && !written.test(character);

const isUnassigned = (character: string): boolean => /\p{Cn}/u.test(character);

const everyCharacter = Array.from({ length: 0x11_0000 }, (_, code) => String.fromCodePoint(code));

describe('a single-line text', () => {
  test('can contain any character except controls, line ends, and characters that hide text or change its direction', () => {
    const wrong = everyCharacter.filter(
      (character) =>
        !isUnassigned(character) && isPlainLine(`a${character}b`) === isDeceptive(character),
    );
    expect(wrong.map((character) => character.codePointAt(0)?.toString(16))).toEqual([]);
  });

  test.each([
    ['an escape sequence', '\u001b[2J'],
    ['a line break', 'a\nb'],
    ['a C1 control character', 'a\u009bb'],
    ['a line separator', 'a\u2028b'],
    ['a character that overrides the text direction', 'a\u202eb'],
    ['characters that isolate the text direction', 'a\u2066b\u2069'],
    ['a zero-width space', 'a\u200bb'],
    ['a byte order mark', '\ufeffa'],
    ['tag characters', 'a\u{e0041}\u{e0042}'],
    ['half of a surrogate pair', 'a\ud800'],
  ])('is refused if it contains %s', (_what, text) => {
    expect(isPlainLine(text)).toBe(false);
    expect(isName(text)).toBe(false);
  });

  test.each([
    'Überwerk 株式会社 🚀',
    'א\u200f 1 \u061cا\u200e',
    '👩‍👩‍👧',
    'می\u200cخواهم',
    'co\u00adop',
  ])('can be %s', (text) => {
    expect(isPlainLine(text)).toBe(true);
  });
});

const character = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
  fc.constantFrom('\t', '\n', '\r', '\u0000', '\u001b', '\u0085', '\u2029', '\u202e', '\u{e0020}'),
);

describe('a text of several lines', () => {
  test('is valid if each part between tabs and line breaks is a valid single-line text', () => {
    fc.assert(
      fc.property(fc.array(character), (characters) => {
        const text = characters.join('');
        expect(isPlainText(text)).toBe(text.split(/[\t\n\r]/).every((line) => isPlainLine(line)));
      }),
    );
  });

  test('can’t have a line break between the two halves of a surrogate pair', () => {
    expect(isPlainText('\ud83d\n\ude80')).toBe(false);
  });

  test('is valid only if each of its characters is valid, and a valid text can be stored', () => {
    fc.assert(
      fc.property(fc.array(character), (characters) => {
        const text = characters.join('');
        expect(isPlainText(text)).toBe([...text].every((one) => isPlainText(one)));
        if (isPlainText(text)) expect(isStorable(text)).toBe(true);
      }),
    );
  });
});

describe('a name', () => {
  test.each(['x', 'Nordwind GmbH', 'x'.repeat(200), 'אבג', 'a\u200fb'])('can be %j', (name) => {
    expect(isName(name)).toBe(true);
  });

  test.each(['', 'x'.repeat(201), ' x', 'x '])(
    'is refused if it is empty, too long, or begins or ends with a space: %j',
    (name) => {
      expect(isName(name)).toBe(false);
    },
  );
});
