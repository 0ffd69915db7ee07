import { z } from 'zod';
import type { Page } from '../../cursor.ts';
import { AccessError } from '../../errors.ts';
import type { Caller, CompanyCaller } from '../../identity/caller.ts';
import { InputError, pageInput, parseInput } from '../../input.ts';
import type { Ports } from '../../ports.ts';
import { findAccessRequest } from '../change-access-request.ts';
import { requestOfNobody } from '../company-decisions.ts';
import { readAccessRequest, showAccessRequest } from '../list-access-requests.ts';
import { issueReceipt } from './issue-receipt.ts';
import { type IssuedReceipt, isReceiptId } from './receipt.ts';

const maxReceipts = 200;

export const receiptsInput = pageInput.extend({
  id: z.string('invalid_parameter'),
  // A chain is of use as a whole, and few have more.
  limit: pageInput.shape.limit
    .unwrap()
    .default(maxReceipts)
    .meta({
      description: `How many at most; from 1 to ${maxReceipts}.`,
      example: maxReceipts,
    }),
  cursor: pageInput.shape.cursor.meta({
    description: 'Id of the last receipt that you have; the list goes on after it.',
    example: 'rcpt_019aa1b2c3d47e5f8a9b0c1d2e3f4a5b',
  }),
});

export type ReceiptsInput = z.input<typeof receiptsInput>;

/** A part of the receipts of one request, oldest first, up to the first that is not signed yet. */
export interface ReceiptPage extends Page<IssuedReceipt> {
  /** Whether the next receipt is there without a signature, so that it and all after it wait. */
  readonly awaitsSignature: boolean;
}

/**
 * The receipts of a request of the caller's investor.
 *
 * @throws InputError, and AccessError `access_request_not_found`, also for another investor's, and `company_not_found`
 *   while the company is not in the portfolio
 */
export const readReceipts =
  (ports: Ports) =>
  async (caller: Caller, input: ReceiptsInput): Promise<ReceiptPage> => {
    const asked = parseInput(receiptsInput, input);
    const { companyId } = await readAccessRequest(ports)(caller, { id: asked.id });
    // A receipt names the company, which is no concern of the investor any more.
    const entry = await ports.directory.findInPortfolio(caller.investorId, companyId);
    if (entry === null) throw new AccessError('company_not_found');
    return readChain(ports, asked);
  };

/**
 * The receipts of a request to the caller's company; see `readReceipts`.
 *
 * @throws InputError, and AccessError `access_request_not_found`, also for one to another company
 */
export const readReceivedReceipts =
  (ports: Ports) =>
  async ({ companyId }: CompanyCaller, input: ReceiptsInput): Promise<ReceiptPage> => {
    const asked = parseInput(receiptsInput, input);
    const request = await findAccessRequest(ports, asked.id);
    if (request?.companyId !== companyId) throw requestOfNobody();
    return readChain(ports, asked);
  };

/**
 * All receipts of a request in one page, for an operator.
 *
 * @throws OperatorError `not_found`
 */
export const listReceipts =
  (ports: Ports) =>
  async (id: string): Promise<ReceiptPage> => {
    await showAccessRequest(ports)(id);
    const items: IssuedReceipt[] = [];
    let page: ReceiptPage;
    let cursor: string | null = null;
    do {
      page = await readChain(ports, { id, cursor, limit: maxReceipts });
      items.push(...page.items);
      cursor = page.nextCursor;
    } while (cursor !== null);
    return { ...page, items };
  };

async function readChain(
  { receipts }: Pick<Ports, 'receipts'>,
  { id, cursor, limit }: z.output<typeof receiptsInput>,
): Promise<ReceiptPage> {
  const after = cursor ?? null;
  const isKnown = after === null || isReceiptId(after);
  const found = isKnown
    ? await receipts.list({ accessRequestId: id, after, limit: limit + 1 })
    : null;
  if (found === null) throw new InputError('invalid_parameter', 'cursor');
  const unsigned = found.findIndex(({ receipt }) => receipt.signature === null);
  const signed = unsigned === -1 ? found : found.slice(0, unsigned);
  const chain = signed
    .map(({ event, receipt }) => issueReceipt(event, receipt))
    .filter((receipt) => receipt !== null);
  const items = chain.slice(0, limit);
  const last = chain.length > limit ? items.at(-1) : undefined;
  return {
    items,
    nextCursor: last?.id ?? null,
    awaitsSignature: unsigned !== -1,
  };
}
