import { type AccessRequest, type AccessTerms, accessUses } from '#core';
import { checkbox, field, groupError, optional, radio } from '../../components/fields.ts';
import { metricNames } from '../../components/limits.ts';
import type { Labels } from '../../components/records.ts';
import type { ContactContext } from '../../context.ts';
import type { Form } from '../../form.ts';
import { bdi, type Html, hidden, html, nothing } from '../../html.ts';
import {
  type Invalid,
  type LimitFields,
  type LimitingDecision,
  proposedLimits,
  sentLimits,
  widestTerms,
} from '../limits.ts';

interface Shown {
  readonly request: AccessRequest;
  readonly metrics: Labels;
  readonly context: ContactContext;
  readonly invalid: Invalid['field'] | null;
  readonly chosen: Form | null;
}

/**
 * Returns the fields that limit what the investor can read. They offer only limits within the widest ones.
 *
 * @param proposed the limits to show until the user changes them
 */
export function limitFields(
  type: LimitingDecision,
  proposed: AccessTerms | null,
  shown: Shown,
): Html {
  const { request, metrics, chosen } = shown;
  const { requestedScopes, approvedScopes, pendingScopes } = request;
  const scopes = type === 'narrow' ? approvedScopes : [...requestedScopes, ...pendingScopes];
  const widest = widestTerms(type, request);
  const values =
    chosen === null ? proposedLimits(proposed, [...metrics.keys()]) : sentLimits(chosen);
  const ofMetrics = scopes.includes('metrics:read')
    ? html`${metricFields(type, widest, values, shown)}${periodField(type, widest, values, shown)}`
    : nothing;
  return html`${ofMetrics}${widest?.use === 'once' ? nothing : useFields(values, shown)}`;
}

function metricFields(
  type: LimitingDecision,
  widest: AccessTerms | null,
  { which, keys }: LimitFields,
  { metrics, invalid, context: { language } }: Shown,
): Html | string {
  const words = language.m.limits;
  const isLimited = widest !== null && widest.metricKeys !== null;
  const offered = isLimited ? widest.metricKeys : [...new Set([...metrics.keys(), ...keys])];
  if (offered.length === 0) return nothing;
  const names = metricNames(offered, language, metrics);
  const id = `${type}-keys`;
  const isInvalid = invalid === 'keys';
  const options = offered.map((key, index) =>
    checkbox('keys', key, keys.includes(key), bdi(names[index] ?? key)),
  );
  return html`<fieldset class="which"${isInvalid ? html` aria-describedby="${id}-error"` : nothing}><legend>${words.metrics}</legend>
${groupError(id, isInvalid ? words.metricsError : undefined)}
${
  isLimited
    ? hidden('metrics', 'some')
    : html`${radio('metrics', 'all', which, words.allMetrics)}
${radio('metrics', 'some', which, words.someMetrics)}`
}
<div class="options long-list">${options}</div></fieldset>`;
}

function periodField(
  type: LimitingDecision,
  widest: AccessTerms | null,
  { from }: LimitFields,
  { invalid, context: { language } }: Shown,
): Html {
  const { m, format } = language;
  const words = m.limits;
  const earliest = widest?.historyFrom ?? null;
  const date = earliest === null ? null : format.date(new Date(earliest));
  const problem = date === null ? words.firstPeriodError : words.firstPeriodFrom(date);
  const hint = date === null ? words.firstPeriodHint : words.firstPeriodEarliest(date);
  return html`${field({ id: `${type}-from`, label: optional(words.firstPeriod, m), hint, error: invalid === 'from' ? problem : undefined, input: (attributes) => html`<input ${attributes} name="from" type="date"${earliest === null ? nothing : html` min="${earliest}"`} value="${from}">` })}`;
}

function useFields({ use }: LimitFields, { context }: Shown): Html {
  const { limits: words } = context.language.m;
  return html`<fieldset><legend>${words.use}</legend>
${accessUses.map((each) => radio('use', each, use, words[each]))}</fieldset>`;
}
