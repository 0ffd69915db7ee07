import type { GraphQLField, GraphQLNamedType } from 'graphql';
import type { MetricHistory } from '#core';

interface Kind {
  /**
   * The permits that the read of a page needs. They limit the pages that an API key reads at the same time. 0 if the
   * read isn't a page.
   */
  readonly pageWeight: number;
  /** True if the read costs a point. */
  readonly isCharged: boolean;
  readonly countRows: (data: unknown) => number;
}

const countNone = () => 0;
const countRowsOf = (data: unknown) => (Array.isArray(data) ? data.length : 1);
const countEdges = (data: unknown) => (data as { readonly edges: readonly unknown[] }).edges.length;
const countValues = (data: unknown) =>
  [data as MetricHistory | readonly MetricHistory[]]
    .flat()
    .reduce((sum, { values }) => sum + values.length, 0);

export const readKinds = {
  /** One object that isn't a list row or company data. */
  lookUp: { pageWeight: 0, isCharged: false, countRows: countNone },
  /** A short list. One SQL statement can read the short lists of many objects. */
  shortList: { pageWeight: 0, isCharged: false, countRows: countRowsOf },
  page: { pageWeight: 1, isCharged: false, countRows: countEdges },
  /** A page whose length the caller chooses. */
  chargedPage: { pageWeight: 1, isCharged: true, countRows: countEdges },
  /** A count of all items. The database reads each row to count it. */
  count: { pageWeight: 4, isCharged: false, countRows: countNone },
  /** A page that can have many rows. */
  longPage: { pageWeight: 4, isCharged: false, countRows: countEdges },
  /** Company data. The read passes the gate and creates an access record. */
  gated: { pageWeight: 0, isCharged: true, countRows: countRowsOf },
  gatedList: { pageWeight: 1, isCharged: true, countRows: countRowsOf },
  gatedHistories: { pageWeight: 1, isCharged: true, countRows: countValues },
  mutation: { pageWeight: 0, isCharged: true, countRows: countNone },
} as const satisfies Readonly<Record<string, Kind>>;

export type ReadKind = keyof typeof readKinds;

export interface FieldCost<Parent, Arguments> {
  /**
   * Absent if the field only shows data that was already read. The function returns null if the parent already has the
   * data.
   */
  readonly reads?: ReadKind | ((parent: Parent, args: Arguments) => ReadKind | null);
  /** The expected number of items in the field's list. */
  readonly items?: number | ((args: Arguments) => number);
  /**
   * The maximum number of items in the lists below the field. An array has one maximum for each level of nested lists.
   */
  readonly itemsBelow?: (args: Arguments) => number | readonly number[];
  /** The typical size of a long value, in bytes. */
  readonly bytes?: number;
}

export interface TypeTraits {
  /** True if the type contains company data. A field that returns it must pass the gate. */
  readonly isGated?: boolean;
  /** True if the type's fields without arguments depend only on the data. Then their JSON can be cached. */
  readonly isCacheable?: boolean;
}

type AnyCost = FieldCost<unknown, Readonly<Record<string, unknown>>>;

const noCost: AnyCost = {};

export const costOf = (
  field: Pick<GraphQLField<unknown, unknown>, 'extensions'> | undefined,
): AnyCost => (field?.extensions.cost as AnyCost | undefined) ?? noCost;

export const traitsOf = ({ extensions }: GraphQLNamedType): TypeTraits =>
  (extensions.traits as TypeTraits | undefined) ?? {};
