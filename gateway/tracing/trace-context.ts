/** The four fields of the `traceparent` header. Only later versions of the format may have more fields. */
const traceparentPattern = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/;

const isZero = (id: string) => /^0+$/.test(id);

/** Returns the trace ID and the span ID that the caller sent (W3C Trace Context). Null if the header isn't valid. */
export function parseTraceparent(header: string | string[] | undefined) {
  if (typeof header !== 'string') return null;
  const [, version, traceId = '', spanId = '', flags = '', more] =
    traceparentPattern.exec(header) ?? [];
  if (version === undefined || version === 'ff') return null;
  if (version === '00' && more !== undefined) return null;
  if (isZero(traceId) || isZero(spanId)) return null;
  return { traceId, spanId, flags: Number.parseInt(flags, 16) };
}
