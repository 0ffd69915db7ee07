import { z } from 'zod';
import { dateFormat } from '../import/csv/dates.ts';
import { type Mapping, mappingSchemaWith } from '../import/csv/mapping.ts';
import { numberFormat } from '../import/csv/numbers.ts';
import { mappingSchema } from '../import/csv/schema.ts';
import { parseDocument, readText } from '../import/input.ts';

/** When the tap has read a record: as its message says, else when it came. */
export const extractedAt = '_sdc_extracted_at';

/** As JSON Schema's formats are, in which taps write. */
const isoFormats = ['YYYY-MM-DD', 'YYYY-MM-DDTHH:mm:ssZ', 'YYYY-MM-DDTHH:mm:ss.SSSZ'];

/** The company is that of the key. */
const ofStream = mappingSchemaWith(['company_id']);

const { empty_texts, fields, records } = mappingSchema.shape;
const pushable = ['metric', 'source', 'account'];

/** The parts of a mapping of CSV that have to do with the meaning of a record, for each stream that is pushed. */
const schema = z
  .strictObject({
    empty_texts,
    numbers: numberFormat.default({
      decimal_mark: '.',
      thousands_separator: null,
      negative: ['leading_minus'],
      symbols: [],
    }),
    dates: dateFormat.default({ formats: isoFormats, utc_offset: 'Z' }),
    fields,
    /** A stream without records is left out on purpose. */
    streams: z.record(z.string().min(1), z.union([records, z.tuple([])])),
  })
  .transform(({ streams, dates, ...shared }, context) => {
    const formats = dates.formats.length > 0 ? dates.formats : isoFormats;
    const mappings = new Map<string, Mapping | null>();
    for (const [name, ofIt] of Object.entries(streams)) {
      if (ofIt.length === 0) {
        mappings.set(name, null);
        continue;
      }
      const { data, error } = ofStream.safeParse({
        ...shared,
        dates: { ...dates, formats },
        records: ofIt,
      });
      if (data !== undefined) mappings.set(name, data);
      for (const { path, message } of [...(error?.issues ?? []), ...validationErrors(data)]) {
        const at = path[0] === 'records' ? ['streams', name, ...path.slice(1)] : path;
        context.addIssue({ code: 'custom', path: at, message });
      }
    }
    return mappings;
  });

/** What a file of rows may say, and a stream may not. */
function* validationErrors(mapping: Mapping | undefined) {
  for (const [index, { type, period_columns, fields: own }] of (mapping?.records ?? []).entries()) {
    const path = ['records', index];
    if (!pushable.includes(type))
      yield { path: [...path, 'type'], message: `is pushed as ${pushable.join(', ')} only` };
    if (period_columns !== undefined) {
      yield { path: [...path, 'period_columns'], message: 'is for the columns of a file' };
    }
    for (const [name, { column, minus_column }] of Object.entries(own)) {
      if ([column, minus_column].some((one) => typeof one === 'number')) {
        const message = 'names a property, not a position';
        yield { path: [...path, 'fields', name], message };
      }
    }
  }
}

/** By the names of the streams; null: it is left out on purpose. */
export type StreamMappings = ReadonlyMap<string, Mapping | null>;

/** @throws CommandError that names everything that is wrong with it */
export async function readStreamMappings(path: string): Promise<StreamMappings> {
  return parseDocument(await readText(path), `the mapping ${path}`, schema);
}
