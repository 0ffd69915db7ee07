import { html as tagged } from 'hono/html';

/** Markup whose values were escaped when it was written. */
export type Html = ReturnType<typeof tagged>;

/** Everything that is put in is escaped, unless it is markup itself. Attributes must stand in quotes. */
export const html = tagged;

export const nothing = '';
