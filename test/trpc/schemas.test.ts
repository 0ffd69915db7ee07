import type { AnyTRPCProcedure } from '@trpc/server';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { maxPurposeLength } from '#core';
import { appRouter } from '../../trpc-adapter/router.ts';

const procedures = Object.entries(
  appRouter._def.procedures as unknown as Record<string, AnyTRPCProcedure>,
);

/** API panels and tools for OpenAPI read the schemas from the same place. */
const schemasOf = (procedure: AnyTRPCProcedure) =>
  (procedure._def as unknown as { inputs: readonly z.ZodType[] }).inputs;

describe('the input schema', () => {
  it.each(procedures)(
    'is one schema for %s that tools can convert to JSON Schema',
    (_name, procedure) => {
      const [schema, ...others] = schemasOf(procedure);
      expect(others).toEqual([]);
      expect(schema).toBeInstanceOf(z.ZodType);
      const inJson = z.toJSONSchema(schema as z.ZodType, { io: 'input' });
      expect(inJson).toMatchObject({ type: 'object' });
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
