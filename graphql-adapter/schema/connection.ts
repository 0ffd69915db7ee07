import { builder, type Node, type NodeName } from './builder.ts';

/** An item in a list, with its cursor. */
interface Edge {
  readonly cursor: string;
}

/** A page in the form of Relay's connection specification. */
export interface Page<Item extends Edge = Edge> {
  readonly edges: readonly Item[];
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
  readonly countAll?: () => Promise<number>;
}

const PageInfo = builder.objectRef<Page>('PageInfo').implement({
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

interface ConnectionOptions<Name extends NodeName, Item extends Edge> {
  /** The names of one item and of several. */
  readonly one: string;
  readonly several: string;
  readonly maxItems: number;
  readonly nodeOf: (edge: Item) => Node<Name>;
  /** Set if pages have `countAll`. */
  readonly isCounted?: true;
}

/** Creates the type of a paged list. */
export function createConnection<Name extends NodeName, Item extends Edge>(
  name: Name,
  { one, several, maxItems, nodeOf, isCounted }: ConnectionOptions<Name, Item>,
) {
  const EdgeType = builder.objectRef<Item>(`${name}Edge`);
  EdgeType.implement({
    description: `One of the ${several} in a list.`,
    fields: (t) => ({
      cursor: t.string({
        description:
          'Its place in the list, which stays while others come and go. Means nothing but to `after` and `before`.',
        resolve: ({ cursor }) => cursor,
      }),
      node: t.field({ type: name, description: `The ${one}.`, resolve: nodeOf as never }),
    }),
  });
  const Connection = builder.objectRef<Page<Item>>(`${name}Connection`);
  Connection.implement({
    description: `A page of ${several}.`,
    fields: (t) => ({
      edges: t.field({
        type: [EdgeType],
        description: `The ${several}, each with its place.`,
        cost: { items: maxItems },
        resolve: ({ edges }) => edges as never,
      }),
      nodes: t.field({
        type: [name],
        description: `The ${several}, for those who need no place of each.`,
        cost: { items: maxItems },
        resolve: ({ edges }) => edges.map(nodeOf) as never,
      }),
      pageInfo: t.field({
        type: PageInfo,
        description: 'Where the page stands in the list.',
        resolve: (page) => page,
      }),
      ...(isCounted && {
        totalCount: t.int({
          description: `The number of ${several} on all pages. Counted only if you select it.`,
          cost: { reads: 'count' },
          resolve: ({ countAll }) => (countAll as () => Promise<number>)(),
        }),
      }),
    }),
  });
  return Connection;
}
