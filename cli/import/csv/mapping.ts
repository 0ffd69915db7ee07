import type { z } from 'zod';
import { parseDocument, readText } from '../input.ts';
import { contradictions, mergeFields } from './contradictions.ts';
import { mappingSchema } from './schema.ts';

const mapping = mappingSchemaWith();

/** @param known fields that the mapping can omit, because the caller knows their values */
export function mappingSchemaWith(knownFields: readonly string[] = []) {
  return mappingSchema
    .superRefine((whole, context) => {
      for (const { path, message } of contradictions(whole, knownFields)) {
        context.addIssue({ code: 'custom', path, message });
      }
    })
    .transform((whole) => ({
      ...whole,
      records: whole.records.map((each) => ({ ...each, fields: mergeFields(each, whole.fields) })),
    }));
}

export type Mapping = z.output<typeof mapping>;
export type RecordMapping = Mapping['records'][number];

/** @throws CommandError that lists all problems of the mapping */
export async function readMapping(path: string): Promise<Mapping> {
  return parseMapping(await readText(path), path);
}

/** @throws CommandError that lists all problems of the mapping */
export function parseMapping(text: string, name: string): Mapping {
  return parseDocument(text, `the mapping ${name}`, mapping);
}
