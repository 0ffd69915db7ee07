/** Removes IDs from a text: their random digits sometimes spell a word. */
export function withoutIds(text: string): string {
  return text.replaceAll(/[0-9a-f]{32}/g, '…');
}
