import { GraphQLError } from 'graphql';
import { z } from 'zod';
import { periodInput } from '#core';
import { builder } from './builder.ts';

builder.scalarType('Date', {
  serialize: (day) => day,
  parseValue(value) {
    const day = periodInput.safeParse(value);
    if (day.success) return day.data;
    throw new GraphQLError('A Date has the form YYYY-MM-DD.');
  },
});

builder.scalarType('DateTime', {
  serialize: (instant) => instant.toISOString(),
  parseValue(value) {
    const instant = z.iso.datetime({ offset: true }).safeParse(value);
    if (instant.success) return new Date(instant.data);
    throw new GraphQLError('A DateTime has the form 2026-11-02T09:30:00Z.');
  },
});

builder.scalarType('Decimal', { serialize: (amount) => amount, parseValue: refuseInput });

function refuseInput(): never {
  throw new GraphQLError('This scalar is only ever returned.');
}
