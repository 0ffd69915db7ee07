import type { ZodOpenApiOverride } from 'zod-openapi';
import { accessRequestStatuses, companyAccesses } from '#core';

/** Enumerations that get no new values within a version of the API, as docs/changes.md promises. */
const closedValues = [accessRequestStatuses, companyAccesses].map(String);

/**
 * Allows unknown fields and values in responses, but not in requests. Generated clients then accept fields and values
 * that are added later.
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
