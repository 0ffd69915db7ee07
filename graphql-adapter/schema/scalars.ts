import { GraphQLError } from 'graphql';
import { z } from 'zod';
import { periodInput } from '#core';
import { builder } from './builder.ts';

builder.scalarType('Date', {
  description: 'A date, `YYYY-MM-DD`, for example `2026-10-31`.',
  serialize: (day) => day,
  parseValue(value) {
    const day = periodInput.safeParse(value);
    if (day.success) return day.data;
    throw new GraphQLError('A Date has the form YYYY-MM-DD.');
  },
});

builder.scalarType('DateTime', {
  description:
    'A time, RFC 3339 in UTC with milliseconds, for example `2026-11-02T09:30:00.000Z`. Inputs may have any offset.',
  serialize: (instant) => instant.toISOString(),
  parseValue(value) {
    const instant = z.iso.datetime({ offset: true }).safeParse(value);
    if (instant.success) return new Date(instant.data);
    throw new GraphQLError('A DateTime has the form 2026-11-02T09:30:00Z.');
  },
});

builder.scalarType('Decimal', {
  description:
    'An exact decimal number as a string, for example `"4182300.55"`, because floating-point numbers can’t hold every amount. Output only.',
  serialize: (amount) => amount,
  parseValue: refuseInput,
});

function refuseInput(): never {
  throw new GraphQLError('This scalar is for output only.');
}
