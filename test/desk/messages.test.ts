import { describe, expect, it } from 'vitest';
import { createFormat } from '../../desk/format.ts';
import { findLanguage, languages } from '../../desk/messages/index.ts';
import { flatten } from './catalogue.ts';

const english = flatten(languages.get('en')?.m);

/** Messages that may be the same in English and in another language. */
const mayBeAlike: Readonly<Record<string, readonly string[]>> = {
  de: [
    'direction',
    'product',
    'investor',
    'status',
    'optional',
    'companies.kinds.investor',
    'settings.keys.name',
    'settings.log.changed',
    'settings.log.fields.name',
    'settings.log.none',
    'settings.log.value',
    'settings.usage.code',
    'nav.portfolio',
    'sessions.device',
    'receipts.investor',
    'settings.contacts.roles.admin',
    'settings.tabs.webhooks',
    'settings.webhooks.endpointTitle',
    'standard.metrics.arr',
    'standard.metrics.ebitda',
    'standard.metrics.mrr',
  ],
};

it.each([
  ['en', ['1 second', '2 seconds']],
  ['de', ['1 Sekunde', '2 Sekunden']],
])('the language %s has a singular and a plural for seconds', (language, words) => {
  expect([1, 2].map(createFormat(language).seconds)).toEqual(words);
});

it('English and at least one other language exist', () => {
  expect(english.size).toBeGreaterThan(100);
  expect([...languages.keys()].toSorted()).toEqual(expect.arrayContaining(['de', 'en']));
});

it.each([
  ['de-AT, de;q=0.9, en;q=0.8', 'de'],
  ['fr, de;q=0.5, en;q=0.7', 'en'],
  ['de; q=0.5, en', 'en'],
  ['DE', 'de'],
  ['de;q=0', 'en'],
  ['fr', 'en'],
  ['*', 'en'],
  ['nonsense;;q=x,,', 'en'],
  ['', 'en'],
  [undefined, 'en'],
])('a browser that asks for %s gets %s', (acceptLanguage, tag) => {
  expect(findLanguage(undefined, acceptLanguage).tag).toBe(tag);
});

describe.each([...languages.values()].filter(({ tag }) => tag !== 'en'))(
  'the catalogue $tag',
  ({ tag, m }) => {
    const own = flatten(m);

    it('has the same names as the English catalogue', () => {
      expect([...own.keys()].toSorted()).toEqual([...english.keys()].toSorted());
    });

    it('has an empty text only where the English text is empty', () => {
      const empty = [...own].filter(
        ([name, text]) => text.trim() === '' && english.get(name) !== '',
      );
      expect(empty).toEqual([]);
    });

    it('has no English text left', () => {
      const same = [...own]
        .filter(([name, text]) => text !== '' && text === english.get(name))
        .map(([name]) => name)
        .filter((name) => !(mayBeAlike[tag] ?? []).includes(name));
      expect(same).toEqual([]);
    });

    it('uses every parameter of the English text', () => {
      const left = [...own].filter(([name, text]) =>
        (english.get(name) ?? '')
          .split(/(⟨\d⟩)/)
          .some((part) => /^⟨\d⟩$/.test(part) && !text.includes(part)),
      );
      expect(left).toEqual([]);
    });
  },
);
