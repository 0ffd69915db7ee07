import { catchFailure, type Failure, refuse } from './failure.ts';
import { type Completeness, checkHead, withoutHead } from './head.ts';
import {
  allowNull,
  type Formatted,
  hasOneOf,
  isDay,
  isEnvironment,
  isInstant,
  isListOf,
  isObject,
  isOneOf,
  isText,
  isTextList,
  readMember,
  readPayload,
} from './json.ts';
import { openJws } from './jws.ts';
import type { VerifyOptions } from './metric.ts';

const party = { id: isText, name: isText };
const request = {
  receipt_id: isText,
  /** Null for the first receipt of an access request. */
  previous_receipt_id: allowNull(isText),
  event_id: isText,
  /** The type of the event, for example `access_request.approved`. */
  event_type: isText,
  issued_at: isInstant,
  environment: isEnvironment,
  access_request_id: isText,
  /** The company that shares data. */
  data_subject: party,
  /** The investor that receives data. */
  data_recipient: party,
  purpose: allowNull(isText),
  requested_scopes: isTextList,
  approved_scopes: isTextList,
};
const state = {
  /** The expiry time of the grant. Null without a grant. */
  valid_until: allowNull(isInstant),
  status: isText,
};
const reason = allowNull(isText);
const actor = { type: isText, id: allowNull(isText) };
const contact = { type: isOneOf('contact'), id: isText, signed_in_by: isText };

const firstFormat = { v: isOneOf(1), ...request, ...state, actor, reason };

/** The format for changes by a person. It also contains the way in which the person signed in. */
const secondFormat = { v: isOneOf(2), ...request, ...state, actor: contact, reason };

const isTerms = hasOneOf({
  /** Null allows every metric. */
  metric_keys: allowNull(isTextList),
  /** The first period that may be read, `YYYY-MM-DD`. Null allows every period. */
  history_from: allowNull(isDay),
  /** `once` ends the grant 24 hours after its first read. */
  use: isOneOf('ongoing', 'once'),
});

/** The format for requests with terms, a pause or two approvals. */
const thirdFormat = {
  v: isOneOf(3),
  ...request,
  /** Null if the investor requested access without limits. */
  requested_terms: allowNull(isTerms),
  /** Null for a grant without limits, and without a grant. */
  approved_terms: allowNull(isTerms),
  /** Null unless the grant is paused. */
  paused_at: allowNull(isInstant),
  ...state,
  actor: hasOneOf(contact, actor),
  /** The approvals at a company that requires two. */
  approvals: isListOf(
    hasOneOf({ ...contact, created_at: isInstant }, { ...actor, created_at: isInstant }),
  ),
  reason,
};

const formats = [firstFormat, secondFormat, thirdFormat] as const;

/** The payload of a consent receipt, version 1, 2 or 3. */
export type ReceiptPayload = Formatted<(typeof formats)[number]> & {
  /**
   * The time of the signature, if it is later than the change. The time of the change is then only a claim of the
   * service.
   */
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
  /** The signed payloads of the receipts, oldest first. */
  readonly receipts: readonly ReceiptPayload[];
  readonly complete: Completeness;
}

export interface ReceiptsOptions extends VerifyOptions {
  /**
   * The `head` at the end of the receipt list. Without a head, the verifier can't detect that the newest receipts are
   * missing.
   */
  readonly head?: unknown;
}

/**
 * Verifies a single receipt, for example from a webhook. Can't detect missing receipts: for that, use `verifyReceipts`.
 *
 * @param receipt an item of a list of receipts, `{ id, jws }`, or only the compact JWS
 */
export async function verifyReceipt(
  receipt: unknown,
  { jwks }: VerifyOptions,
): Promise<VerifiedReceipt | Failure> {
  return catchFailure(() => open(receipt, jwks));
}

/**
 * Verifies all receipts of an access request. Checks each signature, and that the receipts form a complete chain from
 * the first receipt on. With a head, `complete` also shows whether the newest receipts are missing.
 *
 * @param receipts the items of the receipt list, or compact JWS, oldest first
 */
export async function verifyReceipts(
  receipts: unknown,
  { jwks, head }: ReceiptsOptions,
): Promise<VerifiedReceipts | Failure> {
  return catchFailure(async () => {
    if (!Array.isArray(receipts)) refuse('malformed', 'the input isn’t a list of receipts');
    if (receipts.length === 0) refuse('no_receipts', 'the list contains no receipt');
    const opened: ReceiptPayload[] = [];
    const ids = new Set<string>();
    for (const [index, receipt] of receipts.entries()) {
      const verified = await catchFailure(async () => {
        const result = await open(receipt, jwks);
        checkLink(result.payload, opened, ids);
        return result;
      });
      if (!verified.valid) return { ...verified, index };
      const { payload } = verified;
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
  const { kid, payload } = await openJws(readMember(item, 'jws'), 'consent-receipt+jws', jwks);
  const isLate = readMember(payload, 'signed_at') !== undefined;
  const signed: ReceiptPayload = isLate
    ? readPayload(payload, ...formats.map((format) => ({ ...format, signed_at: isInstant })))
    : readPayload(payload, ...formats);
  const id = readMember(item, 'id');
  if (id !== undefined && id !== signed.receipt_id) {
    refuse('field_differs', 'id differs from the signed value', { field: 'id' });
  }
  return { valid: true, kid, payload: signed };
}

function checkLink(
  receipt: ReceiptPayload,
  earlier: readonly ReceiptPayload[],
  ids: ReadonlySet<string>,
): void {
  const [first] = earlier;
  if (ids.has(receipt.receipt_id) || ids.has(receipt.event_id)) {
    refuse('duplicate_receipt', 'this receipt, or another receipt of its event, is repeated');
  }
  if (first !== undefined && !isOfSameRequest(receipt, first)) {
    refuse(
      'other_request',
      'the receipt belongs to a different access request than the first receipt',
    );
  }
  const previous = earlier.at(-1)?.receipt_id ?? null;
  if (receipt.previous_receipt_id !== previous) {
    refuse(
      'chain_broken',
      first === undefined
        ? 'receipts are missing before the first one'
        : 'the receipt doesn’t follow the one before it: a receipt is missing, or the order is wrong',
    );
  }
}

/** Compares IDs, because names can change between two receipts. */
function isOfSameRequest(receipt: ReceiptPayload, first: ReceiptPayload): boolean {
  return (
    receipt.access_request_id === first.access_request_id &&
    receipt.environment === first.environment &&
    receipt.data_subject.id === first.data_subject.id &&
    receipt.data_recipient.id === first.data_recipient.id
  );
}
