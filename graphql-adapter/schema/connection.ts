import { builder, type Node, type NodeName } from './builder.ts';

/** An item in a list, with its place there. */
interface Edge {
  readonly cursor: string;
}

/** A part of a list, as Relay's specification of connections has it. */
export interface Page<Item extends Edge = Edge> {
  readonly edges: readonly Item[];
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
}

const PageInfo = builder.objectRef<Page>('PageInfo').implement({
  fields: (t) => ({
    hasNextPage: t.exposeBoolean('hasNextPage'),
    hasPreviousPage: t.exposeBoolean('hasPreviousPage'),
    startCursor: t.string({ nullable: true, resolve: ({ edges }) => edges[0]?.cursor ?? null }),
    endCursor: t.string({ nullable: true, resolve: ({ edges }) => edges.at(-1)?.cursor ?? null }),
  }),
});

interface ConnectionOptions<Name extends NodeName, Item extends Edge> {
  readonly maxItems: number;
  readonly nodeOf: (edge: Item) => Node<Name>;
}

/** The type of a list that is read page by page. Items are presented as every list is, within the bounds. */
export function createConnection<Name extends NodeName, Item extends Edge>(
  name: Name,
  { maxItems, nodeOf }: ConnectionOptions<Name, Item>,
) {
  const EdgeType = builder.objectRef<Item>(`${name}Edge`);
  EdgeType.implement({
    fields: (t) => ({
      cursor: t.string({ resolve: ({ cursor }) => cursor }),
      node: t.field({ type: name, resolve: nodeOf as never }),
    }),
  });
  const Connection = builder.objectRef<Page<Item>>(`${name}Connection`);
  Connection.implement({
    fields: (t) => ({
      edges: t.field({
        type: [EdgeType],
        cost: { items: maxItems },
        resolve: ({ edges }) => edges as never,
      }),
      nodes: t.field({
        type: [name],
        cost: { items: maxItems },
        resolve: ({ edges }) => edges.map(nodeOf) as never,
      }),
      pageInfo: t.field({ type: PageInfo, resolve: (page) => page }),
    }),
  });
  return Connection;
}
