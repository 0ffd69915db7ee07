import { at, type Failure, orFailure, refuse } from './failure.ts';
import { type Completeness, checkHead, withoutHead } from './head.ts';
import {
  type Formatted,
  isEnvironment,
  isFirstVersion,
  isInstant,
  isObject,
  isOneOf,
  isSecondVersion,
  isText,
  isTextList,
  memberOf,
  orNull,
  readPayload,
} from './json.ts';
import { openJws } from './jws.ts';
import type { VerifyOptions } from './metric.ts';

const party = { id: isText, name: isText };
const firstFormat = {
  v: isFirstVersion,
  receipt_id: isText,
  /** Null for the first receipt of an access request. */
  previous_receipt_id: orNull(isText),
  event_id: isText,
  /** For example `access_request.approved`. */
  event_type: isText,
  issued_at: isInstant,
  environment: isEnvironment,
  access_request_id: isText,
  /** The company. */
  data_subject: party,
  /** The investor. */
  data_recipient: party,
  purpose: orNull(isText),
  requested_scopes: isTextList,
  approved_scopes: isTextList,
  /** The end of the grant. Null without a grant. */
  valid_until: orNull(isInstant),
  status: isText,
  /** The actor of the change. */
  actor: { type: isText, id: orNull(isText) },
  reason: orNull(isText),
};

/** For changes by a contact. Contains how the person signed in. */
const secondFormat = {
  ...firstFormat,
  v: isSecondVersion,
  actor: { type: isOneOf('contact'), id: isText, signed_in_by: isText },
};

/** The payload of a consent receipt, version 1 or 2. */
export type ReceiptPayload = (Formatted<typeof firstFormat> | Formatted<typeof secondFormat>) & {
  /** The time of a late signature. Then only the service vouches for the time of the change. */
  readonly signed_at?: string;
};

export interface VerifiedReceipt {
  readonly valid: true;
  /** The ID of the signing key. */
  readonly kid: string;
  readonly payload: ReceiptPayload;
}

export interface VerifiedReceipts {
  readonly valid: true;
  /** The signed payloads, oldest first. */
  readonly receipts: readonly ReceiptPayload[];
  /** The known facts about the end of the chain. */
  readonly complete: Completeness;
}

export interface ReceiptsOptions extends VerifyOptions {
  /** The `head` at the end of the list. Without it, newer receipts could be missing. */
  readonly head?: unknown;
}

/**
 * Verifies a single receipt, for example from a webhook. Use verifyReceipts to notice missing receipts.
 *
 * @param receipt an item of a list of receipts, `{ id, jws }`, or the compact JWS alone
 */
export async function verifyReceipt(
  receipt: unknown,
  { jwks }: VerifyOptions,
): Promise<VerifiedReceipt | Failure> {
  return orFailure(() => open(receipt, jwks));
}

/**
 * Verifies all receipts of an access request: the signatures, and that they form one chain from the first receipt on.
 * Only
 * the head shows whether newer receipts are missing: `complete` has its time.
 *
 * @param receipts the items of the list, or compact JWS, oldest first
 */
export async function verifyReceipts(
  receipts: unknown,
  { jwks, head }: ReceiptsOptions,
): Promise<VerifiedReceipts | Failure> {
  return orFailure(async () => {
    if (!Array.isArray(receipts)) refuse('malformed', 'this is no list of receipts');
    if (receipts.length === 0) refuse('no_receipts', 'there is no receipt');
    const opened: ReceiptPayload[] = [];
    const ids = new Set<string>();
    for (const [index, receipt] of receipts.entries()) {
      const payload = await at(index, async () => {
        const { payload } = await open(receipt, jwks);
        checkLink(payload, opened.at(-1), opened[0], ids);
        return payload;
      });
      opened.push(payload);
      ids.add(payload.receipt_id).add(payload.event_id);
    }
    const complete =
      head === undefined || head === null
        ? withoutHead
        : await checkHead(head, opened as [ReceiptPayload, ...ReceiptPayload[]], jwks);
    return { valid: true, receipts: opened, complete };
  });
}

async function open(receipt: unknown, jwks: unknown): Promise<VerifiedReceipt> {
  const item = isObject(receipt) ? receipt : { jws: receipt };
  const { kid, payload } = await openJws(memberOf(item, 'jws'), 'consent-receipt+jws', jwks);
  const isLate = memberOf(payload, 'signed_at') !== undefined;
  const late = { signed_at: isInstant };
  const signed: ReceiptPayload = isLate
    ? readPayload(payload, { ...firstFormat, ...late }, { ...secondFormat, ...late })
    : readPayload(payload, firstFormat, secondFormat);
  const id = memberOf(item, 'id');
  if (id !== undefined && id !== signed.receipt_id) {
    refuse('field_differs', 'id is not what was signed', { field: 'id' });
  }
  return { valid: true, kid, payload: signed };
}

function checkLink(
  receipt: ReceiptPayload,
  before: ReceiptPayload | undefined,
  first: ReceiptPayload | undefined,
  ids: ReadonlySet<string>,
): void {
  if (ids.has(receipt.receipt_id) || ids.has(receipt.event_id)) {
    refuse('duplicate_receipt', 'the receipt, or another one of its event, was there before');
  }
  if (first !== undefined && !isOfSameRequest(receipt, first)) {
    refuse('other_request', 'the receipt is of another access request than the first one');
  }
  const previous = before?.receipt_id ?? null;
  if (receipt.previous_receipt_id !== previous) {
    refuse(
      'chain_broken',
      before === undefined
        ? 'receipts are missing before the first one'
        : 'the receipt does not follow the one before it: one is missing, or the order is another',
    );
  }
}

/** Names can change between two receipts, IDs can't. */
function isOfSameRequest(receipt: ReceiptPayload, first: ReceiptPayload): boolean {
  return (
    receipt.access_request_id === first.access_request_id &&
    receipt.environment === first.environment &&
    receipt.data_subject.id === first.data_subject.id &&
    receipt.data_recipient.id === first.data_recipient.id
  );
}
