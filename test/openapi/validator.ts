import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Json } from '../support/http-client.ts';

/** Checks values against schemas of one OpenAPI document, including references to its components. */
export function createValidator(document: Json) {
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false });
  addFormats.default(ajv);
  /** Most examples share a few schemas, and each takes some milliseconds to compile. */
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
