import { z } from 'zod';
import {
  companyRoles,
  companyScopes,
  emailInput,
  environments,
  investorRoles,
  isCompanyId,
  isName,
  isSandboxCompany,
  maxNameLength,
  type Role,
  scopes,
} from '#core';
import { parseInstant } from '../options.ts';

const name = z
  .string()
  .trim()
  .refine(isName, `must be a line of 1 to ${maxNameLength} plain characters`);

const expiresAt = z.string().transform((text, context) => {
  try {
    return parseInstant(text);
  } catch (error) {
    context.addIssue((error as Error).message);
    return z.NEVER;
  }
});

const keyFields = {
  /** Later runs find the key by this name. */
  name,
  expires_at: expiresAt.optional(),
};

const areDistinct = (names: readonly string[]) => new Set(names).size === names.length;
const haveDistinctNames = (keys: readonly { readonly name: string }[]) =>
  areDistinct(keys.map((key) => key.name));
const duplicateProblem = 'contains a duplicate';

const contact = <R extends Role>(roles: readonly R[]) =>
  z.union([
    emailInput.transform((email) => ({ email, role: undefined })),
    z.strictObject({ email: emailInput, role: z.enum(roles).optional() }),
  ]);

const contactsWith = <R extends Role>(roles: readonly R[]) =>
  z
    .array(contact(roles))
    .refine((contacts) => areDistinct(contacts.map(({ email }) => email)), duplicateProblem)
    .default([]);

const apiKey = z.strictObject({
  ...keyFields,
  scopes: z.array(z.enum(scopes)).min(1),
  rate_limit: z.int().min(1).optional(),
});

const companyKey = z.strictObject({
  ...keyFields,
  scopes: z.array(z.enum(companyScopes)).min(1).optional(),
  /** The only source whose data the key may push. */
  source: z.string().min(1).optional(),
});

const investor = z
  .strictObject({
    /** The ID of an existing investor. Without an ID, the investor is found by name. */
    id: z.string().optional(),
    name: name.optional(),
    contacts: contactsWith(investorRoles),
    keys: z.array(apiKey).refine(haveDistinctNames, duplicateProblem).default([]),
  })
  .refine((owner) => owner.id !== undefined || owner.name !== undefined, 'has no id and no name');

const company = z
  .strictObject({
    id: z
      .string()
      .refine(isCompanyId, 'must be co_ and 1 to 64 letters, digits, underscores or hyphens')
      .refine(
        (id) => !isSandboxCompany(id),
        'is reserved for the sandbox companies, which every test investor gets',
      )
      .optional(),
    name: name.optional(),
    contacts: contactsWith(companyRoles),
    keys: z.array(companyKey).refine(haveDistinctNames, duplicateProblem).default([]),
  })
  .refine((owner) => owner.id !== undefined || owner.name !== undefined, 'has no id and no name');

type CompanyDocument = z.output<typeof company>;

/** If both entries have IDs, only the IDs decide, because names may be equal. */
const isSame = (one: CompanyDocument, other: CompanyDocument): boolean =>
  one.id !== undefined && other.id !== undefined ? one.id === other.id : one.name === other.name;

const companies = z
  .array(company)
  .min(1)
  .refine(
    (all) => all.every((one, index) => !all.slice(0, index).some((other) => isSame(one, other))),
    duplicateProblem,
  );

/** The wanted result of an onboarding. The companies will be in the investor's portfolio. */
export const onboardingSchema = z
  .strictObject({
    environment: z.enum(environments),
    investor: investor.optional(),
    company: company.optional(),
    /** For a document with several companies, which has no `company`. */
    companies: companies.optional(),
    /** The mapping for the company's CSV files: the path of a file, or the mapping itself. */
    mapping: z.union([z.string().min(1), z.record(z.string(), z.unknown())]).optional(),
  })
  .refine(
    ({ investor, company, companies }) => (investor ?? company ?? companies) !== undefined,
    'names no investor and no company',
  )
  .refine(
    ({ company, companies }) => company === undefined || companies === undefined,
    'has a company and companies: name each company once, in companies',
  )
  .refine((document) => document.mapping === undefined || document.company !== undefined, {
    path: ['mapping'],
    error: 'needs a company',
  });

export interface ContactDocument {
  readonly email: string;
  readonly role?: Role | undefined;
}

export type OnboardingDocument = z.output<typeof onboardingSchema>;

export type Onboarding = Omit<OnboardingDocument, 'companies'>;

/** Only the first part has the investor's contacts and keys. */
export function splitByCompany({ companies, ...whole }: OnboardingDocument): readonly Onboarding[] {
  if (companies === undefined) return [whole];
  const bare = whole.investor && { ...whole.investor, contacts: [], keys: [] };
  return companies.map((company, index) => ({
    ...whole,
    investor: index === 0 ? whole.investor : bare,
    company,
  }));
}

export type ApiKeyDocument = z.output<typeof apiKey>;
export type CompanyKeyDocument = z.output<typeof companyKey>;
