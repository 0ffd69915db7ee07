import { z } from 'zod';
import {
  type CompanyUseCases,
  pageInput,
  type SettingsChange,
  settingsActorTypes,
  settingsChangeTypes,
} from '#core';
import { instant, toSnakeCase } from '#http';
import type { CompanyEndpoint } from '../context.ts';
import { endpoint } from '../endpoint.ts';
import { exampleIds } from '../example-ids.ts';
import { pageSchema, presentPage } from '../list.ts';
import { exampleCursor, withExample } from '../schemas.ts';

const value = z.union([z.string(), z.number(), z.array(z.string()), z.null()]);

const changeSchema = z
  .object({
    id: z.string().meta({ description: 'ID of the entry, of the form `chg_…`.' }),
    object: z.literal('settings_change'),
    type: z.enum(settingsChangeTypes),
    created_at: instant,
    actor: z.object({
      type: z.enum(settingsActorTypes).meta({
        description:
          'The kind of actor. `service`: the service disabled a webhook endpoint, because the receiver answered 410.',
      }),
      id: z
        .string()
        .nullable()
        .meta({ description: 'The ID of the key or contact. Null for other actors.' }),
      name: z
        .string()
        .nullable()
        .meta({ description: 'The address of a contact. Null for other actors.' }),
    }),
    subject: z.object({
      type: z.string().meta({ description: 'The kind of the changed object.' }),
      id: z.string(),
      name: z.string().meta({ description: 'The name, address or URL of the changed object.' }),
    }),
    changes: z.record(z.string(), z.object({ from: value, to: value })).meta({
      description: 'The old and new value of each changed property. Never contains a secret.',
    }),
  })
  .meta({ id: 'SettingsChange', description: 'An entry of the settings log.' });

export const presentSettingsChange = (change: SettingsChange): z.output<typeof changeSchema> => ({
  id: change.id,
  object: 'settings_change',
  type: change.type,
  created_at: change.createdAt.toISOString(),
  actor: change.actor,
  subject: change.subject,
  changes: Object.fromEntries(
    Object.entries(change.changes).map(([name, { from, to }]) => [
      toSnakeCase(name),
      { from: copyOf(from), to: copyOf(to) },
    ]),
  ),
});

const copyOf = (each: string | number | readonly string[] | null): z.output<typeof value> =>
  typeof each === 'object' && each !== null ? [...each] : each;

const example: z.output<typeof changeSchema> = {
  id: 'chg_019aa1b2c3d47e5f8a9b0c1d2e3f4a5b',
  object: 'settings_change',
  type: 'webhook_endpoint.created',
  created_at: '2026-11-02T09:30:00.000Z',
  actor: { type: 'operator', id: null, name: null },
  subject: {
    type: 'webhook_endpoint',
    id: exampleIds.webhookEndpoint,
    name: 'https://hooks.juniper.example/portfolio-access',
  },
  changes: {
    url: { from: null, to: 'https://hooks.juniper.example/portfolio-access' },
    types: { from: null, to: ['access_request.expiring'] },
  },
};

const listUrl = '/company/v1/settings-changes';
const { limit, cursor } = pageInput.shape;

export const settingsChangeEndpoints = (useCases: CompanyUseCases): CompanyEndpoint[] => [
  endpoint({
    method: 'GET',
    path: '/settings-changes',
    id: 'listSettingsChanges',
    tag: 'Settings log',
    summary: 'List who changed your settings',
    description:
      'Lists every change of your contacts, keys, webhooks and name, and of the portfolios with your company, newest first. Entries can’t be changed or removed.',
    query: z.object({ limit, cursor: withExample(cursor, exampleCursor(example.id)) }),
    responses: {
      200: {
        description: 'A page of the log.',
        schema: pageSchema(changeSchema, 'SettingsChangePage', 'changes of settings'),
        example: presentPage([example], listUrl, null),
      },
    },
    refusals: [],
    async handle({ caller }, input) {
      const { items, nextCursor } = await useCases.listOwnSettingsChanges(caller, input);
      const body = presentPage(items.map(presentSettingsChange), listUrl, nextCursor);
      return { status: 200, body };
    },
  }),
];
