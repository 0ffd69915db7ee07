import type { ZodOpenApiOverride } from 'zod-openapi';
import { accessRequestStatuses, companyAccesses } from '#core';

/** Values that change only with another version in the path, as docs/changes.md promises. */
const closedValues = [accessRequestStatuses, companyAccesses].map(String);

/**
 * Leaves responses open: they may gain fields and values, and generated clients must accept both. Requests stay closed:
 * unknown fields are refused.
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
