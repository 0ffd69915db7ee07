import {
  type AccessTerms,
  accessUses,
  fillTerms,
  isWithinTerms,
  namedTerms,
  termsInput,
} from '#core';
import type { Form } from '../form.ts';
import { type Html, html, nothing } from '../html.ts';
import type { Language } from '../messages/index.ts';
import { field, optional, radio } from './fields.ts';

export interface LimitValues {
  readonly which: 'all' | 'some';
  readonly keys: readonly string[];
  readonly from: string;
  readonly use: string;
}

export const valuesOf = (terms: AccessTerms | null): LimitValues => ({
  which: terms?.metricKeys ? 'some' : 'all',
  keys: terms?.metricKeys ?? [],
  from: terms?.historyFrom ?? '',
  use: terms?.use ?? 'ongoing',
});

/** Companies tick metrics and can choose all of them. Investors enter the keys in one field, or leave it empty. */
export function sentValues(form: Form): LimitValues {
  const keys = form.all('keys').flatMap((text) => text.split(/[\s,;]+/).filter(Boolean));
  const which = form.text('metrics') ?? (keys.length === 0 ? 'all' : 'some');
  return {
    which: which === 'all' ? 'all' : 'some',
    keys,
    from: form.text('from') ?? '',
    use: form.text('use') ?? 'ongoing',
  };
}

export type SentLimits =
  | { readonly terms: AccessTerms | null }
  | { readonly field: 'keys' | 'from' };

/** Reads limits that must be within the widest ones. A field that is absent or empty means the widest limit. */
export function readLimits(form: Form, widest: AccessTerms | null): SentLimits {
  const { which, keys, from } = sentValues(form);
  const { error, data } = termsInput.safeParse({
    metricKeys: which === 'some' ? keys : null,
    historyFrom: from || null,
    use: form.text('use'),
  });
  if (error) return { field: error.issues[0]?.path[0] === 'metricKeys' ? 'keys' : 'from' };
  const terms = fillTerms(namedTerms(data), widest);
  return isWithinTerms(terms, widest) ? { terms } : { field: 'from' };
}

export function periodField(
  id: string,
  { from }: LimitValues,
  earliest: string | null,
  isInvalid: boolean,
  { m, format }: Language,
): Html {
  const words = m.limits;
  const hint =
    earliest === null
      ? words.firstPeriodHint
      : words.firstPeriodEarliest(format.date(new Date(earliest)));
  return field({
    id,
    label: optional(words.firstPeriod, m),
    hint,
    error: isInvalid ? words.firstPeriodError : undefined,
    input: (attributes) =>
      html`<input ${attributes} name="from" type="date"${earliest === null ? nothing : html` min="${earliest}"`} value="${from}">`,
  });
}

export const useFields = ({ use }: LimitValues, { m }: Language): Html =>
  html`<fieldset><legend>${m.limits.use}</legend>
${accessUses.map((each) => radio('use', each, use, m.limits[each]))}</fieldset>`;

/** Folded unless there is a limit, because most accesses have none. */
export function limitBox({ which, from, use }: LimitValues, content: Html, { m }: Language): Html {
  const isOpen = which === 'some' || from !== '' || use === 'once';
  return html`<details class="box"${isOpen ? html` open data-open` : nothing}><summary>${m.limits.title}</summary><div class="stack">
${content}</div></details>`;
}
