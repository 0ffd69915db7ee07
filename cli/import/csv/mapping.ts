import type { z } from 'zod';
import { CommandError } from '../../output.ts';
import { readText } from '../input.ts';
import { contradictions, ownAndShared } from './contradictions.ts';
import { mappingSchema } from './schema.ts';

const mapping = mappingSchema
  .superRefine((whole, context) => {
    for (const { path, message } of contradictions(whole)) {
      context.addIssue({ code: 'custom', path, message });
    }
  })
  .transform((whole) => ({
    ...whole,
    records: whole.records.map((each) => ({ ...each, fields: ownAndShared(each, whole.fields) })),
  }));

export type Mapping = z.output<typeof mapping>;
export type RecordMapping = Mapping['records'][number];

/** @throws CommandError that names everything that is wrong with it */
export async function readMapping(path: string): Promise<Mapping> {
  return parseMapping(await readText(path), path);
}

/** @throws CommandError that names everything that is wrong with it */
export function parseMapping(text: string, name: string): Mapping {
  let json: unknown;
  try {
    json = JSON.parse(text.replace(/^\ufeff/, ''));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandError(`the mapping ${name} is not JSON: ${reason}`);
  }
  const { data, error } = mapping.safeParse(json);
  if (data !== undefined) return data;
  const reasons = error.issues.map(({ path, message }) =>
    path.length === 0 ? message : `${path.join('.')}: ${message}`,
  );
  throw new CommandError(`the mapping ${name} is not right: ${reasons.join('; ')}`);
}
