import { z } from 'zod';
import { type IssuedReceipt, type ReceiptPage, type ReceiptsInput, receiptsInput } from '#core';
import { requestParameters } from './access-request.ts';
import { type Endpoint, endpoint } from './endpoint.ts';
import { pageSchema, presentPage } from './list.ts';
import { withExample } from './schemas.ts';

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

const { limit, cursor } = receiptsInput.shape;

const receiptPageSchema = z
  .object({
    ...pageSchema(receiptSchema, 'ReceiptPage', 'receipts').shape,
    awaits_signature: z.literal(true).optional().meta({
      description:
        'Present while the receipt of the next change is not signed yet: it and all after it come once it is.',
    }),
    head: z.string().optional().meta({
      description:
        'With the last page: how many receipts there are, the id of the last one, and as of when. A JWS in its compact form, of the type `consent-receipts-head+jws`. A change that `awaits_signature` is not counted, which the head says itself. Absent without a key to sign with.',
    }),
  })
  .meta({ id: 'ConsentReceiptPage', description: 'A page of the receipts.' });

/** The same list for both sides. */
export const receiptEndpoint = <OwnContext>(
  listUrl: string,
  example: {
    readonly request: string;
    readonly receipt: z.output<typeof receiptSchema>;
    readonly head: string;
  },
  refusals: Endpoint<OwnContext>['refusals'],
  read: (context: OwnContext, input: ReceiptsInput) => Promise<ReceiptPage>,
): Endpoint<OwnContext> =>
  endpoint({
    method: 'GET',
    path: '/access-requests/{id}/receipts',
    id: 'listReceipts',
    tag: 'Access requests',
    summary: 'Read the receipts of an access request',
    description:
      'A signed receipt of each change, oldest first, up to the first that is not signed yet, of which `awaits_signature` tells. Each names the one before it, so that none between them can be missing unnoticed, and `head` says which is the last; the last one says what holds. The example is signed by the key of RFC 8037, appendix A, so that it can be verified like any other. **An addition of this service.**',
    parameters: requestParameters(example.request),
    query: z.object({ limit, cursor: withExample(cursor, example.receipt.id) }),
    responses: {
      200: {
        description: 'The receipts; `next_cursor` is the id of the last one while there are more.',
        schema: receiptPageSchema,
        example: {
          ...presentPage([example.receipt], `${listUrl}/${example.request}/receipts`, null),
          head: example.head,
        },
      },
    },
    refusals: ['access_request_not_found', ...refusals],
    async handle(context: OwnContext, input) {
      const { items, nextCursor, awaitsSignature, head } = await read(context, input);
      const url = `${listUrl}/${input.id}/receipts`;
      const page = presentPage(items.map(presentReceipt), url, nextCursor);
      const body = {
        ...page,
        ...(awaitsSignature && { awaits_signature: true }),
        ...(head !== null && { head }),
      };
      return { status: 200, body };
    },
  });
