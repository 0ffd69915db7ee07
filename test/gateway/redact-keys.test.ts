import fc from 'fast-check';
import { expect, it } from 'vitest';
import { redactKeys } from '../../gateway/logs/redact-keys.ts';

const secret = fc.string({
  unit: fc.constantFrom(...'0123456789ABCXYZabcxyz'),
  minLength: 32,
  maxLength: 32,
});
const key = fc
  .tuple(fc.constantFrom('sk', 'ck', 'xk', 'ds', 'sl'), fc.constantFrom('live', 'test'), secret)
  .map(([kind, environment, rest]) => ({ text: `svc_${kind}_${environment}_${rest}`, rest }));

const encodeOne = (character: string, lower: boolean) => {
  const hex = character.charCodeAt(0).toString(16).padStart(2, '0');
  return `%${lower ? hex : hex.toUpperCase()}`;
};

function encode(text: string, levels: readonly (readonly [number, boolean])[]): string {
  let encoded = text;
  for (const [every, lower] of levels) {
    encoded = Array.from(encoded, (character, index) =>
      index % every === 0 ? encodeOne(character, lower) : character,
    ).join('');
  }
  return encoded;
}

const levels = fc.array(fc.tuple(fc.integer({ min: 1, max: 5 }), fc.boolean()), { maxLength: 5 });

it('a key is redacted, however often and wherever it is percent-encoded', () => {
  fc.assert(
    fc.property(key, levels, ({ text, rest }, encodings) => {
      const told = redactKeys(`/v1/companies/${encode(text, encodings)}/metrics`);
      expect(told).not.toContain(rest);
      expect(told).toMatch(/^\/v1\/companies\/svc_[a-z]{2}_…\/metrics$/);
    }),
  );
});

const oddSign = fc.constantFrom('.', '\n', '%00', ':', ' ', '-', '\u200b', '%E2%80%8B', '…', "'");

it('a key is redacted even if it is cut off, followed by text or interrupted by other characters', () => {
  const cuts = fc.record({ begin: fc.nat(4), end: fc.nat(20) });
  fc.assert(
    fc.property(key, cuts, oddSign, fc.nat(40), ({ text, rest }, { begin, end }, sign, at) => {
      const cut = text.slice(begin, text.length - end);
      expect(redactKeys(`/x/${cut}/y`)).not.toContain(rest.slice(0, 32 - end));
      expect(redactKeys(`/x/${text}${sign}more/y`)).not.toContain(rest);
      const place = 'svc_sk_live_'.length + (at % 32);
      const broken = redactKeys(`/x/${text.slice(0, place)}${sign}${text.slice(place)}/y`);
      for (const half of [text.slice('svc_sk_live_'.length, place), text.slice(place)]) {
        if (half.length > 4) expect(broken).not.toContain(half);
      }
      expect(redactKeys(`/x/${text.replaceAll('_', sign)}/y`)).not.toContain(rest);
    }),
  );
});

it('a webhook secret is redacted, even if the secret contains slashes', () => {
  const bytes = fc.uint8Array({ minLength: 24, maxLength: 24 });
  fc.assert(
    fc.property(bytes, levels, (array, encodings) => {
      const rest = Buffer.from(array).toString('base64');
      const told = redactKeys(`/x/${encode(`whsec_${rest}`, encodings)}`);
      expect(told).toBe('/x/whsec_…');
    }),
  );
  expect(redactKeys('/x/WHSEC_abc\ndef')).toBe('/x/WHSEC_…');
});

it.each([
  ['/%73vc_sk_live_0123456789', '/svc_sk_…'],
  ['/svc%255fsk_live_0123456789', '/svc_sk_…'],
  ['/SVC%5FCK%5Ftest_0123456789/x', '/SVC_CK_…/x'],
  ['/%2525252573vc_zk_live_0123456789', '/svc_zk_…'],
  ['/%%37%33vc_sk_live_0123456789', '/svc_sk_…'],
  ['/a%2Fsvc_sk_live_0123456789%2Fb', '/a/svc_sk_…/b'],
  ['/%E4%zz%svc_sk_live_0123456789', '/\u00e4%zz%svc_sk_…'],
])('%s is redacted to %s', (path, told) => {
  expect(redactKeys(path)).toBe(told);
});

it('a text without a key stays unchanged', () => {
  fc.assert(
    fc.property(fc.webPath(), fc.string(), (path, text) => {
      fc.pre(!/k_/i.test(`${path}${text}`));
      for (const given of [path, text, encodeURIComponent(text.toWellFormed())])
        expect(redactKeys(given)).toBe(given);
    }),
  );
  expect(redactKeys('/%2525zz/%73vc_live')).toBe('/%2525zz/%73vc_live');
});
