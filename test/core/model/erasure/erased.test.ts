import { describe, expect, test } from 'vitest';
import { eraseText } from '../../../../core/model/erasure/erased.ts';

const erased = { email: 'ann@fund.co' };

describe('the erasure of a person', () => {
  test.each([
    'ann@fund.co',
    'Ask Ann@Fund.co.',
    "Said 'ann@fund.co', <ann@fund.co>",
    'mailto:ann@fund.co?subject=Q3',
    'Asked...ann@fund.co...twice',
    '_ann@fund.co_',
    'joann@fund.co and ann@fund.co',
  ])('replaces a text that contains the person’s whole email address: %s', (text) => {
    expect(eraseText(erased, text)).toBe('[erased]');
  });

  test.each([
    'Contact joann@fund.com about Q3',
    'joann@fund.co',
    'jöann@fund.co',
    'jo.ann@fund.co',
    "o'ann@fund.co",
    'jo+ann@fund.co',
    'jo-ann@fund.co',
    'jo_ann@fund.co',
    'ann@fund.com',
    'ann@fund.co.uk',
    'ann@fund.co-op.com',
    'ann@fundxco',
  ])('keeps a text that contains only another email address: %s', (text) => {
    expect(eraseText(erased, text)).toBe(text);
  });
});
