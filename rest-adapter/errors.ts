import { z } from 'zod';
import { errorTypes } from '#core';
import { type ErrorCode, errorCodes } from '#http';

/** How a body can be refused before it is looked into. */
export const bodyRefusals = [
  'malformed_json',
  'payload_too_large',
  'unsupported_media_type',
] as const satisfies readonly ErrorCode[];

export const errorEnvelopeSchema = z
  .object({
    error: z.object({
      type: z.enum(errorTypes),
      code: z.enum(errorCodes as [ErrorCode, ...ErrorCode[]]).meta({
        description: 'Machine-readable. Branch on this, never on the message.',
      }),
      message: z.string().meta({ description: 'For people; may change at any time.' }),
      request_id: z.string().meta({ description: 'The same as in the header Svc-Request-Id.' }),
      documentation_url: z.url().meta({ description: 'What the code means and what to do.' }),
    }),
  })
  .meta({ id: 'Error', description: 'Every refusal has this form.' });
