import type { ZodOpenApiOverride } from 'zod-openapi';
import { accessRequestStatuses, companyAccesses } from '#core';

/** Enumerations without new values in this version of the API. docs/changes.md promises this. */
const closedValues = [accessRequestStatuses, companyAccesses].map(String);

/**
 * Allows unknown fields and values in responses, but not in requests. Generated clients then accept later additions.
 */
export const openAnswers: ZodOpenApiOverride = ({ io, jsonSchema }) => {
  if (jsonSchema.type === 'object' && jsonSchema.properties !== undefined) {
    if (io === 'input') jsonSchema.additionalProperties = false;
    else delete jsonSchema.additionalProperties;
  }
  const values = jsonSchema.enum;
  if (io === 'input' || values === undefined || closedValues.includes(String(values))) return;
  jsonSchema.anyOf = [{ type: 'string', enum: values }, { type: 'string' }];
  delete jsonSchema.enum;
  delete jsonSchema.type;
};
