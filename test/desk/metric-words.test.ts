import { describe, expect, it } from 'vitest';
import type { Decimal } from '#core';
import { findLanguage } from '../../desk/messages/index.ts';
import { metricName, metricNameOf, shownValue } from '../../desk/metric-words.ts';

const german = findLanguage('de', undefined);
const english = findLanguage('en', undefined);

it.each([
  ['Cash balance', 'Kontostand'],
  ['HEADCOUNT', 'Mitarbeiterzahl'],
  ['ARR', 'ARR'],
  ['Cash balance of Harbor', 'Cash balance of Harbor'],
  ['constructor', 'constructor'],
])('the metric %s is called %s in German', (label, name) => {
  expect(metricName(label, german)).toBe(name);
});

it('a metric without a known label has its key as its name', () => {
  expect(metricNameOf('gross_margin', german)).toBe('Bruttomarge');
  expect(metricNameOf('arr', english)).toBe('ARR');
  expect(metricNameOf('robots_sold', german)).toBe('Robots sold');
});

describe('the display text of a value', () => {
  it.each([
    ['$1,204.50', '1204.5', 'USD', '1.204,50\u00a0$'],
    ['€3,800,000', '3800000', 'EUR', '3.800.000\u00a0€'],
    ['12.5 months', '12.5', null, '12,5\u00a0Monate'],
    ['74.3%', '74.3', null, '74,3\u00a0%'],
    ['78.1%', '0.781', null, '78,1\u00a0%'],
    ['1,204', '1204', null, '1.204'],
    ['7 robots', '7', null, '7\u00a0robots'],
    // A company's own words stay unchanged.
    ['$1.2M', '1200000', 'USD', '$1.2M'],
    ['about 30', '30', null, 'about 30'],
  ])(
    'is written in German: %s (amount %s, currency %s) becomes %s',
    (value, rawValue, currency, shown) => {
      const metric = { value, rawValue: rawValue as Decimal, currency };
      expect(shownValue(metric, german)).toBe(shown);
    },
  );

  it('stays unchanged in English', () => {
    const rawValue = '1204.5' as Decimal;
    for (const [value, currency] of [
      ['$1,204.50', 'USD'],
      ['1204.5 w', null],
    ] as const)
      expect(shownValue({ value, rawValue, currency }, english)).toBe(value);
    expect(metricName('CASH BALANCE', english)).toBe('CASH BALANCE');
  });
});
