import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Json } from '../support/http-client.ts';

/** Checks values against schemas of one OpenAPI document, including references to its components. */
export function createValidator(document: Json) {
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false });
  addFormats.default(ajv);
  return {
    problems(schema: Json, value: unknown): string[] {
      const { $id: _id, ...rest } = schema;
      const validate = ajv.compile({ ...rest, components: document.components });
      return validate(value) ? [] : [ajv.errorsText(validate.errors)];
    },
  };
}
