import { z } from 'zod';
import { companyAccesses, type PortfolioCompany } from '#core';
import { companyId, instant, scopeList } from './fields.ts';

const grant = z
  .object({
    approvedScopes: scopeList.meta({ description: 'The granted scopes.' }),
    expiresAt: instant.meta({ description: 'The end of the grant, in RFC 3339.' }),
  })
  .meta({ description: 'The grant.' });

export const companyResource = z
  .object({
    id: companyId,
    name: z.string().meta({ description: 'Name of the company.' }),
    access: z.enum(companyAccesses).meta({
      description:
        'Your access, from your newest access request. A declined or expired request counts as no request.',
    }),
    accessPaused: z.boolean().meta({
      description: 'True while the company pauses the grant. Meanwhile, no read is allowed.',
      'x-addition': true,
    }),
    accessRequestId: z
      .string()
      .nullable()
      .meta({ description: 'ID of the newest access request. Null if none exists.' }),
    grant: grant.nullable().meta({ description: 'The grant. Null unless access is approved.' }),
  })
  .meta({ description: 'A company in your portfolio.' });

export function presentCompany({
  id,
  name,
  access,
  isAccessPaused,
  grant,
  newestRequestId,
}: PortfolioCompany): z.output<typeof companyResource> {
  return {
    id,
    name,
    access,
    accessPaused: isAccessPaused,
    accessRequestId: newestRequestId,
    grant: grant && {
      approvedScopes: [...grant.approvedScopes],
      expiresAt: grant.expiresAt.toISOString(),
    },
  };
}
