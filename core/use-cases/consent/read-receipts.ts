import { z } from 'zod';
import { issueHead } from '../../model/consent/issue-head.ts';
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
  // By default, a page is as large as possible, because a receipt chain is only useful if it is complete.
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

/** A page of a request's receipts, oldest first. The page ends before the first unsigned receipt. */
export interface ReceiptPage extends Page<IssuedReceipt> {
  /** True if the next receipt isn't signed yet. All later ones wait for it. */
  readonly awaitsSignature: boolean;
  /**
   * A compact JWS of the type `consent-receipts-head+jws` that lists the receipts up to the end of this page. Null if
   * more pages follow, if there is no signing key, or if the caller omits the head.
   */
  readonly head: string | null;
}

/** `head: false` saves the time for signing the head. */
type ReceiptOptions = { readonly head?: boolean };

/**
 * @throws AccessError `access_request_not_found`, also for another owner's request, and `company_not_found` if the
 *   company has left the investor's portfolio
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
      // A receipt names the company, which the investor must no longer see.
      const entry = await ports.directory.findInPortfolio(owner.investorId, companyId);
      if (entry === null) throw new AccessError('company_not_found');
    }
    return readChain(ports, query, options);
  };

/** @throws the errors of `readReceipts` */
export const readReceiptsHead =
  (ports: Ports) =>
  async (caller: InvestorCaller, input: ReceiptsInput): Promise<string | null> =>
    (await readReceipts(ports)(caller, input)).head;

/** Returns all receipts of a request as one page. Throws the errors of `readReceipts`. */
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

async function readChain(
  ports: Ports,
  { id, cursor, limit }: z.output<typeof receiptsInput>,
  { head: isHeadWanted = true }: ReceiptOptions = {},
): Promise<ReceiptPage> {
  const after = cursor ?? null;
  const isKnown = after === null || isReceiptId(after);
  // The time is taken before the read, because receipts that are written during the read may be missing.
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
  return {
    items,
    nextCursor: hasMore ? last : null,
    awaitsSignature,
    head: isHeadWanted && !hasMore ? await signHead(found) : null,
  };

  async function signHead([first]: readonly ReceiptOfEvent[]): Promise<string | null> {
    const identity = await signingIdentity(ports);
    if (identity === null) return null;
    const before = after === null ? null : await ports.receipts.locateReceipt(after);
    const environment = before?.environment ?? first?.receipt.environment;
    if (environment === undefined) return null;
    const receipts = (before?.number ?? 0) + items.length;
    const end = { environment, accessRequestId: id, receipts, lastReceiptId: last };
    return issueHead({ ...end, issuedAt, awaitsSignature }, identity);
  }
}
