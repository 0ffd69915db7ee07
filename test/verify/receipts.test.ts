import { describe, expect, it } from 'vitest';
import { type ReceiptPayload, verifyReceipt, verifyReceipts } from '../../verify/index.ts';
import { receiptItem, receiptWithTerms, sampleReceipts, signedSample } from './samples.ts';
import { createKey, exampleKey, jwksOf, signReceipt } from './signing.ts';

const jwks = jwksOf(exampleKey);
const items = sampleReceipts.map((payload) => receiptItem(payload, exampleKey));
const [first, second, third] = sampleReceipts;
const verify = (receipts: unknown) => verifyReceipts(receipts, { jwks });
const sign = (...payloads: ReceiptPayload[]) =>
  payloads.map((payload) => receiptItem(payload, exampleKey));

describe('the receipts of an access request', () => {
  it('are verified as one chain, and the signed payloads are returned', async () => {
    expect(await verify(items)).toEqual({
      valid: true,
      receipts: sampleReceipts,
      complete: { state: 'unless_more_came', asOf: null, later: 0 },
    });
  });

  it('are verified if only their JWS texts are given', async () => {
    expect(await verify(items.map(({ jws }) => jws))).toMatchObject({ valid: true });
  });

  it('are verified after a rotation of the key and a change of a name', async () => {
    const later = createKey('later');
    const renamed = { ...third, data_subject: { ...third.data_subject, name: 'Harbour' } };
    const chain = [...items.slice(0, 2), receiptItem(renamed, later)];
    expect(await verifyReceipts(chain, { jwks: jwksOf(exampleKey, later) })).toMatchObject({
      valid: true,
    });
    expect(await verify(chain)).toMatchObject({ reason: 'unknown_key', index: 2 });
  });

  it('are verified with terms, a pause, two approvals and a late signature', async () => {
    const paused = { ...receiptWithTerms, paused_at: '2026-11-02T09:00:00.000Z' };
    const late = { ...paused, signed_at: '2026-11-05T08:00:00.000Z' };
    expect(await verify(sign(first, late))).toMatchObject({ valid: true, receipts: [first, late] });
  });

  it.each([
    ['no approvals', { approvals: undefined }],
    ['an approval without a time', { approvals: [{ type: 'company_key', id: 'ck_1' }] }],
    ['terms without a member', { approved_terms: { metric_keys: null, history_from: null } }],
    ['an unknown use', { approved_terms: { ...receiptWithTerms.approved_terms, use: 'twice' } }],
    ['a pause without a time', { paused_at: '2026-11-02' }],
    ['the version of a receipt without terms', { v: 2 }],
  ])('are refused if a receipt with terms has %s', async (_name, change) => {
    const signed = signReceipt({ ...receiptWithTerms, ...change }, exampleKey);
    expect(await verifyReceipt(signed, { jwks })).toMatchObject({ reason: 'malformed_payload' });
  });

  it('are verified even if the newest receipts are missing, because only a signed head can prove a loss', async () => {
    expect(await verify(items.slice(0, 1))).toMatchObject({ valid: true });
  });

  it.each([
    ['an empty list', [], { reason: 'no_receipts' }],
    ['an object instead of a list', { data: items }, { reason: 'malformed' }],
    ['the first receipt missing', items.slice(1), { reason: 'chain_broken', index: 0 }],
    ['a receipt missing in the middle', [items[0], items[2]], { reason: 'chain_broken', index: 1 }],
    ['two receipts swapped', [items[0], items[2], items[1]], { reason: 'chain_broken', index: 1 }],
    ['the newest receipt first', items.toReversed(), { reason: 'chain_broken', index: 0 }],
    ['a receipt twice', [items[0], items[1], items[1]], { reason: 'duplicate_receipt', index: 2 }],
    [
      'two receipts of one event',
      sign(first, { ...second, event_id: 'evt_1' }),
      { reason: 'duplicate_receipt', index: 1 },
    ],
    [
      'a receipt of another request',
      sign(first, { ...second, access_request_id: 'ar_2' }),
      { reason: 'other_request', index: 1 },
    ],
    [
      'a receipt of another company',
      sign(first, { ...second, data_subject: { id: 'co_lumen', name: 'Lumen' } }),
      { reason: 'other_request', index: 1 },
    ],
    [
      'a receipt of another investor',
      sign(first, { ...second, data_recipient: { id: 'inv_2', name: 'Two' } }),
      { reason: 'other_request', index: 1 },
    ],
    [
      'a receipt of the other environment',
      sign(first, { ...second, environment: 'live' }),
      { reason: 'other_request', index: 1 },
    ],
    [
      'two receipts that begin the chain',
      sign(first, { ...second, previous_receipt_id: null }),
      { reason: 'chain_broken', index: 1 },
    ],
    [
      'an id that is not the signed one',
      [{ ...items[0], id: 'rcpt_9' }],
      { reason: 'field_differs', field: 'id' },
    ],
    ['no JWS', [{ id: 'rcpt_1' }], { reason: 'malformed_jws', index: 0 }],
    ['null', [null], { reason: 'malformed_jws', index: 0 }],
    [
      'the signature of a metric',
      [signedSample(exampleKey).verification.signature],
      { reason: 'wrong_type', index: 0 },
    ],
  ])('are refused with %s', async (_name, receipts, failure) => {
    expect(await verify(receipts)).toMatchObject({ valid: false, ...failure });
  });

  it.each([
    ['a text where a list belongs', { requested_scopes: 'metrics:read' }],
    ['a time without milliseconds', { issued_at: '2026-11-01T08:00:00Z' }],
    ['an end without a time', { valid_until: '2027-11-02' }],
    ['an actor without id', { actor: { type: 'operator' } }],
    ['signed_in_by in version 1', { actor: { type: 'contact', id: 'ct_1', signed_in_by: 'link' } }],
    ['no signed_in_by in version 2', { v: 2, actor: { type: 'contact', id: 'ct_1' } }],
    ['no actor in version 2', { v: 2 }],
    [
      'signed_in_by of an operator in version 2',
      { v: 2, actor: { type: 'operator', id: 'x', signed_in_by: 'link' } },
    ],
    ['an additional member', { extra: true }],
    ['an additional member of a party', { data_subject: { id: 'co_harbor', name: 'H', extra: 1 } }],
  ])('are refused with %s, even if the key signed it', async (_name, change) => {
    const signed = signReceipt({ ...first, ...change }, exampleKey);
    expect(await verify([signed])).toMatchObject({ reason: 'malformed_payload' });
  });
});

describe('a single receipt', () => {
  it('is verified, whatever its place in the chain', async () => {
    expect(await verifyReceipt(items[1], { jwks })).toEqual({
      valid: true,
      kid: exampleKey.kid,
      payload: second,
    });
  });

  it('is refused if another key signed it', async () => {
    const item = receiptItem(second, { ...createKey('other'), kid: exampleKey.kid });
    expect(await verifyReceipt(item, { jwks })).toMatchObject({ reason: 'bad_signature' });
  });
});
