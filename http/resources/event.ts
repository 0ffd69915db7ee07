import { z } from 'zod';
import { dataEventTypes } from '#core';
import { accessEventResource } from './access-event.ts';
import { accessRequestResource } from './access-request.ts';
import { instant } from './fields.ts';
import { receiptResource } from './receipt.ts';
import { sourceResource } from './source.ts';

const { type, createdAt, actor, reason } = accessEventResource.shape;

const id = z.string().meta({
  description: 'ID of the event, of the form `evt_…`. To resume after this event, send its ID.',
});

export const accessRequestChangeResource = z
  .object({
    id,
    type,
    createdAt,
    accessRequest: accessRequestResource.meta({
      description: 'The request right after the change.',
    }),
    actor,
    reason,
    receipt: receiptResource
      .nullable()
      .meta({ description: 'The receipt of the change. Null until it is signed.' }),
  })
  .meta({ description: 'A change of one of your access requests.' });

const changedSource = sourceResource
  .pick({ provider: true, accountName: true })
  .meta({ description: 'A source that failed, recovered or became stale.' });

export const companyDataChangeResource = z
  .object({
    id,
    type: z.enum(dataEventTypes).meta({ description: 'The type of the change.' }),
    createdAt: instant.meta({ description: 'Time of the change, in RFC 3339.' }),
    companyId: z.string().meta({ description: 'The company whose data changed.' }),
    metricKeys: z.array(z.string()).meta({ description: 'The keys of the changed metrics.' }),
    hasSources: z.boolean().meta({ description: 'True if a source changed.' }),
    hasAccounts: z.boolean().meta({ description: 'True if an account changed.' }),
    source: changedSource
      .nullable()
      .meta({ description: 'The first source in `sources`. Null for `company_data.updated`.' }),
    sources: z.array(changedSource).meta({
      description:
        'The sources that failed, recovered or became stale, sorted by provider and account name. The names have up to 32,000 characters in total. Empty for `company_data.updated`.',
    }),
    sourceCount: z.int().meta({
      description: 'The number of all sources, including those that `sources` leaves out.',
    }),
    dataVersion: z.string().meta({
      description: 'The data version after the change. Every change has a new version.',
    }),
  })
  .meta({
    description:
      'A change of a company’s data. Names the changed data that you may read, without values.',
  });
