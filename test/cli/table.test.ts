import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { type Columns, renderFields, renderTable, shorten } from '../../cli/table.ts';
import { escapeControls } from '../../gateway/logs/escape-controls.ts';

const columns: Columns<{ id: string; name: string | null }> = { ID: 'id', NAME: 'name' };

test('columns are as wide as their widest cell', () => {
  const rows = [
    { id: 'co_1', name: 'Åsa' },
    { id: 'co_long', name: null },
  ];
  expect(stripVTControlCharacters(renderTable(columns, rows, 'nothing')(80))).toBe(
    ['ID       NAME', 'co_1     Åsa', 'co_long  -'].join('\n'),
  );
});

test('columns that don’t fit are left out from the end, and a message explains how to see them', () => {
  const wide = { ...columns, NOTE: () => 'a long text', OK: () => 'yes' };
  const text = (width: number) =>
    stripVTControlCharacters(renderTable(wide, [{ id: 'co_1', name: 'Åsa' }])(width));
  expect(text(30).split('\n')).toEqual([
    'ID    NAME  NOTE         OK',
    'co_1  Åsa   a long text  yes',
  ]);
  expect(text(28)).not.toContain('No room');
  expect(text(27).split('\n')).toEqual([
    'ID    NAME  NOTE',
    'co_1  Åsa   a long text',
    '',
    'Not enough room for OK: pipe the output into less -S, or add --json.',
  ]);
  expect(text(20).split('\n')).toEqual([
    'ID    NAME  OK',
    'co_1  Åsa   yes',
    '',
    'Not enough room for NOTE: pipe the output into less -S, or add --json.',
  ]);
  expect(text(1).split('\n').slice(0, 2)).toEqual(['ID', 'co_1']);
});

test('an empty table prints a friendly line', () => {
  expect(renderTable(columns, [], 'Nothing yet.')(80)).toBe('Nothing yet.');
});

test('fields are aligned', () => {
  expect(renderFields({ id: 'a', expires: null })).toBe('id       a\nexpires  -');
});

test('a long text is shortened between whole characters', () => {
  expect(shorten('short', 5)).toBe('short');
  expect(shorten('👩‍🚀👩‍🚀👩‍🚀', 2)).toBe('👩‍🚀…');
});

describe('a text that a user of the service wrote', () => {
  test('can’t move the cursor, forge a line or change the direction of text', () => {
    expect(escapeControls('a\u001b[2Jb\nc\u009bd\u202ee')).toBe(
      'a\\u{1b}[2Jb\\u{a}c\\u{9b}d\\u{202e}e',
    );
  });

  test('is otherwise unchanged', () => {
    expect(escapeControls('Zoë – 東京 😀')).toBe('Zoë – 東京 😀');
  });
});
