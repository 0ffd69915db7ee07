import { type Html, html } from '../html.ts';
import type { Messages } from '../messages/index.ts';

/**
 * The value under the pointer, the finger or, by the slider, the keyboard. The script plot.js fills it from the table of the
 * figure. Without scripts it is hidden.
 */
export const readout = (count: number, { activity }: Messages): Html =>
  html`<p class="readout"><output aria-hidden="true"></output><input type="range" aria-label="${activity.readout}" min="0" max="${count - 1}" value="${count - 1}"></p>`;
