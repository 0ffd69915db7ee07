import { z } from 'zod';
import type { IssuedReceipt } from '#core';

export const receiptResource = z
  .object({
    id: z.string().meta({ description: 'ID of the receipt, of the form `rcpt_…`.' }),
    jws: z.string().meta({
      description:
        'The signed receipt: a compact JWS of the type `consent-receipt+jws`. The key for its `kid` is in `/.well-known/jwks.json`.',
    }),
  })
  .meta({
    description:
      'The signed receipt of one change of an access request. The investor and the company get the same receipt. Each receipt names the previous one.',
  });

export const presentReceipt = ({ id, jws }: IssuedReceipt): z.output<typeof receiptResource> => ({
  id,
  jws,
});
