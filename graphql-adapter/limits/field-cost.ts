import type { GraphQLField, GraphQLNamedType } from 'graphql';
import type { MetricHistory } from '#core';

interface Kind {
  /** The weight among the pages that a key reads at the same time. 0 if it isn't a page. */
  readonly pageWeight: number;
  /** True if it costs a point. */
  readonly isCharged: boolean;
  readonly countRows: (data: unknown) => number;
}

const none = () => 0;
const rowsOf = (data: unknown) => (Array.isArray(data) ? data.length : 1);
const edgesOf = (data: unknown) => (data as { readonly edges: readonly unknown[] }).edges.length;
const valuesOf = (data: unknown) =>
  [data as MetricHistory | readonly MetricHistory[]]
    .flat()
    .reduce((sum, { values }) => sum + values.length, 0);

/** The kinds of reads and writes of a field. */
export const readKinds = {
  /** One object that isn't a list row or company data. */
  lookUp: { pageWeight: 0, isCharged: false, countRows: none },
  /** A short list. Those of many objects can be read together. */
  shortList: { pageWeight: 0, isCharged: false, countRows: rowsOf },
  page: { pageWeight: 1, isCharged: false, countRows: edgesOf },
  /** A page whose length the caller chooses. */
  chargedPage: { pageWeight: 1, isCharged: true, countRows: edgesOf },
  /** The length of a list. The database reads each row to count it. */
  count: { pageWeight: 4, isCharged: false, countRows: none },
  /** Rows that a page can have in large numbers. */
  longPage: { pageWeight: 4, isCharged: false, countRows: edgesOf },
  /** Company data, which passes the gate and leaves an access record. */
  gated: { pageWeight: 0, isCharged: true, countRows: rowsOf },
  gatedList: { pageWeight: 1, isCharged: true, countRows: rowsOf },
  /** One or several histories. */
  gatedHistories: { pageWeight: 1, isCharged: true, countRows: valuesOf },
  mutation: { pageWeight: 0, isCharged: true, countRows: none },
} as const satisfies Readonly<Record<string, Kind>>;

export type ReadKind = keyof typeof readKinds;

/** The cost of a field: its own reads, and the expected number of fields below it. */
export interface FieldCost<Parent, Arguments> {
  /** Absent if the field only shows data that was already read. Null if nothing must be read. */
  readonly reads?: ReadKind | ((parent: Parent, args: Arguments) => ReadKind | null);
  /** The expected number of items in its list. */
  readonly items?: number | ((args: Arguments) => number);
  /** The largest number of items in the lists of its object, then in the lists of their items, and so on. */
  readonly itemsBelow?: (args: Arguments) => number | readonly number[];
  /** The length of its value, if it is long. */
  readonly bytes?: number;
}

/** The traits of a type. */
export interface TypeTraits {
  /** True if the type contains gated data: a field that leads to it must pass the gate. */
  readonly isGated?: boolean;
  /** True if its fields without arguments depend only on the data, so that their JSON can be cached. */
  readonly isCacheable?: boolean;
}

/** Arguments were checked when the field was defined. Documents provide them. */
type AnyCost = FieldCost<unknown, Readonly<Record<string, unknown>>>;

const free: AnyCost = {};

export const costOf = (
  field: Pick<GraphQLField<unknown, unknown>, 'extensions'> | undefined,
): AnyCost => (field?.extensions.cost as AnyCost | undefined) ?? free;

export const traitsOf = ({ extensions }: GraphQLNamedType): TypeTraits =>
  (extensions.traits as TypeTraits | undefined) ?? {};
