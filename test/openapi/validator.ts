import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Json } from '../support/http-client.ts';

/** Resolves references to the document's components. */
export function createValidator(document: Json) {
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false });
  addFormats.default(ajv);
  /** Compiling takes some milliseconds, and most examples share a few schemas. */
  const compiled = new Map<string, ValidateFunction>();
  const validatorOf = ({ $id: _id, ...schema }: Json) =>
    compiled.getOrInsertComputed(JSON.stringify(schema), () =>
      ajv.compile({ ...schema, components: document.components }),
    );
  return {
    problems(schema: Json, value: unknown): string[] {
      const validate = validatorOf(schema);
      return validate(value) ? [] : [ajv.errorsText(validate.errors)];
    },
  };
}
