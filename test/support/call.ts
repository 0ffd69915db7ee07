import type { Call } from '#core';

/** A call whose id and protocol don't matter. */
export const aCall: Call = { requestId: 'req_1', protocol: 'rest' };
