/** The position in the caller's trace (W3C Trace Context). */
interface TraceContext {
  readonly traceId: string;
  readonly spanId: string;
  readonly flags: number;
}

/** Only later versions may have more parts than these four. */
const traceparentPattern = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/;

const isZero = (id: string) => /^0+$/.test(id);

/** Returns null for an invalid header, and the request then starts a new trace. */
export function parseTraceparent(header: string | string[] | undefined): TraceContext | null {
  if (typeof header !== 'string') return null;
  const [, version, traceId = '', spanId = '', flags = '', more] =
    traceparentPattern.exec(header) ?? [];
  if (version === undefined || version === 'ff') return null;
  if (version === '00' && more !== undefined) return null;
  if (isZero(traceId) || isZero(spanId)) return null;
  return { traceId, spanId, flags: Number.parseInt(flags, 16) };
}
