import { z } from 'zod';
import { grantableScopes } from '#core';

export const companyId = z
  .string()
  .meta({ description: 'ID of the company.', example: 'co_harbor' });

export const currency = z.string().meta({ description: 'ISO 4217 code.', example: 'USD' });

export const instant = z.iso
  .datetime({ precision: 3 })
  .meta({ description: 'RFC 3339, UTC, with milliseconds.', example: '2026-11-02T09:30:00.000Z' });

export const scopeList = z.array(
  z
    .enum(grantableScopes)
    .meta({ id: 'GrantableScope', description: 'A scope that a company can grant.' }),
);
