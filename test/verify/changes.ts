import * as fc from 'fast-check';
import type { ValuePayload } from './samples.ts';
import {
  createKey,
  exampleKey,
  headerOf,
  type SigningKey,
  signMetric,
  signTexts,
} from './signing.ts';

const isDifferent =
  <T>(from: T) =>
  (to: T) =>
    to !== from;

const instant = fc
  .date({ min: new Date('1900-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString());
// Includes letters with several forms, quotes, control characters and half surrogate pairs.
const text = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 30 }),
  fc.constantFrom('Café Bank', 'Ångström', '한국은행', 'ﬁnance', 'ΑΒΓ', 'cashBalance'),
);
const digits = (max: number) => fc.stringMatching(new RegExp(`^[0-9]{1,${max}}$`));
const amount = fc
  .tuple(fc.boolean(), digits(25), fc.option(digits(12)))
  .map(([isNegative, whole, fraction]) => {
    const integer = whole.replace(/^0+(?=\d)/, '');
    const rest = (fraction ?? '').replace(/0+$/, '');
    const magnitude = rest === '' ? integer : `${integer}.${rest}`;
    return isNegative && magnitude !== '0' ? `-${magnitude}` : magnitude;
  });

export const arbitraryPayload: fc.Arbitrary<ValuePayload> = fc.record(
  {
    v: fc.constant(1 as const),
    environment: fc.constantFrom('live', 'test'),
    company_id: fc.stringMatching(/^co_[a-z0-9]{1,12}$/),
    key: fc.stringMatching(/^[a-z][a-z_.-]{0,20}$/),
    period: instant.map((value) => value.slice(0, 10)),
    raw_value: amount,
    currency: fc.option(fc.stringMatching(/^[A-Z]{3}$/)),
    as_of: instant,
    source: fc.record(
      { system: text, method: text, last_synced: instant },
      { noNullPrototype: true },
    ),
    revision: fc.integer({ min: 1, max: 1_000_000 }),
    signed_at: instant,
  },
  { noNullPrototype: true },
);

/** A careless comparison would treat these forms of a text as equal. */
const otherForms = (value: string): string[] => {
  const date = /^\d{4}-\d{2}-\d{2}T/.test(value) ? new Date(value) : undefined;
  const inZone = (minutes: number, zone: string) =>
    new Date((date?.getTime() ?? 0) + minutes * 60_000).toISOString().replace('Z', zone);
  const times = date
    ? [
        value.replace('Z', '+00:00'),
        inZone(60, '+01:00'),
        inZone(-330, '-05:30'),
        value.replace(/\.\d+Z/, 'Z'),
        value.replace('Z', '000Z'),
        value.replace('T', ' '),
        value.toLowerCase(),
      ]
    : [];
  const forms = ['NFC', 'NFD', 'NFKC', 'NFKD'].map((form) => value.normalize(form));
  const all = [
    ...times,
    ...forms,
    value.toUpperCase(),
    ` ${value}`,
    `${value}\0`,
    `${value}\u200d`,
  ];
  return all.filter(isDifferent(value));
};

const otherNumbers = (value: string): string[] =>
  [
    `${value}${value.includes('.') ? '' : '.'}0`,
    `${value}e0`,
    `0${value}`,
    `+${value}`,
    `${value.startsWith('-') ? value.slice(1) : `-${value}`}`,
    `${value}${value.includes('.') ? '' : '.'}000000000001`,
    value.replace('.', ','),
  ].filter(isDifferent(value));

const otherText = (value: string) =>
  fc.oneof(fc.constantFrom(...otherForms(value)), text.filter(isDifferent(value)));

/** A metric in an answer, after JSON.parse. */
type Metric = Record<string, unknown> & { source: Record<string, unknown> };
type Change = (metric: Metric) => void;

const set =
  (path: readonly string[]) =>
  (value: unknown): Change =>
  (metric) => {
    let object = metric as Record<string, unknown>;
    for (const name of path.slice(0, -1)) object = object[name] as Record<string, unknown>;
    const name = path.at(-1) as string;
    if (value === undefined) delete object[name];
    else object[name] = value;
  };

/** Draws a change of one signed field in a metric. */
export function changedField(payload: ValuePayload, isCamel: boolean): fc.Arbitrary<Change> {
  const name = (snake: string, camel: string) => (isCamel ? camel : snake);
  const { source } = payload;
  const texts: [string[], string][] = [
    [[name('company_id', 'companyId')], payload.company_id],
    [['key'], payload.key],
    [['period'], payload.period],
    [[name('as_of', 'asOf')], payload.as_of],
    [['source', 'system'], source.system],
    [['source', 'method'], source.method],
    [['source', name('last_synced', 'lastSynced')], source.last_synced],
    [['verification', name('signed_at', 'signedAt')], payload.signed_at],
    [['environment'], payload.environment],
    [['currency'], payload.currency ?? ''],
  ];
  const required = texts.slice(0, 7);
  // REST omits a currency of null anyway, so it can't be removed.
  const removable =
    payload.currency === null ? required : [...required, texts[9] as (typeof texts)[9]];
  const number = Number(payload.raw_value);
  return fc.oneof(
    ...texts.map(([path, value]) => otherText(value).map(set(path))),
    fc.constantFrom(...removable).map(([path]) => set(path)(undefined)),
    fc.constantFrom(...required).map(([path]) => set(path)(null)),
    fc.constant(set(['currency'])(payload.currency === null ? 'USD' : null)),
    fc
      .oneof(
        fc.constantFrom(...otherNumbers(payload.raw_value)),
        amount.filter(isDifferent(payload.raw_value)),
      )
      .map(set([name('raw_value_text', 'rawValue')])),
    fc
      .oneof(
        fc.constantFrom(number + 1, number * 2, -number, number / 3, null, `${number}e0`),
        fc.double(),
      )
      .filter((value) => value !== number && !(value === 0 && number === 0))
      .map(set(['raw_value'])),
    fc
      .integer()
      .filter(isDifferent<number>(payload.revision))
      .map(set(['verification', 'revision'])),
  );
}

/** Draws a signature that isn't the key's signature of the payload, or that has a wrong format. */
export function changedSignature(payload: ValuePayload): fc.Arbitrary<string> {
  const signature = signMetric(payload, exampleKey);
  const [head = '', body = '', tail = ''] = signature.split('.');
  const characters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=.+ ';
  const entries = Object.entries(payload);
  const reordered = fc
    .shuffledSubarray(entries, { minLength: entries.length })
    .map((members) => JSON.stringify(Object.fromEntries(members)))
    .filter(isDifferent(JSON.stringify(payload)));
  // Signing all variants takes long, so a variant is signed only when it is drawn.
  const signed = (by: SigningKey, changed: object = payload) =>
    fc.constant(null).map(() => signMetric(changed, by));
  return fc.oneof(
    // The signature with one character replaced.
    fc
      .tuple(fc.nat(signature.length - 1), fc.constantFrom(...characters))
      .map(
        ([place, character]) => signature.slice(0, place) + character + signature.slice(place + 1),
      )
      .filter(isDifferent(signature)),
    // A signature by another key that has the example key's ID.
    signed({ ...strangeKey, kid: exampleKey.kid }),
    signed(strangeKey),
    // The payload's members in another order, with the old signature and with a new one.
    reordered.map((text) => `${head}.${Buffer.from(text).toString('base64url')}.${tail}`),
    reordered.map((text) => signTexts(headerOf('metric+jws', exampleKey), text, exampleKey)),
    // Valid signatures of the key, but for another value, company or revision.
    arbitraryPayload
      .filter((other) => other.raw_value !== payload.raw_value)
      .map((other) => signMetric(other, exampleKey)),
    signed(exampleKey, { ...payload, company_id: `${payload.company_id}x` }),
    signed(exampleKey, { ...payload, revision: payload.revision + 1 }),
    fc.constantFrom(signature.slice(1), signature.slice(0, -1), `${head}.${body}.`, ''),
  );
}

const strangeKey = createKey('strange');
