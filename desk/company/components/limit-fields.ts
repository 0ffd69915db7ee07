import type { AccessRequest, AccessTerms, ApprovalsRequired } from '#core';
import { checkbox, groupError, radio } from '../../components/fields.ts';
import {
  type LimitValues,
  limitBox,
  periodField,
  sentValues,
  useFields,
  valuesOf,
} from '../../components/limit-fields.ts';
import type { Labels } from '../../components/records.ts';
import type { ContactContext } from '../../context.ts';
import type { Form } from '../../form.ts';
import { bdi, type Html, hidden, html, nothing } from '../../html.ts';
import { metricNameOf } from '../../metric-words.ts';
import { firstApproval, type Invalid, type LimitingDecision, widestTerms } from '../limits.ts';

export interface FormFacts {
  readonly request: AccessRequest;
  readonly metrics: Labels;
  readonly approvalsRequired: ApprovalsRequired;
}

/** A form to show. `chosen` is null if the user hasn't sent this form yet. */
export interface Shown extends FormFacts {
  readonly context: ContactContext;
  readonly invalid: Invalid['field'] | null;
  readonly chosen: Form | null;
}

/** The fields offer only limits within the widest ones. */
export function limitFields(type: LimitingDecision, shown: Shown): Html {
  const { request, chosen, invalid, context } = shown;
  const { requestedScopes, approvedScopes, pendingScopes } = request;
  const scopes = type === 'narrow' ? approvedScopes : [...requestedScopes, ...pendingScopes];
  const widest = widestTerms(type, request);
  const first = type === 'approve' ? firstApproval(request) : null;
  const values = chosen === null ? valuesOf(first ? first.terms : widest) : sentValues(chosen);
  const { language } = context;
  const earliest = widest?.historyFrom ?? null;
  const ofMetrics = scopes.includes('metrics:read')
    ? html`${metricFields(`${type}-keys`, widest, values, shown)}
${periodField(`${type}-from`, values, earliest, invalid === 'from', language)}`
    : nothing;
  const fields = html`${ofMetrics}${widest?.use === 'once' ? nothing : useFields(values, language)}`;
  return type === 'narrow' ? fields : limitBox(values, fields, language);
}

function metricFields(
  id: string,
  widest: AccessTerms | null,
  { which, keys }: LimitValues,
  { metrics, invalid, context: { language } }: Shown,
): Html | string {
  const words = language.m.limits;
  const allowed = widest?.metricKeys ?? null;
  const offered = allowed ?? [...new Set([...metrics.keys(), ...keys])];
  if (offered.length === 0) return nothing;
  const isInvalid = invalid === 'keys';
  return html`<fieldset class="which"${isInvalid ? html` aria-describedby="${id}-error"` : nothing}><legend>${words.metrics}</legend>
${groupError(id, isInvalid ? words.metricsError : undefined)}
${
  allowed === null
    ? html`${radio('metrics', 'all', which, words.allMetrics)}
${radio('metrics', 'some', which, words.someMetrics)}`
    : hidden('metrics', 'some')
}
<div class="options long-list">${offered.map((key) => {
    const name = metrics.get(key) ?? metricNameOf(key, language);
    return checkbox('keys', key, which === 'all' || keys.includes(key), bdi(name));
  })}</div></fieldset>`;
}
