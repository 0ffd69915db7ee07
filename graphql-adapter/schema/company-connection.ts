import type { PortfolioEdge, PortfolioOrder } from '#core';
import { builder } from './builder.ts';
import { createConnection } from './connection.ts';

export const CompanyConnection = createConnection('Company', {
  one: 'company',
  several: 'companies',
  maxItems: 200,
  nodeOf: ({ company }: PortfolioEdge) => ({ id: company.id, entry: company }),
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
