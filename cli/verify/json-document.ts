export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A JSON document of the input, or the problem with it. */
export interface InputDocument {
  /** Null if the input is only one document. */
  readonly line: number | null;
  readonly value: unknown;
  readonly problem?: string;
}
