import { z } from 'zod';
import { type CallingApiKey, type InvestorUseCases, rotateCallingKeyInput } from '#core';
import { apiKeyResource, presentApiKey, snakeCaseKeys } from '#http';
import { investorSchema } from '../access-request.ts';
import type { InvestorEndpoint } from '../context.ts';
import { endpoint } from '../endpoint.ts';
import { bodyRefusals } from '../errors.ts';
import { exampleIds } from '../example-ids.ts';

const { id, ...fields } = snakeCaseKeys(apiKeyResource.shape);

const keySchema = z
  .object({ id, object: z.literal('api_key'), ...fields, investor: investorSchema })
  .meta({ ...apiKeyResource.meta(), id: 'ApiKey' });

const mintedSchema = z
  .object({
    ...keySchema.shape,
    secret: z.string().meta({ description: 'The key itself. It is shown once: store it.' }),
  })
  .meta({ id: 'ApiKeyWithSecret', description: 'A key and its secret.' });

function presentKey(calling: CallingApiKey): z.output<typeof keySchema> {
  const { id, ...fields } = snakeCaseKeys(presentApiKey(calling));
  return { id, object: 'api_key', ...fields };
}

const example: z.output<typeof keySchema> = {
  id: 'key_019aa1b2c3d47e5f8a9b0c1d2e3f4a5b',
  object: 'api_key',
  name: null,
  hint: 'svc_sk_test_…4f2K',
  environment: 'test',
  scopes: ['companies:read', 'metrics:read', 'sources:read'],
  rate_limit: 6000,
  created_at: '2026-11-02T09:30:00.000Z',
  expires_at: null,
  last_used_at: null,
  investor: { id: exampleIds.investor, name: 'Sandbox Capital' },
};

const tag = 'API key';

export const apiKeyEndpoints = (useCases: InvestorUseCases): InvestorEndpoint[] => [
  endpoint({
    method: 'GET',
    path: '/api-key',
    id: 'getApiKey',
    tag,
    summary: 'Read the calling key',
    description: 'Returns the scopes, the limit and the end of the key.',
    isAddition: true,
    responses: { 200: { description: 'The key.', schema: keySchema, example } },
    refusals: [],
    handle: async ({ caller }) => ({
      status: 200,
      body: presentKey(await useCases.readCallingKey(caller)),
    }),
  }),
  endpoint({
    method: 'POST',
    path: '/api-key/rotate',
    id: 'rotateApiKey',
    tag,
    summary: 'Rotate the calling key',
    description:
      'Creates a key with the same name, scopes, limit and end. Its secret is shown only in this response. The calling key works until the overlap ends. If the calling key has itself replaced an older key, the older key ends now. A key can be rotated once. After that, rotate its successor. A rotation costs a tenth of the budget. Points that the calling key has spent also count for the new key. A token can’t rotate its key.',
    isAddition: true,
    body: rotateCallingKeyInput.meta({
      id: 'ApiKeyRotation',
      example: { overlap_seconds: 86_400 },
    }),
    responses: {
      201: {
        description: 'The new key.',
        schema: mintedSchema,
        example: { ...example, secret: 'svc_sk_test_…' },
      },
    },
    refusals: [...bodyRefusals, 'insufficient_scope', 'api_key_conflict'],
    async handle({ caller }, input) {
      const minted = await useCases.rotateCallingKey(caller, input);
      return { status: 201, body: { ...presentKey(minted), secret: minted.secret } };
    },
  }),
];
