import type { AnyTRPCProcedure } from '@trpc/server';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { maxPurposeLength } from '#core';
import { appRouter } from '../../trpc-adapter/router.ts';

const procedures = Object.entries(
  appRouter._def.procedures as unknown as Record<string, AnyTRPCProcedure>,
);

/** Returns the input schemas of a procedure. Panels and OpenAPI tools read them from the same place. */
const schemasOf = (procedure: AnyTRPCProcedure) =>
  (procedure._def as unknown as { inputs: readonly z.ZodType[] }).inputs;

const fieldsOf: Readonly<Record<string, readonly string[]>> = {
  'companies.list': ['access'],
  'companies.get': ['companyId'],
  'companies.onDataChange': ['lastEventId'],
  'accessRequests.create': ['companyId', 'scopes', 'purpose', 'idempotencyKey'],
  'accessRequests.list': ['companyId', 'status', 'limit', 'cursor'],
  'accessRequests.get': ['id'],
  'accessRequests.amend': ['id', 'scopes', 'purpose'],
  'accessRequests.withdraw': ['id'],
  'accessRequests.history': ['id'],
  'accessRequests.receipts': ['id', 'limit', 'cursor'],
  'accessRequests.receiptsHead': ['id', 'limit', 'cursor'],
  'accessRequests.onChange': ['lastEventId'],
  'metrics.latest': ['companyId', 'keys'],
  'metrics.byKey': ['companyId', 'key'],
  'metrics.history': ['companyId', 'key', 'from', 'to'],
  'sources.list': ['companyId'],
  'accounts.list': ['companyId'],
  'accessRecords.list': ['companyId', 'since', 'until', 'limit', 'cursor'],
  'apiKey.get': [],
  'apiKey.rotate': ['overlapSeconds'],
  'webhookEndpoints.list': ['limit', 'cursor'],
  'webhookEndpoints.create': ['url', 'types'],
  'webhookEndpoints.get': ['id'],
  'webhookEndpoints.update': ['id', 'url', 'types'],
  'webhookEndpoints.replay': ['id', 'eventId'],
  'webhookEndpoints.remove': ['id'],
  'webhookEndpoints.enable': ['id'],
  'webhookEndpoints.rotateSecret': ['id'],
  'webhookEndpoints.test': ['id'],
  'webhookEndpoints.deliveries': ['id', 'state', 'limit', 'cursor'],
};

describe('the input schema', () => {
  it.each(procedures)(
    'is one schema for %s that tools can convert to JSON Schema',
    (name, procedure) => {
      const [schema, ...others] = schemasOf(procedure);
      expect(others).toEqual([]);
      expect(schema).toBeInstanceOf(z.ZodType);
      const { properties } = z.toJSONSchema(schema as z.ZodType, { io: 'input' });
      expect(Object.keys(properties ?? {}).toSorted()).toEqual(fieldsOf[name]?.toSorted());
    },
  );

  it('lists the accepted fields with descriptions', () => {
    const { create } = appRouter.accessRequests;
    const [schema] = schemasOf(create as unknown as AnyTRPCProcedure);
    expect(z.toJSONSchema(schema as z.ZodType, { io: 'input' })).toMatchObject({
      type: 'object',
      required: ['companyId', 'scopes'],
      properties: {
        companyId: { type: 'string', minLength: 1, description: expect.any(String) },
        scopes: { type: 'array', minItems: 1, items: { enum: expect.any(Array) } },
        purpose: { anyOf: [{ type: 'string', maxLength: maxPurposeLength }, { type: 'null' }] },
      },
    });
  });

  it('can check an input before it is sent', () => {
    const [schema] = schemasOf(appRouter.metrics.byKey as unknown as AnyTRPCProcedure);
    expect(schema?.safeParse({ companyId: 'co_1', key: 'arr' }).success).toBe(true);
    expect(schema?.safeParse({ companyId: 'co_1', key: 7 }).success).toBe(false);
  });
});
