import type { Tool as ToolDefinition } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { Caller } from '#core';
import { refusedAnswer } from './refusals.ts';
import { effects, type Tool } from './tool.ts';
import { tools } from './tools.ts';

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** In words that every version of JSON Schema knows, because clients differ in which they read. */
function toJsonSchema(schema: z.ZodObject, io: 'input' | 'output'): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io,
    override({ jsonSchema }) {
      const { example } = jsonSchema;
      if (example !== undefined) jsonSchema.examples = [example];
      delete jsonSchema.example;
      // An answer may gain fields. A parameter that nobody knows is refused.
      if (jsonSchema.type === 'object') {
        if (io === 'input') jsonSchema.additionalProperties = false;
        else delete jsonSchema.additionalProperties;
      }
    },
  });
  return rest;
}

/** A refusal is an answer of the same tool, and some clients hold it to the same schema. */
function answerSchema({ output }: Tool): ToolDefinition['outputSchema'] {
  const { properties, required } = toJsonSchema(output, 'output');
  const refused = toJsonSchema(refusedAnswer, 'output');
  return {
    type: 'object',
    properties: { ...properties, ...refused.properties } as Record<string, object>,
    anyOf: [{ required }, { required: refused.required }],
  };
}

function define(tool: Tool): ToolDefinition {
  const { name, title, description, effect, input } = tool;
  return {
    name,
    title,
    description,
    inputSchema: toJsonSchema(input, 'input') as ToolDefinition['inputSchema'],
    outputSchema: answerSchema(tool),
    annotations: { title, openWorldHint: false, ...effects[effect] },
  };
}

const definitions = tools.map((tool) => ({ tool, definition: define(tool) }));

/** What an agent with this key can do: no other tool is shown to it. */
export function toolsFor({ scopes }: Pick<Caller, 'scopes'>): ToolDefinition[] {
  return definitions
    .filter(({ tool: { scope } }) => scope === undefined || scopes.includes(scope))
    .map(({ definition }) => definition);
}
