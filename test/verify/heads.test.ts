import { describe, expect, it } from 'vitest';
import { describeCompleteness, type HeadPayload, verifyReceipts } from '../../verify/index.ts';
import { receiptItem, sampleReceipts } from './samples.ts';
import { createKey, exampleKey, jwksOf, signHead, signReceipt } from './signing.ts';

const jwks = jwksOf(exampleKey);
const items = sampleReceipts.map((payload) => receiptItem(payload, exampleKey));
const at = '2026-11-20T08:00:00.000Z';

const payload: HeadPayload = {
  v: 1,
  environment: 'test',
  access_request_id: 'ar_1',
  receipts: 3,
  last_receipt_id: sampleReceipts[2].receipt_id,
  issued_at: at,
};
const headOf = (other: object = {}) => signHead({ ...payload, ...other }, exampleKey);
const [first] = sampleReceipts;
const earlier = { receipts: 1, last_receipt_id: first.receipt_id };

describe('an access request’s receipts, checked with a signed head', () => {
  const toldOf = async (receipts: unknown, head?: unknown) => {
    const result = await verifyReceipts(receipts, { jwks, head });
    if (!result.valid) throw new Error(result.message);
    return [result.complete, describeCompleteness(result.complete)] as const;
  };

  it('are complete up to the time of the head', async () => {
    expect(await toldOf(items, headOf())).toEqual([
      { state: 'complete', asOf: at, later: 0 },
      `complete as of ${at}`,
    ]);
  });

  it('are complete except for one change if the head states that the change isn’t signed yet', async () => {
    expect(await toldOf(items, headOf({ awaits_signature: true }))).toEqual([
      { state: 'awaits_signature', asOf: at, later: 0 },
      `complete as of ${at}, except for a change whose receipt was not signed yet`,
    ]);
  });

  it.each([
    ['one receipt', earlier, 2],
    ['one receipt and an unsigned change', { ...earlier, awaits_signature: true }, 2],
    ['no receipt', { receipts: 0, last_receipt_id: null }, 3],
  ])(
    'are complete with an older head, unless more receipts followed: the head states %s',
    async (_what, other, later) => {
      expect(await toldOf(items, headOf(other))).toEqual([
        { state: 'more_came', asOf: at, later },
        `complete as of ${at}; receipts since then: ${later}, and more may exist`,
      ]);
    },
  );

  it.each([undefined, null])(
    'are complete if the head is %s, unless more receipts followed',
    async (head) => {
      expect(await toldOf(items.slice(0, 1), head)).toEqual([
        { state: 'unless_more_came', asOf: null, later: 0 },
        'complete unless newer receipts exist',
      ]);
    },
  );

  it.each([
    ['a receipt that is missing', items.slice(0, 2), headOf(), 'receipts_missing'],
    ['more receipts than are given', items, headOf({ receipts: 4 }), 'receipts_missing'],
    ['another last receipt', items, headOf({ last_receipt_id: 'rcpt_9' }), 'head_differs'],
    ['no last receipt', items, headOf({ last_receipt_id: null }), 'head_differs'],
    ['an earlier receipt with another id', items, headOf({ receipts: 2 }), 'head_differs'],
    ['a last receipt but no receipts', items, headOf({ receipts: 0 }), 'head_differs'],
    ['another request', items, headOf({ access_request_id: 'ar_2' }), 'other_request'],
    ['another environment', items, headOf({ environment: 'live' }), 'other_request'],
    ['a receipt instead of a head', items, signReceipt(payload, exampleKey), 'wrong_type'],
    ['the signature of another key', items, signHead(payload, createKey('other')), 'unknown_key'],
    [
      'the signature of another key with the id of the right key',
      items,
      signHead(payload, { ...createKey('x'), kid: exampleKey.kid }),
      'bad_signature',
    ],
    ['a later version', items, headOf({ v: 2 }), 'unsupported_version'],
    ['a fractional number of receipts', items, headOf({ receipts: 1.5 }), 'malformed_payload'],
    ['a negative number of receipts', items, headOf({ receipts: -1 }), 'malformed_payload'],
    ['an invalid time', items, headOf({ issued_at: 'now' }), 'malformed_payload'],
    ['an unknown member', items, headOf({ reason: null }), 'malformed_payload'],
    ['awaits_signature: false', items, headOf({ awaits_signature: false }), 'malformed_payload'],
    ['an object instead of a JWS', items, { head: headOf() }, 'malformed_jws'],
    ['receipts but none are given', [], headOf(), 'no_receipts'],
  ])('are refused with a wrong head: %s', async (_what, receipts, head, reason) => {
    const result = await verifyReceipts(receipts, { jwks, head });
    expect(result).toMatchObject({ valid: false, reason });
    expect(result).not.toHaveProperty('index');
  });

  it('are verified if one receipt was signed late, and contains the time of its signature', async () => {
    const [one, two, three] = sampleReceipts;
    const late = { ...two, signed_at: at };
    const chain = [one, late, three].map((each) => receiptItem(each, exampleKey));
    expect(await verifyReceipts(chain, { jwks, head: headOf() })).toMatchObject({
      valid: true,
      receipts: [one, late, three],
    });
    const never = receiptItem({ ...two, signed_at: 'never' }, exampleKey);
    expect(await verifyReceipts([items[0], never], { jwks })).toMatchObject({
      reason: 'malformed_payload',
      index: 1,
    });
  });
});
