import type { Tool as ToolDefinition } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { InvestorCaller } from '#core';
import { argumentDescriptions } from './arguments.ts';
import { effects, type Tool } from './tool.ts';
import { tools } from './tools.ts';

/** Uses only keywords that all versions of JSON Schema have, because clients support different versions. */
function toJsonSchema(schema: z.ZodObject): z.core.JSONSchema.BaseSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io: 'input',
    override({ jsonSchema }) {
      const { example } = jsonSchema;
      if (example !== undefined) jsonSchema.examples = [example];
      delete jsonSchema.example;
      // Omits the long pattern, because the format `date` means the same.
      if (jsonSchema.format === 'date') delete jsonSchema.pattern;
      if (jsonSchema.type === 'object') jsonSchema.additionalProperties = false;
    },
  });
  return { ...rest, properties: describeArguments(rest.properties) };
}

function describeArguments(properties: z.core.JSONSchema.BaseSchema['properties'] = {}) {
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => {
      const description = argumentDescriptions[name];
      return [name, description === undefined ? schema : { ...(schema as object), description }];
    }),
  );
}

function define(tool: Tool): ToolDefinition {
  const { name, title, description, effect, input } = tool;
  return {
    name,
    title,
    description,
    inputSchema: toJsonSchema(input) as ToolDefinition['inputSchema'],
    annotations: { title, openWorldHint: false, ...effects[effect] },
  };
}

const definitions = tools.map((tool) => ({ tool, definition: define(tool) }));

export function toolsFor({ scopes }: Pick<InvestorCaller, 'scopes'>): ToolDefinition[] {
  return definitions
    .filter(({ tool: { scope } }) => scope === undefined || scopes.includes(scope))
    .map(({ definition }) => definition);
}
