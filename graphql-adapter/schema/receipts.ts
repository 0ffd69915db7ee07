import { issueReceipt } from '#core';
import { builder } from './builder.ts';

builder.objectType('ConsentReceipt', {
  description:
    'A signed receipt of one change of an access request, the same for both sides. Each names the one before it.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Id of the receipt, of the form `rcpt_…`.' }),
    jws: t.exposeString('jws', {
      description:
        'A JWS in its compact form, of the type `consent-receipt+jws`. The key for its `kid` is in `/.well-known/jwks.json`.',
    }),
  }),
});

builder.objectField('AccessRequest', 'receipts', (t) =>
  t.field({
    type: ['ConsentReceipt'],
    nullable: true,
    description:
      'The receipts of all changes of the request, oldest first, up to the first that is not signed yet, whose change has no `receipt` in `history`: at most 200. Null, with the error `company_not_found`, when the company has left your portfolio.',
    cost: { reads: 'shortList', items: 5 },
    args: {
      cursor: t.arg.id({ description: 'Id of the last receipt that you have.' }),
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
      'How many receipts there are, the id of the last one, and as of when: a JWS in its compact form, of the type `consent-receipts-head+jws`. Ask for it beside `receipts` with the same `cursor`. Null while there are more than these, without a key to sign with, and like `receipts`.',
    cost: { reads: 'lookUp' },
    args: {
      cursor: t.arg.id({ description: 'As that of `receipts`.' }),
    },
    resolve: ({ id }, { cursor }, { useCases, caller }) =>
      useCases.readReceiptsHead(caller, { id, cursor }),
  }),
);

builder.objectField('AccessRequestChange', 'receipt', (t) =>
  t.field({
    type: 'ConsentReceipt',
    nullable: true,
    description: 'The receipt of the change; null while it is not signed.',
    resolve: (event) => issueReceipt(event, event.receipt),
  }),
);
