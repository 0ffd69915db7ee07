import type { Call, CompanyAt } from '#core';

/** A call whose id and protocol don't matter. */
export const aCall: Call = { requestId: 'req_1', protocol: 'rest' };

/** A company as a store has it, whatever the version: a store answers with what is there. */
export const asOfNow = (companyId: string): CompanyAt => ({ companyId, dataVersion: '0' });
