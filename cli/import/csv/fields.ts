export type FieldKind = 'text' | 'flag' | 'amount' | 'day' | 'instant';

export const recordTypes = ['company', 'metric', 'source', 'account', 'portfolio'] as const;

export type RecordType = (typeof recordTypes)[number];

interface FieldRule {
  readonly kind: FieldKind;
  readonly required: boolean;
}

const required = (kind: FieldKind = 'text'): FieldRule => ({ kind, required: true });
const optional = (kind: FieldKind = 'text'): FieldRule => ({ kind, required: false });

/** The key is a path, as in newline-delimited JSON. The core checks the values. */
export const fieldsOf: Readonly<Record<RecordType, Readonly<Record<string, FieldRule>>>> = {
  company: { id: required(), name: required(), environment: required() },
  metric: {
    company_id: required(),
    key: required(),
    label: optional(),
    currency: optional(),
    period: required('day'),
    'source.system': required(),
    'source.method': required(),
    'source.last_synced': required('instant'),
    'verification.verified': optional('flag'),
    confidence: optional(),
    value: optional(),
    raw_value: required('amount'),
    category: optional(),
    as_of: optional('instant'),
  },
  source: {
    company_id: required(),
    provider: required(),
    status: required(),
    account_name: required(),
    last_synced_at: required('instant'),
    expected_every: optional(),
  },
  account: {
    id: optional(),
    company_id: required(),
    provider: required(),
    name: required(),
    account_type: required(),
    currency: required(),
    balance: optional(),
    raw_balance: required('amount'),
    last_four: optional(),
    last_synced_at: required('instant'),
  },
  portfolio: { investor_id: required(), company_id: required() },
};
