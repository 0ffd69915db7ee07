import type { Metric } from '#core';
import { presentMetric } from '#http';
import { type Html, html, nothing } from '../../html.ts';
import type { Messages } from '../../messages/index.ts';

type Words = Messages['figures']['verify'];

export const verdictPlace = (verifier: string, words: Words): Html =>
  html`<div id="verdict" role="status" data-verifier="${verifier}"></div>
<noscript><p class="notice">${words.noScript}</p></noscript>`;

/** The script checks the signed form of the figure. */
export const signatureCell = (metric: Metric, { figures }: Messages): Html =>
  metric.verification.signed
    ? html`<span class="badge" data-mark hidden></span><template data-signed>${JSON.stringify(presentMetric(metric))}</template>`
    : html`<span class="hint">${figures.company.unsigned}</span>`;

/** The texts of the script figures.js, in the language of the page. */
export const verdictWords = (words: Words): Html =>
  html`<template id="words">${(['checking', 'valid', 'invalid', 'failed'] as const).map((name) => {
    const [title = '', text = ''] = words[name];
    return html`<div data-verdict="${name}"><strong>${title}</strong>${text === '' ? nothing : html`<p>${text}</p>`}</div>`;
  })}
<p data-word="good">${words.good}</p><p data-word="bad">${words.bad}</p></template>`;
