import { z } from 'zod';
import { type IssuedReceipt, type Page, type ReceiptsInput, receiptsInput } from '#core';
import type { Context } from './context.ts';
import { decodeQuery } from './decode.ts';
import type { Endpoint } from './endpoint.ts';
import { pageSchema, presentPage } from './list.ts';

export const receiptSchema = z
  .object({
    id: z.string().meta({ description: 'Identifier of the form rcpt_….' }),
    object: z.literal('consent_receipt'),
    jws: z.string().meta({
      description:
        'The signed receipt: a JWS in its compact form, of the type `consent-receipt+jws`. The key for its `kid` is in `/.well-known/jwks.json`.',
    }),
  })
  .meta({
    id: 'ConsentReceipt',
    description:
      'A signed receipt of one change of an access request, the same for both sides. Each names the one before it.',
  });

export const presentReceipt = ({ id, jws }: IssuedReceipt): z.output<typeof receiptSchema> => ({
  id,
  object: 'consent_receipt',
  jws,
});

export const receiptExample: z.output<typeof receiptSchema> = {
  id: 'rcpt_019aa1b2c3d47e5f8a9b0c1d2e3f4a5b',
  object: 'consent_receipt',
  jws: 'eyJhbGciOiJFZERTQSIsImtpZCI6IuKApiIsInR5cCI6ImNvbnNlbnQtcmVjZWlwdCtqd3MifQ.eyJ2IjoxfQ.c2lnbmF0dXJl',
};

const requestParameters = z.object({
  id: z.string().meta({ description: 'Id of an access request.', example: 'ar_0198c5c1' }),
});

const { limit, cursor } = receiptsInput.shape;
const querySchema = z.object({ limit, cursor });

/** The same list for both sides. */
export const receiptEndpoint = <OwnContext extends Context>(
  listUrl: string,
  refusals: Endpoint<OwnContext>['refusals'],
  read: (context: OwnContext, input: ReceiptsInput) => Promise<Page<IssuedReceipt>>,
): Endpoint<OwnContext> => ({
  method: 'GET',
  path: '/access-requests/{id}/receipts',
  id: 'listReceipts',
  tag: 'Access requests',
  summary: 'Read the receipts of an access request',
  description:
    'A signed receipt of each change, oldest first, up to the first that is not signed yet. Each names the one before it, so that none can be missing unnoticed; the last one says what holds. **An addition of this service.**',
  parameters: requestParameters,
  query: querySchema,
  responses: {
    200: {
      description: 'The receipts; `next_cursor` is the id of the last one while there are more.',
      schema: pageSchema(receiptSchema, 'ConsentReceiptPage', 'receipts'),
      example: presentPage([receiptExample], `${listUrl}/ar_0198c5c1/receipts`, null),
    },
  },
  refusals: ['access_request_not_found', ...refusals],
  async handle(context) {
    const { id = '' } = context.parameters;
    const query = decodeQuery<Omit<ReceiptsInput, 'id'>>(context, querySchema);
    const { items, nextCursor } = await read(context, { ...query, id });
    const url = `${listUrl}/${id}/receipts`;
    return { status: 200, body: presentPage(items.map(presentReceipt), url, nextCursor) };
  },
});
