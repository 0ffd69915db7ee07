/** Only later versions may have more parts than these four. */
const traceparentPattern = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/;

const isZero = (id: string) => /^0+$/.test(id);

/** Returns the position in the caller's trace (W3C Trace Context). Null for an invalid header. */
export function parseTraceparent(header: string | string[] | undefined) {
  if (typeof header !== 'string') return null;
  const [, version, traceId = '', spanId = '', flags = '', more] =
    traceparentPattern.exec(header) ?? [];
  if (version === undefined || version === 'ff') return null;
  if (version === '00' && more !== undefined) return null;
  if (isZero(traceId) || isZero(spanId)) return null;
  return { traceId, spanId, flags: Number.parseInt(flags, 16) };
}
