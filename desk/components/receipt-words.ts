import { type Html, html } from '../html.ts';
import type { Messages } from '../messages/index.ts';

/** Maps each text to the reasons of the verifier that it explains. */
const reasons: Readonly<Record<keyof Messages['receipts']['reasons'], string>> = {
  changed: 'bad_signature',
  malformed: 'malformed malformed_jws malformed_payload wrong_algorithm wrong_type',
  unknownKey: 'unknown_key',
  unusableKey: 'ambiguous_key unusable_key invalid_jwks',
  newer: 'unsupported_version',
  otherId: 'field_differs',
  empty: 'no_receipts',
  otherRequest: 'other_request',
  twice: 'duplicate_receipt',
  missing: 'chain_broken',
  newest: 'newest_missing receipts_missing',
  otherHead: 'head_differs',
};

/** The texts of the script receipts.js, in the language of the page. */
export function receiptWords(m: Messages): Html {
  const { receipts } = m;
  const { complete, awaitsSignature, moreCame, unlessMoreCame } = receipts.ends;
  // The script fills in the time and the number.
  const ends = {
    complete: complete('{time}'),
    awaits_signature: awaitsSignature('{time}'),
    more_came: moreCame('{time}', '{count}'),
    unless_more_came: unlessMoreCame,
  };
  const names = <Name extends string>(words: Readonly<Record<Name, unknown>>) =>
    Object.keys(words) as Name[];
  return html`<template id="words">
${names(receipts.verdicts).map((name) => {
  const [title, text] = receipts.verdicts[name] as [string, string];
  return html`<div data-verdict="${name}"><strong>${title}</strong>${text && html`<p>${text}</p>`}</div>`;
})}
${names(reasons).map((name) => html`<p data-word="${reasons[name]}">${receipts.reasons[name]}</p>`)}
${names(m.events).map((type) => html`<p data-word="${type}">${m.events[type]}</p>`)}
${names(ends).map((state) => html`<p data-word="${state}">${ends[state]}</p>`)}
<p data-word="mark">${receipts.mark}</p><p data-word="bad-mark">${receipts.badMark}</p><p data-word="place">${receipts.place}</p>
<dl class="facts" data-facts>${(['request', 'company', 'investor', 'last'] as const).map(
    (name) => html`<div><dt>${receipts[name]}</dt><dd><bdi data-fact="${name}"></bdi></dd></div>`,
  )}</dl>
</template>`;
}
