import type { ZodOpenApiOverride } from 'zod-openapi';
import { accessRequestStatuses, companyAccesses } from '#core';

/** The values that stay the same within a version of the API, as docs/changes.md promises. */
const closedValues = [accessRequestStatuses, companyAccesses].map(String);

/**
 * Allows unknown fields and values in responses, so that generated clients accept fields and values that are added
 * later. Requests don't allow them.
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
