import { describe, expect, test } from 'vitest';
import { isEarlier, readCursor, toPage, writeCursor } from '../../../core/model/cursor.ts';
import { InputError } from '../../../core/model/input.ts';
import { later, start } from '../world.ts';

const place = { instant: start, id: 'ar_1' };

describe('a cursor', () => {
  test('is read back as the list position that it was made from', () => {
    expect(readCursor(writeCursor(place))).toEqual(place);
  });

  test.each([null, undefined])('means the start of the list if it is %s', (text) => {
    expect(readCursor(text)).toBeNull();
  });

  test.each([
    ['no characters', ''],
    ['no id', 'mhhzw0k8.'],
    ['no instant', '.ar_1'],
    ['only an id', 'ar_1'],
    ['only an instant', 'mhhzw0k8'],
    ['two dots', 'mhhzw0k8.ar.1'],
    ['a space at the start', ' mhhzw0k8.ar_1'],
    ['a space at the end', 'mhhzw0k8.ar_1 '],
    ['an instant that is outside the calendar', 'zzzzzzzzzz.ar_1'],
    ['an instant that is too long', '10000000000.ar_1'],
    ['an id that is too long', `mhhzw0k8.${'x'.repeat(81)}`],
  ])('is refused with %s, and the error is about the parameter cursor', (_what, text) => {
    const refusal = expect.objectContaining({ code: 'invalid_parameter', parameter: 'cursor' });
    expect(() => readCursor(text)).toThrow(refusal);
    expect(() => readCursor(text)).toThrow(InputError);
  });

  test('can contain an id of up to 80 characters', () => {
    const id = 'x'.repeat(80);
    expect(readCursor(`mhhzw0k8.${id}`)?.id).toBe(id);
  });
});

describe('a position in a list', () => {
  test.each([
    [
      'is earlier than another position if its instant is earlier',
      { instant: later(-1), id: 'ar_2' },
      true,
    ],
    [
      'is earlier than a position of the same instant if its id is smaller',
      { instant: start, id: 'ar_0' },
      true,
    ],
    ['isn’t earlier than the same position', place, false],
    [
      'isn’t earlier than another position if its instant is later and its id is smaller',
      { instant: later(1), id: 'ar_0' },
      false,
    ],
  ])('%s', (_what, other, expected) => {
    expect(isEarlier(other, place)).toBe(expected);
  });
});

describe('a page', () => {
  const found = ['ar_1', 'ar_2', 'ar_3'].map((id) => ({ instant: start, id }));
  const page = (limit: number) => toPage(found, limit, (item) => item);

  test('has a next cursor with the position of the last item on the page', () => {
    const { items, nextCursor } = page(2);
    expect(items).toEqual(found.slice(0, 2));
    expect(readCursor(nextCursor)).toEqual(found[1]);
  });

  test.each([3, 4])('has no next cursor if its limit is %s and only three items exist', (limit) => {
    expect(page(limit)).toEqual({ items: found, nextCursor: null });
  });
});
