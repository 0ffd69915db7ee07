import type { DeskContext } from '../context.ts';
import type { Days } from '../days.ts';
import { type Html, html } from '../html.ts';
import { fieldError } from './fields.ts';

/** The fields of a first and a last day, each with what is wrong with it. */
export const dateFields =
  ({ query, language: { m } }: DeskContext, invalid: Days['invalid']) =>
  (name: 'since' | 'until', label: string): Html => {
    const words = m.activity;
    const problem = invalid[name];
    const error = problem && (problem === 'date' ? words.dateError : words.orderError);
    return html`<div><label for="${name}">${label}</label>
${fieldError(name, error)}
<input id="${name}" name="${name}" type="date" value="${problem === 'date' ? '' : query[name]}"${error && html` aria-invalid="true" aria-describedby="${name}-error"`}></div>`;
  };
