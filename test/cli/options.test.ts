import { describe, expect, test } from 'vitest';
import { parseCount, parseDuration, parseInstant, parseScopes } from '../../cli/options.ts';

describe('an instant', () => {
  test.each([
    ['2027-01-31', '2027-01-31T00:00:00.000Z'],
    ['2028-02-29', '2028-02-29T00:00:00.000Z'],
    ['2027-01-31T18:00:00Z', '2027-01-31T18:00:00.000Z'],
    ['2027-01-31t18:00:00z', '2027-01-31T18:00:00.000Z'],
    ['2027-01-31T18:00:00.123456+01:00', '2027-01-31T17:00:00.123Z'],
    ['2027-01-31T18:00:00-09:30', '2027-02-01T03:30:00.000Z'],
  ])('%s is parsed as %s', (text, instant) => {
    expect(parseInstant(text).toISOString()).toBe(instant);
  });

  test.each([
    '',
    'tomorrow',
    '2027',
    '2027-02-29',
    '2027-13-01',
    '31.01.2027',
    '1793404800',
    '2027-01-31T18:00:00',
  ])('is rejected if it is written as %j', (text) => {
    expect(() => parseInstant(text)).toThrow('It must be a date');
  });
});

describe('a duration', () => {
  test.each([
    ['0', 0],
    ['0h', 0],
    ['90s', 90_000],
    ['30m', 1_800_000],
    ['24h', 86_400_000],
    ['7d', 604_800_000],
  ])('%s is %d ms', (text, milliseconds) => {
    expect(parseDuration(text)).toBe(milliseconds);
  });

  test.each(['', '5', '-1h', '1.5h', '1 h', 'h', '1w', '9999999d'])(
    'is rejected if it is written as %j',
    (text) => {
      expect(() => parseDuration(text)).toThrow('It must be 0 or a number');
    },
  );
});

test('scopes are separated by commas, with or without spaces', () => {
  expect(parseScopes('companies:read, metrics:read')).toEqual(['companies:read', 'metrics:read']);
});

test.each(['metrics:read,', 'metrics', ',', 'METRICS:READ'])('%j isn’t a scope list', (text) => {
  expect(() => parseScopes(text)).toThrow('Unknown');
});

test.each(['', '-1', '1e3', '0x10', '9999999999'])('%j isn’t a count', (text) => {
  expect(() => parseCount(text)).toThrow('whole number');
});
