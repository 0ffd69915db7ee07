import type { GraphQLField, GraphQLNamedType } from 'graphql';

/** What a field reads or writes by itself: how much of it goes on at a time, whether it costs a point, and its rows. */
export type ReadKind =
  /** One thing, which is no row of a list and none of company data. */
  | 'lookUp'
  /** A list that is short by its nature, so that those of many things can be read together. */
  | 'shortList'
  | 'page'
  /** A page of a list that can be as long as the caller makes it. */
  | 'chargedPage'
  /** Of rows of which a page may have many. */
  | 'longPage'
  /** Company data that passes the gate, and so leaves an access record. */
  | 'gated'
  | 'gatedList'
  /** One history or several. */
  | 'gatedHistories'
  | 'mutation';

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

/** The arguments are checked when the schema is written; whoever asks here has those that a document gives. */
type AnyCost = FieldCost<unknown, Readonly<Record<string, unknown>>>;

const free: AnyCost = {};

export const costOf = (
  field: Pick<GraphQLField<unknown, unknown>, 'extensions'> | undefined,
): AnyCost => (field?.extensions.cost as AnyCost | undefined) ?? free;

export const traitsOf = ({ extensions }: GraphQLNamedType): TypeTraits =>
  (extensions.traits as TypeTraits | undefined) ?? {};
