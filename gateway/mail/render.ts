interface InLanguage {
  /** The default is the language of the mail. */
  readonly language?: 'de';
}

/** A section of a mail. Its text has no control characters, but isn't escaped for HTML. Links lead to this service. */
export type Block = InLanguage &
  (
    | { readonly text: string }
    | { readonly list: readonly string[] }
    | { readonly quote: string }
    | { readonly link: string }
    /** The main action of the mail. `to` is the URL. */
    | { readonly button: string; readonly to: string }
    /** Details that a reader may skip. */
    | { readonly note: string }
  );

export function renderText(blocks: readonly Block[]): string {
  return `${blocks.map(toText).join('\n\n')}\n`;
}

const accent = '#4338ca';

const line = '<hr style="border:0;border-top:1px solid #8b90a5;margin:32px 0">\n';

/** Renders a mail that loads no images, scripts or other files. So the styles are inline. */
export function renderHtml(subject: string, blocks: readonly Block[], language: string): string {
  // If the mail is in two languages, a horizontal line separates them.
  const isOther = (block: Block, before: Block | undefined) =>
    before !== undefined && languageOf(block) !== '' && languageOf(before) === '';
  const body = blocks
    .map((block, index) => `${isOther(block, blocks[index - 1]) ? line : ''}${toHtml(block)}`)
    .join('\n');
  const logo = `display:inline-block;width:24px;height:24px;border-radius:6px;background:${accent};color:#ffffff;text-align:center;line-height:24px`;
  return `<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><title>${escapeHtml(subject)}</title></head>
<body style="margin:0;padding:24px 16px;font-family:system-ui,'Segoe UI',Roboto,sans-serif;font-size:16px;line-height:1.5">
<div style="max-width:36em;margin:0 auto">
<p style="margin:0 0 20px;font-weight:600"><span style="${logo}" aria-hidden="true">P</span> Portfolio Access</p>
<h1 style="margin:0 0 16px;font-size:22px;line-height:1.25">${escapeHtml(subject)}</h1>
${body}
</div>
</body></html>
`;
}

function toText(block: Block): string {
  if ('text' in block) return block.text;
  if ('note' in block) return block.note;
  if ('list' in block) return block.list.map((item) => `- ${item}`).join('\n');
  // The mark `>` distinguishes quoted words from our own text.
  if ('quote' in block) return `> ${block.quote}`;
  if ('button' in block) return `${block.button}:\n${block.to}`;
  return block.link;
}

function toHtml(block: Block): string {
  if ('text' in block) return paragraph(block.text, block);
  if ('note' in block)
    return paragraph(block.note, block, 'font-size:14px;color:#70758a;margin:16px 0 0');
  if ('list' in block) {
    return `<ul${languageOf(block)} style="margin:0 0 16px;padding-inline-start:24px">${block.list.map((item) => `<li>${escapeHtml(item)}</li>`).join('')}</ul>`;
  }
  if ('quote' in block) {
    return `<blockquote dir="auto" style="border-inline-start:3px solid ${accent};margin:0 0 16px;padding:4px 16px;overflow-wrap:anywhere">${escapeHtml(block.quote)}</blockquote>`;
  }
  if ('button' in block) {
    const url = escapeHtml(block.to);
    const style = `display:inline-block;padding:12px 20px;border-radius:6px;background:${accent};color:#ffffff;font-weight:600;text-decoration:none`;
    // Also shows the address as text, for readers who don't trust a button.
    return `<p${languageOf(block)} style="margin:24px 0 8px"><a href="${url}" style="${style}">${escapeHtml(block.button)}</a></p>
<p style="margin:0 0 24px;font-size:14px;color:#70758a;overflow-wrap:anywhere">${url}</p>`;
  }
  const url = escapeHtml(block.link);
  return `<p><a href="${url}">${url}</a></p>`;
}

const languageOf = (block: object & InLanguage): string =>
  block.language === undefined ? '' : ` lang="${block.language}"`;

const paragraph = (text: string, inLanguage: InLanguage, style = 'margin:0 0 16px'): string =>
  `<p${languageOf(inLanguage)} style="${style}">${escapeHtml(text)}</p>`;

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? character);
}
