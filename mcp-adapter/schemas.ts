import { z } from 'zod';
import { grantableScopes } from '#core';

/** The building blocks of the result schemas. */
export const instant = z.string().meta({ description: 'RFC 3339, UTC.' });

export const companyId = z.string().meta({ description: 'ID of a company in the portfolio.' });

export const scopes = z.array(z.enum(grantableScopes));

export const exactAmount = z.string().meta({
  description: 'A plain decimal number with every digit of the source.',
});

export const currency = z.string().meta({ description: 'ISO 4217 code.' });
