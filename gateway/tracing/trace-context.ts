/** Where a request stands in the trace of its caller (W3C Trace Context). */
export interface TraceContext {
  readonly traceId: string;
  readonly spanId: string;
  readonly flags: number;
}

/** A later version may have more behind these four parts; the first one has not. */
const traceparentPattern = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/;

const isZero = (id: string) => /^0+$/.test(id);

/** Null for what is not valid: then the request is the first of a trace, as if nothing had been sent. */
export function parseTraceparent(header: string | string[] | undefined): TraceContext | null {
  if (typeof header !== 'string') return null;
  const [, version, traceId = '', spanId = '', flags = '', more] =
    traceparentPattern.exec(header) ?? [];
  if (version === undefined || version === 'ff') return null;
  if (version === '00' && more !== undefined) return null;
  if (isZero(traceId) || isZero(spanId)) return null;
  return { traceId, spanId, flags: Number.parseInt(flags, 16) };
}
