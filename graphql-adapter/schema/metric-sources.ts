import { metricResource } from '#http';
import { builder } from './builder.ts';
import { describe } from './describe.ts';

const source = describe(metricResource.shape.source);
const verification = describe(metricResource.shape.verification);

builder.objectType('MetricSource', {
  description: 'The source of a value.',
  isGated: true,
  isCacheable: true,
  fields: (t) => ({
    system: t.exposeString('system', { description: source.system }),
    method: t.exposeString('method', { description: source.method }),
    lastSynced: t.expose('lastSynced', { type: 'DateTime', description: source.lastSynced }),
  }),
});

builder.objectType('Verification', {
  description:
    'Shows whether the value was checked against its source. Contains the signature of the value.',
  isGated: true,
  isCacheable: true,
  fields: (t) => ({
    verified: t.exposeBoolean('verified', { description: verification.verified }),
    signed: t.exposeBoolean('signed', { description: verification.signed }),
    signature: t.string({
      nullable: true,
      description: verification.signature,
      cost: { bytes: 500 },
      resolve: (of) => (of.signed ? of.signature : null),
    }),
    publicKeyUrl: t.string({
      nullable: true,
      description: verification.publicKeyUrl,
      resolve: (of) => (of.signed ? of.publicKeyUrl : null),
    }),
    revision: t.int({
      nullable: true,
      description: verification.revision,
      resolve: (of) => (of.signed ? of.revision : null),
    }),
    signedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: verification.signedAt,
      resolve: (of) => (of.signed ? of.signedAt : null),
    }),
    sourceSignature: t.string({
      nullable: true,
      description: verification.sourceSignature,
      resolve: ({ sourceSignature }) => sourceSignature ?? null,
    }),
  }),
});
