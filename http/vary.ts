import type { FastifyReply } from 'fastify';

/** Tells the caches on the way what the answer depends on, beside what was told before. */
export function addVary(reply: FastifyReply, ...fields: readonly string[]): void {
  const told = reply.getHeader('vary');
  if (told === undefined) {
    reply.header('vary', fields.join(', '));
    return;
  }
  const known = String(told).toLowerCase().split(/ *, */);
  const further = fields.filter((field) => !known.includes(field.toLowerCase()));
  if (further.length > 0) reply.header('vary', [told, ...further].join(', '));
}
