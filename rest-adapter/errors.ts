import { z } from 'zod';
import { errorTypes } from '#core';
import { type ErrorCode, errorCodes } from '#http';

/** Refusals of a body before it is parsed. */
export const bodyRefusals = [
  'malformed_json',
  'payload_too_large',
  'unsupported_media_type',
] as const satisfies readonly ErrorCode[];

/** Refusals of the gate. */
export const gateRefusals = [
  'insufficient_scope',
  'access_required',
  'access_pending',
  'access_revoked',
  'company_not_found',
] as const satisfies readonly ErrorCode[];

/** Bounds in the terms of JSON Schema. */
const boundsSchema = z.object({
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  min_length: z.int().optional(),
  max_length: z.int().optional(),
  min_items: z.int().optional(),
  max_items: z.int().optional(),
  format: z.string().optional(),
});

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
      param: z.string().optional().meta({
        description:
          'The parameter, field or header that was refused. **An addition of this service.**',
      }),
      allowed: z
        .union([z.array(z.string()), boundsSchema])
        .optional()
        .meta({
          description:
            'What it may be: one of these values, or what keeps to these bounds. **An addition of this service.**',
        }),
      details: z
        .array(z.object({ record: z.int(), param: z.string().nullable(), message: z.string() }))
        .optional()
        .meta({
          description:
            'What is wrong with records that were pushed, counted from 0, in their order; at most a hundred. **An addition of this service.**',
        }),
      bad_records: z.int().optional().meta({
        description: 'How many records have something wrong. **An addition of this service.**',
      }),
      access_request_id: z.string().optional().meta({
        description:
          'The live access request under which the call was refused. **An addition of this service.**',
      }),
    }),
  })
  .meta({ id: 'Error', description: 'Every refusal has this form.' });
