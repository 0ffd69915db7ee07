import {
  type AccessRequest,
  type AccessTerms,
  coveringTerms,
  type GrantableScope,
  isGrantableScope,
  isLive,
  maxPurposeLength,
  maxTermKeys,
  noLimits,
  requestAccessInput,
  simplifyTerms,
  termsKey,
} from '#core';
import { submitButton } from '../components/buttons.ts';
import { checkbox, field, groupError, optional, ownerFields } from '../components/fields.ts';
import {
  limitBox,
  periodField,
  readLimits,
  sentValues,
  useFields,
  valuesOf,
} from '../components/limit-fields.ts';
import type { InvestorContext, PageResult } from '../context.ts';
import { type Html, hidden, html, nothing } from '../html.ts';

export interface AccessRequestFields {
  readonly scopes: GrantableScope[];
  readonly purpose: string | null;
  /** `noLimits` asks for access without limits. Absent terms would leave the limits of a grant unchanged. */
  readonly terms: AccessTerms;
}

/** Without scopes, an addition asks only for wider limits. */
export const toAddition = (fields: AccessRequestFields) => ({
  ...fields,
  scopes: fields.scopes.length === 0 ? undefined : fields.scopes,
});

/** Returns null without limits, and without a live request. */
export function presentTerms(request: AccessRequest | null): AccessTerms | null {
  const terms = request !== null && isLive(request) ? coveringTerms(request) : null;
  return terms && simplifyTerms(terms);
}

export type AskErrors = Readonly<Partial<Record<'scopes' | 'keys' | 'from' | 'purpose', string>>>;

interface AskForm {
  readonly action: string;
  readonly button: string;
  readonly offered: readonly GrantableScope[];
  readonly chosen: Pick<AccessRequestFields, 'purpose'> & {
    readonly scopes: readonly GrantableScope[];
    readonly terms: AccessTerms | null;
  };
  /** True if the form adds to a live request. Then it may ask only for wider limits. */
  readonly isAddition?: boolean;
  /** Undefined if the user hasn't sent the form. */
  readonly errors: AskErrors | undefined;
  readonly fields?: Html;
}

export function askForm(
  { action, button, offered, chosen, isAddition = false, errors, fields }: AskForm,
  context: InvestorContext,
): Html {
  const { m } = context.language;
  const { ask: words } = m.figures;
  const { scopes: names } = m.ownRequests;
  const { scopes, purpose } = errors ? readFields(context) : chosen;
  const scopeFields = html`<fieldset${errors?.scopes && html` aria-describedby="scopes-error"`}><legend>${words.what}</legend>
${groupError('scopes', errors?.scopes)}
${offered.map((scope) =>
  checkbox(
    'scopes',
    scope,
    scopes.includes(scope),
    html`<strong>${names[scope].name}:</strong> ${names[scope].what}`,
  ),
)}</fieldset>`;
  return html`<form method="post" action="${action}" class="stack" novalidate>${ownerFields(context)}${fields}${isAddition ? hidden('before', termsKey(chosen.terms)) : nothing}
${offered.length === 0 ? groupError('scopes', errors?.scopes) : scopeFields}
${limitFields(chosen.terms, errors, context)}
${field({ id: 'purpose', label: optional(words.purpose, m), hint: words.purposeHint, error: errors?.purpose, input: (attributes) => html`<textarea ${attributes} name="purpose" rows="3" maxlength="${maxPurposeLength}">${purpose}</textarea>` })}
${submitButton(button, 'primary')}</form>`;
}

function limitFields(
  terms: AccessTerms | null,
  errors: AskErrors | undefined,
  { form, language }: InvestorContext,
): Html {
  const { ask: words } = language.m.figures;
  const values = errors ? sentValues(form) : valuesOf(terms);
  return limitBox(
    values,
    html`<p class="hint">${words.limitsHint}</p>
${field({ id: 'keys', label: words.keys, hint: words.keysHint, error: errors?.keys, input: (attributes) => html`<textarea ${attributes} name="keys" rows="2" dir="ltr" spellcheck="false" autocapitalize="none">${values.keys.join(', ')}</textarea>` })}
${periodField('from', values, null, errors?.from !== undefined, language)}
${useFields(values, language)}`,
    language,
  );
}

export const askFormHandler =
  (
    showAgain: (context: InvestorContext, errors: AskErrors) => Promise<PageResult>,
    act: (fields: AccessRequestFields, context: InvestorContext) => Promise<PageResult>,
  ) =>
  async (context: InvestorContext): Promise<PageResult> => {
    const fields = readFields(context);
    const errors = findErrors(fields, context);
    return errors === null ? act(fields, context) : showAgain(context, errors);
  };

function readFields({ form }: InvestorContext): AccessRequestFields {
  const limits = readLimits(form, null);
  return {
    scopes: form.all('scopes').filter(isGrantableScope),
    purpose: form.text('purpose') ?? null,
    // Invalid limits count as none. `findErrors` reports them.
    terms: ('terms' in limits && limits.terms) || noLimits,
  };
}

function findErrors(
  { scopes, purpose, terms }: AccessRequestFields,
  { form, language: { m } }: InvestorContext,
): AskErrors | null {
  const { ask: words } = m.figures;
  const limits = readLimits(form, null);
  if ('field' in limits)
    return limits.field === 'keys'
      ? { keys: words.keysError(String(maxTermKeys)) }
      : { from: m.limits.firstPeriodError };
  const [before] = form.all('before');
  const widens = before !== undefined && before !== termsKey(simplifyTerms(terms));
  if (scopes.length === 0 && !widens) return { scopes: words.noScope };
  const isPurpose = requestAccessInput.shape.purpose.safeParse(purpose).success;
  return isPurpose ? null : { purpose: words.purposeError };
}
