import type { AccessUse as AccessUseName } from '#core';
import { accessTermsResource } from '#http';
import { builder } from './builder.ts';
import { describe } from './describe.ts';
import { valuesOf } from './enums.ts';

const terms = describe(accessTermsResource);

const AccessUse = builder.enumType('AccessUse', {
  description: 'The use that a grant allows.',
  values: valuesOf<AccessUseName>({
    ongoing: 'Reads until the end of the grant.',
    once: 'Reads within 24 hours of the first read.',
  }),
});

builder.objectType('AccessTerms', {
  description: 'The limits of the access, in addition to its scopes.',
  fields: (t) => ({
    metricKeys: t.exposeStringList('metricKeys', { nullable: true, description: terms.metricKeys }),
    historyFrom: t.expose('historyFrom', {
      type: 'Date',
      nullable: true,
      description: terms.historyFrom,
    }),
    use: t.expose('use', { type: AccessUse, description: terms.use }),
  }),
});

export const AccessTermsInput = builder.inputType('AccessTermsInput', {
  description: 'The limits of the access, in addition to its scopes.',
  fields: (t) => ({
    metricKeys: t.stringList({ description: terms.metricKeys }),
    historyFrom: t.field({ type: 'Date', description: terms.historyFrom }),
    use: t.field({ type: AccessUse, description: terms.use }),
  }),
});
