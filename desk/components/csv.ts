import type { FastifyReply } from 'fastify';
import { csvLine } from '#http';

/** The byte order mark lets spreadsheet programs recognise UTF-8. */
export const csvHeader = (columns: readonly string[]): string => `\ufeff${csvLine(columns)}`;

/** @param name without the extension */
export const attachCsv = (reply: FastifyReply, name: string): FastifyReply =>
  reply
    .header('content-disposition', `attachment; filename="${name}.csv"`)
    .type('text/csv; charset=utf-8; header=present');
