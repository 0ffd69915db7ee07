import { z } from 'zod';
import { type AccessTerms, accessUses, termsInput } from '#core';

const { metricKeys, historyFrom, use } = termsInput.shape;

export const accessTermsResource = z
  .object({
    metricKeys: z
      .array(z.string())
      .nullable()
      .meta(metricKeys.meta() ?? {}),
    historyFrom: z.iso
      .date()
      .nullable()
      .meta(historyFrom.meta() ?? {}),
    use: z.enum(accessUses).meta(use.meta() ?? {}),
  })
  .meta(termsInput.meta() ?? {});

export const presentTerms = ({
  metricKeys,
  historyFrom,
  use,
}: AccessTerms): z.output<typeof accessTermsResource> => ({
  metricKeys: metricKeys && [...metricKeys],
  historyFrom,
  use,
});
