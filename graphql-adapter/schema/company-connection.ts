import type { PortfolioEdge, PortfolioOrder } from '#core';
import { builder, type CompanyNode } from './builder.ts';
import { maxItems } from './page-info.ts';

const nodeOf = ({ company }: PortfolioEdge): CompanyNode => ({ id: company.id, entry: company });

builder.objectType('CompanyEdge', {
  description: 'A company in a list.',
  fields: (t) => ({
    cursor: t.exposeString('cursor', {
      description:
        'Its place in the list, which stays while others come and go. Means nothing but to `after` and `before`.',
    }),
    node: t.field({ type: 'Company', description: 'The company.', resolve: nodeOf }),
  }),
});

builder.objectType('CompanyConnection', {
  description: 'A page of companies.',
  fields: (t) => ({
    edges: t.field({
      type: ['CompanyEdge'],
      description: 'The companies, each with its place.',
      extensions: { items: maxItems },
      resolve: ({ edges }, _args, { lists }, info) => lists.present(edges, info),
    }),
    nodes: t.field({
      type: ['Company'],
      description: 'The companies, for those who need no place of each.',
      extensions: { items: maxItems },
      resolve: ({ edges }, _args, { lists }, info) => lists.present(edges.map(nodeOf), info),
    }),
    pageInfo: t.field({
      type: 'PageInfo',
      description: 'Where the page stands in the list.',
      resolve: (page) => page,
    }),
  }),
});

const CompanyOrderField = builder.enumType('CompanyOrderField', {
  description: 'By what companies are ordered.',
  values: {
    NAME: { value: 'name', description: 'By name, character by character.' },
    ADDED_AT: { value: 'addedAt', description: 'By when the company came into the portfolio.' },
  } as const satisfies Record<string, { value: PortfolioOrder; description: string }>,
});

const OrderDirection = builder.enumType('OrderDirection', {
  description: 'The direction of an order.',
  values: {
    ASC: { value: 'asc', description: 'From A to Z, from old to new.' },
    DESC: { value: 'desc', description: 'From Z to A, from new to old.' },
  } as const,
});

export const CompanyOrder = builder.inputType('CompanyOrder', {
  description: 'How companies are ordered; those that are equal, by their ids.',
  fields: (t) => ({
    field: t.field({ type: CompanyOrderField, required: true, description: 'By what.' }),
    direction: t.field({
      type: OrderDirection,
      required: true,
      defaultValue: 'asc',
      description: 'In which direction.',
    }),
  }),
});
