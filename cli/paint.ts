import { styleText } from 'node:util';
import type { Host } from './host.ts';

/** An error as stderr shows it, its first word in red on a terminal that has colours and wants them. */
export function paintError({ stderr }: Pick<Host, 'stderr'>, text: string): string {
  return text.replace(/^error:/, (word) => styleText('red', word, { stream: stderr }));
}
