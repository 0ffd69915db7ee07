import type { FastifyReply } from 'fastify';
import { csvLine } from '#http';

/** Programs for tables know by the byte order mark that a file is in UTF-8. */
export const csvHeader = (columns: readonly string[]): string => `\ufeff${csvLine(columns)}`;

/** @param name without its ending */
export const attachCsv = (reply: FastifyReply, name: string): FastifyReply =>
  reply
    .header('content-disposition', `attachment; filename="${name}.csv"`)
    .type('text/csv; charset=utf-8; header=present');
