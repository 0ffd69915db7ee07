import { expect, it } from 'vitest';
import { parseTraceparent } from '../../../gateway/tracing/trace-context.ts';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const spanId = '00f067aa0ba902b7';

it("the caller's trace is read from a valid traceparent header, even of a later version", () => {
  expect(parseTraceparent(`00-${traceId}-${spanId}-01`)).toEqual({ traceId, spanId, flags: 1 });
  expect(parseTraceparent(`00-${traceId}-${spanId}-00`)).toEqual({ traceId, spanId, flags: 0 });
  expect(parseTraceparent(`cc-${traceId}-${spanId}-01`)).toMatchObject({ traceId, spanId });
  expect(parseTraceparent(`cc-${traceId}-${spanId}-01-more`)).toMatchObject({ traceId, spanId });
});

it.each([
  undefined,
  '',
  'made up',
  `00-${traceId}-${spanId}`,
  `00-${traceId}-${spanId}-01-more`,
  `00-${traceId}-${spanId}-01more`,
  `cc-${traceId}-${spanId}-01.more`,
  `ff-${traceId}-${spanId}-01`,
  `00-${'0'.repeat(32)}-${spanId}-01`,
  `00-${traceId}-${'0'.repeat(16)}-01`,
  `00-${traceId.toUpperCase()}-${spanId}-01`,
  `00-${traceId}-${spanId}-0g`,
  `00-${traceId.slice(1)}-${spanId}-01`,
  `00-${traceId}-${spanId}-01, 00-${traceId}-${spanId}-01`,
  [`00-${traceId}-${spanId}-01`],
])('%j is not a valid traceparent header', (header) => {
  expect(parseTraceparent(header)).toBeNull();
});
