import { AccessError } from '#core';
import type { Answer, Page } from '../../context.ts';

/** Makes a change; when the rules refuse it, the page that says why, where there is one. */
export async function attempt(
  change: () => Promise<Answer>,
  whyRefused: (error: AccessError) => Promise<Page> | null,
): Promise<Answer> {
  try {
    return await change();
  } catch (error) {
    const page = error instanceof AccessError ? whyRefused(error) : null;
    if (page === null) throw error;
    return page;
  }
}
