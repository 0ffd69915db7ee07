/** The random digits of IDs can form a word by chance. */
export function withoutIds(text: string): string {
  return text.replaceAll(/[0-9a-f]{32}/g, '…');
}
