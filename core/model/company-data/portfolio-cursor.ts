import { z } from 'zod';
import { InputError } from '../input.ts';
import { base64url, decodeBase64url } from '../proof/jws.ts';
import { parseJson } from '../proof/parse-json.ts';
import { isStorable } from '../text.ts';
import { isExpressible } from '../time.ts';
import { isCompanyId } from './company.ts';

export const portfolioOrders = ['name', 'addedAt', 'endsAt'] as const;

export type PortfolioOrder = (typeof portfolioOrders)[number];

/** The sort value of companies without a grant. They come last in a list that is sorted by expiry. */
export const noEnd = new Date('9999-12-31T00:00:00.000Z');

/** The position of a company in a portfolio list. The company may have left the portfolio in the meantime. */
export interface PortfolioCursor {
  /** The value that the list is sorted by: a name, or a time in RFC 3339. */
  readonly value: string;
  readonly id: string;
}

const companyId = z.string().refine(isCompanyId);
const name = z.string().min(1).max(200).refine(isStorable);
const instant = z.iso.datetime().refine((text) => isExpressible(new Date(text)));

const cursorContent = z.union([
  z.tuple([z.literal('name'), name, companyId]),
  z.tuple([z.enum(['addedAt', 'endsAt']), instant, companyId]),
]);

/** The maximum length of a cursor. Every cursor that this service writes is shorter. */
const maxLength = 2_000;

/** Encodes a position. A cursor contains only facts that the client already knows. */
export function writePortfolioCursor(
  order: PortfolioOrder,
  { value, id }: PortfolioCursor,
): string {
  return base64url(JSON.stringify([order, value, id]));
}

/** @throws InputError `invalid_parameter` if this service didn't write the cursor for this sort order */
export function readPortfolioCursor(
  text: string | null | undefined,
  order: PortfolioOrder,
  parameter: string,
): PortfolioCursor | null {
  if (text == null) return null;
  const { data } = cursorContent.safeParse(text.length > maxLength ? null : parse(text));
  if (data === undefined) {
    throw new InputError('invalid_parameter', parameter, { reason: 'isn’t a cursor of this list' });
  }
  const [writtenOrder, value, id] = data;
  if (writtenOrder !== order) {
    const reason = 'is a cursor of another order of this list';
    throw new InputError('invalid_parameter', parameter, { reason });
  }
  return { value, id };
}

const parse = (text: string): unknown =>
  parseJson(new TextDecoder().decode(decodeBase64url(text) ?? undefined));
