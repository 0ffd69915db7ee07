import { escapeHtml } from '../escape-html.ts';

/** A piece of a mail, in text that is safe to show but not yet HTML. A link is always our own. */
export type Block =
  | { readonly text: string; readonly language?: 'de' }
  | { readonly list: readonly string[] }
  | { readonly quote: string }
  | { readonly link: string };

export function renderText(blocks: readonly Block[]): string {
  return `${blocks.map(toText).join('\n\n')}\n`;
}

/** Without pictures, scripts or anything that a mail program would have to fetch. */
export function renderHtml(subject: string, blocks: readonly Block[]): string {
  const body = blocks.map(toHtml).join('\n');
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(subject)}</title></head>
<body style="font-family:sans-serif;line-height:1.5;max-width:40em">
${body}
</body></html>
`;
}

function toText(block: Block): string {
  if ('text' in block) return block.text;
  if ('list' in block) return block.list.map((item) => `- ${item}`).join('\n');
  // The mark shows which words are not ours.
  if ('quote' in block) return `> ${block.quote}`;
  return block.link;
}

function toHtml(block: Block): string {
  if ('text' in block) {
    const language = block.language === undefined ? '' : ` lang="${block.language}"`;
    return `<p${language}>${escapeHtml(block.text)}</p>`;
  }
  if ('list' in block) {
    return `<ul>${block.list.map((item) => `<li>${escapeHtml(item)}</li>`).join('')}</ul>`;
  }
  if ('quote' in block) {
    return `<blockquote dir="auto" style="border-left:3px solid #999;margin:0;padding-left:1em;overflow-wrap:anywhere">${escapeHtml(block.quote)}</blockquote>`;
  }
  const url = escapeHtml(block.link);
  return `<p><a href="${url}">${url}</a></p>`;
}
