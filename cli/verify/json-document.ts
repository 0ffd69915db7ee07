export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A JSON document of the input, or what is wrong with it. */
export interface InputDocument {
  /** The line that it stands in; null when it is all there is. */
  readonly line: number | null;
  readonly value: unknown;
  readonly problem?: string;
}
