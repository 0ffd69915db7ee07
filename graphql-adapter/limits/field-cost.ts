import type { GraphQLField, GraphQLNamedType } from 'graphql';
import type { MetricHistory } from '#core';

interface Kind {
  /** The page permits that the read needs. They limit the pages that an API key reads at the same time. */
  readonly pageWeight: number;
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
  /** One object that is neither a list item nor company data. */
  lookUp: { pageWeight: 0, isCharged: false, countRows: countNone },
  /** A short list. One SQL statement can read the short lists of many objects. */
  shortList: { pageWeight: 0, isCharged: false, countRows: countRowsOf },
  page: { pageWeight: 1, isCharged: false, countRows: countEdges },
  /** A page whose length the caller can choose. */
  chargedPage: { pageWeight: 1, isCharged: true, countRows: countEdges },
  /** The database must read each row. */
  count: { pageWeight: 4, isCharged: false, countRows: countNone },
  /** A page that may have many rows. */
  longPage: { pageWeight: 4, isCharged: false, countRows: countEdges },
  /** Company data. The read checks the grant and creates an access record. */
  gated: { pageWeight: 0, isCharged: true, countRows: countRowsOf },
  gatedList: { pageWeight: 1, isCharged: true, countRows: countRowsOf },
  gatedHistories: { pageWeight: 1, isCharged: true, countRows: countValues },
  mutation: { pageWeight: 0, isCharged: true, countRows: countNone },
} as const satisfies Readonly<Record<string, Kind>>;

export type ReadKind = keyof typeof readKinds;

export interface FieldCost<Parent, Arguments> {
  /**
   * Absent if the field shows only data that was already read. A function returns null if the parent object already
   * contains the data.
   */
  readonly reads?: ReadKind | ((parent: Parent, args: Arguments) => ReadKind | null);
  /** The expected number of items if the field returns a list. */
  readonly items?: number | ((args: Arguments) => number);
  /**
   * The maximum number of items in lists inside the field's value. An array has one number for each level of nested
   * lists.
   */
  readonly itemsBelow?: (args: Arguments) => number | readonly number[];
  /** The typical size of a long value, in bytes. */
  readonly bytes?: number;
}

export interface TypeTraits {
  /** True if the type contains company data. Reads of such a type must check the grant. */
  readonly isGated?: boolean;
  /** True if the type's fields without arguments depend only on the data. The service can then cache their JSON. */
  readonly isCacheable?: boolean;
}

type AnyCost = FieldCost<unknown, Readonly<Record<string, unknown>>>;

const noCost: AnyCost = {};

export const costOf = (
  field: Pick<GraphQLField<unknown, unknown>, 'extensions'> | undefined,
): AnyCost => (field?.extensions.cost as AnyCost | undefined) ?? noCost;

export const traitsOf = ({ extensions }: GraphQLNamedType): TypeTraits =>
  (extensions.traits as TypeTraits | undefined) ?? {};
