import { z } from 'zod';
import { errorTypes } from '#core';
import { type ErrorCode, errorCodes } from '#http';

/** The errors that can occur before a body is parsed. */
export const bodyRefusals = [
  'malformed_json',
  'payload_too_large',
  'unsupported_media_type',
] as const satisfies readonly ErrorCode[];

export const gateRefusals = [
  'insufficient_scope',
  'access_required',
  'access_pending',
  'access_revoked',
  'access_paused',
  'company_not_found',
] as const satisfies readonly ErrorCode[];

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
        description: 'For programs. Branch on the code, never on the message.',
      }),
      message: z.string().meta({ description: 'For people. May change at any time.' }),
      request_id: z.string().meta({ description: 'The same as in the header Svc-Request-Id.' }),
      documentation_url: z.url().meta({ description: 'The page that explains the code.' }),
      param: z.string().optional().meta({
        description: 'The rejected parameter, field or header.',
        'x-addition': true,
      }),
      allowed: z
        .union([z.array(z.string()), boundsSchema])
        .optional()
        .meta({
          description: 'The allowed values or bounds of the parameter.',
          'x-addition': true,
        }),
      details: z
        .array(z.object({ record: z.int(), param: z.string().nullable(), message: z.string() }))
        .optional()
        .meta({
          description:
            'The problems of pushed records, in order. Records are counted from 0. At most a hundred problems.',
          'x-addition': true,
        }),
      bad_records: z.int().optional().meta({
        description: 'The number of records with problems.',
        'x-addition': true,
      }),
      access_request_id: z.string().optional().meta({
        description: 'The live access request that the error concerns.',
        'x-addition': true,
      }),
    }),
  })
  .meta({ id: 'Error', description: 'The form of every error.' });
