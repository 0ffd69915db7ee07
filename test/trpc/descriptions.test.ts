import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, it } from 'vitest';
import type { z } from 'zod';
import {
  accessEventResource,
  accessRecordResource,
  accessRequestChangeResource,
  accessRequestResource,
  accessTermsResource,
  accountResource,
  apiKeyResource,
  companyDataChangeResource,
  companyResource,
  metricResource,
  receiptResource,
  sourceResource,
  webhookDeliveryResource,
  webhookEndpointResource,
  webhookTestResource,
} from '#http';

const { source, verification } = metricResource.shape;

/**
 * These types are written by hand, because inferred types would need zod. A nested object with
 * comments has a name, because editors show an unnamed type's comments as text of the outer type,
 * and cut the text off.
 */
const types: [place: string, resource: z.ZodObject][] = [
  ['metrics.ts Metric', metricResource],
  ['metrics.ts MetricSource', source],
  ['metrics.ts SourceVerification', verification.pick({ verified: true, sourceSignature: true })],
  ['metrics.ts UnsignedVerification', verification.pick({ signed: true })],
  ['metrics.ts SignedVerification', verification.omit({ verified: true, sourceSignature: true })],
  ['sources.ts Source', sourceResource],
  ['accounts.ts Account', accountResource],
  ['companies.ts Company', companyResource],
  ['companies.ts CompanyGrant', companyResource.shape.grant.unwrap()],
  ['access-requests.ts AccessRequest', accessRequestResource],
  ['access-requests.ts AccessTerms', accessTermsResource],
  ['access-requests.ts AccessRequestEvent', accessEventResource],
  ['access-requests.ts AccessRequestActor', accessEventResource.shape.actor],
  ['access-requests.ts ConsentReceipt', receiptResource],
  ['access-records.ts AccessRecord', accessRecordResource],
  ['access-request-changes.ts AccessRequestChange', accessRequestChangeResource],
  ['company-data-changes.ts CompanyDataChange', companyDataChangeResource],
  ['company-data-changes.ts ChangedSource', companyDataChangeResource.shape.sources.element],
  ['api-key.ts ApiKey', apiKeyResource],
  ['webhook-endpoints.ts WebhookEndpoint', webhookEndpointResource],
  ['webhook-endpoints.ts WebhookDelivery', webhookDeliveryResource],
  ['webhook-endpoints.ts WebhookTest', webhookTestResource],
];

it.each(types)('%s has the fields of its resource, with their descriptions', (place, resource) => {
  const [file = '', name = ''] = place.split(' ');
  const described = Object.entries(resource.shape as Record<string, z.ZodType>);
  expect(commentsOf(file, name)).toStrictEqual(
    Object.fromEntries(described.map(([field, schema]) => [field, schema.description])),
  );
});

/** Returns the comment of each field of an interface. */
function commentsOf(file: string, name: string): Record<string, string | undefined> {
  const path = fileURLToPath(new URL(`../../trpc-adapter/${file}`, import.meta.url));
  const { statements } = ts.createSourceFile(
    path,
    readFileSync(path, 'utf8'),
    ts.ScriptTarget.Latest,
    true,
  );
  const found = statements
    .filter(ts.isInterfaceDeclaration)
    .find((each) => each.name.text === name);
  const members = found?.members ?? [];
  return Object.fromEntries(members.map((member) => [nameOf(member), commentOf(member)]));
}

const nameOf = ({ name }: ts.TypeElement) => name?.getText() ?? '';

function commentOf(member: ts.TypeElement): string | undefined {
  const [comment] = ts.getJSDocCommentsAndTags(member);
  return ts.getTextOfJSDocComment(comment?.comment)?.replaceAll(/\s+/g, ' ');
}
