import { type AccessRequestEdge, connectionSizeOf } from '#core';
import { builder } from './builder.ts';
import { createConnection } from './connection.ts';
import { AccessRequestStatus } from './enums.ts';

const AccessRequestConnection = createConnection('AccessRequest', {
  one: 'access request',
  several: 'access requests',
  maxItems: 200,
  nodeOf: ({ accessRequest }: AccessRequestEdge) => accessRequest,
});

builder.queryField('accessRequests', (t) =>
  t.field({
    type: AccessRequestConnection,
    nullable: true,
    description:
      'The access requests of your organisation, newest first, page by page: 100 unless `first` or `last` says, at most 200. Each page costs a point.',
    cost: { reads: 'chargedPage', itemsBelow: connectionSizeOf },
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
    resolve: (_root, page, { useCases, caller }) => useCases.pageAccessRequests(caller, page),
  }),
);
