import { type GrantableScope, isGrantableScope, maxPurposeLength, requestAccessInput } from '#core';
import { submitButton } from '../components/buttons.ts';
import { checkbox, described, fieldError, ownerFields } from '../components/fields.ts';
import type { InvestorContext, PageResult } from '../context.ts';
import { type Html, html } from '../html.ts';

/** What a form that asks for something has. */
export interface Asked {
  readonly scopes: GrantableScope[];
  readonly purpose: string | null;
}

export type AskErrors = Readonly<Partial<Record<'scopes' | 'purpose', string>>>;

interface AskForm {
  readonly action: string;
  readonly button: string;
  readonly offered: readonly GrantableScope[];
  /** What is chosen until somebody chooses otherwise. */
  readonly chosen: { readonly scopes: readonly GrantableScope[]; readonly purpose: string | null };
  /** What of the form that was sent cannot be; undefined: none was sent. */
  readonly errors: AskErrors | undefined;
  readonly fields?: Html;
}

/** What is asked for, and why, which the company reads. */
export function askForm(
  { action, button, offered, chosen, errors, fields }: AskForm,
  context: InvestorContext,
): Html {
  const { m } = context.language;
  const { ask: words } = m.figures;
  const { scopes: names } = m.investorAdmin;
  const { scopes, purpose } = errors ? readAsked(context) : chosen;
  return html`<form method="post" action="${action}" class="stack" novalidate>${ownerFields(context)}${fields}
<fieldset${errors?.scopes && html` aria-describedby="scopes-error"`}><legend>${words.what}</legend>
${fieldError('scopes', errors?.scopes)}
${offered.map((scope) =>
  checkbox(
    'scopes',
    scope,
    scopes.includes(scope),
    html`<strong>${names[scope].name}:</strong> ${names[scope].what}`,
  ),
)}</fieldset>
<label for="purpose">${words.purpose} <span class="hint">(${m.optional})</span></label>
${fieldError('purpose', errors?.purpose)}
<textarea id="purpose" name="purpose" rows="3" maxlength="${maxPurposeLength}"${described('purpose', errors?.purpose, 'purpose-hint')}>${purpose}</textarea>
<p class="hint" id="purpose-hint">${words.purposeHint}</p>
${submitButton(button, 'primary')}</form>`;
}

/** Does what the form asks for; what cannot be asked for is told beside its field, on the page shown again. */
export const asking =
  (
    showAgain: (context: InvestorContext, errors: AskErrors) => Promise<PageResult>,
    act: (asked: Asked, context: InvestorContext) => Promise<PageResult>,
  ) =>
  async (context: InvestorContext): Promise<PageResult> => {
    const asked = readAsked(context);
    const errors = findErrors(asked, context);
    return errors === null ? act(asked, context) : showAgain(context, errors);
  };

const readAsked = ({ form }: InvestorContext): Asked => ({
  scopes: form.all('scopes').filter(isGrantableScope),
  purpose: form.text('purpose') ?? null,
});

/** What of it cannot be; null: nothing. */
function findErrors({ scopes, purpose }: Asked, context: InvestorContext): AskErrors | null {
  const { ask: words } = context.language.m.figures;
  if (scopes.length === 0) return { scopes: words.noScope };
  const isPurpose = requestAccessInput.shape.purpose.safeParse(purpose).success;
  return isPurpose ? null : { purpose: words.purposeError };
}
