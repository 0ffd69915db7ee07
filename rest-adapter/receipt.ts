import { z } from 'zod';
import { type IssuedReceipt, type ReceiptPage, type ReceiptsInput, receiptsInput } from '#core';
import { receiptResource } from '#http';
import { requestParameters } from './access-request.ts';
import { type Endpoint, endpoint } from './endpoint.ts';
import { pageSchema, presentPage } from './list.ts';
import { withExample } from './schemas.ts';

const { id, jws } = receiptResource.shape;

export const receiptSchema = z
  .object({ id, object: z.literal('consent_receipt'), jws })
  .meta({ ...receiptResource.meta(), id: 'ConsentReceipt' });

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
        'True if the next receipt isn’t signed yet. The list contains that receipt and all later receipts after it is signed.',
    }),
    head: z.string().optional().meta({
      description:
        'On the last page: a compact JWS of the type `consent-receipts-head+jws` with the number of receipts, the ID of the last receipt, and the time. The head counts only signed receipts, and shows whether unsigned receipts exist. Absent if the service has no signing key.',
    }),
  })
  .meta({ id: 'ConsentReceiptPage', description: 'A page of the receipts.' });

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
    summary: 'List the receipts of an access request',
    description:
      'Lists the signed receipts of all changes, oldest first. The list ends before the first unsigned receipt (see `awaits_signature`). Each receipt names the previous one, and `head` names the last one, so you notice missing receipts. The last receipt shows the present state of the request. The example is signed with the key of RFC 8037, appendix A, so you can verify it.',
    isAddition: true,
    parameters: requestParameters(example.request),
    query: z.object({ limit, cursor: withExample(cursor, example.receipt.id) }),
    responses: {
      200: {
        description: 'The receipts. `next_cursor` is the ID of the last one if there are more.',
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
