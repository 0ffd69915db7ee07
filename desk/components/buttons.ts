import { type Html, html, nothing } from '../html.ts';

type Tone = 'primary' | 'danger' | 'usual';

/** What takes something away that does not come back by itself is dangerous, and looks so wherever it stands. */
const classOf = (tone: Tone): string => (tone === 'usual' ? 'button' : `button ${tone}`);

/**
 * The way to something that is done on the next page.
 *
 * @param of about what, for whoever hears the button without its row; it follows the text
 */
export const buttonLink = (to: string, text: string, tone: Tone = 'usual', of = ''): Html =>
  html`<a class="${classOf(tone)}" href="${to}">${text}${of && html`<span class="visually-hidden">${of}</span>`}</a>`;

/** What sends the form that it stands in. */
export const submitButton = (text: string, tone: Tone = 'usual', label?: string): Html =>
  html`<button class="${classOf(tone)}"${label === undefined ? nothing : html` aria-label="${label}"`}>${text}</button>`;
