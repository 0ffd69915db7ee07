import { z } from 'zod';
import { issueHead, type ReceiptsHead } from '../../model/consent/issue-head.ts';
import { issueReceipt } from '../../model/consent/issue-receipt.ts';
import { type IssuedReceipt, isReceiptId } from '../../model/consent/receipt.ts';
import type { Page } from '../../model/cursor.ts';
import { AccessError } from '../../model/errors.ts';
import type { InvestorCaller } from '../../model/identity/caller.ts';
import type { OwnerOrOperator } from '../../model/identity/owner.ts';
import { InputError, pageInput, parseInput } from '../../model/input.ts';
import type { Ports } from '../../ports/index.ts';
import type { ReceiptOfEvent } from '../../ports/receipts.ts';
import { signingIdentity } from '../proof/sign-receipts.ts';
import { findAccessRequest } from './find-access-request.ts';

const maxReceipts = 200;

export const receiptsInput = pageInput.extend({
  id: z.string(),
  // The largest page is the default: a chain is useful only as a whole, and most are short.
  limit: pageInput.shape.limit
    .unwrap()
    .default(maxReceipts)
    .meta({
      description: `The page size, from 1 to ${maxReceipts}.`,
      example: maxReceipts,
    }),
  cursor: pageInput.shape.cursor.meta({
    description: 'ID of your last receipt. The list continues after it.',
    example: 'rcpt_019aa1b2c3d47e5f8a9b0c1d2e3f4a5b',
  }),
});

export type ReceiptsInput = z.input<typeof receiptsInput>;

/** A page of a request's receipts, oldest first, up to the first unsigned one. */
export interface ReceiptPage extends Page<IssuedReceipt> {
  /** True if the next receipt isn't signed yet. It and all later ones wait. */
  readonly awaitsSignature: boolean;
  /**
   * A compact JWS of the type `consent-receipts-head+jws` that lists the receipts up to the end of this page. Null if
   * there
   * are more pages, no signing key, or if it isn't requested.
   */
  readonly head: string | null;
}

export interface ReceiptOptions {
  /** True to sign the head, which takes time. */
  readonly head?: boolean;
}

/**
 * Returns a page of the receipts of a request.
 *
 * @throws InputError, and AccessError `access_request_not_found`, also for another owner's, and for an investor
 * `company_not_found` if the company isn't in the portfolio
 */
export const readReceipts =
  (ports: Ports) =>
  async (
    owner: OwnerOrOperator,
    input: ReceiptsInput,
    options?: ReceiptOptions,
  ): Promise<ReceiptPage> => {
    const query = parseInput(receiptsInput, input);
    const { companyId } = await findAccessRequest(ports, owner, query.id);
    if (owner !== null && !('companyId' in owner)) {
      // A receipt names the company, which the investor may no longer see.
      const entry = await ports.directory.findInPortfolio(owner.investorId, companyId);
      if (entry === null) throw new AccessError('company_not_found');
    }
    return readChain(ports, query, options);
  };

/** Returns the head of the receipts. Throws the errors of `readReceipts`. */
export const readReceiptsHead =
  (ports: Ports) =>
  async (caller: InvestorCaller, input: ReceiptsInput): Promise<string | null> =>
    (await readReceipts(ports)(caller, input)).head;

/** Returns all receipts of a request as one page. See `readReceipts`. */
export const listReceipts =
  (ports: Ports) =>
  async (owner: OwnerOrOperator, { id }: Pick<ReceiptsInput, 'id'>): Promise<ReceiptPage> => {
    const items: IssuedReceipt[] = [];
    let cursor: string | null = null;
    for (;;) {
      const page: ReceiptPage = await readReceipts(ports)(owner, { id, cursor });
      items.push(...page.items);
      cursor = page.nextCursor;
      if (cursor === null) return { ...page, items };
    }
  };

type ChainPorts = Pick<Ports, 'clock' | 'receipts' | 'signer'>;

async function readChain(
  ports: ChainPorts,
  { id, cursor, limit }: z.output<typeof receiptsInput>,
  { head: isHeadWanted = true }: ReceiptOptions = {},
): Promise<ReceiptPage> {
  const after = cursor ?? null;
  const isKnown = after === null || isReceiptId(after);
  // Taken before the read, because later receipts may be missing.
  const issuedAt = ports.clock.now();
  const found = isKnown
    ? await ports.receipts.list({ accessRequestId: id, after, limit: limit + 1 })
    : null;
  if (found === null) throw new InputError('invalid_parameter', 'cursor');
  const unsigned = found.findIndex(({ receipt }) => receipt.signature === null);
  const signed = unsigned === -1 ? found : found.slice(0, unsigned);
  const chain = signed.map(({ event, receipt }) => issueReceipt(event, receipt) as IssuedReceipt);
  const items = chain.slice(0, limit);
  const awaitsSignature = unsigned !== -1;
  const hasMore = chain.length > limit;
  const last = items.at(-1)?.id ?? after;
  const end = { after, found, last, count: items.length, issuedAt, awaitsSignature };
  return {
    items,
    nextCursor: hasMore ? last : null,
    awaitsSignature,
    head: isHeadWanted && !hasMore ? await headOf(ports, id, end) : null,
  };
}

interface EndOfChain extends Pick<ReceiptsHead, 'issuedAt' | 'awaitsSignature'> {
  readonly after: string | null;
  readonly found: readonly ReceiptOfEvent[];
  readonly count: number;
  readonly last: string | null;
}

async function headOf(
  ports: ChainPorts,
  accessRequestId: string,
  { after, found, count, last: lastReceiptId, issuedAt, awaitsSignature }: EndOfChain,
): Promise<string | null> {
  const identity = await signingIdentity(ports);
  if (identity === null) return null;
  const before = after === null ? null : await ports.receipts.findPlace(after);
  const environment = before?.environment ?? found[0]?.receipt.environment;
  if (environment === undefined) return null;
  const receipts = (before?.number ?? 0) + count;
  const end = { accessRequestId, environment, receipts, lastReceiptId };
  return issueHead({ ...end, issuedAt, awaitsSignature }, identity);
}
