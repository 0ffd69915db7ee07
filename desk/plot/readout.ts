import { type Html, html } from '../html.ts';
import type { Messages } from '../messages/index.ts';

/**
 * Shows the value under the pointer or the finger, or the one that the keyboard selects with the slider. The script
 * plot.js reads it from the table of the figure. Without scripts, the readout is hidden.
 */
export const readout = (count: number, { activity }: Messages): Html =>
  html`<p class="readout"><output aria-hidden="true"></output><input type="range" aria-label="${activity.readout}" min="0" max="${count - 1}" value="${count - 1}"></p>`;
