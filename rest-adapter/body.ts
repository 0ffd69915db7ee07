import { hash } from 'node:crypto';

/** A presented body as it is sent, with the tag that tells it from every other. */
export interface Body {
  readonly bytes: Buffer;
  /** Strong, in its quotes. */
  readonly etag: string;
}

const bodies = new WeakMap<object, Body>();

/**
 * The body that presents some data, made once for as long as the same data object lives. Data that was read never
 * changes; what has changed comes as another object.
 */
export function bodyOf(data: object, present: () => unknown): Body {
  const known = bodies.get(data);
  if (known !== undefined) return known;
  const json = JSON.stringify(present());
  // In memory of its own: what Node takes from its pool would keep its neighbours there as well.
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(json));
  bytes.write(json);
  const body = { bytes, etag: `"${hash('sha256', bytes, 'base64url')}"` };
  bodies.set(data, body);
  return body;
}
