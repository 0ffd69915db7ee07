import { issueReceipt } from '#core';
import { accessRequestChangeResource, receiptResource } from '#http';
import { builder } from './builder.ts';
import { describe } from './describe.ts';

const change = describe(accessRequestChangeResource);
const receipt = describe(receiptResource);

builder.objectType('ConsentReceipt', {
  description:
    'The signed receipt of one change of an access request. The investor and the company get the same receipt. Each receipt names the previous one.',
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
      'The receipts of the request, oldest first. The list ends before the first unsigned receipt, and has up to 200 receipts. Null with the error `company_not_found` if the company has left your portfolio.',
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
      'A compact JWS of the type `consent-receipts-head+jws` with the number of receipts, the ID of the last receipt, and the time. Select it together with `receipts`, with the same `cursor`. Null if there are more receipts, if the service has no signing key, or if `receipts` is null.',
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
