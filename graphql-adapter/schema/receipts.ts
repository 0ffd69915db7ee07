import { issueReceipt } from '#core';
import { accessRequestChangeResource, receiptResource } from '#http';
import { builder } from './builder.ts';
import { describe } from './describe.ts';

const change = describe(accessRequestChangeResource);
const receipt = describe(receiptResource);

builder.objectType('ConsentReceipt', {
  description:
    'A signed receipt of one change of an access request, the same for both sides. It names the previous receipt.',
  fields: (t) => ({
    id: t.exposeID('id', { description: receipt.id }),
    jws: t.exposeString('jws', { description: receipt.jws }),
  }),
});

builder.objectField('AccessRequest', 'receipts', (t) =>
  t.field({
    type: ['ConsentReceipt'],
    nullable: true,
    description:
      'The receipts of the request, oldest first, up to the first unsigned one. Up to 200 receipts. Null with the error `company_not_found` if the company has left your portfolio.',
    cost: { reads: 'shortList', items: 5 },
    args: {
      cursor: t.arg.id({ description: 'ID of your last receipt.' }),
    },
    async resolve({ id }, { cursor }, { useCases, caller }) {
      const { items } = await useCases.readReceipts(caller, { id, cursor }, { head: false });
      return items;
    },
  }),
);

builder.objectField('AccessRequest', 'receiptsHead', (t) =>
  t.field({
    type: 'String',
    nullable: true,
    description:
      'The number of receipts, the last ID and the time: a compact JWS of the type `consent-receipts-head+jws`. Select it together with `receipts`, with the same `cursor`. Null if there are more receipts or no signing key, and like `receipts`.',
    cost: { reads: 'lookUp' },
    args: {
      cursor: t.arg.id({ description: 'The same as for `receipts`.' }),
    },
    resolve: ({ id }, { cursor }, { useCases, caller }) =>
      useCases.readReceiptsHead(caller, { id, cursor }),
  }),
);

builder.objectField('AccessRequestChange', 'receipt', (t) =>
  t.field({
    type: 'ConsentReceipt',
    nullable: true,
    description: change.receipt,
    resolve: (event) => issueReceipt(event, event.receipt),
  }),
);
