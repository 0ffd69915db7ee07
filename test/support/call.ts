import { AccessError, type Admission, type Call, type UnlimitedCompany } from '#core';

/** For tests in which the ID and the protocol don't matter. */
export const aCall: Call = { requestId: 'req_1', protocol: 'rest' };

/** A reference to a company's data without a version, so a store returns the current data. */
export const asOfNow = (
  companyId: string,
  environment: UnlimitedCompany['environment'] = 'live',
): UnlimitedCompany => ({
  companyId,
  dataVersion: '0',
  environment,
  publicKeyUrl: 'https://access.example/.well-known/jwks.json',
  terms: null,
});

/** The seventh call in a rate limit window while the database doesn't answer. */
export const unavailableAdmission: Admission = {
  rateLimit: { limit: 600, remaining: 593, resetSeconds: 60, exceeded: false },
  refusal: new AccessError('service_unavailable'),
};
