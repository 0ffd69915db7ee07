import type { ZodOpenApiOverride } from 'zod-openapi';
import { accessRequestStatuses, companyAccesses } from '#core';

/** What changes only with another version in the path; docs/api.md promises it. */
const closedValues = [accessRequestStatuses, companyAccesses].map(String);

/**
 * Answers are open in the document: they may gain fields, and lists of values new ones, and a client that was generated
 * before takes both as they come. What a caller sends is not: what is unknown is refused.
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
