import { builder } from './builder.ts';

/** Pages in the form of Relay's specification of connections. Items are presented as every list is, within the bounds. */
export const maxItems = 200;

builder.objectType('PageInfo', {
  description: 'Where a page stands in its list.',
  fields: (t) => ({
    hasNextPage: t.exposeBoolean('hasNextPage', {
      description:
        'Whether items follow this page; reading backwards, whether there was a `before`.',
    }),
    hasPreviousPage: t.exposeBoolean('hasPreviousPage', {
      description:
        'Whether items precede this page; reading forwards, whether there was an `after`.',
    }),
    startCursor: t.string({
      nullable: true,
      description: 'That of the first item; null on an empty page.',
      resolve: ({ edges }) => edges[0]?.cursor ?? null,
    }),
    endCursor: t.string({
      nullable: true,
      description: 'That of the last item; null on an empty page.',
      resolve: ({ edges }) => edges.at(-1)?.cursor ?? null,
    }),
  }),
});
