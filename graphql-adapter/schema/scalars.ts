import { GraphQLError } from 'graphql';
import { z } from 'zod';
import { periodInput } from '#core';
import { builder } from './builder.ts';

builder.scalarType('Date', {
  description: 'A day of the calendar, `YYYY-MM-DD`, as in `2026-10-31`.',
  serialize: (day) => day,
  parseValue(value) {
    const day = periodInput.safeParse(value);
    if (day.success) return day.data;
    throw new GraphQLError('A Date has the form YYYY-MM-DD.');
  },
});

builder.scalarType('DateTime', {
  description:
    'An instant, RFC 3339 in UTC with milliseconds, as in `2026-11-02T09:30:00.000Z`. What is sent may have any offset.',
  serialize: (instant) => instant.toISOString(),
  parseValue(value) {
    const instant = z.iso.datetime({ offset: true }).safeParse(value);
    if (instant.success) return new Date(instant.data);
    throw new GraphQLError('A DateTime has the form 2026-11-02T09:30:00Z.');
  },
});

builder.scalarType('Decimal', {
  description:
    'An exact decimal number as a string, as in `"4182300.55"`, because a binary floating-point number cannot hold every amount. Only ever returned.',
  serialize: (amount) => amount,
  parseValue: refuseInput,
});

function refuseInput(): never {
  throw new GraphQLError('This scalar is only ever returned.');
}
