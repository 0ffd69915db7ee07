import { connectionSizeOf } from '#core';
import { builder } from './builder.ts';
import { AccessRequestStatus } from './enums.ts';
import { maxItems } from './page-info.ts';

builder.objectType('AccessRequestEdge', {
  description: 'An access request in a list.',
  fields: (t) => ({
    cursor: t.exposeString('cursor', {
      description:
        'Its place in the list, which stays while others are added. Means nothing but to `after` and `before`.',
    }),
    node: t.expose('accessRequest', { type: 'AccessRequest', description: 'The access request.' }),
  }),
});

builder.objectType('AccessRequestConnection', {
  description: 'A page of access requests.',
  fields: (t) => ({
    edges: t.field({
      type: ['AccessRequestEdge'],
      description: 'The access requests, each with its place.',
      extensions: { items: maxItems },
      resolve: ({ edges }, _args, { lists }, info) => lists.present(edges, info),
    }),
    nodes: t.field({
      type: ['AccessRequest'],
      description: 'The access requests, for those who need no place of each.',
      extensions: { items: maxItems },
      resolve: ({ edges }, _args, { lists }, info) =>
        lists.present(
          edges.map(({ accessRequest }) => accessRequest),
          info,
        ),
    }),
    pageInfo: t.field({
      type: 'PageInfo',
      description: 'Where the page stands in the list.',
      resolve: (page) => page,
    }),
  }),
});

builder.queryField('accessRequests', (t) =>
  t.field({
    type: 'AccessRequestConnection',
    nullable: true,
    description:
      'The access requests of your organisation, newest first, page by page: 100 unless `first` or `last` says, at most 200. Each page costs a point.',
    extensions: { isRead: true, itemsBelow: connectionSizeOf },
    args: {
      first: t.arg.int({ description: 'So many of the newest, or of those after `after`.' }),
      after: t.arg.string({ description: 'The `endCursor` of the page before.' }),
      last: t.arg.int({ description: 'So many of the oldest, or of those before `before`.' }),
      before: t.arg.string({ description: 'The `startCursor` of the page that follows.' }),
      status: t.arg({
        type: AccessRequestStatus,
        description: 'Only requests that have this status now.',
      }),
    },
    resolve: (_root, page, { useCases, caller, reads }, info) =>
      reads.chargedPage(info, () => useCases.pageAccessRequests(caller, page)),
  }),
);
