import { AccessError } from '#core';
import type { Page, PageResult } from '../../context.ts';

/** Makes a change; when the rules refuse it, the page that says why, where there is one. */
export async function attempt(
  change: () => Promise<PageResult>,
  whyRefused: (error: AccessError) => Promise<Page> | null,
): Promise<PageResult> {
  try {
    return await change();
  } catch (error) {
    const page = error instanceof AccessError ? whyRefused(error) : null;
    if (page === null) throw error;
    return page;
  }
}
