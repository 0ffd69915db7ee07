import { type GrantableScope, isGrantableScope, maxPurposeLength, requestAccessInput } from '#core';
import { submitButton } from '../components/buttons.ts';
import { checkbox, field, groupError, optional, ownerFields } from '../components/fields.ts';
import type { InvestorContext, PageResult } from '../context.ts';
import { type Html, html } from '../html.ts';

export interface AccessRequestFields {
  readonly scopes: GrantableScope[];
  readonly purpose: string | null;
}

export type AskErrors = Readonly<Partial<Record<'scopes' | 'purpose', string>>>;

interface AskForm {
  readonly action: string;
  readonly button: string;
  readonly offered: readonly GrantableScope[];
  readonly chosen: { readonly scopes: readonly GrantableScope[]; readonly purpose: string | null };
  /** Undefined if the user hasn't sent the form. */
  readonly errors: AskErrors | undefined;
  readonly fields?: Html;
}

export function askForm(
  { action, button, offered, chosen, errors, fields }: AskForm,
  context: InvestorContext,
): Html {
  const { m } = context.language;
  const { ask: words } = m.figures;
  const { scopes: names } = m.ownRequests;
  const { scopes, purpose } = errors ? readFields(context) : chosen;
  return html`<form method="post" action="${action}" class="stack" novalidate>${ownerFields(context)}${fields}
<fieldset${errors?.scopes && html` aria-describedby="scopes-error"`}><legend>${words.what}</legend>
${groupError('scopes', errors?.scopes)}
${offered.map((scope) =>
  checkbox(
    'scopes',
    scope,
    scopes.includes(scope),
    html`<strong>${names[scope].name}:</strong> ${names[scope].what}`,
  ),
)}</fieldset>
${field({ id: 'purpose', label: optional(words.purpose, m), hint: words.purposeHint, error: errors?.purpose, input: (attributes) => html`<textarea ${attributes} name="purpose" rows="3" maxlength="${maxPurposeLength}">${purpose}</textarea>` })}
${submitButton(button, 'primary')}</form>`;
}

/** If the form has errors, shows the page again with each error next to its field. */
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

const readFields = ({ form }: InvestorContext): AccessRequestFields => ({
  scopes: form.all('scopes').filter(isGrantableScope),
  purpose: form.text('purpose') ?? null,
});

/** Returns null if the form is valid. */
function findErrors(
  { scopes, purpose }: AccessRequestFields,
  context: InvestorContext,
): AskErrors | null {
  const { ask: words } = context.language.m.figures;
  if (scopes.length === 0) return { scopes: words.noScope };
  const isPurpose = requestAccessInput.shape.purpose.safeParse(purpose).success;
  return isPurpose ? null : { purpose: words.purposeError };
}
