import { issueReceipt } from '#core';
import { builder } from './builder.ts';

builder.objectType('ConsentReceipt', {
  fields: (t) => ({
    id: t.exposeID('id'),
    jws: t.exposeString('jws'),
  }),
});

builder.objectField('AccessRequest', 'receipts', (t) =>
  t.field({
    type: ['ConsentReceipt'],
    nullable: true,
    cost: { reads: 'shortList', items: 5 },
    args: { cursor: t.arg.id() },
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
    cost: { reads: 'lookUp' },
    args: { cursor: t.arg.id() },
    resolve: ({ id }, { cursor }, { useCases, caller }) =>
      useCases.readReceiptsHead(caller, { id, cursor }),
  }),
);

builder.objectField('AccessRequestChange', 'receipt', (t) =>
  t.field({
    type: 'ConsentReceipt',
    nullable: true,
    resolve: (event) => issueReceipt(event, event.receipt),
  }),
);
