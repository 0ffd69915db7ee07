import { describe, expect, test } from 'vitest';
import { isEarlier, readCursor, toPage, writeCursor } from '../../../core/model/cursor.ts';
import { InputError } from '../../../core/model/input.ts';
import { later, start } from '../world.ts';

const place = { instant: start, id: 'ar_1' };

describe('a cursor', () => {
  test('is read as the position that was written', () => {
    expect(readCursor(writeCursor(place))).toEqual(place);
  });

  test.each([null, undefined])('of %s is the start', (text) => {
    expect(readCursor(text)).toBeNull();
  });

  test.each([
    ['nothing', ''],
    ['no id', 'mhhzw0k8.'],
    ['no instant', '.ar_1'],
    ['an id alone', 'ar_1'],
    ['an instant alone', 'mhhzw0k8'],
    ['two points', 'mhhzw0k8.ar.1'],
    ['space before it', ' mhhzw0k8.ar_1'],
    ['space after it', 'mhhzw0k8.ar_1 '],
    ['an instant that no calendar has', 'zzzzzzzzzz.ar_1'],
    ['an instant that is too long', '10000000000.ar_1'],
    ['an id that is too long', `mhhzw0k8.${'x'.repeat(81)}`],
  ])('is refused with its parameter name: %s', (_what, text) => {
    const refusal = expect.objectContaining({ code: 'invalid_parameter', parameter: 'cursor' });
    expect(() => readCursor(text)).toThrow(refusal);
    expect(() => readCursor(text)).toThrow(InputError);
  });

  test('has an id of up to 80 characters', () => {
    const id = 'x'.repeat(80);
    expect(readCursor(`mhhzw0k8.${id}`)?.id).toBe(id);
  });
});

describe('a position is earlier', () => {
  test.each([
    ['by its instant', { instant: later(-1), id: 'ar_2' }, true],
    ['by its id at the same instant', { instant: start, id: 'ar_0' }, true],
    ['not when it is the same', place, false],
    ['not by its id when its instant is later', { instant: later(1), id: 'ar_0' }, false],
  ])('%s', (_what, other, expected) => {
    expect(isEarlier(other, place)).toBe(expected);
  });
});

describe('a page', () => {
  const found = ['ar_1', 'ar_2', 'ar_3'].map((id) => ({ instant: start, id }));
  const page = (limit: number) => toPage(found, limit, (item) => item);

  test('has a cursor with the position of its last item', () => {
    const { items, nextCursor } = page(2);
    expect(items).toEqual(found.slice(0, 2));
    expect(readCursor(nextCursor)).toEqual(found[1]);
  });

  test.each([3, 4])('of %s that contains all items has no next cursor', (limit) => {
    expect(page(limit)).toEqual({ items: found, nextCursor: null });
  });
});
