import type { z } from 'zod';

type Shape = Readonly<Record<string, z.ZodType>>;

/** Replaces "Absent" with "Null", because GraphQL returns null for an absent field. */
export const describe = <Fields extends Shape>({ shape }: { readonly shape: Fields }) =>
  Object.fromEntries(
    Object.entries(shape).map(([name, field]) => [
      name,
      field.meta()?.description?.replace('Absent', 'Null'),
    ]),
  ) as { readonly [Name in keyof Fields]: string };
