import { z } from 'zod';
import { CommandError } from '../output.ts';

/** A JSON value whose numbers are as they were written, so that no digit of them is lost. */
export type Exact =
  | string
  | boolean
  | null
  | { readonly rawJSON: string }
  | readonly Exact[]
  | { readonly [name: string]: Exact };

export type ExactObject = { readonly [name: string]: Exact };

const object = z.custom<ExactObject>(isObject, 'must be an object');

const message = z.discriminatedUnion('type', [
  z.object({ type: z.literal('SCHEMA'), stream: z.string(), schema: object }),
  z.object({
    type: z.literal('RECORD'),
    stream: z.string(),
    record: object,
    time_extracted: z.string().optional(),
  }),
  z.object({ type: z.literal('STATE'), value: z.custom<Exact>((value) => value !== undefined) }),
]);

export type Message = z.output<typeof message>;

const known: readonly string[] = ['SCHEMA', 'RECORD', 'STATE'];

/**
 * Reads one line of a tap. A message of another type is answered by its name alone.
 *
 * @throws CommandError
 */
export function parseMessage(line: string, number: number): Message | { readonly other: string } {
  let json: unknown;
  try {
    json = JSON.parse(line, keepExact);
  } catch {
    throw new CommandError(`line ${number} is not JSON`);
  }
  const type = isObject(json) ? json.type : undefined;
  if (typeof type !== 'string') throw new CommandError(`line ${number} is no Singer message`);
  if (!known.includes(type)) return { other: type };
  const { data, error } = message.safeParse(json);
  if (data !== undefined) return data;
  const reasons = error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  throw new CommandError(`line ${number} is no ${type} message: ${reasons.join('; ')}`);
}

/** Undefined where there is no such property, or no object. */
export function propertyOf(value: Exact | undefined, name: string): Exact | undefined {
  if (!isObject(value) || !Object.hasOwn(value, name)) return undefined;
  return (value as ExactObject)[name];
}

export function isObject(value: unknown): value is ExactObject {
  const isOther = typeof value !== 'object' || value === null || Array.isArray(value);
  return !isOther && !JSON.isRawJSON(value);
}

function keepExact(_key: string, value: unknown, context?: { source?: string }): unknown {
  return typeof value === 'number' && context?.source !== undefined
    ? JSON.rawJSON(context.source)
    : value;
}
