import { builder, type Node, type NodeName } from './builder.ts';

interface Edge {
  readonly cursor: string;
}

/** A page, as Relay's connection specification defines it. */
export interface Page<Item extends Edge = Edge> {
  readonly edges: readonly Item[];
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
  readonly countAll?: () => Promise<number>;
}

const PageInfo = builder.objectRef<Page>('PageInfo').implement({
  description: 'The position of a page in its list.',
  fields: (t) => ({
    hasNextPage: t.exposeBoolean('hasNextPage', {
      description:
        'True if items follow this page. When reading backwards: true if `before` was given.',
    }),
    hasPreviousPage: t.exposeBoolean('hasPreviousPage', {
      description:
        'True if items precede this page. When reading forwards: true if `after` was given.',
    }),
    startCursor: t.string({
      nullable: true,
      description: 'The cursor of the first item. Null on an empty page.',
      resolve: ({ edges }) => edges[0]?.cursor ?? null,
    }),
    endCursor: t.string({
      nullable: true,
      description: 'The cursor of the last item. Null on an empty page.',
      resolve: ({ edges }) => edges.at(-1)?.cursor ?? null,
    }),
  }),
});

interface ConnectionOptions<Name extends NodeName, Item extends Edge> {
  readonly singular: string;
  readonly plural: string;
  readonly maxItems: number;
  readonly nodeOf: (edge: Item) => Node<Name>;
  readonly hasTotalCount?: true;
}

export function createConnection<Name extends NodeName, Item extends Edge>(
  name: Name,
  { singular, plural, maxItems, nodeOf, hasTotalCount }: ConnectionOptions<Name, Item>,
) {
  const EdgeType = builder.objectRef<Item>(`${name}Edge`);
  EdgeType.implement({
    description: `An item in a list of ${plural}.`,
    fields: (t) => ({
      cursor: t.string({
        description:
          'The position in the list, for `after` and `before`. Stays valid while the list changes.',
        resolve: ({ cursor }) => cursor,
      }),
      node: t.field({ type: name, description: `The ${singular}.`, resolve: nodeOf as never }),
    }),
  });
  const Connection = builder.objectRef<Page<Item>>(`${name}Connection`);
  Connection.implement({
    description: `A page of ${plural}.`,
    fields: (t) => ({
      edges: t.field({
        type: [EdgeType],
        description: `The ${plural} with their cursors.`,
        cost: { items: maxItems },
        resolve: ({ edges }) => edges as never,
      }),
      nodes: t.field({
        type: [name],
        description: `The ${plural} without cursors.`,
        cost: { items: maxItems },
        resolve: ({ edges }) => edges.map(nodeOf) as never,
      }),
      pageInfo: t.field({
        type: PageInfo,
        description: 'The position of the page.',
        resolve: (page) => page,
      }),
      ...(hasTotalCount && {
        totalCount: t.int({
          description: `The number of ${plural} on all pages. Counted only if you select it.`,
          cost: { reads: 'count' },
          resolve: ({ countAll }) => (countAll as () => Promise<number>)(),
        }),
      }),
    }),
  });
  return Connection;
}
