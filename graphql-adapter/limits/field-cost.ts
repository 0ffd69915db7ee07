import type { GraphQLField, GraphQLNamedType } from 'graphql';
import type { MetricHistory } from '#core';

interface Kind {
  /** The weight among the pages that one key reads at a time; 0 for anything but a page. */
  readonly pageWeight: number;
  /** Whether it costs a point. */
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

/** What a field may read or write by itself. */
export const readKinds = {
  /** One thing, which is no row of a list and none of company data. */
  lookUp: { pageWeight: 0, isCharged: false, countRows: none },
  /** A list that is short by its nature, so that those of many things can be read together. */
  shortList: { pageWeight: 0, isCharged: false, countRows: rowsOf },
  page: { pageWeight: 1, isCharged: false, countRows: edgesOf },
  /** A page of a list that can be as long as the caller makes it. */
  chargedPage: { pageWeight: 1, isCharged: true, countRows: edgesOf },
  /** The length of a list, for which the database reads each of its rows. */
  count: { pageWeight: 4, isCharged: false, countRows: none },
  /** Of rows of which a page may have many. */
  longPage: { pageWeight: 4, isCharged: false, countRows: edgesOf },
  /** Company data that passes the gate, and so leaves an access record. */
  gated: { pageWeight: 0, isCharged: true, countRows: rowsOf },
  gatedList: { pageWeight: 1, isCharged: true, countRows: rowsOf },
  /** One history or several. */
  gatedHistories: { pageWeight: 1, isCharged: true, countRows: valuesOf },
  mutation: { pageWeight: 0, isCharged: true, countRows: none },
} as const satisfies Readonly<Record<string, Kind>>;

export type ReadKind = keyof typeof readKinds;

/** What a field costs: what it reads itself, and how much of the fields below it an operation is expected to get. */
export interface FieldCost<Parent, Arguments> {
  /** Absent where it only shows what was read; null for what needs no reading after all. */
  readonly reads?: ReadKind | ((parent: Parent, given: Arguments) => ReadKind | null);
  /** How many items its list is expected to have. */
  readonly items?: number | ((given: Arguments) => number);
  /** How many items the lists of its object have at most; then those of their items, and so on. */
  readonly itemsBelow?: (given: Arguments) => number | readonly number[];
  /** How long its value is, where that is much. */
  readonly bytes?: number;
}

/** What is said of a type. */
export interface TypeTraits {
  /** Whether it holds what only the gate lets out: a field that leads to it must read it. */
  readonly isGated?: boolean;
  /** Whether its fields without arguments look at nothing but the data itself, so that their JSON can be kept. */
  readonly isCacheable?: boolean;
}

/** The arguments were checked where the field was written; a document gives those. */
type AnyCost = FieldCost<unknown, Readonly<Record<string, unknown>>>;

const free: AnyCost = {};

export const costOf = (
  field: Pick<GraphQLField<unknown, unknown>, 'extensions'> | undefined,
): AnyCost => (field?.extensions.cost as AnyCost | undefined) ?? free;

export const traitsOf = ({ extensions }: GraphQLNamedType): TypeTraits =>
  (extensions.traits as TypeTraits | undefined) ?? {};
